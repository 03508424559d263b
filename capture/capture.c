/* SPDX-License-Identifier: BSD-3-Clause
 *
 * capture.c - the QEMU TCG plugin that records which blocks a program executes and which addresses
 * it touches. It runs inside qemu-<isa> (user mode) and hands everything to the recorder
 * (src/trace/record.c) through the shared memory of src/trace/ring.h. It decodes nothing.
 *
 * Usage: -plugin libpanem-capture.so,fd=N   N: descriptor of the ring, closed before the program
 * starts.
 *
 * How it counts
 *  - Every instruction's start is noted, so a block that is left early (a fault, a signal, code
 * that modifies itself) counts the instructions that completed. The one that was interrupted does
 * not count, and its accesses are dropped: QEMU executes it again, or the program never returns to
 * it.
 *  - A block may end in a truncated phantom of an instruction that crosses a page; it never starts,
 *    and the next block begins at its pc.
 *  - Adjacent pieces of one vector access are merged up to 64 bytes (QEMU reports 8 at a time), per
 *    instruction and direction.
 *  - A repeated string instruction (x86 rep) is executed by QEMU as one block per iteration. It is
 *    one instruction here; after REP_ACCESSES merged accesses it goes on in a CONTINUES part.
 * NOT seen: register values, accesses of the kernel, dc zva, prefetches, cache flushes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "capture/qemu_plugin.h"
#include "trace/ring.h"
#include "trace/trace.h"

enum {
    VCPUS = 1024,
    BUFFER_BYTES = PN_RING_SLOT_BYTES,
    REP_ACCESSES = 16,
    MERGED_BYTES = 64,
    PAGE_BYTES = 4096,
    BLOCK_BITS = 12,
    BLOCKS_PER_SEGMENT = 1 << BLOCK_BITS
};

/* A translated block, as long as the program runs: QEMU keeps pointers to it in its code. */
typedef struct block {
    struct block *next_same; /* chain of the hash table */
    uint64_t pc, last_pc;
    uint64_t hash; /* of sizes and bytes */
    uint32_t id;
    uint16_t n_insts;
    bool rep; /* the last instruction is an x86 string instruction with a repeat prefix */
} block;

/* One guest thread. */
typedef struct vcpu {
    uint32_t thread;
    bool recording;
    const block *block;  /* being executed; NULL before the first */
    uint32_t started;    /* instructions of it that started */
    uint32_t index_base; /* added to the index of accesses: rep iterations inside a longer block */
    uint32_t flags;
    uint32_t n, last[2]; /* accesses; the last read and the last write, or UINT32_MAX */
    uint64_t addresses[PN_RING_ACCESSES];
    uint32_t shapes[PN_RING_ACCESSES];
    uint32_t used;
    uint64_t buffer[BUFFER_BYTES / 8];
} vcpu;

/* QEMU loads a plugin once per process and passes no pointer to most callbacks, so the plugin has
 * one state. It is not part of any library of ours. */
static struct {
    qemu_plugin_id_t id;
    pn_ring *ring;
    bool x86;
    atomic_bool silent;   /* in a forked child, or all was handed over */
    atomic_bool turning;  /* a reset was asked for */
    pthread_mutex_t lock; /* blocks, definitions, the ring's producer side */
    block *table[1 << 16];
    uint32_t n_blocks, n_threads;
    uint8_t *definitions;
    size_t definition_bytes, definition_capacity;
    vcpu *vcpus[VCPUS];
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((visibility("default"))) extern int qemu_plugin_version;
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info *info, int argc, char **argv);

static void note(uint32_t bit)
{
    (void)atomic_fetch_or(&g.ring->notes, bit);
}

/* ---- to the recorder ------------------------------------------------------------------------- */

/* Under the lock. Waits for a free slot; the recorder's death ends this process (PDEATHSIG). */
static void put_slot(uint32_t thread, const void *data, uint32_t bytes)
{
    uint64_t head = atomic_load_explicit(&g.ring->head, memory_order_relaxed);
    while (head - atomic_load_explicit(&g.ring->tail, memory_order_acquire) == PN_RING_SLOTS) {
        struct timespec wait = {0, 100000};
        (void)nanosleep(&wait, NULL);
    }
    pn_ring_slot *slot = &g.ring->slots[head % PN_RING_SLOTS];
    slot->thread = thread;
    slot->bytes = bytes;
    memcpy(slot->storage, data, bytes);
    atomic_store_explicit(&g.ring->head, head + 1, memory_order_release);
}

/* Under the lock: what blocks are must arrive before they are executed. */
static void put_definitions(void)
{
    size_t at = 0;
    while (at < g.definition_bytes) {
        size_t end = at;
        while (end < g.definition_bytes) {
            pn_ring_define d;
            memcpy(&d, g.definitions + end, sizeof d);
            size_t size = sizeof d + pn_ring_padded(d.n_insts + d.bytes);
            if (end + size - at > PN_RING_SLOT_BYTES)
                break;
            end += size;
        }
        put_slot(0, g.definitions + at, (uint32_t)(end - at));
        at = end;
    }
    g.definition_bytes = 0;
}

static void submit(vcpu *v)
{
    if (!atomic_load(&g.silent) && v->used) {
        (void)pthread_mutex_lock(&g.lock);
        put_definitions();
        put_slot(v->thread, v->buffer, v->used * 8);
        (void)pthread_mutex_unlock(&g.lock);
        if (atomic_load(&g.ring->stop) && !atomic_exchange(&g.silent, true))
            note(PN_NOTE_FINISHED);
    }
    v->used = 0;
}

static void put_event(vcpu *v, pn_event_kind kind, uint64_t value)
{
    pn_ring_event e = {PN_RING_EVENT, (uint8_t)kind, 0, 0, value};
    if (v->used + sizeof e / 8 > BUFFER_BYTES / 8)
        submit(v);
    memcpy(v->buffer + v->used, &e, sizeof e);
    v->used += sizeof e / 8;
}

/* ---- what a block did ------------------------------------------------------------------------ */

static void put_execute(vcpu *v, uint32_t n_insts)
{
    while (v->n && v->shapes[v->n - 1] >> 16 >= n_insts)
        v->n--;
    uint32_t words = (uint32_t)(sizeof(pn_ring_execute) / 8) + v->n + (v->n + 1) / 2;
    if (v->used + words > BUFFER_BYTES / 8)
        submit(v);
    uint64_t *out = v->buffer + v->used;
    pn_ring_execute e = {PN_RING_EXECUTE, (uint8_t)v->flags, (uint16_t)n_insts, v->block->id, v->n};
    memcpy(out, &e, sizeof e);
    out += sizeof e / 8;
    memcpy(out, v->addresses, v->n * sizeof *v->addresses);
    out += v->n;
    if (v->n & 1)
        out[v->n / 2] = 0;
    memcpy(out, v->shapes, v->n * sizeof *v->shapes);
    v->used += words;
}

static void start_block(vcpu *v, const block *b, uint32_t flags)
{
    v->block = b;
    v->started = 0;
    v->index_base = 0;
    v->flags = flags;
    v->n = 0;
    v->last[0] = v->last[1] = UINT32_MAX;
}

/* The block in work is over; execution goes on at next_pc (0: nobody knows). */
static void close_block(vcpu *v, uint64_t next_pc)
{
    const block *b = v->block;
    if (!b)
        return;
    uint32_t done = v->started;
    bool phantom = done + 1 == b->n_insts && next_pc == b->last_pc;
    if (done < b->n_insts && !phantom && done > 0 && next_pc != 0)
        done--; /* left early: the last one started did not complete */
    if (done > 0)
        put_execute(v, done);
    v->block = NULL;
}

/* A part of a string instruction may end here: enough accesses, and none that would grow. */
static bool part_ends(const vcpu *v)
{
    if (v->n < REP_ACCESSES)
        return false;
    for (int write = 0; write < 2; write++) {
        uint32_t last = v->last[write];
        if (last != UINT32_MAX && (v->shapes[last] >> 8 & 0xff) < MERGED_BYTES)
            return v->n >= 2 * REP_ACCESSES; /* backwards, they never grow */
    }
    return true;
}

static void on_block(unsigned index, void *user)
{
    vcpu *v = g.vcpus[index];
    const block *b = user, *old;
    if (!v || atomic_load_explicit(&g.silent, memory_order_relaxed))
        return;
    old = v->block;
    if (old && old->rep && v->started == old->n_insts && b->pc == old->last_pc) {
        /* One more iteration. */
        if (!part_ends(v)) {
            v->index_base = old->n_insts - 1u;
            return;
        }
        put_execute(v, old->n_insts);
        start_block(v, b, PN_RING_CONTINUES);
        return;
    }
    close_block(v, b->pc);
    start_block(v, b, 0);
}

static void on_inst(unsigned index, void *user)
{
    vcpu *v = g.vcpus[index];
    if (v)
        v->started = (uint32_t)(uintptr_t)user + v->index_base;
}

static void on_access(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
    vcpu *v = g.vcpus[index];
    if (!v || atomic_load_explicit(&g.silent, memory_order_relaxed))
        return;
    uint32_t inst = (uint32_t)(uintptr_t)user + v->index_base;
    uint32_t write = qemu_plugin_mem_is_store(info);
    uint32_t bytes = 1u << qemu_plugin_mem_size_shift(info);
    uint32_t last = v->last[write];
    if (last != UINT32_MAX) {
        uint32_t shape = v->shapes[last];
        uint32_t have = shape >> 8 & 0xff;
        if (shape >> 16 == inst && v->addresses[last] + have == address &&
            have + bytes <= MERGED_BYTES) {
            v->shapes[last] = pn_ring_shape(inst, have + bytes, write);
            return;
        }
    }
    if (v->n == PN_RING_ACCESSES) {
        note(PN_NOTE_LOST);
        return;
    }
    v->addresses[v->n] = address;
    v->shapes[v->n] = pn_ring_shape(inst, bytes, write);
    v->last[write] = v->n++;
}

/* ---- translation ----------------------------------------------------------------------------- */

/* FNV-1a; Fowler, Noll, Vo. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Legacy prefixes with F2 or F3 among them, REX, then movs cmps stos lods scas ins outs. */
static bool is_rep(const uint8_t *p, size_t n)
{
    bool repeat = false;
    size_t i = 0;
    for (; i < n; i++) {
        if (p[i] == 0xf2 || p[i] == 0xf3)
            repeat = true;
        else if (p[i] != 0x66 && p[i] != 0x67 && p[i] != 0x2e && p[i] != 0x36 && p[i] != 0x3e &&
                 p[i] != 0x26 && p[i] != 0x64 && p[i] != 0x65)
            break;
    }
    if (i < n && (p[i] & 0xf0) == 0x40)
        i++;
    return repeat && i < n &&
           ((p[i] >= 0xa4 && p[i] <= 0xa7) || (p[i] >= 0xaa && p[i] <= 0xaf) ||
            (p[i] >= 0x6c && p[i] <= 0x6f));
}

static void define(const block *b, struct qemu_plugin_tb *tb, uint64_t bytes)
{
    size_t size = sizeof(pn_ring_define) + pn_ring_padded(b->n_insts + bytes);
    if (g.definition_capacity - g.definition_bytes < size) {
        size_t capacity = (g.definition_capacity + size) * 2;
        uint8_t *more = realloc(g.definitions, capacity);
        if (!more)
            abort();
        g.definitions = more;
        g.definition_capacity = capacity;
    }
    uint8_t *out = g.definitions + g.definition_bytes;
    memset(out, 0, size);
    pn_ring_define d = {PN_RING_DEFINE, 0, b->n_insts, b->id, b->pc, bytes};
    memcpy(out, &d, sizeof d);
    uint8_t *sizes = out + sizeof d, *data = sizes + b->n_insts;
    for (size_t i = 0; i < b->n_insts; i++) {
        const struct qemu_plugin_insn *inst = qemu_plugin_tb_get_insn(tb, i);
        size_t n = qemu_plugin_insn_size(inst);
        sizes[i] = (uint8_t)n;
        memcpy(data, qemu_plugin_insn_data(inst), n);
        data += n;
    }
    g.definition_bytes += size;
}

/* The block of this translation; a retranslation of the same bytes finds the old one. */
static block *intern(struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    uint64_t hash = UINT64_C(0xcbf29ce484222325), bytes = 0;
    const struct qemu_plugin_insn *inst = NULL;
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        inst = qemu_plugin_tb_get_insn(tb, i);
        size = qemu_plugin_insn_size(inst);
        hash = hash_bytes(hash, &size, sizeof size);
        hash = hash_bytes(hash, qemu_plugin_insn_data(inst), size);
        bytes += size;
    }
    uint64_t pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
    block **head = &g.table[(hash ^ pc ^ pc >> 16) & 0xffff];
    for (block *b = *head; b; b = b->next_same) {
        if (b->hash == hash && b->pc == pc && b->n_insts == n)
            return b;
    }
    block *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    *b = (block){.next_same = *head,
                 .pc = pc,
                 .last_pc = qemu_plugin_insn_vaddr(inst),
                 .hash = hash,
                 .id = g.n_blocks++,
                 .n_insts = (uint16_t)n,
                 .rep = g.x86 && is_rep(qemu_plugin_insn_data(inst), size)};
    *head = b;
    define(b, tb, bytes);
    return b;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    if (n == 0)
        return;
    (void)pthread_mutex_lock(&g.lock);
    block *b = intern(tb);
    (void)pthread_mutex_unlock(&g.lock);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_NO_REGS, b);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *inst = qemu_plugin_tb_get_insn(tb, i);
        qemu_plugin_register_vcpu_insn_exec_cb(inst, on_inst, QEMU_PLUGIN_NO_REGS,
                                               (void *)(uintptr_t)(i + 1));
        qemu_plugin_register_vcpu_mem_cb(inst, on_access, QEMU_PLUGIN_NO_REGS,
                                         QEMU_PLUGIN_MEM_READ_WRITE, (void *)(uintptr_t)i);
    }
}

/* ---- threads, system calls, the end ---------------------------------------------------------- */

static void on_thread_start(qemu_plugin_id_t id, unsigned index)
{
    (void)id;
    if (index >= VCPUS) {
        note(PN_NOTE_VCPUS);
        return;
    }
    if (g.vcpus[index])
        return; /* known from before a reset */
    (void)pthread_mutex_lock(&g.lock);
    vcpu *v = calloc(1, sizeof *v);
    if (!v)
        abort();
    v->thread = g.n_threads++;
    g.vcpus[index] = v;
    (void)pthread_mutex_unlock(&g.lock);
}

static void on_thread_end(qemu_plugin_id_t id, unsigned index)
{
    (void)id;
    vcpu *v = index < VCPUS ? g.vcpus[index] : NULL;
    if (!v)
        return;
    close_block(v, 0);
    submit(v);
    g.vcpus[index] = NULL; /* its number may serve a later thread */
    free(v);
}

/* System call numbers (Linux, x86-64 and AArch64). */
enum {
    X86_CLONE = 56,
    X86_FORK = 57,
    X86_VFORK = 58,
    X86_EXECVE = 59,
    X86_EXECVEAT = 322,
    A64_CLONE = 220,
    A64_EXECVE = 221,
    A64_EXECVEAT = 281,
    CLONE_VM_FLAG = 0x100,
    CLONE_VFORK_FLAG = 0x4000
};

static pn_event_kind event_of(int64_t number, uint64_t flags)
{
    bool clone = number == (g.x86 ? X86_CLONE : A64_CLONE);
    if (clone && flags & CLONE_VM_FLAG && !(flags & CLONE_VFORK_FLAG))
        return PN_EVENT_THREAD;
    if (clone || (g.x86 && (number == X86_FORK || number == X86_VFORK)))
        return PN_EVENT_FORK;
    if (number == (g.x86 ? X86_EXECVE : A64_EXECVE) ||
        number == (g.x86 ? X86_EXECVEAT : A64_EXECVEAT))
        return PN_EVENT_EXEC;
    return PN_EVENT_SYSCALL;
}

static void on_syscall(qemu_plugin_id_t id, unsigned index, int64_t number, uint64_t a1,
                       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                       uint64_t a8)
{
    (void)id, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    vcpu *v = index < VCPUS ? g.vcpus[index] : NULL;
    if (!v || atomic_load(&g.silent))
        return;
    /* The instruction that called is the last of its block and has done all it does. */
    close_block(v, 0);
    put_event(v, PN_EVENT_SYSCALL, (uint64_t)number);
    pn_event_kind kind = event_of(number, a1);
    if (kind == PN_EVENT_SYSCALL)
        return;
    put_event(v, kind, kind == PN_EVENT_THREAD ? g.n_threads : 0);
    if (kind != PN_EVENT_THREAD)
        note(kind == PN_EVENT_FORK ? PN_NOTE_FORK : PN_NOTE_EXEC);
    if (kind == PN_EVENT_EXEC)
        submit(v); /* this process may be gone in a moment */
}

static void hand_over_all(void)
{
    for (unsigned i = 0; i < VCPUS; i++) {
        if (g.vcpus[i]) {
            close_block(g.vcpus[i], 0);
            submit(g.vcpus[i]);
        }
    }
}

static void on_exit_all(qemu_plugin_id_t id, void *user)
{
    (void)id, (void)user;
    if (atomic_load(&g.silent))
        return;
    hand_over_all();
    note(PN_NOTE_FINISHED);
    atomic_store(&g.silent, true);
}

static void record_from_now(qemu_plugin_id_t id)
{
    atomic_store(&g.turning, false);
    note(PN_NOTE_RECORDING);
    qemu_plugin_register_vcpu_init_cb(id, on_thread_start);
    qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
    qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit_all, NULL);
}

/* ---- fast-forward ---------------------------------------------------------------------------- */

static void pass_block(unsigned index, void *user)
{
    (void)index;
    uint64_t n = (uint64_t)(uintptr_t)user;
    uint64_t total = atomic_fetch_add_explicit(&g.ring->skipped, n, memory_order_relaxed) + n;
    if (total >= g.ring->skip && !atomic_exchange(&g.turning, true))
        qemu_plugin_reset(g.id, record_from_now);
}

static void pass_last(unsigned index, void *user)
{
    (void)index, (void)user;
    (void)atomic_fetch_add_explicit(&g.ring->skipped, 1, memory_order_relaxed);
}

static void pass_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    struct qemu_plugin_insn *last = n ? qemu_plugin_tb_get_insn(tb, n - 1) : NULL;
    if (last && qemu_plugin_insn_vaddr(last) % PAGE_BYTES > PAGE_BYTES - PN_INST_BYTES) {
        /* Perhaps a phantom: count it only when it starts. */
        qemu_plugin_register_vcpu_insn_exec_cb(last, pass_last, QEMU_PLUGIN_NO_REGS, NULL);
        n--;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, pass_block, QEMU_PLUGIN_NO_REGS, (void *)(uintptr_t)n);
}

static void pass_exit(qemu_plugin_id_t id, void *user)
{
    (void)id, (void)user;
    if (!atomic_load(&g.silent))
        note(PN_NOTE_FINISHED);
}

/* ---- install --------------------------------------------------------------------------------- */

/* fork: nobody may hold the lock while the address space is copied; the child goes silent. */
static void before_fork(void)
{
    (void)pthread_mutex_lock(&g.lock);
}

static void after_fork(void)
{
    (void)pthread_mutex_unlock(&g.lock);
}

static void in_child(void)
{
    atomic_store(&g.silent, true);
    (void)pthread_mutex_unlock(&g.lock);
}

static bool map_ring(int fd)
{
    void *at = mmap(NULL, sizeof(pn_ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (at == MAP_FAILED)
        return false;
    g.ring = at;
    return g.ring->version == PN_RING_VERSION;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info *info, int argc, char **argv)
{
    if (argc != 1 || strncmp(argv[0], "fd=", 3) != 0)
        return -1;
    if (!map_ring((int)strtol(argv[0] + 3, NULL, 10)))
        return -1;
    g.id = id;
    g.x86 = strcmp(info->target_name, "x86_64") == 0;
    (void)pthread_atfork(before_fork, after_fork, in_child);
    if (g.ring->skip == 0) {
        record_from_now(id);
        return 0;
    }
    qemu_plugin_register_vcpu_init_cb(id, on_thread_start);
    qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
    qemu_plugin_register_vcpu_tb_trans_cb(id, pass_translate);
    qemu_plugin_register_atexit_cb(id, pass_exit, NULL);
    return 0;
}
