/* copy.h - a trace into a new file: conversion, a part of it, a new decode. */
#ifndef PN_TRACE_COPY_H
#define PN_TRACE_COPY_H

#include "trace/champsim.h"
#include "trace/trace.h"

typedef struct pn_copy_options {
    pn_trace_options input;
    pn_trace_format to;    /* PTRACE or CHAMPSIM */
    uint64_t start, count; /* instructions of each stream, or records; count 0 = to the end */
    bool one_thread;       /* only input.thread; else every stream the file tells of */
    bool redecode;         /* decode again from the instruction bytes, where there are any */
    const char *name;      /* NULL: the name it had */
} pn_copy_options;

typedef struct pn_copy_result {
    uint64_t instructions, records;
    uint64_t redecoded; /* static instructions whose decode differs now */
    uint32_t threads;
    bool truncated;
    pn_champsim_losses losses;
} pn_copy_result;

/* Copies; nothing appears at out on failure. E_MISMATCH: a memory-only trace has no ChampSim form.
 * E_RANGE: start is past the end. */
panem_status pn_trace_copy(pn_copy_result *result, const char *out, const char *in,
                           const pn_copy_options *options, panem_error *err);

#endif
