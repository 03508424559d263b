/* yaml.c - see yaml.h. */
#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

/* Messages of the parser go nowhere but into ours. */
static void say_nothing(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag, (void)user, (void)text, (void)length;
}

static struct fy_diag *new_diagnosis(void)
{
    struct fy_diag_cfg config;
    fy_diag_cfg_default(&config);
    config.fp = NULL;
    config.output_fn = say_nothing;
    struct fy_diag *diag = fy_diag_create(&config);
    if (diag)
        fy_diag_set_collect_errors(diag, true);
    return diag;
}

/* What the parser found first, and where. */
static panem_status not_yaml(struct fy_diag *diag, const char *path, panem_error *err)
{
    void *at = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &at);
    if (!e || !e->msg || e->line <= 0)
        return pn_err_at(err, PANEM_E_FORMAT, path, 0, 0, "is not YAML");
    return pn_err_at(err, PANEM_E_FORMAT, path, (uint32_t)e->line, 0, "is not YAML: %s", e->msg);
}

panem_status pn_yaml_read(struct fy_document **document, const char *path, size_t limit,
                          panem_error *err)
{
    char *data = NULL;
    size_t length = 0;
    struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_RESOLVE_DOCUMENT};
    PN_TRY(pn_file_read(&data, &length, path, limit, err));
    config.diag = new_diagnosis();
    if (!config.diag) {
        free(data);
        return pn_err(err, PANEM_E_NOMEM, "no memory to read %s", path);
    }
    struct fy_document *d = fy_document_build_from_malloc_string(&config, data, length);
    panem_status status = d ? PANEM_OK : not_yaml(config.diag, path, err);
    fy_diag_destroy(config.diag);
    PN_TRY(status);
    if (!fy_document_root(d) || !fy_node_is_mapping(fy_document_root(d))) {
        fy_document_destroy(d);
        return pn_err_at(err, PANEM_E_FORMAT, path, 0, 0, "is not a mapping of keys to values");
    }
    *document = d;
    return PANEM_OK;
}

char *pn_yaml_text(struct fy_node *node)
{
    size_t length = 0;
    const char *text = node ? fy_node_get_scalar(node, &length) : NULL;
    return text ? strndup(text, length) : strdup("");
}

struct fy_node *pn_yaml_member(struct fy_node *mapping, const char *key)
{
    return mapping ? fy_node_mapping_lookup_by_string(mapping, key, FY_NT) : NULL;
}

uint32_t pn_yaml_line(struct fy_node *node)
{
    struct fy_token *token = node ? fy_node_get_scalar_token(node) : NULL;
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    return mark && mark->line >= 0 ? (uint32_t)mark->line + 1 : 0;
}

bool pn_yaml_listed(const char *word, const char *const *names)
{
    while (*names && strcmp(*names, word) != 0)
        names++;
    return *names != NULL;
}

panem_status pn_yaml_unknown(struct fy_node *node, const char *what, const char *word,
                             const char *const *known, const char *path, panem_error *err)
{
    const char *near = pn_text_nearest(word, known);
    return pn_err_at(err, PANEM_E_FORMAT, path, pn_yaml_line(node), 0, "%s '%s'%s%s%s", what, word,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

panem_status pn_yaml_check_keys(struct fy_node *mapping, const char *const *known, const char *path,
                                panem_error *err)
{
    void *at = NULL;
    struct fy_node_pair *pair;
    while ((pair = fy_node_mapping_iterate(mapping, &at)) != NULL) {
        struct fy_node *name = fy_node_pair_key(pair);
        char *key = pn_yaml_text(name);
        if (!key)
            return pn_err(err, PANEM_E_NOMEM, "no memory to read %s", path);
        panem_status status = pn_yaml_listed(key, known)
                                  ? PANEM_OK
                                  : pn_yaml_unknown(name, "unknown key", key, known, path, err);
        free(key);
        PN_TRY(status);
    }
    return PANEM_OK;
}
