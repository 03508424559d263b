/* model.c - options, creation and dispatch of the model kinds. */
#include "model/model.h"

#include <math.h>

#include "base/err.h"
#include "base/mem.h"
#include "curve/relation.h"
#include "model/peer.h"

/* The averaging horizon holds at least so many cache lines at the share's peak: the noise of
 * counting them is 1/sqrt of it, and the curve's bend turns noise into bias (docs/decisions/0003).
 */
enum { HORIZON_LINES = 512, LINE_BYTES = 64 };

enum { WINDOWS_MAX = 65536, SHARERS_MAX = 65536, RING_MIN = 16, RING_MAX = 65536, LOOKS_MAX = 64 };
static const uint64_t WINDOW_MIN_PS = 1000;
static const uint64_t WINDOW_MAX_PS = UINT64_C(10000000000);

/* Keeps relative times and the guard clock of window.c inside 64 bits. */
static const uint64_t RING_SPAN_MAX_PS = UINT64_C(1) << 44;

static const pn_model_ops *ops_of(panem_kind kind)
{
    switch (kind) {
    case PANEM_KIND_PANEM:
        return &pn_model_window_ops;
    case PANEM_KIND_FIXED_IDLE:
    case PANEM_KIND_FIXED_HIGH:
        return &pn_model_fixed_ops;
    case PANEM_KIND_MD1:
        return &pn_model_md1_ops;
    case PANEM_KIND_MESS:
        return &pn_model_mess_ops;
    case PANEM_KIND_MG1:
        return &pn_model_mg1_ops;
    case PANEM_KIND_NEXTFREE:
        return &pn_model_nextfree_ops;
    }
    return NULL;
}

static panem_status check_time_options(const panem_model_options *o, panem_error *err)
{
    if (o->window_ps < WINDOW_MIN_PS || o->window_ps > WINDOW_MAX_PS)
        return pn_err(err, PANEM_E_ARG, "model options: window_ps is outside 1e3..1e10");
    if (o->windows > WINDOWS_MAX)
        return pn_err(err, PANEM_E_ARG, "model options: windows is above 65536");
    if (o->sharers < 1 || o->sharers > SHARERS_MAX)
        return pn_err(err, PANEM_E_ARG, "model options: sharers is outside 1..65536");
    if (o->ring_windows < RING_MIN || o->ring_windows > RING_MAX ||
        (o->ring_windows & (o->ring_windows - 1)) != 0)
        return pn_err(err, PANEM_E_ARG,
                      "model options: ring_windows is not a power of two in 16..65536");
    if (o->ring_windows * o->window_ps > RING_SPAN_MAX_PS)
        return pn_err(err, PANEM_E_ARG,
                      "model options: ring_windows x window_ps is above 2^44 ps (17 s)");
    if (o->guard_slack_ps > WINDOW_MAX_PS)
        return pn_err(err, PANEM_E_ARG, "model options: guard_slack_ps is above 1e10");
    if (o->looks > LOOKS_MAX)
        return pn_err(err, PANEM_E_ARG, "model options: looks is above 64");
    if ((unsigned)o->time_mode > PANEM_TIME_HORIZON)
        return pn_err(err, PANEM_E_ARG, "model options: unknown time_mode");
    return PANEM_OK;
}

static panem_status check_options(const panem_model_options *o, panem_error *err)
{
    if (o->size != sizeof *o)
        return pn_err(err, PANEM_E_ARG, "model options: size is not that of this version");
    if (!ops_of(o->kind))
        return pn_err(err, PANEM_E_ARG, "model options: unknown kind");
    if ((unsigned)o->relation.beyond > PANEM_BEYOND_PAPER ||
        (unsigned)o->relation.mix > PANEM_MIX_NEAREST)
        return pn_err(err, PANEM_E_ARG, "model options: unknown relation");
    if ((unsigned)o->guard > PANEM_GUARD_COMPLETIONS)
        return pn_err(err, PANEM_E_ARG, "model options: unknown guard");
    if ((unsigned)o->cbusy_by > PANEM_CBUSY_BY_BANDWIDTH)
        return pn_err(err, PANEM_E_ARG, "model options: unknown cbusy_by");
    const double *e = o->cbusy_enter;
    if (!(e[0] > 0.0 && e[0] < e[1] && e[1] < e[2] && isfinite(e[2])))
        return pn_err(err, PANEM_E_ARG, "model options: cbusy_enter must rise from above 0");
    if (!(o->cbusy_hysteresis >= 0.0 && o->cbusy_hysteresis <= 0.5))
        return pn_err(err, PANEM_E_ARG, "model options: cbusy_hysteresis is outside 0..0.5");
    if (o->cbusy_hysteresis >= e[0]) /* level 1 would never be left */
        return pn_err(err, PANEM_E_ARG,
                      "model options: cbusy_hysteresis is not below cbusy_enter[0]");
    PN_TRY(pn_peer_check_options(o, err));
    return check_time_options(o, err);
}

static double lowest_peak_gbs(const panem_curves *set)
{
    double lowest = set->mix[0].peak_gbs;
    for (int i = 1; i <= PN_MIX_STEPS; i++)
        if (set->mix[i].peak_gbs < lowest)
            lowest = set->mix[i].peak_gbs;
    return lowest;
}

/* A request that finds the memory idle must fit the ring, or it would be busy for ever. */
static panem_status check_ring(const panem_curves *set, const panem_model_options *o,
                               panem_error *err)
{
    double slowest_ns = 0.0;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->curves[i].latency[0] > slowest_ns)
            slowest_ns = set->curves[i].latency[0];
    if (slowest_ns * 1000.0 + 1.0 > (double)((o->ring_windows - 1) * o->window_ps))
        return pn_err(err, PANEM_E_ARG,
                      "model options: ring_windows x window_ps is too short for an idle latency of "
                      "%.3f ns",
                      slowest_ns);
    return PANEM_OK;
}

/* Equation 12: the horizon is max(one window, HORIZON_LINES line times at peak / sharers). */
uint32_t panem_windows_effective(const panem_curves *set, const panem_model_options *options)
{
    if (check_options(options, NULL) != PANEM_OK)
        return 0;
    if (options->windows)
        return options->windows;
    double line_ps = LINE_BYTES * 1000.0 / lowest_peak_gbs(set) * options->sharers;
    double windows = ceil(HORIZON_LINES * line_ps / (double)options->window_ps);
    if (windows < 1.0)
        return 1;
    return windows < WINDOWS_MAX ? (uint32_t)windows : WINDOWS_MAX;
}

panem_status panem_model_create(panem_model **model, const panem_curves *set,
                                const panem_model_options *options, panem_error *err)
{
    const panem_model_options defaults = PANEM_MODEL_OPTIONS_INIT;
    panem_model_options resolved = options ? *options : defaults;
    if (!set)
        return pn_err(err, PANEM_E_ARG, "no curve set for the model");
    PN_TRY(check_options(&resolved, err));
    PN_TRY(check_ring(set, &resolved, err));
    resolved.windows = panem_windows_effective(set, &resolved);
    panem_allocator allocator = resolved.allocator ? *resolved.allocator : set->allocator;
    panem_model *m = NULL;
    PN_TRY(ops_of(resolved.kind)->create(&m, set, &resolved, &allocator, err));
    m->ops = ops_of(resolved.kind);
    m->set = set;
    m->options = resolved;
    m->allocator = allocator;
    m->options.allocator = NULL;
    m->ops->reset(m);
    *model = m;
    return PANEM_OK;
}

void panem_model_destroy(panem_model *model)
{
    if (model)
        model->ops->destroy(model);
}

void panem_reset(panem_model *model)
{
    model->ops->reset(model);
}

panem_status panem_access(panem_model *model, panem_response *response,
                          const panem_request *request)
{
    return model->ops->access(model, response, request);
}

panem_status panem_advance(panem_model *model, uint64_t horizon_ps)
{
    return model->ops->advance(model, horizon_ps);
}

void panem_peek(const panem_model *model, panem_state *state)
{
    model->ops->peek(model, state);
}

void panem_observe(panem_model *model, panem_observe_fn observe, void *user)
{
    model->observe = observe;
    model->observe_user = user;
}

void panem_stats_get(const panem_model *model, panem_stats *stats)
{
    model->ops->stats(model, stats);
}
