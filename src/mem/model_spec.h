/* model_spec.h - "panem", "panem:paper", "fixed:high", "panem:window=1us:windows=4": a model named
 * in one word, with its options, as every command and study file takes it. */
#ifndef PN_MEM_MODEL_SPEC_H
#define PN_MEM_MODEL_SPEC_H

#include "base/param.h"

/* The options that may follow the name as :key=value. */
const pn_param *pn_model_params(size_t *count);

/* Parses a model word into options (allocator NULL). E_ARG names what is wrong and, for an unknown
 * model, the nearest name and the list. */
panem_status pn_model_spec_parse(panem_model_options *options, const char *spec, panem_error *err);

/* The names that pn_model_spec_parse knows, NULL-terminated. */
const char *const *pn_model_names(void);

#endif
