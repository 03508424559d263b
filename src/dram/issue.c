/* issue.c - what each command does to the bus, its bank, group and rank.
 *
 * A command only raises the earliest times of those after it; plan.c takes their maximum. */
#include "dram/dram_priv.h"

void pn_dram_log_command(const pn_dram_channel *ch, const pn_dram_command *command)
{
    if (ch->dram->log)
        ch->dram->log(ch->dram->log_user, command);
}

static void log_bank(const pn_dram_channel *ch, const pn_dram_choice *choice, uint32_t row,
                     uint32_t column)
{
    if (!ch->dram->log)
        return;
    const pn_dram_bank *bank = &ch->bank[choice->bank];
    uint32_t groups = ch->dram->config.groups;
    pn_dram_command command = {
        choice->ck, ch->index, choice->command, bank->rank, (uint8_t)(bank->group % groups),
        bank->bank, row,       column};
    pn_dram_log_command(ch, &command);
}

static void raise_to(uint64_t *next, uint64_t ck)
{
    if (*next < ck)
        *next = ck;
}

static void activate(pn_dram_channel *ch, const pn_dram_choice *choice)
{
    const pn_dram_timing *t = &ch->dram->timing;
    uint64_t ck = choice->ck;
    pn_dram_bank *bank = &ch->bank[choice->bank];
    pn_dram_rank *rank = &ch->rank[bank->rank];
    pn_dram_entry *e = &ch->entries[choice->entry];
    e->acted = 1;
    bank->open = true;
    bank->open_row = e->row;
    bank->last_use = ck;
    bank->columns = 0;
    bank->next_col = ck + t->rcd;
    bank->next_pre = ck + t->ras;
    bank->next_act = ck + t->rc;
    raise_to(&ch->group[bank->group].next_act, ck + t->rrd_l);
    rank->four[rank->four_at] = ck + t->faw;
    rank->four_at = (rank->four_at + 1) & 3;
    raise_to(&rank->next_act, later(ck + t->rrd_s, rank->four[rank->four_at]));
    raise_to(&rank->next_refresh, ck + t->rrd_s);
    rank->open++;
    ch->open_mask[choice->bank >> 6] |= UINT64_C(1) << (choice->bank & 63);
    pn_dram_queue_find_hits(ch, choice->bank);
    ch->activates++;
    log_bank(ch, choice, e->row, 0);
}

static void close_bank(pn_dram_channel *ch, uint32_t index, uint64_t ck)
{
    pn_dram_bank *bank = &ch->bank[index];
    pn_dram_rank *rank = &ch->rank[bank->rank];
    uint64_t closed = ck + ch->dram->timing.rp;
    bank->open = false;
    raise_to(&bank->next_act, closed);
    raise_to(&rank->closed_ck, closed);
    rank->open--;
    ch->open_mask[index >> 6] &= ~(UINT64_C(1) << (index & 63));
    pn_dram_queue_find_hits(ch, index);
    ch->precharges++;
}

static void precharge(pn_dram_channel *ch, const pn_dram_choice *choice)
{
    if (choice->entry != NONE)
        ch->entries[choice->entry].closed = 1;
    log_bank(ch, choice, 0, 0);
    close_bank(ch, choice->bank, choice->ck);
}

static void precharge_all(pn_dram_channel *ch, const pn_dram_choice *choice)
{
    uint32_t per_rank = ch->banks_per_rank;
    for (uint32_t b = choice->rank * per_rank; b < (choice->rank + 1U) * per_rank; b++)
        if (ch->bank[b].open)
            close_bank(ch, b, choice->ck);
    /* tRP holds for the whole rank, and what was begun is finished though the bus became busy. */
    raise_to(&ch->rank[choice->rank].next_act, choice->ck + ch->dram->timing.rp);
    ch->rank[choice->rank].refreshing = true;
    pn_dram_command command = {choice->ck, ch->index, PN_DRAM_PREA, choice->rank, ALL, ALL, 0, 0};
    pn_dram_log_command(ch, &command);
}

static void space_columns(pn_dram_channel *ch, const pn_dram_bank *bank, uint32_t kind, uint64_t ck)
{
    const pn_dram_timing *t = &ch->dram->timing;
    pn_dram_group *group = &ch->group[bank->group];
    for (uint32_t next = 0; next < KINDS; next++) {
        raise_to(&group->next_col[next], ck + t->col_l[kind][next]);
        for (uint32_t r = 0; r < ch->rank_count; r++) {
            uint64_t gap = r == bank->rank ? t->col_s[kind][next] : t->col_rank[kind][next];
            raise_to(&ch->rank[r].next_col[next], ck + gap);
        }
    }
}

static void count_row(pn_dram_channel *ch, const pn_dram_entry *e)
{
    if (e->closed)
        ch->conflicts++;
    else if (e->acted)
        ch->misses++;
    else
        ch->hits++;
}

static void column(pn_dram_channel *ch, const pn_dram_choice *choice)
{
    const pn_dram_timing *t = &ch->dram->timing;
    uint64_t ck = choice->ck;
    pn_dram_entry *e = &ch->entries[choice->entry];
    pn_dram_bank *bank = &ch->bank[e->bank];
    uint32_t kind = e->kind;
    space_columns(ch, bank, kind, ck);
    raise_to(&bank->next_pre, ck + (kind == READ ? t->read_pre : t->write_pre));
    bank->last_use = ck;
    bank->columns++;
    if (kind == READ)
        ch->last_read_ck = ck;
    ch->last_col_ck = ck;
    ch->served++;
    ch->bursts[kind]++;
    ch->turnarounds += ch->last_col != kind;
    ch->last_col = (uint8_t)kind;
    count_row(ch, e);
    log_bank(ch, choice, e->row, e->column);
    uint8_t cbusy = pn_dram_cbusy(ch);
    uint32_t request = e->request;
    pn_dram_queue_remove(ch, choice->entry, ck);
    uint64_t close = later(bank->next_pre, ck + t->page_timeout);
    ch->close_ck = close < ch->close_ck ? close : ch->close_ck;
    uint64_t data = kind == READ ? t->read_data : t->write_data;
    pn_dram_burst_done(ch->dram, request, ck + data, cbusy);
}

/* Banks of a bank-wise refresh; its name in the log. */
static void refresh_banks(pn_dram_channel *ch, uint32_t r, uint64_t ck, pn_dram_command *command)
{
    const pn_dram_timing *t = &ch->dram->timing;
    pn_dram_rank *rank = &ch->rank[r];
    uint32_t banks = ch->dram->config.banks;
    command->kind = PN_DRAM_REFSB;
    command->bank = (uint8_t)(rank->refresh_set % banks);
    if (ch->dram->config.refresh == PN_DRAM_REFRESH_PER_BANK)
        command->group = (uint8_t)(rank->refresh_set / banks);
    raise_to(&rank->next_act, ck + t->refsbrd);
    uint32_t per_rank = ch->banks_per_rank;
    for (uint32_t b = r * per_rank; b < (r + 1) * per_rank; b++) {
        if (!pn_dram_refresh_covers(ch, rank, &ch->bank[b]))
            continue;
        raise_to(&ch->bank[b].next_act, ck + t->rfc);
        pn_dram_bank_ready(ch, b, READ);
        pn_dram_bank_ready(ch, b, WRITE);
    }
}

void pn_dram_issue_refresh(pn_dram_channel *ch, uint32_t r, uint64_t ck)
{
    const pn_dram_timing *t = &ch->dram->timing;
    pn_dram_rank *rank = &ch->rank[r];
    pn_dram_command command = {ck, ch->index, PN_DRAM_REF, (uint8_t)r, ALL, ALL, 0, 0};
    if (ch->dram->config.refresh == PN_DRAM_REFRESH_ALL_BANK)
        raise_to(&rank->next_act, ck + t->rfc);
    else
        refresh_banks(ch, r, ck, &command);
    rank->next_refresh = ck + t->rfc;
    rank->refresh_due += t->refresh_interval;
    if (++rank->refresh_set == t->refresh_sets)
        rank->refresh_set = 0;
    rank->refreshing = rank->refresh_due <= ck;
    ch->refreshes++;
    pn_dram_log_command(ch, &command);
}

void pn_dram_issue(pn_dram_channel *ch, const pn_dram_choice *choice)
{
    const pn_dram_timing *t = &ch->dram->timing;
    uint64_t slot = 1;
    uint32_t class = ROWS;
    switch (choice->command) {
    case PN_DRAM_ACT:
        activate(ch, choice);
        slot = t->act_slot;
        break;
    case PN_DRAM_RD:
    case PN_DRAM_WR:
        column(ch, choice);
        slot = t->col_slot;
        class = COLUMNS;
        break;
    case PN_DRAM_PRE:
        precharge(ch, choice);
        break;
    case PN_DRAM_PREA:
        precharge_all(ch, choice);
        break;
    default:
        pn_dram_issue_refresh(ch, choice->rank, choice->ck);
        break;
    }
    ch->command_ck[class] = choice->ck + slot;
    if (!ch->dram->config.split_command_bus)
        ch->command_ck[1 - class] = choice->ck + slot;
}
