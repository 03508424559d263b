/* chase - a dependent walk through a random cycle of cache lines. Arguments: MEBIBYTES STEPS. */
#include "kernel.h"

enum { LINE_WORDS = 8 };

int main(int argc, char **argv)
{
    size_t lines = kernel_argument(argc, argv, 1, 64) << 20 >> 6;
    uint64_t steps = kernel_argument(argc, argv, 2, 20000000), state = 88172645463325252u;
    uint64_t *memory = kernel_memory(lines * 64);
    for (size_t i = 0; i < lines; i++)
        memory[i * LINE_WORDS] = i;
    for (size_t i = lines - 1; i > 0; i--) { /* Sattolo: one cycle */
        size_t j = kernel_random(&state) % i;
        uint64_t t = memory[i * LINE_WORDS];
        memory[i * LINE_WORDS] = memory[j * LINE_WORDS];
        memory[j * LINE_WORDS] = t;
    }
    uint64_t at = 0;
    for (uint64_t s = 0; s < steps; s++)
        at = memory[at * LINE_WORDS];
    printf("%llu\n", (unsigned long long)at);
    return 0;
}
