/* counting.c - see counting.h. A block carries its size in front of it. */
#include "counting.h"

#include <stdlib.h>
#include <string.h>

enum { FRONT_BYTES = 32 }; /* keeps the alignment of malloc */

static void *counting_alloc(void *user, size_t size)
{
    counting *c = user;
    if (++c->calls == c->fail_at)
        return NULL;
    unsigned char *block = malloc(FRONT_BYTES + size);
    if (!block)
        return NULL;
    memcpy(block, &size, sizeof size);
    memset(block + FRONT_BYTES, 0xa5, size); /* nobody may rely on zeros */
    c->live_blocks++;
    c->live_bytes += size;
    return block + FRONT_BYTES;
}

static void counting_release(void *user, void *memory, size_t size)
{
    counting *c = user;
    unsigned char *block = (unsigned char *)memory - FRONT_BYTES;
    size_t asked;
    memcpy(&asked, block, sizeof asked);
    c->wrong_sizes += asked != size;
    c->live_blocks--;
    c->live_bytes -= asked;
    free(block);
}

void counting_init(counting *c)
{
    memset(c, 0, sizeof *c);
    c->allocator = (panem_allocator){counting_alloc, counting_release, c};
}
