/* loop.c - see loop.h. */
#include "trace/loop.h"

#include <stdlib.h>
#include <string.h>

struct pn_trace_loop {
    const char *path;
    pn_trace_options options;
    pn_trace *trace;
    pn_batch batch;
    size_t at;
    uint64_t length; /* UINT64_MAX: to the end */
    uint64_t passed; /* instructions of this round */
    uint64_t rounds;
};

/* Opens the trace anew. What the old one's ops pointed to is gone. */
static panem_status begin(pn_trace_loop *l, panem_error *err)
{
    pn_trace *trace = NULL;
    PN_TRY(pn_trace_open(&trace, l->path, &l->options, err));
    pn_trace_close(l->trace);
    l->trace = trace;
    l->batch = (pn_batch){0};
    l->at = 0;
    l->passed = 0;
    return PANEM_OK;
}

panem_status pn_trace_loop_next(pn_trace_loop *l, const pn_op **op, panem_error *err)
{
    bool empty = false;
    for (;;) {
        if (l->at == l->batch.n_ops) {
            PN_TRY(pn_trace_next(l->trace, &l->batch, err));
            l->at = 0;
        }
        bool more = l->at < l->batch.n_ops;
        const pn_op *next = more ? &l->batch.ops[l->at] : NULL;
        bool counts = more && !(next->flags & PN_OP_CONTINUES);
        if (more && (!counts || l->passed < l->length)) {
            l->at++;
            l->passed += counts;
            *op = next;
            return PANEM_OK;
        }
        if (empty)
            return pn_err(err, PANEM_E_EMPTY, "%s: the trace has no instructions", l->path);
        empty = l->passed == 0;
        l->rounds++;
        PN_TRY(begin(l, err));
    }
}

panem_status pn_trace_loop_open(pn_trace_loop **loop, const char *path,
                                const pn_trace_options *options, uint64_t length, uint64_t start,
                                panem_error *err)
{
    if (strcmp(path, "-") == 0)
        return pn_err(err, PANEM_E_ARG, "standard input cannot be read again; give a file");
    pn_trace_loop *l = calloc(1, sizeof *l);
    if (!l)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a trace");
    l->path = path;
    l->options = *options;
    l->length = length ? length : UINT64_MAX;
    panem_status status = begin(l, err);
    const pn_op *op;
    if (status == PANEM_OK && length)
        start %= length;
    for (uint64_t i = 0; status == PANEM_OK && i < start;) {
        status = pn_trace_loop_next(l, &op, err);
        i += status == PANEM_OK && !(op->flags & PN_OP_CONTINUES);
    }
    if (status != PANEM_OK) {
        pn_trace_loop_close(l);
        return status;
    }
    *loop = l;
    return PANEM_OK;
}

uint64_t pn_trace_loop_rounds(const pn_trace_loop *l)
{
    return l->rounds;
}

const pn_trace *pn_trace_loop_trace(const pn_trace_loop *l)
{
    return l->trace;
}

void pn_trace_loop_close(pn_trace_loop *l)
{
    if (!l)
        return;
    pn_trace_close(l->trace);
    free(l);
}
