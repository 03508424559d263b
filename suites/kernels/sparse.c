/* sparse - y = A x with random columns, in compressed rows. Arguments: THOUSANDS-OF-ROWS
 * ENTRIES-PER-ROW ROUNDS. */
#include "kernel.h"

int main(int argc, char **argv)
{
    size_t n = kernel_argument(argc, argv, 1, 400) * 1000, k = kernel_argument(argc, argv, 2, 12);
    uint64_t rounds = kernel_argument(argc, argv, 3, 4), state = 99;
    uint32_t *columns = kernel_memory(n * k * 4);
    double *values = kernel_memory(n * k * 8), *x = kernel_memory(n * 8), *y = kernel_memory(n * 8);
    for (size_t i = 0; i < n * k; i++) {
        columns[i] = (uint32_t)(kernel_random(&state) % n);
        values[i] = 0.5;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0;
    for (uint64_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t e = i * k; e < (i + 1) * k; e++)
                sum += values[e] * x[columns[e]];
            y[i] = sum;
        }
        for (size_t i = 0; i < n; i++)
            x[i] = y[i] * 0.1;
    }
    printf("%g\n", x[n / 2]);
    return 0;
}
