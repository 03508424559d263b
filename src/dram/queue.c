/* queue.c - queued bursts of one bus: a pool, a list per bank and kind, a list per kind.
 *
 * All lists are in order of arrival. A bank's `hit` is always the oldest burst of its kind for the
 * open row, NONE when the bank is closed or no burst hits. */
#include "dram/dram_priv.h"

void pn_dram_queue_init(pn_dram_channel *ch, uint32_t entry_count)
{
    for (uint32_t i = 0; i < entry_count; i++)
        ch->entries[i].next = (uint16_t)(i + 1 < entry_count ? i + 1 : NONE);
    ch->free_entry = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        ch->oldest[kind] = NONE;
        ch->newest[kind] = NONE;
        for (uint32_t b = 0; b < ch->bank_count; b++) {
            ch->bank[b].head[kind] = NONE;
            ch->bank[b].tail[kind] = NONE;
            ch->bank[b].hit[kind] = NONE;
        }
    }
}

uint32_t pn_dram_bank_of(const pn_dram_channel *ch, const pn_dram_place *place)
{
    uint32_t banks = ch->dram->config.banks;
    return (place->rank * ch->dram->config.groups + place->group) * banks + place->bank;
}

static void count_area(pn_dram_channel *ch, uint64_t ck)
{
    ch->area_ck += (uint64_t)(ch->count[READ] + ch->count[WRITE]) * (ck - ch->area_at_ck);
    ch->area_at_ck = ck;
}

static void append(pn_dram_channel *ch, pn_dram_bank *bank, uint16_t index)
{
    pn_dram_entry *e = &ch->entries[index];
    uint32_t kind = e->kind;
    e->next = NONE;
    e->prev = bank->tail[kind];
    if (e->prev == NONE)
        bank->head[kind] = index;
    else
        ch->entries[e->prev].next = index;
    bank->tail[kind] = index;
    e->newer = NONE;
    e->older = ch->newest[kind];
    if (e->older == NONE)
        ch->oldest[kind] = index;
    else
        ch->entries[e->older].newer = index;
    ch->newest[kind] = index;
}

uint16_t pn_dram_queue_add(pn_dram_channel *ch, const pn_dram_place *place, uint32_t kind,
                           uint32_t request, uint64_t arrive_ck)
{
    uint16_t index = ch->free_entry;
    pn_dram_entry *e = &ch->entries[index];
    ch->free_entry = e->next;
    e->arrive_ck = arrive_ck;
    e->seq = ++ch->seq;
    e->row = place->row;
    e->column = place->column;
    e->request = request;
    e->bank = (uint8_t)pn_dram_bank_of(ch, place);
    e->kind = (uint8_t)kind;
    e->acted = 0;
    e->closed = 0;
    pn_dram_bank *bank = &ch->bank[e->bank];
    append(ch, bank, index);
    if (bank->open && bank->open_row == e->row && bank->hit[kind] == NONE)
        bank->hit[kind] = index;
    ch->pending_mask[kind][e->bank >> 6] |= UINT64_C(1) << (e->bank & 63);
    count_area(ch, arrive_ck);
    ch->count[kind]++;
    ch->rank[bank->rank].pending++;
    pn_dram_bank_ready(ch, e->bank, kind);
    return index;
}

static void unlink_bank(pn_dram_channel *ch, pn_dram_bank *bank, const pn_dram_entry *e)
{
    uint32_t kind = e->kind;
    if (e->prev == NONE)
        bank->head[kind] = e->next;
    else
        ch->entries[e->prev].next = e->next;
    if (e->next == NONE)
        bank->tail[kind] = e->prev;
    else
        ch->entries[e->next].prev = e->prev;
    if (bank->head[kind] == NONE)
        ch->pending_mask[kind][e->bank >> 6] &= ~(UINT64_C(1) << (e->bank & 63));
}

static void unlink_age(pn_dram_channel *ch, const pn_dram_entry *e)
{
    if (e->older == NONE)
        ch->oldest[e->kind] = e->newer;
    else
        ch->entries[e->older].newer = e->newer;
    if (e->newer == NONE)
        ch->newest[e->kind] = e->older;
    else
        ch->entries[e->newer].older = e->older;
}

static uint16_t first_hit(const pn_dram_channel *ch, uint16_t index, uint32_t row)
{
    while (index != NONE && ch->entries[index].row != row)
        index = ch->entries[index].next;
    return index;
}

void pn_dram_queue_remove(pn_dram_channel *ch, uint16_t index, uint64_t ck)
{
    pn_dram_entry *e = &ch->entries[index];
    pn_dram_bank *bank = &ch->bank[e->bank];
    unlink_bank(ch, bank, e);
    unlink_age(ch, e);
    /* Bursts before the oldest hit do not hit, so the next one lies behind it. */
    if (bank->hit[e->kind] == index)
        bank->hit[e->kind] = first_hit(ch, e->next, bank->open_row);
    pn_dram_bank_ready(ch, e->bank, READ);
    pn_dram_bank_ready(ch, e->bank, WRITE);
    count_area(ch, ck);
    ch->count[e->kind]--;
    ch->rank[bank->rank].pending--;
    uint64_t wait = ck - e->arrive_ck;
    ch->wait_ck += wait;
    ch->wait_max_ck = later(ch->wait_max_ck, wait);
    e->next = ch->free_entry;
    ch->free_entry = index;
}

/* The open row served so many while the bank's oldest burst waits for another one: enough. */
static bool capped(const pn_dram_channel *ch, const pn_dram_bank *bank, uint32_t kind)
{
    uint32_t cap = ch->dram->config.hit_cap;
    return cap > 0 && bank->columns >= cap && bank->hit[kind] != bank->head[kind];
}

void pn_dram_bank_ready(pn_dram_channel *ch, uint32_t index, uint32_t kind)
{
    const pn_dram_bank *bank = &ch->bank[index];
    pn_dram_ready *ready = &ch->ready[kind][index];
    uint64_t bit = UINT64_C(1) << (index & 63);
    ch->hit_mask[kind][index >> 6] &= ~bit;
    ready->entry = bank->head[kind];
    if (ready->entry == NONE)
        return;
    if (!bank->open) {
        ready->ck = bank->next_act;
        ready->limit = (uint8_t)(LIMIT_ACT + bank->group);
    } else if (bank->hit[kind] != NONE && !capped(ch, bank, kind)) {
        ready->entry = bank->hit[kind];
        ready->ck = bank->next_col;
        ready->limit = (uint8_t)(LIMIT_COL + bank->group);
        ch->hit_mask[kind][index >> 6] |= bit;
    } else {
        ready->ck = bank->next_pre;
        ready->limit = LIMIT_PRE;
    }
    ready->age = ch->entries[ready->entry].seq;
    if (ready->limit == LIMIT_PRE)
        ready->age |= AGE_PRECHARGE;
}

void pn_dram_queue_find_hits(pn_dram_channel *ch, uint32_t index)
{
    pn_dram_bank *bank = &ch->bank[index];
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        bank->hit[kind] = bank->open ? first_hit(ch, bank->head[kind], bank->open_row) : NONE;
        pn_dram_bank_ready(ch, index, kind);
    }
}

bool pn_dram_queue_has_write(const pn_dram_channel *ch, const pn_dram_place *place)
{
    uint16_t index = ch->bank[pn_dram_bank_of(ch, place)].head[WRITE];
    for (; index != NONE; index = ch->entries[index].next)
        if (ch->entries[index].row == place->row && ch->entries[index].column == place->column)
            return true;
    return false;
}
