/* core_ref_prefetch.c - see core_ref_prefetch.h. Everything is a list with times of use; settings
 * are written out here again, so that a slip in the core's table shows. */
#include "core_ref_prefetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME = 64, REGION = 32, N_STRIDES = 256, N_STREAMS = 16, N_RECENT = 256 };
enum { N_REGIONS = 32, N_PRINTS = 2048, N_OFFSETS = 26 };

typedef struct stride {
    uint64_t pc, address;
    int64_t by;
    int sure, ahead;
} stride;

typedef struct stream {
    bool there;
    uint64_t frame, when;
    int64_t last, front; /* line in frame */
    int way, count;      /* way: +1 or -1 */
} stream;

typedef struct region {
    bool there, used[REGION];
    uint64_t number, when, key;
} region;

typedef struct footprint {
    uint64_t key;
    bool there, last[REGION], before[REGION];
} footprint;

struct ref_learn {
    ref_prefetcher kind;
    int level;
    uint64_t now;
    stride strides[N_STRIDES];
    stream streams[N_STREAMS];
    struct {
        bool there;
        uint64_t line;
    } recent[N_RECENT];
    int tested, rounds, scores[N_OFFSETS], best_score;
    uint64_t best;
    region regions[N_REGIONS];
    footprint prints[N_PRINTS];
};

/* What is proposed for one access. */
typedef struct ask {
    uint64_t line, page_lines, *out;
    int n;
} ask;

static bool propose(ask *a, uint64_t line)
{
    a->out[a->n++] = line;
    return line / a->page_lines == a->line / a->page_lines;
}

ref_learn *ref_learn_new(ref_prefetcher kind, int level)
{
    ref_learn *l = calloc(1, sizeof *l);
    assert(l);
    l->kind = kind;
    l->level = level;
    return l;
}

void ref_learn_level(ref_learn *l, int level)
{
    l->level = level;
}

void ref_learn_free(ref_learn *l)
{
    free(l);
}

static void next_line(const ref_learn *l, ask *a, bool trigger)
{
    static const uint64_t lines[] = {0, 1, 2, 4};
    for (uint64_t i = 1; trigger && i <= lines[l->level]; i++)
        if (!propose(a, a->line + i))
            break;
}

static void by_stride(ref_learn *l, ask *a, uint64_t address, uint64_t pc)
{
    static const int sure_enough[] = {3, 3, 2, 2}, far[] = {0, 2, 4, 8}, many[] = {0, 2, 2, 4};
    stride *e = &l->strides[(pc ^ (pc >> 8)) % N_STRIDES];
    int64_t by = (int64_t)(address - e->address);
    bool new_line = address / 64 != e->address / 64;
    if (pc == 0 || (e->pc == pc && by == 0))
        return;
    e->address = address;
    if (e->pc != pc) {
        e->pc = pc;
        e->by = e->sure = e->ahead = 0;
        return;
    }
    if (by != e->by) {
        e->ahead = 0;
        if (e->sure == 0)
            e->by = by;
        else
            e->sure--;
        return;
    }
    e->sure = e->sure < 3 ? e->sure + 1 : 3;
    if (!new_line)
        return;
    if (e->ahead)
        e->ahead--;
    int64_t step = e->by > -64 && e->by < 64 ? (e->by > 0 ? 64 : -64) : e->by;
    for (int i = 0; i < many[l->level] && e->sure >= sure_enough[l->level]; i++) {
        if (e->ahead >= far[l->level])
            break;
        uint64_t target = address + (uint64_t)(step * (e->ahead + 1));
        if (!propose(a, a->line + target / 64 - address / 64))
            break;
        e->ahead++;
    }
}

static stream *stream_of(ref_learn *l, uint64_t frame)
{
    stream *found = NULL;
    for (int i = 0; i < N_STREAMS && !found; i++)
        if (l->streams[i].there && l->streams[i].frame == frame)
            found = &l->streams[i];
    return found;
}

static void new_stream(ref_learn *l, uint64_t frame, int64_t at)
{
    stream *s = &l->streams[0];
    for (int i = 0; i < N_STREAMS; i++) {
        if (!l->streams[i].there) {
            s = &l->streams[i];
            break;
        }
        if (l->streams[i].when < s->when)
            s = &l->streams[i];
    }
    *s = (stream){true, frame, l->now, at, at, 1, 0};
}

static void streams(ref_learn *l, ask *a, bool trigger)
{
    static const int enough[] = {3, 3, 2, 2}, far[] = {0, 4, 16, 32}, many[] = {0, 2, 2, 4};
    uint64_t frame = a->line / FRAME;
    int64_t at = (int64_t)(a->line % FRAME);
    if (!trigger)
        return;
    stream *s = stream_of(l, frame);
    if (!s) {
        new_stream(l, frame, at);
        return;
    }
    s->when = l->now;
    if ((at - s->last) * s->way > 0) {
        s->count = s->count < 3 ? s->count + 1 : 3;
        s->last = at;
    } else if (at != s->last && s->count > 0) {
        s->count--;
    } else if (at != s->last) {
        s->way = -s->way;
        s->last = s->front = at;
    }
    if (s->count < enough[l->level])
        return;
    if ((s->front - s->last) * s->way < 0)
        s->front = s->last;
    for (int i = 0; i < many[l->level] && (s->front - s->last) * s->way < far[l->level]; i++) {
        if (!propose(a, (uint64_t)((int64_t)(frame * FRAME) + s->front + s->way)))
            return;
        s->front += s->way;
    }
}

static bool offset_is_on(const ref_learn *l)
{
    static const int above[] = {1000, 10, 1, 1};
    return l->best_score > above[l->level];
}

/* The i-th offset: numbers up to 60 made of 2, 3 and 5 alone. */
static uint64_t offset(int i)
{
    uint64_t d = 0;
    while (i-- >= 0) {
        uint64_t rest;
        do {
            rest = ++d;
            while (rest % 2 == 0)
                rest /= 2;
            while (rest % 3 == 0)
                rest /= 3;
            while (rest % 5 == 0)
                rest /= 5;
        } while (rest != 1);
    }
    return d;
}

static bool is_recent(const ref_learn *l, uint64_t line)
{
    uint64_t at = (line ^ (line >> 8)) % N_RECENT;
    return l->recent[at].there && l->recent[at].line == line;
}

static void best_offset(ref_learn *l, ask *a, bool trigger)
{
    static const uint64_t many[] = {0, 1, 1, 2};
    int highest = 0;
    if (!trigger)
        return;
    uint64_t d = offset(l->tested);
    if (a->line % FRAME >= d && is_recent(l, a->line - d))
        l->scores[l->tested]++;
    if (++l->tested == N_OFFSETS) {
        l->tested = 0;
        l->rounds++;
        for (int i = 0; i < N_OFFSETS; i++)
            highest = l->scores[i] > highest ? l->scores[i] : highest;
        if (highest >= 31 || l->rounds == 100) {
            for (int i = N_OFFSETS - 1; i >= 0; i--)
                if (l->scores[i] == highest)
                    l->best = offset(i);
            l->best_score = highest;
            l->rounds = 0;
            memset(l->scores, 0, sizeof l->scores);
        }
    }
    for (uint64_t i = 1; offset_is_on(l) && i <= many[l->level]; i++)
        if (!propose(a, a->line + i * l->best))
            return;
}

void ref_learn_filled(ref_learn *l, uint64_t line, bool own)
{
    uint64_t base = line;
    if (l->kind != REF_BEST_OFFSET)
        return;
    if (offset_is_on(l)) {
        if (!own || line % FRAME < l->best)
            return;
        base = line - l->best;
    }
    uint64_t at = (base ^ (base >> 8)) % N_RECENT;
    l->recent[at].there = true;
    l->recent[at].line = base;
}

static footprint *print_of(ref_learn *l, uint64_t key)
{
    return &l->prints[(key ^ (key >> 11) ^ (key >> 22)) % N_PRINTS];
}

static void close_region(ref_learn *l, const region *r)
{
    footprint *f = print_of(l, r->key);
    int used = 0;
    for (int i = 0; i < REGION; i++)
        used += r->used[i];
    if (used < 2)
        return;
    if (f->there && f->key == r->key)
        memcpy(f->before, f->last, sizeof f->before);
    else
        memset(f->before, 0, sizeof f->before);
    memcpy(f->last, r->used, sizeof f->last);
    f->key = r->key;
    f->there = true;
}

static void spatial(ref_learn *l, ask *a, uint64_t pc)
{
    static const int many[] = {0, 8, 16, 31};
    uint64_t number = a->line / REGION;
    unsigned at = (unsigned)(a->line % REGION);
    region *oldest = &l->regions[0];
    for (int i = 0; i < N_REGIONS; i++) {
        region *r = &l->regions[i];
        if (r->there && r->number == number) {
            r->used[at] = true;
            r->when = l->now;
            return;
        }
        if (oldest->there && (!r->there || r->when < oldest->when))
            oldest = r;
    }
    if (oldest->there)
        close_region(l, oldest);
    memset(oldest, 0, sizeof *oldest);
    *oldest = (region){.there = true, .number = number, .when = l->now, .key = pc * REGION + at};
    oldest->used[at] = true;
    const footprint *f = print_of(l, oldest->key);
    if (!f->there || f->key != oldest->key)
        return;
    for (unsigned i = 1; i < REGION && a->n < many[l->level]; i++) {
        unsigned k = (at + i) % REGION;
        bool wanted = l->level == 1   ? f->last[k] && f->before[k]
                      : l->level == 2 ? f->last[k]
                                      : f->last[k] || f->before[k];
        if (wanted)
            (void)propose(a, number * REGION + k);
    }
}

int ref_learn_access(ref_learn *l, uint64_t *out, uint64_t line, uint64_t address, uint64_t pc,
                     bool trigger, uint64_t page_lines)
{
    ask a = {line, page_lines, out, 0};
    l->now++;
    switch (l->kind) {
    case REF_STRIDE:
        by_stride(l, &a, address, pc);
        break;
    case REF_NEXT_LINE:
        next_line(l, &a, trigger);
        break;
    case REF_STREAM:
        streams(l, &a, trigger);
        break;
    case REF_BEST_OFFSET:
        best_offset(l, &a, trigger);
        break;
    case REF_SPATIAL:
        spatial(l, &a, pc);
        break;
    case REF_NONE:
        break;
    }
    return a.n;
}
