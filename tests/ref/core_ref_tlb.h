/* core_ref_tlb.h - the oracle's address translation, from docs/core.md, for clarity alone. */
#ifndef PN_TESTS_REF_CORE_REF_TLB_H
#define PN_TESTS_REF_CORE_REF_TLB_H

#include <stdbool.h>

#include "core_ref.h"

enum { REF_PAGES = 1 << 16, REF_WALKERS = 16 };

typedef struct ref_page {
    bool there;
    uint64_t page, used, known; /* known: the cycle from which the entry can be used */
} ref_page;

typedef struct ref_pages {
    ref_page entries[REF_PAGES];
    uint64_t sets, ways;
    ref_tlb_count count;
} ref_pages;

typedef struct ref_tlb {
    bool on;
    uint64_t page_bytes, second, walk, uses;
    ref_pages data, code, both;
    int n_walkers;
    uint64_t busy_until[REF_WALKERS];
    uint64_t walks;
} ref_tlb;

void ref_tlb_init(ref_tlb *t, const pn_core_config *config);
/* The cycle in which the address is known, asked for in this one. */
uint64_t ref_tlb_ask(ref_tlb *t, uint64_t now, uint64_t address, bool code);

#endif
