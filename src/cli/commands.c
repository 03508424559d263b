/* commands.c - the one list of commands. */
#include "cli/commands.h"

const pn_command *const pn_commands[] = {
    &pn_cmd_traffic,
    &pn_cmd_curves_import,
    NULL,
};
