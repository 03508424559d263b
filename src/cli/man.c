/* man.c - manual pages in man(7) form, from the tables that --help prints: they cannot disagree. */
#include <ctype.h>
#include <string.h>

#include "cli/cmd.h"

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

/* Every command has these from argp. */
static const struct argp_option HELP_OPTIONS[] = {
    {"help", '?', NULL, 0, "print the options and what the command does", 0},
    {"usage", 0, NULL, 0, "print the options in short", 0},
    {0},
};

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

/* "curves import" as it stands in a page's name: curves-import. */
static void dash(char *out, size_t size, const char *name, bool upper)
{
    size_t i = 0;
    for (; name[i] && i + 1 < size; i++) {
        int c = name[i] == ' ' ? '-' : name[i];
        out[i] = (char)(upper ? toupper((unsigned char)c) : c);
    }
    out[i] = '\0';
}

void pn_command_man(const pn_command *command, FILE *out)
{
    char upper[80];
    char dashed[80];
    dash(upper, sizeof upper, command->name, true);
    dash(dashed, sizeof dashed, command->name, false);
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
    for (const struct argp_option *o = HELP_OPTIONS; o->name; o++)
        man_option(o, out);
    fputs(".SH EXIT STATUS\n0 success, 1 failure, 2 usage, 3 bad input\n.SH EXAMPLES\n.nf\n", out);
    man_text(command->examples, out);
    fputs(".fi\n.SH SEE ALSO\n.BR panem (1)\n", out);
}

void pn_program_man(const pn_command *const *commands, FILE *out)
{
    char dashed[80];
    fprintf(out, ".TH PANEM 1 \"\" \"panem %s\"\n.SH NAME\npanem \\- ", panem_version());
    man_text("a contention-aware memory-latency model for CPU simulators, and its tools", out);
    fputs(".SH SYNOPSIS\n.B panem\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n"
          ".B panem \\-\\-help\n.br\n.B panem \\-\\-version\n.br\n"
          ".B panem \\-\\-man\n[\\fICOMMAND\\fR]\n.SH COMMANDS\n",
          out);
    for (const pn_command *const *c = commands; *c; c++) {
        dash(dashed, sizeof dashed, (*c)->name, false);
        fprintf(out, ".TP\n.BR panem\\-%s (1)\n", dashed);
        man_text((*c)->summary, out);
    }
    fputs(".SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR\nlist the commands; after a command, its options\n"
          ".TP\n\\fB\\-\\-version\\fR\nprint the version\n"
          ".TP\n\\fB\\-\\-man\\fR [\\fICOMMAND\\fR]\nprint a manual page in man(7) form\n"
          ".SH EXIT STATUS\n0 success, 1 failure, 2 usage, 3 bad input\n",
          out);
}
