/* champsim_write.c - writing ChampSim's 64-byte records; see champsim.h. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "trace/bytes.h"
#include "trace/champsim.h"

enum { RECORD_BYTES = 64, REG_SP = 6, REG_FLAGS = 25, REG_IP = 26 };

struct pn_champsim_writer {
    pn_writer *file;
    pn_isa isa;
    pn_champsim_losses losses;
};

panem_status pn_champsim_create(pn_champsim_writer **writer, const char *path, pn_isa isa,
                                panem_error *err)
{
    pn_champsim_writer *w = calloc(1, sizeof *w);
    if (!w)
        return pn_err(err, PANEM_E_NOMEM, "no memory to write '%s'", path);
    w->isa = isa;
    panem_status status = pn_writer_open(&w->file, path, err);
    if (status != PANEM_OK) {
        free(w);
        return status;
    }
    *writer = w;
    return PANEM_OK;
}

/* Ours to theirs. Stack pointer and flags have fixed numbers there; the rest only must not collide:
 * 27 and up, in the order of ours. A foreign register goes back to where it came from. */
static uint8_t their_register(const pn_champsim_writer *w, uint8_t reg)
{
    bool ours = w->isa == PN_ISA_X86_64 || w->isa == PN_ISA_AARCH64;
    uint8_t sp = w->isa == PN_ISA_AARCH64 ? PN_REG_A64_SP : PN_REG_X86_RSP;
    if (reg == sp)
        return REG_SP;
    if (reg == PN_REG_FLAGS)
        return REG_FLAGS;
    if (ours)
        return (uint8_t)(reg + REG_IP);
    return reg == REG_SP ? PN_REG_X86_RSP : reg == REG_FLAGS ? PN_REG_FLAGS : reg;
}

typedef struct places {
    uint8_t dst[2], src[4];
    unsigned n_dst, n_src;
} places;

static void place(uint8_t *list, unsigned *n, unsigned room, uint8_t reg, uint64_t *lost)
{
    for (unsigned i = 0; i < *n; i++) {
        if (list[i] == reg)
            return;
    }
    if (*n < room)
        list[(*n)++] = reg;
    else
        ++*lost;
}

static void place_src(pn_champsim_writer *w, places *p, uint8_t reg)
{
    place(p->src, &p->n_src, 4, reg, &w->losses.registers);
}

static void place_dst(pn_champsim_writer *w, places *p, uint8_t reg)
{
    place(p->dst, &p->n_dst, 2, reg, &w->losses.registers);
}

/* ChampSim tells the kind of a branch from these registers alone. */
static void place_branch(pn_champsim_writer *w, places *p, pn_branch branch)
{
    bool call = branch == PN_BRANCH_CALL || branch == PN_BRANCH_CALL_INDIRECT;
    if (branch == PN_BRANCH_NONE)
        return;
    place_dst(w, p, REG_IP);
    if (call || branch == PN_BRANCH_COND)
        place_src(w, p, REG_IP);
    if (call || branch == PN_BRANCH_RETURN) {
        place_src(w, p, REG_SP);
        place_dst(w, p, REG_SP);
    }
}

/* Whether a register may be listed at all: an extra one would change the kind of a branch. */
static bool may_read(pn_branch branch, uint8_t theirs)
{
    switch (branch) {
    case PN_BRANCH_JUMP:
    case PN_BRANCH_CALL:
    case PN_BRANCH_RETURN:
        return theirs == REG_SP && branch != PN_BRANCH_JUMP;
    case PN_BRANCH_JUMP_INDIRECT:
    case PN_BRANCH_CALL_INDIRECT:
        return theirs != REG_FLAGS && theirs != REG_SP;
    default:
        return true;
    }
}

static void place_registers(pn_champsim_writer *w, places *p, const pn_inst *inst)
{
    pn_branch branch = (pn_branch)inst->branch;
    place_branch(w, p, branch);
    for (unsigned i = 0; i < inst->n_dst; i++)
        place_dst(w, p, their_register(w, inst->dst[i]));
    for (unsigned i = 0; i < inst->n_src; i++) {
        if (may_read(branch, their_register(w, inst->src[i])))
            place_src(w, p, their_register(w, inst->src[i]));
    }
    for (unsigned i = 0; i < inst->n_addr; i++) {
        if (may_read(branch, their_register(w, inst->addr[i])))
            place_src(w, p, their_register(w, inst->addr[i]));
    }
    bool indirect = branch == PN_BRANCH_JUMP_INDIRECT || branch == PN_BRANCH_CALL_INDIRECT;
    bool through_register = false;
    for (unsigned i = 0; i < p->n_src; i++)
        through_register = through_register || (p->src[i] != REG_IP && p->src[i] != REG_SP);
    if (indirect && !through_register) /* through a fixed address, or one relative to this */
        place_src(w, p, their_register(w, PN_REG_OTHER));
}

void pn_champsim_add(pn_champsim_writer *w, const pn_op *op)
{
    places p = {{0}, {0}, 0, 0};
    uint64_t dst_mem[2] = {0}, src_mem[4] = {0};
    unsigned stores = 0, loads = 0;
    for (unsigned i = 0; i < op->n_accesses; i++) {
        const pn_access *a = &op->accesses[i];
        if (a->write && stores < 2)
            dst_mem[stores++] = a->address;
        else if (!a->write && loads < 4)
            src_mem[loads++] = a->address;
        else
            w->losses.accesses++;
    }
    place_registers(w, &p, op->inst);
    uint8_t storage[RECORD_BYTES];
    pn_bytes out = {storage, 0, sizeof storage};
    pn_put_le(&out, op->inst->pc, 8);
    pn_put_u8(&out, op->inst->branch != PN_BRANCH_NONE);
    pn_put_u8(&out, op->flags & PN_OP_TAKEN ? 1 : 0);
    pn_put_u8(&out, p.dst[0]);
    pn_put_u8(&out, p.dst[1]);
    for (unsigned i = 0; i < 4; i++)
        pn_put_u8(&out, p.src[i]);
    for (unsigned i = 0; i < 2; i++)
        pn_put_le(&out, dst_mem[i], 8);
    for (unsigned i = 0; i < 4; i++)
        pn_put_le(&out, src_mem[i], 8);
    w->losses.parts += (op->flags & PN_OP_CONTINUES) != 0;
    pn_writer_add(w->file, storage, sizeof storage);
}

panem_status pn_champsim_commit(pn_champsim_writer *w, pn_champsim_losses *losses, panem_error *err)
{
    panem_status status = pn_writer_commit(w->file, err);
    if (losses && status == PANEM_OK)
        *losses = w->losses;
    free(w);
    return status;
}

void pn_champsim_abort(pn_champsim_writer *w)
{
    if (!w)
        return;
    pn_writer_abort(w->file);
    free(w);
}
