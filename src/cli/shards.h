/* shards.h - the stores of a sweep's parts, in DIR/shards, seen from the store of the whole. */
#ifndef PN_CLI_SHARDS_H
#define PN_CLI_SHARDS_H

#include "cli/sweep.h"

typedef struct pn_shards {
    uint32_t stores, busy; /* busy: a process writes there */
    uint64_t done, failed; /* done, failed: what the whole does not have yet */
} pn_shards;

/* Looks, changes nothing. None at all is no error. E_IO and E_FORMAT of a shard nobody writes. */
panem_status pn_shards_look(pn_shards *shards, const char *folder, pn_store *store,
                            panem_error *err);

/* Takes every shard over but the busy ones; tells each on stdout. E_EMPTY when there are none. */
panem_status pn_shards_merge(pn_shards *shards, const char *folder, pn_store *store,
                             panem_error *err);

#endif
