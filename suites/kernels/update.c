/* update - read-modify-write of random words of a table. Arguments: MEBIBYTES UPDATES. */
#include "kernel.h"

int main(int argc, char **argv)
{
    size_t words = kernel_argument(argc, argv, 1, 64) << 20 >> 3;
    uint64_t updates = kernel_argument(argc, argv, 2, 10000000), state = 1234567;
    uint64_t *table = kernel_memory(words * 8);
    for (size_t i = 0; i < words; i++)
        table[i] = i;
    for (uint64_t u = 0; u < updates; u++) {
        uint64_t r = kernel_random(&state);
        table[r % words] ^= r;
    }
    printf("%llu\n", (unsigned long long)table[words / 3]);
    return 0;
}
