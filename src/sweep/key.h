/* key.h - what identifies a point, from its resolved configuration and the content of its inputs.
 */
#ifndef PN_SWEEP_KEY_H
#define PN_SWEEP_KEY_H

#include "sweep/store.h"

/* Remembers the content of traces and curve sets by path, so that each is read once. */
typedef struct pn_inputs pn_inputs;
/* NULL without memory. */
pn_inputs *pn_inputs_new(void);
void pn_inputs_free(pn_inputs *inputs);

/* Reads the point's trace and curve set unless they are known. */
panem_status pn_inputs_look(pn_inputs *inputs, const pn_point *point, panem_error *err);

/* Are the point's inputs what they were when they were looked at? E_MISMATCH when not. Reads
 * nothing while the files' size, time and place are the same. */
panem_status pn_inputs_same(pn_inputs *inputs, const pn_point *point, panem_error *err);

/* Fills key; release it with pn_text_release(&key->resolved). The errors of trace and curves. */
panem_status pn_point_identify(pn_point_key *key, pn_inputs *inputs, const pn_point *point,
                               panem_error *err);

/* The curve sets met, one after the other: false behind the last. */
bool pn_inputs_curves(const pn_inputs *inputs, size_t index, uint64_t *fingerprint,
                      const char **path, const char **csv);

#endif
