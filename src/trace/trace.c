/* trace.c - opening a trace by content, and what is the same for every format. */
#include "trace/trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/section.h"
#include "trace/trace_priv.h"

const char *const pn_trace_format_names[PN_TRACE_FORMAT_COUNT + 1] = {
#define PN_TRACE_FORMAT_NAME(name, text) text,
    PN_TRACE_FORMAT_LIST(PN_TRACE_FORMAT_NAME)
#undef PN_TRACE_FORMAT_NAME
        NULL};

/* ---- what readers share ---------------------------------------------------------------------- */

bool pn_trace_base(pn_trace *trace, const pn_trace_ops *ops, const char *path,
                   const pn_trace_options *options, pn_trace_format format)
{
    trace->ops = ops;
    trace->options = *options;
    trace->path = strdup(path);
    trace->info.format = format;
    trace->info.name = trace->info.source = trace->info.command = "";
    return trace->path != NULL;
}

void pn_trace_base_release(pn_trace *trace)
{
    free(trace->path);
    trace->path = NULL;
}

/* ---- which format ---------------------------------------------------------------------------- */

/* The head as text, cut to its whole lines; NULL-terminated copy of the first line that says
 * something (not blank, not a # comment). False when it is not text. */
static bool first_line(char line[128], const uint8_t *head, size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = head[i];
        if (c == 0 || (c < 32 && c != '\t' && c != '\n' && c != '\r'))
            return false;
        if (c == '\n' && length > 0 && line[0] != '#' && strncmp(line, "==", 2) != 0)
            break;
        if (c == '\n')
            length = 0;
        else if (length < 127 && c != '\r' && (length > 0 || c != '\t'))
            line[length++] = (char)c;
    }
    line[length] = '\0';
    return true;
}

/* By the shape of a line; the reader checks every line for itself. */
static pn_trace_format text_format(const char *line)
{
    char word[3][32] = {{0}};
    int n = sscanf(line, "%31s %31s %31s", word[0], word[1], word[2]);
    bool hex = strncmp(word[0], "0x", 2) == 0;
    if (n >= 2 && strlen(word[0]) == 1 && strchr("ILSM", word[0][0]) && strchr(word[1], ','))
        return PN_TRACE_FORMAT_LACKEY;
    if (n >= 3 && word[0][strlen(word[0]) - 1] == ':' &&
        (strcmp(word[1], "read") == 0 || strcmp(word[1], "write") == 0))
        return PN_TRACE_FORMAT_DRAMSYS;
    if (n == 3 && hex && isalpha((unsigned char)word[1][0]))
        return PN_TRACE_FORMAT_DRAMSIM3;
    if (n >= 2)
        return PN_TRACE_FORMAT_RAMULATOR;
    return PN_TRACE_FORMAT_AUTO;
}

static panem_status detect(pn_trace_format *format, const pn_source *source, panem_error *err)
{
    char line[128];
    const uint8_t *head = source->head;
    size_t n = source->head_bytes;
    *format = PN_TRACE_FORMAT_AUTO;
    if (n == 0)
        return pn_err_at(err, PANEM_E_EMPTY, source->path, 0, 0, "the trace is empty");
    if (n >= 8 && memcmp(head, pn_ptrace_magic, 8) == 0)
        *format = PN_TRACE_FORMAT_PTRACE;
    else if (n >= 4 && memcmp(head, "gem5", 4) == 0)
        *format = PN_TRACE_FORMAT_GEM5;
    else if (n >= 7 && memcmp(head, "version https://git-lfs", n < 23 ? n : 23) == 0)
        return pn_err_at(err, PANEM_E_FORMAT, source->path, 0, 0,
                         "is a Git LFS pointer, not the trace; fetch the file with git lfs pull");
    else if (n >= 4 && memcmp(head,
                              "\x7f"
                              "ELF",
                              4) == 0)
        return pn_err_at(err, PANEM_E_FORMAT, source->path, 0, 0,
                         "is a program, not a trace; record it with panem trace record");
    else if (first_line(line, head, n))
        *format = text_format(line);
    else
        *format = PN_TRACE_FORMAT_CHAMPSIM; /* has no mark; its reader judges the records */
    if (*format == PN_TRACE_FORMAT_AUTO)
        return pn_err_at(err, PANEM_E_FORMAT, source->path, 0, 0,
                         "is not a trace of a known format; say which with --from");
    return PANEM_OK;
}

panem_status pn_trace_open(pn_trace **trace, const char *path, const pn_trace_options *options,
                           panem_error *err)
{
    static pn_trace_opener *const openers[PN_TRACE_FORMAT_COUNT] = {
        [PN_TRACE_FORMAT_PTRACE] = pn_ptrace_open,
        [PN_TRACE_FORMAT_CHAMPSIM] = pn_champsim_open,
        [PN_TRACE_FORMAT_CLOUDSUITE] = pn_champsim_open,
        [PN_TRACE_FORMAT_GEM5] = pn_gem5_open,
        [PN_TRACE_FORMAT_DRAMSIM3] = pn_textmem_open,
        [PN_TRACE_FORMAT_RAMULATOR] = pn_textmem_open,
        [PN_TRACE_FORMAT_DRAMSYS] = pn_textmem_open,
        [PN_TRACE_FORMAT_LACKEY] = pn_textmem_open,
    };
    pn_source source;
    pn_trace_options chosen = *options;
    PN_TRY(pn_source_open(&source, path, err));
    panem_status status = PANEM_OK;
    if (chosen.format == PN_TRACE_FORMAT_AUTO)
        status = detect(&chosen.format, &source, err);
    if (status != PANEM_OK) {
        pn_source_close(&source);
        return status;
    }
    return openers[chosen.format](trace, &source, &chosen, err);
}

const pn_trace_info *pn_trace_about(const pn_trace *trace)
{
    return &trace->info;
}

/* ---- reading --------------------------------------------------------------------------------- */

static size_t counted(const pn_batch *batch)
{
    size_t n = 0;
    for (size_t i = 0; i < batch->n_ops; i++)
        n += !(batch->ops[i].flags & PN_OP_CONTINUES);
    return n;
}

panem_status pn_trace_next(pn_trace *trace, pn_batch *batch, panem_error *err)
{
    if (!trace->ops->next)
        return pn_err_at(err, PANEM_E_MISMATCH, trace->path, 0, 0,
                         "is a memory-only trace (%s): it has no instructions to run; replay it "
                         "with panem traffic --trace",
                         pn_trace_format_names[trace->info.format]);
    if (trace->seeked) {
        pn_batch held = trace->view; /* batch may be the view itself */
        trace->seeked = false;
        trace->view.n_ops = 0;
        *batch = held;
        return PANEM_OK;
    }
    return trace->ops->next(trace, batch, err);
}

panem_status pn_trace_next_mem(pn_trace *trace, pn_mem_record *records, size_t *count,
                               size_t capacity, panem_error *err)
{
    if (trace->ops->next_mem)
        return trace->ops->next_mem(trace, records, count, capacity, err);
    size_t n = 0;
    pn_batch *view = &trace->view;
    while (n < capacity) {
        if (trace->view_op == view->n_ops || trace->seeked) {
            PN_TRY(pn_trace_next(trace, view, err));
            trace->view_op = trace->view_access = 0;
            trace->view_number = view->first;
            if (view->n_ops == 0)
                break;
        }
        const pn_op *op = &view->ops[trace->view_op];
        for (; trace->view_access < op->n_accesses && n < capacity; trace->view_access++) {
            const pn_access *a = &op->accesses[trace->view_access];
            records[n++] = (pn_mem_record){trace->view_number, a->address, a->bytes, a->write};
        }
        if (trace->view_access < op->n_accesses)
            break;
        trace->view_access = 0;
        trace->view_op++;
        trace->view_number += !(op->flags & PN_OP_CONTINUES);
    }
    *count = n;
    return PANEM_OK;
}

/* Drops what lies before the wanted instruction from the front of the batch. */
static void trim(pn_batch *batch, uint64_t instruction)
{
    size_t drop = 0;
    while (batch->first < instruction ||
           (drop < batch->n_ops && batch->ops[drop].flags & PN_OP_CONTINUES)) {
        batch->first += !(batch->ops[drop].flags & PN_OP_CONTINUES);
        drop++;
    }
    size_t events = 0;
    while (events < batch->n_events && batch->events[events].op < drop)
        events++;
    batch->ops += drop;
    batch->n_ops -= drop;
    /* Event positions count from the batch's first op; they are dropped when that moves. */
    batch->n_events = drop ? 0 : batch->n_events - events;
}

panem_status pn_trace_seek(pn_trace *trace, uint64_t instruction, panem_error *err)
{
    pn_batch batch = {0};
    uint64_t at = 0;
    if (trace->info.kind == PN_TRACE_MEMORY)
        return pn_err_at(err, PANEM_E_MISMATCH, trace->path, 0, 0,
                         "is a memory-only trace: it has no instructions to seek");
    if (trace->ops->seek && (trace->info.has_totals || trace->position > instruction))
        PN_TRY(trace->ops->seek(trace, &at, instruction, err));
    trace->seeked = false;
    do {
        PN_TRY(trace->ops->next(trace, &batch, err));
        if (batch.n_ops == 0)
            return pn_err_at(err, PANEM_E_RANGE, trace->path, 0, 0,
                             "instruction %" PRIu64 " is past the end", instruction);
        if (batch.first > instruction)
            return pn_err_at(err, PANEM_E_ARG, trace->path, 0, 0,
                             "cannot go back: the input has no index or is not a plain file");
    } while (batch.first + counted(&batch) <= instruction);
    trim(&batch, instruction);
    trace->view = batch;
    trace->seeked = true;
    trace->view_op = trace->view_access = 0;
    return PANEM_OK;
}

uint32_t pn_trace_inst_count(const pn_trace *trace)
{
    return trace->ops->inst_count ? trace->ops->inst_count(trace) : 0;
}

bool pn_trace_truncated(const pn_trace *trace)
{
    return trace->truncated;
}

void pn_trace_close(pn_trace *trace)
{
    if (trace)
        trace->ops->close(trace);
}
