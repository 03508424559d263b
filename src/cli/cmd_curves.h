/* cmd_curves.h - what the `panem curves` commands share. */
#ifndef PN_CLI_CMD_CURVES_H
#define PN_CLI_CMD_CURVES_H

#include "cli/cmd.h"
#include "curve/raw.h"
#include "curve/set.h"
#include "import/import.h"

/* "note", "repair", "warning". */
const char *pn_severity_name(pn_severity severity);
/* One remark on stderr: "panem: repair: file:line: text". file may be "". */
void pn_curves_remark(pn_severity severity, const char *file, uint32_t line, const char *text);

/* Reads a CSV set, in any compression, "-" for standard input, into an initialized raw set. */
panem_status pn_curves_read(pn_rawset *raw, const char *path, panem_error *err);
/* Writes a raw set as CSV, whole or not at all; returns an exit code. */
int pn_curves_write(const pn_rawset *raw, const char *path);

/* Parses the text of an option with a unit, or ends with exit code 2. */
double pn_option_unit(struct argp_state *state, const char *text, int dim, const char *what);
/* The same for a plain number. */
double pn_option_number(struct argp_state *state, const char *text, const char *what);

/* For argp parsers of commands with exactly one SET: handles ARGP_KEY_ARG and ARGP_KEY_END. */
error_t pn_curves_take_one_input(struct argp_state *state, int key, char *arg, const char **input);

/* Inputs of a command that takes several. Starts zeroed; paths is freed by pn_inputs_release. */
typedef struct pn_inputs {
    const char **paths;
    size_t count;
    bool failed; /* no memory for one of them */
} pn_inputs;

void pn_inputs_add(pn_inputs *inputs, const char *path);
/* E_NOMEM when one could not be added. */
panem_status pn_inputs_check(const pn_inputs *inputs, panem_error *err);
void pn_inputs_release(pn_inputs *inputs);

/* Range and peak of a built set in one line on stderr: "name: 26 curves, ...". */
void pn_curves_summary(const panem_curves *set, size_t points, const char *name,
                       double theoretical_gbs);

/* Adds "; more" to the metadata line "transforms". */
panem_status pn_curves_add_transform(pn_rawset *raw, const char *more, panem_error *err);

#endif
