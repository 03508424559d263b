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
        panem_error late = PANEM_ERROR_INIT; /* damage shows again when it is read for real */
        s->head_bytes = 0;
        size_t got = 1;
        while (got && s->head_bytes < PN_SOURCE_HEAD_BYTES &&
               pn_reader_read(s->stream, s->head + s->head_bytes, &got,
                              PN_SOURCE_HEAD_BYTES - s->head_bytes, &late) == PANEM_OK)
            s->head_bytes += got;
    }
    if (status != PANEM_OK)
        pn_source_close(s);
    return status;
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
    size_t more = 0;
    if (have < n) {
        panem_status status = pn_reader_fill(s->stream, (char *)data + have, &more, n - have, err);
        s->cut = status == PANEM_E_DAMAGED;
        PN_TRY(status);
    }
    *got = have + more;
    return PANEM_OK;
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
