/* suite.c - see suite.h. */
#include "cli/suite.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

enum { FILE_LIMIT_BYTES = 1 << 20 };

static panem_status load_document(struct fy_document **document, const char *path, panem_error *err)
{
    char *data = NULL;
    size_t length = 0;
    const struct fy_parse_cfg config = {.flags = FYPCF_QUIET};
    PN_TRY(pn_file_read(&data, &length, path, FILE_LIMIT_BYTES, err));
    *document = fy_document_build_from_malloc_string(&config, data, length);
    if (!*document) {
        return pn_err_at(err, PANEM_E_FORMAT, path, 0, 0, "is not YAML");
    }
    if (!fy_node_is_mapping(fy_document_root(*document))) {
        fy_document_destroy(*document);
        return pn_err_at(err, PANEM_E_FORMAT, path, 0, 0, "is not a mapping of keys to values");
    }
    return PANEM_OK;
}

/* The text of key, or "" when it is not there. NULL without memory. */
static char *take(const struct fy_node *root, const char *key)
{
    size_t length = 0;
    struct fy_node *node =
        fy_node_mapping_lookup_by_string((struct fy_node *)(uintptr_t)root, key, FY_NT);
    const char *text = node ? fy_node_get_scalar(node, &length) : NULL;
    return text ? strndup(text, length) : strdup("");
}

static panem_status check_keys(struct fy_node *root, const char *const *known, const char *path,
                               panem_error *err)
{
    void *at = NULL;
    for (struct fy_node_pair *pair = fy_node_mapping_iterate(root, &at); pair;
         pair = fy_node_mapping_iterate(root, &at)) {
        size_t length = 0;
        const char *text = fy_node_get_scalar(fy_node_pair_key(pair), &length);
        char key[64];
        (void)snprintf(key, sizeof key, "%.*s", (int)(length < 63 ? length : 63), text ? text : "");
        const char *const *k = known;
        while (*k && strcmp(*k, key) != 0)
            k++;
        if (*k)
            continue;
        const char *near = pn_text_nearest(key, known);
        return pn_err_at(err, PANEM_E_FORMAT, path, 0, 0, "unknown key '%s'%s%s", key,
                         near ? "; did you mean " : "", near ? near : "");
    }
    return PANEM_OK;
}

static panem_status load_workload(pn_workload *w, const char *path, panem_error *err)
{
    static const char *const keys[] = {"name",   "summary", "isa",  "packages", "setup", "command",
                                       "driver", "user",    "skip", "max",      NULL};
    struct fy_document *document = NULL;
    PN_TRY(load_document(&document, path, err));
    struct fy_node *root = fy_document_root(document);
    panem_status status = check_keys(root, keys, path, err);
    char **fields[] = {&w->name,    &w->summary, &w->isa,  &w->packages, &w->setup,
                       &w->command, &w->driver,  &w->user, &w->skip,     &w->max};
    for (size_t i = 0; status == PANEM_OK && i < sizeof fields / sizeof *fields; i++) {
        *fields[i] = take(root, keys[i]);
        if (!*fields[i])
            status = pn_err(err, PANEM_E_NOMEM, "no memory for the suite");
    }
    if (status == PANEM_OK && (!w->name[0] || !w->command[0] || !w->max[0]))
        status = pn_err_at(err, PANEM_E_FORMAT, path, 0, 0, "needs name, command and max");
    fy_document_destroy(document);
    return status;
}

static panem_status load_list(pn_suite *suite, struct fy_node *list, const char *path,
                              panem_error *err)
{
    const char *slash = strrchr(path, '/');
    int n = list && fy_node_is_sequence(list) ? fy_node_sequence_item_count(list) : 0;
    if (n <= 0)
        return pn_err_at(err, PANEM_E_FORMAT, path, 0, 0, "lists no workloads");
    suite->workloads = calloc((size_t)n, sizeof *suite->workloads);
    if (!suite->workloads)
        return pn_err(err, PANEM_E_NOMEM, "no memory for the suite");
    for (int i = 0; i < n; i++) {
        pn_text file = PN_TEXT_INIT;
        size_t length = 0;
        const char *name = fy_node_get_scalar(fy_node_sequence_get_by_index(list, i), &length);
        pn_text_printf(&file, "%.*s/workloads/%.*s.yaml", slash ? (int)(slash - path) : 1,
                       slash ? path : ".", (int)length, name ? name : "");
        suite->n++;
        panem_status status = file.failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the suite")
                                          : load_workload(&suite->workloads[i], file.data, err);
        pn_text_release(&file);
        PN_TRY(status);
    }
    return PANEM_OK;
}

panem_status pn_suite_load(pn_suite *suite, const char *path, panem_error *err)
{
    static const char *const keys[] = {"suite", "summary", "workloads", NULL};
    struct fy_document *document = NULL;
    pn_suite s = {0};
    PN_TRY(load_document(&document, path, err));
    struct fy_node *root = fy_document_root(document);
    panem_status status = check_keys(root, keys, path, err);
    s.name = take(root, "suite");
    s.summary = take(root, "summary");
    if (status == PANEM_OK)
        status =
            load_list(&s, fy_node_mapping_lookup_by_string(root, "workloads", FY_NT), path, err);
    fy_document_destroy(document);
    if (status == PANEM_OK)
        *suite = s;
    else
        pn_suite_release(&s);
    return status;
}

void pn_suite_release(pn_suite *suite)
{
    for (size_t i = 0; i < suite->n; i++) {
        pn_workload *w = &suite->workloads[i];
        char *fields[] = {w->name,    w->summary, w->isa,  w->packages, w->setup,
                          w->command, w->driver,  w->user, w->skip,     w->max};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            free(fields[k]);
    }
    free(suite->workloads);
    free(suite->name);
    free(suite->summary);
    memset(suite, 0, sizeof *suite);
}
