/* meter.c - see meter.h. */
#include "traffic/meter.h"

#include <math.h>
#include <string.h>

#include "base/err.h"

enum { FIRST_BATCH = 256 };

panem_status pn_meter_create(pn_meter *meter, const pn_meter_config *config, panem_error *err)
{
    memset(meter, 0, sizeof *meter);
    meter->config = *config;
    meter->measuring = config->warmup_ps == 0;
    meter->open.window_ps = config->window_ps;
    pn_batch_init(&meter->batches, FIRST_BATCH);
    PN_TRY(pn_hist_create(&meter->hist[PANEM_READ], err));
    return pn_hist_create(&meter->hist[PANEM_WRITE], err);
}

void pn_meter_release(pn_meter *meter)
{
    pn_hist_destroy(meter->hist[PANEM_READ]);
    pn_hist_destroy(meter->hist[PANEM_WRITE]);
    meter->hist[PANEM_READ] = meter->hist[PANEM_WRITE] = NULL;
}

static void account_outstanding(pn_meter *m, uint64_t until_ps)
{
    m->area += (double)m->in_flight_bytes * (double)(until_ps - m->area_from_ps);
    m->area_from_ps = until_ps;
}

static void count_window(pn_meter *m, const pn_traffic_window *w)
{
    uint64_t bytes = w->read_bytes + w->write_bytes;
    m->windows++;
    m->area_total += m->area;
    m->measured_ps += w->window_ps;
    m->bytes[PANEM_READ] += w->read_bytes;
    m->bytes[PANEM_WRITE] += w->write_bytes;
    if (bytes > m->max_window_bytes && w->window_ps == m->config.window_ps)
        m->max_window_bytes = bytes;
    m->saturated +=
        m->config.saturated_bytes > 0.0 && w->outstanding_bytes >= m->config.saturated_bytes;
}

static void close_window(pn_meter *m)
{
    pn_traffic_window *w = &m->open;
    account_outstanding(m, w->start_ps + w->window_ps);
    w->outstanding_bytes = m->area / (double)w->window_ps;
    w->latency_ns = w->completions ? m->open_latency_ns / (double)w->completions : (double)NAN;
    if (m->config.window)
        m->config.window(m->config.window_user, w);
    if (m->measuring)
        count_window(m, w);
    m->area = 0.0;
    m->open_latency_ns = 0.0;
    *w = (pn_traffic_window){.start_ps = w->start_ps + w->window_ps,
                             .window_ps = m->config.window_ps};
}

void pn_meter_pass(pn_meter *m, uint64_t now_ps)
{
    m->now_ps = now_ps;
    while (now_ps >= m->open.start_ps + m->open.window_ps) {
        close_window(m);
        if (!m->measuring && m->open.start_ps >= m->config.warmup_ps)
            m->measuring = true;
    }
    account_outstanding(m, now_ps);
}

void pn_meter_cut(pn_meter *m)
{
    if (m->now_ps == m->open.start_ps)
        return;
    m->open.window_ps = m->now_ps - m->open.start_ps;
    close_window(m);
}

void pn_meter_sent(pn_meter *m, uint32_t bytes)
{
    m->in_flight_bytes += bytes;
}

void pn_meter_busy(pn_meter *m)
{
    m->busy_answers += m->measuring;
}

void pn_meter_answered(pn_meter *m, const pn_mem_response *response)
{
    double ns = (double)(response->done_ps - response->arrival_ps) / 1000.0;
    m->in_flight_bytes -= response->bytes;
    *(response->kind == PANEM_READ ? &m->open.read_bytes : &m->open.write_bytes) += response->bytes;
    m->open.completions++;
    m->open_latency_ns += ns;
    if (!m->measuring)
        return;
    pn_hist_add(m->hist[response->kind], response->done_ps - response->arrival_ps);
    m->latency_sum_ns[response->kind] += ns;
    pn_batch_add(&m->batches, ns);
}

static pn_latency latency_of(const pn_meter *m, int kind)
{
    const pn_hist *h = m->hist[kind];
    uint64_t n = pn_hist_count(h);
    return (pn_latency){
        .requests = n,
        .mean_ns = n ? m->latency_sum_ns[kind] / (double)n : (double)NAN,
        .p50_ns = pn_hist_quantile(h, 0.50) / 1000.0,
        .p95_ns = pn_hist_quantile(h, 0.95) / 1000.0,
        .p99_ns = pn_hist_quantile(h, 0.99) / 1000.0,
    };
}

void pn_meter_result(const pn_meter *m, pn_traffic_result *out, double target_error)
{
    double seconds = (double)m->measured_ps / 1e12;
    double bytes = (double)(m->bytes[PANEM_READ] + m->bytes[PANEM_WRITE]);
    memset(out, 0, sizeof *out);
    out->measured_ps = m->measured_ps;
    out->read_bytes = m->bytes[PANEM_READ];
    out->write_bytes = m->bytes[PANEM_WRITE];
    out->windows = m->windows;
    out->busy_answers = m->busy_answers;
    out->achieved_bytes_per_s = seconds > 0.0 ? bytes / seconds : 0.0;
    out->read_frac = bytes > 0.0 ? (double)out->read_bytes / bytes : (double)NAN;
    out->reads = latency_of(m, PANEM_READ);
    out->writes = latency_of(m, PANEM_WRITE);
    out->mean_latency_ns = pn_batch_mean_value(&m->batches);
    out->relative_error = pn_batch_relative_error(&m->batches);
    out->converged = out->relative_error < target_error;
    out->max_window_bytes_per_s =
        (double)m->max_window_bytes / ((double)m->config.window_ps / 1e12);
    out->outstanding_bytes = m->measured_ps ? m->area_total / (double)m->measured_ps : 0.0;
    out->saturated_frac = m->windows && m->config.saturated_bytes > 0.0
                              ? (double)m->saturated / (double)m->windows
                              : (double)NAN;
}
