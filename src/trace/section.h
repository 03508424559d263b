/* section.h - the frame of a .ptrace file: header, sections, footer. Private to trace.
 *
 * A section is a 32-byte header and one zstd frame; docs/formats/ptrace.md has the bytes. */
#ifndef PN_TRACE_SECTION_H
#define PN_TRACE_SECTION_H

#include <xxhash.h>
#include <zstd.h>

#include "trace/bytes.h"
#include "trace/source.h"

enum {
    PN_PTRACE_HEADER_BYTES = 16,
    PN_SECTION_HEADER_BYTES = 32,
    PN_PTRACE_FOOTER_BYTES = 16,
    PN_SECTION_MAX_BYTES = 1 << 26, /* raw payload; a larger one is refused as damage */
    PN_ZSTD_LEVEL = 3
};

#define PN_FOURCC(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define PN_SECTION_META PN_FOURCC('M', 'E', 'T', 'A')
#define PN_SECTION_INST PN_FOURCC('I', 'N', 'S', 'T')
#define PN_SECTION_BLOCK PN_FOURCC('B', 'L', 'O', 'K')
#define PN_SECTION_EXEC PN_FOURCC('E', 'X', 'E', 'C')
#define PN_SECTION_MEMORY PN_FOURCC('M', 'E', 'M', 'S')
#define PN_SECTION_DONE PN_FOURCC('D', 'O', 'N', 'E')
#define PN_SECTION_INDEX PN_FOURCC('I', 'N', 'D', 'X')

extern const uint8_t pn_ptrace_magic[8];
extern const uint8_t pn_ptrace_end_magic[8];

typedef struct pn_section {
    uint32_t type, thread;
    uint32_t stored_bytes, raw_bytes;
    uint64_t count;  /* what the type counts: instructions of EXEC, entries of the others */
    uint64_t offset; /* of its header in the file */
} pn_section;

/* ---- out ------------------------------------------------------------------------------------- */

typedef struct pn_section_writer {
    pn_writer *file;
    ZSTD_CCtx *zstd;
    XXH64_state_t *hash; /* over type, thread and raw payload of every content section */
    pn_bytes packed;
    pn_section *sections; /* all written so far, for the index */
    size_t n_sections, sections_capacity;
    uint64_t offset;
} pn_section_writer;

panem_status pn_section_writer_open(pn_section_writer *s, const char *path, panem_error *err);
/* Compresses and writes one section. E_NOMEM. A failed write is reported by commit. */
panem_status pn_section_write(pn_section_writer *s, uint32_t type, uint32_t thread, uint64_t count,
                              const pn_bytes *payload);
/* Writes the footer and makes the file appear; releases in any case. */
panem_status pn_section_writer_commit(pn_section_writer *s, uint64_t index_offset,
                                      panem_error *err);
void pn_section_writer_release(pn_section_writer *s);

/* ---- in -------------------------------------------------------------------------------------- */

typedef struct pn_section_reader {
    pn_source source;
    ZSTD_DCtx *zstd;
    pn_bytes packed;
    uint64_t offset;
    bool cut; /* the last failure was that the data ended */
    pn_section current;
    uint32_t stored_check; /* XXH32 the header gives for the stored payload */
} pn_section_reader;

/* Takes the source over and checks the file header. E_FORMAT when it is not ours, E_VERSION. */
panem_status pn_section_reader_open(pn_section_reader *s, pn_source *source, panem_error *err);
/* The next section's header into s->current; E_DAMAGED at the end of the data (a good file ends
 * with DONE, after which nobody asks). */
panem_status pn_section_next(pn_section_reader *s, panem_error *err);
/* Its payload, decompressed and checked, with `pad` zero bytes readable behind it. */
panem_status pn_section_payload(pn_section_reader *s, pn_bytes *raw, size_t pad, panem_error *err);
panem_status pn_section_skip(pn_section_reader *s, panem_error *err);
/* Plain files only. */
panem_status pn_section_seek(pn_section_reader *s, uint64_t offset, panem_error *err);
/* The offset of the index from the footer, 0 when there is none. The place is kept. */
uint64_t pn_section_index_offset(pn_section_reader *s);
/* Up to n raw bytes behind the sections (footer, and whatever else there is). */
panem_status pn_section_raw(pn_section_reader *s, void *data, size_t *got, size_t n,
                            panem_error *err);
void pn_section_reader_close(pn_section_reader *s);
/* Four letters of a type, for messages. */
void pn_section_name(char name[5], uint32_t type);

#endif
