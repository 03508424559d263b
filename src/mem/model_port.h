/* model_port.h - a panem.h model behind the memory port. */
#ifndef PN_MEM_MODEL_PORT_H
#define PN_MEM_MODEL_PORT_H

#include "mem/port.h"

/* Wraps a model in ordered time mode, which the port owns from then on (also on failure).
 * in_flight_max bounds the requests between acceptance and response; above it submit answers BUSY.
 * name is borrowed. E_NOMEM. */
panem_status pn_model_port_create(pn_mem_port **port, panem_model *model, const char *name,
                                  bool posted_writes, uint32_t in_flight_max, panem_error *err);

/* The model behind, for its statistics and observer. */
panem_model *pn_model_port_model(pn_mem_port *port);

#endif
