/* rules.h - an independent judge of DRAM command logs.
 *
 * Written from the timing rules, pair by pair: every command is held against every earlier one of
 * its bus that is near enough to matter. It shares nothing with the scheduler but the description
 * of the configuration and the shape of a log record. */
#ifndef PN_TESTS_DRAM_RULES_H
#define PN_TESTS_DRAM_RULES_H

#include <stddef.h>

#include "dram/dram.h"

/* rule, name in reports */
#define RULES(X)                               \
    X(ORDER, "order")                          \
    X(COMMAND_BUS, "command bus")              \
    X(FIELDS, "fields")                        \
    X(ROW_OPEN, "row open")                    \
    X(ROW_CLOSED, "row closed")                \
    X(REF_CLOSED, "refresh of closed banks")   \
    X(TRCD, "tRCD")                            \
    X(TRP, "tRP")                              \
    X(TRAS, "tRAS")                            \
    X(TRC, "tRC")                              \
    X(TRRD_S, "tRRD_S")                        \
    X(TRRD_L, "tRRD_L")                        \
    X(TFAW, "tFAW")                            \
    X(TCCD_S, "tCCD_S")                        \
    X(TCCD_L, "tCCD_L")                        \
    X(TCCD_L_WR, "tCCD_L_WR")                  \
    X(TWR, "tWR")                              \
    X(TWTR_S, "tWTR_S")                        \
    X(TWTR_L, "tWTR_L")                        \
    X(TRTP, "tRTP")                            \
    X(TRTW, "read to write")                   \
    X(TRTRS, "rank switch")                    \
    X(DATA_BUS, "data bus")                    \
    X(TRFC, "tRFC")                            \
    X(TREFSBRD, "tREFSBRD")                    \
    X(TREFI_EARLY, "refresh before it is due") \
    X(TREFI_LATE, "refresh put off too long")

typedef enum rule {
#define RULE_ENUM(id, name) RULE_##id,
    RULES(RULE_ENUM)
#undef RULE_ENUM
        RULE_COUNT
} rule;

const char *rule_name(rule r);

typedef struct verdict {
    uint64_t broken[RULE_COUNT];
    uint64_t judged[RULE_COUNT]; /* how often the rule applied */
    int64_t slack[RULE_COUNT];   /* smallest actual - required, cycles; INT64_MAX: never applied */
    size_t at[RULE_COUNT];       /* log index of the later command of that pair */
    size_t first;                /* log index of the first broken rule */
    rule first_rule;             /* RULE_COUNT: none */
} verdict;

/* Judges a whole log. end_ck: the cycle up to which refreshes are owed; 0: do not ask for them. */
void judge(verdict *v, const pn_dram_config *config, const pn_dram_command *log, size_t count,
           uint64_t end_ck);

#endif
