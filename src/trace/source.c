/* source.c - see source.h. */
#include "trace/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/section.h"

/* A regular file that starts with our magic is read directly, so that it can seek. */
static void open_plain(pn_source *s)
{
    struct stat st;
    if (strcmp(s->path, "-") == 0 || stat(s->path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    s->file = fopen(s->path, "rb");
    if (!s->file)
        return;
    s->head_bytes = fread(s->head, 1, PN_SOURCE_HEAD_BYTES, s->file);
    if (s->head_bytes >= 8 && memcmp(s->head, pn_ptrace_magic, 8) == 0) {
        rewind(s->file);
        return;
    }
    (void)fclose(s->file);
    s->file = NULL;
}

panem_status pn_source_open(pn_source *s, const char *path, panem_error *err)
{
    memset(s, 0, sizeof *s);
    s->path = strdup(path);
    s->head = malloc(PN_SOURCE_HEAD_BYTES);
    panem_status status = PANEM_OK;
    if (!s->path || !s->head)
        status = pn_err(err, PANEM_E_NOMEM, "no memory to open '%s'", path);
    if (status == PANEM_OK)
        open_plain(s);
    if (status == PANEM_OK && !s->file)
        status = pn_reader_open(&s->stream, path, err);
    if (s->stream) {
        s->head_bytes = 0;
        size_t got = 1;
        while (got && s->head_bytes < PN_SOURCE_HEAD_BYTES &&
               pn_reader_read(s->stream, s->head + s->head_bytes, &got,
                              PN_SOURCE_HEAD_BYTES - s->head_bytes, &s->late) == PANEM_OK)
            s->head_bytes += got;
    }
    if (status != PANEM_OK)
        pn_source_close(s);
    return status;
}

/* From *got on. */
static panem_status read_stream(pn_source *s, void *data, size_t *got, size_t n, panem_error *err)
{
    while (*got < n) {
        size_t more = 0;
        panem_status status = pn_reader_read(s->stream, (char *)data + *got, &more, n - *got, err);
        s->cut = status == PANEM_E_DAMAGED;
        PN_TRY(status);
        if (more == 0)
            break;
        *got += more;
    }
    return PANEM_OK;
}

panem_status pn_source_read(pn_source *s, void *data, size_t *got, size_t n, panem_error *err)
{
    if (s->file) {
        *got = fread(data, 1, n, s->file);
        if (*got < n && ferror(s->file))
            return pn_err_at(err, PANEM_E_IO, s->path, 0, 0, "cannot read");
        return PANEM_OK;
    }
    size_t have = s->head_bytes - s->head_used;
    if (have > n)
        have = n;
    memcpy(data, s->head + s->head_used, have);
    s->head_used += have;
    *got = have;
    if (have == n)
        return PANEM_OK;
    if (s->late.status != PANEM_OK) {
        if (err && err->status == PANEM_OK)
            *err = s->late;
        s->cut = s->late.status == PANEM_E_DAMAGED;
        return s->late.status;
    }
    return read_stream(s, data, got, n, err);
}

void pn_source_close(pn_source *s)
{
    if (s->file)
        (void)fclose(s->file);
    pn_reader_close(s->stream);
    free(s->path);
    free(s->head);
    memset(s, 0, sizeof *s);
}
