/* cmd.c - see cmd.h. */
#include "cli/cmd.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

static void print_place(const panem_error *err)
{
    if (err->file[0] == '\0')
        return;
    fprintf(stderr, "%s:", err->file);
    if (err->line)
        fprintf(stderr, "%u:", err->line);
    if (err->line && err->col)
        fprintf(stderr, "%u:", err->col);
    fputc(' ', stderr);
}

static void print_error(const panem_error *err)
{
    fflush(stdout);
    fputs("panem: ", stderr);
    print_place(err);
    fprintf(stderr, "%s\n", err->message[0] ? err->message : panem_status_text(err->status));
}

int pn_fail(const panem_error *err)
{
    print_error(err);
    switch (err->status) {
    case PANEM_E_ARG:
        return PN_EXIT_USAGE;
    case PANEM_E_NOMEM:
        return PN_EXIT_FAILED;
    default:
        return PN_EXIT_INPUT;
    }
}

int pn_fail_output(const panem_error *err)
{
    print_error(err);
    return PN_EXIT_FAILED;
}

void pn_warn(const char *format, ...)
{
    va_list args;
    fputs("panem: warning: ", stderr);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

bool pn_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

error_t pn_option_error(struct argp_state *state, const panem_error *err)
{
    (void)state;
    print_error(err);
    exit(PN_EXIT_USAGE);
}

pn_format pn_option_format(struct argp_state *state, const char *text)
{
    static const char *const names[] = {"table", "csv", "json"};
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], text) == 0)
            return (pn_format)i;
    panem_error err = PANEM_ERROR_INIT;
    (void)pn_err(&err, PANEM_E_ARG, "--format: '%s' is not one of: table, csv, json", text);
    (void)pn_option_error(state, &err);
    return PN_FORMAT_TABLE;
}

/* argp prints DOC before the options up to the vertical tab and the rest after them. */
static char *argp_doc(const pn_command *c)
{
    size_t size = strlen(c->summary) + strlen(c->details) + strlen(c->examples) + 64;
    char *doc = malloc(size);
    if (doc)
        (void)snprintf(doc, size, "%s\v%s\n\nExamples:\n%s", c->summary, c->details, c->examples);
    return doc;
}

/* ---- unknown options ----
 * argp names an unknown option but not the nearest one. This pass over the words, ahead of argp's,
 * follows its rules: "--" ends the options, a unique beginning stands for a name, and the word
 * after an option that takes one belongs to it. */

static const struct argp_option *long_option(const pn_command *c, const char *name, size_t length)
{
    for (const struct argp_option *o = c->options; o->name || o->doc; o++)
        if (o->name && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static bool short_takes_next(const pn_command *c, const char *letters)
{
    for (; *letters; letters++)
        for (const struct argp_option *o = c->options; o->name || o->doc; o++)
            if (o->key == (unsigned char)*letters && o->arg)
                return letters[1] == '\0' && !(o->flags & OPTION_ARG_OPTIONAL);
    return false;
}

static void say_unknown(const pn_command *c, const char *word, size_t length)
{
    enum { NAMES_MAX = 128 };
    const char *names[NAMES_MAX + 3] = {"help", "usage"};
    size_t n = 2;
    char name[80];
    for (const struct argp_option *o = c->options; (o->name || o->doc) && n < NAMES_MAX; o++)
        if (o->name)
            names[n++] = o->name;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char *near = pn_text_nearest(name, names);
    fprintf(stderr, "panem: unknown option '--%s'%s%s%s (panem %s --help lists them)\n", name,
            near ? "; did you mean '--" : "", near ? near : "", near ? "'?" : "", c->name);
}

/* false, and said, when a long option is not one of the command's. */
static bool options_known(const pn_command *c, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0')
            continue;
        if (argv[i][1] != '-') {
            i += short_takes_next(c, argv[i] + 1);
            continue;
        }
        const char *word = argv[i] + 2;
        size_t length = strcspn(word, "=");
        const struct argp_option *o = long_option(c, word, length);
        if (!o && strncmp("help", word, length) != 0 && strncmp("usage", word, length) != 0) {
            say_unknown(c, word, length);
            return false;
        }
        if (o && o->arg && word[length] == '\0' && !(o->flags & OPTION_ARG_OPTIONAL))
            i++;
    }
    return true;
}

int pn_command_main(const pn_command *command, int argc, char **argv)
{
    if (!options_known(command, argc, argv))
        return PN_EXIT_USAGE;
    void *settings = calloc(1, command->settings_size ? command->settings_size : 1);
    char *doc = argp_doc(command);
    char name[80];
    if (!settings || !doc) {
        free(settings);
        free(doc);
        fputs("panem: out of memory\n", stderr);
        return PN_EXIT_FAILED;
    }
    (void)snprintf(name, sizeof name, "panem %s", command->name);
    argv[0] = name;
    const struct argp argp = {
        command->options, command->parse, command->arguments, doc, NULL, NULL, NULL};
    int code = PN_EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, settings) == 0)
        code = command->run(settings);
    if (command->release)
        command->release(settings);
    free(settings);
    free(doc);
    return code;
}
