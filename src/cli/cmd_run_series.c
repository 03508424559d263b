/* cmd_run_series.c - --series of `panem run`: what crossed the memory's door in each window, and
 * what one core did meanwhile.
 *
 * Windows come from the port's tap when the first answer after their end came, the core's count of
 * instructions when its front end passed their end; a line is written once it has both. */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_run.h"

/* What waits for its other half, oldest first: items[first..end). */
typedef struct queue {
    void *items;
    size_t first, end, max, item_bytes;
} queue;

struct pn_run_series {
    pn_writer *writer;
    double window_ns, window_cyc;
    queue windows;   /* pn_tap_window */
    queue counts;    /* uint64_t: instructions so far at the end of a window */
    uint64_t before; /* instructions at the end of the last window written */
    bool failed;     /* no memory */
};

/* False: no memory. */
static bool enter(queue *q, const void *item)
{
    if (q->first == q->end)
        q->first = q->end = 0;
    if (q->end == q->max) {
        size_t larger = q->max ? 2 * q->max : 256;
        void *grown = realloc(q->items, larger * q->item_bytes);
        if (!grown)
            return false;
        q->items = grown;
        q->max = larger;
    }
    memcpy((char *)q->items + q->end++ * q->item_bytes, item, q->item_bytes);
    return true;
}

static bool waits(const queue *q)
{
    return q->first < q->end;
}

static void number(pn_text *line, double value)
{
    pn_text_puts(line, ",");
    pn_text_number(line, value);
}

/* instructions: in the window; NULL: not known. */
static void write_line(pn_run_series *s, const pn_tap_window *w, const uint64_t *instructions)
{
    pn_text line = PN_TEXT_INIT;
    pn_text_number(&line, (double)w->start_ps / 1000.0);
    number(&line, (double)w->read_bytes / s->window_ns);
    number(&line, (double)w->write_bytes / s->window_ns);
    if (w->completions) {
        number(&line, w->latency_ns);
        number(&line, w->latency_ns * (double)w->completions / s->window_ns);
        number(&line, (double)w->cbusy_sum / (double)w->completions);
    } else { /* nothing completed: no latency, no level */
        pn_text_puts(&line, ",,0,");
    }
    if (instructions)
        number(&line, (double)*instructions / s->window_cyc);
    else
        pn_text_puts(&line, ",");
    pn_text_puts(&line, "\n");
    s->failed = s->failed || line.failed;
    if (!s->failed)
        pn_writer_add(s->writer, line.data, line.length);
    pn_text_release(&line);
}

static void write_pairs(pn_run_series *s)
{
    while (waits(&s->windows) && waits(&s->counts)) {
        uint64_t now = ((const uint64_t *)s->counts.items)[s->counts.first++];
        uint64_t instructions = now - s->before;
        s->before = now;
        write_line(s, &((const pn_tap_window *)s->windows.items)[s->windows.first++],
                   &instructions);
    }
}

static void take_window(void *user, const pn_tap_window *w)
{
    pn_run_series *s = user;
    s->failed = s->failed || !enter(&s->windows, w);
    if (!s->failed)
        write_pairs(s);
}

static void take_count(void *user, uint64_t instructions)
{
    pn_run_series *s = user;
    s->failed = s->failed || !enter(&s->counts, &instructions);
    if (!s->failed)
        write_pairs(s);
}

void pn_run_series_watch(const pn_run_settings *s, pn_core *core)
{
    if (s->series)
        pn_core_sample(core, PN_SIM_WINDOW_PS, take_count, s->series);
}

int pn_run_series_open(pn_run_settings *s, pn_mem_port **port, pn_tap *tap,
                       const pn_sim_memory *memory)
{
    static const char header[] =
        "time_ns,read_gbs,write_gbs,latency_ns,outstanding_lines,cbusy_mean,ipc\n";
    panem_error err = PANEM_ERROR_INIT;
    pn_tap_config config = pn_sim_windows(memory);
    *port = NULL;
    if (!s->series_path)
        return PN_EXIT_OK;
    s->series = calloc(1, sizeof *s->series);
    if (!s->series) {
        (void)pn_err(&err, PANEM_E_NOMEM, "no memory for a series");
        return pn_fail(&err);
    }
    s->series->windows.item_bytes = sizeof(pn_tap_window);
    s->series->counts.item_bytes = sizeof(uint64_t);
    config.window = take_window;
    config.user = s->series;
    s->series->window_ns = (double)PN_SIM_WINDOW_PS / 1000.0;
    s->series->window_cyc = s->series->window_ns * 1e-9 * (double)s->config.clock_hz;
    panem_status status = pn_writer_open(&s->series->writer, s->series_path, &err);
    if (status == PANEM_OK) {
        pn_writer_add(s->series->writer, header, sizeof header - 1);
        status = pn_tap_create(port, tap, memory->port, &config, &err);
    }
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail_output(&err);
}

int pn_run_series_close(pn_run_settings *s)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_run_series *series = s->series;
    if (!series)
        return PN_EXIT_OK;
    for (; waits(&series->windows); series->windows.first++)
        write_line(series, &((const pn_tap_window *)series->windows.items)[series->windows.first],
                   NULL);
    pn_writer *writer = series->writer;
    series->writer = NULL;
    if (series->failed) {
        pn_writer_abort(writer);
        (void)pn_err(&err, PANEM_E_NOMEM, "no memory for a series");
        return pn_fail(&err);
    }
    return pn_writer_commit(writer, &err) == PANEM_OK ? PN_EXIT_OK : pn_fail_output(&err);
}

void pn_run_series_abort(pn_run_settings *s)
{
    if (!s->series)
        return;
    pn_writer_abort(s->series->writer);
    free(s->series->windows.items);
    free(s->series->counts.items);
    free(s->series);
    s->series = NULL;
}
