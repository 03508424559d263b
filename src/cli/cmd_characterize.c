/* cmd_characterize.c - panem characterize: a curve set measured on the DRAM reference. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"
#include "cli/cmd_curves.h"
#include "cli/commands.h"
#include "cli/list.h"
#include "dram/dram.h"
#include "traffic/characterize.h"

enum {
    OPT_CHANNELS = 256,
    OPT_SET,
    OPT_READ_PCT,
    OPT_ROW_HIT,
    OPT_STREAMS,
    OPT_FABRIC,
    OPT_ERROR,
    OPT_REPEATS,
    OPT_CHASES,
    OPT_SEED,
    OPT_NAME,
    OPT_DRAM
};

/* The share of the load that continues streams, by name. Mixed: what real curve sets look like,
 * knee at 70..90 % of the stream law. */
static const double MIXED_SHARE = 0.6;

enum { JOBS_MAX = 256, LINE_BYTES = 64 };

/* The load keeps this share of the queues' room in flight: every bus busy, few requests refused. */
static const uint32_t READS_NUMERATOR = 3, READS_DENOMINATOR = 4;

typedef struct settings {
    const char *dram, *channels, *read_pct_text, *row_hit_text, *fabric_text, *error_text;
    const char *output, *name;
    char **sets;
    size_t set_count;
    const pn_dram_preset *preset;
    pn_dram_config config;
    pn_list read_pct;
    double row_hit, fabric_ps, target_error;
    uint32_t streams, chases, repeats, jobs;
    uint64_t seed;
} settings;

static const struct argp_option OPTIONS[] = {
    {"dram", OPT_DRAM, "PRESET", 0,
     "a preset of panem dram list, options may follow: "
     "ddr5-5200:page=closed (required)",
     0},
    {"channels", OPT_CHANNELS, "N", 0, "channels as sold (default: the preset's)", 0},
    {"set", OPT_SET, "KEY=VALUE", 0, "override a parameter of panem dram show; may be repeated", 0},
    {"read-pct", OPT_READ_PCT, "LIST", 0,
     "percent of reads, one curve each, chases included (default 0:100:5)", 0},
    {"row-hit", OPT_ROW_HIT, "SHARE", 0,
     "stream (1), random (0), mixed (0.6) or a share: that part of the load continues sequential "
     "streams, the rest goes to random lines (default mixed)",
     0},
    {"streams", OPT_STREAMS, "N", 0,
     "sequential streams of reads, and as many of writes (default 1)", 0},
    {"fabric-latency", OPT_FABRIC, "TIME", 0,
     "from the core to the memory controller and back, added to every latency (default 40ns)", 0},
    {"error", OPT_ERROR, "E", 0, "standard error of each mean latency (default 0.5%)", 0},
    {"chases", OPT_CHASES, "N", 0, "chases measured in each run, at least (default 8192)", 0},
    {"repeats", OPT_REPEATS, "N", 0, "runs per point, for the deviations (default 3)", 0},
    {"seed", OPT_SEED, "N", 0, "random seed (default 1)", 0},
    {"name", OPT_NAME, "NAME", 0, "name of the set (default: preset, channels and row-hit)", 0},
    {"jobs", 'j', "N", 0, "threads; the result is the same for any (default: all processors)", 0},
    {"output", 'o', "FILE", 0, "the CSV set to write (default: standard output)", 0},
    {0}};

/* ---- options ------------------------------------------------------------------------------- */

static panem_status take_row_hit(settings *s, const char *text, panem_error *err)
{
    s->row_hit_text = text;
    if (strcmp(text, "stream") == 0)
        s->row_hit = 1.0;
    else if (strcmp(text, "random") == 0)
        s->row_hit = 0.0;
    else if (strcmp(text, "mixed") == 0)
        s->row_hit = MIXED_SHARE;
    else
        PN_TRY(pn_unit_parse(&s->row_hit, text, PN_DIM_FRACTION, "--row-hit", err));
    if (!(s->row_hit >= 0.0 && s->row_hit <= 1.0))
        return pn_err(err, PANEM_E_ARG, "--row-hit: '%s' is outside 0..1", text);
    return PANEM_OK;
}

static panem_status take_read_pct(settings *s, const char *text, panem_error *err)
{
    s->read_pct_text = text;
    PN_TRY(pn_list_parse(&s->read_pct, text, PN_DIM_NONE, "--read-pct", err));
    for (size_t i = 0; i < s->read_pct.count; i++) {
        if (!(s->read_pct.values[i] >= 0.0 && s->read_pct.values[i] <= 100.0))
            return pn_err(err, PANEM_E_ARG, "--read-pct: outside 0..100");
        for (size_t j = 0; j < i; j++)
            if (s->read_pct.values[j] == s->read_pct.values[i])
                return pn_err(err, PANEM_E_ARG, "--read-pct: %g is there twice",
                              s->read_pct.values[i]);
    }
    return PANEM_OK;
}

static panem_status take_whole(uint32_t *value, const char *text, uint64_t max, const char *what,
                               panem_error *err)
{
    uint64_t v;
    PN_TRY(pn_unit_parse_u64(&v, text, PN_DIM_COUNT, 1, max, what, err));
    *value = (uint32_t)v;
    return PANEM_OK;
}

static panem_status take_error(settings *s, const char *text, panem_error *err)
{
    s->error_text = text;
    PN_TRY(pn_unit_parse(&s->target_error, text, PN_DIM_FRACTION, "--error", err));
    if (!(s->target_error >= 1e-5 && s->target_error <= 0.2))
        return pn_err(err, PANEM_E_ARG, "--error: '%s' is outside 0.001%%..20%%", text);
    return PANEM_OK;
}

static panem_status take_set(settings *s, char *text, panem_error *err)
{
    char **sets = realloc(s->sets, (s->set_count + 1) * sizeof *sets);
    if (!sets)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    s->sets = sets;
    s->sets[s->set_count++] = text;
    return PANEM_OK;
}

static panem_status take_fabric(settings *s, const char *text, panem_error *err)
{
    s->fabric_text = text;
    PN_TRY(pn_unit_parse(&s->fabric_ps, text, PN_DIM_TIME, "--fabric-latency", err));
    if (!(s->fabric_ps >= 0.0 && s->fabric_ps <= 1e9))
        return pn_err(err, PANEM_E_ARG, "--fabric-latency: '%s' is outside 0..1ms", text);
    return PANEM_OK;
}

static panem_status set_defaults(settings *s, panem_error *err)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    s->jobs = processors > 1 ? (uint32_t)processors : 1;
    s->jobs = s->jobs > JOBS_MAX ? JOBS_MAX : s->jobs;
    s->streams = 1;
    s->chases = PN_CHAR_CHASES_MIN;
    s->repeats = 3;
    s->seed = 1;
    s->output = "-";
    PN_TRY(take_read_pct(s, "0:100:5", err));
    PN_TRY(take_row_hit(s, "mixed", err));
    PN_TRY(take_fabric(s, "40ns", err));
    return take_error(s, "0.5%", err);
}

static panem_status resolve(settings *s, panem_error *err)
{
    size_t count = 0;
    const pn_param *params = pn_dram_params(&count);
    if (!s->dram)
        return pn_err(err, PANEM_E_ARG, "characterize: --dram PRESET is missing; panem dram list");
    PN_TRY(pn_dram_spec_parse(&s->config, &s->preset, s->dram, err));
    if (s->channels)
        PN_TRY(pn_param_set(params, count, &s->config, "channels", s->channels, err));
    for (size_t i = 0; i < s->set_count; i++)
        PN_TRY(pn_param_assign(params, count, &s->config, s->sets[i], err));
    PN_TRY(pn_dram_config_check(&s->config, err));
    if (pn_dram_buses(&s->config) > PN_CHASE_LANES_MAX)
        return pn_err(err, PANEM_E_ARG, "more than %d buses", PN_CHASE_LANES_MAX);
    return PANEM_OK;
}

static panem_status take(settings *s, int key, char *arg, panem_error *err)
{
    switch (key) {
    case OPT_SET:
        return take_set(s, arg, err);
    case OPT_READ_PCT:
        return take_read_pct(s, arg, err);
    case OPT_ROW_HIT:
        return take_row_hit(s, arg, err);
    case OPT_STREAMS:
        return take_whole(&s->streams, arg, PN_CHASE_STREAMS_MAX, "--streams", err);
    case OPT_FABRIC:
        return take_fabric(s, arg, err);
    case OPT_ERROR:
        return take_error(s, arg, err);
    case OPT_CHASES:
        return take_whole(&s->chases, arg, 100000, "--chases", err);
    case OPT_REPEATS:
        return take_whole(&s->repeats, arg, 1000, "--repeats", err);
    case OPT_SEED:
        return pn_unit_parse_u64(&s->seed, arg, PN_DIM_COUNT, 0, UINT64_C(1) << 52, "--seed", err);
    default:
        return take_whole(&s->jobs, arg, JOBS_MAX, "--jobs", err);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    switch (key) {
    case ARGP_KEY_INIT:
        (void)set_defaults(s, &err);
        break;
    case OPT_DRAM:
        s->dram = arg;
        break;
    case OPT_CHANNELS:
        s->channels = arg;
        break;
    case OPT_NAME:
        s->name = arg;
        break;
    case 'o':
        s->output = arg;
        break;
    case ARGP_KEY_ARG:
        return ARGP_ERR_UNKNOWN;
    case ARGP_KEY_END:
        (void)resolve(s, &err);
        break;
    default:
        if (key != 'j' && (key < OPT_CHANNELS || key > OPT_DRAM))
            return ARGP_ERR_UNKNOWN;
        (void)take(s, key, arg, &err);
    }
    return err.status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

/* ---- measuring ----------------------------------------------------------------------------- */

/* What the threads share; everything below the mutex is guarded by it. */
typedef struct work {
    const settings *settings;
    pn_char_config config;
    pn_char_curve *curves;
    pthread_mutex_t mutex;
    size_t next;
    uint32_t runs_done, runs;
    time_t started;
    bool failed;
    panem_error err;
} work;

static panem_status make_port(const void *user, pn_mem_port **port, panem_error *err)
{
    const settings *s = user;
    return pn_dram_create(port, &s->config, s->preset->name, err);
}

static uint32_t bus_of(const void *user, const pn_mem_port *port, uint64_t address)
{
    pn_dram_place place;
    (void)user;
    pn_dram_locate(port, &place, address);
    return place.channel;
}

static void show_progress(void *user)
{
    work *w = user;
    pthread_mutex_lock(&w->mutex);
    w->runs_done++;
    if (pn_stderr_is_terminal()) {
        double spent = difftime(time(NULL), w->started);
        double left = spent / w->runs_done * (w->runs - w->runs_done);
        fprintf(stderr, "\rcharacterize: %u of %u runs, %.0f s, about %.0f s left \033[K",
                w->runs_done, w->runs, spent, left);
    }
    pthread_mutex_unlock(&w->mutex);
}

/* The next curve to measure; count when there is none or a thread failed. */
static size_t take_curve(work *w)
{
    pthread_mutex_lock(&w->mutex);
    size_t count = w->settings->read_pct.count;
    size_t i = w->failed || w->next >= count ? count : w->next++;
    pthread_mutex_unlock(&w->mutex);
    return i;
}

static void *worker(void *user)
{
    work *w = user;
    const settings *s = w->settings;
    for (size_t i; (i = take_curve(w)) < s->read_pct.count;) {
        panem_error err = PANEM_ERROR_INIT;
        if (pn_characterize_curve(&w->curves[i], &w->config, s->read_pct.values[i] / 100.0, &err) ==
            PANEM_OK)
            continue;
        pthread_mutex_lock(&w->mutex);
        if (!w->failed)
            w->err = err;
        w->failed = true;
        pthread_mutex_unlock(&w->mutex);
    }
    return NULL;
}

static void configure(work *w)
{
    const settings *s = w->settings;
    const pn_dram_config *d = &s->config;
    uint32_t buses = pn_dram_buses(d);
    uint32_t reads = d->read_queue * pn_dram_burst_bytes(d) / LINE_BYTES;
    uint32_t writes = d->write_queue * pn_dram_burst_bytes(d) / LINE_BYTES;
    reads = reads * READS_NUMERATOR / READS_DENOMINATOR;
    w->config = (pn_char_config){.make = make_port,
                                 .make_user = s,
                                 .lane = bus_of,
                                 .lanes = buses,
                                 .capacity_bytes = pn_dram_capacity_bytes(d),
                                 .peak_bytes_per_s = pn_dram_theoretical_peak(d),
                                 .reads_max = buses * (reads ? reads : 1),
                                 .writes_max = buses * (writes ? writes : 1),
                                 .stream_share = s->row_hit,
                                 .streams = s->streams,
                                 .fabric_ns = s->fabric_ps / 1000.0,
                                 .target_error = s->target_error,
                                 .chases_min = s->chases,
                                 .repeats = s->repeats,
                                 .seed = s->seed,
                                 .progress = show_progress,
                                 .progress_user = w};
    w->runs = pn_char_runs(&w->config) * (uint32_t)s->read_pct.count;
}

static panem_status measure(work *w, panem_error *err)
{
    pthread_t threads[JOBS_MAX];
    uint32_t jobs = w->settings->jobs;
    uint32_t started = 0;
    if (jobs > w->settings->read_pct.count)
        jobs = (uint32_t)w->settings->read_pct.count;
    w->started = time(NULL);
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, worker, w) == 0)
        started++;
    (void)worker(w); /* this thread works too, and alone when no other could be had */
    for (uint32_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    if (pn_stderr_is_terminal())
        fputs("\r\033[K", stderr);
    if (w->failed)
        *err = w->err;
    return w->failed ? w->err.status : PANEM_OK;
}

/* ---- the set ------------------------------------------------------------------------------- */

static panem_status set_text(pn_rawset *raw, const char *key, pn_text *text, panem_error *err)
{
    panem_status status = text->failed || !text->data
                              ? pn_err(err, PANEM_E_NOMEM, "no memory for metadata")
                              : pn_rawset_set_meta(raw, key, text->data, err);
    pn_text_release(text);
    return status;
}

static panem_status set_gbs(pn_rawset *raw, const char *key, double bytes_per_s, panem_error *err)
{
    pn_text text = PN_TEXT_INIT;
    pn_text_fixed(&text, bytes_per_s / 1e9, 3);
    return set_text(raw, key, &text, err);
}

static panem_status set_number(pn_rawset *raw, const char *key, double value, panem_error *err)
{
    pn_text text = PN_TEXT_INIT;
    pn_text_number(&text, value);
    return set_text(raw, key, &text, err);
}

/* The command that writes the same bytes again, wherever to. */
static panem_status add_command(pn_rawset *raw, const settings *s, const char *name,
                                panem_error *err)
{
    pn_text t = PN_TEXT_INIT;
    pn_text_printf(&t, "panem characterize --dram %s --channels %u", s->dram, s->config.channels);
    for (size_t i = 0; i < s->set_count; i++)
        pn_text_printf(&t, " --set %s", s->sets[i]);
    pn_text_printf(&t, " --read-pct %s --row-hit %s --streams %u --fabric-latency %s",
                   s->read_pct_text, s->row_hit_text, s->streams, s->fabric_text);
    if (s->chases != PN_CHAR_CHASES_MIN)
        pn_text_printf(&t, " --chases %u", s->chases);
    pn_text_printf(&t, " --error %s --repeats %u --seed %llu --name %s", s->error_text, s->repeats,
                   (unsigned long long)s->seed, name);
    return set_text(raw, "command", &t, err);
}

static panem_status add_laws(pn_rawset *raw, const settings *s, panem_error *err)
{
    const pn_dram_config *d = &s->config;
    PN_TRY(set_gbs(raw, "theoretical_peak_gbs", pn_dram_theoretical_peak(d), err));
    PN_TRY(set_gbs(raw, "stream_law_gbs", pn_dram_stream_law(d), err));
    PN_TRY(set_gbs(raw, "random_law_gbs", pn_dram_random_law(d), err));
    pn_text t = PN_TEXT_INIT;
    double law_ns = (pn_dram_unloaded_law_ps(d) + (double)(d->frontend_ps + d->backend_ps)) / 1e3;
    pn_text_fixed(&t, law_ns, 3);
    return set_text(raw, "unloaded_law_ns", &t, err);
}

static panem_status add_load(pn_rawset *raw, const work *w, panem_error *err)
{
    const settings *s = w->settings;
    pn_text t = PN_TEXT_INIT;
    pn_text_printf(&t, "memory controller and DRAM, plus %s of fabric; no core, no caches",
                   s->fabric_text);
    PN_TRY(set_text(raw, "latency_includes", &t, err));
    t = (pn_text)PN_TEXT_INIT;
    pn_text_puts(&t, "share ");
    pn_text_number(&t, s->row_hit);
    pn_text_printf(&t,
                   " of the load continues %u + %u sequential streams; at most %u reads and %u "
                   "writes in flight",
                   s->streams, s->streams, w->config.reads_max, w->config.writes_max);
    PN_TRY(set_text(raw, "load", &t, err));
    t = (pn_text)PN_TEXT_INIT;
    pn_text_puts(&t, "dependent reads of random lines, counted in bandwidth and read_pct; ");
    pn_text_number(&t, 100.0 * pn_char_chase_share(s->row_hit, 1.0));
    pn_text_puts(&t, " % of requests, fewer where fewer are read, at least ");
    pn_text_number(&t, 100.0 * pn_char_chase_share(s->row_hit, 0.0));
    pn_text_puts(&t, " %; the first point of each curve is chases alone");
    return set_text(raw, "chases", &t, err);
}

static panem_status add_meta(pn_rawset *raw, const work *w, panem_error *err)
{
    const settings *s = w->settings;
    pn_text name = PN_TEXT_INIT;
    pn_text hardware = PN_TEXT_INIT;
    if (s->name)
        pn_text_puts(&name, s->name);
    else
        pn_text_printf(&name, "%sx%u-%s", s->preset->name, s->config.channels, s->row_hit_text);
    PN_TRY(set_text(raw, "name", &name, err));
    PN_TRY(pn_rawset_set_meta(raw, "source",
                              "panem characterize: the cycle-level DRAM reference, "
                              "no measurement of hardware",
                              err));
    pn_text_printf(&hardware, "%u channels of %s", s->config.channels, s->preset->title);
    PN_TRY(set_text(raw, "hardware", &hardware, err));
    PN_TRY(add_load(raw, w, err));
    PN_TRY(add_laws(raw, s, err));
    PN_TRY(add_command(raw, s, pn_rawset_meta(raw, "name"), err));
    PN_TRY(pn_rawset_set_meta(raw, "panem_version", panem_version(), err));
    return set_number(raw, "results_version", PN_CHAR_RESULTS_VERSION, err);
}

/* What became of the points. */
typedef struct tally {
    uint32_t written, omitted, unconverged;
    uint64_t requests;
    double worst_error_frac;
} tally;

static panem_status add_points(pn_rawset *raw, tally *sum, const work *w, panem_error *err)
{
    for (size_t i = 0; i < w->settings->read_pct.count; i++) {
        const pn_char_curve *c = &w->curves[i];
        for (uint32_t k = 0; k < PN_CHAR_LOADS; k++) {
            const pn_char_point *p = &c->points[k];
            sum->requests += p->requests;
            sum->unconverged += !p->converged;
            sum->omitted += !p->written;
            if (p->error_ns / p->latency_ns > sum->worst_error_frac)
                sum->worst_error_frac = p->error_ns / p->latency_ns;
            if (!p->written)
                continue;
            sum->written++;
            pn_raw_point point = {c->read_frac,
                                  p->bandwidth_gbs,
                                  p->latency_ns,
                                  p->bandwidth_std_gbs,
                                  p->latency_std_ns,
                                  0,
                                  0};
            PN_TRY(pn_rawset_add(raw, &point, err));
        }
    }
    PN_TRY(set_number(raw, "points_omitted", sum->omitted, err));
    pn_text t = PN_TEXT_INIT;
    pn_text_fixed(&t, 100.0 * sum->worst_error_frac, 2);
    return set_text(raw, "worst_standard_error_pct", &t, err);
}

/* Three decimals: the standard errors are larger. */
static double rounded(double value)
{
    return floor(value * 1000.0 + 0.5) / 1000.0;
}

static void round_points(pn_rawset *raw)
{
    for (size_t i = 0; i < raw->count; i++) {
        pn_raw_point *p = &raw->points[i];
        p->bandwidth_gbs = rounded(p->bandwidth_gbs);
        p->latency_ns = rounded(p->latency_ns);
        p->bandwidth_std_gbs = rounded(p->bandwidth_std_gbs);
        p->latency_std_ns = rounded(p->latency_std_ns);
    }
}

static int write_set(const work *w)
{
    panem_error err = PANEM_ERROR_INIT;
    tally sum = {0};
    pn_rawset raw;
    pn_rawset_init(&raw, NULL);
    raw.order = PANEM_ORDER_RISING;
    int code = PN_EXIT_OK;
    if (add_meta(&raw, w, &err) != PANEM_OK || add_points(&raw, &sum, w, &err) != PANEM_OK) {
        code = pn_fail(&err);
    } else {
        round_points(&raw);
        code = pn_curves_write(&raw, w->settings->output);
    }
    pn_rawset_release(&raw);
    if (code != PN_EXIT_OK)
        return code;
    fprintf(stderr,
            "panem: %zu curves, %u points written, %u left out as not told apart from the "
            "one before, %.1f M requests, %.0f s\n",
            w->settings->read_pct.count, sum.written, sum.omitted, (double)sum.requests / 1e6,
            difftime(time(NULL), w->started));
    if (sum.unconverged)
        pn_warn("%u points did not reach --error; the worst standard error is %.2f %%",
                sum.unconverged, 100.0 * sum.worst_error_frac);
    return PN_EXIT_OK;
}

/* An output that cannot be made is told before minutes are spent on what goes into it. */
static panem_status try_output(const char *path, panem_error *err)
{
    pn_writer *writer = NULL;
    if (!path || strcmp(path, "-") == 0)
        return PANEM_OK;
    PN_TRY(pn_writer_open(&writer, path, err));
    pn_writer_abort(writer);
    return PANEM_OK;
}

static int run(void *user)
{
    panem_error err = PANEM_ERROR_INIT;
    work w;
    memset(&w, 0, sizeof w);
    w.settings = user;
    if (try_output(w.settings->output, &err) != PANEM_OK)
        return pn_fail_output(&err);
    configure(&w);
    w.curves = calloc(w.settings->read_pct.count, sizeof *w.curves);
    if (!w.curves || pthread_mutex_init(&w.mutex, NULL) != 0) {
        free(w.curves);
        (void)pn_err(&err, PANEM_E_NOMEM, "out of memory");
        return pn_fail(&err);
    }
    int code = measure(&w, &err) == PANEM_OK ? write_set(&w) : pn_fail(&err);
    (void)pthread_mutex_destroy(&w.mutex);
    free(w.curves);
    return code;
}

static void release(void *user)
{
    free(((settings *)user)->sets);
}

const pn_command pn_cmd_characterize = {
    .name = "characterize",
    .arguments = NULL,
    .summary = "measure a curve set on the DRAM reference",
    .details =
        "For each percent of reads, dependent chases of random lines run beside a rate-limited "
        "load on a fresh memory, from chases alone to as much load as the memory takes: 16 loads. "
        "The latency of a point is what the chases wait, plus the fabric; its bandwidth counts all "
        "completed bytes, chases included (GB/s = 1e9 B/s). A point is the mean of --repeats runs, "
        "and runs until its standard error is below --error; two standard errors, 95 % of cases, "
        "are then within 1 % by default. The deviation columns are those of the repeats.\n\n"
        "A point that cannot be told apart from the one before it, within one standard error, is "
        "left out and counted; past the highest bandwidth only the first point is kept. Values are "
        "rounded to three decimals and never changed otherwise.\n\n"
        "The set says in its metadata which command writes the same bytes again. Progress and the "
        "time left are shown on a terminal.\n\n"
        "Exit status: 0 success, 1 failure, 2 usage.",
    .examples = "  panem characterize --dram ddr5-5200 --channels 8 -o ddr5.csv\n"
                "  panem characterize --dram ddr4-2666 --channels 6 --read-pct 50:100:10 "
                "--row-hit random -o random.csv\n"
                "  panem characterize --dram hbm2-2000 --set page=closed --repeats 5 -o hbm.csv\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
    .release = release};
