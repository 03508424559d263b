/* trace_priv.h - what every reader of a format gives to trace.c. Private to trace. */
#ifndef PN_TRACE_PRIV_H
#define PN_TRACE_PRIV_H

#include "trace/source.h"
#include "trace/trace.h"

typedef struct pn_trace_ops {
    /* NULL for a memory-only format. */
    panem_status (*next)(pn_trace *trace, pn_batch *batch, panem_error *err);
    /* NULL for an instruction format: derived from next. */
    panem_status (*next_mem)(pn_trace *trace, pn_mem_record *records, size_t *count,
                             size_t capacity, panem_error *err);
    /* Goes to some place at or before `instruction`; *at says where. NULL: only forward. */
    panem_status (*seek)(pn_trace *trace, uint64_t *at, uint64_t instruction, panem_error *err);
    uint32_t (*inst_count)(const pn_trace *trace);
    void (*close)(pn_trace *trace); /* frees the trace itself, too */
} pn_trace_ops;

/* First member of every reader. */
struct pn_trace {
    const pn_trace_ops *ops;
    pn_trace_info info;
    pn_trace_options options;
    char *path;
    bool truncated;
    uint64_t position; /* instructions delivered */
    /* the memory view of an instruction trace */
    pn_batch view;
    size_t view_op, view_access;
    uint64_t view_number;
    bool seeked; /* the batch in `view` is to be delivered by the next call of next */
};

/* Openers by format. The source becomes the trace's, on failure too; its path names the file. */
typedef panem_status pn_trace_opener(pn_trace **trace, pn_source *source,
                                     const pn_trace_options *options, panem_error *err);
pn_trace_opener pn_ptrace_open, pn_champsim_open, pn_gem5_open, pn_textmem_open;

/* Fills the common part: ops, options, path copy; strings of info are "". False without memory. */
bool pn_trace_base(pn_trace *trace, const pn_trace_ops *ops, const char *path,
                   const pn_trace_options *options, pn_trace_format format);
void pn_trace_base_release(pn_trace *trace);

#endif
