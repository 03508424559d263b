/* presets.c - named machines. Every number with its source, or marked as a guess.
 *
 * Sources: [N1] Arm Neoverse N1 Software Optimization Guide and Core TRM · [V2] Arm Neoverse V2
 * Software Optimization Guide · [gem5] the Neoverse V2 model of gem5 25.1 · [AO] the AmpereOne
 * scheduling model of LLVM and Ampere's product briefs · [N2] Arm Neoverse N2 core description.
 * [CHI] the example of the CHI specification, IHI 0050 section B11.6 · [XS] XiangShan's L2 (open
 * RTL) · [TF-A] fields of Neoverse V2's CPUECTLR2 in Trusted Firmware-A.
 * A preset after the first lists what differs from arm-server. */
#include <string.h>

#include "core/config.h"

typedef struct setting {
    const char *key, *value, *source;
} setting;

/* arm-server: value NULL, the table's default. */
static const setting ARM_SERVER[] = {
    {"clock", NULL, "between the 2.5..3.7 GHz of N1, V2 and AmpereOne parts"},
    {"width", NULL, "between N1 and AmpereOne (4), N2 (5) and V2 (6 to 8) [N1, N2, V2, AO]"},
    {"commit_width", NULL, "[V2] commits 8"},
    {"rob", NULL, "[AO] 192"},
    {"lob", NULL, "guess: half the ROB"},
    {"store_buffer", NULL, "guess: a third of the ROB"},
    {"alu_ports", NULL, "guess: between N1 (3) and V2 (6)"},
    {"mul_ports", NULL, "[N1] one multi-cycle pipe"},
    {"fp_ports", NULL, "[N1] two"},
    {"branch_ports", NULL, "[N1] one"},
    {"load_ports", NULL, "[N1, AO] two"},
    {"store_ports", NULL, "[AO] two"},
    {"mul_latency", NULL, "guess: [N1] says 2 to 4 by width"},
    {"div_latency", NULL, "[N1] 5 to 20 by operands; a value in between"},
    {"fp_add_latency", NULL, "[N1, V2] 2"},
    {"fp_mul_latency", NULL, "[N1, V2] 3"},
    {"fp_fma_latency", NULL, "[N1, V2] 4"},
    {"fp_div_latency", NULL, "[N1] 7 to 17 by operands; a value in between"},
    {"fp_cvt_latency", NULL, "[N1, V2] 3"},
    {"fp_move_latency", NULL, "[N1, V2] 2 to 3"},
    {"simd_latency", NULL, "[N1, V2] 2"},
    {"simd_mul_latency", NULL, "[N1, V2] 4"},
    {"crypto_latency", NULL, "[N1, V2] 2 for one AES round"},
    {"system_latency", NULL, "guess"},
    {"predictor", NULL, "the published class of predictors of these cores; their tables are not"},
    {"predictor_log2_entries", NULL, "guess"},
    {"ras_entries", NULL, "guess"},
    {"mispredict_penalty", NULL, "[N1] 11"},
    {"taken_branch_cycles", NULL, "guess: one taken branch per cycle"},
    {"l1i_size", NULL, "[N1, V2] 64 KiB"},
    {"l1i_ways", NULL, "[N1, V2] 4"},
    {"l1i_latency", NULL, "guess: as L1D"},
    {"l1i_mshrs", NULL, "guess"},
    {"l1d_size", NULL, "[N1, V2, AO] 64 KiB"},
    {"l1d_ways", NULL, "[N1, V2] 4"},
    {"l1d_latency", NULL, "[N1, V2, AO] 4"},
    {"l1d_mshrs", NULL, "guess: [gem5] has 12 for V2"},
    {"l2_size", NULL, "[V2, AO] 2 MiB"},
    {"l2_ways", NULL, "[N1, V2, AO] 8"},
    {"l2_latency", NULL, "[N1] 9 to 11, [gem5] 11"},
    {"l2_mshrs", NULL, "guess: half of V2's 96"},
    {"l1d_prefetch", NULL, "[gem5] stride at L1D; [N1] L1 detects strides"},
    {"l1d_prefetch_level", NULL, "guess"},
    {"l1d_prefetch_reserve", NULL, "guess: a quarter of the miss registers"},
    {"l1d_prefetch_queue", NULL, "guess: as many as miss registers"},
    {"l2_prefetch", NULL, "[gem5] best-offset among those of V2"},
    {"l2_prefetch_level", NULL, "guess: the setting of its paper"},
    {"l2_prefetch_reserve", NULL, "guess: a sixth of the miss registers"},
    {"l2_prefetch_queue", NULL, "guess: as many as regions have lines"},
    {"cbusy_control", NULL, "cores have it and firmware turns it on and off; off: the core alone"},
    {"cbusy_window", NULL, "guess: [TF-A] has a window as a field, not its sizes"},
    {"cbusy_threshold", NULL, "guess: [TF-A] has a threshold fraction, not its values"},
    {"cbusy_delay", NULL, "guess"},
    {"cbusy_prefetch_level_1", NULL, "[CHI] moderate at level 1"},
    {"cbusy_prefetch_level_2", NULL, "[CHI] very conservative at level 2"},
    {"cbusy_prefetch_level_3", NULL, "[CHI] inaccurate prefetchers off at level 3"},
    {"cbusy_gate_1", NULL, "[XS] 50 %"},
    {"cbusy_gate_2", NULL, "[XS] 75 %"},
    {"cbusy_gate_3", NULL, "[XS] 90 %"},
    {"cbusy_limit_least_part", NULL, "[TF-A] 4, 8, 16 or 32"},
    {"cbusy_step_down", NULL, "guess: [TF-A] has steps of both directions, not their sizes"},
    {"cbusy_step_up", NULL, "guess: half of it, so that the limit falls faster than it rises"},
    {"cbusy_down_level", NULL, "guess: [CHI] calls level 1 moderate"},
    {"tlb", NULL, "off: walk times are not published; without it results depend on no guess"},
    {"l1i_tlb_entries", NULL, "[N1] 48, fully associative"},
    {"l1d_tlb_entries", NULL, "[N1] 48, fully associative"},
    {"l2_tlb_entries", NULL, "[N1] 1280"},
    {"l2_tlb_ways", NULL, "[N1] 5"},
    {"l2_tlb_latency", NULL, "guess"},
    {"page_walk_latency", NULL, "guess: upper levels remembered, the last one found in L2 or LLC"},
    {"page_walkers", NULL, "guess"},
    {"llc_size", NULL, "[AO] 64 MiB of system-level cache"},
    {"llc_ways", NULL, "guess"},
    {"llc_latency", NULL, "guess: about 30 ns on mesh parts"},
    {"llc_mshrs", NULL, "guess: more than one core's L2 can ask for"},
    {"l1_fill_bytes_per_cycle", NULL, "[N1] 64 bytes per cycle between L2 and L1"},
    {"l2_fill_bytes_per_cycle", NULL, "a CHI data channel carries 32 bytes per cycle"},
    {"mem_request_latency", NULL, "guess: mesh hops to the controller"},
    {"mem_response_latency", NULL, "guess: mesh hops back"},
    {"write_buffer", NULL, "guess"},
    {"write_buffer_until", NULL, "a model of latency alone has no queue that would hold it"},
    {"page_size", NULL, "the default of Linux distributions"},
    {"page_seed", NULL, "any"},
    {"soc_cores", NULL, "[AO] 96 is the smallest part"},
    {"active_cores", NULL, "the core alone, until --load or --active-cores says otherwise"},
    {NULL, NULL, NULL},
};

static const setting NEOVERSE_N1[] = {
    {"width", "4", "[N1] 4"},
    {"commit_width", "8", "guess"},
    {"rob", "128", "[N1] 128"},
    {"lob", "68", "guess: the published load queue of its sibling Cortex-A76"},
    {"store_buffer", "72", "guess: the published store queue of its sibling Cortex-A76"},
    {"alu_ports", "3", "[N1] two single-cycle and one multi-cycle pipe"},
    {"store_ports", "2", "[N1] two load/store pipes"},
    {"clock", "3GHz", "Altra parts run at up to 3.0 to 3.3 GHz"},
    {"l2_size", "1MiB", "[N1] at most 1 MiB, as in Altra and Graviton2"},
    {"llc_size", "32MiB", "Altra: 32 MiB of system-level cache"},
    {"soc_cores", "80", "Altra: 80"},
    {NULL, NULL, NULL},
};

static const setting NEOVERSE_V2[] = {
    {"clock", "2.8GHz", "Graviton4: 2.8 GHz; Grace up to 3.4"},
    {"width", "8", "[V2] renames 8 per cycle (decodes 6, 8 from its operation cache)"},
    {"rob", "320", "[V2] 320"},
    {"lob", "175", "[gem5] 175"},
    {"store_buffer", "80", "[gem5] 80"},
    {"alu_ports", "6", "[V2] six integer pipes"},
    {"mul_ports", "2", "[V2] two multi-cycle pipes"},
    {"fp_ports", "4", "[V2] four"},
    {"branch_ports", "2", "[V2] two"},
    {"load_ports", "3", "[V2] three"},
    {"store_ports", "2", "[V2] two"},
    {"l1d_mshrs", "12", "[gem5] 12"},
    {"l2_mshrs", "96", "[gem5] 96-entry transaction queue"},
    {"llc_size", "36MiB", "Graviton4: 36 MiB"},
    {"soc_cores", "96", "Graviton4: 96"},
    {NULL, NULL, NULL},
};

static const setting AMPEREONE[] = {
    {"clock", "3.2GHz", "[AO] up to 3.2 GHz and more by part"},
    {"width", "4", "[AO] decodes 4"},
    {"mispredict_penalty", "10", "[AO] 10"},
    {"l1i_size", "16KiB", "guess: 16 KiB is told of it, not confirmed"},
    {"soc_cores", "192", "[AO] the largest part of the first generation"},
    {NULL, NULL, NULL},
};

static const char *const NAMES[] = {"arm-server", "neoverse-n1", "neoverse-v2", "ampereone", NULL};
static const setting *const SETTINGS[] = {ARM_SERVER, NEOVERSE_N1, NEOVERSE_V2, AMPEREONE};

const char *const *pn_core_presets(void)
{
    return NAMES;
}

static int find(const char *name)
{
    for (int i = 0; NAMES[i]; i++)
        if (strcmp(NAMES[i], name) == 0)
            return i;
    return -1;
}

panem_status pn_core_preset(pn_core_config *config, const char *name, panem_error *err)
{
    size_t count;
    pn_core_config c;
    const pn_param *params = pn_core_params(&count);
    int preset = find(name);
    if (preset < 0) {
        const char *near = pn_text_nearest(name, NAMES);
        return pn_err(err, PANEM_E_ARG,
                      "unknown core '%s'%s%s%s; cores: arm-server, neoverse-n1, neoverse-v2, "
                      "ampereone",
                      name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    memset(&c, 0, sizeof c);
    pn_param_defaults(params, count, &c);
    for (const setting *s = SETTINGS[preset]; s->key; s++)
        if (s->value)
            PN_TRY(pn_param_set(params, count, &c, s->key, s->value, err));
    *config = c;
    return PANEM_OK;
}

static const char *source_in(const setting *s, const char *key)
{
    for (; s->key; s++)
        if (strcmp(s->key, key) == 0)
            return s->source;
    return NULL;
}

const char *pn_core_source(const char *preset, const char *key)
{
    int i = find(preset);
    const char *source = i < 0 ? NULL : source_in(SETTINGS[i], key);
    if (!source)
        source = source_in(ARM_SERVER, key);
    return source;
}
