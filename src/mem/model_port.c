/* model_port.c - see model_port.h. The model answers at submission; the port holds the answer back
 * until its time. */
#include "mem/model_port.h"

#include <stdlib.h>

#include "base/err.h"
#include "mem/timeq.h"

typedef struct model_port {
    pn_mem_port base;
    panem_model *model;
    pn_timeq waiting;
    uint64_t now_ps;
} model_port;

static panem_status submit(pn_mem_port *port, uint64_t *retry_ps, const pn_mem_request *request)
{
    model_port *p = (model_port *)port;
    if (pn_timeq_full(&p->waiting)) {
        *retry_ps = UINT64_MAX;
        return PANEM_BUSY;
    }
    panem_request ask = {request->time_ps, request->address, request->bytes, request->kind,
                         request->source};
    panem_response answer = {0, 0, 0, 0};
    panem_status status = panem_access(p->model, &answer, &ask);
    if (status == PANEM_BUSY)
        *retry_ps = answer.retry_ps;
    if (status != PANEM_OK)
        return status;
    pn_mem_response response = {request->tag,         request->time_ps, answer.ack_ps,
                                answer.done_ps,       request->bytes,   request->kind,
                                (uint8_t)answer.cbusy};
    (void)pn_timeq_push(&p->waiting, &response); /* room was checked above */
    return PANEM_OK;
}

static panem_status advance(pn_mem_port *port, uint64_t time_ps)
{
    model_port *p = (model_port *)port;
    PN_TRY(panem_advance(p->model, time_ps));
    p->now_ps = time_ps;
    return PANEM_OK;
}

static uint64_t next_event(const pn_mem_port *port)
{
    return pn_timeq_next(&((const model_port *)port)->waiting);
}

static bool pop(pn_mem_port *port, pn_mem_response *response)
{
    model_port *p = (model_port *)port;
    return pn_timeq_pop(&p->waiting, response, p->now_ps);
}

static void destroy(pn_mem_port *port)
{
    model_port *p = (model_port *)port;
    pn_timeq_release(&p->waiting);
    panem_model_destroy(p->model);
    free(p);
}

static const pn_mem_ops OPS = {submit, advance, next_event, pop, destroy};

panem_status pn_model_port_create(pn_mem_port **port, panem_model *model, const char *name,
                                  bool posted_writes, uint32_t in_flight_max, panem_error *err)
{
    model_port *p = calloc(1, sizeof *p);
    if (!p) {
        panem_model_destroy(model);
        return pn_err(err, PANEM_E_NOMEM, "no memory for a memory port");
    }
    p->base = (pn_mem_port){&OPS, name, posted_writes};
    p->model = model;
    panem_status status = pn_timeq_init(&p->waiting, in_flight_max, err);
    if (status != PANEM_OK) {
        destroy(&p->base);
        return status;
    }
    *port = &p->base;
    return PANEM_OK;
}

panem_model *pn_model_port_model(pn_mem_port *port)
{
    return ((model_port *)port)->model;
}
