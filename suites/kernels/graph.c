/* graph - breadth-first search over a random graph with a skewed degree, in compressed rows.
 * Arguments: THOUSANDS-OF-VERTICES EDGES-PER-VERTEX SOURCES. */
#include "kernel.h"

int main(int argc, char **argv)
{
    size_t n = kernel_argument(argc, argv, 1, 500) * 1000,
           m = n * kernel_argument(argc, argv, 2, 8);
    uint64_t sources = kernel_argument(argc, argv, 3, 4), state = 42;
    uint32_t *from = kernel_memory(m * 4), *to = kernel_memory(m * 4),
             *edges = kernel_memory(m * 4);
    uint32_t *first = calloc(n + 2, 4), *level = kernel_memory(n * 4),
             *queue = kernel_memory(n * 4);
    if (!first)
        return 1;
    for (size_t e = 0; e < m; e++) {
        uint64_t r = kernel_random(&state), s = kernel_random(&state);
        from[e] = (uint32_t)(r % (s % n + 1)); /* low numbers have more */
        to[e] = (uint32_t)(kernel_random(&state) % n);
        first[from[e] + 2]++;
    }
    for (size_t v = 0; v < n; v++)
        first[v + 2] += first[v + 1];
    for (size_t e = 0; e < m; e++)
        edges[first[from[e] + 1]++] = to[e];
    uint64_t reached = 0;
    for (uint64_t s = 0; s < sources; s++) {
        size_t head = 0, tail = 0;
        for (size_t v = 0; v < n; v++)
            level[v] = UINT32_MAX;
        queue[tail++] = (uint32_t)s;
        level[s] = 0;
        while (head < tail) {
            uint32_t v = queue[head++];
            for (uint32_t e = first[v]; e < first[v + 1]; e++) {
                uint32_t w = edges[e];
                if (level[w] == UINT32_MAX) {
                    level[w] = level[v] + 1;
                    queue[tail++] = w;
                }
            }
        }
        reached += tail;
    }
    printf("%llu\n", (unsigned long long)reached);
    return 0;
}
