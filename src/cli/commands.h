/* commands.h - every command, declared once. */
#ifndef PN_CLI_COMMANDS_H
#define PN_CLI_COMMANDS_H

#include "cli/cmd.h"

#endif
