/* decimal_comma.h - puts a test into a locale whose decimal sign is a comma, installed or not. */
#ifndef PN_TESTS_DECIMAL_COMMA_H
#define PN_TESTS_DECIMAL_COMMA_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True when the process now prints 0,5; false when there is no such locale and none can be made.
 * Leave it again with setlocale(LC_ALL, "C"). */
static inline bool pn_enter_decimal_comma(void)
{
    static char folder[64];
    char command[200];
    char text[8];
    bool entered = setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8");
    if (!entered && folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "/tmp/panem-locale-XXXXXX");
        if (!mkdtemp(folder))
            return false;
        (void)snprintf(command, sizeof command,
                       "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
        (void)!system(command); /* its exit code also tells of warnings */
        (void)setenv("LOCPATH", folder, 1);
        entered = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
        (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
        (void)!system(command);
    }
    (void)snprintf(text, sizeof text, "%.1f", 0.5);
    return entered && strcmp(text, "0,5") == 0;
}

#endif
