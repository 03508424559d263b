/* hash.c - see hash.h. */
#include "base/hash.h"

#include <string.h>

static const uint64_t FNV_PRIME = UINT64_C(0x100000001b3);

uint64_t pn_hash_bytes(uint64_t hash, const void *data, size_t length)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ p[i]) * FNV_PRIME;
    return hash;
}

uint64_t pn_hash_u64(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ ((value >> (8 * i)) & 0xff)) * FNV_PRIME;
    return hash;
}

uint64_t pn_hash_double(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return pn_hash_u64(hash, bits);
}
