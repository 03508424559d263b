/* record.h - recording a program into a .ptrace: the parent of QEMU and its plugin (capture/).
 *
 * The program runs under qemu-<isa> with address randomization off and a fixed seed, with our own
 * environment, standard streams and working folder. A single-threaded program that does not look at
 * time, process ids or the like gives the same trace every time.
 *
 * What happens with more than one of something: every thread has its own stream, numbered as they
 * start; a child made by fork runs on untraced; after exec the new program runs natively and
 * untraced and the trace ends.
 * NOT recorded: see capture/capture.c and trace.h. */
#ifndef PN_TRACE_RECORD_H
#define PN_TRACE_RECORD_H

#include "base/err.h"
#include "trace/inst.h"

typedef struct pn_record_progress {
    uint64_t skipped, instructions, bytes;
} pn_record_progress;

typedef struct pn_record_options {
    const char *output;  /* path of the .ptrace, or "-" */
    const char *program; /* path of the ELF file (no search in PATH) */
    char *const *argv;   /* of the program, NULL-terminated; argv[0] is what it sees as its name */
    const char *plugin;  /* path of the plugin library */
    const char *qemu;    /* path of qemu-<isa>, or NULL: /usr/bin/qemu-<isa> */
    const char *sysroot; /* where foreign libraries are, or NULL */
    const char *cpu;     /* qemu -cpu, or NULL: the default of pn_record_cpu */
    const char *name;    /* short name for the trace, or NULL: the program's file name */
    uint64_t skip;       /* instructions to pass first; ends at the next block's start */
    uint64_t max;        /* instructions to record, exactly; 0 = to the end */
    bool stop;           /* end the program when max is reached; else it runs on unrecorded */
    void (*progress)(void *user, const pn_record_progress *now); /* now and then; may be NULL */
    void *user;
} pn_record_options;

typedef struct pn_record_result {
    uint64_t skipped, instructions, undecoded, bytes;
    uint32_t threads;
    uint32_t notes;  /* PN_NOTE_* of ring.h */
    int exit_status; /* of the program: its code, or 128 + signal; 0 when stopped by us */
} pn_record_result;

/* The ISA of an ELF program. E_FORMAT for anything else, with the interpreter's path for a script.
 */
panem_status pn_record_isa(pn_isa *isa, const char *program, panem_error *err);

/* Default -cpu: what the decoder knows in full. NULL: QEMU's own default. */
const char *pn_record_cpu(pn_isa isa);

/* Runs it. E_IO when QEMU is missing (the message says what to install), E_EMPTY when the program
 * ended before the window, other statuses as the writer's. On failure no file appears. */
panem_status pn_record(pn_record_result *result, const pn_record_options *options,
                       panem_error *err);

#endif
