/* source.c - see source.h. */
#include "traffic/source.h"

enum { LINE_BYTES = 64 };
/* Streams of different sources lie this far apart. */
static const uint64_t STREAM_STRIDE = UINT64_C(1) << 35;

static uint64_t to_q8(double ps)
{
    return (uint64_t)(ps * 256.0 + 0.5);
}

void pn_source_set_gap(pn_source *source, double gap_ps)
{
    source->gap_q8 = to_q8(source->config.pattern == PN_PATTERN_BURST ? gap_ps / 2.0 : gap_ps);
}

/* Log-uniform without a logarithm: a binade in proportion, then uniform inside it. */
static uint64_t draw_phase_q8(pn_source *s)
{
    uint64_t low = s->config.burst_low_ps;
    uint64_t high = s->config.burst_high_ps;
    uint32_t binades = 0;
    while ((low << (binades + 1)) <= high && binades < 40)
        binades++;
    uint64_t from = low << pn_rng_below(&s->burst_rng, binades + 1);
    uint64_t to = 2 * from < high ? 2 * from : high;
    return (from + pn_rng_below(&s->burst_rng, to - from + 1)) << 8;
}

static uint64_t draw_gap_q8(pn_source *s, uint64_t now_q8)
{
    uint64_t mean_q8 = s->gap_q8;
    if (s->config.pattern == PN_PATTERN_PHASE &&
        (((now_q8 >> 8) - s->config.start_ps) / s->config.phase_ps & 1))
        mean_q8 = s->other_gap_q8;
    return s->config.arrival == PN_ARRIVAL_EVEN ? mean_q8 : pn_rng_exp(&s->rng, mean_q8);
}

/* Moves a time past the off-phases it falls into. */
static uint64_t skip_off_phases(pn_source *s, uint64_t due_q8)
{
    while (due_q8 >= s->phase_end_q8) {
        due_q8 += s->phase_q8; /* the off-phase is as long as the on-phase was */
        s->phase_end_q8 += s->phase_q8;
        s->phase_q8 = draw_phase_q8(s);
        s->phase_end_q8 += s->phase_q8;
    }
    return due_q8;
}

/* Streams lie far apart and begin at random lines: streams a power of two apart would walk through
 * the same banks side by side. */
static void place_streams(pn_source *s)
{
    pn_rng rng;
    pn_rng_init(&rng, s->config.seed, ~s->config.stream);
    for (uint64_t kind = 0; kind < 2; kind++)
        s->address[kind] = (2 * s->config.stream + kind) * STREAM_STRIDE +
                           pn_rng_below(&rng, STREAM_STRIDE / LINE_BYTES) * LINE_BYTES;
}

void pn_source_init(pn_source *source, const pn_source_config *config)
{
    *source = (pn_source){.config = *config};
    pn_rng_init(&source->rng, config->seed, config->stream);
    pn_rng_init(&source->burst_rng, config->seed, UINT64_MAX);
    pn_source_set_gap(source, config->gap_ps);
    source->other_gap_q8 = to_q8(config->phase_gap_ps);
    place_streams(source);
    source->mix_q32 = pn_rng_u64(&source->rng) >> 32;
    uint64_t start_q8 = config->start_ps << 8;
    source->due_q8 =
        start_q8 + pn_rng_below(&source->rng, source->gap_q8 + 1); /* they start apart */
    if (config->pattern == PN_PATTERN_BURST) {
        source->phase_q8 = draw_phase_q8(source);
        source->phase_end_q8 = start_q8 + source->phase_q8;
        source->due_q8 = skip_off_phases(source, source->due_q8);
    }
}

uint64_t pn_source_due_ps(const pn_source *source)
{
    if (source->in_flight >= source->config.outstanding)
        return UINT64_MAX;
    return (source->due_q8 + 255) >> 8;
}

static bool next_is_read(pn_source *s)
{
    uint64_t frac_q32 = (uint64_t)(s->config.read_frac * 4294967296.0 + 0.5);
    if (s->config.mixing == PN_MIXING_RANDOM)
        return pn_rng_u64(&s->rng) >> 32 < frac_q32;
    s->mix_q32 += frac_q32;
    bool read = s->mix_q32 >= UINT64_C(1) << 32;
    s->mix_q32 &= UINT32_MAX;
    return read;
}

static uint64_t next_address(pn_source *s, int kind)
{
    double share = s->config.random_share;
    s->random_line = share > 0.0 && (double)(pn_rng_u64(&s->rng) >> 32) < share * 4294967296.0;
    if (s->random_line)
        return pn_rng_below(&s->rng, s->config.capacity_bytes / LINE_BYTES) * LINE_BYTES;
    uint64_t address = s->address[kind];
    s->address[kind] += LINE_BYTES;
    return address;
}

void pn_source_send(pn_source *source, uint64_t now_ps, bool *is_read, uint64_t *address)
{
    *is_read = next_is_read(source);
    *address = next_address(source, !*is_read);
    source->in_flight++;
    uint64_t sent_q8 = now_ps << 8;
    if (source->due_q8 > sent_q8 - 256 && source->due_q8 <= sent_q8)
        sent_q8 = source->due_q8; /* keep the fraction: the mean gap stays exact */
    source->due_q8 = sent_q8 + draw_gap_q8(source, sent_q8);
    if (source->config.pattern == PN_PATTERN_BURST)
        source->due_q8 = skip_off_phases(source, source->due_q8);
}

void pn_source_done(pn_source *source, uint64_t now_ps)
{
    bool was_blocked = source->in_flight >= source->config.outstanding;
    source->in_flight--;
    if (!was_blocked || source->due_q8 >= now_ps << 8)
        return;
    source->due_q8 = now_ps << 8;
    if (source->config.pattern == PN_PATTERN_BURST)
        source->due_q8 = skip_off_phases(source, source->due_q8);
}
