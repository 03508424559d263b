/* fuzz_payload.c - invented dictionaries and streams behind good frames and checksums: what a
 * .ptrace reader does when only the meaning is damaged. The input is cut into INST, BLOK and EXEC
 * payloads: two lengths (2 bytes each), then their bytes; the counts are the first bytes of each.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/ptrace.h"
#include "trace/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(pn_section_writer *w, uint32_t type, const uint8_t *data, size_t n)
{
    pn_bytes payload = {(uint8_t *)(uintptr_t)data + 1, n - 1, n - 1};
    (void)pn_section_write(w, type, 0, data[0], &payload);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    static const char meta[] = "isa 1\nkind 0\ntime 0\n";
    pn_section_writer w;
    size_t a = 1 + data[0] % 200u, b = 1 + data[1] % 200u;
    if (pn_section_writer_open(&w, path, NULL) != PANEM_OK)
        return;
    pn_bytes text = {(uint8_t *)(uintptr_t)meta, sizeof meta - 1, sizeof meta - 1};
    (void)pn_section_write(&w, PN_SECTION_META, 0, 1, &text);
    data += 2;
    size -= 2;
    if (a + b + 1 < size) {
        put(&w, PN_SECTION_INST, data, a);
        put(&w, PN_SECTION_BLOCK, data + a, b);
        put(&w, PN_SECTION_EXEC, data + a + b, size - a - b);
    }
    (void)pn_section_writer_commit(&w, 0, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    panem_error err = PANEM_ERROR_INIT;
    if (size < 8)
        return 0;
    (void)snprintf(path, sizeof path, "/tmp/panem-fuzz-%ld", (long)getpid());
    write_file(path, data, size);
    options.format = PN_TRACE_FORMAT_PTRACE;
    options.accept_truncated = true;
    if (pn_trace_open(&trace, path, &options, &err) == PANEM_OK) {
        pn_batch batch = {.n_ops = 1};
        uint64_t sum = 0;
        for (int i = 0; i < 1000 && batch.n_ops; i++) {
            if (pn_trace_next(trace, &batch, &err) != PANEM_OK)
                break;
            for (size_t k = 0; k < batch.n_ops; k++) {
                const pn_op *op = &batch.ops[k];
                sum += op->inst->pc + op->next_pc;
                for (unsigned m = 0; m < op->n_accesses; m++)
                    sum += op->accesses[m].address;
            }
        }
        volatile uint64_t sink = sum;
        (void)sink;
    }
    pn_trace_close(trace);
    (void)unlink(path);
    return 0;
}
