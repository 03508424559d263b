/* predict.h - branch prediction: direction, indirect targets, returns.
 *
 * One call per executed branch, in program order: it predicts, compares with what happened and
 * learns. Direction: a TAGE predictor (Seznec and Michaud, "A case for (partially) tagged geometric
 * history length branch prediction", 2006) with a bimodal base and six tagged tables; or gshare
 * (McFarling, 1993); or perfect. Indirect jumps and calls: a table tagged by the path of recent
 * targets in front of one by address. Returns: a stack that overwrites its oldest entry.
 *
 * Assumption: learning is immediate, not at commit.
 * NOT modelled: targets of direct branches (they are known at decode, as if the BTB were perfect),
 * loop predictors, statistical correctors, wrong-path pollution. */
#ifndef PN_CORE_PREDICT_H
#define PN_CORE_PREDICT_H

#include <stdbool.h>

#include "core/config.h"
#include "trace/inst.h"

typedef struct pn_predict_stats {
    uint64_t branches; /* of any kind */
    uint64_t conditional, conditional_missed;
    uint64_t indirect, indirect_missed;
    uint64_t returns, returns_missed;
} pn_predict_stats;

typedef struct pn_predictor pn_predictor;

/* E_NOMEM. */
panem_status pn_predictor_create(pn_predictor **predictor, const pn_core_config *config,
                                 panem_error *err);
void pn_predictor_destroy(pn_predictor *predictor);
/* True when the branch was predicted right. next_pc: where the program went, 0 = not known (then
 * targets count as right). inst->branch is not NONE. */
bool pn_predictor_step(pn_predictor *predictor, const pn_inst *inst, bool taken, uint64_t next_pc);
const pn_predict_stats *pn_predictor_stats(const pn_predictor *predictor);

#endif
