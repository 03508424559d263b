/* history.c - see history.h. */
#include "sim/history.h"

static void add(pn_history_step *to, const pn_history_step *more)
{
    to->read_bytes += more->read_bytes;
    to->write_bytes += more->write_bytes;
    to->completions += more->completions;
    to->latency_ns += more->latency_ns;
}

/* Neighbours become one; every step was full. */
static void halve(pn_history *h)
{
    for (size_t i = 0; i < PN_HISTORY_MAX / 2; i++) {
        pn_history_step both = h->steps[2 * i];
        add(&both, &h->steps[2 * i + 1]);
        h->steps[i] = both;
    }
    h->count = PN_HISTORY_MAX / 2;
    h->each *= 2;
}

void pn_history_take(void *user, const pn_tap_window *w)
{
    pn_history *h = user;
    const pn_history_step one = {w->read_bytes, w->write_bytes, w->completions,
                                 w->completions ? w->latency_ns * (double)w->completions : 0.0};
    if (h->each == 0)
        h->each = 1;
    if (h->count == PN_HISTORY_MAX && h->windows == h->each * PN_HISTORY_MAX)
        halve(h);
    if (h->windows == h->each * h->count)
        h->steps[h->count++] = one;
    else
        add(&h->steps[h->count - 1], &one);
    h->windows++;
}

uint64_t pn_history_windows(const pn_history *h, size_t i)
{
    return i + 1 < h->count ? h->each : h->windows - h->each * i;
}
