/* hash.h - a 64-bit fingerprint for identity, not for security (FNV-1a; Fowler, Noll, Vo).
 * Numbers go in as little-endian bytes, so fingerprints agree on every machine. */
#ifndef PN_BASE_HASH_H
#define PN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PN_HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t pn_hash_bytes(uint64_t hash, const void *data, size_t length);
uint64_t pn_hash_u64(uint64_t hash, uint64_t value);
/* By bit pattern: 0 and -0 differ. */
uint64_t pn_hash_double(uint64_t hash, double value);

#endif
