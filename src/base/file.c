/* file.c - see file.h. */
#include "base/file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 16 };

struct pn_reader {
    struct archive *archive;
    uint64_t bytes; /* delivered so far */
    bool ended;
    char path[256];
};

/* The raw format accepts anything; tar and zip are enabled beside it only to be recognized. */
static panem_status open_archive(pn_reader *reader, const char *path, panem_error *err)
{
    struct archive *a = reader->archive;
    struct archive_entry *entry = NULL;
    /* Formats with a real signature only: lzma's is so weak that raw records pass for it. */
    (void)archive_read_support_filter_gzip(a);
    (void)archive_read_support_filter_bzip2(a);
    (void)archive_read_support_filter_xz(a);
    (void)archive_read_support_filter_zstd(a);
    (void)archive_read_support_format_raw(a);
    (void)archive_read_support_format_empty(a);
    (void)archive_read_support_format_tar(a);
    (void)archive_read_support_format_zip(a);
    const char *name = strcmp(path, "-") == 0 ? NULL : path;
    struct stat st;
    if (name && stat(name, &st) == 0 && S_ISDIR(st.st_mode))
        return pn_err_at(err, PANEM_E_IO, path, 0, 0, "is a folder, not a file");
    if (name && access(name, R_OK) != 0)
        return pn_err_at(err, PANEM_E_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    if (archive_read_open_filename(a, name, BLOCK_BYTES) != ARCHIVE_OK)
        return pn_err_at(err, PANEM_E_DAMAGED, path, 0, 0, "cannot read: %s",
                         archive_error_string(a));
    int rc = archive_read_next_header(a, &entry);
    if (rc == ARCHIVE_EOF) {
        reader->ended = true;
        return PANEM_OK;
    }
    if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
        return pn_err_at(err, archive_filter_count(a) > 1 ? PANEM_E_DAMAGED : PANEM_E_IO, path, 0,
                         0, "cannot read: %s", archive_error_string(a));
    int format = archive_format(a) & ARCHIVE_FORMAT_BASE_MASK;
    if (format == ARCHIVE_FORMAT_TAR || format == ARCHIVE_FORMAT_ZIP)
        return pn_err_at(err, PANEM_E_FORMAT, path, 0, 0,
                         "is a %s archive; unpack it and give the file inside",
                         format == ARCHIVE_FORMAT_TAR ? "tar" : "zip");
    return PANEM_OK;
}

panem_status pn_reader_open(pn_reader **reader, const char *path, panem_error *err)
{
    pn_reader *r = calloc(1, sizeof *r);
    if (!r)
        return pn_err(err, PANEM_E_NOMEM, "no memory to open '%s'", path);
    (void)snprintf(r->path, sizeof r->path, "%s", path);
    r->archive = archive_read_new();
    panem_status status = r->archive ? open_archive(r, path, err)
                                     : pn_err(err, PANEM_E_NOMEM, "no memory to open '%s'", path);
    if (status != PANEM_OK) {
        pn_reader_close(r);
        return status;
    }
    *reader = r;
    return PANEM_OK;
}

panem_status pn_reader_read(pn_reader *reader, void *buffer, size_t *length, size_t capacity,
                            panem_error *err)
{
    if (reader->ended) {
        *length = 0;
        return PANEM_OK;
    }
    la_ssize_t got = archive_read_data(reader->archive, buffer, capacity);
    if (got < 0)
        return pn_err_at(err, PANEM_E_DAMAGED, reader->path, 0, 0,
                         "unexpected end of, or damage in, the data after %llu bytes: %s",
                         (unsigned long long)reader->bytes, archive_error_string(reader->archive));
    if (got == 0)
        reader->ended = true;
    reader->bytes += (uint64_t)got;
    *length = (size_t)got;
    return PANEM_OK;
}

panem_status pn_reader_fill(pn_reader *reader, void *buffer, size_t *length, size_t capacity,
                            panem_error *err)
{
    size_t have = 0;
    while (have < capacity) {
        size_t got = 0;
        PN_TRY(pn_reader_read(reader, (char *)buffer + have, &got, capacity - have, err));
        if (got == 0)
            break;
        have += got;
    }
    *length = have;
    return PANEM_OK;
}

void pn_reader_close(pn_reader *reader)
{
    if (!reader)
        return;
    if (reader->archive)
        (void)archive_read_free(reader->archive);
    free(reader);
}

static panem_status slurp(pn_reader *reader, char **data, size_t *length, const char *path,
                          size_t limit, panem_error *err)
{
    size_t capacity = BLOCK_BYTES;
    size_t have = 0;
    char *buffer = malloc(capacity + 1);
    panem_status status =
        buffer ? PANEM_OK : pn_err(err, PANEM_E_NOMEM, "no memory for '%s'", path);
    while (status == PANEM_OK) {
        size_t got = 0;
        status = pn_reader_fill(reader, buffer + have, &got, capacity - have, err);
        have += got;
        if (status == PANEM_OK && have > limit)
            status = pn_err_at(err, PANEM_E_RANGE, path, 0, 0, "is larger than %zu bytes", limit);
        if (status != PANEM_OK || have < capacity)
            break;
        char *larger = realloc(buffer, capacity * 2 + 1);
        if (!larger) {
            status = pn_err(err, PANEM_E_NOMEM, "no memory for '%s'", path);
            break;
        }
        buffer = larger;
        capacity *= 2;
    }
    if (status != PANEM_OK) {
        free(buffer);
        return status;
    }
    buffer[have] = '\0';
    *data = buffer;
    *length = have;
    return PANEM_OK;
}

panem_status pn_file_read(char **data, size_t *length, const char *path, size_t limit,
                          panem_error *err)
{
    pn_reader *reader = NULL;
    PN_TRY(pn_reader_open(&reader, path, err));
    panem_status status = slurp(reader, data, length, path, limit, err);
    pn_reader_close(reader);
    return status;
}

struct pn_writer {
    FILE *stream;
    bool to_stdout;
    char *path;      /* what is written in the end: behind links */
    char *temporary; /* NULL: straight to path, which is no file that could be replaced */
};

static void writer_free(pn_writer *w)
{
    free(w->path);
    free(w->temporary);
    free(w);
}

/* Devices and pipes: to rename a file over /dev/null would take it from the whole machine. */
static panem_status open_straight(pn_writer *w, const char *path, panem_error *err)
{
    w->stream = fopen(w->path, "wb");
    return w->stream ? PANEM_OK
                     : pn_err_at(err, PANEM_E_IO, path, 0, 0, "cannot create: %s", strerror(errno));
}

static panem_status open_target(pn_writer *w, const char *path, panem_error *err)
{
    struct stat is;
    w->path = realpath(path, NULL); /* NULL: not there yet */
    if (!w->path)
        w->path = strdup(path);
    if (!w->path)
        return pn_err(err, PANEM_E_NOMEM, "no memory to write '%s'", path);
    if (stat(w->path, &is) == 0 && !S_ISREG(is.st_mode))
        return open_straight(w, path, err);
    size_t room = strlen(w->path) + sizeof ".XXXXXX";
    w->temporary = malloc(room);
    if (!w->temporary)
        return pn_err(err, PANEM_E_NOMEM, "no memory to write '%s'", path);
    (void)snprintf(w->temporary, room, "%s.XXXXXX", w->path);
    int fd = mkstemp(w->temporary);
    if (fd < 0)
        return pn_err_at(err, PANEM_E_IO, path, 0, 0, "cannot create: %s", strerror(errno));
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
    w->stream = fdopen(fd, "wb");
    if (!w->stream) {
        (void)close(fd);
        (void)unlink(w->temporary);
        return pn_err_at(err, PANEM_E_IO, path, 0, 0, "cannot create: %s", strerror(errno));
    }
    return PANEM_OK;
}

panem_status pn_writer_open(pn_writer **writer, const char *path, panem_error *err)
{
    pn_writer *w = calloc(1, sizeof *w);
    if (!w)
        return pn_err(err, PANEM_E_NOMEM, "no memory to write '%s'", path);
    panem_status status = PANEM_OK;
    if (strcmp(path, "-") == 0) {
        w->to_stdout = true;
        w->stream = stdout;
    } else {
        status = open_target(w, path, err);
    }
    if (status != PANEM_OK) {
        writer_free(w);
        return status;
    }
    *writer = w;
    return PANEM_OK;
}

void pn_writer_add(pn_writer *writer, const void *data, size_t length)
{
    (void)fwrite(data, 1, length, writer->stream); /* ferror keeps the failure for commit */
}

FILE *pn_writer_stream(pn_writer *writer)
{
    return writer->stream;
}

panem_status pn_writer_commit(pn_writer *writer, panem_error *err)
{
    bool good = fflush(writer->stream) == 0 && !ferror(writer->stream);
    int why = errno;
    const char *shown = writer->to_stdout ? "standard output" : writer->path;
    panem_status status = PANEM_OK;
    if (!writer->to_stdout) {
        if (good && writer->temporary && fsync(fileno(writer->stream)) != 0) {
            good = false;
            why = errno;
        }
        if (fclose(writer->stream) != 0 && good) {
            good = false;
            why = errno;
        }
        if (good && writer->temporary && rename(writer->temporary, writer->path) != 0) {
            good = false;
            why = errno;
        }
        if (!good && writer->temporary)
            (void)unlink(writer->temporary);
    }
    if (!good)
        status = pn_err_at(err, PANEM_E_IO, shown, 0, 0, "cannot write: %s", strerror(why));
    writer_free(writer);
    return status;
}

void pn_writer_abort(pn_writer *writer)
{
    if (!writer)
        return;
    if (!writer->to_stdout) {
        (void)fclose(writer->stream);
        if (writer->temporary)
            (void)unlink(writer->temporary);
    }
    writer_free(writer);
}

panem_status pn_file_write(const char *path, const void *data, size_t length, panem_error *err)
{
    pn_writer *writer = NULL;
    PN_TRY(pn_writer_open(&writer, path, err));
    pn_writer_add(writer, data, length);
    return pn_writer_commit(writer, err);
}

panem_status pn_make_folder(const char *path, panem_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return PANEM_OK;
    return pn_err_at(err, PANEM_E_IO, path, 0, 0, "cannot make the folder: %s", strerror(errno));
}
