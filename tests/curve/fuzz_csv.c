/* Fuzz target: our own curve CSV. Whatever the bytes, panem_curves_parse answers, and a set that
 * was made answers finite and ordered. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <panem.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const panem_curves *set)
{
    const double loads[] = {0.0, 1.0, 1e3, 1e5, 1e9};
    for (int r = 0; r <= 4; r++) {
        uint64_t before = 0;
        double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, r / 4.0);
        if (!isfinite(peak) || peak <= 0.0)
            abort();
        for (int i = 0; i < 5; i++) {
            uint64_t ps = panem_latency_ps(set, NULL, loads[i], r / 4.0);
            if (ps < before)
                abort();
            before = ps;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    panem_curves *set = NULL;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = panem_curves_parse(&set, (const char *)data, size, "fuzz", NULL, &err);
    if (status == PANEM_OK)
        use(set);
    else if (set || err.status != status || err.message[0] == '\0')
        abort();
    panem_curves_destroy(set);
    return 0;
}
