/* machine.c - see machine.h. */
#include "machine.h"

#include "../cmocka_pn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dram/dram.h"
#include "mem/model_port.h"
#include "mem/model_spec.h"

static void ok(panem_status status, const panem_error *err)
{
    if (status != PANEM_OK)
        fail_msg("%s", err->message);
}

pn_core_config machine_config(const char *settings)
{
    pn_core_config config;
    panem_error err = PANEM_ERROR_INIT;
    size_t count;
    const pn_param *params = pn_core_params(&count);
    ok(pn_core_preset(&config, "arm-server", &err), &err);
    config.l1d_prefetch.kind = config.l2_prefetch.kind = 0;
    while (settings && *settings) {
        char one[80];
        size_t n = strcspn(settings, " ");
        assert_true(n < sizeof one);
        memcpy(one, settings, n);
        one[n] = '\0';
        ok(pn_param_assign(params, count, &config, one, &err), &err);
        settings += n + (settings[n] == ' ');
    }
    return config;
}

void machine_make_flat(machine *m, const char *settings, const char *model, double total_ns)
{
    m->config = machine_config(settings);
    double latency_ns = total_ns - pn_core_on_chip_ns(&m->config);
    panem_point points[] = {{1.0, 0.0, latency_ns}, {1.0, 1e4, latency_ns}};
    panem_error err = PANEM_ERROR_INIT;
    panem_model_options options;
    panem_model *made;
    ok(panem_curves_create(&m->curves, points, 2, NULL, &err), &err);
    ok(pn_model_spec_parse(&options, model, &err), &err);
    ok(panem_model_create(&made, m->curves, &options, &err), &err);
    ok(pn_model_port_create(&m->port, made, "flat", false, 8192, &err), &err);
    ok(pn_core_create(&m->core, &m->config, m->port, &err), &err);
    m->idle_ps = panem_idle_ps(m->curves, PANEM_MIX_LINEAR, 1.0);
    pn_core_set_idle(m->core, m->idle_ps);
}

void machine_make(machine *m, const char *settings, double total_ns)
{
    machine_make_flat(m, settings, "fixed:idle", total_ns);
}

void machine_make_dram(machine *m, const char *settings, const char *spec)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_dram_config dram;
    m->config = machine_config(settings);
    m->config.write_hold = PN_HOLD_UNTIL_TAKEN;
    m->curves = NULL;
    m->idle_ps = UINT64_MAX;
    ok(pn_dram_spec_parse(&dram, NULL, spec, &err), &err);
    ok(pn_dram_create(&m->port, &dram, "dram", &err), &err);
    ok(pn_core_create(&m->core, &m->config, m->port, &err), &err);
}

void machine_make_over(machine *m, const char *settings, const char *model, const char *path)
{
    panem_error err = PANEM_ERROR_INIT;
    panem_curves_options load = PANEM_CURVES_OPTIONS_INIT;
    panem_model_options options;
    panem_model *made;
    m->config = machine_config(settings);
    load.on_chip_ns = pn_core_on_chip_ns(&m->config);
    ok(panem_curves_load(&m->curves, path, &load, &err), &err);
    ok(pn_model_spec_parse(&options, model, &err), &err);
    options.sharers = m->config.active_cores;
    ok(panem_model_create(&made, m->curves, &options, &err), &err);
    ok(pn_model_port_create(&m->port, made, model, false, 8192, &err), &err);
    ok(pn_core_create(&m->core, &m->config, m->port, &err), &err);
    m->idle_ps = panem_idle_ps(m->curves, PANEM_MIX_LINEAR, 1.0);
    pn_core_set_idle(m->core, m->idle_ps);
}

void machine_free(machine *m)
{
    pn_core_destroy(m->core);
    pn_mem_destroy(m->port);
    panem_curves_destroy(m->curves);
}

void machine_step(machine *m, const step *s)
{
    pn_inst inst = {0};
    pn_access access = {s->address, s->bytes ? s->bytes : 8, s->store};
    inst.pc = s->pc ? s->pc : 0x1000;
    inst.length = 4;
    inst.target = s->target;
    inst.cls = s->load ? PN_CLASS_LOAD : s->store ? PN_CLASS_STORE : s->cls;
    inst.branch = s->branch;
    inst.flags = (uint16_t)((s->load ? PN_INST_LOAD : 0) | (s->store ? PN_INST_STORE : 0));
    inst.n_dst = s->dst != 0;
    inst.dst[0] = s->dst;
    inst.n_src = s->src != 0;
    inst.src[0] = s->src;
    inst.n_addr = s->addr != 0;
    inst.addr[0] = s->addr;
    pn_op op = {.inst = &inst,
                .accesses = &access,
                .next_pc = s->next_pc,
                .n_accesses = s->load || s->store,
                .flags = s->taken ? PN_OP_TAKEN : 0};
    pn_core_op(m->core, &op);
}

void machine_mark(machine *m)
{
    pn_core_mark(m->core);
}

pn_core_result machine_finish(machine *m)
{
    pn_core_result result;
    panem_error err = PANEM_ERROR_INIT;
    ok(pn_core_finish(m->core, &result, &err), &err);
    return result;
}

uint64_t machine_chase(uint64_t line, uint64_t lines)
{
    /* A full-period congruential step: multiplier 1 mod 4, odd increment (Hull and Dobell, 1962).
     */
    return (line * 1664525 + 1013904223) & (lines - 1);
}
