/* cmd_curves_common.c - see cmd_curves.h. */
#include "cli/cmd_curves.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/units.h"
#include "curve/csv.h"
#include "import/csv_write.h"

enum { SET_MAX_BYTES = 256 << 20 };

const char *pn_severity_name(pn_severity severity)
{
    return severity == PN_NOTE ? "note" : severity == PN_REPAIR ? "repair" : "warning";
}

void pn_curves_remark(pn_severity severity, const char *file, uint32_t line, const char *text)
{
    (void)fprintf(stderr, "panem: %s: ", pn_severity_name(severity));
    if (file[0] && line)
        (void)fprintf(stderr, "%s:%u: ", file, line);
    else if (file[0])
        (void)fprintf(stderr, "%s: ", file);
    (void)fprintf(stderr, "%s\n", text);
}

panem_status pn_curves_read(pn_rawset *raw, const char *path, panem_error *err)
{
    char *data = NULL;
    size_t length = 0;
    PN_TRY(pn_file_read(&data, &length, path, SET_MAX_BYTES, err));
    panem_status status = pn_csv_parse(raw, data, length, path, err);
    free(data);
    return status;
}

int pn_curves_write(const pn_rawset *raw, const char *path)
{
    pn_text text = PN_TEXT_INIT;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = pn_csv_format(&text, raw, &err);
    if (status == PANEM_OK)
        status = pn_file_write(path, text.data, text.length, &err);
    pn_text_release(&text);
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail_output(&err);
}

double pn_option_unit(struct argp_state *state, const char *text, int dim, const char *what)
{
    double value = 0.0;
    panem_error err = PANEM_ERROR_INIT;
    if (pn_unit_parse(&value, text, (pn_dim)dim, what, &err) != PANEM_OK)
        (void)pn_option_error(state, &err);
    return value;
}

double pn_option_number(struct argp_state *state, const char *text, const char *what)
{
    return pn_option_unit(state, text, PN_DIM_NONE, what);
}

error_t pn_curves_take_one_input(struct argp_state *state, int key, char *arg, const char **input)
{
    panem_error err = PANEM_ERROR_INIT;
    if (key == ARGP_KEY_ARG && !*input) {
        *input = arg;
        return 0;
    }
    if (key == ARGP_KEY_ARG)
        (void)pn_err(&err, PANEM_E_ARG, "'%.120s': one set at a time", arg);
    else if (!*input)
        (void)pn_err(&err, PANEM_E_ARG, "no set given: name a CSV file, or - for standard input");
    return err.status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

void pn_inputs_add(pn_inputs *inputs, const char *path)
{
    const char **paths = realloc(inputs->paths, (inputs->count + 1) * sizeof *paths);
    if (!paths) {
        inputs->failed = true;
        return;
    }
    inputs->paths = paths;
    inputs->paths[inputs->count++] = path;
}

panem_status pn_inputs_check(const pn_inputs *inputs, panem_error *err)
{
    return inputs->failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the list of inputs")
                          : PANEM_OK;
}

void pn_inputs_release(pn_inputs *inputs)
{
    free(inputs->paths);
}

void pn_curves_summary(const panem_curves *set, size_t points, const char *name,
                       double theoretical_gbs)
{
    uint32_t count = panem_curves_count(set);
    double idle_min = 0.0, idle_max = 0.0, peak = 0.0, low = 1.0, high = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        panem_curve_info c;
        if (panem_curves_info(set, &c, i) != PANEM_OK)
            continue;
        idle_min = i == 0 || c.idle_ns < idle_min ? c.idle_ns : idle_min;
        idle_max = c.idle_ns > idle_max ? c.idle_ns : idle_max;
        peak = c.peak_gbs > peak ? c.peak_gbs : peak;
        low = c.read_frac < low ? c.read_frac : low;
        high = c.read_frac > high ? c.read_frac : high;
    }
    (void)fprintf(stderr,
                  "panem: %s: %u curve%s of %zu points, reads %.6g..%.6g %%, idle %.1f..%.1f ns, "
                  "peak %.1f GB/s",
                  name, count, count == 1 ? "" : "s", points, 100.0 * low, 100.0 * high, idle_min,
                  idle_max, peak);
    if (theoretical_gbs > 0.0) {
        char number[PN_NUM_TEXT_MAX];
        (void)pn_num_format(number, theoretical_gbs);
        (void)fprintf(stderr, " (%.1f %% of the theoretical %s GB/s)",
                      100.0 * peak / theoretical_gbs, number);
    }
    (void)fputc('\n', stderr);
}

panem_status pn_curves_add_transform(pn_rawset *raw, const char *more, panem_error *err)
{
    pn_text text = PN_TEXT_INIT;
    const char *before = pn_rawset_meta(raw, "transforms");
    pn_text_printf(&text, "%s%s%s", before ? before : "", before ? "; " : "", more);
    panem_status status = text.failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the metadata")
                                      : pn_rawset_set_meta(raw, "transforms", text.data, err);
    pn_text_release(&text);
    return status;
}
