/* cmd_dram.c - panem dram list, panem dram show: presets of the DRAM reference, their timing and
 * the laws that follow from it. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cli/commands.h"
#include "cli/table.h"
#include "dram/dram.h"

enum { OPT_FORMAT = 256, OPT_SET, OPT_CHANNELS, LAWS = 12, NOTE_MAX = 192 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct settings {
    const pn_dram_preset *preset;
    pn_dram_config config;
    char **sets; /* applied when the preset is known */
    size_t set_count;
    const char *channels;
    pn_format format;
} settings;

/* One derived figure: value in unit, and the formula it comes from with the numbers in it. */
typedef struct law {
    const char *key, *unit;
    double value;
    int decimals;
    char formula[NOTE_MAX];
} law;

static const struct argp_option SHOW_OPTIONS[] = {
    {"channels", OPT_CHANNELS, "N", 0, "channels as sold (default: the preset's)", 0},
    {"set", OPT_SET, "KEY=VALUE", 0,
     "override a parameter of the listing below, e.g. --set page=closed --set trcd_ck=20; may be "
     "repeated",
     0},
    {"format", OPT_FORMAT, "FORMAT", 0, "table, csv or json (default: table)", 0},
    {0}};

static const struct argp_option LIST_OPTIONS[] = {
    {"format", OPT_FORMAT, "FORMAT", 0, "table, csv or json (default: table)", 0}, {0}};

static const pn_column SHOW_COLUMNS[] = {{"key", "key", "", -1},
                                         {"value", "value", "", -1},
                                         {"unit", "unit", "", -1},
                                         {"note", "note", "", -1}};

static const pn_column LIST_COLUMNS[] = {
    {"preset", "preset", "", -1},         {"theoretical_gbs", "bus", "GB/s", 2},
    {"stream_gbs", "stream", "GB/s", 2},  {"random_gbs", "random", "GB/s", 2},
    {"unloaded_ns", "unloaded", "ns", 2}, {"capacity_gib", "capacity", "GiB", 0},
    {"title", "what it is", "", -1}};

/* ---- laws ---------------------------------------------------------------------------------- */

static law *add_law(law *laws, size_t *count, const char *key, double value, const char *unit,
                    int decimals)
{
    law *l = &laws[(*count)++];
    *l = (law){.key = key, .unit = unit, .value = value, .decimals = decimals};
    return l;
}

static void add_peaks(law *laws, size_t *n, const pn_dram_config *c)
{
    double tck = pn_dram_tck_ps(c);
    uint32_t buses = pn_dram_buses(c);
    double gbs = 1e-9;
    law *l = add_law(laws, n, "theoretical_peak", pn_dram_theoretical_peak(c) * gbs, "GB/s", 3);
    (void)snprintf(l->formula, NOTE_MAX, "%u x %u bit / 8 x %.6g MT/s", buses, c->bus_bits,
                   c->beats_per_ck / tck * 1e6);
    l = add_law(laws, n, "refresh_share", pn_dram_refresh_share(c), "", 5);
    bool all = c->refresh == PN_DRAM_REFRESH_ALL_BANK;
    if (c->refresh == PN_DRAM_REFRESH_NONE)
        (void)snprintf(l->formula, NOTE_MAX, "no refresh");
    else
        (void)snprintf(l->formula, NOTE_MAX, "1 - tRFC / tREFI = 1 - %u / %u",
                       all ? c->trfc_ck : c->trfc_bank_ck, c->trefi_ck);
    l = add_law(laws, n, "stream_law", pn_dram_stream_law(c) * gbs, "GB/s", 3);
    (void)snprintf(l->formula, NOTE_MAX, "theoretical peak x refresh share");
    l = add_law(laws, n, "random_law", pn_dram_random_law(c) * gbs, "GB/s", 3);
    double line = PN_DRAM_LINE_BYTES / tck * 1e3;
    uint32_t banks = c->ranks * c->groups * c->banks;
    (void)snprintf(l->formula, NOTE_MAX,
                   "%u x min(bus %.2f, 4 x 64 B / tFAW x ranks %.2f, banks x 64 B / tRC %.2f) x "
                   "refresh share; an upper bound where the bus binds",
                   buses, pn_dram_theoretical_peak(c) * gbs / buses,
                   4.0 * line * c->ranks / (c->tfaw_ck ? c->tfaw_ck : 1), line * banks / c->trc_ck);
}

static void add_latencies(law *laws, size_t *n, const pn_dram_config *c)
{
    uint32_t bursts = (uint32_t)PN_DRAM_LINE_BYTES / pn_dram_burst_bytes(c);
    double law_ns = pn_dram_unloaded_law_ps(c) / 1e3;
    law *l = add_law(laws, n, "unloaded", law_ns, "ns", 3);
    if (bursts > 1)
        (void)snprintf(l->formula, NOTE_MAX, "tRCD + tCL + %u x tCCD_L + burst = %u + %u + %u + %u",
                       bursts - 1, c->trcd_ck, c->cl_ck, (bursts - 1) * c->tccd_l_ck,
                       pn_dram_burst_ck(c));
    else
        (void)snprintf(l->formula, NOTE_MAX, "tRCD + tCL + burst = %u + %u + %u cycles", c->trcd_ck,
                       c->cl_ck, pn_dram_burst_ck(c));
    double pipeline_ns = (double)(c->frontend_ps + c->backend_ps) / 1e3;
    l = add_law(laws, n, "unloaded_with_controller", law_ns + pipeline_ns, "ns", 3);
    (void)snprintf(l->formula, NOTE_MAX, "unloaded + frontend + backend");
    l = add_law(laws, n, "row_hit", (c->cl_ck + pn_dram_burst_ck(c)) * pn_dram_tck_ps(c) / 1e3,
                "ns", 3);
    (void)snprintf(l->formula, NOTE_MAX, "tCL + burst, without the controller");
    l = add_law(laws, n, "row_conflict", law_ns + c->trp_ck * pn_dram_tck_ps(c) / 1e3, "ns", 3);
    (void)snprintf(l->formula, NOTE_MAX, "tRP + unloaded, without the controller");
}

static size_t make_laws(law *laws, const pn_dram_config *c)
{
    size_t n = 0;
    law *l = add_law(laws, &n, "clock_period", pn_dram_tck_ps(c), "ps", 3);
    (void)snprintf(l->formula, NOTE_MAX, "%u / %u ps, exactly", c->tck_num_ps, c->tck_den);
    add_peaks(laws, &n, c);
    add_latencies(laws, &n, c);
    l = add_law(laws, &n, "capacity", (double)pn_dram_capacity_bytes(c) / 1073741824.0, "GiB", 3);
    (void)snprintf(l->formula, NOTE_MAX, "buses x ranks x groups x banks x rows x row_bytes");
    return n;
}

/* ---- show ---------------------------------------------------------------------------------- */

static void add_row(pn_table *table, const char *key, const char *value, const char *unit,
                    const char *note)
{
    pn_table_text(table, key);
    pn_table_text(table, value);
    pn_table_text(table, unit);
    pn_table_text(table, note);
}

static void add_law_rows(pn_table *table, const pn_dram_config *c)
{
    law laws[LAWS];
    size_t n = make_laws(laws, c);
    for (size_t i = 0; i < n; i++) {
        char value[PN_NUM_TEXT_MAX];
        (void)pn_num_format_fixed(value, laws[i].value, laws[i].decimals);
        add_row(table, laws[i].key, value, laws[i].unit, laws[i].formula);
    }
}

static bool in_cycles(const char *name)
{
    size_t n = strlen(name);
    return n > 3 && strcmp(name + n - 3, "_ck") == 0 && strncmp(name, "beats", 5) != 0;
}

static void add_param_rows(pn_table *table, const pn_dram_config *c)
{
    size_t count = 0;
    const pn_param *params = pn_dram_params(&count);
    for (size_t i = 0; i < count; i++) {
        pn_text value = PN_TEXT_INIT;
        char note[NOTE_MAX];
        bool cycles = in_cycles(params[i].name);
        pn_param_format(&value, &params[i], c);
        (void)snprintf(note, sizeof note, "%s", params[i].why);
        if (cycles) {
            uint32_t ck = 0;
            memcpy(&ck, (const char *)c + params[i].offset, sizeof ck);
            (void)snprintf(note, sizeof note, "%.3f ns; %s", ck * pn_dram_tck_ps(c) / 1e3,
                           params[i].why);
        }
        add_row(table, params[i].name, value.data ? value.data : "", cycles ? "cycles" : "", note);
        pn_text_release(&value);
    }
}

static json_t *params_json(const pn_dram_config *c)
{
    size_t count = 0;
    const pn_param *params = pn_dram_params(&count);
    json_t *json = json_object();
    for (size_t i = 0; i < count; i++) {
        pn_text value = PN_TEXT_INIT;
        uint32_t number = 0;
        memcpy(&number, (const char *)c + params[i].offset, sizeof number);
        pn_param_format(&value, &params[i], c);
        json_t *v = params[i].type == PN_PARAM_U32 ? json_integer(number)
                                                   : json_string(value.data ? value.data : "");
        (void)json_object_set_new(json, params[i].name, v);
        pn_text_release(&value);
    }
    return json;
}

static json_t *laws_json(const pn_dram_config *c)
{
    law laws[LAWS];
    size_t n = make_laws(laws, c);
    json_t *json = json_array();
    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(json, json_pack("{s:s, s:o, s:s, s:s}", "key", laws[i].key,
                                                    "value", pn_json_number(laws[i].value), "unit",
                                                    laws[i].unit, "formula", laws[i].formula));
    return json;
}

static int print_show(const settings *s)
{
    if (s->format == PN_FORMAT_JSON) {
        pn_json_print(json_pack("{s:s, s:s, s:s, s:o, s:o}", "preset", s->preset->name, "title",
                                s->preset->title, "source", s->preset->source, "laws",
                                laws_json(&s->config), "parameters", params_json(&s->config)),
                      stdout);
        return PN_EXIT_OK;
    }
    pn_table *table = pn_table_new(SHOW_COLUMNS, COUNT(SHOW_COLUMNS));
    panem_error err = PANEM_ERROR_INIT;
    if (!table) {
        (void)pn_err(&err, PANEM_E_NOMEM, "no memory for a table");
        return pn_fail(&err);
    }
    if (s->format == PN_FORMAT_TABLE)
        printf("%s: %s\nsource: %s\n\n", s->preset->name, s->preset->title, s->preset->source);
    add_law_rows(table, &s->config);
    add_param_rows(table, &s->config);
    pn_table_print(table, s->format, stdout);
    pn_table_free(table);
    return PN_EXIT_OK;
}

static panem_status apply(settings *s, panem_error *err)
{
    size_t count = 0;
    const pn_param *params = pn_dram_params(&count);
    s->config = s->preset->config;
    if (s->channels)
        PN_TRY(pn_param_set(params, count, &s->config, "channels", s->channels, err));
    for (size_t i = 0; i < s->set_count; i++)
        PN_TRY(pn_param_assign(params, count, &s->config, s->sets[i], err));
    return pn_dram_config_check(&s->config, err);
}

static error_t keep_set(settings *s, char *arg)
{
    char **sets = realloc(s->sets, (s->set_count + 1) * sizeof *sets);
    if (!sets)
        return ENOMEM;
    s->sets = sets;
    s->sets[s->set_count++] = arg;
    return 0;
}

static error_t take_preset(settings *s, char *arg, struct argp_state *state)
{
    panem_error err = PANEM_ERROR_INIT;
    if (s->preset)
        (void)pn_err(&err, PANEM_E_ARG, "one preset only; '%s' is another", arg);
    else
        (void)pn_dram_preset_find(&s->preset, arg, &err);
    return err.status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

static error_t parse_show(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    switch (key) {
    case OPT_FORMAT:
        s->format = pn_option_format(state, arg);
        return 0;
    case OPT_CHANNELS:
        s->channels = arg;
        return 0;
    case OPT_SET:
        return keep_set(s, arg);
    case ARGP_KEY_ARG:
        return take_preset(s, arg, state);
    case ARGP_KEY_END:
        if (!s->preset)
            (void)pn_err(&err, PANEM_E_ARG, "which preset? panem dram list names them");
        else
            (void)apply(s, &err);
        return err.status == PANEM_OK ? 0 : pn_option_error(state, &err);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run_show(void *user)
{
    return print_show(user);
}

static void release(void *user)
{
    free(((settings *)user)->sets);
}

/* ---- list ---------------------------------------------------------------------------------- */

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    if (key != OPT_FORMAT)
        return ARGP_ERR_UNKNOWN;
    s->format = pn_option_format(state, arg);
    return 0;
}

static int run_list(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    size_t count = 0;
    const pn_dram_preset *presets = pn_dram_presets(&count);
    pn_table *table = pn_table_new(LIST_COLUMNS, COUNT(LIST_COLUMNS));
    if (!table) {
        (void)pn_err(&err, PANEM_E_NOMEM, "no memory for a table");
        return pn_fail(&err);
    }
    for (size_t i = 0; i < count; i++) {
        const pn_dram_config *c = &presets[i].config;
        pn_table_text(table, presets[i].name);
        pn_table_number(table, pn_dram_theoretical_peak(c) / 1e9);
        pn_table_number(table, pn_dram_stream_law(c) / 1e9);
        pn_table_number(table, pn_dram_random_law(c) / 1e9);
        pn_table_number(table, pn_dram_unloaded_law_ps(c) / 1e3);
        pn_table_number(table, (double)pn_dram_capacity_bytes(c) / 1073741824.0);
        pn_table_text(table, presets[i].title);
    }
    pn_table_print(table, s->format, stdout);
    pn_table_free(table);
    return PN_EXIT_OK;
}

const pn_command pn_cmd_dram_list = {
    .name = "dram list",
    .arguments = NULL,
    .summary = "list the DRAM presets with their peaks and unloaded latency",
    .details = "One row per preset of the DRAM reference, as sold (one DIMM channel, one HBM "
               "stack): theoretical peak, the stream and random laws in GB/s (1e9 B/s), and the "
               "unloaded latency of the DRAM without its controller in ns.\n\n"
               "Exit status: 0 success, 1 failure, 2 usage.",
    .examples = "  panem dram list\n",
    .options = LIST_OPTIONS,
    .parse = parse_list,
    .settings_size = sizeof(settings),
    .run = run_list};

const pn_command pn_cmd_dram_show = {
    .name = "dram show",
    .arguments = "PRESET",
    .summary = "print a DRAM preset: timing, peaks with their formulas, unloaded latency",
    .details =
        "Prints what follows from a configuration (clock, theoretical peak, the laws for streams "
        "and random traffic, latencies, each with its formula), then every parameter with its "
        "value. Parameters ending in _ck count cycles of the command clock, whose period is "
        "tck_num_ps / tck_den ps exactly. Any of them can be set with --set; the result is checked "
        "as a simulation would check it.\n\n"
        "A random law limited by the bus is an upper bound: finite queues, buses that wait for "
        "each other and rank switches keep random traffic some percent below it.\n\n"
        "Exit status: 0 success, 1 failure, 2 usage.",
    .examples = "  panem dram show ddr5-5200 --channels 8\n"
                "  panem dram show ddr4-2666 --set ranks=1 --set page=closed --format json\n",
    .options = SHOW_OPTIONS,
    .parse = parse_show,
    .settings_size = sizeof(settings),
    .run = run_show,
    .release = release};
