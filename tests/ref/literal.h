/* literal.h - the PANEM kind in its literal form: the oracle of the run-time model.
 *
 * Purpose: say in plain C what the design says in words, so that the product form can be compared
 * with it bit for bit. Every request in flight is kept in a list with arrival, completion, bytes
 * and kind; when a window closes, a walk over the list integrates byte x ps exactly; the average
 * is summed afresh from the last windows; the guard clock is one wide number.
 *
 * Shared with the product on purpose: the relation L(N, r) and its table rows (pure functions of
 * the curve set with oracles of their own). Nothing of src/model is used.
 *
 * Slow: a boundary costs O(requests in flight + averaged windows). Aborts on lack of memory. */
#ifndef PN_TESTS_REF_LITERAL_H
#define PN_TESTS_REF_LITERAL_H

#include <panem.h>

typedef struct lit_model lit_model;

/* options as for panem_model_create, but windows must be resolved (not 0). set is borrowed. */
lit_model *lit_create(const panem_curves *set, const panem_model_options *options);
void lit_destroy(lit_model *m);
void lit_reset(lit_model *m);

/* Every closed window is told to observe; a stretch in which nothing can change is one record. */
void lit_observe(lit_model *m, panem_observe_fn observe, void *user);

panem_status lit_access(lit_model *m, panem_response *response, const panem_request *request);
panem_status lit_advance(lit_model *m, uint64_t horizon_ps);
void lit_peek(const lit_model *m, panem_state *state);
void lit_stats(const lit_model *m, panem_stats *stats);

#endif
