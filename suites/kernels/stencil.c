/* stencil - seven points in three dimensions, two grids. Arguments: EDGE ROUNDS. */
#include "kernel.h"

int main(int argc, char **argv)
{
    size_t n = kernel_argument(argc, argv, 1, 160), plane = n * n;
    uint64_t rounds = kernel_argument(argc, argv, 2, 3);
    double *from = kernel_memory(n * plane * 8), *to = kernel_memory(n * plane * 8);
    for (size_t i = 0; i < n * plane; i++)
        from[i] = to[i] = (double)(i % 17);
    for (uint64_t r = 0; r < rounds; r++) {
        for (size_t z = 1; z + 1 < n; z++)
            for (size_t y = 1; y + 1 < n; y++)
                for (size_t x = 1; x + 1 < n; x++) {
                    size_t i = z * plane + y * n + x;
                    to[i] = 0.4 * from[i] + 0.1 * (from[i - 1] + from[i + 1] + from[i - n] +
                                                   from[i + n] + from[i - plane] + from[i + plane]);
                }
        double *t = from;
        from = to;
        to = t;
    }
    printf("%g\n", from[n / 2 * plane + n / 2 * n + n / 2]);
    return 0;
}
