/* core_ref_mem.h - the oracle's caches and way to memory, cycle by cycle. */
#ifndef PN_TESTS_REF_CORE_REF_MEM_H
#define PN_TESTS_REF_CORE_REF_MEM_H

#include <stdbool.h>

#include "core_ref.h"
#include "core_ref_prefetch.h"
#include "core_ref_tlb.h"

enum { REF_LIST = 1 << 16, REF_MSHRS = 256, REF_CLIENTS = 1024 };

typedef struct ref_way {
    uint64_t line, used;
    bool there, dirty, fresh; /* fresh: prefetched and not used */
} ref_way;

/* Which level had a line; of memory, how much of its time it waited there, in 2^-16. */
typedef struct ref_source {
    ref_part level;
    uint64_t queued;
} ref_source;

typedef struct ref_miss {
    uint64_t line, pc;
    uint64_t came_ps;  /* LLC: to memory's door */
    ref_source source; /* L1D */
    bool write;
    bool own, fresh; /* own: a prefetch of this level asked first; fresh: and nobody since */
    int clients[REF_CLIENTS]; /* L1D: uops or ~store numbers; L2: 0 = L1D, 1 = L1I */
    int n_clients;
} ref_miss;

typedef struct ref_request {
    uint64_t line;
    int client;
    bool write;
    bool prefetch; /* it was one when it left the level above */
    uint64_t address, pc;
} ref_request;

/* Prefetches of a level. */
typedef struct ref_fetcher {
    ref_learn *learn; /* NULL: none */
    uint64_t page_lines;
    int reserve, queue_max;
    int own_level, level;
    uint64_t good_before, all_before; /* when the last window of accuracy ended */
    uint64_t accuracy;                /* percent */
    ref_request queue[REF_MSHRS];
    int n_queue;
    ref_prefetch_count count;
} ref_fetcher;

typedef struct ref_cache {
    ref_way *ways;
    uint64_t sets;
    uint32_t n_ways;
    ref_miss misses[REF_MSHRS];
    int n_misses, max_misses;
    ref_request waiting[REF_LIST];
    int n_waiting;
    ref_level count;
    ref_fetcher fetcher;
} ref_cache;

/* Something on its way that arrives at a cycle. */
typedef enum ref_kind {
    REF_LLC_FILL,
    REF_L2_READY,
    REF_L2_FILL,
    REF_L1_READY,
    REF_L1_FILL,
    REF_DOOR,
    REF_LLC_LOOK,
    REF_L2_LOOK
} ref_kind;

typedef struct ref_message {
    uint64_t due;
    ref_kind kind;
    uint64_t line;
    int who;
    bool prefetch;
    uint64_t queued;
} ref_message;

/* What the core does about memory's busy level. */
typedef struct ref_busy {
    int responses[1 << 12], n_responses; /* of the present window */
    bool decided;
    uint64_t due; /* when the decision takes effect */
    int decision, level;
    ref_busy_count count;
} ref_busy;

/* An L1 access whose page is not known yet. */
typedef struct ref_untranslated {
    uint64_t due;
    bool code;
    ref_request request;
} ref_untranslated;

typedef struct ref_mem {
    pn_core_config config;
    pn_core_timing timing;
    pn_mem_port *port;
    uint64_t now, now_ps, uses;
    ref_cache l1i, l1d, l2, llc;
    ref_busy busy;
    ref_tlb tlb;
    ref_untranslated untranslated[REF_LIST];
    int n_untranslated;
    ref_message messages[REF_LIST];
    int n_messages;
    uint64_t l1_link_free, l2_link_free;
    ref_request at_door[2][REF_LIST]; /* reads and writes the memory refused so far */
    int n_at_door[2];
    uint64_t writes_held, reads, writes, in_memory, prefetch_reads;
    uint64_t fetch_done;
    uint64_t idle_ps, on_chip_ps;
    ref_source last_fill; /* of L1D */
    uint64_t known;       /* when the last access knew its page, if it had to wait; else 0 */
    /* what became known in this cycle: client and when its line can be used */
    int woken[REF_LIST];
    uint64_t woken_done[REF_LIST];
    ref_source woken_source[REF_LIST];
    int n_woken;
} ref_mem;

ref_mem *ref_mem_new(const pn_core_config *config, pn_mem_port *port, uint64_t idle_ps);
void ref_mem_free(ref_mem *m);
/* Memory, fills, requests and waiting L1 accesses of one cycle. */
void ref_mem_cycle(ref_mem *m, uint64_t cycle);
/* Prefetches that have not ended. */
uint64_t ref_mem_resident(const ref_cache *c);
/* True: a hit. */
bool ref_mem_access(ref_mem *m, const ref_request *r);
bool ref_mem_fetch(ref_mem *m, uint64_t address, uint64_t line);

#endif
