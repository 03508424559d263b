/* stream - copy, scale, add and triad over three arrays. Arguments: MEBIBYTES-PER-ARRAY ROUNDS. */
#include "kernel.h"

int main(int argc, char **argv)
{
    size_t n = kernel_argument(argc, argv, 1, 32) << 20 >> 3;
    uint64_t rounds = kernel_argument(argc, argv, 2, 4);
    double *a = kernel_memory(n * 8), *b = kernel_memory(n * 8), *c = kernel_memory(n * 8);
    for (size_t i = 0; i < n; i++) {
        a[i] = 1.0;
        b[i] = 2.0;
        c[i] = 0.0;
    }
    for (uint64_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < n; i++)
            c[i] = a[i];
        for (size_t i = 0; i < n; i++)
            b[i] = 3.0 * c[i];
        for (size_t i = 0; i < n; i++)
            c[i] = a[i] + b[i];
        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + 3.0 * c[i];
    }
    printf("%g\n", a[n / 2]);
    return 0;
}
