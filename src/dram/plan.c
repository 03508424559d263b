/* plan.c - which command goes next on one bus, and when.
 *
 * First-ready first-come first-served, without a loop over cycles: every bank with queued bursts
 * of the kind being served offers one command (a row hit, an activate, or a precharge) at its
 * earliest legal cycle. The earliest offer wins and older bursts win ties; choose() says who goes
 * first when a column and a row command want the command bus at once.
 *
 * Turns: reads are served until write_high writes wait, or one waits for write_age (and the reads
 * present at the last turn had theirs); then writes until write_low are left, at least those above
 * it at the start, or all after a wait. With no read queued, writes below write_high start
 * write_idle after the last read.
 *
 * A burst older than age_cap takes over its bank, and no other burst's column command passes it. */
#include "dram/dram_priv.h"

static const pn_dram_choice no_choice = {NEVER, NEVER, NONE, 0, 0, 0};

void pn_dram_offer(pn_dram_choice *slot, const pn_dram_choice *offer)
{
    if (offer->ck < slot->ck || (offer->ck == slot->ck && offer->age < slot->age))
        *slot = *offer;
}

/* No command of a class can go before this cycle. */
static uint64_t earliest(const pn_dram_channel *ch, uint32_t class)
{
    return later(ch->floor_ck, ch->command_ck[class]);
}

/* Writes that a turn of theirs would serve now: 0 when it is not yet due. */
static uint32_t due_writes(const pn_dram_channel *ch)
{
    const pn_dram_config *c = &ch->dram->config;
    uint64_t age = ch->dram->timing.write_age;
    uint32_t writes = ch->count[WRITE];
    if (writes >= c->write_high)
        return writes - c->write_low;
    if (writes == 0 || age == 0)
        return 0;
    return ch->entries[ch->oldest[WRITE]].arrive_ck + age <= ch->floor_ck ? writes : 0;
}

static void choose_turn(pn_dram_channel *ch)
{
    uint32_t reads = ch->count[READ];
    uint32_t writes = ch->count[WRITE];
    if (ch->turn == READ) {
        uint32_t due = due_writes(ch);
        if (due > 0 && (reads == 0 || ch->served >= ch->quota)) {
            ch->turn = WRITE;
            ch->served = 0;
            ch->quota = due;
        }
    } else if (writes == 0 || (reads > 0 && ch->served >= ch->quota)) {
        ch->turn = READ;
        ch->served = 0;
        ch->quota = reads;
    }
    uint32_t kind = ch->turn;
    ch->hold_ck = 0;
    if (ch->turn == READ && reads == 0 && writes > 0) {
        kind = WRITE;
        if (ch->bursts[READ] > 0)
            ch->hold_ck = ch->last_read_ck + ch->dram->timing.write_idle;
    }
    if (kind == ch->kind)
        return;
    ch->kind = kind;
    ch->kind_ck = ch->floor_ck;
    ch->close_ck = 0; /* other banks may close now: look again */
}

static void find_aged(pn_dram_channel *ch)
{
    ch->aged = NONE;
    ch->aged_col = false;
    uint16_t oldest = ch->oldest[ch->kind];
    if (oldest == NONE)
        return;
    const pn_dram_entry *e = &ch->entries[oldest];
    uint64_t now = earliest(ch, ROWS);
    /* Posted writes wait for a drain as a matter of course: they age while writes are served. */
    uint64_t since = e->kind == READ ? e->arrive_ck : later(e->arrive_ck, ch->kind_ck);
    if (since + ch->dram->timing.age_cap >= now)
        return;
    const pn_dram_bank *bank = &ch->bank[e->bank];
    ch->aged = oldest;
    ch->aged_col = bank->open && bank->open_row == e->row && ch->rank[bank->rank].force_ck > now;
}

static bool blocked(const pn_dram_channel *ch, const pn_dram_bank *bank, uint64_t ck)
{
    const pn_dram_rank *rank = &ch->rank[bank->rank];
    return ck >= rank->force_ck && pn_dram_refresh_covers(ch, rank, bank);
}

/* What group, rank and bus allow, for the kind being served. */
static void limit_groups(pn_dram_channel *ch, uint32_t rank, uint32_t first, uint32_t end)
{
    uint32_t kind = ch->kind;
    uint64_t rows = later(earliest(ch, ROWS), ch->hold_ck);
    uint64_t columns = later(earliest(ch, COLUMNS), ch->hold_ck);
    uint64_t act = later(rows, ch->rank[rank].next_act);
    uint64_t col = later(columns, ch->rank[rank].next_col[kind]);
    for (uint32_t g = first; g < end; g++) {
        ch->limits[LIMIT_ACT + g] = later(act, ch->group[g].next_act);
        ch->limits[LIMIT_COL + g] = later(col, ch->group[g].next_col[kind]);
    }
    ch->limits[LIMIT_PRE] = rows;
}

/* Of a mask that is not empty. */
static bool is_lone(const uint64_t *mask)
{
    uint64_t any = mask[0] | mask[1];
    return (mask[0] == 0 || mask[1] == 0) && (any & (any - 1)) == 0;
}

static uint32_t lone_bank(const uint64_t *mask)
{
    return (uint32_t)__builtin_ctzll(mask[0] | mask[1]) + (mask[1] ? 64 : 0);
}

/* Only where the bursts are: a lone bank, or whole ranks. plan_arrival asks for more itself. */
static void set_limits(pn_dram_channel *ch)
{
    const uint64_t *pending = ch->pending_mask[ch->kind];
    if (is_lone(pending)) {
        const pn_dram_bank *bank = &ch->bank[lone_bank(pending)];
        limit_groups(ch, bank->rank, bank->group, bank->group + 1U);
        return;
    }
    uint32_t per_rank = ch->dram->config.groups;
    for (uint32_t r = 0; r < ch->rank_count; r++)
        if (ch->rank[r].pending > 0)
            limit_groups(ch, r, r * per_rank, (r + 1) * per_rank);
}

static void offer_bank(pn_dram_channel *ch, uint32_t index, const pn_dram_ready *ready)
{
    bool column = ready->limit >= LIMIT_COL && ready->limit < LIMIT_PRE;
    pn_dram_choice *slot = column ? &ch->col : &ch->row;
    uint64_t ck = later(ready->ck, ch->limits[ready->limit]);
    if (ck > slot->ck || (ck == slot->ck && ready->age > slot->age))
        return;
    const pn_dram_bank *bank = &ch->bank[index];
    if (blocked(ch, bank, ck) || (column && ch->aged_col && ready->entry != ch->aged))
        return;
    uint8_t command = ready->limit == LIMIT_PRE ? PN_DRAM_PRE
                      : !column                 ? PN_DRAM_ACT
                      : ch->kind == READ        ? PN_DRAM_RD
                                                : PN_DRAM_WR;
    *slot = (pn_dram_choice){ck, ready->age, ready->entry, command, (uint8_t)index, bank->rank};
}

/* The bank of an aged burst works for that burst, whatever else would hit. */
static void offer_aged(pn_dram_channel *ch)
{
    const pn_dram_entry *e = &ch->entries[ch->aged];
    const pn_dram_bank *bank = &ch->bank[e->bank];
    pn_dram_ready ready = {bank->next_act, e->seq, ch->aged, (uint8_t)(LIMIT_ACT + bank->group)};
    if (bank->open && bank->open_row == e->row) {
        ready.ck = bank->next_col;
        ready.limit = (uint8_t)(LIMIT_COL + bank->group);
    } else if (bank->open) {
        ready.ck = bank->next_pre;
        ready.limit = LIMIT_PRE;
    }
    offer_bank(ch, e->bank, &ready);
}

/* The bank of a mask, not empty, whose command comes first. Distance in cycles and
 * then age (of 2^24, from the oldest on; precharges last) make one number, so that the loop has no
 * branch to miss.
 */
static uint32_t first_bank(const pn_dram_channel *ch, const uint64_t *mask)
{
    const pn_dram_ready *ready = ch->ready[ch->kind];
    uint64_t now = ch->floor_ck;
    uint64_t oldest = ch->entries[ch->oldest[ch->kind]].seq;
    uint64_t best = NEVER;
    uint32_t first = 0;
    if (is_lone(mask))
        return lone_bank(mask);
    for (uint32_t word = 0; word < 2; word++) {
        for (uint64_t m = mask[word]; m; m &= m - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(m);
            uint64_t ck = later(ready[index].ck, ch->limits[ready[index].limit]);
            uint64_t age = ready[index].age;
            uint64_t key = (ck - now) << 25 | age >> 62 << 24 | ((age - oldest) & 0xffffff);
            first = key < best ? index : first;
            best = key < best ? key : best;
        }
    }
    return first;
}

/* A winner that a refresh blocks may hide one that is free: then every bank is asked. */
static bool offer_first(pn_dram_channel *ch, const uint64_t *mask)
{
    if ((mask[0] | mask[1]) == 0)
        return true;
    uint32_t index = first_bank(ch, mask);
    const pn_dram_ready *ready = &ch->ready[ch->kind][index];
    if (blocked(ch, &ch->bank[index], later(ready->ck, ch->limits[ready->limit])))
        return false;
    offer_bank(ch, index, ready);
    return true;
}

static void consider_bursts(pn_dram_channel *ch)
{
    const uint64_t *pending = ch->pending_mask[ch->kind];
    const uint64_t *hit = ch->hit_mask[ch->kind];
    const uint64_t rows[2] = {pending[0] & ~hit[0], pending[1] & ~hit[1]};
    if (ch->aged == NONE && offer_first(ch, hit) && offer_first(ch, rows))
        return;
    for (uint32_t word = 0; word < 2; word++) {
        for (uint64_t m = pending[word]; m; m &= m - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(m);
            if (ch->aged != NONE && ch->entries[ch->aged].bank == index)
                offer_aged(ch);
            else
                offer_bank(ch, index, &ch->ready[ch->kind][index]);
        }
    }
}

/* Offers the closing of one open row; returns the cycle it may close. Banks with bursts of the kind
 * being served are not asked: those hit, or close the row for a row of their own. */
static uint64_t consider_close(pn_dram_channel *ch, uint32_t index)
{
    const pn_dram_bank *bank = &ch->bank[index];
    if (bank->hit[READ] != NONE || bank->hit[WRITE] != NONE)
        return NEVER;
    uint64_t close = later(bank->next_pre, bank->last_use + ch->dram->timing.page_timeout);
    uint64_t ck = later(close, earliest(ch, ROWS));
    if (ck > ch->row.ck || blocked(ch, bank, ck))
        return close;
    pn_dram_choice offer = {ck, NEVER - 1, NONE, PN_DRAM_PRE, (uint8_t)index, bank->rank};
    pn_dram_offer(&ch->row, &offer);
    return close;
}

/* Rows nobody needs are closed after the page policy's time. close_ck bounds that from below, so
 * that most plans need not look. */
static void consider_closing(pn_dram_channel *ch)
{
    if (ch->dram->config.page == PN_DRAM_PAGE_OPEN || ch->close_ck > ch->row.ck)
        return;
    if (ch->col.ck < ch->close_ck)
        return;
    uint64_t first = NEVER;
    for (uint32_t word = 0; word < 2; word++) {
        uint64_t m = ch->open_mask[word] & ~ch->pending_mask[ch->kind][word];
        for (; m; m &= m - 1) {
            uint64_t ck = consider_close(ch, word * 64 + (uint32_t)__builtin_ctzll(m));
            first = ck < first ? ck : first;
        }
    }
    ch->close_ck = first;
}

/* No column command queues up: the data bus has gaps, before this one or after it. */
static bool bus_has_gaps(const pn_dram_channel *ch)
{
    const uint64_t *hit = ch->hit_mask[ch->kind];
    return is_lone(hit) || ch->col.ck > ch->last_col_ck + ch->dram->timing.col_s[READ][READ];
}

/* Both slots meet on one command bus. While data follow on data, a cycle lost to a row command is a
 * cycle of the data bus lost: columns go first. Where the data bus has gaps anyway, activates are
 * what traffic waits for (tFAW, tRC), and go first. */
static void choose(pn_dram_channel *ch)
{
    const pn_dram_timing *t = &ch->dram->timing;
    const pn_dram_choice *col = &ch->col;
    const pn_dram_choice *row = &ch->row;
    bool column = col->ck != NEVER;
    if (column && ch->dram->config.split_command_bus) {
        column = col->ck <= row->ck;
    } else if (column && row->ck != NEVER) {
        bool activate = row->command == PN_DRAM_ACT;
        column = activate && bus_has_gaps(ch) ? col->ck + t->col_slot <= row->ck
                                              : col->ck < row->ck + (activate ? t->act_slot : 1);
    }
    ch->plan = column ? *col : *row;
}

void pn_dram_plan(pn_dram_channel *ch)
{
    ch->dirty = false;
    ch->col = no_choice;
    ch->row = no_choice;
    ch->plan = no_choice;
    if (pn_dram_idle(ch))
        return;
    for (uint32_t r = 0; r < ch->rank_count; r++)
        ch->rank[r].force_ck = pn_dram_refresh_force(ch, &ch->rank[r]);
    if (ch->count[READ] | ch->count[WRITE]) {
        choose_turn(ch);
        find_aged(ch);
        set_limits(ch);
        consider_bursts(ch);
    }
    consider_closing(ch);
    choose(ch);
    bool refresh = false;
    for (uint32_t r = 0; r < ch->rank_count; r++) {
        if (ch->rank[r].force_ck == NEVER || ch->rank[r].force_ck > ch->plan.ck)
            continue;
        pn_dram_refresh_consider(ch, r);
        refresh = true;
    }
    if (refresh)
        choose(ch);
}

/* Whether a burst that arrived can change whose turn it is, or from when on. */
static bool changes_turn(const pn_dram_channel *ch, const pn_dram_entry *e)
{
    if (ch->hold_ck != 0 || ch->count[e->kind] == 1)
        return true;
    return e->kind != ch->kind && e->kind == WRITE &&
           ch->count[WRITE] == ch->dram->config.write_high;
}

/* Whether it can change when a refresh is due: it was the one that made the bus or rank busy. */
static bool changes_refresh(const pn_dram_channel *ch, const pn_dram_entry *e)
{
    const uint32_t *at = ch->dram->busy_at;
    return ch->count[e->kind] == at[e->kind] ||
           ch->rank[ch->bank[e->bank].rank].pending == at[READ];
}

void pn_dram_plan_arrival(pn_dram_channel *ch, uint16_t entry)
{
    const pn_dram_entry *e = &ch->entries[entry];
    if (changes_turn(ch, e) || changes_refresh(ch, e) || ch->plan.ck == NEVER ||
        ch->plan.bank == e->bank || ch->rank[ch->bank[e->bank].rank].pending == 1 ||
        (ch->aged != NONE && ch->entries[ch->aged].bank == e->bank))
        ch->dirty = true;
    if (ch->dirty || e->kind != ch->kind)
        return;
    pn_dram_ready ready = ch->ready[e->kind][e->bank];
    ready.ck = later(ready.ck, e->arrive_ck);
    const pn_dram_bank *bank = &ch->bank[e->bank];
    limit_groups(ch, bank->rank, bank->group, bank->group + 1U);
    offer_bank(ch, e->bank, &ready);
    choose(ch);
}

void pn_dram_run(pn_dram_channel *ch, uint64_t last_ck)
{
    if (ch->dirty)
        pn_dram_plan(ch);
    while (ch->plan.ck <= last_ck) {
        ch->floor_ck = ch->plan.ck;
        pn_dram_issue(ch, &ch->plan);
        pn_dram_plan(ch);
    }
    /* Without a log nobody misses an idle bus's refreshes before its next burst (port.c). */
    if (ch->dram->log && pn_dram_idle(ch))
        pn_dram_refresh_skip(ch, last_ck);
}
