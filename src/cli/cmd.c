/* cmd.c - see cmd.h. */
#include "cli/cmd.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int pn_command_main(const pn_command *command, int argc, char **argv)
{
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
    if (code == PN_EXIT_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        fputs("panem: standard output: cannot write\n", stderr);
        code = PN_EXIT_FAILED;
    }
    return code;
}

/* ---- manual pages ---- */

static void man_text(const char *text, FILE *out)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", out);
            text++;
            line_start = true;
            continue;
        }
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
    fputc('\n', out);
}

static void man_option(const struct argp_option *o, FILE *out)
{
    fputs(".TP\n\\fB", out);
    if (o->key > 0 && o->key < 128 && isprint(o->key))
        fprintf(out, "\\-%c\\fR, \\fB", o->key);
    fprintf(out, "\\-\\-%s\\fR", o->name);
    if (o->arg)
        fprintf(out, "=\\fI%s\\fR", o->arg);
    fputc('\n', out);
    man_text(o->doc ? o->doc : "", out);
}

void pn_command_man(const pn_command *command, FILE *out)
{
    char upper[80];
    char dashed[80];
    size_t i = 0;
    for (; command->name[i] && i + 1 < sizeof upper; i++) {
        char c = command->name[i] == ' ' ? '-' : command->name[i];
        dashed[i] = c;
        upper[i] = (char)toupper((unsigned char)c);
    }
    upper[i] = dashed[i] = '\0';
    fprintf(out, ".TH PANEM-%s 1 \"\" \"panem %s\"\n.SH NAME\npanem-%s \\- ", upper,
            panem_version(), dashed);
    man_text(command->summary, out);
    fprintf(out, ".SH SYNOPSIS\n.B panem %s\n[\\fIOPTION\\fR...] ", command->name);
    man_text(command->arguments ? command->arguments : "", out);
    fputs(".SH DESCRIPTION\n", out);
    man_text(command->details, out);
    fputs(".SH OPTIONS\n", out);
    for (const struct argp_option *o = command->options; o->name || o->doc; o++)
        if (o->name && !(o->flags & OPTION_HIDDEN))
            man_option(o, out);
    fputs(".SH EXIT STATUS\n0 success, 1 failure, 2 usage, 3 bad input\n.SH EXAMPLES\n.nf\n", out);
    man_text(command->examples, out);
    fputs(".fi\n", out);
}
