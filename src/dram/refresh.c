/* refresh.c - when refreshes are due and how they get their turn.
 *
 * Every rank owes one refresh per interval (tREFI; bank-wise: tREFI / sets) and pays it when due.
 * With refresh_spread buses have their refreshes evenly apart, as independent controllers would,
 * and the whole system never stops at once. On a busy bus (three quarters of the read queue, or
 * write_high writes) it may put up to refresh_postpone intervals off and then pays everything it
 * owes in one go, since every pause of the data costs the closing and opening of rows besides.
 * Ranks that refresh together (refresh_stagger off) are busy together. From force_ck on the banks
 * concerned take no other command: they are precharged and refreshed. While a bus is idle,
 * refreshes are only counted.
 */
#include "dram/dram_priv.h"

void pn_dram_refresh_init(pn_dram_channel *ch)
{
    const pn_dram_timing *t = &ch->dram->timing;
    uint64_t first = t->refresh_interval;
    if (ch->dram->config.refresh_spread)
        first -= t->refresh_interval * ch->index / ch->dram->channel_count;
    for (uint32_t r = 0; r < ch->rank_count; r++) {
        uint64_t shift = 0;
        if (ch->dram->config.refresh_stagger)
            shift = t->refresh_interval * r / ch->rank_count;
        ch->rank[r].refresh_due = t->refresh_sets ? first + shift : NEVER;
    }
}

/* Busy: so many bursts wait that lost bandwidth costs more than a later, longer stall. Ranks that
 * refresh together are busy together. */
static bool busy(const pn_dram_channel *ch, const pn_dram_rank *rank)
{
    const pn_dram *d = ch->dram;
    if (d->config.refresh_stagger)
        return rank->pending >= d->busy_at[READ];
    return ch->count[READ] >= d->busy_at[READ] || ch->count[WRITE] >= d->busy_at[WRITE];
}

uint64_t pn_dram_refresh_force(const pn_dram_channel *ch, const pn_dram_rank *rank)
{
    if (rank->refresh_due == NEVER || rank->refreshing || !busy(ch, rank))
        return rank->refresh_due;
    uint64_t off = ch->dram->timing.refresh_interval * ch->dram->config.refresh_postpone;
    return rank->refresh_due + off;
}

bool pn_dram_refresh_covers(const pn_dram_channel *ch, const pn_dram_rank *rank,
                            const pn_dram_bank *bank)
{
    const pn_dram_config *c = &ch->dram->config;
    if (c->refresh == PN_DRAM_REFRESH_ALL_BANK)
        return true;
    if (c->refresh == PN_DRAM_REFRESH_SAME_BANK)
        return bank->bank == rank->refresh_set;
    return (bank->group % c->groups) * c->banks + bank->bank == rank->refresh_set;
}

static void offer_row(pn_dram_channel *ch, uint64_t ck, uint32_t command, uint32_t rank,
                      uint32_t bank)
{
    pn_dram_choice offer = {0, 0, NONE, (uint8_t)command, (uint8_t)bank, (uint8_t)rank};
    offer.ck = later(ck, later(ch->floor_ck, ch->command_ck[ROWS]));
    pn_dram_offer(&ch->row, &offer);
}

static void consider_all(pn_dram_channel *ch, uint32_t r)
{
    const pn_dram_rank *rank = &ch->rank[r];
    if (rank->open == 0) {
        uint64_t ck = later(rank->force_ck, later(rank->closed_ck, rank->next_refresh));
        offer_row(ch, ck, PN_DRAM_REF, r, 0);
        return;
    }
    uint32_t per_rank = ch->banks_per_rank;
    uint64_t ck = rank->force_ck;
    for (uint32_t b = r * per_rank; b < (r + 1) * per_rank; b++)
        if (ch->bank[b].open)
            ck = later(ck, ch->bank[b].next_pre);
    offer_row(ch, ck, PN_DRAM_PREA, r, 0);
}

static void consider_banks(pn_dram_channel *ch, uint32_t r)
{
    const pn_dram_rank *rank = &ch->rank[r];
    uint32_t per_rank = ch->banks_per_rank;
    uint64_t ck = later(rank->force_ck, rank->next_refresh);
    bool open = false;
    for (uint32_t b = r * per_rank; b < (r + 1) * per_rank; b++) {
        const pn_dram_bank *bank = &ch->bank[b];
        if (!pn_dram_refresh_covers(ch, rank, bank))
            continue;
        ck = later(ck, bank->next_act);
        if (bank->open) {
            open = true;
            offer_row(ch, later(rank->force_ck, bank->next_pre), PN_DRAM_PRE, r, b);
        }
    }
    if (!open)
        offer_row(ch, ck, PN_DRAM_REFSB, r, 0);
}

void pn_dram_refresh_consider(pn_dram_channel *ch, uint32_t r)
{
    if (ch->dram->config.refresh == PN_DRAM_REFRESH_ALL_BANK)
        consider_all(ch, r);
    else
        consider_banks(ch, r);
}

/* When the next refresh of an idle rank happens. */
static uint64_t idle_refresh_ck(const pn_dram_channel *ch, const pn_dram_rank *rank)
{
    uint64_t ck = later(rank->refresh_due, later(rank->closed_ck, rank->next_refresh));
    return later(ck, later(ch->floor_ck, ch->command_ck[ROWS]));
}

/* Whole rounds over all sets are counted without being played: only the last one, which is played,
 * can still be under way (config.c: a refresh is shorter than its interval). */
static void skip_rounds(pn_dram_channel *ch, pn_dram_rank *rank, uint64_t last_ck)
{
    const pn_dram_timing *t = &ch->dram->timing;
    uint64_t round = t->refresh_interval * t->refresh_sets;
    uint64_t rounds = 0;
    /* A pause is most often short: a few additions are cheaper than a division. */
    while (rounds < 8 && last_ck - rank->refresh_due >= (rounds + 1) * round)
        rounds++;
    if (rounds == 8)
        rounds = (last_ck - rank->refresh_due) / round;
    rank->refresh_due += rounds * round;
    ch->refreshes += rounds * t->refresh_sets;
}

uint64_t pn_dram_refresh_uncounted(const pn_dram_channel *ch, uint64_t last_ck)
{
    uint64_t count = 0;
    if (!pn_dram_idle(ch))
        return 0;
    for (uint32_t r = 0; r < ch->rank_count; r++)
        if (ch->rank[r].refresh_due <= last_ck)
            count += (last_ck - ch->rank[r].refresh_due) / ch->dram->timing.refresh_interval + 1;
    return count;
}

static void play(pn_dram_channel *ch, uint32_t rank, uint64_t ck)
{
    pn_dram_issue_refresh(ch, rank, ck);
    ch->command_ck[ROWS] = ck + 1;
    ch->command_ck[COLUMNS] = later(ch->command_ck[COLUMNS], ck + 1);
}

/* In order of time over the ranks. */
static void play_all(pn_dram_channel *ch, uint64_t last_ck)
{
    for (;;) {
        uint32_t first = 0;
        uint64_t first_ck = NEVER;
        for (uint32_t r = 0; r < ch->rank_count; r++) {
            uint64_t ck = idle_refresh_ck(ch, &ch->rank[r]);
            if (ck < first_ck) {
                first_ck = ck;
                first = r;
            }
        }
        if (first_ck > last_ck)
            return;
        play(ch, first, first_ck);
    }
}

/* A refresh that is over before the next burst can come leaves nothing behind but its count. The
 * command bus may delay it by a cycle for every other rank. */
static bool is_over(const pn_dram_channel *ch, uint64_t ck, uint64_t last_ck)
{
    return ck + ch->rank_count + ch->dram->timing.rfc <= last_ck;
}

void pn_dram_refresh_skip(pn_dram_channel *ch, uint64_t last_ck)
{
    const pn_dram *d = ch->dram;
    if (d->timing.refresh_sets == 0)
        return;
    bool lone = d->timing.refresh_sets == 1 && !d->log; /* skip_rounds() leaves one per rank */
    bool together = lone && !d->config.refresh_stagger;
    for (uint32_t r = 0; r < ch->rank_count; r++) {
        pn_dram_rank *rank = &ch->rank[r];
        if (rank->refresh_due > last_ck)
            continue;
        if (!d->log)
            skip_rounds(ch, rank, last_ck);
        uint64_t ck = idle_refresh_ck(ch, rank);
        if (lone && is_over(ch, ck, last_ck)) {
            rank->refresh_due += d->timing.refresh_interval;
            rank->refreshing = false;
            ch->refreshes++;
        } else if (together && ck <= last_ck) {
            play(ch, r, ck); /* in the order of their numbers */
        }
    }
    if (!together)
        play_all(ch, last_ck);
}
