/* import.c - the frame around the readers: which format, which units, which label, which order.
 *
 * Interface rules: import.h. Assumes that inputs of one call are one memory system. Not here:
 * repair (curve/build.c) and the sanity of the values (lint.c). */
#include "import/import.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/num.h"
#include "base/text.h"
#include "import/format.h"

/* In the order they are tried: the ones with an unmistakable header first. */
static const pn_import_format *const FORMATS[] = {
    &pn_format_csv,    &pn_format_mess2_csv, &pn_format_multiload,
    &pn_format_mlc,    &pn_format_asct,      &pn_format_mess2_json,
    &pn_format_profet, &pn_format_mess1,     NULL};

const char *const pn_import_format_names[] = {"csv", "mess1", "mess2-csv", "mess2-json", "profet",
                                              "mlc", "asct",  "multiload", NULL};

const char *const pn_import_units[] = {"B/s",  "kB/s",  "MB/s",  "GB/s",
                                       "TB/s", "MiB/s", "GiB/s", NULL};
/* GB/s = value x mul / div. */
static const double UNIT_MUL[] = {1.0, 1.0, 1.0, 1.0, 1000.0, 1.048576, 1.073741824};
static const double UNIT_DIV[] = {1e9, 1e6, 1e3, 1.0, 1.0, 1e3, 1.0};

enum { SOURCE_MAX_BYTES = 64 << 20 };

/* What is remembered of each input file. */
struct pn_file_info {
    const pn_import_format *format;
    size_t first, end; /* its points */
    bool labels_unsure;
    bool cycles;
    double unit_mul, unit_div;
};

/* ---- for the readers ---- */

/* 1237.6 MB/s is 1.2376 GB/s, where the quotient of doubles is 1.2375999999999998: a decimal of
 * nine places that is the quotient's neighbour takes its place. */
static double to_gbs(const pn_import *import, double value)
{
    double gbs = value * import->unit_mul / import->unit_div;
    double decimal = floor(gbs * 1e9 + 0.5) / 1e9;
    return fabs(decimal - gbs) <= DBL_EPSILON * fabs(gbs) ? decimal : gbs;
}

panem_status pn_import_add(pn_import *import, double read_pct, double bandwidth, double latency,
                           double bandwidth_std, double latency_std, uint32_t line)
{
    double ghz = import->clock_ghz > 0.0 ? import->clock_ghz : 1.0;
    pn_raw_point point = {read_pct / 100.0,
                          to_gbs(import, bandwidth),
                          latency / ghz,
                          to_gbs(import, bandwidth_std),
                          latency_std / ghz,
                          import->file,
                          line};
    return pn_rawset_add(import->set, &point, import->err);
}

void pn_import_reverse(pn_import *import, size_t first)
{
    size_t count = import->set->count - first;
    pn_raw_point *p = count > 0 ? import->set->points + first : NULL;
    for (size_t i = 0; i < count / 2; i++) {
        pn_raw_point t = p[i];
        p[i] = p[count - 1 - i];
        p[count - 1 - i] = t;
    }
}

panem_status pn_import_need_read_pct(const pn_import *import, double *read_pct)
{
    if (isnan(import->options->read_pct))
        return pn_err_at(import->err, PANEM_E_ARG, import->path, 0, 0,
                         "the file does not say its read percent: give --read-pct");
    *read_pct = import->options->read_pct;
    return PANEM_OK;
}

panem_status pn_import_stated_read_pct(const pn_import *import, double read_pct)
{
    double given = import->options->read_pct;
    if (!isnan(given) && given != read_pct)
        return pn_err_at(import->err, PANEM_E_ARG, import->path, 0, 0,
                         "the file states %.6g %% reads: --read-pct %.6g contradicts it", read_pct,
                         given);
    return PANEM_OK;
}

static int find_unit(const char *name)
{
    for (int i = 0; pn_import_units[i]; i++)
        if (strcmp(pn_import_units[i], name) == 0)
            return i;
    return -1;
}

bool pn_import_set_unit(pn_import *import, const char *name)
{
    int i = find_unit(name);
    if (i < 0)
        return false;
    import->unit_mul = UNIT_MUL[i];
    import->unit_div = UNIT_DIV[i];
    return true;
}

static panem_status say(const pn_import *import, pn_severity severity, const char *file,
                        uint32_t line, const char *text)
{
    if (import->options->strict && severity == PN_REPAIR)
        return pn_err_at(import->err, PANEM_E_STRICT, file, line, 0, "%s", text);
    pn_import_note note = {severity, file, line, text};
    if (import->options->note)
        import->options->note(import->options->note_user, &note);
    return PANEM_OK;
}

panem_status pn_import_say(const pn_import *import, pn_severity severity, uint32_t line,
                           const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return say(import, severity, import->path, line, text);
}

panem_status pn_import_fault(const pn_import *import, uint32_t line, uint32_t col,
                             const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pn_err_at(import->err, PANEM_E_FORMAT, import->path, line, col, "%s", text);
}

/* ---- one text ---- */

static void list_formats(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; pn_import_format_names[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 pn_import_format_names[i]);
}

static panem_status find_format(pn_import *import, const pn_source *source)
{
    const char *name = import->options->format;
    char names[128];
    for (int i = 0; FORMATS[i]; i++) {
        bool fits = name ? strcmp(FORMATS[i]->name, name) == 0 : FORMATS[i]->recognize(source);
        if (!fits)
            continue;
        import->format = FORMATS[i];
        return PANEM_OK;
    }
    list_formats(names, sizeof names);
    if (name)
        return pn_err(import->err, PANEM_E_ARG, "--format: '%s' is not one of: %s", name, names);
    return pn_import_fault(import, 0, 0, "no known curve format; --format can name one of: %s",
                           names);
}

static panem_status choose_bandwidth_unit(pn_import *import)
{
    const pn_import_format *f = import->format;
    const char *given = import->options->bandwidth_unit;
    if (given && find_unit(given) < 0)
        return pn_err(import->err, PANEM_E_ARG,
                      "--bandwidth-unit: '%s' is not one of: B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, "
                      "GiB/s",
                      given);
    if (given && f->bandwidth_ground == PN_UNIT_STATED && strcmp(given, f->bandwidth_unit) != 0)
        return pn_err_at(import->err, PANEM_E_ARG, import->path, 0, 0,
                         "the file states %s: --bandwidth-unit %s contradicts it",
                         f->bandwidth_unit, given);
    (void)pn_import_set_unit(import, given ? given : f->bandwidth_unit);
    return PANEM_OK;
}

static panem_status choose_latency_unit(pn_import *import)
{
    const pn_import_format *f = import->format;
    pn_latency_unit given = import->options->latency_unit;
    if (given == PN_LATENCY_CYCLES && f->latency_ground == PN_UNIT_STATED)
        return pn_err_at(import->err, PANEM_E_ARG, import->path, 0, 0,
                         "the file states ns: --latency-unit cycles contradicts it");
    pn_latency_unit unit = given != PN_LATENCY_UNSAID ? given : f->latency_unit;
    if (unit == PN_LATENCY_UNSAID)
        return pn_err_at(import->err, PANEM_E_ARG, import->path, 0, 0,
                         "the file does not say the unit of its latency: give --latency-unit ns, "
                         "or --latency-unit cycles with --clock");
    if (unit == PN_LATENCY_CYCLES && !(import->options->clock_ghz > 0.0))
        return pn_err_at(import->err, PANEM_E_ARG, import->path, 0, 0,
                         "latency in cycles needs the clock they were counted with: --clock, as in "
                         "--clock 2.6GHz");
    import->clock_ghz = unit == PN_LATENCY_CYCLES ? import->options->clock_ghz : 0.0;
    return PANEM_OK;
}

static panem_status refuse_nul(const pn_import *import, const pn_source *source)
{
    const char *nul = memchr(source->text, '\0', source->length);
    uint32_t line = 1;
    if (!nul)
        return PANEM_OK;
    for (const char *p = source->text; p < nul; p++)
        line += *p == '\n';
    return pn_import_fault(import, line, 0, "a NUL byte: not a text file");
}

static panem_status remember(pn_import *import, size_t first)
{
    struct pn_file_info *infos =
        realloc(import->infos, (import->info_count + 1) * sizeof *import->infos);
    if (!infos)
        return pn_err(import->err, PANEM_E_NOMEM, "no memory for the list of files");
    import->infos = infos;
    infos[import->info_count++] =
        (struct pn_file_info){import->format,          first,
                              import->set->count,      import->labels_unsure,
                              import->clock_ghz > 0.0, import->unit_mul,
                              import->unit_div};
    return PANEM_OK;
}

static panem_status parse_text(pn_import *import, const pn_source *source)
{
    size_t first = import->set->count;
    panem_order before = import->order;
    import->path = source->path;
    import->labels_unsure = false;
    import->order = PANEM_ORDER_RISING;
    import->format = NULL;
    PN_TRY(refuse_nul(import, source));
    PN_TRY(find_format(import, source));
    if (!import->format) /* cannot be: find_format fails then; for the static analyzer */
        return PANEM_E_FORMAT;
    PN_TRY(choose_bandwidth_unit(import));
    PN_TRY(choose_latency_unit(import));
    PN_TRY(pn_rawset_add_file(import->set, &import->file, source->path, import->err));
    PN_TRY(import->format->parse(import, source));
    if (import->set->count == first)
        return pn_err_at(import->err, PANEM_E_EMPTY, source->path, 0, 0, "no point in the file");
    /* The set is in order only as far as its least ordered file. */
    if (before == PANEM_ORDER_ANY || import->order == PANEM_ORDER_ANY)
        import->order = PANEM_ORDER_ANY;
    else if (before == PANEM_ORDER_AUTO)
        import->order = PANEM_ORDER_AUTO;
    return remember(import, first);
}

static bool may_be_skipped(panem_status status)
{
    return status == PANEM_E_FORMAT || status == PANEM_E_RANGE || status == PANEM_E_EMPTY ||
           status == PANEM_E_DAMAGED;
}

/* Leaves a bad file out when that is allowed; otherwise passes the failure on. */
static panem_status skip_or_fail(pn_import *import, panem_status status, const panem_error *why,
                                 size_t first, panem_error *err)
{
    char text[400];
    import->set->count = first;
    if (!import->options->skip_bad || !may_be_skipped(status) || import->options->strict) {
        if (err && err->status == PANEM_OK)
            *err = *why;
        return status;
    }
    import->skipped = true;
    (void)snprintf(text, sizeof text, "file left out: %s", why->message);
    return say(import, PN_WARNING, why->file, why->line, text);
}

static panem_status import_text(pn_import *import, const pn_source *source)
{
    panem_error *outer = import->err;
    panem_error why = PANEM_ERROR_INIT;
    size_t first = import->set->count;
    panem_order before = import->order;
    import->err = &why;
    panem_status status = parse_text(import, source);
    import->err = outer;
    if (status == PANEM_OK)
        return PANEM_OK;
    import->order = before;
    return skip_or_fail(import, status, &why, first, outer);
}

static panem_status import_path(pn_import *import, const char *path)
{
    panem_error why = PANEM_ERROR_INIT;
    pn_source source = {path, NULL, 0};
    char *data = NULL;
    panem_status status = pn_file_read(&data, &source.length, path, SOURCE_MAX_BYTES, &why);
    if (status != PANEM_OK)
        return skip_or_fail(import, status, &why, import->set->count, import->err);
    source.text = data;
    status = import_text(import, &source);
    free(data);
    return status;
}

/* ---- folders ---- */

typedef struct name_list {
    char **names; /* whole paths */
    double *labels;
    size_t count;
} name_list;

static void names_release(name_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    free(list->labels);
}

static bool names_add(name_list *list, const char *folder, const char *name, double label)
{
    char **names = realloc(list->names, (list->count + 1) * sizeof *names);
    if (names)
        list->names = names;
    double *labels = realloc(list->labels, (list->count + 1) * sizeof *labels);
    if (labels)
        list->labels = labels;
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = names && labels ? malloc(size) : NULL;
    if (!path)
        return false;
    bool slash = folder[0] && folder[strlen(folder) - 1] == '/';
    (void)snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    size_t at = list->count++;
    /* Insertion by label, then name: the natural order, whatever the file system says. */
    while (at > 0 && (list->labels[at - 1] > label ||
                      (list->labels[at - 1] == label && strcmp(list->names[at - 1], path) > 0))) {
        list->names[at] = list->names[at - 1];
        list->labels[at] = list->labels[at - 1];
        at--;
    }
    list->names[at] = path;
    list->labels[at] = label;
    return true;
}

static panem_status list_folder(name_list *list, const char *path, panem_error *err)
{
    DIR *dir = opendir(path);
    bool good = true;
    bool curves_csv = false;
    if (!dir)
        return pn_err_at(err, PANEM_E_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    for (struct dirent *e = readdir(dir); e && good; e = readdir(dir)) {
        double label;
        if (strcmp(e->d_name, "memory_curves.csv") == 0)
            curves_csv = true;
        if (strncmp(e->d_name, "bwlat_", 6) == 0 && pn_num_parse(e->d_name + 6, &label) > 0)
            good = names_add(list, path, e->d_name, label);
    }
    (void)closedir(dir);
    if (good && list->count == 0 && curves_csv)
        good = names_add(list, path, "memory_curves.csv", 0.0);
    if (!good)
        return pn_err(err, PANEM_E_NOMEM, "no memory to list '%s'", path);
    if (list->count == 0)
        return pn_err_at(err, PANEM_E_EMPTY, path, 0, 0,
                         "the folder holds neither bwlat_<n>.txt nor memory_curves.csv: name the "
                         "files");
    return PANEM_OK;
}

static panem_status import_any(pn_import *import, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return import_path(import, path);
    name_list list = {NULL, NULL, 0};
    panem_status status = list_folder(&list, path, import->err);
    for (size_t i = 0; i < list.count && status == PANEM_OK; i++)
        status = import_path(import, list.names[i]);
    names_release(&list);
    return status;
}

/* ---- the whole set ---- */

static const struct pn_file_info *lowest_unsure_label(const pn_import *import, double *frac)
{
    const struct pn_file_info *lowest = NULL;
    for (size_t f = 0; f < import->info_count; f++) {
        const struct pn_file_info *info = &import->infos[f];
        for (size_t i = info->first; info->labels_unsure && i < info->end; i++)
            if (!lowest || import->set->points[i].read_frac < *frac) {
                lowest = info;
                *frac = import->set->points[i].read_frac;
            }
    }
    return lowest;
}

static void apply_kernel_label(pn_import *import)
{
    for (size_t f = 0; f < import->info_count; f++) {
        const struct pn_file_info *info = &import->infos[f];
        for (size_t i = info->first; info->labels_unsure && i < info->end; i++) {
            pn_raw_point *p = &import->set->points[i];
            p->read_frac = 1.0 / (2.0 - p->read_frac);
        }
    }
}

/* A pure-store kernel on a write-allocate cache still reads one line per line written: 50 %. */
static panem_status settle_labels(pn_import *import)
{
    double frac = 0.0;
    const struct pn_file_info *lowest = lowest_unsure_label(import, &frac);
    if (!lowest)
        return PANEM_OK;
    const char *file = import->set->files[import->set->points[lowest->first].file];
    if (import->options->label == PN_LABEL_KERNEL) {
        apply_kernel_label(import);
        return PANEM_OK;
    }
    if (import->options->label == PN_LABEL_UNSAID && frac < 0.5)
        return pn_err_at(import->err, PANEM_E_ARG, file, 0, 0,
                         "a label of %.6g: labels below 50 have two meanings; give --label kernel "
                         "(percent of loads in the generator's kernel) or --label traffic (percent "
                         "of reads in the traffic)",
                         frac * 100.0);
    if (import->options->label == PN_LABEL_UNSAID)
        return say(
            import, PN_WARNING, "", 0,
            "the files do not say what their labels mean; none is below 50, so they are taken "
            "as percent of reads in the traffic (--label traffic; the other is --label "
            "kernel)");
    if (frac < 0.5)
        return say(import, PN_NOTE, "", 0,
                   "traffic labels below 50: caches that allocate on writes cannot make such "
                   "traffic");
    return PANEM_OK;
}

typedef struct mark {
    double frac;
    uint32_t file;
    uint32_t line;
    bool joins; /* its file's format gives one point per file */
} mark;

static int by_frac(const void *a, const void *b)
{
    const mark *x = a;
    const mark *y = b;
    if (x->frac != y->frac)
        return x->frac < y->frac ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Two sweeps at one read fraction would be mixed into one curve: refused. */
static panem_status refuse_doubles(const pn_import *import, size_t first)
{
    const pn_rawset *set = import->set;
    size_t count = set->count - first;
    mark *marks = malloc((count ? count : 1) * sizeof *marks);
    if (!marks)
        return pn_err(import->err, PANEM_E_NOMEM, "no memory for %zu points", count);
    for (size_t f = 0; f < import->info_count; f++)
        for (size_t i = import->infos[f].first; i < import->infos[f].end; i++)
            marks[i - first] =
                (mark){set->points[i].read_frac, set->points[i].file, set->points[i].line,
                       import->infos[f].format->one_point_per_file};
    qsort(marks, count, sizeof *marks, by_frac);
    panem_status status = PANEM_OK;
    for (size_t i = 1; i < count && status == PANEM_OK; i++)
        if (marks[i].frac == marks[i - 1].frac && marks[i].file != marks[i - 1].file &&
            !(marks[i].joins && marks[i - 1].joins))
            status =
                pn_err_at(import->err, PANEM_E_FORMAT, set->files[marks[i].file], marks[i].line, 0,
                          "a second curve at %.6g %% reads, beside that of %.120s",
                          100.0 * marks[i].frac, set->files[marks[i - 1].file]);
    free(marks);
    return status;
}

static panem_status set_meta_text(pn_import *import, const char *key, pn_text *text)
{
    panem_status status = PANEM_OK;
    if (text->failed)
        status = pn_err(import->err, PANEM_E_NOMEM, "no memory for the metadata");
    else if (text->length > 0)
        status = pn_rawset_set_meta(import->set, key, text->data, import->err);
    pn_text_release(text);
    return status;
}

static const char *unit_name(const struct pn_file_info *info)
{
    for (int i = 0; pn_import_units[i]; i++)
        if (UNIT_MUL[i] == info->unit_mul && UNIT_DIV[i] == info->unit_div)
            return pn_import_units[i];
    return "?";
}

/* "mess1: MB/s, cycles at 2.1 GHz; mlc: MB/s, ns" */
static panem_status note_units(pn_import *import)
{
    pn_text text = PN_TEXT_INIT;
    for (size_t f = 0; f < import->info_count; f++) {
        const struct pn_file_info *info = &import->infos[f];
        bool seen = false;
        for (size_t k = 0; k < f; k++)
            seen |= import->infos[k].format == info->format;
        if (seen)
            continue;
        pn_text_printf(&text, "%s%s: %s, ", text.length ? "; " : "", info->format->name,
                       unit_name(info));
        if (info->cycles) {
            pn_text_puts(&text, "cycles at ");
            pn_text_number(&text, import->options->clock_ghz);
            pn_text_puts(&text, " GHz");
        } else {
            pn_text_puts(&text, "ns");
        }
    }
    return set_meta_text(import, "converted_from", &text);
}

static panem_status note_transforms(pn_import *import, bool unsure)
{
    pn_text text = PN_TEXT_INIT;
    const char *before = pn_rawset_meta(import->set, "transforms");
    double offset = import->options->latency_offset_ns;
    if (before)
        pn_text_puts(&text, before);
    if (offset != 0.0) {
        pn_text_printf(&text, "%slatency %s ", text.length ? "; " : "", offset > 0.0 ? "+" : "-");
        pn_text_number(&text, offset > 0.0 ? offset : -offset);
        pn_text_puts(&text, " ns");
    }
    if (unsure && import->options->label == PN_LABEL_KERNEL)
        pn_text_printf(&text, "%sreads = 1 / (2 - label / 100)", text.length ? "; " : "");
    PN_TRY(set_meta_text(import, "transforms", &text));
    if (unsure)
        return pn_rawset_set_meta(import->set, "label",
                                  import->options->label == PN_LABEL_KERNEL
                                      ? "kernel (percent of loads in the generator's kernel)"
                                      : "traffic (percent of reads in the traffic)",
                                  import->err);
    return PANEM_OK;
}

static panem_status finish(pn_import *import, size_t first)
{
    double frac;
    if (import->set->count == first)
        return pn_err(import->err, PANEM_E_EMPTY, "no usable input file");
    bool unsure = lowest_unsure_label(import, &frac) != NULL;
    PN_TRY(settle_labels(import));
    PN_TRY(refuse_doubles(import, first));
    for (size_t i = first; i < import->set->count; i++)
        import->set->points[i].latency_ns += import->options->latency_offset_ns;
    import->set->order = import->order;
    if (import->infos[0].format != &pn_format_csv) { /* our own keeps what it says of its source */
        PN_TRY(
            pn_rawset_set_meta(import->set, "format", import->infos[0].format->name, import->err));
        PN_TRY(note_units(import));
    }
    PN_TRY(note_transforms(import, unsure));
    if (import->skipped)
        return say(import, PN_WARNING, "", 0,
                   "read fractions of files left out are answered from the curves beside them; "
                   "outside the range of the curves, by the nearest");
    return PANEM_OK;
}

static pn_import start(pn_rawset *set, const pn_import_options *options, panem_error *err)
{
    return (pn_import){
        .set = set, .options = options, .err = err, .path = "", .order = PANEM_ORDER_RISING};
}

static panem_status end(pn_import *import, panem_status status, size_t first)
{
    if (status == PANEM_OK)
        status = finish(import, first);
    if (status != PANEM_OK)
        import->set->count = first;
    free(import->infos);
    return status;
}

panem_status pn_import_paths(pn_rawset *set, const pn_import_options *options,
                             const char *const *paths, size_t count, panem_error *err)
{
    size_t first = set->count;
    pn_import import = start(set, options, err);
    panem_status status = PANEM_OK;
    for (size_t i = 0; i < count && status == PANEM_OK; i++)
        status = import_any(&import, paths[i]);
    return end(&import, status, first);
}

panem_status pn_import_file(pn_rawset *set, const pn_import_options *options, const char *path,
                            panem_error *err)
{
    return pn_import_paths(set, options, &path, 1, err);
}

panem_status pn_import_text(pn_rawset *set, const pn_import_options *options, const char *text,
                            size_t length, const char *name, panem_error *err)
{
    size_t first = set->count;
    pn_source source = {name, text, length};
    pn_import import = start(set, options, err);
    return end(&import, import_text(&import, &source), first);
}
