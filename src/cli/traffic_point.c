/* traffic_point.c - one point of `panem traffic`: model, generators, measurement, comparison with
 * the relation. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/traffic.h"
#include "dram/dram.h"
#include "mem/model_port.h"
#include "mem/model_spec.h"

/* Warm-up: so many averaging horizons, and at least so long. */
static const uint64_t WARMUP_HORIZONS = 40;
static const uint64_t WARMUP_MIN_PS = UINT64_C(50000000);

/* A generator may hold this multiple of what its share has in flight at the relation's peak, and
 * at least so many requests: enough that only loads beyond the peak are held back. */
static const double OUTSTANDING_AT_PEAK = 2.0;
static const uint32_t OUTSTANDING_MIN = 64;

/* mess settles over hundreds of windows of accesses: two cascaded averages of weight 1/20. md1's
 * average of weight 1/2 is settled after twenty of its phases. */
static const double WARMUP_MESS_WINDOWS = 300.0;
static const double WARMUP_MD1_PHASES = 20.0;

/* Where random lines lie; a DRAM's addresses wrap at its capacity. */
static const uint64_t RANDOM_RANGE_BYTES = UINT64_C(1) << 40;

static panem_status apply_windows(panem_model_options *o, const char *text, panem_error *err)
{
    char count[16];
    const char *x = strchr(text, 'x');
    size_t length = x ? (size_t)(x - text) : 0;
    uint64_t windows;
    if (!x || length == 0 || length >= sizeof count)
        return pn_err(err, PANEM_E_ARG, "--windows: '%s' is not COUNTxLENGTH, e.g. 4x520ns", text);
    memcpy(count, text, length);
    count[length] = '\0';
    PN_TRY(pn_unit_parse_u64(&windows, count, PN_DIM_COUNT, 1, 65536, "--windows", err));
    PN_TRY(pn_unit_parse_u64(&o->window_ps, x + 1, PN_DIM_TIME, 1000, 10000000000ULL, "--windows",
                             err));
    o->windows = (uint32_t)windows;
    return PANEM_OK;
}

/* What follows "dram:", or NULL. */
static const char *dram_spec(const char *model)
{
    return strncmp(model, "dram:", 5) == 0 ? model + 5 : NULL;
}

bool pn_traffic_is_dram(const char *model)
{
    return dram_spec(model) != NULL;
}

panem_status pn_traffic_check_model(const char *model, panem_error *err)
{
    panem_model_options options;
    pn_dram_config config;
    if (dram_spec(model))
        return pn_dram_spec_parse(&config, NULL, dram_spec(model), err);
    return pn_model_spec_parse(&options, model, err);
}

panem_status pn_traffic_model_options(panem_model_options *options, const pn_traffic_settings *s,
                                      const char *model, uint32_t sharers, panem_error *err)
{
    if (dram_spec(model) && sharers > 1)
        return pn_err(err, PANEM_E_ARG, "--sharers: %s is a whole memory, not a share", model);
    PN_TRY(pn_model_spec_parse(options, dram_spec(model) ? "panem" : model, err));
    if (options->sharers == 1)
        options->sharers = sharers;
    if (s->windows_text)
        PN_TRY(apply_windows(options, s->windows_text, err));
    return PANEM_OK;
}

panem_status pn_traffic_open_port(pn_mem_port **port, const pn_traffic_settings *s,
                                  const panem_model_options *options, const char *name,
                                  uint32_t in_flight, panem_error *err)
{
    panem_model *model = NULL;
    pn_dram_config config;
    if (dram_spec(name)) {
        PN_TRY(pn_dram_spec_parse(&config, NULL, dram_spec(name), err));
        return pn_dram_create(port, &config, name, err);
    }
    PN_TRY(panem_model_create(&model, s->set, options, err));
    return pn_model_port_create(port, model, name, options->early_write_ack != 0, in_flight, err);
}

/* What loads, bounds and warm-up of a point are derived from. */
typedef struct scale {
    double peak_bytes_per_s;
    double idle_ps;
    double lines_at_peak; /* in flight there, of the whole memory */
    uint64_t horizon_ps;  /* that the model averages over */
} scale;

/* Requests the relation holds in flight at its peak. */
static double lines_at_peak(const pn_traffic_settings *s, double read_frac)
{
    uint64_t latency_ps;
    double n = 0.0;
    double peak = panem_peak_bytes_per_s(s->set, PANEM_MIX_LINEAR, read_frac);
    if (panem_latency_at_bandwidth_ps(s->set, &latency_ps, &n, PANEM_MIX_LINEAR, peak * 0.999999,
                                      read_frac) != PANEM_OK)
        n = peak * (double)panem_idle_ps(s->set, PANEM_MIX_LINEAR, read_frac) * 1e-12;
    return n / PN_TRAFFIC_LINE_BYTES;
}

/* Without curves: the laws of the DRAM. It is saturated when its read queues are full. */
static scale scale_of_dram(const char *model)
{
    pn_dram_config c;
    scale k = {0.0, 0.0, 0.0, 0};
    if (pn_dram_spec_parse(&c, NULL, dram_spec(model), NULL) != PANEM_OK)
        return k; /* cannot be: the word was checked when it was read */
    double entry_lines = (double)pn_dram_burst_bytes(&c) / PN_TRAFFIC_LINE_BYTES;
    k.peak_bytes_per_s = pn_dram_stream_law(&c);
    k.idle_ps = pn_dram_unloaded_law_ps(&c) + (double)(c.frontend_ps + c.backend_ps);
    k.lines_at_peak = (double)pn_dram_buses(&c) * c.read_queue * entry_lines;
    return k;
}

static scale scale_of(const pn_traffic_settings *s, const panem_model_options *options,
                      const char *model, double read_frac)
{
    if (!s->set)
        return scale_of_dram(model);
    return (scale){panem_peak_bytes_per_s(s->set, PANEM_MIX_LINEAR, read_frac),
                   (double)panem_idle_ps(s->set, PANEM_MIX_LINEAR, read_frac),
                   lines_at_peak(s, read_frac),
                   options->window_ps * panem_windows_effective(s->set, options)};
}

double pn_traffic_peak_bytes_per_s(const pn_traffic_settings *s, const char *model,
                                   double read_frac)
{
    return s->set ? panem_peak_bytes_per_s(s->set, PANEM_MIX_LINEAR, read_frac)
                  : scale_of_dram(model).peak_bytes_per_s;
}

static uint32_t outstanding_of(const pn_traffic_settings *s, const scale *k, uint32_t sharers,
                               uint32_t sources)
{
    if (s->closed_loop)
        return (s->closed_loop + sources - 1) / sources;
    if (s->outstanding)
        return s->outstanding;
    double each = ceil(OUTSTANDING_AT_PEAK * k->lines_at_peak / sharers / sources);
    return each > OUTSTANDING_MIN ? (uint32_t)each : OUTSTANDING_MIN;
}

/* What a peer needs besides; accesses come gap_ps apart. */
static uint64_t peer_warmup_ps(const panem_model_options *options, double gap_ps)
{
    const panem_peer_options *p = &options->peers;
    if (options->kind == PANEM_KIND_MESS)
        return (uint64_t)(WARMUP_MESS_WINDOWS * p->curve_window_size * gap_ps);
    if (options->kind == PANEM_KIND_MD1)
        return (uint64_t)(WARMUP_MD1_PHASES * p->phase_length * 1e12 / (double)p->frequency_hz);
    return 0;
}

/* Mean time between accesses, at most: a closed loop without contention waits for idle. */
static double gap_between_ps(const pn_traffic_settings *s, const scale *k, double offered_gbs)
{
    if (!s->closed_loop)
        return PN_TRAFFIC_LINE_BYTES * 1000.0 / offered_gbs;
    return fmax(k->idle_ps / s->closed_loop, PN_TRAFFIC_LINE_BYTES * 1e12 / k->peak_bytes_per_s);
}

pn_traffic_config pn_traffic_config_of(const pn_traffic_settings *s,
                                       const panem_model_options *options, const char *model,
                                       double read_frac, double load, uint32_t sharers,
                                       uint32_t sources)
{
    scale k = scale_of(s, options, model, read_frac);
    double offered_gbs = load * k.peak_bytes_per_s / 1e9 / sharers;
    pn_traffic_config c = {
        .sources = sources,
        .source = s->source,
        .line_bytes = PN_TRAFFIC_LINE_BYTES,
        .warmup_ps = WARMUP_HORIZONS * k.horizon_ps,
        .target_error = s->target_error,
        .requests_min = 1 << 18, /* counts achieved bandwidth to 0.2 % */
        .requests_max = s->requests_max,
        .window_ps = PN_TRAFFIC_WINDOW_PS,
        .saturated_bytes = k.lines_at_peak * PN_TRAFFIC_LINE_BYTES / sharers,
        .step_ps = UINT64_MAX,
        .end_ps = UINT64_MAX,
    };
    if (c.warmup_ps < WARMUP_MIN_PS)
        c.warmup_ps = WARMUP_MIN_PS;
    uint64_t peer_ps = peer_warmup_ps(options, gap_between_ps(s, &k, offered_gbs));
    if (c.warmup_ps < peer_ps)
        c.warmup_ps = peer_ps;
    c.source.read_frac = read_frac;
    c.source.capacity_bytes = RANDOM_RANGE_BYTES;
    c.source.gap_ps = s->closed_loop ? 0.0 : sources * PN_TRAFFIC_LINE_BYTES * 1000.0 / offered_gbs;
    c.source.outstanding = outstanding_of(s, &k, sharers, sources);
    return c;
}

static void add_number(pn_text *line, double value)
{
    pn_text_puts(line, ",");
    if (isfinite(value))
        pn_text_number(line, value);
}

void pn_series_window(void *user, const pn_traffic_window *w)
{
    const pn_series *out = user;
    double ns = (double)w->window_ps / 1000.0;
    pn_text line = PN_TEXT_INIT;
    pn_text_puts(&line, out->model);
    add_number(&line, 100.0 * out->read_frac);
    add_number(&line, 100.0 * out->load);
    add_number(&line, (double)w->start_ps / 1000.0);
    add_number(&line, (double)w->read_bytes / ns);
    add_number(&line, (double)w->write_bytes / ns);
    add_number(&line, w->outstanding_bytes);
    add_number(&line, w->latency_ns);
    pn_text_puts(&line, "\n");
    if (!line.failed)
        pn_writer_add(out->writer, line.data, line.length);
    pn_text_release(&line);
}

static panem_status run_once(pn_traffic_result *result, const pn_traffic_settings *s,
                             const char *model, double read_frac, double load, uint32_t sharers,
                             uint32_t sources, pn_writer *writer, panem_error *err)
{
    pn_series out = {writer, model, read_frac, load};
    panem_model_options options;
    pn_mem_port *port = NULL;
    PN_TRY(pn_traffic_model_options(&options, s, model, sharers, err));
    pn_traffic_config c =
        pn_traffic_config_of(s, &options, model, read_frac, load, sharers, sources);
    uint32_t in_flight = c.source.outstanding * sources + PN_TRAFFIC_IN_FLIGHT_SPARE;
    if (writer) {
        c.window = pn_series_window;
        c.window_user = &out;
    }
    PN_TRY(pn_traffic_open_port(&port, s, &options, model, in_flight, err));
    panem_status status = pn_traffic_run(result, port, &c, err);
    pn_mem_destroy(port);
    return status;
}

static void judge(pn_traffic_point *p, const pn_traffic_settings *s)
{
    const pn_traffic_result *r = &p->result;
    uint64_t curve_ps;
    double whole = r->achieved_bytes_per_s * p->sharers;
    p->latency_ns = r->reads.requests ? r->reads.mean_ns : r->writes.mean_ns;
    p->curve_ns = (double)NAN;
    p->error_frac = (double)NAN;
    if (!s->set || panem_latency_at_bandwidth_ps(s->set, &curve_ps, NULL, PANEM_MIX_LINEAR, whole,
                                                 r->read_frac) != PANEM_OK)
        return;
    p->curve_ns = (double)curve_ps / 1000.0;
    p->error_frac = p->latency_ns / p->curve_ns - 1.0;
}

panem_status pn_traffic_measure(pn_traffic_point *point, const pn_traffic_settings *s,
                                const char *model, double read_frac, double load, panem_error *err)
{
    pn_traffic_point p;
    memset(&p, 0, sizeof p);
    p.model = model;
    p.sharers = s->sharers;
    p.read_frac = read_frac;
    p.load_frac = load;
    p.peak_gbs = pn_traffic_peak_bytes_per_s(s, model, read_frac) / 1e9;
    p.offered_gbs = load * p.peak_gbs / s->sharers;
    PN_TRY(run_once(&p.result, s, model, read_frac, load, s->sharers, s->cores, s->series, err));
    judge(&p, s);
    if (s->sharers > 1 && s->compare) {
        pn_traffic_result whole;
        PN_TRY(run_once(&whole, s, model, read_frac, load, 1, s->cores * s->sharers, NULL, err));
        p.whole_valid = true;
        p.whole_achieved_gbs = whole.achieved_bytes_per_s / 1e9 / s->sharers;
        p.whole_latency_ns = whole.reads.requests ? whole.reads.mean_ns : whole.writes.mean_ns;
    }
    *point = p;
    return PANEM_OK;
}
