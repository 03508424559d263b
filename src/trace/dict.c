/* dict.c - see dict.h. */
#include "trace/dict.h"

#include <xxhash.h>

/* ---- instructions ---------------------------------------------------------------------------- */

pn_inst *pn_inst_table_add(pn_inst_table *t, const pn_inst *inst)
{
    size_t segment = t->count / PN_INST_SEGMENT;
    if (t->count == UINT32_MAX)
        return NULL;
    if (segment == t->n_segments) {
        pn_inst **more = realloc(t->segments, (segment + 1) * sizeof *more);
        if (!more)
            return NULL;
        t->segments = more;
        more[segment] = malloc(PN_INST_SEGMENT * sizeof **more);
        if (!more[segment])
            return NULL;
        t->n_segments++;
    }
    pn_inst *at = pn_inst_at(t, t->count);
    *at = *inst;
    at->id = t->count++;
    return at;
}

void pn_inst_table_release(pn_inst_table *t)
{
    for (size_t i = 0; i < t->n_segments; i++)
        free(t->segments[i]);
    free(t->segments);
    memset(t, 0, sizeof *t);
}

/* Everything of an instruction but pc, target and id, as bytes in one order: 12 bytes, then the
 * register lists, then the instruction bytes. */
static size_t pack(uint8_t out[64], const pn_inst *inst)
{
    size_t n = 0;
    const uint8_t head[] = {
        (uint8_t)inst->flags, (uint8_t)(inst->flags >> 8),
        inst->length,         inst->cls,
        inst->branch,         inst->uops,
        inst->load_bytes,     inst->store_bytes,
        inst->writeback,      (uint8_t)(inst->n_dst | inst->n_addr << 4),
        inst->n_src,
    };
    memcpy(out, head, sizeof head);
    n += sizeof head;
    memcpy(out + n, inst->dst, inst->n_dst);
    n += inst->n_dst;
    memcpy(out + n, inst->addr, inst->n_addr);
    n += inst->n_addr;
    memcpy(out + n, inst->src, inst->n_src);
    n += inst->n_src;
    if (!(inst->flags & PN_INST_NO_BYTES)) {
        memcpy(out + n, inst->bytes, inst->length);
        n += inst->length;
    }
    return n;
}

bool pn_inst_encode(pn_bytes *out, const pn_inst *inst, uint64_t previous_end)
{
    uint8_t packed[64];
    if (!pn_bytes_reserve(out, sizeof packed + (size_t)2 * PN_VARINT_MAX))
        return false;
    pn_put_svarint(out, (int64_t)(inst->pc - previous_end));
    size_t n = pack(packed, inst);
    memcpy(out->data + out->length, packed, n);
    out->length += n;
    if (inst->branch != PN_BRANCH_NONE)
        pn_put_svarint(out, inst->target ? (int64_t)(inst->target - inst->pc) : 0);
    return true;
}

static void take(pn_cursor *c, uint8_t *to, size_t n)
{
    const uint8_t *at = pn_cursor_take(c, n);
    if (at)
        memcpy(to, at, n);
}

void pn_inst_decode(pn_cursor *c, pn_inst *inst, uint64_t previous_end)
{
    memset(inst, 0, sizeof *inst);
    inst->pc = previous_end + (uint64_t)pn_cursor_svarint(c);
    const uint8_t *h = pn_cursor_take(c, 11);
    if (!h)
        return;
    inst->flags = (uint16_t)(h[0] | h[1] << 8);
    inst->length = h[2];
    inst->cls = h[3];
    inst->branch = h[4];
    inst->uops = h[5];
    inst->load_bytes = h[6];
    inst->store_bytes = h[7];
    inst->writeback = h[8];
    inst->n_dst = h[9] & 15;
    inst->n_addr = h[9] >> 4;
    inst->n_src = h[10];
    bool has_bytes = !(inst->flags & PN_INST_NO_BYTES);
    if (inst->cls >= PN_CLASS_COUNT || inst->branch >= PN_BRANCH_COUNT ||
        inst->n_dst > PN_INST_DST || inst->n_addr > PN_INST_ADDR || inst->n_src > PN_INST_SRC ||
        inst->uops == 0 || (has_bytes && (inst->length == 0 || inst->length > PN_INST_BYTES))) {
        c->bad = true;
        inst->n_dst = inst->n_addr = inst->n_src = 0;
        return;
    }
    take(c, inst->dst, inst->n_dst);
    take(c, inst->addr, inst->n_addr);
    take(c, inst->src, inst->n_src);
    if (has_bytes)
        take(c, inst->bytes, inst->length);
    if (inst->branch != PN_BRANCH_NONE) {
        int64_t distance = pn_cursor_svarint(c);
        inst->target = distance ? inst->pc + (uint64_t)distance : 0;
    }
}

bool pn_inst_equal(const pn_inst *a, const pn_inst *b)
{
    uint8_t pa[64], pb[64];
    if (a->pc != b->pc || a->target != b->target)
        return false;
    size_t na = pack(pa, a), nb = pack(pb, b);
    return na == nb && memcmp(pa, pb, na) == 0;
}

uint64_t pn_inst_hash(const pn_inst *inst)
{
    uint8_t packed[64];
    size_t n = pack(packed, inst);
    return XXH64(packed, n, inst->pc);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool block_sound(const pn_block_def *def, uint32_t inst_count)
{
    if (def->n_insts == 0 || def->n_insts > PN_BLOCK_INSTS || def->n_slots > PN_BLOCK_ACCESSES ||
        def->flags > 7)
        return false;
    for (unsigned i = 0; i < def->n_insts; i++) {
        if (def->insts[i] >= inst_count)
            return false;
    }
    unsigned at = 0;
    for (unsigned i = 0; i < def->n_slots; i++) {
        const pn_slot *s = &def->slots[i];
        if (s->inst < at || s->inst >= def->n_insts || s->bytes > 64 || s->write > 1)
            return false;
        at = s->inst;
    }
    return true;
}

static bool room(void **array, uint32_t *capacity, uint32_t used, uint32_t more, size_t size)
{
    if (more <= *capacity - used)
        return true;
    uint64_t want = *capacity ? *capacity : 64;
    while (want - used < more)
        want *= 2;
    if (want > UINT32_MAX)
        return false;
    void *larger = realloc(*array, want * size);
    if (!larger)
        return false;
    *array = larger;
    *capacity = (uint32_t)want;
    return true;
}

/* Sums over the block that the totals are made of. */
static void weigh(pn_block *b, const pn_block_def *def, const pn_inst_table *insts)
{
    for (unsigned i = 0; i < def->n_slots; i++)
        b->n_writes = (uint16_t)(b->n_writes + def->slots[i].write);
    for (unsigned i = def->flags & PN_BLOCK_CONTINUES; i < def->n_insts; i++) {
        if (pn_inst_at(insts, def->insts[i])->flags & PN_INST_UNDECODED)
            b->n_undecoded++;
    }
}

bool pn_block_table_add(pn_block_table *t, const pn_block_def *def, const pn_inst_table *table)
{
    if (!block_sound(def, table->count))
        return false;
    void *blocks = t->blocks, *insts = t->insts, *slots = t->slots;
    bool good = room(&blocks, &t->capacity, t->count, 2, sizeof *t->blocks);
    t->blocks = blocks;
    good = good && room(&insts, &t->insts_capacity, t->n_insts, def->n_insts, sizeof *t->insts);
    t->insts = insts;
    good = good && room(&slots, &t->slots_capacity, t->n_slots, def->n_slots, sizeof *t->slots);
    t->slots = slots;
    if (!good)
        return false;
    if (t->count == 0)
        memset(&t->blocks[t->count++], 0, sizeof *t->blocks);
    pn_block *b = &t->blocks[t->count++];
    *b = (pn_block){t->n_insts, t->n_slots, def->n_insts, def->n_slots, 0, 0, def->flags};
    weigh(b, def, table);
    memcpy(t->insts + t->n_insts, def->insts, def->n_insts * sizeof *def->insts);
    if (def->n_slots)
        memcpy(t->slots + t->n_slots, def->slots, def->n_slots * sizeof *def->slots);
    t->n_insts += def->n_insts;
    t->n_slots += def->n_slots;
    return true;
}

void pn_block_table_release(pn_block_table *t)
{
    free(t->blocks);
    free(t->insts);
    free(t->slots);
    memset(t, 0, sizeof *t);
}

bool pn_block_encode(pn_bytes *out, const pn_block_table *t, uint32_t id, uint32_t *next_inst)
{
    const pn_block *b = &t->blocks[id];
    if (!pn_bytes_reserve(out, (size_t)PN_VARINT_MAX * (3 + b->n_insts + 2u * b->n_slots)))
        return false;
    pn_put_varint(out, b->n_insts);
    pn_put_u8(out, b->flags);
    for (unsigned i = 0; i < b->n_insts; i++) {
        uint32_t inst = t->insts[b->first_inst + i];
        pn_put_svarint(out, (int64_t)inst - (int64_t)*next_inst);
        *next_inst = inst + 1;
    }
    pn_put_varint(out, b->n_slots);
    unsigned at = 0;
    for (unsigned i = 0; i < b->n_slots; i++) {
        const pn_slot *s = &t->slots[b->first_slot + i];
        pn_put_varint(out, s->inst - at);
        pn_put_u8(out, (uint8_t)(s->bytes | s->write << 7));
        at = s->inst;
    }
    return true;
}

void pn_block_decode(pn_cursor *c, pn_block_def *def, uint32_t *insts, pn_slot *slots,
                     uint32_t *next_inst)
{
    memset(def, 0, sizeof *def);
    uint64_t n_insts = pn_cursor_varint(c);
    def->flags = (uint8_t)pn_cursor_le(c, 1);
    if (n_insts > PN_BLOCK_INSTS)
        c->bad = true;
    for (unsigned i = 0; i < n_insts && !c->bad; i++) {
        insts[i] = (uint32_t)(*next_inst + (uint64_t)pn_cursor_svarint(c));
        *next_inst = insts[i] + 1;
    }
    uint64_t n_slots = pn_cursor_varint(c);
    if (n_slots > PN_BLOCK_ACCESSES)
        c->bad = true;
    uint64_t at = 0;
    for (unsigned i = 0; i < n_slots && !c->bad; i++) {
        at += pn_cursor_varint(c);
        uint8_t shape = (uint8_t)pn_cursor_le(c, 1);
        if (at >= PN_BLOCK_INSTS)
            c->bad = true;
        slots[i] = (pn_slot){(uint16_t)at, shape & 0x7f, shape >> 7};
    }
    if (c->bad)
        return;
    def->insts = insts;
    def->slots = slots;
    def->n_insts = (uint16_t)n_insts;
    def->n_slots = (uint16_t)n_slots;
}

/* ---- the dynamic stream ---------------------------------------------------------------------- */

bool pn_chain_fit(pn_chain *chain, const pn_block_table *t)
{
    if (t->count >= chain->n_links) {
        uint64_t want = (uint64_t)t->count + t->count / 2 + 64;
        pn_link *links = realloc(chain->links, want * sizeof *links);
        if (!links)
            return false;
        memset(links + chain->n_links, 0, (want - chain->n_links) * sizeof *links);
        chain->links = links;
        chain->n_links = (uint32_t)want;
    }
    if (t->n_slots >= chain->n_last) {
        uint64_t want = (uint64_t)t->n_slots + t->n_slots / 2 + 64;
        uint64_t *last = realloc(chain->last, want * sizeof *last);
        if (!last)
            return false;
        chain->last = last;
        chain->n_last = (uint32_t)want;
    }
    return true;
}

void pn_chain_restart(pn_chain *chain)
{
    chain->epoch++;
    chain->previous = 0;
    chain->recent = 0;
    if (chain->epoch == 0) { /* wrapped: old stamps could look new */
        memset(chain->links, 0, chain->n_links * sizeof *chain->links);
        chain->epoch = 1;
    }
}

void pn_chain_release(pn_chain *chain)
{
    free(chain->links);
    free(chain->last);
    memset(chain, 0, sizeof *chain);
}
