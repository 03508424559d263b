/* loop.h - an instruction trace that never ends: it begins again after so many instructions, and
 * may be entered in the middle.
 *
 * One op at a time. What an op points to is valid until the next call. A loop belongs to one thread
 * and owns its trace; the path is borrowed. */
#ifndef PN_TRACE_LOOP_H
#define PN_TRACE_LOOP_H

#include "trace/trace.h"

typedef struct pn_trace_loop pn_trace_loop;

/* length: instructions of one round, 0: the whole trace; start: instructions passed over first,
 * round and round. Standard input cannot begin again: E_ARG. Else pn_trace_open's errors. */
panem_status pn_trace_loop_open(pn_trace_loop **loop, const char *path,
                                const pn_trace_options *options, uint64_t length, uint64_t start,
                                panem_error *err);
/* E_EMPTY when a round has no instruction; the trace's errors. */
panem_status pn_trace_loop_next(pn_trace_loop *loop, const pn_op **op, panem_error *err);
/* Times it has begun again. */
uint64_t pn_trace_loop_rounds(const pn_trace_loop *loop);
const pn_trace *pn_trace_loop_trace(const pn_trace_loop *loop);
void pn_trace_loop_close(pn_trace_loop *loop);

#endif
