/* config.c - the parameter table of the DRAM reference, its sanity rules and its closed laws.
 *
 * Assumes nothing about the preset a config came from: every rule is checked on the numbers. */
#include "dram/dram.h"

#include <stdbool.h>

static const char *const standards[] = {"ddr4", "ddr5", "hbm2", "lpddr5", NULL};
static const char *const mappings[] = {"ro-ra-ba-co-bg", "ra-ro-ba-co-bg", "ro-co-ra-ba-bg",
                                       "ro-ba-ra-bg-co", NULL};
static const char *const pages[] = {"open", "adaptive", "closed", NULL};
static const char *const refreshes[] = {"none", "all_bank", "same_bank", "per_bank", NULL};

#define FIELD(f) offsetof(pn_dram_config, f)
#define COUNT(f, initial, min, max, why)                                      \
    {                                                                         \
#f, PN_PARAM_U32, PN_DIM_NONE, FIELD(f), initial, min, max, NULL, why \
    }
#define CYCLES(f, initial, why) COUNT(f, initial, 0, 1000000, why)
#define TIME(name, initial, max, why)                                                  \
    {                                                                                  \
#name, PN_PARAM_U64, PN_DIM_TIME, FIELD(name##_ps), initial, 0, max, NULL, why \
    }
#define CHOICE(f, initial, names, why)                                        \
    {                                                                         \
#f, PN_PARAM_CHOICE, PN_DIM_NONE, FIELD(f), initial, 0, 0, names, why \
    }
#define SWITCH(f, initial, why)                                            \
    {                                                                      \
#f, PN_PARAM_BOOL, PN_DIM_NONE, FIELD(f), initial, 0, 0, NULL, why \
    }

/* The defaults are those of ddr4-2666; presets.c has the sources. */
static const pn_param params[] = {
    CHOICE(standard, PN_DRAM_DDR4, standards, "family, decides which refresh kinds exist"),
    COUNT(channels, 1, 1, 64, "channels as sold; more bandwidth and capacity"),
    COUNT(subchannels, 1, 1, 2, "independent buses per channel (DDR5 and HBM2: 2)"),
    COUNT(ranks, 2, 1, 4, "ranks per bus: more banks, but data of two ranks need a gap"),
    COUNT(groups, 4, 1, 8, "bank groups per rank"),
    COUNT(banks, 4, 1, 16, "banks per bank group"),
    COUNT(rows, 65536, 2, 16777216, "rows per bank: capacity only"),
    COUNT(row_bytes, 8192, 64, 1048576, "bytes one activate opens across the bus"),
    COUNT(bus_bits, 64, 8, 1024, "data width of one bus"),
    COUNT(burst_beats, 8, 2, 64, "beats per column command"),
    COUNT(beats_per_ck, 2, 1, 16, "beats per command clock: 2 for DDR, 8 for LPDDR5 at 4:1"),
    COUNT(tck_num_ps, 750, 1, 1000000, "clock period is tck_num_ps / tck_den, exactly"),
    COUNT(tck_den, 1, 1, 1000, "see tck_num_ps"),
    CYCLES(cl_ck, 19, "read command to first data"),
    CYCLES(cwl_ck, 14, "write command to first data"),
    CYCLES(trcd_ck, 19, "activate to column command"),
    CYCLES(trp_ck, 19, "precharge to activate"),
    CYCLES(tras_ck, 43, "activate to precharge"),
    CYCLES(trc_ck, 62, "activate to activate of one bank"),
    CYCLES(tccd_s_ck, 4, "column to column, different bank group"),
    CYCLES(tccd_l_ck, 7, "read to read, same bank group"),
    CYCLES(tccd_l_wr_ck, 7, "write to write, same bank group"),
    CYCLES(trrd_s_ck, 4, "activate to activate, different bank group"),
    CYCLES(trrd_l_ck, 7, "activate to activate, same bank group"),
    CYCLES(tfaw_ck, 28, "window that holds at most four activates of a rank"),
    CYCLES(twr_ck, 20, "end of write data to precharge"),
    CYCLES(twtr_s_ck, 4, "end of write data to read, different bank group"),
    CYCLES(twtr_l_ck, 10, "end of write data to read, same bank group"),
    CYCLES(trtp_ck, 10, "read to precharge"),
    CYCLES(trtw_gap_ck, 2, "bus cycles idle from read data to write data, same rank"),
    CYCLES(trtrs_ck, 2, "bus cycles idle between data of different ranks"),
    CYCLES(trefi_ck, 10400, "average refresh interval"),
    CYCLES(trfc_ck, 467, "all-bank refresh to next command"),
    CYCLES(trfc_bank_ck, 0, "bank-wise refresh to next command of these banks"),
    CYCLES(trefsbrd_ck, 0, "bank-wise refresh to activate of another bank"),
    COUNT(act_command_ck, 1, 1, 8, "command-bus cycles of an activate"),
    COUNT(col_command_ck, 1, 1, 8, "command-bus cycles of a read or write"),
    SWITCH(split_command_bus, 0, "row and column commands do not share a bus (HBM)"),
    CHOICE(refresh, PN_DRAM_REFRESH_ALL_BANK, refreshes, "refresh kind"),
    COUNT(refresh_postpone, 3, 0, 8, "intervals a busy bus may put its refreshes off"),
    SWITCH(refresh_stagger, 0, "on: ranks refresh at different times, else together"),
    SWITCH(refresh_spread, 0, "on: buses refresh evenly apart in time, else all at once"),
    CHOICE(mapping, PN_DRAM_MAP_RO_RA_BA_CO_BG, mappings, "address bits, high to low"),
    SWITCH(bank_hash, 1, "XOR bank bits with row bits: strides of a power of two spread"),
    COUNT(interleave_bytes, 256, 32, 1048576, "consecutive bytes on one bus"),
    CHOICE(page, PN_DRAM_PAGE_ADAPTIVE, pages, "when rows are closed"),
    TIME(page_timeout, 100000, 1e12, "adaptive: close a row unused for so long"),
    COUNT(read_queue, 64, 1, 1024, "read bursts per bus"),
    COUNT(write_queue, 64, 1, 1024, "write bursts per bus"),
    COUNT(write_high, 48, 1, 1024, "writes that start a drain"),
    COUNT(write_low, 16, 0, 1024, "writes that end a drain"),
    TIME(write_idle, 100000, 1e12, "fewer writes than write_high wait so long after reads"),
    TIME(write_age, 200000000, 1e12,
         "among reads that never pause, a write this old starts a drain; 0: none does"),
    TIME(age_cap, 2000000, 1e12, "a burst that waited longer goes before row hits"),
    COUNT(
        hit_cap, 16, 0, 1000000,
        "column commands per activate while an older burst wants another row of the bank; 0: any"),
    TIME(frontend, 10000, 1e9, "controller pipeline before the queues, added to the response"),
    TIME(backend, 10000, 1e9, "controller pipeline after the data, added to the response"),
    COUNT(cbusy_1_pct, 50, 1, 100,
          "occupancy (reads: of their queue; writes: above write_high) of CBusy 1"),
    COUNT(cbusy_2_pct, 75, 1, 100,
          "occupancy (reads: of their queue; writes: above write_high) of CBusy 2"),
    COUNT(cbusy_3_pct, 90, 1, 100,
          "occupancy (reads: of their queue; writes: above write_high) of CBusy 3"),
};

const pn_param *pn_dram_params(size_t *count)
{
    *count = sizeof params / sizeof params[0];
    return params;
}

static bool power_of_two(uint32_t v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

static panem_status check_shape(const pn_dram_config *c, panem_error *err)
{
    if (!power_of_two(c->ranks) || !power_of_two(c->groups) || !power_of_two(c->banks) ||
        !power_of_two(c->rows) || !power_of_two(c->row_bytes))
        return pn_err(err, PANEM_E_ARG,
                      "ranks, groups, banks, rows and row_bytes must be powers of two");
    if ((uint64_t)c->ranks * c->groups * c->banks > 128)
        return pn_err(err, PANEM_E_ARG, "more than 128 banks on one bus");
    if (c->bus_bits % 8 || c->burst_beats % c->beats_per_ck)
        return pn_err(err, PANEM_E_ARG, "a burst must be whole bytes and whole cycles");
    uint32_t burst = pn_dram_burst_bytes(c);
    if (!power_of_two(burst) || c->row_bytes < burst)
        return pn_err(err, PANEM_E_ARG, "a burst of %u bytes does not divide a row", burst);
    if (!power_of_two(c->interleave_bytes) || c->interleave_bytes < burst)
        return pn_err(err, PANEM_E_ARG,
                      "interleave_bytes must be a power of two and hold a burst of %u", burst);
    return PANEM_OK;
}

static panem_status check_timing(const pn_dram_config *c, panem_error *err)
{
    uint32_t burst_ck = pn_dram_burst_ck(c);
    if (c->cl_ck == 0 || c->cwl_ck == 0 || c->trcd_ck == 0 || c->trp_ck == 0)
        return pn_err(err, PANEM_E_ARG, "cl_ck, cwl_ck, trcd_ck and trp_ck must not be zero");
    if (c->tccd_s_ck < burst_ck)
        return pn_err(err, PANEM_E_ARG, "tccd_s_ck is below the %u cycles of a burst", burst_ck);
    if (c->tccd_l_ck < c->tccd_s_ck || c->tccd_l_wr_ck < c->tccd_s_ck)
        return pn_err(err, PANEM_E_ARG, "tccd_l_ck and tccd_l_wr_ck must not be below tccd_s_ck");
    if (c->trrd_l_ck < c->trrd_s_ck || c->twtr_l_ck < c->twtr_s_ck)
        return pn_err(err, PANEM_E_ARG, "a same-group timing is below its other-group one");
    if (c->trc_ck < c->tras_ck + c->trp_ck)
        return pn_err(err, PANEM_E_ARG, "trc_ck (%u) is below tras_ck + trp_ck (%u + %u)",
                      c->trc_ck, c->tras_ck, c->trp_ck);
    return PANEM_OK;
}

static panem_status check_refresh(const pn_dram_config *c, panem_error *err)
{
    uint32_t sets = 1;
    uint32_t rfc = c->trfc_ck;
    if (c->refresh == PN_DRAM_REFRESH_NONE)
        return PANEM_OK;
    if (c->refresh != PN_DRAM_REFRESH_ALL_BANK) {
        bool same = c->refresh == PN_DRAM_REFRESH_SAME_BANK;
        bool known = same ? c->standard == PN_DRAM_DDR5
                          : c->standard == PN_DRAM_HBM2 || c->standard == PN_DRAM_LPDDR5;
        if (!known)
            return pn_err(err, PANEM_E_ARG, "%s has no refresh %s", standards[c->standard],
                          refreshes[c->refresh]);
        sets = same ? c->banks : c->banks * c->groups;
        rfc = c->trfc_bank_ck;
    }
    if (c->standard == PN_DRAM_DDR5 && c->refresh_postpone > 4)
        return pn_err(err, PANEM_E_ARG, "DDR5 lets at most 4 refreshes be put off, not %u",
                      c->refresh_postpone);
    if (rfc == 0 || c->trefi_ck == 0)
        return pn_err(err, PANEM_E_ARG, "refresh %s needs trefi_ck and its tRFC",
                      refreshes[c->refresh]);
    if ((uint64_t)c->trefi_ck / sets <= (uint64_t)rfc + c->trp_ck + c->tras_ck)
        return pn_err(err, PANEM_E_ARG, "refresh takes the whole time: interval %u, tRFC %u",
                      c->trefi_ck / sets, rfc);
    return PANEM_OK;
}

panem_status pn_dram_config_check(const pn_dram_config *c, panem_error *err)
{
    PN_TRY(check_shape(c, err));
    PN_TRY(check_timing(c, err));
    PN_TRY(check_refresh(c, err));
    if (c->write_high > c->write_queue || c->write_low >= c->write_high)
        return pn_err(err, PANEM_E_ARG, "write_low < write_high <= write_queue does not hold");
    if (c->cbusy_1_pct > c->cbusy_2_pct || c->cbusy_2_pct > c->cbusy_3_pct)
        return pn_err(err, PANEM_E_ARG, "cbusy thresholds must rise");
    if ((uint32_t)PN_DRAM_LINE_BYTES / pn_dram_burst_bytes(c) > c->read_queue ||
        (uint32_t)PN_DRAM_LINE_BYTES / pn_dram_burst_bytes(c) > c->write_queue)
        return pn_err(err, PANEM_E_ARG, "a queue cannot hold one line");
    return PANEM_OK;
}

/* ---- laws ---------------------------------------------------------------------------------- */

double pn_dram_tck_ps(const pn_dram_config *c)
{
    return (double)c->tck_num_ps / (double)c->tck_den;
}

uint32_t pn_dram_burst_bytes(const pn_dram_config *c)
{
    return c->bus_bits / 8 * c->burst_beats;
}

uint32_t pn_dram_burst_ck(const pn_dram_config *c)
{
    return c->burst_beats / c->beats_per_ck;
}

uint32_t pn_dram_buses(const pn_dram_config *c)
{
    return c->channels * c->subchannels;
}

uint64_t pn_dram_capacity_bytes(const pn_dram_config *c)
{
    return (uint64_t)c->rows * c->row_bytes * c->ranks * c->groups * c->banks * pn_dram_buses(c);
}

/* bytes every so many cycles, as bytes per second. */
static double rate(const pn_dram_config *c, double bytes, double ck)
{
    return bytes / (ck * pn_dram_tck_ps(c)) * 1e12;
}

static double bus_rate(const pn_dram_config *c)
{
    return rate(c, pn_dram_burst_bytes(c), pn_dram_burst_ck(c));
}

double pn_dram_theoretical_peak(const pn_dram_config *c)
{
    return bus_rate(c) * pn_dram_buses(c);
}

double pn_dram_refresh_share(const pn_dram_config *c)
{
    if (c->refresh == PN_DRAM_REFRESH_NONE)
        return 1.0;
    double rfc = c->refresh == PN_DRAM_REFRESH_ALL_BANK ? c->trfc_ck : c->trfc_bank_ck;
    return 1.0 - rfc / c->trefi_ck;
}

double pn_dram_stream_law(const pn_dram_config *c)
{
    return pn_dram_theoretical_peak(c) * pn_dram_refresh_share(c);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

double pn_dram_random_law(const pn_dram_config *c)
{
    double faw = rate(c, 4.0 * PN_DRAM_LINE_BYTES * c->ranks, c->tfaw_ck ? c->tfaw_ck : 1);
    double row = rate(c, (double)PN_DRAM_LINE_BYTES * c->ranks * c->groups * c->banks, c->trc_ck);
    double bus = smaller(bus_rate(c), smaller(faw, row));
    return bus * pn_dram_buses(c) * pn_dram_refresh_share(c);
}

double pn_dram_unloaded_law_ps(const pn_dram_config *c)
{
    uint32_t bursts = (uint32_t)PN_DRAM_LINE_BYTES / pn_dram_burst_bytes(c);
    uint32_t more = bursts > 1 ? (bursts - 1) * c->tccd_l_ck : 0;
    return (double)(c->trcd_ck + c->cl_ck + more + pn_dram_burst_ck(c)) * pn_dram_tck_ps(c);
}
