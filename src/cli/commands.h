/* commands.h - every command, declared once. */
#ifndef PN_CLI_COMMANDS_H
#define PN_CLI_COMMANDS_H

#include "cli/cmd.h"

extern const pn_command pn_cmd_traffic;
extern const pn_command pn_cmd_characterize;
extern const pn_command pn_cmd_judge;
extern const pn_command pn_cmd_report;
extern const pn_command pn_cmd_run;
extern const pn_command pn_cmd_verify;
extern const pn_command pn_cmd_curves_import;
extern const pn_command pn_cmd_curves_check;
extern const pn_command pn_cmd_curves_show;
extern const pn_command pn_cmd_curves_plot;
extern const pn_command pn_cmd_curves_merge;
extern const pn_command pn_cmd_curves_scale;
extern const pn_command pn_cmd_dram_list;
extern const pn_command pn_cmd_dram_show;
extern const pn_command pn_cmd_trace_record;
extern const pn_command pn_cmd_trace_info;
extern const pn_command pn_cmd_trace_head;
extern const pn_command pn_cmd_trace_verify;
extern const pn_command pn_cmd_trace_convert;
extern const pn_command pn_cmd_trace_slice;
extern const pn_command pn_cmd_trace_redecode;
extern const pn_command pn_cmd_trace_suite;
extern const pn_command pn_cmd_sweep_plan;
extern const pn_command pn_cmd_sweep_run;
extern const pn_command pn_cmd_sweep_merge;
extern const pn_command pn_cmd_sweep_status;
extern const pn_command pn_cmd_sweep_export;
extern const pn_command pn_cmd_query;

#endif
