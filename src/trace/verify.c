/* verify.c - the whole-file check of .ptrace files; see ptrace.h. */
#include <inttypes.h>

#include "trace/dict.h"
#include "trace/section.h"
#include "trace/trace_priv.h"

/* Pass one: every section's frame and checksum, the content hash, the closing parts. */
static panem_status check_frames(pn_section_reader *in, XXH64_state_t *hash, uint64_t *said,
                                 uint64_t *sections, panem_error *err)
{
    pn_bytes raw = {NULL, 0, 0};
    panem_status status = PANEM_OK;
    bool done = false;
    *sections = 0;
    while (status == PANEM_OK) {
        status = pn_section_next(in, err);
        if (status == PANEM_OK)
            status = pn_section_payload(in, &raw, 0, err);
        if (status != PANEM_OK)
            break;
        ++*sections;
        uint32_t type = in->current.type;
        if (type == PN_SECTION_INDEX)
            break;
        if (done)
            status = pn_err_at(err, PANEM_E_DAMAGED, in->source.path, 0, 0,
                               "a section follows the totals at byte %" PRIu64, in->current.offset);
        if (type == PN_SECTION_DONE) {
            done = true;
            *said = raw.length >= 8 ? pn_get_le(raw.data, 8) : 0;
        } else if (type != PN_SECTION_META) {
            uint8_t head[8];
            for (unsigned i = 0; i < 4; i++) {
                head[i] = (uint8_t)(type >> (8 * i));
                head[4 + i] = (uint8_t)(in->current.thread >> (8 * i));
            }
            (void)XXH64_update(hash, head, sizeof head);
            (void)XXH64_update(hash, raw.data, raw.length);
        }
    }
    pn_bytes_release(&raw);
    if (status == PANEM_OK && !done)
        status = pn_err_at(err, PANEM_E_DAMAGED, in->source.path, 0, 0,
                           "the totals are missing at byte %" PRIu64, in->offset);
    return status;
}

static panem_status check_footer(pn_section_reader *in, panem_error *err)
{
    uint8_t footer[PN_PTRACE_FOOTER_BYTES + 1];
    uint64_t index = in->current.offset, at = in->offset;
    size_t got = 0;
    PN_TRY(pn_section_raw(in, footer, &got, sizeof footer, err));
    if (got < PN_PTRACE_FOOTER_BYTES || memcmp(footer + 8, pn_ptrace_end_magic, 8) != 0 ||
        pn_get_le(footer, 8) != index)
        return pn_err_at(err, PANEM_E_DAMAGED, in->source.path, 0, 0,
                         "the footer at byte %" PRIu64 " is missing or damaged", at);
    if (got > PN_PTRACE_FOOTER_BYTES)
        return pn_err_at(err, PANEM_E_DAMAGED, in->source.path, 0, 0,
                         "bytes follow the end of the trace at byte %" PRIu64,
                         at + PN_PTRACE_FOOTER_BYTES);
    return PANEM_OK;
}

static panem_status frames(const char *path, pn_text *report, panem_error *err)
{
    pn_source source;
    pn_section_reader in;
    uint64_t said = 0, sections = 0;
    PN_TRY(pn_source_open(&source, path, err));
    PN_TRY(pn_section_reader_open(&in, &source, err));
    XXH64_state_t *hash = XXH64_createState();
    panem_status status = PANEM_E_NOMEM;
    if (hash) {
        (void)XXH64_reset(hash, 0);
        status = check_frames(&in, hash, &said, &sections, err);
    }
    if (status == PANEM_OK && XXH64_digest(hash) != said)
        status = pn_err_at(err, PANEM_E_DAMAGED, path, 0, 0,
                           "the content hash is %016" PRIx64 ", the file says %016" PRIx64,
                           XXH64_digest(hash), said);
    if (status == PANEM_OK)
        status = check_footer(&in, err);
    if (status == PANEM_OK)
        pn_text_printf(report, "%" PRIu64 " sections, content hash %016" PRIx64 "\n", sections,
                       said);
    (void)XXH64_freeState(hash);
    pn_section_reader_close(&in);
    return status;
}

static panem_status disagree(const char *path, panem_error *err, const char *what, uint64_t found,
                             uint64_t said)
{
    if (found == said)
        return PANEM_OK;
    return pn_err_at(err, PANEM_E_DAMAGED, path, 0, 0, "%s: %" PRIu64 " found, %" PRIu64 " said",
                     what, found, said);
}

/* Pass two, per stream: expand everything and recount. */
static panem_status recount(const char *path, const pn_trace_thread *said, pn_text *report,
                            panem_error *err)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    options.format = PN_TRACE_FORMAT_PTRACE;
    options.thread = said->id;
    pn_trace *trace = NULL;
    pn_trace_thread found = {said->id, 0, 0, 0, 0};
    PN_TRY(pn_trace_open(&trace, path, &options, err));
    panem_status status = PANEM_OK;
    for (;;) {
        pn_batch batch;
        status = pn_trace_next(trace, &batch, err);
        if (status != PANEM_OK || batch.n_ops == 0)
            break;
        for (size_t i = 0; i < batch.n_ops; i++) {
            const pn_op *op = &batch.ops[i];
            found.instructions += !(op->flags & PN_OP_CONTINUES);
            for (unsigned k = 0; k < op->n_accesses; k++) {
                found.writes += op->accesses[k].write;
                found.reads += !op->accesses[k].write;
            }
        }
    }
    pn_trace_close(trace);
    PN_TRY(status);
    PN_TRY(disagree(path, err, "instructions", found.instructions, said->instructions));
    PN_TRY(disagree(path, err, "reads", found.reads, said->reads));
    PN_TRY(disagree(path, err, "writes", found.writes, said->writes));
    pn_text_printf(report,
                   "thread %u: %" PRIu64 " instructions, %" PRIu64 " reads, %" PRIu64 " writes\n",
                   said->id, found.instructions, found.reads, found.writes);
    return PANEM_OK;
}

static panem_status recount_records(pn_trace *trace, const char *path, pn_text *report,
                                    panem_error *err)
{
    enum { CHUNK = 512 };
    pn_mem_record records[CHUNK];
    uint64_t found = 0;
    size_t n = 0;
    do {
        PN_TRY(pn_trace_next_mem(trace, records, &n, CHUNK, err));
        found += n;
    } while (n);
    PN_TRY(disagree(path, err, "records", found, pn_trace_about(trace)->records));
    pn_text_printf(report, "%" PRIu64 " memory records\n", found);
    return PANEM_OK;
}

panem_status pn_ptrace_verify(const char *path, pn_text *report, panem_error *err)
{
    PN_TRY(frames(path, report, err));
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    options.format = PN_TRACE_FORMAT_PTRACE;
    pn_trace *trace = NULL;
    PN_TRY(pn_trace_open(&trace, path, &options, err));
    const pn_trace_info *info = pn_trace_about(trace);
    panem_status status = PANEM_OK;
    if (info->kind == PN_TRACE_MEMORY)
        status = recount_records(trace, path, report, err);
    for (size_t i = 0; i < info->n_threads && status == PANEM_OK; i++)
        status = recount(path, &info->threads[i], report, err);
    pn_trace_close(trace);
    return status;
}
