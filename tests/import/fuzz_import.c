/* Fuzz target of one importer, named by PN_FUZZ_FORMAT ("auto": recognition too). Whatever the
 * bytes: an answer; on failure a message and no points; on success a set that survives writing and
 * reading, and building. The text's length picks the options. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "curve/csv.h"
#include "curve/set.h"
#include "import/csv_write.h"
#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void write_and_read(const pn_rawset *set)
{
    pn_text text = PN_TEXT_INIT;
    pn_rawset again;
    pn_rawset_init(&again, NULL);
    require(pn_csv_format(&text, set, NULL) == PANEM_OK);
    require(pn_csv_parse(&again, text.data, text.length, "again", NULL) == PANEM_OK);
    require(again.count == set->count);
    pn_rawset_release(&again);
    pn_text_release(&text);
}

static void build(const pn_rawset *set)
{
    panem_curves *curves = NULL;
    panem_error err = PANEM_ERROR_INIT;
    if (pn_curves_build(&curves, set, NULL, &err) != PANEM_OK)
        require(err.message[0] != '\0' && !curves);
    panem_curves_destroy(curves);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pn_import_options o = PN_IMPORT_OPTIONS_INIT;
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset set;
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (strcmp(PN_FUZZ_FORMAT, "auto") != 0)
        o.format = PN_FUZZ_FORMAT;
    if (strcmp(PN_FUZZ_FORMAT, "mess1") == 0)
        o.latency_unit = PN_LATENCY_CYCLES;
    o.clock_ghz = 2.5;
    o.label = size & 1 ? PN_LABEL_KERNEL : PN_LABEL_TRAFFIC;
    o.table = (uint32_t)(size >> 1 & 1);
    o.read_pct = size & 4 ? 100.0 : (double)NAN;
    o.skip_bad = size & 8;
    pn_rawset_init(&set, NULL);
    if (pn_import_text(&set, &o, text, size, size & 4 ? "t" : "bwlat_70.txt", &err) != PANEM_OK) {
        require(err.status != PANEM_OK && err.message[0] != '\0' && set.count == 0);
    } else {
        require(set.count > 0);
        write_and_read(&set);
        build(&set);
    }
    pn_rawset_release(&set);
    free(text);
    return 0;
}
