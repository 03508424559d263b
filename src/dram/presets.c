/* presets.c - DRAM configurations by name.
 *
 * Values are the nominal ones of a JEDEC speed bin, in cycles: a time of the standard divided by
 * the clock period and rounded up; a maximum of cycles and time is taken as such. Where a standard
 * leaves a value to the vendor, `source` says what was taken. Clocks are exact: 2666 stands for
 * 2666 2/3 MT/s, DDR5-4800 has a period of 1250/3 ps.
 *
 * Queues, watermarks, page policy and the controller's pipeline are no part of any standard: they
 * are this project's defaults (pipeline 10 + 10 ns, the static latencies of gem5's memory
 * controller; queues of 64 lines per bus). */
#include "dram/dram.h"

#include <string.h>

/* What all presets share; queues of so many bursts per bus. */
#define CONTROLLER(queue)                                                                     \
    .refresh = PN_DRAM_REFRESH_ALL_BANK, .refresh_postpone = 3, .refresh_stagger = 0,         \
    .mapping = PN_DRAM_MAP_RO_RA_BA_CO_BG, .bank_hash = 1, .interleave_bytes = 256,           \
    .page = PN_DRAM_PAGE_ADAPTIVE, .page_timeout_ps = 100000, .read_queue = (queue),          \
    .write_queue = (queue), .write_high = (queue) / 4 * 3, .write_low = (queue) / 4,          \
    .write_idle_ps = 100000, .write_age_ps = 200000000, .age_cap_ps = 2000000, .hit_cap = 16, \
    .frontend_ps = 10000, .backend_ps = 10000, .cbusy_1_pct = 50, .cbusy_2_pct = 75,          \
    .cbusy_3_pct = 90

/* 8 Gb x8 devices: 4 x 4 banks, 1 KiB page, eight devices wide. */
#define DDR4_SHAPE                                                                      \
    .standard = PN_DRAM_DDR4, .channels = 1, .subchannels = 1, .ranks = 2, .groups = 4, \
    .banks = 4, .rows = 65536, .row_bytes = 8192, .bus_bits = 64, .burst_beats = 8,     \
    .beats_per_ck = 2, .act_command_ck = 1, .col_command_ck = 1

/* 16 Gb x8 devices: 8 x 4 banks, 1 KiB page, four devices wide per subchannel; activates and
 * column commands take two cycles of the command bus. */
#define DDR5_SHAPE                                                                      \
    .standard = PN_DRAM_DDR5, .channels = 1, .subchannels = 2, .ranks = 2, .groups = 8, \
    .banks = 4, .rows = 65536, .row_bytes = 4096, .bus_bits = 32, .burst_beats = 16,    \
    .beats_per_ck = 2, .act_command_ck = 2, .col_command_ck = 2

#define DDR4_SOURCE                                                                           \
    "JESD79-4 speed bin and core timings, 8 Gb x8 (1 KiB page), tRFC1 350 ns, tREFI 7.8 us; " \
    "nominal values, rounded up to cycles"
#define DDR5_SOURCE                                                                             \
    "JESD79-5 speed bin and core timings, 16 Gb x8 (1 KiB page), tRFC1 295 ns, tRFCsb 130 ns, " \
    "tREFI 3.9 us; nominal values, rounded up to cycles"

static const pn_dram_preset presets[] = {
    {"ddr4-2666",
     "DDR4-2666V 19-19-19, one 64-bit channel, 2 ranks",
     DDR4_SOURCE,
     {DDR4_SHAPE,       CONTROLLER(64), .tck_num_ps = 750, .tck_den = 1,    .cl_ck = 19,
      .cwl_ck = 14,     .trcd_ck = 19,  .trp_ck = 19,      .tras_ck = 43,   .trc_ck = 62,
      .tccd_s_ck = 4,   .tccd_l_ck = 7, .tccd_l_wr_ck = 7, .trrd_s_ck = 4,  .trrd_l_ck = 7,
      .tfaw_ck = 28,    .twr_ck = 20,   .twtr_s_ck = 4,    .twtr_l_ck = 10, .trtp_ck = 10,
      .trtw_gap_ck = 2, .trtrs_ck = 2,  .trefi_ck = 10400, .trfc_ck = 467}},
    {"ddr4-3200",
     "DDR4-3200AA 22-22-22, one 64-bit channel, 2 ranks",
     DDR4_SOURCE,
     {DDR4_SHAPE,       CONTROLLER(64), .tck_num_ps = 625, .tck_den = 1,    .cl_ck = 22,
      .cwl_ck = 16,     .trcd_ck = 22,  .trp_ck = 22,      .tras_ck = 52,   .trc_ck = 74,
      .tccd_s_ck = 4,   .tccd_l_ck = 8, .tccd_l_wr_ck = 8, .trrd_s_ck = 4,  .trrd_l_ck = 8,
      .tfaw_ck = 34,    .twr_ck = 24,   .twtr_s_ck = 4,    .twtr_l_ck = 12, .trtp_ck = 12,
      .trtw_gap_ck = 2, .trtrs_ck = 2,  .trefi_ck = 12480, .trfc_ck = 560}},
    {"ddr5-4800",
     "DDR5-4800B 40-39-39, one channel of two 32-bit subchannels, 2 ranks",
     DDR5_SOURCE,
     {DDR5_SHAPE,       CONTROLLER(64),  .tck_num_ps = 1250, .tck_den = 3,    .cl_ck = 40,
      .cwl_ck = 38,     .trcd_ck = 39,   .trp_ck = 39,       .tras_ck = 77,   .trc_ck = 116,
      .tccd_s_ck = 8,   .tccd_l_ck = 12, .tccd_l_wr_ck = 24, .trrd_s_ck = 8,  .trrd_l_ck = 12,
      .tfaw_ck = 32,    .twr_ck = 72,    .twtr_s_ck = 6,     .twtr_l_ck = 24, .trtp_ck = 18,
      .trtw_gap_ck = 4, .trtrs_ck = 2,   .trefi_ck = 9360,   .trfc_ck = 708,  .trfc_bank_ck = 312,
      .trefsbrd_ck = 72}},
    {"ddr5-5200",
     "DDR5-5200B 42-42-42, one channel of two 32-bit subchannels, 2 ranks",
     DDR5_SOURCE,
     {DDR5_SHAPE,       CONTROLLER(64),  .tck_num_ps = 5000, .tck_den = 13,   .cl_ck = 42,
      .cwl_ck = 40,     .trcd_ck = 42,   .trp_ck = 42,       .tras_ck = 84,   .trc_ck = 126,
      .tccd_s_ck = 8,   .tccd_l_ck = 13, .tccd_l_wr_ck = 26, .trrd_s_ck = 8,  .trrd_l_ck = 13,
      .tfaw_ck = 32,    .twr_ck = 78,    .twtr_s_ck = 7,     .twtr_l_ck = 26, .trtp_ck = 20,
      .trtw_gap_ck = 4, .trtrs_ck = 2,   .trefi_ck = 10140,  .trfc_ck = 767,  .trfc_bank_ck = 338,
      .trefsbrd_ck = 78}},
    {"ddr5-6400",
     "DDR5-6400B 52-52-52, one channel of two 32-bit subchannels, 2 ranks",
     DDR5_SOURCE,
     {DDR5_SHAPE,       CONTROLLER(64),  .tck_num_ps = 625,  .tck_den = 2,    .cl_ck = 52,
      .cwl_ck = 50,     .trcd_ck = 52,   .trp_ck = 52,       .tras_ck = 103,  .trc_ck = 155,
      .tccd_s_ck = 8,   .tccd_l_ck = 16, .tccd_l_wr_ck = 32, .trrd_s_ck = 8,  .trrd_l_ck = 16,
      .tfaw_ck = 32,    .twr_ck = 96,    .twtr_s_ck = 8,     .twtr_l_ck = 32, .trtp_ck = 24,
      .trtw_gap_ck = 4, .trtrs_ck = 2,   .trefi_ck = 12480,  .trfc_ck = 944,  .trfc_bank_ck = 416,
      .trefsbrd_ck = 96}},
    {"hbm2-2000",
     "HBM2 2.0 Gb/s, one stack: 8 channels of two 64-bit pseudo channels",
     "JESD235 shape (pseudo channels, BL4, 4 x 4 banks, 1 KiB page, tRFC 350 ns at 8 Gb, tREFI "
     "3.9 us); the standard leaves the latencies to the vendors: taken are 14-14-14 ns, tRAS 34, "
     "tFAW 16, tCCD_L 4 as in published models (DRAMsim3 HBM2, O'Connor et al. MICRO 2017)",
     {.standard = PN_DRAM_HBM2,
      .channels = 8,
      .subchannels = 2,
      .ranks = 1,
      .groups = 4,
      .banks = 4,
      .rows = 32768,
      .row_bytes = 1024,
      .bus_bits = 64,
      .burst_beats = 4,
      .beats_per_ck = 2,
      .act_command_ck = 1,
      .col_command_ck = 1,
      CONTROLLER(128),
      .tck_num_ps = 1000,
      .tck_den = 1,
      .cl_ck = 14,
      .cwl_ck = 4,
      .trcd_ck = 14,
      .trp_ck = 14,
      .tras_ck = 34,
      .trc_ck = 48,
      .tccd_s_ck = 2,
      .tccd_l_ck = 4,
      .tccd_l_wr_ck = 4,
      .trrd_s_ck = 4,
      .trrd_l_ck = 6,
      .tfaw_ck = 16,
      .twr_ck = 16,
      .twtr_s_ck = 6,
      .twtr_l_ck = 8,
      .trtp_ck = 5,
      .trtw_gap_ck = 2,
      .trtrs_ck = 2,
      .trefi_ck = 3900,
      .trfc_ck = 350,
      .trfc_bank_ck = 160,
      .trefsbrd_ck = 8,
      .split_command_bus = 1}},
    {"lpddr5-6400",
     "LPDDR5-6400, four 16-bit channels, bank-group mode, WCK:CK 4:1, 1 rank",
     "JESD209-5 core timings (RL 17, WL 9 set A, tRCD 18 ns, tRPpb 18 ns, tRAS 42 ns, tFAW 20 ns, "
     "tRFCab 280 ns, tRFCpb 140 ns at 16 Gb, tREFI 3.906 us), 4 x 4 banks, BL16, 2 KiB page; "
     "nominal values, rounded up to cycles of 1.25 ns",
     {.standard = PN_DRAM_LPDDR5,
      .channels = 4,
      .subchannels = 1,
      .ranks = 1,
      .groups = 4,
      .banks = 4,
      .rows = 65536,
      .row_bytes = 2048,
      .bus_bits = 16,
      .burst_beats = 16,
      .beats_per_ck = 8,
      .act_command_ck = 1,
      .col_command_ck = 1,
      CONTROLLER(128),
      .tck_num_ps = 1250,
      .tck_den = 1,
      .cl_ck = 17,
      .cwl_ck = 9,
      .trcd_ck = 15,
      .trp_ck = 15,
      .tras_ck = 34,
      .trc_ck = 49,
      .tccd_s_ck = 2,
      .tccd_l_ck = 4,
      .tccd_l_wr_ck = 4,
      .trrd_s_ck = 4,
      .trrd_l_ck = 4,
      .tfaw_ck = 16,
      .twr_ck = 28,
      .twtr_s_ck = 5,
      .twtr_l_ck = 10,
      .trtp_ck = 6,
      .trtw_gap_ck = 1,
      .trtrs_ck = 2,
      .trefi_ck = 3125,
      .trfc_ck = 224,
      .trfc_bank_ck = 112,
      .trefsbrd_ck = 6}},
};

enum { PRESET_COUNT = sizeof presets / sizeof presets[0] };

const pn_dram_preset *pn_dram_presets(size_t *count)
{
    *count = PRESET_COUNT;
    return presets;
}

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char low = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
        if (*a != low)
            return false;
    }
    return *a == *b;
}

panem_status pn_dram_preset_find(const pn_dram_preset **preset, const char *name, panem_error *err)
{
    const char *names[PRESET_COUNT + 1] = {NULL};
    for (size_t i = 0; i < PRESET_COUNT; i++) {
        if (same_name(presets[i].name, name)) {
            *preset = &presets[i];
            return PANEM_OK;
        }
        names[i] = presets[i].name;
    }
    const char *near = pn_text_nearest(name, names);
    if (near)
        return pn_err(err, PANEM_E_ARG, "no DRAM preset '%s'; did you mean '%s'?", name, near);
    return pn_err(err, PANEM_E_ARG, "no DRAM preset '%s'; see panem dram list", name);
}
