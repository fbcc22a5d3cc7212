/* Finds which bytes a rank stores to after its first store since its last call: only the first
 * store has a turn (ranks/guard.c). At that turn, the bytes that other ranks' pending operations
 * will change are saved; they are compared if no other rank has run since. A store that leaves a
 * byte unchanged is not seen. */
#ifndef WORLD_EXCHANGE_EXPLORE_STORE_H
#define WORLD_EXCHANGE_EXPLORE_STORE_H

#include "world/exchange/explore.h"

/* Saves the bytes after the running rank's turn of a store at `at`; NULL: unknown address. */
void world_store_begin(const struct world_part *part, const void *at);
/* Compares the bytes, before others may run. */
void world_store_end(void);
/* Drops the bytes, as others may have run. */
void world_store_drop(void);

#endif
