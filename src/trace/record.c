/* record.c - see record.h. */
#include "trace/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "trace/decode.h"
#include "trace/ptrace.h"
#include "trace/ring.h"

/* ELF: e_machine at byte 18. */
enum { ELF_HEADER = 20, EM_X86_64 = 62, EM_AARCH64 = 183, EXEC_FAILED = 127 };

panem_status pn_record_isa(pn_isa *isa, const char *program, panem_error *err)
{
    uint8_t h[128] = {0};
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pn_err_at(err, PANEM_E_IO, program, 0, 0, "cannot open: %s", strerror(errno));
    ssize_t got = read(fd, h, sizeof h - 1);
    (void)close(fd);
    if (got >= 2 && h[0] == '#' && h[1] == '!') {
        char *line = (char *)h + 2;
        line[strcspn(line, "\n")] = '\0';
        return pn_err_at(err, PANEM_E_FORMAT, program, 0, 0,
                         "is a script; record its interpreter:%s%.80s %.80s",
                         line[0] == ' ' ? "" : " ", line, program);
    }
    if (got < ELF_HEADER || memcmp(h,
                                   "\x7f"
                                   "ELF",
                                   4) != 0)
        return pn_err_at(err, PANEM_E_FORMAT, program, 0, 0, "is not an ELF program");
    unsigned machine = h[18] | (unsigned)h[19] << 8;
    if (h[4] != 2 || (machine != EM_X86_64 && machine != EM_AARCH64))
        return pn_err_at(err, PANEM_E_FORMAT, program, 0, 0,
                         "is for machine %u; only 64-bit x86-64 and AArch64 programs are recorded",
                         machine);
    *isa = machine == EM_X86_64 ? PN_ISA_X86_64 : PN_ISA_AARCH64;
    return PANEM_OK;
}

const char *pn_record_cpu(pn_isa isa)
{
    /* QEMU's default AArch64 CPU has SVE, which the decoder does not know. */
    return isa == PN_ISA_AARCH64 ? "neoverse-n1" : NULL;
}

/* ---- what the recorder knows ----------------------------------------------------------------- */

/* A block as the plugin defined it, and the shape it had last. */
typedef struct seen {
    uint8_t *define; /* sizes, then bytes */
    uint64_t pc;
    uint32_t *insts; /* writer's ids of the first n_known instructions */
    uint32_t *shapes;
    uint32_t id; /* writer's block of the last shape; 0 = none yet */
    uint32_t n_shapes, shapes_capacity;
    uint16_t n_insts, n_known, last_insts;
    uint8_t last_flags;
} seen;

typedef struct recorder {
    const pn_record_options *options;
    pn_isa isa;
    pn_ring *ring;
    pn_ptrace_writer *writer;
    seen *blocks;
    uint32_t n_blocks, blocks_capacity;
    uint64_t left; /* instructions still wanted */
    bool full;
    uint32_t threads;
    pn_slot slots[PN_RING_ACCESSES];
} recorder;

static panem_status damaged(panem_error *err)
{
    return pn_err(err, PANEM_E_DAMAGED, "the QEMU plugin sent something impossible");
}

static panem_status no_memory(panem_error *err)
{
    return pn_err(err, PANEM_E_NOMEM, "no memory to record");
}

static void recorder_release(recorder *r)
{
    for (uint32_t i = 0; i < r->n_blocks; i++) {
        free(r->blocks[i].define);
        free(r->blocks[i].insts);
        free(r->blocks[i].shapes);
    }
    free(r->blocks);
    pn_ptrace_abort(r->writer);
    if (r->ring)
        (void)munmap(r->ring, sizeof *r->ring);
}

/* ---- messages -------------------------------------------------------------------------------- */

static panem_status on_define(recorder *r, const pn_ring_define *d, const uint8_t *body,
                              panem_error *err)
{
    if (d->block >= r->blocks_capacity) {
        uint32_t capacity = d->block * 2 + 1024;
        seen *more = realloc(r->blocks, capacity * sizeof *more);
        if (!more)
            return no_memory(err);
        memset(more + r->blocks_capacity, 0, (capacity - r->blocks_capacity) * sizeof *more);
        r->blocks = more;
        r->blocks_capacity = capacity;
    }
    seen *b = &r->blocks[d->block];
    if (b->define || d->n_insts == 0 || d->n_insts > PN_BLOCK_INSTS)
        return damaged(err);
    if (d->block >= r->n_blocks)
        r->n_blocks = d->block + 1;
    size_t size = d->n_insts + (size_t)d->bytes;
    b->define = malloc(size);
    b->insts = calloc(d->n_insts, sizeof *b->insts);
    if (!b->define || !b->insts)
        return no_memory(err);
    memcpy(b->define, body, size);
    b->pc = d->pc;
    b->n_insts = d->n_insts;
    return PANEM_OK;
}

/* Instructions enter the dictionary when they are executed, not when they are translated. */
static panem_status know(recorder *r, seen *b, unsigned n)
{
    uint64_t offset = 0;
    for (unsigned i = 0; i < n; i++) {
        if (i >= b->n_known) {
            pn_inst inst;
            pn_decode(&inst, r->isa, b->pc + offset, b->define + b->n_insts + offset, b->define[i]);
            PN_TRY(pn_ptrace_inst_once(r->writer, &b->insts[i], &inst));
        }
        offset += b->define[i];
    }
    if (n > b->n_known)
        b->n_known = (uint16_t)n;
    return PANEM_OK;
}

/* A shape not seen just before: asks the writer, and remembers it. */
static panem_status new_shape(recorder *r, seen *b, const pn_ring_execute *e,
                              const uint32_t *shapes)
{
    uint32_t n = (uint32_t)e->n_accesses;
    PN_TRY(know(r, b, e->n_insts));
    for (uint32_t i = 0; i < n; i++)
        r->slots[i] = (pn_slot){(uint16_t)(shapes[i] >> 16), (uint8_t)(shapes[i] >> 8),
                                (uint8_t)(shapes[i] & 1)};
    uint8_t flags = e->flags & PN_RING_CONTINUES ? PN_BLOCK_CONTINUES : 0;
    pn_block_def def = {b->insts, r->slots, e->n_insts, (uint16_t)n, flags};
    PN_TRY(pn_ptrace_block(r->writer, &b->id, &def));
    if (n > b->shapes_capacity) {
        uint32_t *more = realloc(b->shapes, n * sizeof *more);
        if (!more)
            return PANEM_E_NOMEM;
        b->shapes = more;
        b->shapes_capacity = n;
    }
    if (n)
        memcpy(b->shapes, shapes, n * sizeof *shapes);
    b->n_shapes = n;
    b->last_insts = e->n_insts;
    b->last_flags = e->flags;
    return PANEM_OK;
}

static void cut_to(pn_ring_execute *e, const uint32_t *shapes, uint64_t left)
{
    e->n_insts = (uint16_t)(left + (e->flags & PN_RING_CONTINUES));
    while (e->n_accesses && shapes[e->n_accesses - 1] >> 16 >= e->n_insts)
        e->n_accesses--;
}

static panem_status on_execute(recorder *r, uint32_t thread, pn_ring_execute *e,
                               const uint64_t *addresses, const uint32_t *shapes, panem_error *err)
{
    if (e->block >= r->n_blocks || r->full)
        return r->full ? PANEM_OK : damaged(err);
    seen *b = &r->blocks[e->block];
    unsigned counts = e->n_insts - (e->flags & PN_RING_CONTINUES);
    if (!b->define || e->n_insts == 0 || e->n_insts > b->n_insts)
        return damaged(err);
    if (counts > r->left)
        cut_to(e, shapes, r->left);
    if (e->n_insts == 0)
        return PANEM_OK;
    bool same = b->id && b->last_insts == e->n_insts && b->last_flags == e->flags &&
                b->n_shapes == e->n_accesses &&
                (b->n_shapes == 0 || memcmp(b->shapes, shapes, b->n_shapes * sizeof *shapes) == 0);
    panem_status status = same ? PANEM_OK : new_shape(r, b, e, shapes);
    if (status == PANEM_OK)
        status = pn_ptrace_exec(r->writer, thread, b->id, addresses);
    if (status != PANEM_OK)
        return pn_err(err, status, "the trace could not be written: %s", panem_status_text(status));
    counts = e->n_insts - (e->flags & PN_RING_CONTINUES);
    r->left -= counts;
    if (thread >= r->threads)
        r->threads = thread + 1;
    if (r->left == 0) {
        r->full = true;
        atomic_store(&r->ring->stop, 1);
    }
    return PANEM_OK;
}

static panem_status on_message(recorder *r, uint32_t thread, const uint8_t *p, size_t left,
                               size_t *used, panem_error *err)
{
    pn_ring_define d;
    pn_ring_execute e;
    pn_ring_event v;
    switch (p[0]) {
    case PN_RING_DEFINE:
        if (left < sizeof d)
            return damaged(err);
        memcpy(&d, p, sizeof d);
        *used = sizeof d + pn_ring_padded(d.n_insts + d.bytes);
        return *used > left ? damaged(err) : on_define(r, &d, p + sizeof d, err);
    case PN_RING_EXECUTE: {
        if (left < sizeof e)
            return damaged(err);
        memcpy(&e, p, sizeof e);
        uint64_t n = e.n_accesses;
        *used = n > PN_RING_ACCESSES ? left + 1 : sizeof e + n * 8 + pn_ring_padded(n * 4);
        if (*used > left)
            return damaged(err);
        const uint64_t *addresses = (const void *)(p + sizeof e); /* slots are 8-byte aligned */
        return on_execute(r, thread, &e, addresses, (const uint32_t *)(addresses + n), err);
    }
    case PN_RING_EVENT: {
        memcpy(&v, p, sizeof v);
        *used = sizeof v;
        panem_status status =
            r->full ? PANEM_OK : pn_ptrace_event(r->writer, thread, (pn_event_kind)v.kind, v.value);
        return status == PANEM_OK ? PANEM_OK : no_memory(err);
    }
    default:
        return damaged(err);
    }
}

/* The program as one line; the name of a trace when none was given. */
static panem_status start_writer(recorder *r, panem_error *err)
{
    const pn_record_options *o = r->options;
    const char *slash = strrchr(o->program, '/');
    pn_text command = PN_TEXT_INIT;
    for (char *const *a = o->argv; *a; a++)
        pn_text_printf(&command, "%s%s", a == o->argv ? "" : " ", *a);
    pn_ptrace_meta meta = {.isa = r->isa,
                           .kind = PN_TRACE_INSTRUCTIONS,
                           .decoder_version = PN_DECODER_VERSION,
                           .skipped = atomic_load(&r->ring->skipped),
                           .name = o->name ? o->name
                                   : slash ? slash + 1
                                           : o->program,
                           .source = "qemu",
                           .command = command.data};
    panem_status status = pn_ptrace_create(&r->writer, o->output, &meta, err);
    pn_text_release(&command);
    return status;
}

static panem_status empty_slot(recorder *r, panem_error *err)
{
    uint64_t tail = atomic_load_explicit(&r->ring->tail, memory_order_relaxed);
    const pn_ring_slot *slot = &r->ring->slots[tail % PN_RING_SLOTS];
    const uint8_t *p = (const uint8_t *)slot->storage;
    size_t at = 0, used = 0;
    if (slot->bytes > PN_RING_SLOT_BYTES)
        return damaged(err);
    if (!r->writer)
        PN_TRY(start_writer(r, err));
    for (; at < slot->bytes; at += used)
        PN_TRY(on_message(r, slot->thread, p + at, slot->bytes - at, &used, err));
    atomic_store_explicit(&r->ring->tail, tail + 1, memory_order_release);
    return PANEM_OK;
}

/* ---- the child ------------------------------------------------------------------------------- */

static panem_status make_ring(recorder *r, int *fd, panem_error *err)
{
    *fd = memfd_create("panem-ring", 0);
    if (*fd < 0 || ftruncate(*fd, sizeof(pn_ring)) != 0)
        return pn_err(err, PANEM_E_IO, "no shared memory: %s", strerror(errno));
    void *at = mmap(NULL, sizeof(pn_ring), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (at == MAP_FAILED)
        return pn_err(err, PANEM_E_IO, "no shared memory: %s", strerror(errno));
    r->ring = at;
    r->ring->version = PN_RING_VERSION;
    r->ring->skip = r->options->skip;
    return PANEM_OK;
}

static size_t count_args(char *const *argv)
{
    size_t n = 0;
    while (argv[n])
        n++;
    return n;
}

static char **make_argv(const recorder *r, const char *qemu, const char *plugin)
{
    const pn_record_options *o = r->options;
    size_t n = 0, args = count_args(o->argv);
    char **argv = calloc(args + 16, sizeof *argv);
    const char *cpu = o->cpu ? o->cpu : pn_record_cpu(r->isa);
    if (!argv)
        return NULL;
    argv[n++] = (char *)(uintptr_t)qemu;
    argv[n++] = (char *)(uintptr_t) "-seed";
    argv[n++] = (char *)(uintptr_t) "1";
    argv[n++] = (char *)(uintptr_t) "-plugin";
    argv[n++] = (char *)(uintptr_t)plugin;
    if (cpu) {
        argv[n++] = (char *)(uintptr_t) "-cpu";
        argv[n++] = (char *)(uintptr_t)cpu;
    }
    if (o->sysroot) {
        argv[n++] = (char *)(uintptr_t) "-L";
        argv[n++] = (char *)(uintptr_t)o->sysroot;
    }
    argv[n++] = (char *)(uintptr_t) "-0";
    argv[n++] = o->argv[0];
    argv[n++] = (char *)(uintptr_t)o->program;
    for (size_t i = 1; i < args; i++)
        argv[n++] = o->argv[i];
    return argv;
}

static panem_status start_child(pid_t *pid, recorder *r, const char *qemu, int fd, panem_error *err)
{
    char plugin[4200];
    (void)snprintf(plugin, sizeof plugin, "%s,fd=%d", r->options->plugin, fd);
    char **argv = make_argv(r, qemu, plugin);
    if (!argv)
        return no_memory(err);
    *pid = fork();
    if (*pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)personality(ADDR_NO_RANDOMIZE);
        (void)execv(qemu, argv);
        _Exit(EXEC_FAILED);
    }
    free(argv);
    if (*pid < 0)
        return pn_err(err, PANEM_E_IO, "cannot start %s: %s", qemu, strerror(errno));
    return PANEM_OK;
}

static void nap(void)
{
    struct timespec wait = {0, 200000};
    (void)nanosleep(&wait, NULL);
}

static void tell(recorder *r)
{
    if (!r->options->progress)
        return;
    pn_record_progress now = {atomic_load(&r->ring->skipped), 0, 0};
    if (r->writer) {
        now.instructions = pn_ptrace_instructions(r->writer);
        now.bytes = pn_ptrace_bytes(r->writer);
    }
    r->options->progress(r->options->user, &now);
}

static bool something(const recorder *r)
{
    return atomic_load_explicit(&r->ring->head, memory_order_acquire) !=
           atomic_load_explicit(&r->ring->tail, memory_order_relaxed);
}

/* Asks the program to end; insists when it does not. */
static void end_child(pid_t pid, unsigned *patience)
{
    enum { KILL_AFTER = 5000 }; /* naps, about a second */
    if (*patience == 0)
        (void)kill(pid, SIGTERM);
    else if (*patience == KILL_AFTER)
        (void)kill(pid, SIGKILL);
    ++*patience;
}

static panem_status drain(recorder *r, pid_t pid, int *wait_status, panem_error *err)
{
    bool ended = false;
    unsigned patience = 0;
    panem_status status = PANEM_OK;
    while (status == PANEM_OK) {
        if (something(r)) {
            status = empty_slot(r, err);
            tell(r);
            continue;
        }
        if (ended)
            return PANEM_OK;
        ended = waitpid(pid, wait_status, WNOHANG) == pid; /* then look once more */
        if (!ended && r->full && r->options->stop)
            end_child(pid, &patience);
        if (!ended)
            nap();
        tell(r);
    }
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, wait_status, 0);
    return status;
}

static int exit_code(const recorder *r, int wait_status)
{
    if (r->full && r->options->stop)
        return 0;
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

static panem_status finish(recorder *r, pn_record_result *result, int wait_status, panem_error *err)
{
    int code = exit_code(r, wait_status);
    uint64_t skipped = atomic_load(&r->ring->skipped);
    if (!r->writer || pn_ptrace_instructions(r->writer) == 0)
        return pn_err(err, PANEM_E_EMPTY,
                      "nothing was recorded: the program ended with status %d after %" PRIu64
                      " instructions of fast-forward",
                      code, skipped);
    pn_record_result done = {.skipped = skipped,
                             .instructions = pn_ptrace_instructions(r->writer),
                             .undecoded = pn_ptrace_undecoded(r->writer),
                             .threads = r->threads,
                             .notes = atomic_load(&r->ring->notes),
                             .exit_status = code};
    panem_status status = pn_ptrace_commit(r->writer, &done.bytes, err);
    r->writer = NULL;
    if (status == PANEM_OK)
        *result = done;
    return status;
}

static panem_status run(recorder *r, pn_record_result *result, const char *qemu, panem_error *err)
{
    int fd = -1, wait_status = 0;
    pid_t pid = -1;
    PN_TRY(make_ring(r, &fd, err));
    panem_status status = start_child(&pid, r, qemu, fd, err);
    (void)close(fd);
    PN_TRY(status);
    /* An interrupt from the terminal is for the program; its trace is still written. */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    (void)sigaction(SIGINT, &ignore, &before);
    status = drain(r, pid, &wait_status, err);
    (void)sigaction(SIGINT, &before, NULL);
    return status == PANEM_OK ? finish(r, result, wait_status, err) : status;
}

panem_status pn_record(pn_record_result *result, const pn_record_options *options, panem_error *err)
{
    pn_isa isa;
    char path[64];
    PN_TRY(pn_record_isa(&isa, options->program, err));
    (void)snprintf(path, sizeof path, "/usr/bin/qemu-%s",
                   isa == PN_ISA_X86_64 ? "x86_64" : "aarch64");
    const char *qemu = options->qemu ? options->qemu : path;
    if (access(qemu, X_OK) != 0)
        return pn_err(err, PANEM_E_IO,
                      "cannot run %s: %s; install QEMU's user mode: apt-get install qemu-user",
                      qemu, strerror(errno));
    if (access(options->plugin, R_OK) != 0)
        return pn_err(err, PANEM_E_IO, "cannot read the recorder's QEMU plugin %s: %s",
                      options->plugin, strerror(errno));
    recorder *r = calloc(1, sizeof *r);
    if (!r)
        return no_memory(err);
    r->options = options;
    r->isa = isa;
    r->left = options->max ? options->max : UINT64_MAX;
    panem_status status = run(r, result, qemu, err);
    recorder_release(r);
    free(r);
    return status;
}
