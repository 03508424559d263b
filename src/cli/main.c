/* main.c - picks the command. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/commands.h"

/* How many words of argv name this command: 0 (not it), 1 or 2. */
static int matches(const pn_command *c, int argc, char **argv)
{
    const char *blank = strchr(c->name, ' ');
    if (!blank)
        return argc > 1 && strcmp(c->name, argv[1]) == 0 ? 1 : 0;
    size_t first = (size_t)(blank - c->name);
    return argc > 2 && strlen(argv[1]) == first && strncmp(c->name, argv[1], first) == 0 &&
                   strcmp(blank + 1, argv[2]) == 0
               ? 2
               : 0;
}

static const pn_command *find(int argc, char **argv, int *words)
{
    for (const pn_command *const *c = pn_commands; *c; c++) {
        *words = matches(*c, argc, argv);
        if (*words)
            return *c;
    }
    return NULL;
}

static void print_help(FILE *out)
{
    fputs("panem - a contention-aware memory-latency model for CPU simulators, and its tools\n\n"
          "Usage: panem COMMAND [OPTION...]     panem COMMAND --help\n\nCommands:\n",
          out);
    for (const pn_command *const *c = pn_commands; *c; c++)
        fprintf(out, "  %-16s %s\n", (*c)->name, (*c)->summary);
    fputs("\n  --version        print the version\n"
          "  --man [COMMAND]  print a manual page in man(7) form\n"
          "\nExit status: 0 success, 1 failure, 2 usage, 3 bad input.\n",
          out);
}

/* "curves" alone, or with a second word that it does not have: lists those it has. */
static bool unknown_in_group(int argc, char **argv)
{
    size_t length = strlen(argv[1]);
    const char *before = ": ";
    bool second = argc > 2 && argv[2][0] != '-';
    const char *names[64] = {NULL};
    size_t n = 0;
    for (const pn_command *const *c = pn_commands; *c && n < 63; c++)
        if (strncmp((*c)->name, argv[1], length) == 0 && (*c)->name[length] == ' ')
            names[n++] = (*c)->name + length + 1;
    if (n == 0)
        return false;
    const char *near = second ? pn_text_nearest(argv[2], names) : NULL;
    if (second)
        fprintf(stderr, "panem: unknown command '%s %s'", argv[1], argv[2]);
    else
        fprintf(stderr, "panem: '%s' needs a second word", argv[1]);
    if (near) {
        fprintf(stderr, "; did you mean '%s %s'?\n", argv[1], near);
        return true;
    }
    for (size_t i = 0; i < n; i++, before = ", ")
        fprintf(stderr, "%s%s", before, names[i]);
    fputc('\n', stderr);
    return true;
}

static int unknown(int argc, char **argv)
{
    if (unknown_in_group(argc, argv))
        return PN_EXIT_USAGE;
    const char *names[64];
    size_t n = 0;
    char word[80];
    (void)snprintf(word, sizeof word, "%s%s%s", argv[1], argc > 2 && argv[2][0] != '-' ? " " : "",
                   argc > 2 && argv[2][0] != '-' ? argv[2] : "");
    for (const pn_command *const *c = pn_commands; *c && n < 63; c++)
        names[n++] = (*c)->name;
    names[n] = NULL;
    const char *near = pn_text_nearest(word, names);
    if (!near)
        near = pn_text_nearest(argv[1], names);
    fprintf(stderr, "panem: unknown command '%s'%s%s%s (panem --help lists them)\n", argv[1],
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return PN_EXIT_USAGE;
}

static int print_man(int argc, char **argv)
{
    int words = 0;
    const pn_command *c = find(argc - 1, argv + 1, &words);
    if (c)
        pn_command_man(c, stdout);
    else if (argc > 2)
        return unknown(argc - 1, argv + 1);
    else
        pn_program_man(pn_commands, stdout);
    return PN_EXIT_OK;
}

/* Runs last, also when argp ends the program after --help: a full disk is a failure. */
static void check_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fputs("panem: standard output: cannot write\n", stderr);
    _exit(PN_EXIT_FAILED);
}

int main(int argc, char **argv)
{
    if (atexit(check_output) != 0)
        return PN_EXIT_FAILED;
    argp_err_exit_status = PN_EXIT_USAGE;
    if (argc < 2) {
        print_help(stderr);
        return PN_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return PN_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("panem %s\n", panem_version());
        return PN_EXIT_OK;
    }
    if (strcmp(argv[1], "--man") == 0)
        return print_man(argc, argv);
    int words = 0;
    const pn_command *c = find(argc, argv, &words);
    if (!c)
        return unknown(argc, argv);
    return pn_command_main(c, argc - words, argv + words);
}
