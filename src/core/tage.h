/* tage.h - the direction predictor: a bimodal table and six partially tagged tables with histories
 * of 5 to 220 branches (Seznec and Michaud, 2006). Integer only; its coin is its own. */
#ifndef PN_CORE_TAGE_H
#define PN_CORE_TAGE_H

#include <stdbool.h>

#include "base/err.h"

typedef struct pn_tage pn_tage;

/* 2^log2_entries entries per tagged table, four times as many counters in the base. E_NOMEM. */
panem_status pn_tage_create(pn_tage **tage, uint32_t log2_entries, panem_error *err);
void pn_tage_destroy(pn_tage *tage);
/* Predicts and learns; true when right. */
bool pn_tage_step(pn_tage *tage, uint64_t pc, bool taken);
/* An unconditional branch: one bit of its target enters the history. */
void pn_tage_note(pn_tage *tage, uint64_t target);

#endif
