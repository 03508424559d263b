/* spec.c - a DRAM named in one word: "ddr4-2666:channels=6:page=closed". */
#include "dram/dram.h"

#include <string.h>

enum { WORD_MAX = 96 };

/* Copies up to the next ':' and returns what follows it, or NULL at the end. */
static const char *next_word(char word[WORD_MAX], const char *text, bool *fits)
{
    size_t n = strcspn(text, ":");
    *fits = n > 0 && n < WORD_MAX;
    if (!*fits)
        return NULL;
    memcpy(word, text, n);
    word[n] = '\0';
    return text[n] == ':' ? text + n + 1 : NULL;
}

panem_status pn_dram_spec_parse(pn_dram_config *config, const pn_dram_preset **preset,
                                const char *spec, panem_error *err)
{
    char word[WORD_MAX];
    bool fits = true;
    size_t count = 0;
    const pn_param *params = pn_dram_params(&count);
    const pn_dram_preset *found = NULL;
    const char *rest = next_word(word, spec, &fits);
    if (!fits)
        return pn_err(err, PANEM_E_ARG, "'%.40s' names no DRAM preset", spec);
    PN_TRY(pn_dram_preset_find(&found, word, err));
    pn_dram_config c = found->config;
    while (rest) {
        rest = next_word(word, rest, &fits);
        if (!fits)
            return pn_err(err, PANEM_E_ARG, "'%.80s': an empty or overlong key=value", spec);
        PN_TRY(pn_param_assign(params, count, &c, word, err));
    }
    PN_TRY(pn_dram_config_check(&c, err));
    *config = c;
    if (preset)
        *preset = found;
    return PANEM_OK;
}
