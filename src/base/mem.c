/* mem.c - see mem.h. */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void *default_alloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void default_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

const panem_allocator pn_mem_default = {default_alloc, default_release, NULL};

static size_t bytes_of(size_t count, size_t size)
{
    return count ? count * size : size;
}

void *pn_mem_alloc(const panem_allocator *allocator, size_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size)
        return NULL;
    void *memory = allocator->alloc(allocator->user, bytes_of(count, size));
    if (memory)
        memset(memory, 0, bytes_of(count, size));
    return memory;
}

void pn_mem_release(const panem_allocator *allocator, void *memory, size_t count, size_t size)
{
    if (memory)
        allocator->release(allocator->user, memory, bytes_of(count, size));
}

void *pn_mem_grow(const panem_allocator *allocator, void *memory, size_t old_count,
                  size_t new_count, size_t size)
{
    void *larger = pn_mem_alloc(allocator, new_count, size);
    if (!larger)
        return NULL;
    if (memory)
        memcpy(larger, memory, old_count * size);
    pn_mem_release(allocator, memory, old_count, size);
    return larger;
}
