/* model.h - the common part of every model kind, and the table of functions a kind provides.
 * Internal to libpanem.
 *
 * How to add a kind: one file with a pn_model_ops, a panem_kind, and a line in model.c's table. */
#ifndef PN_MODEL_MODEL_H
#define PN_MODEL_MODEL_H

#include <stdbool.h>

#include <panem.h>

/* Latest time any call accepts: sums of a time and a latency cannot wrap. */
#define PN_TIME_MAX_PS (UINT64_C(1) << 62)
enum { PN_REQUEST_MAX_BYTES = 1 << 20 };

typedef struct pn_model_ops {
    panem_status (*create)(panem_model **model, const panem_curves *set,
                           const panem_model_options *options, const panem_allocator *allocator,
                           panem_error *err);
    void (*destroy)(panem_model *model);
    void (*reset)(panem_model *model);
    panem_status (*access)(panem_model *model, panem_response *response,
                           const panem_request *request);
    panem_status (*advance)(panem_model *model, uint64_t horizon_ps);
    void (*peek)(const panem_model *model, panem_state *state);
    void (*stats)(const panem_model *model, panem_stats *stats);
    /* Payload of a saved state; the frame around it is save.c's. */
    size_t (*save_size)(const panem_model *model);
    void (*save)(const panem_model *model, unsigned char *payload);
    /* Checks all, then changes the model: false leaves it as it was. */
    bool (*restore)(panem_model *model, const unsigned char *payload, size_t size);
} pn_model_ops;

/* First member of every kind's struct. */
struct panem_model {
    const pn_model_ops *ops;
    const panem_curves *set;
    panem_model_options options; /* resolved: windows is never 0; allocator points to the copy */
    panem_allocator allocator;
    panem_observe_fn observe;
    void *observe_user;
};

extern const pn_model_ops pn_model_window_ops; /* PANEM: window.c */
extern const pn_model_ops pn_model_fixed_ops;  /* fixed.c */
extern const pn_model_ops pn_model_md1_ops;    /* the analytic peers: one file each */
extern const pn_model_ops pn_model_mess_ops;
extern const pn_model_ops pn_model_mg1_ops;
extern const pn_model_ops pn_model_nextfree_ops;

/* Request fields that no kind accepts otherwise. */
static inline bool pn_request_valid(const panem_request *request)
{
    return request->bytes - 1 < PN_REQUEST_MAX_BYTES && request->kind <= PANEM_WRITE &&
           request->time_ps <= PN_TIME_MAX_PS;
}

#endif
