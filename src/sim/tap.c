/* tap.c - see tap.h. */
#include "sim/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Bandwidth bins up to 4/3 of the share's peak: a window may exceed it. */
static const double BINS_AT_PEAK = 48.0;

typedef struct tap_port {
    pn_mem_port port;
    pn_mem_port *inner;
    pn_tap *tap;
} tap_port;

static size_t bin_of(double value, double width)
{
    double bin = value / width;
    return bin < 0.0 ? 0 : bin < PN_TAP_BINS ? (size_t)bin : PN_TAP_BINS - 1;
}

static void judge_latency(pn_tap *t, double gbs, double read_frac, double latency_ns)
{
    uint64_t curve_ps;
    if (!t->config.set ||
        panem_latency_at_bandwidth_ps(t->config.set, &curve_ps, NULL, PANEM_MIX_LINEAR,
                                      gbs * 1e9 * t->config.sharers, read_frac) != PANEM_OK)
        return;
    t->judged++;
    t->below_curve += latency_ns < (double)curve_ps / 1000.0;
}

static void close_window(pn_tap *t)
{
    pn_tap_window *w = &t->open;
    double bytes = (double)(w->read_bytes + w->write_bytes);
    double gbs = bytes * 1000.0 / (double)t->config.window_ps;
    size_t b = bin_of(gbs, pn_tap_bandwidth_bin_gbs(t));
    w->latency_ns = w->completions ? t->open_latency_ns / (double)w->completions : (double)NAN;
    t->bandwidth[b]++;
    t->above_peak += gbs > t->config.peak_gbs;
    if (w->completions) {
        size_t l = bin_of(w->latency_ns, t->config.latency_bin_ns);
        t->latency[l]++;
        t->both[b][l]++;
        judge_latency(t, gbs, (double)w->read_bytes / bytes, w->latency_ns);
    }
    if (t->windows == 0)
        t->first = gbs;
    else
        t->sum_products += gbs * t->last;
    t->sum += gbs;
    t->sum_squares += gbs * gbs;
    t->last = gbs;
    t->windows++;
    if (t->config.window)
        t->config.window(t->config.user, w);
    *w = (pn_tap_window){.start_ps = w->start_ps + t->config.window_ps};
    t->open_latency_ns = 0.0;
}

static void watch(pn_tap *t, const pn_mem_response *r)
{
    while (r->done_ps >= t->open.start_ps + t->config.window_ps)
        close_window(t);
    *(r->kind == PANEM_READ ? &t->open.read_bytes : &t->open.write_bytes) += r->bytes;
    t->open.completions++;
    t->open.cbusy_sum += r->cbusy;
    t->open_latency_ns += (double)(r->done_ps - r->arrival_ps) / 1000.0;
}

double pn_tap_bandwidth_bin_gbs(const pn_tap *tap)
{
    return tap->config.peak_gbs / BINS_AT_PEAK;
}

double pn_tap_lag1(const pn_tap *t)
{
    double n = (double)t->windows;
    if (t->windows < 3)
        return (double)NAN;
    double mean = t->sum / n;
    double variance = t->sum_squares / n - mean * mean;
    if (!(variance > 1e-12 * (mean * mean + 1e-12)))
        return (double)NAN;
    double product =
        t->sum_products - mean * (2.0 * t->sum - t->first - t->last) + (n - 1.0) * mean * mean;
    return product / (n * variance);
}

static panem_status submit(pn_mem_port *port, uint64_t *retry_ps, const pn_mem_request *request)
{
    return pn_mem_submit(((tap_port *)(void *)port)->inner, retry_ps, request);
}

static panem_status advance(pn_mem_port *port, uint64_t time_ps)
{
    return pn_mem_advance(((tap_port *)(void *)port)->inner, time_ps);
}

static uint64_t next_event(const pn_mem_port *port)
{
    return pn_mem_next_event(((const tap_port *)(const void *)port)->inner);
}

static bool pop(pn_mem_port *port, pn_mem_response *response)
{
    tap_port *p = (tap_port *)(void *)port;
    if (!pn_mem_pop(p->inner, response))
        return false;
    watch(p->tap, response);
    return true;
}

static void destroy(pn_mem_port *port)
{
    free(port);
}

static const pn_mem_ops OPS = {submit, advance, next_event, pop, destroy};

panem_status pn_tap_create(pn_mem_port **port, pn_tap *tap, pn_mem_port *inner,
                           const pn_tap_config *config, panem_error *err)
{
    tap_port *p = calloc(1, sizeof *p);
    if (!p)
        return pn_err(err, PANEM_E_NOMEM, "no memory for the windows of %s", inner->name);
    memset(tap, 0, sizeof *tap);
    tap->config = *config;
    p->port = (pn_mem_port){&OPS, inner->name, inner->posted_writes};
    p->inner = inner;
    p->tap = tap;
    *port = &p->port;
    return PANEM_OK;
}
