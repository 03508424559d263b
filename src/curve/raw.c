/* raw.c - see raw.h. */
#include "curve/raw.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

void pn_rawset_init(pn_rawset *set, const panem_allocator *allocator)
{
    memset(set, 0, sizeof *set);
    set->allocator = allocator ? *allocator : pn_mem_default;
    set->order = PANEM_ORDER_AUTO;
}

static void drop_string(pn_rawset *set, char *string)
{
    if (string)
        pn_mem_release(&set->allocator, string, strlen(string) + 1, 1);
}

void pn_rawset_release(pn_rawset *set)
{
    for (uint32_t i = 0; i < set->file_count; i++)
        drop_string(set, set->files[i]);
    for (uint32_t i = 0; i < set->meta_count; i++) {
        drop_string(set, set->meta[i].key);
        drop_string(set, set->meta[i].value);
    }
    if (set->points)
        pn_mem_release(&set->allocator, set->points, set->capacity, sizeof *set->points);
    if (set->files)
        pn_mem_release(&set->allocator, set->files, set->file_capacity, sizeof *set->files);
    if (set->meta)
        pn_mem_release(&set->allocator, set->meta, set->meta_capacity, sizeof *set->meta);
    panem_allocator allocator = set->allocator;
    pn_rawset_init(set, &allocator);
}

static panem_status no_memory(panem_error *err)
{
    return pn_err(err, PANEM_E_NOMEM, "no memory for the points of a curve set");
}

panem_status pn_rawset_add(pn_rawset *set, const pn_raw_point *point, panem_error *err)
{
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? set->capacity * 2 : 64;
        pn_raw_point *points =
            pn_mem_grow(&set->allocator, set->points, set->capacity, capacity, sizeof *points);
        if (!points)
            return no_memory(err);
        set->points = points;
        set->capacity = capacity;
    }
    set->points[set->count++] = *point;
    return PANEM_OK;
}

static char *copy_string(pn_rawset *set, const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = pn_mem_alloc(&set->allocator, size, 1);
    if (copy)
        memcpy(copy, string, size);
    return copy;
}

panem_status pn_rawset_add_file(pn_rawset *set, uint32_t *index, const char *name, panem_error *err)
{
    if (set->file_count == set->file_capacity) {
        uint32_t capacity = set->file_capacity ? set->file_capacity * 2 : 8;
        char **files =
            pn_mem_grow(&set->allocator, set->files, set->file_capacity, capacity, sizeof *files);
        if (!files)
            return no_memory(err);
        set->files = files;
        set->file_capacity = capacity;
    }
    char *copy = copy_string(set, name);
    if (!copy)
        return no_memory(err);
    *index = set->file_count;
    set->files[set->file_count++] = copy;
    return PANEM_OK;
}

static pn_raw_meta *find_meta(const pn_rawset *set, const char *key)
{
    for (uint32_t i = 0; i < set->meta_count; i++)
        if (strcmp(set->meta[i].key, key) == 0)
            return &set->meta[i];
    return NULL;
}

const char *pn_rawset_meta(const pn_rawset *set, const char *key)
{
    const pn_raw_meta *meta = find_meta(set, key);
    return meta ? meta->value : NULL;
}

static panem_status append_meta(pn_rawset *set, const char *key, char *value, panem_error *err)
{
    if (set->meta_count == set->meta_capacity) {
        uint32_t capacity = set->meta_capacity ? set->meta_capacity * 2 : 16;
        pn_raw_meta *meta =
            pn_mem_grow(&set->allocator, set->meta, set->meta_capacity, capacity, sizeof *meta);
        if (!meta)
            return no_memory(err);
        set->meta = meta;
        set->meta_capacity = capacity;
    }
    char *copy = copy_string(set, key);
    if (!copy)
        return no_memory(err);
    set->meta[set->meta_count++] = (pn_raw_meta){copy, value};
    return PANEM_OK;
}

panem_status pn_rawset_set_meta(pn_rawset *set, const char *key, const char *value,
                                panem_error *err)
{
    char *copy = copy_string(set, value);
    if (!copy)
        return no_memory(err);
    for (char *p = copy; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    pn_raw_meta *meta = find_meta(set, key);
    if (meta) {
        drop_string(set, meta->value);
        meta->value = copy;
        return PANEM_OK;
    }
    panem_status status = append_meta(set, key, copy, err);
    if (status != PANEM_OK)
        drop_string(set, copy);
    return status;
}
