/* source.h - the bytes of a trace: a plain file that can seek, or any stream, with a look ahead.
 * Private to trace. */
#ifndef PN_TRACE_SOURCE_H
#define PN_TRACE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/file.h"

enum { PN_SOURCE_HEAD_BYTES = 1 << 14 };

typedef struct pn_source {
    char *path;
    FILE *file;        /* a plain .ptrace */
    pn_reader *stream; /* anything else, decompressed */
    uint8_t *head;     /* the first bytes; read again before the rest of stream */
    size_t head_bytes, head_used;
    panem_error late; /* a failure met while filling head; told behind it */
    bool cut;         /* the last failure was a compressed stream that ended early */
} pn_source;

/* Opens and fills head. E_IO, E_DAMAGED, E_FORMAT (tar), E_NOMEM. */
panem_status pn_source_open(pn_source *s, const char *path, panem_error *err);
/* Fills data unless the input ends. On failure *got bytes were good. */
panem_status pn_source_read(pn_source *s, void *data, size_t *got, size_t n, panem_error *err);
void pn_source_close(pn_source *s);

#endif
