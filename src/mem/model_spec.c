/* model_spec.c - see model_spec.h. */
#include "mem/model_spec.h"

#include <stdbool.h>
#include <string.h>

static const char *const BEYOND[] = {"capped", "paper", NULL};
static const char *const MIX[] = {"linear", "nearest", NULL};
static const char *const GUARD[] = {"off", "arrivals", "completions", NULL};
static const char *const CBUSY_BY[] = {"outstanding", "bandwidth", NULL};

#define AT(field) offsetof(panem_model_options, field)

static const pn_param PARAMS[] = {
    {"window", PN_PARAM_U64, PN_DIM_TIME, AT(window_ps), 520000, 1e3, 1e10, NULL,
     "length of one averaging window; shorter reacts faster, longer averages more"},
    {"windows", PN_PARAM_U32, PN_DIM_COUNT, AT(windows), 0, 0, 65536, NULL,
     "windows averaged; 0 takes as many as 512 line times at peak/sharers need"},
    {"sharers", PN_PARAM_U32, PN_DIM_COUNT, AT(sharers), 1, 1, 65536, NULL,
     "this traffic stands for one of so many equal ones"},
    {"guard", PN_PARAM_CHOICE, PN_DIM_NONE, AT(guard), PANEM_GUARD_COMPLETIONS, 0, 0, GUARD,
     "bounds bursts inside a window at peak bandwidth; acts at sharers=1"},
    {"guard_slack", PN_PARAM_U64, PN_DIM_TIME, AT(guard_slack_ps), 24000, 0, 1e10, NULL,
     "burst the completions guard lets pass; larger disturbs less, allows more above peak"},
    {"guard_compensation", PN_PARAM_BOOL, PN_DIM_NONE, AT(guard_compensation), 1, 0, 0, NULL,
     "what the guard adds on average comes off the next latency, so the mean stays on the curve"},
    {"looks", PN_PARAM_U32, PN_DIM_COUNT, AT(looks), 8, 0, 64, NULL,
     "parts of a window after each of which arrivals set the latency of the next; 0 or 1: off"},
    {"beyond", PN_PARAM_CHOICE, PN_DIM_NONE, AT(relation.beyond), PANEM_BEYOND_CAPPED, 0, 0, BEYOND,
     "latency beyond the last measured point"},
    {"between", PN_PARAM_CHOICE, PN_DIM_NONE, AT(relation.mix), PANEM_MIX_LINEAR, 0, 0, MIX,
     "between the read fractions of two curves"},
    {"early_write_ack", PN_PARAM_BOOL, PN_DIM_NONE, AT(early_write_ack), 0, 0, 0, NULL,
     "writes are acknowledged on arrival and count until done"},
    {"ring", PN_PARAM_U32, PN_DIM_COUNT, AT(ring_windows), 1024, 16, 65536, NULL,
     "how many windows ahead a completion may lie (power of two); beyond it the model is busy"},
    {"cbusy_by", PN_PARAM_CHOICE, PN_DIM_NONE, AT(cbusy_by), PANEM_CBUSY_BY_OUTSTANDING, 0, 0,
     CBUSY_BY, "what the busy level is measured on"},
    {"cbusy1", PN_PARAM_DOUBLE, PN_DIM_FRACTION, AT(cbusy_enter[0]), 0.5, 1e-6, 100, NULL,
     "busy level 1 begins here, as a fraction of the 90 % point"},
    {"cbusy2", PN_PARAM_DOUBLE, PN_DIM_FRACTION, AT(cbusy_enter[1]), 0.75, 1e-6, 100, NULL,
     "busy level 2 begins here"},
    {"cbusy3", PN_PARAM_DOUBLE, PN_DIM_FRACTION, AT(cbusy_enter[2]), 0.9, 1e-6, 100, NULL,
     "busy level 3 begins here"},
    {"cbusy_hysteresis", PN_PARAM_DOUBLE, PN_DIM_FRACTION, AT(cbusy_hysteresis), 0, 0, 0.5, NULL,
     "a busy level is left this far below where it was entered"},
    {"frequency", PN_PARAM_U64, PN_DIM_FREQUENCY, AT(peers.frequency_hz), 2e9, 1e6, 1e11, NULL,
     "md1, mess: core clock in whose cycles they count"},
    {"phase_length", PN_PARAM_U32, PN_DIM_COUNT, AT(peers.phase_length), 10000, 1, 1e9, NULL,
     "md1: core cycles per phase; a latency is set once per phase, at least 10000 cycles apart"},
    {"curve_window_size", PN_PARAM_U32, PN_DIM_COUNT, AT(peers.curve_window_size), 1000, 2, 1e9,
     NULL, "mess: accesses per window; smaller reacts faster and overshoots more"},
    {"window_size", PN_PARAM_U64, PN_DIM_TIME, AT(peers.window_size_ps), 1e6, 1e3, 1e10, NULL,
     "mg1: how long arrivals count; also the longest wait"},
    {"num_outstanding", PN_PARAM_U32, PN_DIM_COUNT, AT(peers.num_outstanding), 1, 1, 1024, NULL,
     "nextfree: servers, each with the whole peak bandwidth"},
};

const pn_param *pn_model_params(size_t *count)
{
    *count = sizeof PARAMS / sizeof PARAMS[0];
    return PARAMS;
}

static const panem_model_options OURS = PANEM_MODEL_OPTIONS_INIT;
static const panem_model_options PAPER = PANEM_MODEL_OPTIONS_PAPER;

static const char *const NAMES[] = {"panem", "panem:paper", "fixed:idle", "fixed:high", "md1",
                                    "mess",  "mg1",         "nextfree",   NULL};

/* Same order as NAMES. */
static const panem_kind KINDS[] = {PANEM_KIND_PANEM,      PANEM_KIND_PANEM,   PANEM_KIND_FIXED_IDLE,
                                   PANEM_KIND_FIXED_HIGH, PANEM_KIND_MD1,     PANEM_KIND_MESS,
                                   PANEM_KIND_MG1,        PANEM_KIND_NEXTFREE};

static panem_model_options options_of(size_t name)
{
    panem_model_options o = name == 1 ? PAPER : OURS;
    o.kind = KINDS[name];
    return o;
}

const char *const *pn_model_names(void)
{
    return NAMES;
}

/* The longest name that spec starts with, ended by ':' or the end. */
static int find_name(const char *spec)
{
    int best = -1;
    for (int i = 0; NAMES[i]; i++) {
        size_t n = strlen(NAMES[i]);
        bool fits = strncmp(spec, NAMES[i], n) == 0 && (spec[n] == '\0' || spec[n] == ':');
        if (fits && (best < 0 || n > strlen(NAMES[best])))
            best = i;
    }
    return best;
}

static panem_status unknown_model(const char *spec, panem_error *err)
{
    const char *near = pn_text_nearest(spec, NAMES);
    pn_text list = PN_TEXT_INIT;
    for (int i = 0; NAMES[i]; i++)
        pn_text_printf(&list, "%s%s", i ? ", " : "", NAMES[i]);
    panem_status status = pn_err(err, PANEM_E_ARG, "unknown model '%s'%s%s%s; models: %s", spec,
                                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                                 list.data ? list.data : "");
    pn_text_release(&list);
    return status;
}

panem_status pn_model_spec_parse(panem_model_options *options, const char *spec, panem_error *err)
{
    enum { PART_MAX = 128 };
    int name = find_name(spec);
    if (name < 0)
        return unknown_model(spec, err);
    panem_model_options o = options_of((size_t)name);
    const char *at = spec + strlen(NAMES[name]);
    while (*at == ':') {
        size_t length = strcspn(++at, ":");
        char part[PART_MAX];
        if (length == 0 || length >= sizeof part)
            return pn_err(err, PANEM_E_ARG, "model '%s': an option is not key=value", spec);
        memcpy(part, at, length);
        part[length] = '\0';
        PN_TRY(pn_param_assign(PARAMS, sizeof PARAMS / sizeof PARAMS[0], &o, part, err));
        at += length;
    }
    *options = o;
    return PANEM_OK;
}
