/* yaml.h - the little of libfyaml that our YAML files need. Not part of libpanem.
 *
 * A file is one mapping of keys to values. Unknown keys are errors with their line and the nearest
 * name that is known. */
#ifndef PN_BASE_YAML_H
#define PN_BASE_YAML_H

#include <libfyaml.h>
#include <stdbool.h>

#include "base/err.h"

/* Reads a file of at most limit bytes, in any compression. The document is ended by
 * fy_document_destroy. E_IO, E_RANGE, E_FORMAT when it is no mapping. */
panem_status pn_yaml_read(struct fy_document **document, const char *path, size_t limit,
                          panem_error *err);
/* A copy of a scalar, "" for anything else; free() it. NULL without memory. */
char *pn_yaml_text(struct fy_node *node);
/* The value of key; NULL when mapping is NULL or has no such key. */
struct fy_node *pn_yaml_member(struct fy_node *mapping, const char *key);
/* The line a scalar stands in, from 1; 0 when that is not known. */
uint32_t pn_yaml_line(struct fy_node *node);
/* E_FORMAT for a key that is not among known (NULL-terminated). */
panem_status pn_yaml_check_keys(struct fy_node *mapping, const char *const *known, const char *path,
                                panem_error *err);
/* E_FORMAT "what 'word'; did you mean 'near'?" at the node's line; node may be NULL. */
panem_status pn_yaml_unknown(struct fy_node *node, const char *what, const char *word,
                             const char *const *known, const char *path, panem_error *err);
bool pn_yaml_listed(const char *word, const char *const *names);

#endif
