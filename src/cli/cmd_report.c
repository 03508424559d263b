/* cmd_report.c - panem report: the results of a sweep as a page, or one plot of them as SVG.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/commands.h"
#include "report/html.h"
#include "report/study.h"
#include "report/svg.h"

enum { OPT_SVG = 256, OPT_PLOTS };

typedef struct settings {
    const char *folder;
    const char *output;
    const char *svg; /* a plot's id; NULL: the page */
    bool list;       /* print the plots' ids and titles instead */
} settings;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "written whole or not at all; - for standard output", 0},
    {"svg", OPT_SVG, "PLOT", 0,
     "one plot as SVG instead of the page, by its name in the list of --plots", 0},
    {"plots", OPT_PLOTS, NULL, 0, "write nothing; list the plots there are, name and title", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    switch (key) {
    case 'o':
        s->output = arg;
        break;
    case OPT_SVG:
        s->svg = arg;
        break;
    case OPT_PLOTS:
        s->list = true;
        break;
    case ARGP_KEY_ARG:
        if (s->folder)
            (void)pn_err(&err, PANEM_E_ARG, "'%.120s': one folder at a time", arg);
        s->folder = arg;
        break;
    case ARGP_KEY_END:
        if (!s->folder)
            (void)pn_err(&err, PANEM_E_ARG, "no folder given: the one panem sweep run -o wrote");
        else if (!s->output && !s->list)
            (void)pn_err(&err, PANEM_E_ARG, "no output given: -o FILE");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return err.status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

static panem_status no_such_plot(const pn_report *report, const settings *s, panem_error *err)
{
    const char **names = calloc(report->plot_count + 1, sizeof *names);
    if (!names)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    for (size_t i = 0; i < report->plot_count; i++)
        names[i] = report->plots[i]->id;
    const char *near = pn_text_nearest(s->svg, names);
    panem_status status = pn_err(
        err, PANEM_E_ARG, "--svg: no plot '%.60s'%s%s%s; panem report %.120s --plots lists them",
        s->svg, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", s->folder);
    free(names);
    return status;
}

static int list_plots(const pn_report *report)
{
    for (size_t i = 0; i < report->plot_count; i++)
        printf("%-36s %s\n", report->plots[i]->id, report->plots[i]->title);
    return PN_EXIT_OK;
}

static panem_status write_text(pn_text *text, const settings *s, const pn_report *report,
                               panem_error *err)
{
    if (!s->svg)
        return pn_html_write(text, report, err);
    const pn_plot *plot = pn_report_find(report, s->svg);
    return plot ? pn_svg_write(text, plot, err) : no_such_plot(report, s, err);
}

static int run(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_report report;
    pn_text text = PN_TEXT_INIT;
    if (!s->svg && !s->list && pn_html_missing()) {
        (void)pn_err(&err, PANEM_E_IO, "%s: %s", s->output, pn_html_missing());
        return pn_fail_output(&err);
    }
    pn_report_init(&report, s->folder);
    int code = PN_EXIT_OK;
    if (pn_report_study(&report, s->folder, &err) != PANEM_OK)
        code = pn_fail(&err);
    else if (s->list)
        code = list_plots(&report);
    else if (write_text(&text, s, &report, &err) != PANEM_OK)
        code = pn_fail(&err);
    else if (pn_file_write(s->output, text.data, text.length, &err) != PANEM_OK)
        code = pn_fail_output(&err);
    pn_text_release(&text);
    pn_report_release(&report);
    return code;
}

const pn_command pn_cmd_report = {
    .name = "report",
    .arguments = "DIR",
    .summary = "the results of a sweep as one page, or a plot of them as SVG",
    .details =
        "DIR is what panem sweep run -o DIR wrote; its store alone is read, also while the sweep "
        "still runs. The page needs no network: a headline table, the plots that the study asks "
        "for (without any: all that fit), and everything that was run and with what. Every plot "
        "has a legend, tooltips, zoom, image export and a table. docs/report.md describes the "
        "plots and how a study asks for them.\n\n"
        "--svg writes one plot for papers, by the name that is its anchor in the page; --plots "
        "lists the names.\n\n"
        "Exit status: 0 success, 1 failure, 2 usage, 3 bad input.",
    .examples = "  panem report results -o report.html\n"
                "  panem report results --plots\n"
                "  panem report results --svg scatter -o scatter.svg\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run};
