/* commands.c - the one list of commands. */
#include "cli/commands.h"

const pn_command *const pn_commands[] = {
    &pn_cmd_traffic,       &pn_cmd_characterize,   &pn_cmd_judge,        &pn_cmd_run,
    &pn_cmd_curves_import, &pn_cmd_curves_check,   &pn_cmd_curves_show,  &pn_cmd_curves_merge,
    &pn_cmd_curves_scale,  &pn_cmd_dram_list,      &pn_cmd_dram_show,    &pn_cmd_trace_record,
    &pn_cmd_trace_info,    &pn_cmd_trace_head,     &pn_cmd_trace_verify, &pn_cmd_trace_convert,
    &pn_cmd_trace_slice,   &pn_cmd_trace_redecode, &pn_cmd_trace_suite,  &pn_cmd_sweep_plan,
    &pn_cmd_sweep_run,     &pn_cmd_sweep_merge,    &pn_cmd_sweep_status, &pn_cmd_sweep_export,
    &pn_cmd_query,         &pn_cmd_report,         &pn_cmd_curves_plot,  NULL,
};
