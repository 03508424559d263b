/* tage.c - see tage.h. */
#include "core/tage.h"

#include <stdlib.h>

enum {
    TABLES = 6,
    HISTORY_BITS = 256, /* ring of outcomes, a power of two above the longest history */
    TAG_BITS = 11,
    COUNTER_MAX = 3, /* 3-bit signed: -4..3 */
    COUNTER_MIN = -4,
    USEFUL_MAX = 3,
    AGE_PERIOD = 1 << 18 /* branches between two halvings of the useful counters */
};

/* Geometric, ratio about 2.1. */
static const uint32_t LENGTHS[TABLES] = {5, 11, 23, 49, 104, 220};

typedef struct tagged {
    uint16_t tag;
    int8_t counter;
    uint8_t useful;
} tagged;

/* The last `length` outcomes folded into `bits` bits, kept up incrementally. */
typedef struct fold {
    uint32_t value, length, bits;
} fold;

struct pn_tage {
    uint32_t log2, base_mask, branches, coin;
    uint32_t newest;   /* place of the newest outcome */
    int32_t trust_new; /* above 0: the alternate beats a fresh entry */
    uint8_t outcome[HISTORY_BITS];
    fold index[TABLES], tag_a[TABLES], tag_b[TABLES];
    int8_t *base; /* 2-bit signed: -2..1 */
    tagged *tables[TABLES];
};

panem_status pn_tage_create(pn_tage **tage, uint32_t log2_entries, panem_error *err)
{
    pn_tage *t = calloc(1, sizeof *t);
    size_t base = (size_t)4 << log2_entries;
    bool whole = t != NULL;
    if (t) {
        t->log2 = log2_entries;
        t->base_mask = (uint32_t)base - 1;
        t->coin = 1;
        t->base = calloc(base, 1);
        whole = t->base != NULL;
        for (int i = 0; i < TABLES; i++) {
            t->index[i] = (fold){0, LENGTHS[i], log2_entries};
            t->tag_a[i] = (fold){0, LENGTHS[i], TAG_BITS};
            t->tag_b[i] = (fold){0, LENGTHS[i], TAG_BITS - 1};
            t->tables[i] = calloc((size_t)1 << log2_entries, sizeof(tagged));
            whole = whole && t->tables[i];
        }
    }
    if (!whole) {
        pn_tage_destroy(t);
        return pn_err(err, PANEM_E_NOMEM, "no memory for a branch predictor");
    }
    *tage = t;
    return PANEM_OK;
}

void pn_tage_destroy(pn_tage *t)
{
    if (!t)
        return;
    for (int i = 0; i < TABLES; i++)
        free(t->tables[i]);
    free(t->base);
    free(t);
}

static void fold_push(fold *f, uint32_t in, uint32_t out)
{
    f->value = f->value << 1 | in;
    f->value ^= out << f->length % f->bits;
    f->value ^= f->value >> f->bits;
    f->value &= (1U << f->bits) - 1;
}

static void push(pn_tage *t, uint32_t bit)
{
    t->newest = (t->newest + 1) % HISTORY_BITS;
    t->outcome[t->newest] = (uint8_t)bit;
    for (int i = 0; i < TABLES; i++) {
        uint32_t out = t->outcome[(t->newest + HISTORY_BITS - LENGTHS[i]) % HISTORY_BITS];
        fold_push(&t->index[i], bit, out);
        fold_push(&t->tag_a[i], bit, out);
        fold_push(&t->tag_b[i], bit, out);
    }
}

void pn_tage_note(pn_tage *t, uint64_t target)
{
    push(t, (uint32_t)(target ^ target >> 3) & 1);
}

/* What the tables say about one branch. */
typedef struct lookup {
    tagged *entry[TABLES];
    uint16_t tag[TABLES];
    int provider, alternate; /* tables, -1 = the base */
    bool provider_says, alternate_says, says;
} lookup;

static bool base_says(const pn_tage *t, uint64_t pc)
{
    return t->base[(pc >> 1) & t->base_mask] >= 0;
}

static bool table_says(const pn_tage *t, const lookup *l, int table, uint64_t pc)
{
    return table < 0 ? base_says(t, pc) : l->entry[table]->counter >= 0;
}

static bool fresh(const tagged *e)
{
    return e->useful == 0 && (e->counter == 0 || e->counter == -1);
}

static lookup look(pn_tage *t, uint64_t pc)
{
    lookup l = {.provider = -1, .alternate = -1};
    uint32_t mask = (1U << t->log2) - 1;
    for (int i = 0; i < TABLES; i++) {
        uint64_t where = (pc >> 1) ^ (pc >> (1 + t->log2)) ^ t->index[i].value ^ (pc >> (3 + i));
        l.entry[i] = &t->tables[i][where & mask];
        l.tag[i] = (uint16_t)(((pc >> 1) ^ t->tag_a[i].value ^ t->tag_b[i].value << 1) &
                              ((1U << TAG_BITS) - 1));
        if (l.entry[i]->tag == l.tag[i]) {
            l.alternate = l.provider;
            l.provider = i;
        }
    }
    l.provider_says = table_says(t, &l, l.provider, pc);
    l.alternate_says = table_says(t, &l, l.alternate, pc);
    bool use_alternate = l.provider >= 0 && fresh(l.entry[l.provider]) && t->trust_new > 0;
    l.says = use_alternate ? l.alternate_says : l.provider_says;
    return l;
}

static int8_t moved(int8_t counter, bool up, int low, int high)
{
    if (up)
        return counter < high ? (int8_t)(counter + 1) : counter;
    return counter > low ? (int8_t)(counter - 1) : counter;
}

/* After a wrong prediction: an entry in a table of longer history; about every second time a table
 * is skipped, so that bursts of allocations spread. */
static void allocate(pn_tage *t, lookup *l, bool taken)
{
    bool done = false;
    t->coin = t->coin * 1664525U + 1013904223U;
    int first = l->provider + 1;
    if (first < TABLES - 1 && t->coin >> 31)
        first++;
    for (int i = first; i < TABLES && !done; i++) {
        if (l->entry[i]->useful == 0) {
            *l->entry[i] = (tagged){l->tag[i], (int8_t)(taken ? 0 : -1), 0};
            done = true;
        }
    }
    for (int i = l->provider + 1; i < TABLES && !done; i++)
        if (l->entry[i]->useful)
            l->entry[i]->useful--;
}

static void age(pn_tage *t)
{
    if (++t->branches % AGE_PERIOD)
        return;
    for (int i = 0; i < TABLES; i++)
        for (size_t k = 0; k < (size_t)1 << t->log2; k++)
            t->tables[i][k].useful >>= 1;
}

static void learn(pn_tage *t, lookup *l, uint64_t pc, bool taken)
{
    if (l->provider >= 0) {
        tagged *e = l->entry[l->provider];
        if (fresh(e) && l->provider_says != l->alternate_says) {
            int step = l->alternate_says == taken ? 1 : -1;
            t->trust_new += step;
            if (t->trust_new > 7 || t->trust_new < -8)
                t->trust_new -= step;
        }
        if (l->provider_says != l->alternate_says) {
            if (l->provider_says == taken && e->useful < USEFUL_MAX)
                e->useful++;
            else if (l->provider_says != taken && e->useful)
                e->useful--;
        }
        e->counter = moved(e->counter, taken, COUNTER_MIN, COUNTER_MAX);
    } else {
        int8_t *b = &t->base[(pc >> 1) & t->base_mask];
        *b = moved(*b, taken, -2, 1);
    }
    if (l->says != taken && l->provider < TABLES - 1)
        allocate(t, l, taken);
}

bool pn_tage_step(pn_tage *t, uint64_t pc, bool taken)
{
    lookup l = look(t, pc);
    learn(t, &l, pc, taken);
    age(t);
    push(t, taken);
    return l.says == taken;
}
