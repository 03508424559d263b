/* helper.h - an import with everything it said, for the tests of src/import. */
#ifndef PN_TESTS_IMPORT_HELPER_H
#define PN_TESTS_IMPORT_HELPER_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "curve/set.h"
#include "import/import.h"

#define DATA PN_SOURCE_DIR "/tests/data/curves/"
#define SHARED PN_SOURCE_DIR "/../shared/curves/"

typedef struct told {
    int count[PN_WARNING + 1];
    uint32_t line[PN_WARNING + 1];
    char text[PN_WARNING + 1][256]; /* the last of each severity */
} told;

static inline void take_told(void *user, const pn_import_note *note)
{
    told *t = user;
    t->count[note->severity]++;
    t->line[note->severity] = note->line;
    (void)snprintf(t->text[note->severity], sizeof t->text[0], "%s", note->text);
}

static inline pn_import_options options_with(told *t)
{
    pn_import_options o = PN_IMPORT_OPTIONS_INIT;
    memset(t, 0, sizeof *t);
    o.note = take_told;
    o.note_user = t;
    return o;
}

/* Imports or fails the test with the message. */
static inline void import_ok(pn_rawset *set, const pn_import_options *o, const char *path)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset_init(set, NULL);
    if (pn_import_file(set, o, path, &err) != PANEM_OK)
        fail_msg("%s:%u:%u: %s", err.file[0] ? err.file : path, err.line, err.col, err.message);
}

/* Expects a refusal whose message holds a phrase; the set stays empty. */
static inline void import_refused(const pn_import_options *o, const char *path, panem_status want,
                                  uint32_t line, const char *says)
{
    pn_rawset set;
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset_init(&set, NULL);
    panem_status status = pn_import_file(&set, o, path, &err);
    if (status != want || err.line != line || !strstr(err.message, says))
        fail_msg("%s: %d, line %u, '%s'", path, (int)status, err.line, err.message);
    assert_int_equal(set.count, 0);
    pn_rawset_release(&set);
}

static inline void expect_point(const pn_rawset *set, size_t i, double read_pct, double gbs,
                                double ns)
{
    const pn_raw_point *p = &set->points[i];
    if (fabs(p->read_frac - read_pct / 100.0) > 1e-12 || fabs(p->bandwidth_gbs - gbs) > 1e-12 ||
        fabs(p->latency_ns - ns) > 1e-9)
        fail_msg("point %zu: %.15g %%, %.15g GB/s, %.15g ns", i, 100 * p->read_frac,
                 p->bandwidth_gbs, p->latency_ns);
}

#endif
