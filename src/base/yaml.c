/* yaml.c - see yaml.h. */
#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

panem_status pn_yaml_read(struct fy_document **document, const char *path, size_t limit,
                          panem_error *err)
{
    char *data = NULL;
    size_t length = 0;
    const struct fy_parse_cfg config = {.flags = FYPCF_QUIET};
    PN_TRY(pn_file_read(&data, &length, path, limit, err));
    struct fy_document *d = fy_document_build_from_malloc_string(&config, data, length);
    if (!d)
        return pn_err_at(err, PANEM_E_FORMAT, path, 0, 0, "is not YAML");
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
