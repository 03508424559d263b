/* core_ref_prefetch.h - the oracle's prefetchers, from docs/core.md, for clarity alone. */
#ifndef PN_TESTS_REF_CORE_REF_PREFETCH_H
#define PN_TESTS_REF_CORE_REF_PREFETCH_H

#include <stdbool.h>

#include "core_ref.h"

/* Names, not the core's numbers, choose a prefetcher: what core_ref_mem.c reads from the
 * configuration. */
typedef enum ref_prefetcher {
    REF_NONE,
    REF_STRIDE,
    REF_NEXT_LINE,
    REF_STREAM,
    REF_BEST_OFFSET,
    REF_SPATIAL
} ref_prefetcher;

typedef struct ref_learn ref_learn;

/* level: 0..3. */
ref_learn *ref_learn_new(ref_prefetcher kind, int level);
void ref_learn_free(ref_learn *l);
/* From the next access on. */
void ref_learn_level(ref_learn *l, int level);
/* The lines proposed for an access go to out (room for 64); returns how many. They may lie on other
 * pages; after the first that does there are no more. */
int ref_learn_access(ref_learn *l, uint64_t *out, uint64_t line, uint64_t address, uint64_t pc,
                     bool trigger, uint64_t page_lines);
/* A line came to the level. */
void ref_learn_filled(ref_learn *l, uint64_t line, bool own);

#endif
