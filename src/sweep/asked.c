/* asked.c - see asked.h. */
#include "sweep/asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum { NAMES_MAX = 512, WORD_MAX = 120 };
/* Differences below this are no finding, unless the study says otherwise. */
static const double THRESHOLD_PCT = 3.0;

const pn_plot_kind pn_plot_kinds[] = {{"curves", PN_PLOT_OF_ALL, NULL},
                                      {"response", PN_PLOT_OF_ALL, NULL},
                                      {"scatter", PN_PLOT_OF_ALL, NULL},
                                      {"scatter-reads", PN_PLOT_OF_ALL, NULL},
                                      {"box-bandwidth", PN_PLOT_OF_ALL, NULL},
                                      {"box-latency", PN_PLOT_OF_ALL, NULL},
                                      {"box", PN_PLOT_OF_METRIC, NULL},
                                      {"workloads", PN_PLOT_OF_METRIC, NULL},
                                      {"ratio", PN_PLOT_OF_METRIC, "compare"},
                                      {"sensitivity", PN_PLOT_OF_METRIC, NULL},
                                      {"cpi", PN_PLOT_OF_ALL, NULL},
                                      {"windows", PN_PLOT_OF_ALL, NULL},
                                      {"windows-latency", PN_PLOT_OF_ALL, NULL},
                                      {"series", PN_PLOT_OF_TRACE, "series"},
                                      {"box-run-time", PN_PLOT_OF_ALL, NULL},
                                      {NULL, PN_PLOT_OF_ALL, NULL}};

typedef struct taker {
    pn_study *study;
    panem_error *err;
} taker;

static panem_status no_memory(const taker *t)
{
    return pn_err(t->err, PANEM_E_NOMEM, "no memory for study %s", t->study->path);
}

const pn_plot_kind *pn_plot_asked(const char *word, const char **of)
{
    size_t length = strcspn(word, ":");
    *of = word[length] ? word + length + 1 : "";
    for (const pn_plot_kind *k = pn_plot_kinds; k->name; k++)
        if (strlen(k->name) == length && memcmp(k->name, word, length) == 0)
            return k;
    return NULL;
}

/* ---- names that are known -------------------------------------------------------------------- */

static panem_status check_metric(const taker *t, struct fy_node *at, const char *what,
                                 const char *name)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    if (pn_metric_named(name))
        return PANEM_OK;
    for (; n < pn_metric_count && n < NAMES_MAX - 1; n++)
        names[n] = pn_metrics[n].name;
    names[n] = NULL;
    return pn_yaml_unknown(at, what, name, names, t->study->path, t->err);
}

static panem_status check_trace(const taker *t, struct fy_node *at, const char *name)
{
    const pn_study *s = t->study;
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < s->n_traces; i++)
        if (strcmp(s->traces[i].name, name) == 0)
            return PANEM_OK;
    for (; n < s->n_traces && n < NAMES_MAX - 1; n++)
        names[n] = s->traces[n].name;
    names[n] = NULL;
    return pn_yaml_unknown(at, "plots: series of unknown trace", name, names, s->path, t->err);
}

static panem_status unknown_kind(const taker *t, struct fy_node *at, const char *word)
{
    const char *names[NAMES_MAX];
    char kind[WORD_MAX];
    size_t n = 0, length = strcspn(word, ":");
    length = length < sizeof kind ? length : sizeof kind - 1;
    memcpy(kind, word, length);
    kind[length] = '\0';
    for (; pn_plot_kinds[n].name; n++)
        names[n] = pn_plot_kinds[n].name;
    names[n] = NULL;
    return pn_yaml_unknown(at, "plots: unknown plot", kind, names, t->study->path, t->err);
}

static panem_status check_plot(const taker *t, struct fy_node *at, const char *word)
{
    const pn_study *s = t->study;
    const char *of;
    const pn_plot_kind *kind = pn_plot_asked(word, &of);
    if (!kind)
        return unknown_kind(t, at, word);
    if (kind->needs && !(strcmp(kind->needs, "series") == 0 ? s->series : s->compare[0] != '\0'))
        return pn_err_at(t->err, PANEM_E_FORMAT, s->path, pn_yaml_line(at), 0,
                         "plots: %s needs the study's %s", kind->name, kind->needs);
    if (strcmp(kind->name, "box") == 0 && !of[0])
        return pn_err_at(t->err, PANEM_E_FORMAT, s->path, pn_yaml_line(at), 0,
                         "plots: box needs a metric, e.g. box:llc_mpki");
    if (!of[0])
        return PANEM_OK;
    if (kind->of == PN_PLOT_OF_METRIC)
        return check_metric(t, at, "plots: unknown metric", of);
    if (kind->of == PN_PLOT_OF_TRACE)
        return check_trace(t, at, of);
    return pn_err_at(t->err, PANEM_E_FORMAT, s->path, pn_yaml_line(at), 0,
                     "plots: %s takes nothing behind a colon", kind->name);
}

/* ---- from the file --------------------------------------------------------------------------- */

/* A list of words, or one word; each is checked where it stands. */
static panem_status take_words(const taker *t, char ***list, struct fy_node *node, const char *key,
                               panem_status (*check)(const taker *, struct fy_node *, const char *))
{
    bool one = node && fy_node_is_scalar(node);
    bool many = node && fy_node_is_sequence(node);
    size_t n = one ? 1 : many ? (size_t)fy_node_sequence_item_count(node) : 0;
    if (node && !one && !many)
        return pn_err_at(t->err, PANEM_E_FORMAT, t->study->path, 0, 0, "%s: a list was expected",
                         key);
    *list = calloc(n + 1, sizeof **list);
    if (!*list)
        return no_memory(t);
    for (size_t i = 0; i < n; i++) {
        struct fy_node *item = one ? node : fy_node_sequence_get_by_index(node, (int)i);
        (*list)[i] = pn_yaml_text(item);
        if (!(*list)[i])
            return no_memory(t);
        PN_TRY(check(t, item, (*list)[i]));
    }
    return PANEM_OK;
}

static panem_status check_listed_metric(const taker *t, struct fy_node *at, const char *name)
{
    return check_metric(t, at, "metrics: unknown metric", name);
}

/* Ratios need the model among the points: one of models. */
static panem_status take_compare(const taker *t, struct fy_node *node)
{
    pn_study *s = t->study;
    s->compare = pn_yaml_text(node);
    if (!s->compare)
        return no_memory(t);
    for (size_t a = 0; s->compare[0] && a < s->n_axes; a++) {
        for (size_t k = 0; k < s->axes[a].n_keys; k++) {
            const char *const *values = (const char *const *)s->axes[a].values[k];
            if (strcmp(s->axes[a].keys[k], "model") != 0)
                continue;
            return pn_yaml_listed(s->compare, values)
                       ? PANEM_OK
                       : pn_yaml_unknown(node, "compare: not one of the models:", s->compare,
                                         values, s->path, t->err);
        }
    }
    return s->compare[0] ? pn_err_at(t->err, PANEM_E_FORMAT, s->path, pn_yaml_line(node), 0,
                                     "compare: the study has no models to compare")
                         : PANEM_OK;
}

static panem_status take_threshold(const taker *t, struct fy_node *node)
{
    pn_study *s = t->study;
    char *text = pn_yaml_text(node);
    if (!text)
        return no_memory(t);
    panem_status status = PANEM_OK;
    s->threshold_pct = THRESHOLD_PCT;
    if (text[0] && (!pn_num_parse_all(text, &s->threshold_pct) || !(s->threshold_pct >= 0.0) ||
                    s->threshold_pct > 1000.0))
        status = pn_err_at(t->err, PANEM_E_FORMAT, s->path, pn_yaml_line(node), 0,
                           "threshold: '%s' is no number of percent", text);
    free(text);
    return status;
}

static panem_status take_series(const taker *t, struct fy_node *node)
{
    char *text = pn_yaml_text(node);
    if (!text)
        return no_memory(t);
    panem_status status = PANEM_OK;
    t->study->series = strcmp(text, "true") == 0;
    if (node && !t->study->series && strcmp(text, "false") != 0)
        status = pn_err_at(t->err, PANEM_E_FORMAT, t->study->path, pn_yaml_line(node), 0,
                           "series: '%s' is neither true nor false", text);
    free(text);
    return status;
}

panem_status pn_study_take_asked(pn_study *study, struct fy_node *root, panem_error *err)
{
    const taker t = {study, err};
    PN_TRY(take_compare(&t, pn_yaml_member(root, "compare")));
    PN_TRY(take_threshold(&t, pn_yaml_member(root, "threshold")));
    PN_TRY(take_series(&t, pn_yaml_member(root, "series")));
    PN_TRY(take_words(&t, &study->metrics, pn_yaml_member(root, "metrics"), "metrics",
                      check_listed_metric));
    return take_words(&t, &study->plots, pn_yaml_member(root, "plots"), "plots", check_plot);
}
