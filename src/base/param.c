/* param.c - see param.h. */
#include "base/param.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"

enum { NAMES_MAX = 256, KEY_MAX = 64 };

static void store(const pn_param *p, void *target, double value)
{
    char *field = (char *)target + p->offset;
    switch (p->type) {
    case PN_PARAM_U64: {
        uint64_t v = (uint64_t)value;
        memcpy(field, &v, sizeof v);
        return;
    }
    case PN_PARAM_DOUBLE:
        memcpy(field, &value, sizeof value);
        return;
    case PN_PARAM_U32:
    case PN_PARAM_BOOL:
    case PN_PARAM_CHOICE: {
        uint32_t v = (uint32_t)value;
        memcpy(field, &v, sizeof v);
        return;
    }
    }
}

static double fetch(const pn_param *p, const void *target)
{
    const char *field = (const char *)target + p->offset;
    uint64_t u64;
    uint32_t u32;
    double value;
    switch (p->type) {
    case PN_PARAM_U64:
        memcpy(&u64, field, sizeof u64);
        return (double)u64;
    case PN_PARAM_DOUBLE:
        memcpy(&value, field, sizeof value);
        return value;
    case PN_PARAM_U32:
    case PN_PARAM_BOOL:
    case PN_PARAM_CHOICE:
        break;
    }
    memcpy(&u32, field, sizeof u32);
    return (double)u32;
}

void pn_param_defaults(const pn_param *table, size_t count, void *target)
{
    for (size_t i = 0; i < count; i++)
        store(&table[i], target, table[i].initial);
}

static const pn_param *find(const pn_param *table, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, key) == 0)
            return &table[i];
    return NULL;
}

static panem_status unknown_key(const pn_param *table, size_t count, const char *key,
                                panem_error *err)
{
    const char *names[NAMES_MAX + 1];
    size_t n = 0;
    for (size_t i = 0; i < count && n < NAMES_MAX; i++)
        names[n++] = table[i].name;
    names[n] = NULL;
    const char *near = pn_text_nearest(key, names);
    if (near)
        return pn_err(err, PANEM_E_ARG, "unknown parameter '%s'; did you mean '%s'?", key, near);
    return pn_err(err, PANEM_E_ARG, "unknown parameter '%s'", key);
}

static panem_status parse_choice(const pn_param *p, double *value, const char *text,
                                 panem_error *err)
{
    for (uint32_t i = 0; p->choices[i]; i++) {
        if (strcmp(p->choices[i], text) == 0) {
            *value = (double)i;
            return PANEM_OK;
        }
    }
    pn_text list = PN_TEXT_INIT;
    for (uint32_t i = 0; p->choices[i]; i++)
        pn_text_printf(&list, "%s%s", i ? ", " : "", p->choices[i]);
    panem_status status = pn_err(err, PANEM_E_ARG, "%s: '%s' is not one of: %s", p->name, text,
                                 list.data ? list.data : "");
    pn_text_release(&list);
    return status;
}

static panem_status parse_bool(const pn_param *p, double *value, const char *text, panem_error *err)
{
    static const char *const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], text) == 0) {
            *value = (double)(i & 1);
            return PANEM_OK;
        }
    }
    return pn_err(err, PANEM_E_ARG, "%s: '%s' is neither on nor off", p->name, text);
}

static panem_status parse_number(const pn_param *p, double *value, const char *text,
                                 panem_error *err)
{
    if (p->type == PN_PARAM_DOUBLE) {
        PN_TRY(pn_unit_parse(value, text, p->dim, p->name, err));
    } else {
        uint64_t whole;
        uint64_t most = p->max < 0x1p62 ? (uint64_t)p->max : UINT64_C(1) << 62;
        PN_TRY(pn_unit_parse_u64(&whole, text, p->dim, (uint64_t)p->min, most, p->name, err));
        *value = (double)whole;
    }
    if (*value < p->min || *value > p->max) {
        char low[PN_NUM_TEXT_MAX];
        char high[PN_NUM_TEXT_MAX];
        pn_unit_format(low, sizeof low, p->min, p->dim);
        pn_unit_format(high, sizeof high, p->max, p->dim);
        return pn_err(err, PANEM_E_ARG, "%s: '%s' is outside %s..%s", p->name, text, low, high);
    }
    return PANEM_OK;
}

panem_status pn_param_set(const pn_param *table, size_t count, void *target, const char *key,
                          const char *value, panem_error *err)
{
    const pn_param *p = find(table, count, key);
    if (!p)
        return unknown_key(table, count, key, err);
    double number = 0.0;
    if (p->type == PN_PARAM_CHOICE)
        PN_TRY(parse_choice(p, &number, value, err));
    else if (p->type == PN_PARAM_BOOL)
        PN_TRY(parse_bool(p, &number, value, err));
    else
        PN_TRY(parse_number(p, &number, value, err));
    store(p, target, number);
    return PANEM_OK;
}

panem_status pn_param_assign(const pn_param *table, size_t count, void *target,
                             const char *assignment, panem_error *err)
{
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : 0;
    if (!equals || length == 0 || length >= KEY_MAX)
        return pn_err(err, PANEM_E_ARG, "'%s' is not key=value", assignment);
    char key[KEY_MAX];
    memcpy(key, assignment, length);
    key[length] = '\0';
    return pn_param_set(table, count, target, key, equals + 1, err);
}

void pn_param_format(pn_text *text, const pn_param *param, const void *target)
{
    double value = fetch(param, target);
    if (param->type == PN_PARAM_CHOICE) {
        pn_text_puts(text, param->choices[(uint32_t)value]);
        return;
    }
    if (param->type == PN_PARAM_BOOL) {
        pn_text_puts(text, value != 0.0 ? "on" : "off");
        return;
    }
    char number[PN_NUM_TEXT_MAX + 8];
    pn_unit_format(number, sizeof number, value, param->dim);
    pn_text_puts(text, number);
}

void pn_param_print(pn_text *text, const pn_param *table, size_t count, const void *target)
{
    for (size_t i = 0; i < count; i++) {
        pn_text_printf(text, "%s = ", table[i].name);
        pn_param_format(text, &table[i], target);
        pn_text_printf(text, "   # %s\n", table[i].why);
    }
}
