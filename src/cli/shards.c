/* shards.c - see shards.h. */
#include "cli/shards.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

typedef panem_status each_shard(void *user, const char *shard, panem_error *err);

/* In the order of their names. E_EMPTY when there are none. */
static panem_status for_each(const char *folder, each_shard *visit, void *user, panem_error *err)
{
    glob_t found;
    pn_text pattern = PN_TEXT_INIT;
    pn_text_printf(&pattern, "%s/shards/*-of-*", folder);
    int code = pattern.failed ? GLOB_NOSPACE : glob(pattern.data, 0, NULL, &found);
    panem_status status = PANEM_OK;
    if (code == GLOB_NOMATCH)
        status = pn_err_at(err, PANEM_E_EMPTY, folder, 0, 0, "there are no shards");
    else if (code != 0)
        status = pn_err_at(err, PANEM_E_IO, folder, 0, 0, "cannot read the shards");
    for (size_t i = 0; status == PANEM_OK && i < found.gl_pathc; i++)
        status = visit(user, found.gl_pathv[i], err);
    if (code == 0)
        globfree(&found);
    pn_text_release(&pattern);
    return status;
}

typedef struct view {
    pn_shards *shards;
    pn_store *store;
} view;

/* ---- looking --------------------------------------------------------------------------------- */

static void no_names(void *user, int columns, const char *const *names)
{
    (void)user, (void)columns, (void)names;
}

/* Cells: key and state of a point of a shard. */
static void compare_row(void *user, int columns, const char *const *cells, const bool *numbers)
{
    view *v = user;
    pn_point_state state = PN_POINT_PENDING;
    (void)columns, (void)numbers;
    if (!cells[0] || !cells[1] || cells[1][0] == '0')
        return;
    (void)pn_store_state(v->store, cells[0], &state, NULL);
    bool done = cells[1][0] == '1';
    v->shards->done += done && state != PN_POINT_DONE;
    v->shards->failed += !done && state == PN_POINT_PENDING;
}

/* A shard that is only just being made is no fault. */
static panem_status look_at(void *user, const char *shard, panem_error *err)
{
    view *v = user;
    pn_store *other = NULL;
    panem_error why = PANEM_ERROR_INIT;
    const pn_rows rows = {no_names, compare_row, v};
    bool busy = pn_store_busy(shard);
    v->shards->stores++;
    v->shards->busy += busy;
    panem_status status = pn_store_open(&other, shard, PN_STORE_READ, &why);
    if (status == PANEM_OK)
        status = pn_store_query(
            other, "SELECT DISTINCT key, state FROM plan JOIN points USING(key)", &rows, &why);
    pn_store_close(other);
    if (status == PANEM_OK || status == PANEM_E_EMPTY || busy)
        return PANEM_OK;
    *err = why;
    return status;
}

panem_status pn_shards_look(pn_shards *shards, const char *folder, pn_store *store,
                            panem_error *err)
{
    view v = {shards, store};
    panem_error why = PANEM_ERROR_INIT;
    memset(shards, 0, sizeof *shards);
    panem_status status = for_each(folder, look_at, &v, &why);
    if (status == PANEM_OK || status == PANEM_E_EMPTY)
        return PANEM_OK;
    if (err)
        *err = why;
    return status;
}

/* ---- merging --------------------------------------------------------------------------------- */

static panem_status merge_one(void *user, const char *shard, panem_error *err)
{
    view *v = user;
    uint64_t taken = 0;
    v->shards->stores++;
    if (pn_store_busy(shard)) {
        v->shards->busy++;
        printf("%s: at work; merge again when it is done\n", shard);
        return PANEM_OK;
    }
    PN_TRY(pn_store_merge(v->store, shard, &taken, err));
    v->shards->done += taken;
    printf("%s: %llu new points\n", shard, (unsigned long long)taken);
    return PANEM_OK;
}

panem_status pn_shards_merge(pn_shards *shards, const char *folder, pn_store *store,
                             panem_error *err)
{
    view v = {shards, store};
    memset(shards, 0, sizeof *shards);
    return for_each(folder, merge_one, &v, err);
}
