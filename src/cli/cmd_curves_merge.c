/* cmd_curves_merge.c - panem curves merge: several CSV sets of one memory system into one. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cmd_curves.h"
#include "cli/commands.h"

enum { OPT_NAME = 256 };

typedef struct settings {
    pn_inputs inputs;
    const char *output;
    const char *name;
} settings;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "the CSV set to write; - is standard output (required)", 0},
    {"name", OPT_NAME, "TEXT", 0, "name of the set (default: the names joined with +)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    switch (key) {
    case 'o':
        s->output = arg;
        break;
    case OPT_NAME:
        s->name = arg;
        break;
    case ARGP_KEY_ARG:
        pn_inputs_add(&s->inputs, arg);
        break;
    case ARGP_KEY_END:
        if (s->inputs.count == 0 && !s->inputs.failed)
            (void)pn_err(&err, PANEM_E_ARG, "curves merge: no set given");
        else if (!s->output)
            (void)pn_err(&err, PANEM_E_ARG, "curves merge: no output given: -o FILE");
        return err.status == PANEM_OK ? 0 : pn_option_error(state, &err);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* A key stays when every set that has it agrees, and every set has it. */
static panem_status merge_meta(pn_rawset *kept, const pn_rawset *one, bool first, const char *path,
                               panem_error *err)
{
    for (uint32_t i = 0; first && i < one->meta_count; i++)
        PN_TRY(pn_rawset_set_meta(kept, one->meta[i].key, one->meta[i].value, err));
    for (uint32_t i = 0; !first && i < kept->meta_count; i++) {
        pn_raw_meta *m = &kept->meta[i];
        const char *other = pn_rawset_meta(one, m->key);
        if (m->value[0] == '\0' || (other && strcmp(other, m->value) == 0))
            continue;
        if (strcmp(m->key, "name") != 0 && strcmp(m->key, "source") != 0 &&
            strcmp(m->key, "order") != 0)
            pn_warn("metadata '%s' differs in %s: left out", m->key, path);
        PN_TRY(pn_rawset_set_meta(kept, m->key, "", err));
    }
    return PANEM_OK;
}

static void join(pn_text *text, const char *separator, const char *more)
{
    if (text->length > 0)
        pn_text_puts(text, separator);
    pn_text_puts(text, more);
}

/* Reads every set alone for its metadata; gives the joined name and the list of sources. */
static panem_status collect(const settings *s, pn_rawset *kept, pn_text *names, pn_text *sources,
                            panem_error *err)
{
    for (size_t i = 0; i < s->inputs.count; i++) {
        pn_rawset one;
        pn_rawset_init(&one, NULL);
        panem_status status = pn_curves_read(&one, s->inputs.paths[i], err);
        const char *slash = strrchr(s->inputs.paths[i], '/');
        const char *base = slash ? slash + 1 : s->inputs.paths[i];
        const char *name = pn_rawset_meta(&one, "name");
        join(names, " + ", name ? name : base);
        join(sources, ", ", base);
        if (status == PANEM_OK)
            status = merge_meta(kept, &one, i == 0, s->inputs.paths[i], err);
        pn_rawset_release(&one);
        PN_TRY(status);
    }
    return names->failed || sources->failed
               ? pn_err(err, PANEM_E_NOMEM, "no memory for the metadata")
               : PANEM_OK;
}

static panem_status put_meta(const settings *s, pn_rawset *merged, const pn_rawset *kept,
                             const pn_text *names, const pn_text *sources, panem_error *err)
{
    for (uint32_t i = 0; i < kept->meta_count; i++)
        if (kept->meta[i].value[0] != '\0')
            PN_TRY(pn_rawset_set_meta(merged, kept->meta[i].key, kept->meta[i].value, err));
    const char *common = pn_rawset_meta(kept, "name"); /* "" or NULL: not the same in all */
    const char *name = common && common[0] ? common : names->data;
    PN_TRY(pn_rawset_set_meta(merged, "name", s->name ? s->name : name, err));
    return pn_rawset_set_meta(merged, "source", sources->data, err);
}

/* Points of all sets through the importer, which refuses a curve twice; its metadata are dropped.
 */
static panem_status gather(const settings *s, pn_rawset *merged, panem_error *err)
{
    pn_import_options options = PN_IMPORT_OPTIONS_INIT;
    options.format = "csv";
    pn_rawset all;
    pn_rawset_init(&all, NULL);
    panem_status status = pn_import_paths(&all, &options, s->inputs.paths, s->inputs.count, err);
    for (size_t i = 0; i < all.count && status == PANEM_OK; i++)
        status = pn_rawset_add(merged, &all.points[i], err);
    merged->order = all.order;
    pn_rawset_release(&all);
    return status;
}

static int run(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_text names = PN_TEXT_INIT;
    pn_text sources = PN_TEXT_INIT;
    pn_rawset merged, kept;
    pn_rawset_init(&merged, NULL);
    pn_rawset_init(&kept, NULL);
    panem_status status = pn_inputs_check(&s->inputs, &err);
    if (status == PANEM_OK)
        status = collect(s, &kept, &names, &sources, &err);
    if (status == PANEM_OK)
        status = gather(s, &merged, &err);
    if (status == PANEM_OK)
        status = put_meta(s, &merged, &kept, &names, &sources, &err);
    int code = status == PANEM_OK ? pn_curves_write(&merged, s->output) : pn_fail(&err);
    pn_text_release(&names);
    pn_text_release(&sources);
    pn_rawset_release(&kept);
    pn_rawset_release(&merged);
    return code;
}

static void release(void *user)
{
    settings *s = user;
    pn_inputs_release(&s->inputs);
}

const pn_command pn_cmd_curves_merge = {
    .name = "curves merge",
    .arguments = "SET...",
    .summary = "put the curves of several sets of one memory system into one set",
    .details =
        "Points stay as they are, in the order of load each set states. Two sets with a curve at "
        "the same read percent are refused: two sweeps must not be mixed into one curve. Metadata "
        "that all sets share are kept; those that differ are left out, and said.\n\n"
        "Sets are our CSV, in any compression. Exit status: 0 success, 1 the output could not be "
        "written, 2 usage, 3 bad input.",
    .examples = "  panem curves merge reads.csv mixed.csv -o both.csv\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
    .release = release};
