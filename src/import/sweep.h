/* sweep.h - rows of one injection sweep: what MLC and ASCT print. Internal to src/import.
 *
 * A tool's own injection setting (delay loops, NOPs) says how the load rises: rows are put in order
 * of falling delay, stable, before they become points. */
#ifndef PN_IMPORT_SWEEP_H
#define PN_IMPORT_SWEEP_H

#include "import/format.h"

typedef struct pn_sweep_row {
    double delay;
    double bandwidth;
    double latency;
    uint32_t line;
} pn_sweep_row;

typedef struct pn_sweep {
    pn_sweep_row *rows;
    size_t count, capacity;
} pn_sweep;

panem_status pn_sweep_add(pn_sweep *sweep, const pn_sweep_row *row, panem_error *err);
/* Orders the rows, adds them as points, frees them; E_EMPTY at line when there is none. */
panem_status pn_sweep_finish(pn_sweep *sweep, pn_import *import, double read_pct, uint32_t line);
void pn_sweep_release(pn_sweep *sweep);

#endif
