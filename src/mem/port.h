/* port.h - the asynchronous memory port: how traffic, cores and characterize see any memory.
 *
 * Protocol
 *  - Time only moves forward: every submit and advance carries a time at or after the last one.
 *  - submit(request at t): accepted, or PANEM_BUSY with a time before which asking again is
 * useless. A memory that cannot say yet answers with retry = UINT64_MAX: ask again after the next
 * event.
 *  - advance(t): everything that happens at or before t has happened.
 *  - next_event(): when the memory next wants to be advanced (a response becomes ready, or its
 *    inner state changes so that a refused request may be accepted); UINT64_MAX: never, by itself.
 *  - pop(): responses whose done time is at or before the time advanced to, in order of done time;
 *    ties in order of submission.
 *  - A posted write is acknowledged by its acceptance (port->posted_writes): from then on the
 * memory holds it. Its response, with ack = acceptance and done = completion, still comes. Whether
 * the host's write buffer keeps the line until then is the host's choice (core: write_buffer_until;
 *    taken for a DRAM, which has a write queue; done for a model, which has none).
 *  - The tag is the host's; it comes back unread.
 * A port belongs to one thread. A port does not allocate after it was made. */
#ifndef PN_MEM_PORT_H
#define PN_MEM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <panem.h>

typedef enum pn_mem_origin { PN_MEM_DEMAND = 0, PN_MEM_PREFETCH, PN_MEM_WRITEBACK } pn_mem_origin;

typedef struct pn_mem_request {
    uint64_t time_ps;
    uint64_t address;
    uint64_t tag;
    uint32_t bytes;
    uint32_t source;
    uint8_t kind;   /* panem_access_kind */
    uint8_t origin; /* pn_mem_origin */
} pn_mem_request;

typedef struct pn_mem_response {
    uint64_t tag;
    uint64_t arrival_ps;
    uint64_t ack_ps;
    uint64_t done_ps;
    uint32_t bytes;
    uint8_t kind;
    uint8_t cbusy; /* 0..3 */
} pn_mem_response;

typedef struct pn_mem_port pn_mem_port;

typedef struct pn_mem_ops {
    panem_status (*submit)(pn_mem_port *port, uint64_t *retry_ps, const pn_mem_request *request);
    panem_status (*advance)(pn_mem_port *port, uint64_t time_ps);
    uint64_t (*next_event)(const pn_mem_port *port);
    bool (*pop)(pn_mem_port *port, pn_mem_response *response);
    void (*destroy)(pn_mem_port *port);
} pn_mem_ops;

/* First member of every memory; memories add their own fields behind it. */
struct pn_mem_port {
    const pn_mem_ops *ops;
    const char *name; /* e.g. "panem" or "dram:ddr4-2666"; borrowed */
    bool posted_writes;
};

static inline panem_status pn_mem_submit(pn_mem_port *port, uint64_t *retry_ps,
                                         const pn_mem_request *request)
{
    return port->ops->submit(port, retry_ps, request);
}

static inline panem_status pn_mem_advance(pn_mem_port *port, uint64_t time_ps)
{
    return port->ops->advance(port, time_ps);
}

static inline uint64_t pn_mem_next_event(const pn_mem_port *port)
{
    return port->ops->next_event(port);
}

static inline bool pn_mem_pop(pn_mem_port *port, pn_mem_response *response)
{
    return port->ops->pop(port, response);
}

static inline void pn_mem_destroy(pn_mem_port *port)
{
    if (port)
        port->ops->destroy(port);
}

#endif
