/* rows.h - the answer of a query as one table of texts. Starts zeroed. */
#ifndef PN_REPORT_ROWS_H
#define PN_REPORT_ROWS_H

#include "sweep/store.h"

typedef struct pn_answer {
    char **names;
    char **cells; /* row by row; NULL: no value */
    size_t columns, rows;
    size_t filled;
    bool failed;
} pn_answer;

/* E_NOMEM and the store's errors. */
panem_status pn_answer_fetch(pn_answer *answer, pn_store *store, const char *sql, panem_error *err);
void pn_answer_release(pn_answer *answer);

/* The column's index; columns when there is none of that name. */
size_t pn_answer_column(const pn_answer *answer, const char *name);
/* "" for no value or no column. */
const char *pn_answer_text(const pn_answer *answer, size_t row, size_t column);
/* NaN for no number. */
double pn_answer_number(const pn_answer *answer, size_t row, size_t column);

#endif
