/* file.h - whole files in, whole files out. Not part of libpanem.
 *
 * In: plain or compressed (gz, xz, bz2, zst, by content, through libarchive), "-" is standard
 * input; streaming with constant memory. Out: written beside the target under a temporary name and
 * renamed when whole, so nobody ever sees half a file; behind a link, the file it leads to. What is
 * no file (a device, a pipe) is written straight into; "-" is standard output. */
#ifndef PN_BASE_FILE_H
#define PN_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

typedef struct pn_reader pn_reader;

/* Opens path for reading. A tar or other archive is refused by name. E_IO, E_NOMEM. */
panem_status pn_reader_open(pn_reader **reader, const char *path, panem_error *err);
/* Up to capacity bytes; 0 bytes at the end. A truncated or damaged compressed stream is E_DAMAGED
 * with the number of bytes read before it. */
panem_status pn_reader_read(pn_reader *reader, void *buffer, size_t *length, size_t capacity,
                            panem_error *err);
/* As read, but fills the buffer unless the stream ends. */
panem_status pn_reader_fill(pn_reader *reader, void *buffer, size_t *length, size_t capacity,
                            panem_error *err);
void pn_reader_close(pn_reader *reader);

/* The whole (decompressed) content, NUL-terminated; *data is freed by the caller with free().
 * E_RANGE above limit bytes. */
panem_status pn_file_read(char **data, size_t *length, const char *path, size_t limit,
                          panem_error *err);

typedef struct pn_writer pn_writer;

/* Starts an output. Nothing appears at path before pn_writer_commit. E_IO, E_NOMEM. */
panem_status pn_writer_open(pn_writer **writer, const char *path, panem_error *err);
/* Buffered; a failure is kept and reported by commit. */
void pn_writer_add(pn_writer *writer, const void *data, size_t length);
/* The stream behind it, for libraries that want a FILE. */
FILE *pn_writer_stream(pn_writer *writer);
/* Flushes, syncs the file's data, renames, frees. On failure the temporary is removed and the
 * target is untouched: E_IO. */
panem_status pn_writer_commit(pn_writer *writer, panem_error *err);
/* Gives up: removes the temporary, frees. NULL is allowed. */
void pn_writer_abort(pn_writer *writer);

/* Makes a folder unless it is there. E_IO. */
panem_status pn_make_folder(const char *path, panem_error *err);

/* One call for a small result. */
panem_status pn_file_write(const char *path, const void *data, size_t length, panem_error *err);

#endif
