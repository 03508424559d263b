/* cmd_curves_plot.c - panem curves plot: a curve set as a page or a drawing.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_curves.h"
#include "cli/commands.h"
#include "report/curves.h"
#include "report/html.h"
#include "report/svg.h"

enum { OPT_PLOT = 256 };

typedef struct settings {
    const char *input;
    const char *output;
    const char *plot; /* NULL: raw */
} settings;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "written whole or not at all; the name ends in .html or .svg", 0},
    {"plot", OPT_PLOT, "PLOT", 0, "what an SVG shows: raw or converted (default: raw)", 0},
    {0}};

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name);
    size_t tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static error_t check(struct argp_state *state, const settings *s)
{
    panem_error err = PANEM_ERROR_INIT;
    if (!s->output)
        (void)pn_err(&err, PANEM_E_ARG, "no output given: -o FILE.html or -o FILE.svg");
    else if (!ends_in(s->output, ".html") && !ends_in(s->output, ".svg"))
        (void)pn_err(&err, PANEM_E_ARG, "--output: '%.120s' ends neither in .html nor in .svg",
                     s->output);
    else if (s->plot && strcmp(s->plot, "raw") != 0 && strcmp(s->plot, "converted") != 0)
        (void)pn_err(&err, PANEM_E_ARG, "--plot: '%.120s' is neither raw nor converted", s->plot);
    return err.status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    error_t taken;
    switch (key) {
    case 'o':
        s->output = arg;
        break;
    case OPT_PLOT:
        s->plot = arg;
        break;
    case ARGP_KEY_ARG:
        return pn_curves_take_one_input(state, key, arg, &s->input);
    case ARGP_KEY_END:
        taken = pn_curves_take_one_input(state, key, arg, &s->input);
        return taken ? taken : check(state, s);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static panem_status draw(pn_text *text, const settings *s, const pn_rawset *raw,
                         const panem_curves *set, const pn_verdict *verdicts, panem_error *err)
{
    pn_report report;
    const char *name = strrchr(s->input, '/');
    pn_report_init(&report, name ? name + 1 : s->input);
    pn_report_curves(&report, raw, set, verdicts, "");
    pn_report_curve_facts(&report, raw, set);
    const pn_plot *plot = pn_report_find(&report, s->plot ? s->plot : "raw");
    panem_status status;
    if (report.failed || !plot)
        status = pn_err(err, PANEM_E_NOMEM, "no memory for the plots");
    else if (ends_in(s->output, ".svg"))
        status = pn_svg_write(text, plot, err);
    else
        status = pn_html_write(text, &report, err);
    pn_report_release(&report);
    return status;
}

static int plot_set(const settings *s, const pn_rawset *raw)
{
    panem_curves_options options = PANEM_CURVES_OPTIONS_INIT;
    panem_error err = PANEM_ERROR_INIT;
    panem_curves *set = NULL;
    pn_text text = PN_TEXT_INIT;
    pn_verdict *verdicts = calloc(raw->count + 1, sizeof *verdicts);
    panem_status status = verdicts ? pn_curves_build_verdicts(&set, verdicts, raw, &options, &err)
                                   : pn_err(&err, PANEM_E_NOMEM, "no memory for the plots");
    int code = PN_EXIT_OK;
    if (status == PANEM_OK && ends_in(s->output, ".html") && pn_html_missing()) {
        (void)pn_err(&err, PANEM_E_IO, "%s: %s", s->output, pn_html_missing());
        code = pn_fail_output(&err);
    } else if (status != PANEM_OK || draw(&text, s, raw, set, verdicts, &err) != PANEM_OK) {
        code = pn_fail(&err);
    } else if (pn_file_write(s->output, text.data, text.length, &err) != PANEM_OK) {
        code = pn_fail_output(&err);
    }
    panem_curves_destroy(set);
    pn_text_release(&text);
    free(verdicts);
    return code;
}

static int run(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset raw;
    pn_rawset_init(&raw, NULL);
    panem_status status = pn_curves_read(&raw, s->input, &err);
    int code = status == PANEM_OK ? plot_set(s, &raw) : pn_fail(&err);
    pn_rawset_release(&raw);
    return code;
}

const pn_command pn_cmd_curves_plot = {
    .name = "curves plot",
    .arguments = "SET",
    .summary = "draw a curve set as a page (HTML) or as a drawing (SVG)",
    .details =
        "Two plots. raw: latency in ns over bandwidth in GB/s, one line per share of reads; points "
        "that repair left out are hollow. converted: latency over outstanding bytes, the relation "
        "the model uses, with what lies beyond the last point dashed. A page holds both, with "
        "legend, zoom, tooltips, image export and tables; it needs no network. An SVG holds "
        "one.\n\n"
        "SET is our CSV, in any compression; - is standard input. docs/report.md says more.\n\n"
        "Exit status: 0 success, 1 failure, 2 usage, 3 bad input.",
    .examples = "  panem curves plot curves/ddr5-5200x8.csv -o curves.html\n"
                "  panem curves plot skylake.csv --plot converted -o skylake.svg\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run};
