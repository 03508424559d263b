/* own_csv.c - our own CSV (docs/formats/curves-csv.md) as an input like any other. */
#include "curve/csv.h"

#include "import/format.h"

static bool recognize(const pn_source *source)
{
    return pn_csv_recognize(source->text, source->length) != 0;
}

static panem_status parse(pn_import *import, const pn_source *source)
{
    size_t first = import->set->count;
    import->set->order = PANEM_ORDER_AUTO;
    PN_TRY(pn_csv_parse(import->set, source->text, source->length, source->path, import->err));
    /* The reader registered the file again; its points belong to the name given first. */
    for (size_t i = first; i < import->set->count; i++)
        import->set->points[i].file = import->file;
    import->order = import->set->order;
    if (import->order == PANEM_ORDER_FALLING) {
        pn_import_reverse(import, first);
        import->order = PANEM_ORDER_RISING;
    }
    return PANEM_OK;
}

const pn_import_format pn_format_csv = {"csv",          "GB/s", PN_UNIT_STATED, PN_LATENCY_NS,
                                        PN_UNIT_STATED, false,  recognize,      parse};
