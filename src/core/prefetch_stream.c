/* prefetch_stream.c - streams of misses through a 4 KiB frame, up or down (after [FDP] and the
 * stream prefetchers of server cores). */
#include "core/prefetch.h"

/* Streams followed at a time: guess; COUNT_MAX: a stream survives two steps out of order. */
enum { STREAMS = 16, COUNT_MAX = 3, FRAME_LINES = PN_PREFETCH_FRAME_BYTES / PN_LINE_BYTES };

typedef struct stream {
    uint64_t frame, used; /* used 0: empty */
    uint64_t last, front; /* the furthest line seen, the furthest proposed */
    uint32_t count;       /* steps in this direction */
    bool down;
} stream;

typedef struct streams {
    stream list[STREAMS];
    uint64_t uses;
} streams;

/* The frame's stream, or the one used longest ago. */
static stream *find(streams *s, uint64_t frame)
{
    stream *oldest = &s->list[0];
    for (int i = 0; i < STREAMS; i++) {
        if (s->list[i].used && s->list[i].frame == frame)
            return &s->list[i];
        if (s->list[i].used < oldest->used)
            oldest = &s->list[i];
    }
    return oldest;
}

static void step(stream *e, uint64_t line)
{
    if ((line < e->last) == e->down) {
        e->count += e->count < COUNT_MAX;
        e->last = line;
    } else if (e->count > 0) {
        e->count--;
    } else {
        e->down = !e->down;
        e->last = e->front = line;
    }
}

static void train(void *state, pn_prefetch_list *list, const pn_prefetch_access *a,
                  const pn_prefetch_tuning *t)
{
    streams *s = state;
    if (!a->trigger)
        return;
    uint64_t frame = a->line / FRAME_LINES;
    stream *e = find(s, frame);
    if (!e->used || e->frame != frame)
        *e = (stream){.frame = frame, .last = a->line, .front = a->line};
    else if (a->line != e->last)
        step(e, a->line);
    e->used = ++s->uses;
    if (e->count < t->threshold)
        return;
    if (e->down ? e->front > e->last : e->front < e->last)
        e->front = e->last;
    for (uint32_t n = 0; n < t->degree; n++) {
        uint64_t ahead = e->down ? e->last - e->front : e->front - e->last;
        uint64_t next = e->down ? e->front - 1 : e->front + 1;
        if (ahead >= t->distance || !pn_prefetch_propose(list, next))
            return;
        e->front = next;
    }
}

const pn_prefetch_ops pn_prefetch_stream = {
    .name = "stream", .state_bytes = sizeof(streams), .train = train, .tuning = pn_tuning_stream};
