/* cmd_trace_record.c - `panem trace record`. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/commands.h"
#include "trace/record.h"
#include "trace/ring.h"

enum { KEY_SKIP = 256, KEY_MAX, KEY_ISA, KEY_SYSROOT, KEY_NAME, KEY_CPU, KEY_STOP, KEY_QUIET };

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "trace to write (.ptrace); required", 0},
    {"skip", KEY_SKIP, "N", 0, "pass N instructions first, fast; k, M, G allowed (default 0)", 0},
    {"max", KEY_MAX, "N", 0, "record N instructions, all threads together (default: all)", 0},
    {"stop", KEY_STOP, NULL, 0,
     "end the program once --max is reached; else it runs to its end unrecorded", 0},
    {"isa", KEY_ISA, "ISA", 0, "insist on x86-64 or aarch64 (default: what the ELF header says)",
     0},
    {"sysroot", KEY_SYSROOT, "DIR", 0, "where the libraries of a foreign program are", 0},
    {"cpu", KEY_CPU, "CPU", 0,
     "CPU QEMU shows to the program (default: its own for x86-64, neoverse-n1 for aarch64)", 0},
    {"name", KEY_NAME, "NAME", 0, "short name kept in the trace (default: the program's)", 0},
    {"quiet", KEY_QUIET, NULL, 0, "no live count, no summary", 0},
    {0},
};

typedef struct settings {
    pn_record_options options;
    char *argv[4096];
    int argc;
    char *program; /* found in PATH; owned */
    char *plugin;
    const char *isa;
    bool quiet, live;
    struct timespec start, shown, recording; /* recording: when the first instruction was */
} settings;

static panem_status take(settings *s, int key, char *arg, panem_error *err)
{
    switch (key) {
    case 'o':
        s->options.output = arg;
        return PANEM_OK;
    case KEY_SKIP:
        return pn_unit_parse_u64(&s->options.skip, arg, PN_DIM_COUNT, 0, UINT64_MAX / 2, "--skip",
                                 err);
    case KEY_MAX:
        return pn_unit_parse_u64(&s->options.max, arg, PN_DIM_COUNT, 1, UINT64_MAX / 2, "--max",
                                 err);
    case KEY_STOP:
        s->options.stop = true;
        return PANEM_OK;
    case KEY_ISA:
        s->isa = arg;
        return PANEM_OK;
    case KEY_SYSROOT:
        s->options.sysroot = arg;
        return PANEM_OK;
    case KEY_CPU:
        s->options.cpu = arg;
        return PANEM_OK;
    case KEY_NAME:
        s->options.name = arg;
        return PANEM_OK;
    default:
        s->quiet = true;
        return PANEM_OK;
    }
}

static panem_status check(const settings *s, panem_error *err)
{
    if (!s->options.output)
        return pn_err(err, PANEM_E_ARG, "trace record: --output FILE is missing");
    if (s->argc == 0)
        return pn_err(err, PANEM_E_ARG, "trace record: the program is missing: -- PROGRAM ARGS");
    if (s->options.stop && !s->options.max)
        return pn_err(err, PANEM_E_ARG, "trace record: --stop needs --max");
    if (s->isa && strcmp(s->isa, "x86-64") != 0 && strcmp(s->isa, "aarch64") != 0)
        return pn_err(err, PANEM_E_ARG, "--isa: '%s' is neither x86-64 nor aarch64", s->isa);
    return PANEM_OK;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    switch (key) {
    case ARGP_KEY_ARG:
        if (s->argc + 1 >= (int)(sizeof s->argv / sizeof *s->argv))
            status = pn_err(&err, PANEM_E_ARG, "trace record: too many arguments");
        else
            s->argv[s->argc++] = arg;
        break;
    case ARGP_KEY_END:
        status = check(s, &err);
        break;
    default:
        if (key != 'o' && (key < KEY_SKIP || key > KEY_QUIET))
            return ARGP_ERR_UNKNOWN;
        status = take(s, key, arg, &err);
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

/* ---- where things are ------------------------------------------------------------------------ */

static char *join(const char *folder, size_t length, const char *name)
{
    pn_text text = PN_TEXT_INIT;
    pn_text_add(&text, folder, length);
    pn_text_printf(&text, "/%s", name);
    return text.data;
}

/* As a shell would find it. NULL when it is nowhere. */
static char *find_program(const char *name)
{
    if (strchr(name, '/'))
        return strdup(name);
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t length = strcspn(p, ":");
        char *at = join(length ? p : ".", length ? length : 1, name);
        if (at && access(at, X_OK) == 0)
            return at;
        free(at);
        p += length + (p[length] == ':');
    }
    return NULL;
}

/* Beside the program as built, or where it is installed; PANEM_PLUGIN wins. */
static char *find_plugin(void)
{
    static const char *const places[] = {"capture/libpanem-capture.so",
                                         "../lib/x86_64-linux-gnu/panem/libpanem-capture.so",
                                         "../lib/panem/libpanem-capture.so"};
    const char *own = getenv("PANEM_PLUGIN");
    char self[4096];
    if (own)
        return strdup(own);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return NULL;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    size_t length = slash ? (size_t)(slash - self) : 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *at = join(self, length, places[i]);
        if (at && access(at, R_OK) == 0)
            return at;
        free(at);
    }
    return join(self, length, places[0]);
}

/* ---- the live line --------------------------------------------------------------------------- */

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static void show(void *user, const pn_record_progress *now)
{
    settings *s = user;
    enum { MILLION = 1000000 };
    if (seconds_since(&s->shown) < 0.25)
        return;
    (void)clock_gettime(CLOCK_MONOTONIC, &s->shown);
    double seconds = seconds_since(&s->start);
    if (now->instructions == 0)
        s->recording = s->shown;
    double recording = seconds_since(s->recording.tv_sec ? &s->recording : &s->start);
    if (now->instructions == 0)
        fprintf(stderr, "\rpassed %.1f M instructions, %.0f M/s   ", (double)now->skipped / MILLION,
                (double)now->skipped / MILLION / seconds);
    else
        fprintf(stderr, "\rrecorded %.1f M instructions, %.0f M/s, %.1f MB, %.3f B/instruction   ",
                (double)now->instructions / MILLION,
                (double)now->instructions / MILLION / recording, (double)now->bytes / MILLION,
                (double)now->bytes / (double)now->instructions);
}

static void tell_notes(const pn_record_result *r)
{
    if (r->notes & PN_NOTE_FORK)
        pn_warn("the program made child processes; they ran untraced");
    if (r->notes & PN_NOTE_EXEC)
        pn_warn("the program called exec; what it became ran natively and untraced (record that "
                "program itself)");
    if (r->notes & PN_NOTE_VCPUS)
        pn_warn("more threads ran at once than are followed; some have no stream");
    if (r->notes & PN_NOTE_LOST)
        pn_warn("some blocks made more accesses than fit; the rest of theirs is missing");
    if (!(r->notes & (PN_NOTE_FINISHED | PN_NOTE_EXEC)) && r->exit_status != 0)
        pn_warn("the program ended in a way that loses the last few thousand instructions");
    if (r->undecoded)
        pn_warn("%llu executed instructions are not known to the decoder",
                (unsigned long long)r->undecoded);
}

static int run(void *user)
{
    settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_record_result result = {0};
    pn_isa isa;
    s->program = find_program(s->argv[0]);
    s->plugin = find_plugin();
    if (!s->program || !s->plugin) {
        (void)pn_err(&err, PANEM_E_IO, "cannot find the program '%s'", s->argv[0]);
        return pn_fail(&err);
    }
    s->options.program = s->program;
    s->options.plugin = s->plugin;
    s->options.argv = s->argv;
    s->live = !s->quiet && pn_stderr_is_terminal();
    s->options.progress = s->live ? show : NULL;
    s->options.user = s;
    if (pn_record_isa(&isa, s->program, &err) != PANEM_OK)
        return pn_fail(&err);
    if (s->isa && strcmp(s->isa, pn_isa_name(isa)) != 0) {
        (void)pn_err_at(&err, PANEM_E_ARG, s->program, 0, 0, "is %s, not %s", pn_isa_name(isa),
                        s->isa);
        return pn_fail(&err);
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &s->start);
    s->shown = s->start;
    if (pn_record(&result, &s->options, &err) != PANEM_OK)
        return err.status == PANEM_E_IO ? pn_fail_output(&err) : pn_fail(&err);
    if (s->live)
        fputs("\r\033[K", stderr);
    tell_notes(&result);
    if (!s->quiet)
        fprintf(stderr,
                "panem: recorded %llu instructions of %u thread%s after %llu, %llu bytes (%.3f "
                "B/instruction)\n",
                (unsigned long long)result.instructions, result.threads,
                result.threads == 1 ? "" : "s", (unsigned long long)result.skipped,
                (unsigned long long)result.bytes,
                (double)result.bytes / (double)result.instructions);
    return result.exit_status;
}

static void release(void *user)
{
    settings *s = user;
    free(s->program);
    free(s->plugin);
}

const pn_command pn_cmd_trace_record = {
    .name = "trace record",
    .arguments = "-- PROGRAM [ARGUMENT...]",
    .summary = "run a program under QEMU and record its instructions and accesses",
    .details =
        "Runs PROGRAM (x86-64 or AArch64 ELF, searched in PATH) with its own input, output and "
        "environment under qemu-user and writes a .ptrace: every executed instruction, branch "
        "and access of the window. Address randomization is off: a single-threaded program that "
        "does not look at the time or the like gives the same trace every time. Fast-forward "
        "(--skip) ends at the next block's start; the number passed is kept in the trace.\n\n"
        "Every thread has a stream of its own. Children made by fork run untraced; after exec the "
        "new program runs natively and the trace ends; both are told. Not recorded: what the "
        "kernel "
        "reads and writes for the program, dc zva, prefetches, cache flushes. The exit status is "
        "the program's (128 + signal when killed; 0 with --stop).\n\n"
        "Needs the Debian package qemu-user; foreign programs need --sysroot with their "
        "libraries.",
    .examples =
        "panem trace record -o xz.ptrace --skip 50M --max 100M --stop -- xz -6 -k -c big.tar\n"
        "panem trace record -o a.ptrace --sysroot /usr/aarch64-linux-gnu -- ./arm-program\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
    .release = release,
};
