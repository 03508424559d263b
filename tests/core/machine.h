/* machine.h - a simulated core for tests: instructions made one by one, memory of one latency. */
#ifndef PN_TESTS_CORE_MACHINE_H
#define PN_TESTS_CORE_MACHINE_H

#include <stdbool.h>

#include "core/core.h"

typedef struct machine {
    pn_core_config config;
    panem_curves *curves;
    pn_mem_port *port;
    pn_core *core;
    uint64_t idle_ps; /* at the door; UINT64_MAX: not told */
} machine;

/* The preset arm-server without prefetchers, with settings "key=value key=value"; behind it a
 * memory that answers a load of the simulated core after total_ns, on-chip part included, however
 * busy. */
void machine_make(machine *m, const char *settings, double total_ns);
/* The same in front of a model word over a curve set in a file. */
void machine_make_over(machine *m, const char *settings, const char *model, const char *path);
/* In front of "dram:..." or of a model word over a flat curve of total_ns. */
void machine_make_dram(machine *m, const char *settings, const char *spec);
void machine_make_flat(machine *m, const char *settings, const char *model, double total_ns);
/* Only the configuration. */
pn_core_config machine_config(const char *settings);
void machine_free(machine *m);

/* One instruction of a class: registers 0 = none. Every one sits at pc, by default 0x1000. */
typedef struct step {
    uint8_t cls, branch;
    uint8_t dst, src;
    uint8_t addr; /* address register of an access */
    bool load, store, taken;
    uint64_t address, pc, next_pc, target;
    uint8_t bytes; /* default 8 */
} step;

void machine_step(machine *m, const step *s);
/* Ends the warm-up. */
void machine_mark(machine *m);
pn_core_result machine_finish(machine *m);

/* The line that comes next in a pseudo-random cycle through `lines` lines (a power of two) that
 * visits each once: no two neighbours in order. */
uint64_t machine_chase(uint64_t line, uint64_t lines);

#endif
