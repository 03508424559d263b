/* section.c - see section.h. */
#include "trace/section.h"

#include <inttypes.h>

#include "trace/ptrace.h"

/* As PNG does it: a byte above 127, both line ends and a text end show transfers as text. */
const uint8_t pn_ptrace_magic[8] = {0x89, 'P', 'T', 'R', '\r', '\n', 0x1a, '\n'};
const uint8_t pn_ptrace_end_magic[8] = {'P', 'T', 'R', 'E', 'N', 'D', '\r', '\n'};

static const uint32_t check_seed = 0;

void pn_section_name(char name[5], uint32_t type)
{
    for (int i = 0; i < 4; i++) {
        uint8_t c = (uint8_t)(type >> (8 * i));
        name[i] = (char)(c > 32 && c < 127 ? c : '?');
    }
    name[4] = '\0';
}

/* ---- out ------------------------------------------------------------------------------------- */

static void put(pn_section_writer *s, const void *data, size_t length)
{
    pn_writer_add(s->file, data, length);
    s->offset += length;
}

panem_status pn_section_writer_open(pn_section_writer *s, const char *path, panem_error *err)
{
    memset(s, 0, sizeof *s);
    s->zstd = ZSTD_createCCtx();
    s->hash = XXH64_createState();
    if (!s->zstd || !s->hash) {
        pn_section_writer_release(s);
        return pn_err(err, PANEM_E_NOMEM, "no memory to write '%s'", path);
    }
    (void)XXH64_reset(s->hash, 0);
    (void)ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, PN_ZSTD_LEVEL);
    (void)ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
    panem_status status = pn_writer_open(&s->file, path, err);
    if (status != PANEM_OK) {
        pn_section_writer_release(s);
        return status;
    }
    uint8_t header[PN_PTRACE_HEADER_BYTES];
    memcpy(header, pn_ptrace_magic, 8);
    for (unsigned i = 0; i < 4; i++)
        header[8 + i] = (uint8_t)((uint32_t)PN_PTRACE_VERSION >> (8 * i));
    uint32_t check = XXH32(header, 12, check_seed);
    for (unsigned i = 0; i < 4; i++)
        header[12 + i] = (uint8_t)(check >> (8 * i));
    put(s, header, sizeof header);
    return PANEM_OK;
}

static bool remember(pn_section_writer *s, const pn_section *section)
{
    if (s->n_sections == s->sections_capacity) {
        size_t capacity = s->sections_capacity ? s->sections_capacity * 2 : 64;
        pn_section *more = realloc(s->sections, capacity * sizeof *more);
        if (!more)
            return false;
        s->sections = more;
        s->sections_capacity = capacity;
    }
    s->sections[s->n_sections++] = *section;
    return true;
}

panem_status pn_section_write(pn_section_writer *s, uint32_t type, uint32_t thread, uint64_t count,
                              const pn_bytes *payload)
{
    size_t bound = ZSTD_compressBound(payload->length);
    s->packed.length = 0;
    if (payload->length > PN_SECTION_MAX_BYTES || !pn_bytes_reserve(&s->packed, bound))
        return PANEM_E_NOMEM;
    size_t stored = ZSTD_compress2(s->zstd, s->packed.data, bound, payload->data, payload->length);
    if (ZSTD_isError(stored))
        return PANEM_E_NOMEM;
    uint8_t storage[PN_SECTION_HEADER_BYTES];
    pn_bytes header = {storage, 0, sizeof storage};
    pn_put_le(&header, type, 4);
    pn_put_le(&header, thread, 4);
    pn_put_le(&header, stored, 4);
    pn_put_le(&header, payload->length, 4);
    pn_put_le(&header, count, 8);
    pn_put_le(&header, XXH32(s->packed.data, stored, check_seed), 4);
    pn_put_le(&header, XXH32(storage, header.length, check_seed), 4);
    if (type != PN_SECTION_META && type != PN_SECTION_DONE && type != PN_SECTION_INDEX) {
        (void)XXH64_update(s->hash, storage, 8);
        (void)XXH64_update(s->hash, payload->data, payload->length);
    }
    pn_section section = {type,  thread,   (uint32_t)stored, (uint32_t)payload->length,
                          count, s->offset};
    if (!remember(s, &section))
        return PANEM_E_NOMEM;
    put(s, storage, header.length);
    put(s, s->packed.data, stored);
    return PANEM_OK;
}

panem_status pn_section_writer_commit(pn_section_writer *s, uint64_t index_offset, panem_error *err)
{
    uint8_t storage[PN_PTRACE_FOOTER_BYTES];
    pn_bytes footer = {storage, 0, sizeof storage};
    pn_put_le(&footer, index_offset, 8);
    memcpy(storage + 8, pn_ptrace_end_magic, 8);
    put(s, storage, sizeof storage);
    panem_status status = pn_writer_commit(s->file, err);
    s->file = NULL;
    pn_section_writer_release(s);
    return status;
}

void pn_section_writer_release(pn_section_writer *s)
{
    pn_writer_abort(s->file);
    (void)ZSTD_freeCCtx(s->zstd);
    (void)XXH64_freeState(s->hash);
    pn_bytes_release(&s->packed);
    free(s->sections);
    memset(s, 0, sizeof *s);
}

/* ---- in -------------------------------------------------------------------------------------- */

panem_status pn_section_raw(pn_section_reader *s, void *data, size_t *got, size_t n,
                            panem_error *err)
{
    size_t have = 0;
    panem_status status = pn_source_read(&s->source, data, &have, n, err);
    s->cut = status != PANEM_OK && s->source.cut;
    PN_TRY(status);
    s->offset += have;
    *got = have;
    return PANEM_OK;
}

static panem_status read_all(pn_section_reader *s, void *data, size_t n, const char *what,
                             panem_error *err)
{
    size_t got = 0;
    PN_TRY(pn_section_raw(s, data, &got, n, err));
    if (got == n)
        return PANEM_OK;
    s->cut = true;
    return pn_err_at(err, PANEM_E_DAMAGED, s->source.path, 0, 0,
                     "the file is cut short at byte %" PRIu64 ", within %s", s->offset, what);
}

static panem_status check_header(pn_section_reader *s, panem_error *err)
{
    uint8_t h[PN_PTRACE_HEADER_BYTES];
    size_t got = 0;
    PN_TRY(pn_section_raw(s, h, &got, sizeof h, err));
    if (got == 0)
        return pn_err_at(err, PANEM_E_EMPTY, s->source.path, 0, 0, "the file is empty");
    if (got < sizeof h || memcmp(h, pn_ptrace_magic, 8) != 0)
        return pn_err_at(err, PANEM_E_FORMAT, s->source.path, 0, 0, "is not a .ptrace file");
    if (XXH32(h, 12, check_seed) != pn_get_le(h + 12, 4))
        return pn_err_at(err, PANEM_E_DAMAGED, s->source.path, 0, 0, "the file header is damaged");
    unsigned version = (unsigned)pn_get_le(h + 8, 4);
    if (version != PN_PTRACE_VERSION)
        return pn_err_at(err, PANEM_E_VERSION, s->source.path, 0, 0,
                         "is .ptrace version %u; this program reads version %d", version,
                         PN_PTRACE_VERSION);
    return PANEM_OK;
}

panem_status pn_section_reader_open(pn_section_reader *s, pn_source *source, panem_error *err)
{
    memset(s, 0, sizeof *s);
    s->source = *source;
    memset(source, 0, sizeof *source);
    s->zstd = ZSTD_createDCtx();
    panem_status status =
        s->zstd ? check_header(s, err) : pn_err(err, PANEM_E_NOMEM, "no memory to read a trace");
    if (status != PANEM_OK)
        pn_section_reader_close(s);
    return status;
}

static bool known_type(uint32_t type)
{
    return type == PN_SECTION_META || type == PN_SECTION_INST || type == PN_SECTION_BLOCK ||
           type == PN_SECTION_EXEC || type == PN_SECTION_MEMORY || type == PN_SECTION_DONE ||
           type == PN_SECTION_INDEX;
}

panem_status pn_section_next(pn_section_reader *s, panem_error *err)
{
    uint8_t h[PN_SECTION_HEADER_BYTES];
    uint64_t offset = s->offset;
    PN_TRY(read_all(s, h, sizeof h, "a section header", err));
    pn_section section = {(uint32_t)pn_get_le(h, 4),     (uint32_t)pn_get_le(h + 4, 4),
                          (uint32_t)pn_get_le(h + 8, 4), (uint32_t)pn_get_le(h + 12, 4),
                          pn_get_le(h + 16, 8),          offset};
    if (XXH32(h, 28, check_seed) != pn_get_le(h + 28, 4) || !known_type(section.type))
        return pn_err_at(err, PANEM_E_DAMAGED, s->source.path, 0, 0,
                         "the section header at byte %" PRIu64 " is damaged", offset);
    if (section.raw_bytes > PN_SECTION_MAX_BYTES ||
        section.stored_bytes > PN_SECTION_MAX_BYTES * 2u)
        return pn_err_at(err, PANEM_E_DAMAGED, s->source.path, 0, 0,
                         "the section at byte %" PRIu64 " claims %u bytes", offset,
                         section.raw_bytes);
    s->current = section;
    s->stored_check = (uint32_t)pn_get_le(h + 24, 4);
    return PANEM_OK;
}

/* Storage grows with what is really there: a damaged length cannot ask for more than twice that. */
static panem_status read_packed(pn_section_reader *s, const char *name, panem_error *err)
{
    size_t left = s->current.stored_bytes;
    s->packed.length = 0;
    while (left > 0) {
        size_t part = left < (1u << 20) ? left : (1u << 20);
        if (!pn_bytes_reserve(&s->packed, part))
            return pn_err(err, PANEM_E_NOMEM, "no memory for a section");
        PN_TRY(read_all(s, s->packed.data + s->packed.length, part, name, err));
        s->packed.length += part;
        left -= part;
    }
    return PANEM_OK;
}

panem_status pn_section_payload(pn_section_reader *s, pn_bytes *raw, size_t pad, panem_error *err)
{
    char name[5];
    pn_section_name(name, s->current.type);
    PN_TRY(read_packed(s, name, err));
    if (XXH32(s->packed.data, s->packed.length, check_seed) != s->stored_check)
        return pn_err_at(err, PANEM_E_DAMAGED, s->source.path, 0, 0,
                         "the %s section at byte %" PRIu64 " is damaged: its checksum differs",
                         name, s->current.offset);
    size_t bytes = s->current.raw_bytes;
    unsigned long long said = ZSTD_getFrameContentSize(s->packed.data, s->packed.length);
    if (said != bytes)
        return pn_err_at(err, PANEM_E_DAMAGED, s->source.path, 0, 0,
                         "the %s section at byte %" PRIu64 " is damaged: its size is contradictory",
                         name, s->current.offset);
    raw->length = 0;
    if (!pn_bytes_reserve(raw, bytes + pad + 1))
        return pn_err(err, PANEM_E_NOMEM, "no memory for a section");
    size_t got = ZSTD_decompressDCtx(s->zstd, raw->data, bytes, s->packed.data, s->packed.length);
    if (ZSTD_isError(got) || got != bytes)
        return pn_err_at(err, PANEM_E_DAMAGED, s->source.path, 0, 0,
                         "the %s section at byte %" PRIu64 " is damaged: %s", name,
                         s->current.offset,
                         ZSTD_isError(got) ? ZSTD_getErrorName(got) : "short content");
    memset(raw->data + bytes, 0, pad + 1);
    raw->length = bytes;
    return PANEM_OK;
}

panem_status pn_section_skip(pn_section_reader *s, panem_error *err)
{
    if (s->source.file)
        return pn_section_seek(s, s->offset + s->current.stored_bytes, err);
    return read_packed(s, "a section", err);
}

panem_status pn_section_seek(pn_section_reader *s, uint64_t offset, panem_error *err)
{
    if (!s->source.file || offset > INT64_MAX ||
        fseeko(s->source.file, (off_t)offset, SEEK_SET) != 0)
        return pn_err_at(err, PANEM_E_IO, s->source.path, 0, 0, "cannot seek");
    s->offset = offset;
    return PANEM_OK;
}

uint64_t pn_section_index_offset(pn_section_reader *s)
{
    uint8_t footer[PN_PTRACE_FOOTER_BYTES];
    uint64_t offset = 0;
    if (!s->source.file)
        return 0;
    if (fseeko(s->source.file, -(off_t)sizeof footer, SEEK_END) == 0 &&
        fread(footer, 1, sizeof footer, s->source.file) == sizeof footer &&
        memcmp(footer + 8, pn_ptrace_end_magic, 8) == 0)
        offset = pn_get_le(footer, 8);
    (void)fseeko(s->source.file, (off_t)s->offset, SEEK_SET);
    return offset;
}

void pn_section_reader_close(pn_section_reader *s)
{
    pn_source_close(&s->source);
    (void)ZSTD_freeDCtx(s->zstd);
    pn_bytes_release(&s->packed);
    memset(s, 0, sizeof *s);
}
