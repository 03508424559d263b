/* words.h - lists of words as options take them: panem,panem:paper,fixed:idle. */
#ifndef PN_CLI_WORDS_H
#define PN_CLI_WORDS_H

#include "base/err.h"

enum { PN_WORDS_MAX = 32 };

/* Starts zeroed; owns its text. */
typedef struct pn_words {
    char *text;
    const char *items[PN_WORDS_MAX];
    size_t count;
} pn_words;

/* Replaces the list by text cut at its commas. what names the option in messages. E_ARG for more
 * than PN_WORDS_MAX words, E_NOMEM. */
panem_status pn_words_parse(pn_words *words, const char *text, const char *what, panem_error *err);
void pn_words_release(pn_words *words);

#endif
