/* sweep.c - see sweep.h. */
#include "import/sweep.h"

#include <stdlib.h>

panem_status pn_sweep_add(pn_sweep *sweep, const pn_sweep_row *row, panem_error *err)
{
    if (sweep->count == sweep->capacity) {
        size_t capacity = sweep->capacity ? sweep->capacity * 2 : 32;
        pn_sweep_row *rows = realloc(sweep->rows, capacity * sizeof *rows);
        if (!rows)
            return pn_err(err, PANEM_E_NOMEM, "no memory for the rows of a table");
        sweep->rows = rows;
        sweep->capacity = capacity;
    }
    sweep->rows[sweep->count++] = *row;
    return PANEM_OK;
}

static int by_falling_delay(const void *a, const void *b)
{
    const pn_sweep_row *x = a;
    const pn_sweep_row *y = b;
    if (x->delay != y->delay)
        return x->delay > y->delay ? -1 : 1;
    /* Equal delays: the later row first, as in a table that runs from the highest load down. */
    return x->line > y->line ? -1 : x->line < y->line;
}

panem_status pn_sweep_finish(pn_sweep *sweep, pn_import *import, double read_pct, uint32_t line)
{
    if (sweep->count == 0)
        return pn_err_at(import->err, PANEM_E_EMPTY, import->path, line, 0,
                         "no row follows the header of the loaded-latency table");
    qsort(sweep->rows, sweep->count, sizeof *sweep->rows, by_falling_delay);
    for (size_t i = 0; i < sweep->count; i++) {
        const pn_sweep_row *r = &sweep->rows[i];
        PN_TRY(pn_import_add(import, read_pct, r->bandwidth, r->latency, (double)NAN, (double)NAN,
                             r->line));
    }
    return PANEM_OK;
}

void pn_sweep_release(pn_sweep *sweep)
{
    free(sweep->rows);
    *sweep = (pn_sweep){NULL, 0, 0};
}
