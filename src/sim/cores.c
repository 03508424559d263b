/* cores.c - see cores.h. */
#include "sim/cores.h"

#include <string.h>

static panem_status next_op(void *user, const pn_op **op, panem_error *err)
{
    return pn_trace_loop_next(user, op, err);
}

panem_status pn_sim_cores_open(pn_sim_cores *out, const pn_core_config *config, uint32_t count,
                               const pn_sim_cores_spec *spec, pn_mem_port *port, panem_error *err)
{
    pn_sim_cores s;
    memset(&s, 0, sizeof s);
    PN_TRY(pn_cores_create(&s.cores, config, count, port, err));
    panem_status status = PANEM_OK;
    for (uint32_t i = 0; status == PANEM_OK && i < count; i++) {
        status = pn_trace_loop_open(&s.traces[i], spec->trace_paths[i % spec->trace_count],
                                    &spec->input, spec->loop, spec->stagger * i, err);
        s.count = i + 1;
    }
    if (status != PANEM_OK) {
        pn_sim_cores_close(&s);
        return status;
    }
    *out = s;
    return PANEM_OK;
}

panem_status pn_sim_cores_run(pn_sim_cores *s, const pn_core_run *run, panem_error *err)
{
    pn_op_source sources[PN_CORES_MAX];
    for (uint32_t i = 0; i < s->count; i++)
        sources[i] = (pn_op_source){next_op, s->traces[i]};
    return pn_cores_run(s->cores, s->results, sources, run, err);
}

void pn_sim_cores_close(pn_sim_cores *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        pn_trace_loop_close(s->traces[i]);
    pn_cores_destroy(s->cores);
    memset(s, 0, sizeof *s);
}
