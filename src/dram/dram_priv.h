/* dram_priv.h - what the files of src/dram share; nobody else includes it.
 *
 *  map.c      address -> bus, rank, group, bank, row, column
 *  queue.c    queued bursts: per-bank lists and one list by age per kind
 *  issue.c    what each command does to the earliest times of the ones after it
 *  plan.c     which command is next and when
 *  refresh.c  when refreshes are due, and skipping over idle time
 *  port.c     requests, responses, the memory port
 *
 * Cycle numbers are absolute. "Next" times are the earliest cycle a command is allowed; a command
 * may be issued at the maximum of those it is subject to. */
#ifndef PN_DRAM_PRIV_H
#define PN_DRAM_PRIV_H

#include <stdbool.h>

#include "base/wide.h"
#include "dram/dram.h"

#define NEVER UINT64_MAX
enum { NONE = 0xffff, ALL = 255, BANKS_MAX = 128, GROUPS_MAX = 32, RANKS_MAX = 4 };
enum { READ = 0, WRITE = 1, KINDS = 2 };
enum { ROWS = 0, COLUMNS = 1 }; /* classes of commands */
enum { REQUEST_BURSTS_MAX = 64 };
enum { LIMIT_ACT = 0, LIMIT_COL = GROUPS_MAX, LIMIT_PRE = 2 * GROUPS_MAX, LIMITS };

/* An exact clock: cycle n is at n * num / den ps. */
typedef struct pn_dram_clock {
    uint64_t num, den;
} pn_dram_clock;

/* Last cycle at or before a time; first cycle at or after it; time of a cycle, rounded up. */
static inline uint64_t ck_at(const pn_dram_clock *k, uint64_t ps)
{
    if (ps < (UINT64_C(1) << 53))
        return ps * k->den / k->num;
    return (uint64_t)((pn_u128)ps * k->den / k->num);
}

static inline uint64_t ps_of(const pn_dram_clock *k, uint64_t ck)
{
    if (ck >= (UINT64_C(1) << 43)) {
        pn_u128 ps = ((pn_u128)ck * k->num + k->den - 1) / k->den;
        return ps > UINT64_MAX ? UINT64_MAX : (uint64_t)ps;
    }
    if (k->den == 1)
        return ck * k->num;
    return (ck * k->num + k->den - 1) / k->den;
}

static inline uint64_t ck_from(const pn_dram_clock *k, uint64_t ps)
{
    uint64_t ck = ck_at(k, ps);
    return ps_of(k, ck) < ps ? ck + 1 : ck;
}

/* Distances between commands, from the configuration. */
typedef struct pn_dram_timing {
    uint64_t rcd, rp, ras, rc, rrd_s, rrd_l, faw;
    uint64_t read_data, write_data; /* command to end of data */
    uint64_t read_pre, write_pre;
    /* [first][second] kind: same rank other group, same group, other rank */
    uint64_t col_s[KINDS][KINDS], col_l[KINDS][KINDS], col_rank[KINDS][KINDS];
    uint64_t act_slot, col_slot; /* command-bus cycles */
    uint64_t burst;
    uint64_t refresh_interval, rfc, refsbrd;
    uint32_t refresh_sets; /* refreshes until every bank had one; 0: no refresh */
    uint64_t page_timeout, write_idle, write_age, age_cap;
} pn_dram_timing;

typedef struct pn_dram_map {
    uint32_t buses, interleave_shift, burst_shift;
    uint32_t bus_shift; /* log2 of buses, or 32 when buses is no power of two */
    uint32_t fields;
    struct {
        uint8_t what, bits, into; /* part of a place; width; shift within that part */
    } field[7];
    uint32_t group_bits, bank_bits, rank_bits, row_bits;
    bool hash, hash_rank;
} pn_dram_map;

/* One queued burst. */
typedef struct pn_dram_entry {
    uint64_t arrive_ck;
    uint64_t seq; /* order of arrival on this bus */
    uint32_t row, column;
    uint32_t request;
    uint16_t next, prev;   /* same bank and kind, by age */
    uint16_t newer, older; /* same kind, by age */
    uint8_t bank, kind;
    uint8_t acted, closed; /* an activate, a precharge was made for it */
} pn_dram_entry;

typedef struct pn_dram_bank {
    uint64_t next_act, next_col, next_pre, last_use;
    uint32_t open_row;
    uint32_t columns; /* column commands since the row was opened */
    bool open;
    uint8_t rank, group, bank; /* group: index over all ranks */
    uint16_t head[KINDS], tail[KINDS];
    uint16_t hit[KINDS]; /* oldest burst for the open row */
} pn_dram_bank;

typedef struct pn_dram_group {
    uint64_t next_act, next_col[KINDS];
} pn_dram_group;

typedef struct pn_dram_rank {
    uint64_t next_act, next_col[KINDS];
    uint64_t four[4]; /* when the window of each of the last four activates ends */
    uint32_t four_at;
    uint32_t open, pending; /* banks, bursts */
    uint64_t closed_ck;     /* all precharges so far have taken effect */
    uint64_t next_refresh, refresh_due, force_ck;
    uint32_t refresh_set;
    bool refreshing; /* begun: all owed ones follow */
} pn_dram_rank;

/* Of commands of one cycle, activates go before precharges: only activates can be all there is to
 * wait for (tFAW). */
#define AGE_PRECHARGE (UINT64_C(1) << 62)

/* What a bank would do next for one kind, as far as the bank alone decides: plan.c scans these.
 * The rest is limits[limit], which the group, the rank and the bus decide. */
typedef struct pn_dram_ready {
    uint64_t ck, age;
    uint16_t entry;
    uint8_t limit; /* LIMIT_ACT + group, LIMIT_COL + group, LIMIT_PRE */
} pn_dram_ready;

typedef struct pn_dram_choice {
    uint64_t ck, age;
    uint16_t entry;
    uint8_t command, bank, rank;
} pn_dram_choice;

typedef struct pn_dram pn_dram;

typedef struct pn_dram_channel {
    pn_dram *dram;
    uint32_t index;
    uint32_t bank_count, rank_count, banks_per_rank;
    uint64_t floor_ck;      /* nothing happens before */
    uint64_t command_ck[2]; /* the command bus is free from here on: for ROWS, for COLUMNS */
    pn_dram_choice plan, col, row;
    bool dirty, refused;
    uint64_t pending_mask[KINDS][2], open_mask[2];
    uint64_t hit_mask[KINDS][2]; /* of the pending ones: those whose next command is a column */
    /* read and write turns */
    uint32_t count[KINDS];
    uint32_t turn, served, quota;
    uint32_t kind; /* whose bursts the plan serves */
    uint64_t hold_ck, last_read_ck, last_col_ck;
    uint64_t kind_ck; /* since when that kind is served */
    uint16_t aged;
    bool aged_col;
    uint8_t last_col;
    /* by age, and the pool */
    uint16_t oldest[KINDS], newest[KINDS], free_entry;
    uint64_t seq;
    uint32_t want[KINDS]; /* scratch of submit */
    pn_dram_entry *entries;
    pn_dram_rank rank[RANKS_MAX];
    pn_dram_group group[GROUPS_MAX];
    pn_dram_bank bank[BANKS_MAX];
    pn_dram_ready ready[KINDS][BANKS_MAX];
    uint64_t limits[LIMITS];
    uint64_t close_ck; /* no unused row is closed before */
    /* counters */
    uint64_t hits, misses, conflicts, activates, precharges, refreshes;
    uint64_t bursts[KINDS], forwarded, turnarounds;
    uint64_t area_ck, area_at_ck, wait_ck, wait_max_ck;
} pn_dram_channel;

typedef struct pn_dram_request {
    uint64_t tag, arrival_ps, done_ck, done_ps, seq;
    uint32_t bytes, left; /* bursts without a column command */
    uint32_t next_free;
    uint8_t kind, cbusy;
} pn_dram_request;

struct pn_dram {
    pn_mem_port port; /* first */
    pn_dram_config config;
    pn_dram_clock clock;
    pn_dram_timing timing;
    pn_dram_map map;
    uint32_t channel_count;
    pn_dram_channel *channels;
    pn_dram_entry *entries;
    pn_dram_request *requests;
    uint32_t request_count, free_request;
    uint32_t *heap; /* requests with a done time, earliest first */
    uint32_t heap_count;
    uint64_t now_ps, seq, latency_ps;
    uint32_t busy_at[KINDS];     /* queued bursts that let refreshes be put off */
    uint32_t cbusy_at[KINDS][3]; /* queued bursts of a kind */
    pn_dram_log_fn log;
    void *log_user;
    uint64_t accepted[KINDS], bytes[KINDS], responses, response_bytes, busy;
    uint64_t latency_sum_ps[KINDS];
};

/* map.c */
void pn_dram_map_init(pn_dram_map *map, const pn_dram_config *config);
void pn_dram_map_place(const pn_dram_map *map, pn_dram_place *place, uint64_t address);

/* queue.c */
void pn_dram_queue_init(pn_dram_channel *ch, uint32_t entry_count);
uint16_t pn_dram_queue_add(pn_dram_channel *ch, const pn_dram_place *place, uint32_t kind,
                           uint32_t request, uint64_t arrive_ck);
void pn_dram_queue_remove(pn_dram_channel *ch, uint16_t index, uint64_t ck);
/* The row of a bank opened or closed. */
void pn_dram_queue_find_hits(pn_dram_channel *ch, uint32_t index);
/* The state, timing or queue of a bank changed: what it would do next. */
void pn_dram_bank_ready(pn_dram_channel *ch, uint32_t index, uint32_t kind);
/* A queued write to the same burst. */
bool pn_dram_queue_has_write(const pn_dram_channel *ch, const pn_dram_place *place);
uint32_t pn_dram_bank_of(const pn_dram_channel *ch, const pn_dram_place *place);

/* issue.c */
void pn_dram_issue(pn_dram_channel *ch, const pn_dram_choice *choice);
void pn_dram_issue_refresh(pn_dram_channel *ch, uint32_t rank, uint64_t ck);
void pn_dram_log_command(const pn_dram_channel *ch, const pn_dram_command *command);

/* plan.c */
void pn_dram_plan(pn_dram_channel *ch);
/* A burst arrived: keep the plan right, with little work where possible. */
void pn_dram_plan_arrival(pn_dram_channel *ch, uint16_t entry);
/* Does everything up to and including a cycle. */
void pn_dram_run(pn_dram_channel *ch, uint64_t last_ck);

/* refresh.c */
void pn_dram_refresh_init(pn_dram_channel *ch);
/* From when on a rank's refresh keeps other commands off; NEVER without refresh. */
uint64_t pn_dram_refresh_force(const pn_dram_channel *ch, const pn_dram_rank *rank);
/* Whether a bank belongs to the refresh that is next in its rank. */
bool pn_dram_refresh_covers(const pn_dram_channel *ch, const pn_dram_rank *rank,
                            const pn_dram_bank *bank);
void pn_dram_refresh_consider(pn_dram_channel *ch, uint32_t rank);
/* With nothing queued and every row closed: all refreshes up to a cycle. */
void pn_dram_refresh_skip(pn_dram_channel *ch, uint64_t last_ck);
/* Refreshes an idle bus owes up to a cycle and has not counted yet. */
uint64_t pn_dram_refresh_uncounted(const pn_dram_channel *ch, uint64_t last_ck);
/* Keeps the earlier, then the older, of a slot and an offer. */
void pn_dram_offer(pn_dram_choice *slot, const pn_dram_choice *offer);

static inline bool pn_dram_idle(const pn_dram_channel *ch)
{
    return (ch->count[READ] | ch->count[WRITE]) == 0 && (ch->open_mask[0] | ch->open_mask[1]) == 0;
}

/* port.c: the column command of a burst was issued; its data end at done_ck. */
void pn_dram_burst_done(pn_dram *dram, uint32_t request, uint64_t done_ck, uint8_t cbusy);
uint8_t pn_dram_cbusy(const pn_dram_channel *ch);

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
