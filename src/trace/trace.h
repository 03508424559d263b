/* trace.h - reading traces: one stream of instructions, or of memory records, from any format.
 *
 * A trace is opened by content: our .ptrace, ChampSim records, or one of the memory-only formats;
 * compressed or not, "-" for standard input. Reading is streaming with constant memory (the static
 * instructions apart) in batches that the reader owns.
 *
 * Rules: a pn_trace belongs to one thread. Damage is E_DAMAGED (or E_FORMAT) with the number of the
 * instruction, record or line it was found at; nothing is guessed. Instructions delivered before
 * the error were good. What a format does not know is marked unknown (info.unknown).
 * NOT modelled: wrong-path instructions, register values, accesses of the kernel on the program's
 * behalf (read() filling a buffer), instruction fetch other than the instructions themselves. */
#ifndef PN_TRACE_TRACE_H
#define PN_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/inst.h"

/* ---- what a batch holds ---------------------------------------------------------------------- */

typedef struct pn_access {
    uint64_t address;
    uint8_t bytes; /* 1..64 (a merged vector or string piece), 0 = not known */
    uint8_t write; /* 0 read, 1 write */
} pn_access;

enum {
    PN_OP_TAKEN = 1 << 0,     /* a branch, and it left the sequential path */
    PN_OP_CONTINUES = 1 << 1, /* a further part of the instruction before (a long `rep movs`): it is
                                 not counted as an instruction */
    PN_OP_JUMPED = 1 << 2,    /* next_pc is neither the sequential nor the branch path: a signal */
    PN_OP_SYSCALL = 1 << 3    /* a system call was made by it */
};

/* One executed instruction. */
typedef struct pn_op {
    const pn_inst *inst;       /* valid until the trace is closed */
    const pn_access *accesses; /* in the order made; valid as long as the batch */
    uint64_t next_pc;          /* of the instruction executed next; 0 = the trace ends here */
    uint16_t n_accesses;
    uint8_t flags; /* PN_OP_* */
} pn_op;

typedef enum pn_event_kind {
    PN_EVENT_SYSCALL = 1, /* value: its number */
    PN_EVENT_THREAD = 2,  /* this thread started another; value: the new stream's number */
    PN_EVENT_FORK = 3,    /* a child process was made; it is not traced */
    PN_EVENT_EXEC = 4,    /* the program replaced itself; nothing follows unless that failed */
    PN_EVENT_GAP = 5      /* value instructions are missing here (recording was off) */
} pn_event_kind;

typedef struct pn_event {
    uint32_t op; /* index in the batch of the op that comes after it; may equal n_ops */
    uint32_t kind;
    uint64_t value;
} pn_event;

typedef struct pn_batch {
    const pn_op *ops;
    const pn_event *events;
    size_t n_ops; /* 0 = end of the trace */
    size_t n_events;
    uint64_t first; /* instructions of the stream before this batch */
} pn_batch;

/* Memory-only view: what reached the data side, without instructions. */
typedef struct pn_mem_record {
    uint64_t time; /* in info.time_unit since the trace's start; 0 when the format has none */
    uint64_t address;
    uint32_t bytes; /* 0 = not known */
    uint8_t write;
} pn_mem_record;

/* ---- what is known about a trace ------------------------------------------------------------- */

typedef enum pn_trace_kind {
    PN_TRACE_INSTRUCTIONS = 0,
    PN_TRACE_MEMORY = 1 /* only data accesses: a core cannot run it */
} pn_trace_kind;

typedef enum pn_time_unit {
    PN_TIME_NONE = 0,
    PN_TIME_PS,
    PN_TIME_CYCLES, /* of a clock the format does not name, unless info.clock_hz is set */
    PN_TIME_INSTRUCTIONS
} pn_time_unit;

/* pn_trace_info.unknown */
enum {
    PN_UNKNOWN_SIZE = 1,   /* access sizes */
    PN_UNKNOWN_CLASS = 2,  /* instruction classes */
    PN_UNKNOWN_LENGTH = 4, /* instruction lengths */
    PN_UNKNOWN_PC = 8
};

#define PN_TRACE_FORMAT_LIST(X) \
    X(AUTO, "auto")             \
    X(PTRACE, "ptrace")         \
    X(CHAMPSIM, "champsim")     \
    X(CLOUDSUITE, "cloudsuite") \
    X(GEM5, "gem5")             \
    X(DRAMSIM3, "dramsim3")     \
    X(RAMULATOR, "ramulator")   \
    X(DRAMSYS, "dramsys")       \
    X(LACKEY, "lackey")

typedef enum pn_trace_format {
#define PN_TRACE_FORMAT_ENUM(name, text) PN_TRACE_FORMAT_##name,
    PN_TRACE_FORMAT_LIST(PN_TRACE_FORMAT_ENUM)
#undef PN_TRACE_FORMAT_ENUM
        PN_TRACE_FORMAT_COUNT
} pn_trace_format;

/* NULL-terminated, in enum order. */
extern const char *const pn_trace_format_names[PN_TRACE_FORMAT_COUNT + 1];

typedef struct pn_trace_thread {
    uint32_t id;
    uint64_t instructions, reads, writes, syscalls;
} pn_trace_thread;

typedef struct pn_trace_info {
    pn_trace_format format;
    pn_trace_kind kind;
    pn_isa isa;
    pn_time_unit time_unit;
    uint64_t clock_hz;        /* of CYCLES, 0 = not known */
    uint32_t unknown;         /* PN_UNKNOWN_* */
    uint32_t decoder_version; /* of the stored decode; 0 = none */
    const char *name;         /* short name given at recording, or "" */
    const char *source;       /* what made it, e.g. "qemu 7.2", "champsim" */
    const char *command;      /* command line, blanks between arguments, or "" */
    uint64_t skipped;         /* instructions before the first recorded one */
    /* Known when has_totals: the file has its closing section and could be read from its end. */
    bool has_totals;
    uint64_t instructions, reads, writes, undecoded, records, content_hash;
    const pn_trace_thread *threads;
    size_t n_threads;
} pn_trace_info;

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct pn_trace pn_trace;

typedef struct pn_trace_options {
    pn_trace_format format; /* AUTO: by content */
    uint32_t thread;        /* stream to read; 0 is the first thread of the program */
    bool accept_truncated;  /* a file cut short ends where it is whole; pn_trace_truncated tells */
} pn_trace_options;

#define PN_TRACE_OPTIONS_INIT          \
    {                                  \
        PN_TRACE_FORMAT_AUTO, 0, false \
    }

/* Opens path ("-": standard input). E_IO, E_FORMAT (with the format it looks like), E_DAMAGED,
 * E_VERSION, E_EMPTY (nothing in it), E_NOMEM. The info and its strings live as long as the trace.
 */
panem_status pn_trace_open(pn_trace **trace, const char *path, const pn_trace_options *options,
                           panem_error *err);
const pn_trace_info *pn_trace_about(const pn_trace *trace);

/* The next batch of instructions; n_ops = 0 at the end. What the batch points to is valid until
 * the next call. E_MISMATCH for a memory-only trace; E_EMPTY at the end of a .ptrace that does not
 * have the stream chosen. */
panem_status pn_trace_next(pn_trace *trace, pn_batch *batch, panem_error *err);

/* Up to capacity records of the memory-only view, of any trace; count = 0 at the end. For an
 * instruction trace time is the instruction's number (INSTRUCTIONS). Do not mix with next. */
panem_status pn_trace_next_mem(pn_trace *trace, pn_mem_record *records, size_t *count,
                               size_t capacity, panem_error *err);

/* The next batch begins with instruction number `instruction`. Through the index of a .ptrace file;
 * otherwise forward by reading. E_RANGE past the end; E_ARG backwards where the input cannot. */
panem_status pn_trace_seek(pn_trace *trace, uint64_t instruction, panem_error *err);

/* Static instructions met so far; ids are below it. */
uint32_t pn_trace_inst_count(const pn_trace *trace);
/* True once reading ended early under accept_truncated. */
bool pn_trace_truncated(const pn_trace *trace);
void pn_trace_close(pn_trace *trace);

#endif
