/* words.c - see words.h. */
#include "cli/words.h"

#include <stdlib.h>
#include <string.h>

panem_status pn_words_parse(pn_words *words, const char *text, const char *what, panem_error *err)
{
    pn_words_release(words);
    words->text = strdup(text);
    if (!words->text)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    for (char *at = words->text; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        if (words->count == PN_WORDS_MAX)
            return pn_err(err, PANEM_E_ARG, "%s: more than %d words", what, PN_WORDS_MAX);
        words->items[words->count++] = at;
        at = comma ? comma + 1 : NULL;
    }
    return PANEM_OK;
}

void pn_words_release(pn_words *words)
{
    free(words->text);
    *words = (pn_words){0};
}
