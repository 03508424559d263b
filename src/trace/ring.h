/* ring.h - the shared memory between the QEMU plugin (capture/) and the recorder (record.c).
 *
 * One producer side (the plugin, under its own lock), one consumer (the recorder). The producer
 * fills slot head % SLOTS and then raises head; the consumer empties slot tail % SLOTS and then
 * raises tail. Whoever has to wait sleeps a little and looks again. The memory is a mapping, not a
 * file descriptor, so a traced program that closes descriptors cannot hurt it; a forked child has
 * the mapping too, and the plugin goes silent there.
 *
 * A slot holds messages of one thread, 8-byte aligned, host byte order:
 *   DEFINE  a translated block: pn_ring_define, then n_insts sizes (u8), then the bytes, padded
 *   EXECUTE pn_ring_execute, then n addresses (u64), then n shapes (u32), padded
 *   EVENT   pn_ring_event */
#ifndef PN_TRACE_RING_H
#define PN_TRACE_RING_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    PN_RING_SLOTS = 64,
    PN_RING_SLOT_BYTES = 1 << 17,
    PN_RING_VERSION = 1,
    PN_RING_ACCESSES = 2000 /* of one EXECUTE at most */
};

/* What happened; bits of pn_ring.notes. */
enum {
    PN_NOTE_FORK = 1,      /* a child process was made; not traced */
    PN_NOTE_EXEC = 2,      /* exec was called */
    PN_NOTE_VCPUS = 4,     /* more threads at once than the plugin follows */
    PN_NOTE_LOST = 8,      /* accesses of one block did not fit */
    PN_NOTE_FINISHED = 16, /* the program ended and everything was handed over */
    PN_NOTE_RECORDING = 32 /* fast-forward is over */
};

typedef struct pn_ring_slot {
    uint32_t thread;
    uint32_t bytes;
    uint64_t storage[PN_RING_SLOT_BYTES / 8];
} pn_ring_slot;

typedef struct pn_ring {
    uint32_t version;
    uint32_t pad;
    uint64_t skip; /* instructions to pass before recording; set by the recorder */
    _Atomic uint64_t head, tail;
    _Atomic uint64_t skipped; /* instructions passed so far */
    _Atomic uint32_t stop;    /* set by the recorder: it has enough */
    _Atomic uint32_t notes;
    pn_ring_slot slots[PN_RING_SLOTS];
} pn_ring;

enum { PN_RING_DEFINE = 1, PN_RING_EXECUTE = 2, PN_RING_EVENT = 3 };

typedef struct pn_ring_define {
    uint8_t type;
    uint8_t pad;
    uint16_t n_insts;
    uint32_t block;
    uint64_t pc;
    uint64_t bytes; /* of all instructions */
} pn_ring_define;

enum { PN_RING_CONTINUES = 1 };

typedef struct pn_ring_execute {
    uint8_t type;
    uint8_t flags;
    uint16_t n_insts; /* executed, from the block's start */
    uint32_t block;
    uint64_t n_accesses;
} pn_ring_execute;

typedef struct pn_ring_event {
    uint8_t type;
    uint8_t kind; /* pn_event_kind */
    uint16_t pad;
    uint32_t pad2;
    uint64_t value;
} pn_ring_event;

/* Shape of an access: instruction index, bytes, write. */
static inline uint32_t pn_ring_shape(uint32_t inst, uint32_t bytes, uint32_t write)
{
    return inst << 16 | bytes << 8 | write;
}

static inline uint64_t pn_ring_padded(uint64_t bytes)
{
    return (bytes + 7) & ~UINT64_C(7);
}

#endif
