/* study.c - see study.h. */
#include "sweep/study.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/units.h"
#include "base/yaml.h"
#include "core/chip.h"
#include "sweep/asked.h"

enum { FILE_LIMIT_BYTES = 1 << 22, KEY_MAX = 64, RANGE_STEPS_MAX = 100000, POINTS_MAX = 10000000 };

static const char *const KEYS[] = {"study",     "base",   "traces",  "axes",    "models", "loads",
                                   "threshold", "series", "metrics", "compare", "plots",  NULL};
static const char *const BASE_KEYS[] = {"core",         "curves",  "model",        "load",
                                        "active_cores", "warmup",  "instructions", "set",
                                        "cores",        "stagger", "loop",         NULL};
/* Words of `panem run` that may be axes beside the core's parameters. */
static const char *const WORDS[] = {"core",   "curves",       "model", "load",    "active_cores",
                                    "warmup", "instructions", "cores", "stagger", "loop",
                                    NULL};

typedef struct reader {
    pn_study *study;
    panem_error *err;
} reader;

static panem_status no_memory(const reader *r)
{
    return pn_err(r->err, PANEM_E_NOMEM, "no memory for study %s", r->study->path);
}

static panem_status wrong(const reader *r, struct fy_node *node, const char *what,
                          const char *detail)
{
    return pn_err_at(r->err, PANEM_E_FORMAT, r->study->path, pn_yaml_line(node), 0, "%s%s", what,
                     detail);
}

static panem_status check_keys(const reader *r, struct fy_node *mapping, const char *const *known)
{
    return pn_yaml_check_keys(mapping, known, r->study->path, r->err);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

/* A sequence of scalars, or one scalar, as a NULL-terminated list. */
static panem_status take_list(const reader *r, char ***list, size_t *count, struct fy_node *node)
{
    bool one = node && fy_node_is_scalar(node);
    if (node && !one && !fy_node_is_sequence(node))
        return wrong(r, NULL, "a list was expected", "");
    int n = one ? 1 : node ? fy_node_sequence_item_count(node) : 0;
    char **items = calloc((size_t)n + 1, sizeof *items);
    if (!items)
        return no_memory(r);
    *list = items;
    *count = (size_t)n;
    for (int i = 0; i < n; i++) {
        struct fy_node *item = one ? node : fy_node_sequence_get_by_index(node, i);
        if (!fy_node_is_scalar(item))
            return wrong(r, NULL, "a plain value was expected in a list", "");
        items[i] = pn_yaml_text(item);
        if (!items[i])
            return no_memory(r);
    }
    return PANEM_OK;
}

/* "FIRST:LAST:STEP"; a unit stands behind STEP's number, or behind all three, e.g. 8:64:8,
 * 100:400:50ns. */
static bool parse_range(const char *text, double v[3], const char **unit)
{
    char copy[KEY_MAX * 2];
    char *rest = copy;
    size_t at[3], length[3];
    if (strlen(text) >= sizeof copy)
        return false;
    memcpy(copy, text, strlen(text) + 1);
    for (int i = 0; i < 3; i++) {
        char *end = strchr(rest, ':');
        if ((i < 2) != (end != NULL))
            return false;
        size_t number = strspn(rest, "0123456789.eE+-");
        at[i] = (size_t)(rest - copy) + number;
        length[i] = (end ? (size_t)(end - rest) : strlen(rest)) - number;
        rest[number] = '\0';
        if (!pn_num_parse_all(rest, &v[i]))
            return false;
        rest = end ? end + 1 : rest;
    }
    *unit = text + at[2];
    for (int i = 0; i < 2; i++)
        if (length[i] && (length[i] != length[2] || memcmp(text + at[i], *unit, length[2]) != 0))
            return false;
    return v[2] > 0.0 && v[1] >= v[0] && (v[1] - v[0]) / v[2] < RANGE_STEPS_MAX;
}

/* A number and a colon begin no other word. */
static bool is_range(const char *text)
{
    return strchr("0123456789.+-", text[0]) && strchr(text, ':');
}

static panem_status take_values(const reader *r, char ***list, size_t *count, struct fy_node *node)
{
    double v[3];
    const char *unit;
    PN_TRY(take_list(r, list, count, node));
    const char *only = *count == 1 ? (*list)[0] : NULL;
    if (!only || !only[0] || !is_range(only))
        return *count ? PANEM_OK : wrong(r, node, "an axis has no values", "");
    if (!parse_range(only, v, &unit))
        return wrong(r, node, only,
                     ": a range is FIRST:LAST:STEP, LAST not below FIRST, STEP above 0, in one "
                     "unit, of fewer than 100000 values");
    size_t n = (size_t)floor((v[1] - v[0]) / v[2] + 1e-9) + 1;
    char **items = calloc(n + 1, sizeof *items);
    if (!items)
        return no_memory(r);
    for (size_t i = 0; i < n; i++) {
        pn_text text = PN_TEXT_INIT;
        pn_text_number(&text, v[0] + (double)i * v[2]);
        pn_text_puts(&text, unit);
        items[i] = text.data;
        if (text.failed) {
            free_list(items);
            return no_memory(r);
        }
    }
    free_list(*list);
    *list = items;
    *count = n;
    return PANEM_OK;
}

/* ---- traces ---------------------------------------------------------------------------------- */

/* What an entry of traces says beside the files. */
typedef struct entry {
    char *name; /* "": the file's */
    double weight;
    uint32_t thread;
} entry;

/* The file's name without its ending, and the stream unless it is the first. */
static char *name_trace(const char *path, uint32_t thread)
{
    pn_text name = PN_TEXT_INIT;
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    pn_text_add(&name, base, strcspn(base, "."));
    if (thread)
        pn_text_printf(&name, "-%u", thread);
    if (name.failed)
        pn_text_release(&name);
    return name.data;
}

static panem_status add_trace(const reader *r, const char *path, const entry *e, bool named)
{
    pn_study *s = r->study;
    pn_study_trace *more = realloc(s->traces, (s->n_traces + 1) * sizeof *more);
    if (!more)
        return no_memory(r);
    s->traces = more;
    pn_study_trace *t = &more[s->n_traces++];
    t->path = strdup(path);
    t->name = named && e->name[0] ? strdup(e->name) : name_trace(path, e->thread);
    t->weight = e->weight;
    t->thread = e->thread;
    return t->path && t->name ? PANEM_OK : no_memory(r);
}

/* Relative paths count from the study's folder. */
static void locate(pn_text *full, const pn_study *study, const char *path)
{
    const char *slash = strrchr(study->path, '/');
    if (path[0] != '/' && slash)
        pn_text_add(full, study->path, (size_t)(slash - study->path) + 1);
    pn_text_puts(full, path);
}

static panem_status add_pattern(const reader *r, struct fy_node *at, const char *pattern,
                                const entry *e)
{
    pn_text full = PN_TEXT_INIT;
    glob_t found;
    locate(&full, r->study, pattern);
    if (full.failed)
        return no_memory(r);
    int code = glob(full.data, GLOB_NOCHECK, NULL, &found);
    panem_status status = code == 0 ? PANEM_OK : no_memory(r);
    bool wild = strpbrk(pattern, "*?[") != NULL;
    if (status == PANEM_OK && wild && found.gl_pathc == 1 &&
        strcmp(found.gl_pathv[0], full.data) == 0)
        status = wrong(r, at, "no trace matches ", pattern);
    for (size_t i = 0; status == PANEM_OK && i < found.gl_pathc; i++)
        status = add_trace(r, found.gl_pathv[i], e, !wild);
    if (code == 0)
        globfree(&found);
    pn_text_release(&full);
    return status;
}

static panem_status take_weight(const reader *r, double *weight, struct fy_node *node)
{
    char *text = pn_yaml_text(node);
    panem_status status = text ? PANEM_OK : no_memory(r);
    if (status == PANEM_OK && text[0] && (!pn_num_parse_all(text, weight) || !(*weight > 0.0)))
        status = wrong(r, node, "a weight must be a number above 0, not ", text);
    free(text);
    return status;
}

static panem_status take_thread(const reader *r, uint32_t *thread, struct fy_node *node)
{
    uint64_t n = 0;
    char *text = pn_yaml_text(node);
    panem_status status = text ? PANEM_OK : no_memory(r);
    if (status == PANEM_OK && text[0] &&
        pn_unit_parse_u64(&n, text, PN_DIM_COUNT, 0, UINT32_MAX, "thread", NULL) != PANEM_OK)
        status = wrong(r, node, "a thread must be a whole number from 0, not ", text);
    free(text);
    *thread = (uint32_t)n;
    return status;
}

static panem_status take_trace(const reader *r, struct fy_node *item)
{
    static const char *const keys[] = {"file", "name", "weight", "thread", NULL};
    bool mapping = fy_node_is_mapping(item);
    struct fy_node *file = mapping ? pn_yaml_member(item, "file") : item;
    entry e = {NULL, 1.0, 0};
    if (mapping) {
        PN_TRY(check_keys(r, item, keys));
        PN_TRY(take_weight(r, &e.weight, pn_yaml_member(item, "weight")));
        PN_TRY(take_thread(r, &e.thread, pn_yaml_member(item, "thread")));
    }
    char *pattern = pn_yaml_text(file);
    e.name = pn_yaml_text(mapping ? pn_yaml_member(item, "name") : NULL);
    panem_status status = pattern && e.name ? PANEM_OK : no_memory(r);
    if (status == PANEM_OK && !pattern[0])
        status = wrong(r, item, "a trace has no file", "");
    if (status == PANEM_OK)
        status = add_pattern(r, file, pattern, &e);
    free(pattern);
    free(e.name);
    return status;
}

static panem_status take_traces(const reader *r, struct fy_node *node)
{
    int n = node && fy_node_is_sequence(node) ? fy_node_sequence_item_count(node) : 0;
    if (n <= 0)
        return wrong(r, node, "traces: a list of files was expected", "");
    for (int i = 0; i < n; i++)
        PN_TRY(take_trace(r, fy_node_sequence_get_by_index(node, i)));
    return PANEM_OK;
}

/* ---- axes ------------------------------------------------------------------------------------ */

static panem_status check_axis_key(const reader *r, struct fy_node *at, const char *key)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    size_t count, n = 0;
    const pn_param *params = pn_core_params(&count);
    for (size_t i = 0; WORDS[i]; i++)
        names[n++] = WORDS[i];
    for (size_t i = 0; i < count && n < NAMES_MAX - 1; i++)
        names[n++] = params[i].name;
    names[n] = NULL;
    return pn_yaml_listed(key, names)
               ? PANEM_OK
               : pn_yaml_unknown(at, "unknown axis", key, names, r->study->path, r->err);
}

static panem_status new_axis(const reader *r, pn_study_axis **axis, size_t n_keys)
{
    pn_study *s = r->study;
    pn_study_axis *more = realloc(s->axes, (s->n_axes + 1) * sizeof *more);
    if (!more)
        return no_memory(r);
    s->axes = more;
    *axis = &more[s->n_axes++];
    **axis =
        (pn_study_axis){calloc(n_keys, sizeof(char *)), calloc(n_keys, sizeof(char **)), n_keys, 0};
    return (*axis)->keys && (*axis)->values ? PANEM_OK : no_memory(r);
}

/* Is key k of the last axis one of another axis, or one of its own before? */
static bool is_axis(const pn_study *s, const pn_study_axis *last, size_t k)
{
    for (const pn_study_axis *a = s->axes; a <= last; a++)
        for (size_t i = 0; i < (a < last ? a->n_keys : k); i++)
            if (strcmp(a->keys[i], last->keys[k]) == 0)
                return true;
    return false;
}

static panem_status fill_axis(const reader *r, pn_study_axis *axis, size_t k, struct fy_node *name,
                              struct fy_node *values)
{
    size_t steps = 0;
    axis->keys[k] = pn_yaml_text(name);
    if (!axis->keys[k])
        return no_memory(r);
    PN_TRY(check_axis_key(r, name, axis->keys[k]));
    if (is_axis(r->study, axis, k))
        return wrong(r, name, axis->keys[k], " is an axis already");
    PN_TRY(take_values(r, &axis->values[k], &steps, values));
    if (k > 0 && steps != axis->n_steps)
        return wrong(r, name, "zip: as many values as the others are needed for ", axis->keys[k]);
    axis->n_steps = steps;
    return PANEM_OK;
}

static panem_status take_zip(const reader *r, struct fy_node *group)
{
    void *at = NULL;
    struct fy_node_pair *pair;
    pn_study_axis *axis;
    if (!fy_node_is_mapping(group) || fy_node_mapping_item_count(group) < 2)
        return wrong(r, group, "zip: a mapping of at least two axes was expected", "");
    PN_TRY(new_axis(r, &axis, (size_t)fy_node_mapping_item_count(group)));
    for (size_t k = 0; (pair = fy_node_mapping_iterate(group, &at)) != NULL; k++)
        PN_TRY(fill_axis(r, axis, k, fy_node_pair_key(pair), fy_node_pair_value(pair)));
    return PANEM_OK;
}

static panem_status take_axes(const reader *r, struct fy_node *node)
{
    void *at = NULL;
    struct fy_node_pair *pair;
    if (!node)
        return PANEM_OK;
    if (!fy_node_is_mapping(node))
        return wrong(r, node, "axes: a mapping of keys to lists was expected", "");
    while ((pair = fy_node_mapping_iterate(node, &at)) != NULL) {
        struct fy_node *name = fy_node_pair_key(pair), *value = fy_node_pair_value(pair);
        size_t length = 0;
        const char *text = fy_node_get_scalar(name, &length);
        if (length == 3 && text && memcmp(text, "zip", 3) == 0) {
            PN_TRY(take_zip(r, value));
            continue;
        }
        pn_study_axis *axis;
        PN_TRY(new_axis(r, &axis, 1));
        PN_TRY(fill_axis(r, axis, 0, name, value));
    }
    return PANEM_OK;
}

/* models and loads are axes with a name of their own in the file. */
static panem_status take_axis_of(const reader *r, const char *key, struct fy_node *values)
{
    pn_study_axis *axis;
    if (!values)
        return PANEM_OK;
    PN_TRY(new_axis(r, &axis, 1));
    axis->keys[0] = strdup(key);
    if (!axis->keys[0])
        return no_memory(r);
    return take_values(r, &axis->values[0], &axis->n_steps, values);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static panem_status take_set(const reader *r, struct fy_node *set)
{
    void *at = NULL;
    struct fy_node_pair *pair;
    pn_text lines = PN_TEXT_INIT;
    if (set && !fy_node_is_mapping(set))
        return wrong(r, set, "set: a mapping of parameters to values was expected", "");
    while (set && (pair = fy_node_mapping_iterate(set, &at)) != NULL) {
        char *key = pn_yaml_text(fy_node_pair_key(pair)),
             *value = pn_yaml_text(fy_node_pair_value(pair));
        if (key && value)
            pn_text_printf(&lines, "%s=%s\n", key, value);
        else
            lines.failed = true;
        free(key);
        free(value);
    }
    r->study->assignments = lines.data ? lines.data : strdup("");
    return lines.failed || !r->study->assignments ? no_memory(r) : PANEM_OK;
}

static panem_status take_base(const reader *r, struct fy_node *base)
{
    pn_study *s = r->study;
    if (base && !fy_node_is_mapping(base))
        return wrong(r, base, "base: a mapping was expected", "");
    if (base)
        PN_TRY(check_keys(r, base, BASE_KEYS));
    struct {
        const char *key;
        char **field;
    } fields[] = {{"core", &s->core},
                  {"curves", &s->curves},
                  {"model", &s->model},
                  {"load", &s->load},
                  {"warmup", &s->warmup},
                  {"active_cores", &s->active_cores},
                  {"instructions", &s->instructions},
                  {"cores", &s->cores},
                  {"stagger", &s->stagger},
                  {"loop", &s->loop}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        *fields[i].field = pn_yaml_text(pn_yaml_member(base, fields[i].key));
        if (!*fields[i].field)
            return no_memory(r);
    }
    return take_set(r, pn_yaml_member(base, "set"));
}

static panem_status take_all(const reader *r, struct fy_node *root)
{
    pn_study *s = r->study;
    PN_TRY(check_keys(r, root, KEYS));
    s->name = pn_yaml_text(pn_yaml_member(root, "study"));
    if (!s->name)
        return no_memory(r);
    PN_TRY(take_base(r, pn_yaml_member(root, "base")));
    PN_TRY(take_traces(r, pn_yaml_member(root, "traces")));
    PN_TRY(take_axis_of(r, "model", pn_yaml_member(root, "models")));
    PN_TRY(take_axis_of(r, "load", pn_yaml_member(root, "loads")));
    PN_TRY(take_axes(r, pn_yaml_member(root, "axes")));
    return pn_study_take_asked(s, root, r->err);
}

/* ---- are all points sound? ------------------------------------------------------------------- */

/* Does a message begin with the key that it is about? "rob: ...", "unknown core ...". */
static bool is_about(const char *message, const char *key)
{
    static const char unknown[] = "unknown ";
    bool word = strncmp(message, unknown, sizeof unknown - 1) == 0;
    const char *first = word ? message + sizeof unknown - 1 : message;
    size_t length = strlen(key);
    return strncmp(first, key, length) == 0 && first[length] == (word ? ' ' : ':');
}

/* The line of the first value of node. */
static uint32_t line_of(struct fy_node *node)
{
    bool many = node && fy_node_is_sequence(node);
    return pn_yaml_line(many ? fy_node_sequence_get_by_index(node, 0) : node);
}

/* Where a key's values stand: as an axis, else in the base; 0: nowhere. */
static uint32_t line_of_key(struct fy_node *root, const char *key)
{
    struct fy_node *axes = pn_yaml_member(root, "axes"), *base = pn_yaml_member(root, "base");
    struct fy_node *zip = pn_yaml_member(axes, "zip"), *set = pn_yaml_member(base, "set");
    struct fy_node *found = pn_yaml_member(axes, key);
    if (!found && zip && fy_node_is_mapping(zip))
        found = pn_yaml_member(zip, key);
    if (!found && strcmp(key, "model") == 0)
        found = pn_yaml_member(root, "models");
    if (!found && strcmp(key, "load") == 0)
        found = pn_yaml_member(root, "loads");
    if (!found)
        found = pn_yaml_member(base, key);
    if (!found)
        found = pn_yaml_member(set, key);
    return line_of(found);
}

/* The line that a point fails for: of the key that the message begins with, else of the axis that
 * has moved since the last point that was sound. */
static uint32_t line_at_fault(const pn_study *s, struct fy_node *root, const char *message,
                              size_t index)
{
    size_t count, block = 1;
    const pn_param *params = pn_core_params(&count);
    for (size_t i = 0; WORDS[i]; i++)
        if (is_about(message, WORDS[i]))
            return line_of_key(root, WORDS[i]);
    for (size_t i = 0; i < count; i++)
        if (is_about(message, params[i].name))
            return line_of_key(root, params[i].name);
    for (size_t a = s->n_axes; a-- > 0; block *= s->axes[a].n_steps)
        if (index / block % s->axes[a].n_steps != 0)
            return line_of_key(root, s->axes[a].keys[0]);
    return 0;
}

static panem_status try_point(const pn_study *s, pn_label *labels, size_t index, panem_error *err)
{
    pn_point point;
    pn_core_config config;
    PN_TRY(pn_study_point(&point, labels, s, index, err));
    bool curves = point.spec.curves_path != NULL;
    panem_status status = pn_sim_configure(&config, &point.spec, err);
    if (!curves)
        point.spec.curves_path = ""; /* missing is told in the study's words, after the model */
    if (status == PANEM_OK)
        status = pn_sim_check_model(&point.spec, err);
    if (status == PANEM_OK)
        status = pn_sim_check_end(&point.spec, err);
    if (status == PANEM_OK && !curves && strncmp(point.spec.model, "dram:", 5) != 0)
        status = pn_err(err, PANEM_E_FORMAT, "base: curves, the curve set, is missing");
    pn_point_release(&point);
    return status;
}

/* Every combination is tried once, so that a study fails before its first point. */
static panem_status try_points(const reader *r, struct fy_node *root)
{
    const pn_study *s = r->study;
    panem_error why = PANEM_ERROR_INIT;
    size_t per_trace = pn_study_points(s) / s->n_traces;
    pn_label *labels = calloc(pn_study_labels(s) + 1, sizeof *labels);
    panem_status status = labels ? PANEM_OK : no_memory(r);
    for (size_t i = 0; status == PANEM_OK && i < per_trace; i++) {
        status = try_point(s, labels, i, &why);
        if (status == PANEM_E_ARG || status == PANEM_E_FORMAT)
            status = pn_err_at(r->err, PANEM_E_FORMAT, s->path,
                               line_at_fault(s, root, why.message, i), 0, "%s", why.message);
        else if (status != PANEM_OK && r->err)
            *r->err = why;
    }
    free(labels);
    return status;
}

static panem_status check_count(const reader *r)
{
    const pn_study *s = r->study;
    size_t n = s->n_traces;
    for (size_t i = 0; i < s->n_axes; i++) {
        if (n > POINTS_MAX / s->axes[i].n_steps)
            return wrong(r, NULL, "more than 10000000 points", "");
        n *= s->axes[i].n_steps;
    }
    return PANEM_OK;
}

static panem_status take_study(const reader *r, struct fy_node *root)
{
    PN_TRY(take_all(r, root));
    PN_TRY(check_count(r));
    return try_points(r, root);
}

panem_status pn_study_load(pn_study *study, const char *path, panem_error *err)
{
    pn_study s;
    size_t length = 0;
    struct fy_document *document = NULL;
    memset(&s, 0, sizeof s);
    reader r = {&s, err};
    PN_TRY(pn_file_read(&s.text, &length, path, FILE_LIMIT_BYTES, err));
    s.path = strdup(path);
    panem_status status = s.path ? pn_yaml_read(&document, path, FILE_LIMIT_BYTES, err)
                                 : pn_err(err, PANEM_E_NOMEM, "out of memory");
    if (status == PANEM_OK)
        status = take_study(&r, fy_document_root(document));
    if (document)
        fy_document_destroy(document);
    if (status == PANEM_OK)
        *study = s;
    else
        pn_study_release(&s);
    return status;
}

void pn_study_release(pn_study *s)
{
    char *texts[] = {s->path,         s->name,    s->text,        s->core,         s->curves,
                     s->model,        s->load,    s->assignments, s->active_cores, s->warmup,
                     s->instructions, s->compare, s->cores,       s->stagger,      s->loop};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    for (size_t i = 0; i < s->n_traces; i++) {
        free(s->traces[i].path);
        free(s->traces[i].name);
    }
    for (size_t i = 0; i < s->n_axes; i++) {
        pn_study_axis *a = &s->axes[i];
        for (size_t k = 0; k < a->n_keys; k++) {
            if (a->keys)
                free(a->keys[k]);
            if (a->values)
                free_list(a->values[k]);
        }
        free(a->keys);
        free(a->values);
    }
    free(s->traces);
    free(s->axes);
    free_list(s->metrics);
    free_list(s->plots);
    memset(s, 0, sizeof *s);
}

/* ---- points ---------------------------------------------------------------------------------- */

size_t pn_study_points(const pn_study *s)
{
    size_t n = s->n_traces;
    for (size_t i = 0; i < s->n_axes; i++)
        n *= s->axes[i].n_steps;
    return n;
}

size_t pn_study_labels(const pn_study *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_axes; i++)
        n += s->axes[i].n_keys;
    return n;
}

static panem_status set_load(pn_sim_spec *spec, const char *text, panem_error *err)
{
    for (uint32_t i = 0; pn_sim_loads[i]; i++) {
        if (strcmp(pn_sim_loads[i], text) == 0) {
            spec->load = i;
            return PANEM_OK;
        }
    }
    return pn_err(err, PANEM_E_ARG, "load: '%s' is not one of: whole, moderate, heavy", text);
}

static panem_status set_count(uint64_t *value, const char *text, const char *what, uint64_t least,
                              panem_error *err)
{
    return pn_unit_parse_u64(value, text, PN_DIM_COUNT, least, UINT64_C(1) << 50, what, err);
}

/* One word or parameter of a point; "" leaves the default. */
static panem_status apply(pn_point *p, const pn_study *s, const char *key, const char *value,
                          panem_error *err)
{
    uint64_t n;
    if (!value[0])
        return PANEM_OK;
    if (strcmp(key, "core") == 0) {
        p->spec.core = value;
    } else if (strcmp(key, "curves") == 0) {
        p->curves.length = 0;
        locate(&p->curves, s, value);
    } else if (strcmp(key, "model") == 0) {
        p->spec.model = value;
    } else if (strcmp(key, "load") == 0) {
        return set_load(&p->spec, value, err);
    } else if (strcmp(key, "warmup") == 0) {
        return set_count(&p->spec.warmup, value, key, 0, err);
    } else if (strcmp(key, "instructions") == 0) {
        return set_count(&p->spec.instructions, value, key, 1, err);
    } else if (strcmp(key, "stagger") == 0) {
        return set_count(&p->spec.stagger, value, key, 0, err);
    } else if (strcmp(key, "loop") == 0) {
        return set_count(&p->spec.loop, value, key, 1, err);
    } else if (strcmp(key, "active_cores") == 0) {
        PN_TRY(pn_unit_parse_u64(&n, value, PN_DIM_COUNT, 1, 65536, key, err));
        p->spec.active_cores = (uint32_t)n;
    } else if (strcmp(key, "cores") == 0) {
        PN_TRY(pn_unit_parse_u64(&n, value, PN_DIM_COUNT, 1, PN_CORES_MAX, key, err));
        p->spec.cores = (uint32_t)n;
    } else {
        pn_text_printf(&p->assignments, "%s=%s\n", key, value);
    }
    return PANEM_OK;
}

static panem_status apply_base(pn_point *p, const pn_study *s, panem_error *err)
{
    PN_TRY(apply(p, s, "core", s->core, err));
    PN_TRY(apply(p, s, "curves", s->curves, err));
    PN_TRY(apply(p, s, "model", s->model, err));
    PN_TRY(apply(p, s, "load", s->load, err));
    PN_TRY(apply(p, s, "active_cores", s->active_cores, err));
    PN_TRY(apply(p, s, "warmup", s->warmup, err));
    PN_TRY(apply(p, s, "instructions", s->instructions, err));
    PN_TRY(apply(p, s, "cores", s->cores, err));
    PN_TRY(apply(p, s, "stagger", s->stagger, err));
    PN_TRY(apply(p, s, "loop", s->loop, err));
    pn_text_puts(&p->assignments, s->assignments);
    return PANEM_OK;
}

static panem_status fill_point(pn_point *p, pn_label *labels, const pn_study *s, size_t index,
                               panem_error *err)
{
    size_t per_trace = pn_study_points(s) / s->n_traces, rest = index % per_trace, n = 0;
    size_t block = per_trace;
    p->trace = &s->traces[index / per_trace];
    p->spec.trace_path = p->trace->path;
    p->spec.input.thread = p->trace->thread;
    p->spec.stagger = PN_SIM_STAGGER;
    PN_TRY(apply_base(p, s, err));
    for (size_t a = 0; a < s->n_axes; a++) {
        const pn_study_axis *axis = &s->axes[a];
        block /= axis->n_steps;
        size_t step = rest / block;
        rest %= block;
        for (size_t k = 0; k < axis->n_keys; k++) {
            labels[n++] = (pn_label){axis->keys[k], axis->values[k][step]};
            PN_TRY(apply(p, s, axis->keys[k], axis->values[k][step], err));
        }
    }
    p->spec.assignments = p->assignments.data;
    p->spec.curves_path = p->curves.data;
    return p->assignments.failed || p->curves.failed ? pn_err(err, PANEM_E_NOMEM, "out of memory")
                                                     : PANEM_OK;
}

panem_status pn_study_point(pn_point *point, pn_label *labels, const pn_study *study, size_t index,
                            panem_error *err)
{
    memset(point, 0, sizeof *point);
    panem_status status = fill_point(point, labels, study, index, err);
    if (status != PANEM_OK)
        pn_point_release(point);
    return status;
}

void pn_point_release(pn_point *point)
{
    pn_text_release(&point->assignments);
    pn_text_release(&point->curves);
}
