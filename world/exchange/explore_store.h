/* Tells which bytes a rank's own store changes that are not its first since the rank's last call:
 * the first alone has a turn (ranks/guard.c). The bytes that operations of other ranks under way
 * will change are kept when the rank has that turn, and compared when nobody but the rank has gone
 * on since. A store that leaves a byte as it was is not seen. */
#ifndef WORLD_EXCHANGE_EXPLORE_STORE_H
#define WORLD_EXCHANGE_EXPLORE_STORE_H

#include "world/exchange/explore.h"

/* The running rank has had the turn of a store at `at`; NULL: it is not known where. */
void world_store_begin(const struct world_part *part, const void *at);
/* Before others may go on. */
void world_store_end(void);
/* Others may have gone on: nothing is told of it. */
void world_store_drop(void);

#endif
