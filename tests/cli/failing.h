/* failing.h - memory and files that fail at every call in turn, under whole commands.
 *
 * The linker sends malloc and its like, and the calls that read and write files, through functions
 * of failing.c (--wrap, tests/CMakeLists.txt); calls made inside shared libraries are not reached.
 */
#ifndef TEST_CLI_FAILING_H
#define TEST_CLI_FAILING_H

#include <stdbool.h>

#include "cli/commands.h"

typedef enum fault { FAULT_NONE, FAULT_MEMORY, FAULT_READ, FAULT_WRITE } fault;

enum { FAILING_ARGS_MAX = 24 };

/* Fixtures of a group: the folder of outputs, looked at after every failure. */
int failing_make_dir(void **state);
int failing_drop_dir(void **state);

/* Runs the command with call 0 of that kind failing, then call 1, and so on until none is left: the
 * exit code says so, nothing leaks, and no output and no temporary file is left. The argument OUT
 * stands for a file in the folder. */
void fail_at_every_call(const pn_command *command, const char *const *args, fault kind);

#endif
