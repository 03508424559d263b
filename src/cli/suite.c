/* suite.c - see suite.h. */
#include "cli/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/yaml.h"

enum { FILE_LIMIT_BYTES = 1 << 20 };

static panem_status load_workload(pn_workload *w, const char *path, panem_error *err)
{
    static const char *const keys[] = {"name",   "summary", "isa",  "packages", "setup", "command",
                                       "driver", "user",    "skip", "max",      NULL};
    struct fy_document *document = NULL;
    PN_TRY(pn_yaml_read(&document, path, FILE_LIMIT_BYTES, err));
    struct fy_node *root = fy_document_root(document);
    panem_status status = pn_yaml_check_keys(root, keys, path, err);
    char **fields[] = {&w->name,    &w->summary, &w->isa,  &w->packages, &w->setup,
                       &w->command, &w->driver,  &w->user, &w->skip,     &w->max};
    for (size_t i = 0; status == PANEM_OK && i < sizeof fields / sizeof *fields; i++) {
        *fields[i] = pn_yaml_text(pn_yaml_member(root, keys[i]));
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
    PN_TRY(pn_yaml_read(&document, path, FILE_LIMIT_BYTES, err));
    struct fy_node *root = fy_document_root(document);
    panem_status status = pn_yaml_check_keys(root, keys, path, err);
    s.name = pn_yaml_text(pn_yaml_member(root, "suite"));
    s.summary = pn_yaml_text(pn_yaml_member(root, "summary"));
    if (status == PANEM_OK)
        status = load_list(&s, pn_yaml_member(root, "workloads"), path, err);
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
