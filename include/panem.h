/* SPDX-License-Identifier: BSD-3-Clause
 *
 * panem.h - a contention-aware memory-latency model for CPU simulators.
 *
 * What it is. A measured bandwidth-latency characterization (one curve per read/write mix) becomes
 * a lookup from outstanding request bytes to latency, and a window over the traffic in flight
 * drives it: a simulated cache miss costs what the loaded memory system would charge at that
 * moment. docs/model.md holds the numbered equations.
 *
 * What it is not. No banks, rows, channels or refresh; requests do not reorder; the address is
 * carried but the model does not look at it yet.
 *
 * Rules that hold for every function here
 *  - Arguments come in the order self, output, in/out, input, scalars; a length follows its buffer;
 *    the error comes last and may be NULL.
 *  - Outputs are written on success only. On failure they keep what they held.
 *  - Failures the world can cause come back as a status. A NULL where none is allowed is the
 *    caller's bug: PANEM_E_ARG where that can be told, otherwise undefined.
 *  - The library never prints, exits, reads a clock or the environment, and has no global state.
 *  - const pointer = may be shared between threads; non-const = one thread at a time.
 *  - Every quantity names its unit: _ps picoseconds, _ns nanoseconds, _gbs 1e9 bytes per second,
 *    _frac 0..1. Nothing here is in bits, cycles or 2^n units.
 *  - Same input, same bytes out: gcc or clang, x86-64 or AArch64.
 */
#ifndef PANEM_H
#define PANEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(PANEM_BUILD_SHARED) || defined(__GNUC__)
#define PANEM_API __attribute__((visibility("default")))
#else
#define PANEM_API
#endif
#if defined(__GNUC__)
#define PANEM_MUST_CHECK __attribute__((warn_unused_result))
#else
#define PANEM_MUST_CHECK
#endif

/* ---- version ------------------------------------------------------------------------------- */

#define PANEM_VERSION_MAJOR 0
#define PANEM_VERSION_MINOR 1
#define PANEM_VERSION_PATCH 0
#define PANEM_VERSION_STRING "0.1.0"

/* The version of the library that is linked, e.g. "0.1.0". Static storage; cannot fail. */
PANEM_API const char *panem_version(void);

/* ---- status -------------------------------------------------------------------------------- */

/* name, value, text. Zero is success, positive is not an error, negative is one. */
#define PANEM_STATUS_LIST(X)                                           \
    X(OK, 0, "ok")                                                     \
    X(BUSY, 1, "busy, try again at the retry time")                    \
    X(E_ARG, -1, "invalid argument")                                   \
    X(E_NOMEM, -2, "out of memory")                                    \
    X(E_IO, -3, "input or output failed")                              \
    X(E_FORMAT, -4, "malformed input")                                 \
    X(E_RANGE, -5, "value out of range")                               \
    X(E_EMPTY, -6, "no usable data")                                   \
    X(E_STRICT, -7, "input needs a repair and repairs are forbidden")  \
    X(E_TIME, -8, "time runs backwards")                               \
    X(E_VERSION, -9, "saved by another version")                       \
    X(E_MISMATCH, -10, "saved for another curve set or other options") \
    X(E_DAMAGED, -11, "saved state is damaged")                        \
    X(E_SPACE, -12, "buffer too small")

typedef enum panem_status {
#define PANEM_STATUS_ENUM(name, value, text) PANEM_##name = (value),
    PANEM_STATUS_LIST(PANEM_STATUS_ENUM)
#undef PANEM_STATUS_ENUM
} panem_status;

/* The text of a status, e.g. "out of memory"; "unknown status" for other values. Static storage. */
PANEM_API const char *panem_status_text(panem_status status);

/* Filled by the first failure; line and col are 1-based, 0 = not known. file is a path or "". */
typedef struct panem_error {
    panem_status status;
    uint32_t line;
    uint32_t col;
    char file[256];
    char message[256];
} panem_error;

/* clang-format off */
#define PANEM_ERROR_INIT {PANEM_OK, 0, 0, {0}, {0}}
/* clang-format on */

/* ---- memory -------------------------------------------------------------------------------- */

/* Where the library gets memory. alloc returns NULL when there is none, else max_align_t-aligned
 * storage; release gets what alloc returned, with the same size. Both are called only inside
 * functions whose comment says that they allocate. */
typedef struct panem_allocator {
    void *(*alloc)(void *user, size_t size);
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} panem_allocator;

/* ---- curve sets ---------------------------------------------------------------------------- */

/* The curves of one memory system, ready for lookup. Immutable once made: any number of threads
 * and models may share one. It must outlive the models made from it. */
typedef struct panem_curves panem_curves;

/* One measured point. read_frac = read bytes / all bytes at the memory controller, 0..1. */
typedef struct panem_point {
    double read_frac;
    double bandwidth_gbs;
    double latency_ns;
} panem_point;

/* In which order the points of a curve were measured. */
typedef enum panem_order {
    PANEM_ORDER_AUTO = 0, /* the file's when three steps of four agree, else sorted by B x L */
    PANEM_ORDER_RISING,   /* from idle to the highest load */
    PANEM_ORDER_FALLING,  /* from the highest load to idle */
    PANEM_ORDER_ANY       /* not known: sorted by bandwidth x latency */
} panem_order;

/* What was odd in the input and what was done about it. */
typedef enum panem_finding_kind {
    PANEM_FINDING_NOT_FINITE = 0,     /* point dropped */
    PANEM_FINDING_NEGATIVE_BANDWIDTH, /* point dropped */
    PANEM_FINDING_LATENCY,            /* latency zero or negative: point dropped */
    PANEM_FINDING_NOT_RISING,         /* outstanding bytes or latency did not rise: point dropped */
    PANEM_FINDING_FOLD_BACK,          /* beyond the first point after the peak: point dropped */
    PANEM_FINDING_ORDER,              /* the curve's points were put in another order */
    PANEM_FINDING_DUPLICATE,          /* same values as the point before: dropped */
    PANEM_FINDING_PAST_PEAK           /* the first point after the peak: kept; never an error */
} panem_finding_kind;

typedef struct panem_finding {
    panem_finding_kind kind;
    const char *file; /* "" for points from memory; valid during the call */
    uint32_t line;    /* line in file; for points from memory 1 + index */
    double read_frac; /* curve */
    const char *text; /* one line of English; valid during the call */
} panem_finding;

/* Called once per repair, in order of curve and point. Must not call back into the library. */
typedef void (*panem_report_fn)(void *user, const panem_finding *finding);

/* How points become a curve set. Start from PANEM_CURVES_OPTIONS_INIT. Transforms act on the raw
 * values, in this order: factors, offset, on-chip part. */
typedef struct panem_curves_options {
    size_t size;              /* sizeof(panem_curves_options); set by the init macro */
    panem_order order;        /* of the points within a curve */
    uint32_t strict;          /* 1: a repair is an error (PANEM_E_STRICT) */
    double bandwidth_factor;  /* > 0; default 1 */
    double latency_factor;    /* > 0; default 1 */
    double latency_offset_ns; /* added; default 0 */
    double on_chip_ns;        /* taken off, >= 0: the part the host simulates itself; default 0 */
    panem_report_fn report;   /* NULL: repairs are silent */
    void *report_user;
    const panem_allocator *allocator; /* NULL: malloc and free. Copied. */
} panem_curves_options;

/* clang-format off */
#define PANEM_CURVES_OPTIONS_INIT                                                                  \
    {sizeof(panem_curves_options), PANEM_ORDER_AUTO, 0, 1.0, 1.0, 0.0, 0.0, NULL, NULL, NULL}
/* clang-format on */

/* Makes a curve set from points in memory. Points of one read fraction form a curve and keep
 * their order; curves may come in any order. Points are read during the call only.
 *  set     receives the set; the caller destroys it
 *  options NULL: the defaults
 * Returns OK; E_ARG (options); E_RANGE (read fraction outside 0..1; on-chip part not below every
 * latency); E_EMPTY (no point, or a curve with no point left); E_STRICT; E_NOMEM.
 * Allocates. Cost: O(points log points) and about 10 us per curve for the tables. */
PANEM_API PANEM_MUST_CHECK panem_status panem_curves_create(panem_curves **set,
                                                            const panem_point *points, size_t count,
                                                            const panem_curves_options *options,
                                                            panem_error *err);

/* Reads our CSV (docs/formats/curves-csv.md): read_pct,bandwidth_gbs,latency_ns with '#' lines.
 * Independent of the locale; CRLF and a byte-order mark are accepted. As panem_curves_create,
 * and E_IO, E_FORMAT with file, line and column. */
PANEM_API PANEM_MUST_CHECK panem_status panem_curves_load(panem_curves **set, const char *path,
                                                          const panem_curves_options *options,
                                                          panem_error *err);

/* The same from text in memory; name stands for the path in messages. */
PANEM_API PANEM_MUST_CHECK panem_status panem_curves_parse(panem_curves **set, const char *text,
                                                           size_t length, const char *name,
                                                           const panem_curves_options *options,
                                                           panem_error *err);

/* NULL is allowed. No model made from the set may be used afterwards. */
PANEM_API void panem_curves_destroy(panem_curves *set);

/* What is known of one curve after conversion. */
typedef struct panem_curve_info {
    double read_frac;
    uint32_t raw_points;  /* as given */
    uint32_t kept_points; /* after repair, 1.. */
    double idle_ns;       /* latency at the first kept point */
    double peak_gbs;      /* highest valid raw bandwidth */
    double last_gbs;      /* bandwidth at the last kept point */
    double beyond_slope; /* latency slope beyond the last point x peak, dimensionless; 1 = bandwidth
                            stays level there; 0 when only one point was kept */
} panem_curve_info;

/* Number of curves, at least 1; sorted by rising read fraction. Cannot fail. */
PANEM_API uint32_t panem_curves_count(const panem_curves *set);
/* E_RANGE when index >= panem_curves_count. O(1). */
PANEM_API panem_status panem_curves_info(const panem_curves *set, panem_curve_info *info,
                                         uint32_t index);
/* Kept point i of a curve: outstanding bytes and latency. E_RANGE outside. O(1). */
PANEM_API panem_status panem_curves_kept(const panem_curves *set, double *outstanding_bytes,
                                         double *latency_ns, uint32_t index, uint32_t i);
/* Value of a metadata line "# key: value", or NULL. Borrowed until the set is destroyed. */
PANEM_API const char *panem_curves_meta(const panem_curves *set, const char *key);
/* 64-bit fingerprint of the converted set: equal sets answer equally. O(1). */
PANEM_API uint64_t panem_curves_fingerprint(const panem_curves *set);

/* ---- the relation L(N, r) ------------------------------------------------------------------ */

/* Beyond the last kept point (docs/model.md, equation 6). */
typedef enum panem_beyond {
    PANEM_BEYOND_CAPPED = 0, /* the line, bounded: bandwidth stays in last..peak */
    PANEM_BEYOND_PAPER       /* the line through the last two points, as the paper has it */
} panem_beyond;

/* Between the read fractions of two curves (equation 8). */
typedef enum panem_mix {
    PANEM_MIX_LINEAR = 0, /* linear in r at equal outstanding bytes */
    PANEM_MIX_NEAREST     /* the nearest curve, as the paper selects one */
} panem_mix;

typedef struct panem_relation {
    panem_beyond beyond;
    panem_mix mix;
} panem_relation;

/* Latency at so many outstanding bytes (>= 0; else taken as 0) and read fraction (clamped to 0..1).
 * Outside the read fractions the set covers, its nearest curve answers. relation NULL: capped and
 * linear. Pure; cannot fail; no allocation; O(log points). Result rounded to the nearest ps. */
PANEM_API uint64_t panem_latency_ps(const panem_curves *set, const panem_relation *relation,
                                    double outstanding_bytes, double read_frac);

/* The highest bandwidth the (capped) relation sustains at a read fraction, bytes per second;
 * tabulated at 1001 read fractions, linear between them. Pure; cannot fail; O(1). */
PANEM_API double panem_peak_bytes_per_s(const panem_curves *set, panem_mix mix, double read_frac);

/* L(0, read_frac). Pure; cannot fail. */
PANEM_API uint64_t panem_idle_ps(const panem_curves *set, panem_mix mix, double read_frac);

/* Lower branch: the latency at which the (capped) relation first yields a bandwidth.
 *  outstanding_bytes receives the smallest N with N / L(N, r) = bandwidth; may be NULL
 * E_RANGE when the bandwidth is negative or above the peak. Pure; O(points). */
PANEM_API panem_status panem_latency_at_bandwidth_ps(const panem_curves *set, uint64_t *latency_ps,
                                                     double *outstanding_bytes, panem_mix mix,
                                                     double bandwidth_bytes_per_s,
                                                     double read_frac);

/* ---- models -------------------------------------------------------------------------------- */

/* A running model. Belongs to one thread at a time; two models never touch each other. */
typedef struct panem_model panem_model;

/* Which model stands behind the interface. Each analytic peer follows its published rule. */
typedef enum panem_kind {
    PANEM_KIND_PANEM = 0,
    PANEM_KIND_FIXED_IDLE, /* L(0, r) of reads 2/3, always */
    PANEM_KIND_FIXED_HIGH, /* L at 90 % of peak, reads 2/3, always */
    PANEM_KIND_MD1,        /* zsim's M/D/1 rule */
    PANEM_KIND_MESS,       /* the Mess simulator's curve follower */
    PANEM_KIND_MG1,        /* Sniper's windowed M/G/1 */
    PANEM_KIND_NEXTFREE    /* Sniper's "contention": next free of n servers */
} panem_kind;

/* Parameters of the analytic peers under their original's names (docs/peers.md); other kinds do
 * not look at them. */
typedef struct panem_peer_options {
    uint64_t frequency_hz;      /* md1, mess: core clock, 1e6 .. 1e11; default 2e9 */
    uint32_t phase_length;      /* md1: core cycles per phase, 1 .. 1e9; default 10 000 */
    uint32_t curve_window_size; /* mess: 64-byte accesses per window, 2 .. 1e9; default 1000 */
    uint64_t window_size_ps;    /* mg1: how long arrivals count, 1e3 .. 1e10; default 1 000 000 */
    uint32_t num_outstanding;   /* nextfree: servers, each at the peak, 1 .. 1024; default 1 */
} panem_peer_options;

/* clang-format off */
#define PANEM_PEER_OPTIONS_INIT {2000000000, 10000, 1000, 1000000, 1}
/* clang-format on */

typedef enum panem_guard {
    PANEM_GUARD_OFF = 0,
    PANEM_GUARD_ARRIVALS, /* V = max(V, t) + bytes/peak; done = max(t + latency, V + idle) */
    /* F = max(F, t + latency - slack) + bytes/peak; done = max(t + latency, F) */
    PANEM_GUARD_COMPLETIONS
} panem_guard;

typedef enum panem_cbusy_by {
    PANEM_CBUSY_BY_OUTSTANDING = 0, /* outstanding / outstanding at 90 % of peak(r) */
    PANEM_CBUSY_BY_BANDWIDTH        /* window bandwidth / peak(r) */
} panem_cbusy_by;

/* Which calls close windows (docs/model.md, section "time"). */
typedef enum panem_time_mode {
    PANEM_TIME_ORDERED = 0, /* access(t) closes the windows that end at or before t */
    PANEM_TIME_HORIZON      /* only panem_advance closes windows; t may run ahead out of order */
} panem_time_mode;

/* Start from PANEM_MODEL_OPTIONS_INIT or PANEM_MODEL_OPTIONS_PAPER. */
typedef struct panem_model_options {
    size_t size; /* sizeof(panem_model_options); set by the init macros */
    panem_kind kind;
    panem_relation relation;
    uint64_t window_ps;          /* 1000 .. 1e10; default 520 000 */
    uint32_t windows;            /* averaged, 1 .. 65536; 0: chosen from sharers (equation 12) */
    uint32_t sharers;            /* this traffic stands for one of so many equal ones, 1 .. 65536 */
    panem_guard guard;           /* acts at sharers 1 only */
    uint64_t guard_slack_ps;     /* completions guard; default 24 000; never less than one
                                    line of 64 bytes at the peak */
    uint32_t guard_compensation; /* 1: what the guard added on average in the last window comes off
                                    the next latency, never below idle; default 1 */
    uint32_t looks; /* sharers 1: parts of a window after each of which the rate of arrivals sets
                       the latency of the next (equation 18); 0 or 1: off; 0..64, default 8 */
    panem_time_mode time_mode;
    uint32_t early_write_ack; /* 1: a write's ack is its arrival; its done stays internal */
    uint32_t ring_windows;    /* how far ahead a completion may lie; power of two, 16 .. 65536;
                                 x window_ps: above the idle latency, at most 2^44 ps */
    panem_cbusy_by cbusy_by;
    double cbusy_enter[3];    /* levels 1, 2, 3 begin at these fractions; rising */
    double cbusy_hysteresis;  /* a level is left below enter - hysteresis; 0 .. 0.5 and below
                                 cbusy_enter[0]; default 0 */
    panem_peer_options peers; /* md1, mess, mg1, nextfree; these are ordered only */
    const panem_allocator *allocator; /* NULL: the curve set's. Copied. */
} panem_model_options;

/* Our settings. */
/* clang-format off */
#define PANEM_MODEL_OPTIONS_INIT                                                                   \
    {sizeof(panem_model_options), PANEM_KIND_PANEM,                                                \
     {PANEM_BEYOND_CAPPED, PANEM_MIX_LINEAR}, 520000, 0, 1,                                        \
     PANEM_GUARD_COMPLETIONS, 24000, 1, 8, PANEM_TIME_ORDERED, 0, 1024,                          \
     PANEM_CBUSY_BY_OUTSTANDING, {0.50, 0.75, 0.90}, 0.0, PANEM_PEER_OPTIONS_INIT, NULL}
/* clang-format on */

/* The settings of the paper: one tumbling window of 520 ns, nearest curve, unbounded line, no
 * guard, early write acknowledgement. */
/* clang-format off */
#define PANEM_MODEL_OPTIONS_PAPER                                                                  \
    {sizeof(panem_model_options), PANEM_KIND_PANEM,                                                \
     {PANEM_BEYOND_PAPER, PANEM_MIX_NEAREST}, 520000, 1, 1,                                        \
     PANEM_GUARD_OFF, 0, 0, 0, PANEM_TIME_ORDERED, 1, 1024,                                      \
     PANEM_CBUSY_BY_OUTSTANDING, {0.50, 0.75, 0.90}, 0.0, PANEM_PEER_OPTIONS_INIT, NULL}
/* clang-format on */

/* Makes a model over a set, which it borrows: the set must outlive it.
 * Returns OK; E_ARG with the option named in the message; E_NOMEM. Allocates: everything the
 * model will ever need. At simulated time 0 the latency is idle(1). */
PANEM_API PANEM_MUST_CHECK panem_status panem_model_create(panem_model **model,
                                                           const panem_curves *set,
                                                           const panem_model_options *options,
                                                           panem_error *err);
/* Back to time 0 as if just made; the observer stays. Cannot fail. */
PANEM_API void panem_reset(panem_model *model);
/* NULL is allowed. */
PANEM_API void panem_model_destroy(panem_model *model);

typedef enum panem_access_kind { PANEM_READ = 0, PANEM_WRITE = 1 } panem_access_kind;

typedef struct panem_request {
    uint64_t time_ps; /* arrival at the memory system, 0 .. 2^62 */
    uint64_t address; /* bytes; carried for locality, unused by these kinds */
    uint32_t bytes;   /* 1 .. 1 048 576 */
    uint32_t kind;    /* panem_access_kind */
    uint32_t source;  /* who asks: core, device; unused by these kinds */
} panem_request;

typedef struct panem_response {
    uint64_t ack_ps;   /* when the requester may go on */
    uint64_t done_ps;  /* when the bytes stop being outstanding; reads: equal to ack */
    uint64_t retry_ps; /* with PANEM_BUSY: not before this time; else 0 */
    uint32_t cbusy;    /* completer-busy level 0..3 */
} panem_response;

/* What would this request cost? Counts it as in flight until done.
 * Ordered mode: times may step back inside the open window, never before it (E_TIME). Horizon mode:
 * any time at or after the horizon.
 * Returns OK; BUSY with retry_ps (the request is not counted; try again no earlier); E_TIME;
 * E_ARG (bytes, kind or time out of range). On BUSY only retry_ps and cbusy are written.
 * Never allocates; no locks, no libm. A few ns. */
PANEM_API PANEM_MUST_CHECK panem_status panem_access(panem_model *model, panem_response *response,
                                                     const panem_request *request);

/* Nothing earlier than horizon_ps will come: closes the windows that end at or before it. An idle
 * stretch of any length costs a bounded number of steps. E_TIME when it lies before the open
 * window; E_ARG above 2^62. */
PANEM_API panem_status panem_advance(panem_model *model, uint64_t horizon_ps);

/* What the model believes now. */
typedef struct panem_state {
    uint64_t window_start_ps;     /* of the open window */
    uint64_t latency_ps;          /* charged to a request now */
    double outstanding_bytes;     /* N that gave it: time-averaged, times sharers */
    double read_frac;             /* r that gave it */
    double bandwidth_bytes_per_s; /* completed over the averaged windows, own traffic only */
    double utilization_frac;      /* that times sharers / peak(r); may pass 1 for a moment */
    uint32_t cbusy;               /* 0..3 */
} panem_state;

/* Cannot fail; O(1). */
PANEM_API void panem_peek(const panem_model *model, panem_state *state);

/* One record per closed window, or one for a run of idle windows. Times are absolute. */
typedef struct panem_window {
    uint64_t start_ps;
    uint64_t window_ps; /* length of one */
    uint64_t count;     /* how many equal windows this record stands for, 1.. */
    double read_bytes;  /* outstanding, time-averaged over one window, own traffic */
    double write_bytes;
    uint64_t read_done_bytes; /* completed in one window, own traffic */
    uint64_t write_done_bytes;
    uint64_t latency_ps; /* that requests arriving in the next window will see */
    double read_frac;
    uint32_t cbusy;
    uint32_t saturated; /* 1: N was at or beyond the relation's peak */
} panem_window;

/* Called while a window closes, in time order. Must not call into the model. */
typedef void (*panem_observe_fn)(void *user, const panem_window *window);
/* Sets the observer; NULL: none. Cannot fail. */
PANEM_API void panem_observe(panem_model *model, panem_observe_fn observe, void *user);

typedef struct panem_stats {
    uint64_t read_requests;
    uint64_t write_requests;
    uint64_t read_bytes;
    uint64_t write_bytes;
    double read_latency_sum_ns; /* sum of done - arrival */
    double write_latency_sum_ns;
    uint64_t busy_answers; /* BUSY returned */
    uint64_t windows_closed;
    uint64_t windows_saturated;
    uint64_t windows_outside_mix; /* read fraction outside the curves' range */
    uint64_t cbusy_windows[4];    /* windows that closed at each level */
    double read_area_byte_ns;     /* integral of outstanding bytes over the closed windows */
    double write_area_byte_ns;
    uint64_t guard_delays; /* requests whose completion the guard moved */
} panem_stats;

/* Cannot fail; O(1). */
PANEM_API void panem_stats_get(const panem_model *model, panem_stats *stats);

/* Writes the whole run-time state (versioned, byte-exact, same on every machine).
 *  size receives the bytes needed, also with E_SPACE (buffer NULL or capacity too small).
 * Not saved: curve set, options, observer. */
PANEM_API PANEM_MUST_CHECK panem_status panem_save(const panem_model *model, void *buffer,
                                                   size_t capacity, size_t *size);
/* Puts a saved state into a model made with equal options over an equal set. After a failure the
 * model is as it was. E_VERSION, E_MISMATCH, E_DAMAGED. */
PANEM_API PANEM_MUST_CHECK panem_status panem_restore(panem_model *model, const void *buffer,
                                                      size_t size, panem_error *err);

/* The number of windows that options stand for once 0 is resolved (equation 12). 0 on bad options.
 * Pure. */
PANEM_API uint32_t panem_windows_effective(const panem_curves *set,
                                           const panem_model_options *options);

#ifdef __cplusplus
}
#endif
#endif /* PANEM_H */
