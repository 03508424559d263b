/* mem.h - memory through the caller's allocator. */
#ifndef PN_BASE_MEM_H
#define PN_BASE_MEM_H

#include <panem.h>

/* malloc and free. */
extern const panem_allocator pn_mem_default;

/* Zeroed memory for count objects of size bytes, or NULL (also on overflow). count 0 gives a
 * block that must be released too. */
void *pn_mem_alloc(const panem_allocator *allocator, size_t count, size_t size);
/* memory may be NULL. count and size as given to pn_mem_alloc. */
void pn_mem_release(const panem_allocator *allocator, void *memory, size_t count, size_t size);
/* A larger zero-tailed copy of an array; on failure NULL and the old array stays. */
void *pn_mem_grow(const panem_allocator *allocator, void *memory, size_t old_count,
                  size_t new_count, size_t size);

#endif
