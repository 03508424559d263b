/* dram.h - the cycle-exact DRAM reference: a native memory port, its presets, laws and command log.
 *
 * What it is. Independent channels, each with a read and a write queue, first-ready first-come
 * first-served scheduling, banks, bank groups and ranks under the timing rules of the JEDEC
 * standards, refresh, and an exact integer clock. Event driven: the cost goes with commands, not
 * with cycles; idle time is skipped.
 *
 * Rules
 *  - Timing counts are in command-clock cycles (_ck). One cycle lasts tck_num_ps / tck_den ps, an
 *    exact rational: cycle n is at n * num / den, rounded up to a whole ps only where it leaves.
 *  - A "channel" here is what has its own command bus: a DDR4 channel, one of the two 32-bit
 *    subchannels of a DDR5 channel, one HBM2 pseudo channel, one 16-bit LPDDR5 channel.
 *  - A port belongs to one thread; nothing is allocated after pn_dram_create.
 *
 * Not modelled: power-down and self refresh, temperature, ECC and retries, on-die ECC
 * read-modify-write, RFM and row hammer, write merging, reads that pass a closed row of another
 * mode, command-bus sharing between HBM pseudo channels, LPDDR5 CAS and WCK synchronization,
 * auto-precharge (rows are closed by explicit precharges), clock crossing and PHY jitter. */
#ifndef PN_DRAM_DRAM_H
#define PN_DRAM_DRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/param.h"
#include "mem/port.h"

typedef enum pn_dram_standard {
    PN_DRAM_DDR4 = 0,
    PN_DRAM_DDR5,
    PN_DRAM_HBM2,
    PN_DRAM_LPDDR5
} pn_dram_standard;

/* Address bits from the most significant part to the least; the channel is always the lowest,
 * above the interleave unit. ro row, ra rank, ba bank in its group, bg bank group, co column. */
typedef enum pn_dram_mapping {
    PN_DRAM_MAP_RO_RA_BA_CO_BG = 0, /* a stream rotates over bank groups and stays in their rows */
    PN_DRAM_MAP_RA_RO_BA_CO_BG, /* the same with the rank on top: a small footprint is one rank */
    PN_DRAM_MAP_RO_CO_RA_BA_BG, /* neighbouring lines in different banks and ranks */
    PN_DRAM_MAP_RO_BA_RA_BG_CO, /* a stream stays in one bank: bound by tCCD_L (a trap, kept) */
    PN_DRAM_MAP_COUNT
} pn_dram_mapping;

typedef enum pn_dram_page {
    PN_DRAM_PAGE_OPEN = 0, /* rows stay open until a conflict or a refresh */
    PN_DRAM_PAGE_ADAPTIVE, /* and are closed once unused for page_timeout */
    PN_DRAM_PAGE_CLOSED    /* closed as soon as no queued request hits */
} pn_dram_page;

typedef enum pn_dram_refresh {
    PN_DRAM_REFRESH_NONE = 0,
    PN_DRAM_REFRESH_ALL_BANK,
    PN_DRAM_REFRESH_SAME_BANK, /* DDR5 REFsb: one bank of every bank group */
    PN_DRAM_REFRESH_PER_BANK   /* LPDDR5 REFpb, HBM2 REFSB: one bank */
} pn_dram_refresh;

/* A plain description; pn_dram_params describes every field. Counts ending in _ck are cycles. */
typedef struct pn_dram_config {
    uint32_t standard;    /* pn_dram_standard */
    uint32_t channels;    /* as sold: DIMM channels, HBM channels */
    uint32_t subchannels; /* independent buses per channel: DDR5 2, HBM2 2, else 1 */
    uint32_t ranks;
    uint32_t groups; /* bank groups per rank */
    uint32_t banks;  /* banks per group */
    uint32_t rows;
    uint32_t row_bytes; /* of one rank's row across its bus */
    uint32_t bus_bits;
    uint32_t burst_beats;
    uint32_t beats_per_ck;
    uint32_t tck_num_ps, tck_den;
    uint32_t cl_ck, cwl_ck, trcd_ck, trp_ck, tras_ck, trc_ck;
    uint32_t tccd_s_ck, tccd_l_ck, tccd_l_wr_ck;
    uint32_t trrd_s_ck, trrd_l_ck, tfaw_ck;
    uint32_t twr_ck, twtr_s_ck, twtr_l_ck, trtp_ck;
    uint32_t trtw_gap_ck; /* idle bus cycles between read and write data of one rank */
    uint32_t trtrs_ck;    /* idle bus cycles between data of different ranks */
    uint32_t trefi_ck, trfc_ck, trfc_bank_ck, trefsbrd_ck;
    uint32_t act_command_ck, col_command_ck; /* command-bus cycles */
    uint32_t split_command_bus;              /* 1: row and column commands on buses of their own */
    uint32_t refresh;                        /* pn_dram_refresh */
    uint32_t refresh_postpone;               /* intervals a busy bus may put refreshes off */
    uint32_t refresh_stagger;                /* 0: all ranks of a channel at once; 1: spread */
    uint32_t refresh_spread;                 /* 1: buses refresh at different times; 0: at once */
    uint32_t mapping;                        /* pn_dram_mapping */
    uint32_t bank_hash;                      /* 1: bank, group and rank are XORed with row bits */
    uint32_t interleave_bytes;               /* consecutive bytes in one channel */
    uint32_t page;                           /* pn_dram_page */
    uint64_t page_timeout_ps;
    uint32_t read_queue, write_queue; /* requests of one burst each, per channel */
    uint32_t write_high, write_low;   /* entries: drain begins at high, ends at low */
    uint64_t write_idle_ps;           /* writes below high wait so long after the last read */
    uint64_t write_age_ps;            /* a write older than this starts a drain; 0: none does */
    uint64_t age_cap_ps;              /* a request older than this goes first */
    uint64_t frontend_ps, backend_ps; /* controller pipeline, added to every response */
    uint32_t cbusy_1_pct, cbusy_2_pct, cbusy_3_pct; /* queue occupancy at which levels begin */
    uint32_t hit_cap; /* columns per activate while an older burst waits for the bank; 0: no cap */
} pn_dram_config;

/* The table behind key=value overrides, listings and help. */
const pn_param *pn_dram_params(size_t *count);

/* E_ARG with the first rule broken, in words. Pure. */
panem_status pn_dram_config_check(const pn_dram_config *config, panem_error *err);

/* ---- presets ------------------------------------------------------------------------------- */

typedef struct pn_dram_preset {
    const char *name;   /* e.g. "ddr4-2666" */
    const char *title;  /* one line */
    const char *source; /* where the numbers come from */
    pn_dram_config config;
} pn_dram_preset;

/* All presets, in order of standard and speed. Static storage. */
const pn_dram_preset *pn_dram_presets(size_t *count);

/* Preset by name (case does not matter). E_ARG with the nearest name when unknown. */
panem_status pn_dram_preset_find(const pn_dram_preset **preset, const char *name, panem_error *err);

/* A configuration in one word: a preset and overrides, "ddr5-5200:channels=8:page=open". Checked.
 * preset (may be NULL) receives the one it started from. E_ARG; outputs untouched then. */
panem_status pn_dram_spec_parse(pn_dram_config *config, const pn_dram_preset **preset,
                                const char *spec, panem_error *err);

/* ---- laws ---------------------------------------------------------------------------------- */

/* Closed formulas the simulation must meet; docs/dram.md derives them. Whole system, valid config.
 * Pure; cannot fail. */
enum { PN_DRAM_LINE_BYTES = 64 };

/* Bus width x data rate x buses, bytes per second. */
double pn_dram_theoretical_peak(const pn_dram_config *config);
/* Share of time refresh leaves: 1 - tRFC/tREFI; 1 without refresh. Bank-wise refresh: 1 -
 * tRFCb/tREFI, for a stream meets each bank's refresh once per tREFI. */
double pn_dram_refresh_share(const pn_dram_config *config);
/* Theoretical peak x refresh share. */
double pn_dram_stream_law(const pn_dram_config *config);
/* min(bus, 4 x 64 B / tFAW x ranks, banks x 64 B / tRC) x refresh share, over all buses. An upper
 * bound: finite queues, buses that wait for each other and rank switches keep a bus-bound system
 * below it. */
double pn_dram_random_law(const pn_dram_config *config);
/* tRCD + tCL + burst of one 64 B line from a closed bank, without the controller. A line of n
 * bursts counts (n - 1) x tCCD_L more. */
double pn_dram_unloaded_law_ps(const pn_dram_config *config);
/* One cycle, bytes of one burst, cycles of one burst, buses, banks of one bus. */
double pn_dram_tck_ps(const pn_dram_config *config);
uint32_t pn_dram_burst_bytes(const pn_dram_config *config);
uint32_t pn_dram_burst_ck(const pn_dram_config *config);
uint32_t pn_dram_buses(const pn_dram_config *config);
/* Bytes the whole system holds; addresses wrap there. */
uint64_t pn_dram_capacity_bytes(const pn_dram_config *config);

/* ---- running ------------------------------------------------------------------------------- */

/* Makes a port. name is borrowed (NULL: "dram") and the config copied. The caller destroys it with
 * pn_mem_destroy. Requests are 1 byte .. 64 bursts; larger ones are E_RANGE. E_ARG, E_NOMEM. */
panem_status pn_dram_create(pn_mem_port **port, const pn_dram_config *config, const char *name,
                            panem_error *err);

typedef struct pn_dram_stats {
    uint64_t read_requests, write_requests;       /* accepted */
    uint64_t read_bytes, write_bytes;             /* of accepted requests */
    uint64_t read_bursts, write_bursts;           /* column commands */
    uint64_t forwarded_bursts;                    /* read bursts answered from the write queue */
    uint64_t responses, response_bytes;           /* popped */
    uint64_t row_hits, row_misses, row_conflicts; /* bursts by what their row needed */
    uint64_t activates, precharges, refreshes;
    uint64_t busy_answers;
    uint64_t turnarounds;                             /* switches between reads and writes */
    double data_bus_ns;                               /* bus time with data, summed over buses */
    double read_latency_sum_ns, write_latency_sum_ns; /* done - arrival, of completed requests */
    double queue_area_ns;                             /* integral of queued bursts over time */
    double queue_wait_sum_ns; /* sum over bursts of arrival to column command */
    uint64_t oldest_wait_ck;  /* longest wait of one burst */
} pn_dram_stats;

/* Counters since creation. port must come from pn_dram_create. O(channels). */
void pn_dram_stats_get(const pn_mem_port *port, pn_dram_stats *stats);

/* ---- command log --------------------------------------------------------------------------- */

typedef enum pn_dram_command_kind {
    PN_DRAM_ACT = 0,
    PN_DRAM_RD,
    PN_DRAM_WR,
    PN_DRAM_PRE,
    PN_DRAM_PREA, /* all banks of the rank */
    PN_DRAM_REF,  /* all banks of the rank */
    PN_DRAM_REFSB /* bank-wise: bank `bank` of group `group`, or of every group (same-bank) */
} pn_dram_command_kind;

typedef struct pn_dram_command {
    uint64_t ck;
    uint32_t channel; /* bus number */
    uint8_t kind;
    uint8_t rank, group, bank; /* 255: all */
    uint32_t row, column;      /* column in bursts; row 0 where it means nothing */
} pn_dram_command;

typedef void (*pn_dram_log_fn)(void *user, const pn_dram_command *command);

/* Called for every command, per channel in order of cycle. NULL: none. With a log, idle time costs
 * one call per refresh. Must not call into the port. */
void pn_dram_log(pn_mem_port *port, pn_dram_log_fn log, void *user);

/* Where an address lies, after interleaving and hashing. For tests and tools. */
typedef struct pn_dram_place {
    uint32_t channel, rank, group, bank, row, column;
} pn_dram_place;
void pn_dram_locate(const pn_mem_port *port, pn_dram_place *place, uint64_t address);

#endif
