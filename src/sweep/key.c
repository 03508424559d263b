/* key.c - see key.h. */
#include "sweep/key.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/file.h"

enum { CURVES_LIMIT_BYTES = 1 << 26, CHUNK_BYTES = 1 << 16 };

typedef struct input {
    char *path, *csv; /* csv: of a curve set */
    bool curves;
    uint32_t thread;
    struct stat stamp; /* before it was read */
    uint64_t hash;
} input;

struct pn_inputs {
    input *items;
    size_t count;
};

pn_inputs *pn_inputs_new(void)
{
    return calloc(1, sizeof(pn_inputs));
}

void pn_inputs_free(pn_inputs *inputs)
{
    if (!inputs)
        return;
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->items[i].path);
        free(inputs->items[i].csv);
    }
    free(inputs->items);
    free(inputs);
}

/* Of the decompressed bytes, for formats that carry no hash of their own. */
static panem_status hash_file(uint64_t *hash, const char *path, panem_error *err)
{
    pn_reader *reader = NULL;
    char *chunk = malloc(CHUNK_BYTES);
    XXH3_state_t *state = XXH3_createState();
    panem_status status = chunk && state ? pn_reader_open(&reader, path, err)
                                         : pn_err(err, PANEM_E_NOMEM, "no memory");
    if (status == PANEM_OK)
        (void)XXH3_64bits_reset(state);
    size_t length = 1;
    while (status == PANEM_OK && length > 0) {
        status = pn_reader_fill(reader, chunk, &length, CHUNK_BYTES, err);
        if (status == PANEM_OK)
            (void)XXH3_64bits_update(state, chunk, length);
    }
    if (status == PANEM_OK)
        *hash = XXH3_64bits_digest(state);
    pn_reader_close(reader);
    (void)XXH3_freeState(state);
    free(chunk);
    return status;
}

static bool has_thread(const pn_trace_info *about, uint32_t thread)
{
    for (size_t i = 0; i < about->n_threads; i++) {
        if (about->threads[i].id == thread)
            return true;
    }
    return thread == 0 || (about->format == PN_TRACE_FORMAT_PTRACE && !about->has_totals);
}

static panem_status read_trace(input *i, panem_error *err)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    options.thread = i->thread;
    PN_TRY(pn_trace_open(&trace, i->path, &options, err));
    const pn_trace_info *about = pn_trace_about(trace);
    bool memory_only = about->kind == PN_TRACE_MEMORY, known = about->has_totals;
    bool there = has_thread(about, i->thread);
    i->hash = about->content_hash;
    pn_trace_close(trace);
    if (!there)
        return pn_err_at(err, PANEM_E_EMPTY, i->path, 0, 0, "has no thread %u", i->thread);
    if (memory_only)
        return pn_err_at(err, PANEM_E_MISMATCH, i->path, 0, 0,
                         "is a memory-only trace: a core cannot run it");
    return known ? PANEM_OK : hash_file(&i->hash, i->path, err);
}

static panem_status read_curves(input *i, panem_error *err)
{
    panem_curves *set = NULL;
    size_t length = 0;
    PN_TRY(panem_curves_load(&set, i->path, NULL, err));
    i->hash = panem_curves_fingerprint(set);
    panem_curves_destroy(set);
    return pn_file_read(&i->csv, &length, i->path, CURVES_LIMIT_BYTES, err);
}

/* i->path, thread and curves say what; E_IO when it is not there. */
static panem_status read_input(input *i, panem_error *err)
{
    if (stat(i->path, &i->stamp) != 0)
        return pn_err_at(err, PANEM_E_IO, i->path, 0, 0, "cannot open: %s", strerror(errno));
    return i->curves ? read_curves(i, err) : read_trace(i, err);
}

static input *find(const pn_inputs *inputs, const input *like)
{
    for (size_t i = 0; i < inputs->count; i++) {
        input *have = &inputs->items[i];
        if (have->curves == like->curves && have->thread == like->thread &&
            strcmp(have->path, like->path) == 0)
            return have;
    }
    return NULL;
}

static input trace_of(const pn_sim_spec *spec)
{
    return (input){.path = (char *)spec->trace_path, .thread = spec->input.thread};
}

static input curves_of(const pn_sim_spec *spec)
{
    return (input){.path = (char *)spec->curves_path, .curves = true};
}

/* like's path is borrowed. */
static panem_status content_of(uint64_t *hash, pn_inputs *inputs, input like, panem_error *err)
{
    const input *have = find(inputs, &like);
    if (have) {
        *hash = have->hash;
        return PANEM_OK;
    }
    input *more = realloc(inputs->items, (inputs->count + 1) * sizeof *more);
    if (!more)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    inputs->items = more;
    input *new = &more[inputs->count];
    *new = like;
    new->path = strdup(like.path);
    panem_status status =
        new->path ? read_input(new, err) : pn_err(err, PANEM_E_NOMEM, "out of memory");
    if (status != PANEM_OK) {
        free(new->path);
        free(new->csv);
        return status;
    }
    inputs->count++;
    *hash = new->hash;
    return PANEM_OK;
}

static bool same_stamp(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static panem_status same_input(const pn_inputs *inputs, input like, panem_error *err)
{
    struct stat now;
    input *have = find(inputs, &like);
    if (!have || (stat(have->path, &now) == 0 && same_stamp(&now, &have->stamp)))
        return PANEM_OK;
    PN_TRY(read_input(&like, err));
    free(like.csv);
    if (like.hash != have->hash)
        return pn_err_at(err, PANEM_E_MISMATCH, have->path, 0, 0,
                         "was changed after the study was planned; start the sweep again");
    have->stamp = like.stamp;
    return PANEM_OK;
}

static bool has_curves(const pn_sim_spec *spec)
{
    return spec->curves_path && !(spec->model && strncmp(spec->model, "dram:", 5) == 0);
}

panem_status pn_inputs_look(pn_inputs *inputs, const pn_point *point, panem_error *err)
{
    uint64_t hash;
    PN_TRY(content_of(&hash, inputs, trace_of(&point->spec), err));
    return has_curves(&point->spec) ? content_of(&hash, inputs, curves_of(&point->spec), err)
                                    : PANEM_OK;
}

panem_status pn_inputs_same(pn_inputs *inputs, const pn_point *point, panem_error *err)
{
    PN_TRY(same_input(inputs, trace_of(&point->spec), err));
    return has_curves(&point->spec) ? same_input(inputs, curves_of(&point->spec), err) : PANEM_OK;
}

bool pn_inputs_curves(const pn_inputs *inputs, size_t index, uint64_t *fingerprint,
                      const char **path, const char **csv)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (!inputs->items[i].curves || index-- > 0)
            continue;
        *fingerprint = inputs->items[i].hash;
        *path = inputs->items[i].path;
        *csv = inputs->items[i].csv;
        return true;
    }
    return false;
}

static void digest(char hex[PN_KEY_CHARS + 1], const pn_text *text)
{
    XXH128_hash_t h = XXH3_128bits(text->data, text->length);
    (void)snprintf(hex, PN_KEY_CHARS + 1, "%016" PRIx64 "%016" PRIx64, h.high64, h.low64);
}

static void put_config(pn_text *text, const pn_core_config *config)
{
    size_t count;
    const pn_param *params = pn_core_params(&count);
    for (size_t i = 0; i < count; i++) {
        pn_text_puts(text, params[i].name);
        pn_text_puts(text, "=");
        pn_param_format(text, &params[i], config);
        pn_text_puts(text, "\n");
    }
}

panem_status pn_point_identify(pn_point_key *key, pn_inputs *inputs, const pn_point *point,
                               panem_error *err)
{
    pn_sim_spec spec = point->spec;
    pn_core_config config;
    pn_text whole = PN_TEXT_INIT;
    memset(key, 0, sizeof *key);
    PN_TRY(pn_sim_configure(&config, &spec, err));
    PN_TRY(content_of(&key->trace_hash, inputs, trace_of(&spec), err));
    if (has_curves(&spec))
        PN_TRY(content_of(&key->curves_fingerprint, inputs, curves_of(&spec), err));
    key->model = spec.model;
    put_config(&key->resolved, &config);
    if (!key->resolved.failed) {
        digest(key->config, &key->resolved);
        pn_text_printf(&whole,
                       "results=%d\ntrace=%016" PRIx64 " thread %u\nwarmup=%" PRIu64
                       "\ninstructions=%" PRIu64 "\ncurves=%016" PRIx64 "\nmodel=%s\n",
                       (int)PN_RESULTS_VERSION, key->trace_hash, spec.input.thread, spec.warmup,
                       spec.instructions, key->curves_fingerprint, spec.model);
        if (spec.cores) /* keys of one core are older than this line */
            pn_text_printf(&whole, "cores=%u stagger=%" PRIu64 " loop=%" PRIu64 "\n", spec.cores,
                           spec.stagger, spec.loop);
        pn_text_puts(&whole, key->resolved.data);
    }
    bool failed = key->resolved.failed || whole.failed;
    if (!failed)
        digest(key->hex, &whole);
    pn_text_release(&whole);
    if (failed) {
        pn_text_release(&key->resolved);
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    }
    return PANEM_OK;
}
