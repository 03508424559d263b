/* prefetch_offset.c - best-offset (Michaud, HPCA 2016): learns which offset D would have been asked
 * for in time, and brings X + D for every X that would have missed.
 *
 * From the paper: offsets with no prime factor above 5, here those within a 4 KiB frame; 256 recent
 * requests; a phase ends after 100 rounds or with a score of 31. Other than there: recent requests
 * keep whole line numbers, and it begins switched off. */
#include "core/prefetch.h"

enum { OFFSETS = 26, RECENT = 256, SCORE_MAX = 31, ROUND_MAX = 100 };
enum { FRAME_LINES = PN_PREFETCH_FRAME_BYTES / PN_LINE_BYTES };

static const uint8_t OFFSET[OFFSETS] = {1,  2,  3,  4,  5,  6,  8,  9,  10, 12, 15, 16, 18,
                                        20, 24, 25, 27, 30, 32, 36, 40, 45, 48, 50, 54, 60};

typedef struct learner {
    uint64_t recent[RECENT]; /* line + 1; 0: empty */
    uint32_t score[OFFSETS];
    uint32_t next, round;
    uint64_t best; /* D; 0 before the first phase ended */
    uint32_t best_score;
} learner;

static uint64_t *slot(learner *b, uint64_t line)
{
    return &b->recent[(line ^ line >> 8) % RECENT];
}

static bool same_frame(uint64_t a, uint64_t b)
{
    return (a ^ b) < FRAME_LINES;
}

static void end_phase(learner *b)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < OFFSETS; i++)
        if (b->score[i] > b->score[best])
            best = i;
    b->best = OFFSET[best];
    b->best_score = b->score[best];
    b->round = 0;
    for (uint32_t i = 0; i < OFFSETS; i++)
        b->score[i] = 0;
}

/* One access tests one offset. */
static void learn(learner *b, uint64_t line)
{
    bool full = false;
    uint64_t base = line - OFFSET[b->next];
    if (same_frame(base, line) && *slot(b, base) == base + 1)
        b->score[b->next]++;
    if (++b->next < OFFSETS)
        return;
    b->next = 0;
    b->round++;
    for (uint32_t i = 0; i < OFFSETS; i++)
        full = full || b->score[i] >= SCORE_MAX;
    if (full || b->round == ROUND_MAX)
        end_phase(b);
}

static bool on(const learner *b, const pn_prefetch_tuning *t)
{
    return b->best_score > t->threshold && t->degree > 0;
}

static void train(void *state, pn_prefetch_list *list, const pn_prefetch_access *a,
                  const pn_prefetch_tuning *t)
{
    learner *b = state;
    if (!a->trigger)
        return;
    learn(b, a->line);
    if (!on(b, t))
        return;
    for (uint32_t i = 1; i <= t->degree; i++)
        if (!pn_prefetch_propose(list, a->line + i * b->best))
            return;
}

static void filled(void *state, uint64_t line, bool own, const pn_prefetch_tuning *t)
{
    learner *b = state;
    uint64_t base = line;
    if (on(b, t)) {
        base = line - b->best;
        if (!own || !same_frame(base, line))
            return;
    }
    *slot(b, base) = base + 1;
}

const pn_prefetch_ops pn_prefetch_best_offset = {.name = "best-offset",
                                                 .state_bytes = sizeof(learner),
                                                 .train = train,
                                                 .filled = filled,
                                                 .tuning = pn_tuning_best_offset};
