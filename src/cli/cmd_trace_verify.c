/* cmd_trace_verify.c - `panem trace verify`. */
#include "base/text.h"
#include "cli/commands.h"
#include "trace/ptrace.h"

static const struct argp_option OPTIONS[] = {
    {"quiet", 'q', NULL, 0, "print nothing when all is well", 0},
    {0},
};

typedef struct settings {
    char *paths[256];
    int n;
    bool quiet;
} settings;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    switch (key) {
    case 'q':
        s->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (s->n == (int)(sizeof s->paths / sizeof *s->paths))
            return ARGP_ERR_UNKNOWN;
        s->paths[s->n++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (s->n)
            return 0;
        (void)pn_err(&err, PANEM_E_ARG, "trace verify: no trace was given");
        return pn_option_error(state, &err);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run(void *user)
{
    const settings *s = user;
    int code = PN_EXIT_OK;
    for (int i = 0; i < s->n; i++) {
        pn_text report = PN_TEXT_INIT;
        panem_error err = PANEM_ERROR_INIT;
        if (pn_ptrace_verify(s->paths[i], &report, &err) != PANEM_OK)
            code = pn_fail(&err);
        else if (!s->quiet)
            printf("%s: good\n%s", s->paths[i], report.data ? report.data : "");
        pn_text_release(&report);
    }
    return code;
}

const pn_command pn_cmd_trace_verify = {
    .name = "trace verify",
    .arguments = "TRACE...",
    .summary = "check .ptrace files from the first byte to the last",
    .details = "Every checksum, every section, the content hash; then every stream is expanded and "
               "its instructions, reads and writes are counted again.",
    .examples = "panem trace verify xz.ptrace\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
};
