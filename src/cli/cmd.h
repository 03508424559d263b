/* cmd.h - what a command is, and what commands share. Only src/cli prints, exits or reads the
 * environment.
 *
 * How to add a command: write cmd_<verb>.c with one `const pn_command pn_cmd_<name>`, name it in
 * commands.c, and add tests/cli/<name>.*. The tests check that --help, the manual page and the
 * option table agree, since all three come from this struct. */
#ifndef PN_CLI_CMD_H
#define PN_CLI_CMD_H

#include <argp.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/file.h"

/* Exit codes of every command. */
enum { PN_EXIT_OK = 0, PN_EXIT_FAILED = 1, PN_EXIT_USAGE = 2, PN_EXIT_INPUT = 3 };

typedef struct pn_command {
    const char *name;                  /* "traffic", or two words: "curves import" */
    const char *arguments;             /* e.g. "INPUT...", or NULL when there are none */
    const char *summary;               /* one line, lower case */
    const char *details;               /* paragraphs: what it does, units, defaults, exit codes */
    const char *examples;              /* lines of shell, each one complete */
    const struct argp_option *options; /* argp's own table, ended by {0} */
    argp_parser_t parse;               /* called with state->input = settings */
    size_t settings_size;              /* bytes of the settings struct; zeroed before parsing */
    int (*run)(void *settings);        /* after parsing; returns an exit code */
    void (*release)(void *settings);   /* may be NULL; called however parsing or running ended */
} pn_command;

/* All commands, in the order help shows them; ended by NULL. */
extern const pn_command *const pn_commands[];

/* Parses and runs. argv[0] is the command's name for messages. Returns an exit code. */
int pn_command_main(const pn_command *command, int argc, char **argv);

/* The manual page in man(7) form on stdout. */
void pn_command_man(const pn_command *command, FILE *out);
/* The page of the program itself, panem(1), which lists the commands. */
void pn_program_man(const pn_command *const *commands, FILE *out);

/* Prints "panem: file:line:col: message" on stderr and returns the exit code for the status:
 * 2 for arguments, 1 for memory and failed output, 3 for bad input. */
int pn_fail(const panem_error *err);
/* The same for an output that could not be written: always PN_EXIT_FAILED. */
int pn_fail_output(const panem_error *err);
/* "panem: warning: ..." on stderr. */
void pn_warn(const char *format, ...) PN_PRINTF(1, 2);
/* Progress and notes on stderr, only when it is a terminal and not --quiet. */
bool pn_stderr_is_terminal(void);

/* For parsers: records a bad option value and ends with exit code 2, one line, no usage dump. */
error_t pn_option_error(struct argp_state *state, const panem_error *err);

/* Output format shared by the commands that print results. */
typedef enum pn_format { PN_FORMAT_TABLE = 0, PN_FORMAT_CSV, PN_FORMAT_JSON } pn_format;
/* "table", "csv" or "json"; otherwise an argp error. */
pn_format pn_option_format(struct argp_state *state, const char *text);

#endif
