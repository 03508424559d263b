/* prefetch_spatial.c - footprints of regions by the instruction and the place that first touched
 * them (after Somogyi et al., Spatial Memory Streaming, ISCA 2006).
 *
 * A region is 2 KiB. The generation of a region lasts from its first access until its entry is
 * needed for another region; then the lines used are kept under the key (instruction, place of the
 * first access). The next region that begins with the same key brings them. */
#include "core/prefetch.h"

/* Table sizes: guess; the paper has 32 active regions and 16 Ki patterns. */
enum { REGION_LINES = 32, REGIONS = 32, PATTERNS = 2048 };

typedef struct region {
    uint64_t number, used; /* used 0: empty */
    uint64_t key;
    uint32_t lines; /* one bit each */
} region;

typedef struct pattern {
    uint64_t key;
    uint32_t last, before; /* of its last two generations; last 0: empty */
} pattern;

typedef struct spatial {
    region regions[REGIONS];
    pattern patterns[PATTERNS];
    uint64_t uses;
} spatial;

static pattern *slot(spatial *s, uint64_t key)
{
    return &s->patterns[(key ^ key >> 11 ^ key >> 22) % PATTERNS];
}

static void end_generation(spatial *s, const region *r)
{
    if ((r->lines & (r->lines - 1)) == 0) /* one line only, or no region */
        return;
    pattern *p = slot(s, r->key);
    uint32_t before = p->key == r->key ? p->last : 0;
    *p = (pattern){r->key, r->lines, before};
}

static region *find(spatial *s, uint64_t number)
{
    region *oldest = &s->regions[0];
    for (int i = 0; i < REGIONS; i++) {
        if (s->regions[i].used && s->regions[i].number == number)
            return &s->regions[i];
        if (s->regions[i].used < oldest->used)
            oldest = &s->regions[i];
    }
    return oldest;
}

static uint32_t expected(spatial *s, uint64_t key, uint32_t threshold)
{
    const pattern *p = slot(s, key);
    if (p->key != key)
        return 0;
    return threshold == 2 ? p->last & p->before : threshold == 1 ? p->last : p->last | p->before;
}

static void train(void *state, pn_prefetch_list *list, const pn_prefetch_access *a,
                  const pn_prefetch_tuning *t)
{
    spatial *s = state;
    uint64_t number = a->line / REGION_LINES;
    uint32_t place = (uint32_t)(a->line % REGION_LINES);
    region *r = find(s, number);
    bool begins = !r->used || r->number != number;
    if (begins) {
        end_generation(s, r);
        *r = (region){.number = number, .key = a->pc * REGION_LINES + place};
    }
    r->lines |= UINT32_C(1) << place;
    r->used = ++s->uses;
    if (!begins)
        return;
    uint32_t lines = expected(s, r->key, t->threshold);
    for (uint32_t i = 1; i < REGION_LINES; i++) {
        uint32_t other = (place + i) % REGION_LINES;
        if (list->count < t->degree && (lines >> other & 1))
            (void)pn_prefetch_propose(list, number * REGION_LINES + other);
    }
}

const pn_prefetch_ops pn_prefetch_spatial = {
    .name = "spatial", .state_bytes = sizeof(spatial), .train = train, .tuning = pn_tuning_spatial};
