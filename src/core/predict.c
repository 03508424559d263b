/* predict.c - see predict.h. */
#include "core/predict.h"

#include <stdlib.h>

#include "core/tage.h"

enum { TARGET_LOG2 = 11, TARGETS = 1 << TARGET_LOG2 };

/* A remembered target; the tag is the address and, in the first table, the path. */
typedef struct target {
    uint64_t tag, pc;
    bool sure; /* it was right the last time: one miss does not replace it */
} target;

struct pn_predictor {
    pn_predictor_kind kind;
    uint32_t ras_entries, ras_top, ras_count;
    uint32_t gshare_mask;
    uint64_t path; /* recent indirect targets, hashed */
    uint64_t history;
    pn_predict_stats stats;
    pn_tage *tage;
    uint8_t *gshare;
    uint64_t *ras;
    target by_path[TARGETS], by_pc[TARGETS];
};

/* gshare has so many 2-bit counters per entry of a tagged table. */
enum { GSHARE_FACTOR = 8 };

panem_status pn_predictor_create(pn_predictor **predictor, const pn_core_config *config,
                                 panem_error *err)
{
    pn_predictor *p = calloc(1, sizeof *p);
    if (!p)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a branch predictor");
    uint32_t counters = (uint32_t)GSHARE_FACTOR << config->tage_log2_entries;
    p->kind = (pn_predictor_kind)config->predictor;
    p->ras_entries = config->ras_entries;
    p->gshare_mask = counters - 1;
    p->ras = calloc(p->ras_entries, sizeof *p->ras);
    p->gshare = calloc(counters, 1);
    panem_status status = pn_tage_create(&p->tage, config->tage_log2_entries, err);
    if (status == PANEM_OK && (!p->ras || !p->gshare))
        status = pn_err(err, PANEM_E_NOMEM, "no memory for a branch predictor");
    if (status != PANEM_OK) {
        pn_predictor_destroy(p);
        return status;
    }
    *predictor = p;
    return PANEM_OK;
}

void pn_predictor_destroy(pn_predictor *p)
{
    if (!p)
        return;
    pn_tage_destroy(p->tage);
    free(p->gshare);
    free(p->ras);
    free(p);
}

const pn_predict_stats *pn_predictor_stats(const pn_predictor *p)
{
    return &p->stats;
}

static bool gshare_step(pn_predictor *p, uint64_t pc, bool taken)
{
    uint8_t *counter = &p->gshare[((pc >> 2) ^ (pc >> 17) ^ p->history) & p->gshare_mask];
    bool guess = *counter >= 2;
    if (taken && *counter < 3)
        ++*counter;
    else if (!taken && *counter > 0)
        --*counter;
    p->history = p->history << 1 | taken;
    return guess == taken;
}

static bool conditional(pn_predictor *p, uint64_t pc, bool taken)
{
    p->stats.conditional++;
    bool right = p->kind == PN_PREDICTOR_GSHARE ? gshare_step(p, pc, taken)
                                                : pn_tage_step(p->tage, pc, taken);
    p->stats.conditional_missed += !right;
    return right;
}

static void learn_target(target *t, uint64_t tag, uint64_t pc)
{
    bool right = t->tag == tag && t->pc == pc;
    if (!right && t->sure) {
        t->sure = false;
        return;
    }
    *t = (target){tag, pc, right};
}

static bool indirect(pn_predictor *p, uint64_t pc, uint64_t next_pc)
{
    uint64_t mixed = (pc ^ p->path * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    target *first = &p->by_path[mixed >> (64 - TARGET_LOG2)];
    target *second = &p->by_pc[((pc >> 1) ^ (pc >> 12)) & (TARGETS - 1)];
    uint64_t guess = first->tag == mixed ? first->pc : second->tag == pc ? second->pc : 0;
    bool right = guess == next_pc;
    learn_target(first, mixed, next_pc);
    learn_target(second, pc, next_pc);
    p->path = p->path << 5 ^ next_pc >> 2;
    p->stats.indirect++;
    p->stats.indirect_missed += !right;
    return right;
}

static void call(pn_predictor *p, const pn_inst *inst)
{
    p->ras_top = (p->ras_top + 1) % p->ras_entries;
    p->ras[p->ras_top] = pn_inst_end(inst);
    if (p->ras_count < p->ras_entries)
        p->ras_count++;
}

static bool ret(pn_predictor *p, uint64_t next_pc)
{
    bool right = p->ras_count > 0 && p->ras[p->ras_top] == next_pc;
    if (p->ras_count > 0) {
        p->ras_top = (p->ras_top + p->ras_entries - 1) % p->ras_entries;
        p->ras_count--;
    }
    p->stats.returns++;
    p->stats.returns_missed += !right;
    return right;
}

bool pn_predictor_step(pn_predictor *p, const pn_inst *inst, bool taken, uint64_t next_pc)
{
    bool right = true;
    p->stats.branches++;
    if (p->kind == PN_PREDICTOR_PERFECT)
        return true;
    switch ((pn_branch)inst->branch) {
    case PN_BRANCH_COND:
        right = conditional(p, inst->pc, taken);
        break;
    case PN_BRANCH_JUMP_INDIRECT:
    case PN_BRANCH_CALL_INDIRECT:
        right = next_pc == 0 || indirect(p, inst->pc, next_pc);
        break;
    case PN_BRANCH_RETURN:
        right = next_pc == 0 || ret(p, next_pc);
        break;
    case PN_BRANCH_NONE:
    case PN_BRANCH_JUMP:
    case PN_BRANCH_CALL:
    case PN_BRANCH_COUNT:
        break;
    }
    if (inst->branch == PN_BRANCH_CALL || inst->branch == PN_BRANCH_CALL_INDIRECT)
        call(p, inst);
    if (inst->branch != PN_BRANCH_COND)
        pn_tage_note(p->tage, next_pc >> 2);
    return right;
}
