/* fuzz_trace.c - any bytes as a trace of any format: no crash, no endless loop. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const char *path, pn_trace_format format)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    panem_error err = PANEM_ERROR_INIT;
    options.format = format;
    if (pn_trace_open(&trace, path, &options, &err) != PANEM_OK)
        return;
    pn_mem_record records[64];
    size_t n = 1;
    for (int i = 0; i < 10000 && n; i++) {
        if (pn_trace_next_mem(trace, records, &n, 64, &err) != PANEM_OK)
            break;
    }
    pn_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    int fd = memfd_create("trace", 0);
    char path[64];
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
        return 0;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_all(path, (pn_trace_format)(data[0] % PN_TRACE_FORMAT_COUNT));
    (void)close(fd);
    return 0;
}
