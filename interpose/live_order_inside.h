/* Shared by the files of turns. A thread that reads their state holds live_order_lock; no thread
 * holds it while it waits. */
#ifndef INTERPOSE_LIVE_ORDER_INSIDE_H
#define INTERPOSE_LIVE_ORDER_INSIDE_H

#include <time.h>

#include "interpose/life.h"
#include "interpose/lock.h"
#include "interpose/live_order.h"

enum {
    LIVE_ORDER_WINDOWS = 64,                  /* of a rank */
    LIVE_ORDER_ROWS = 2 * LIVE_ORDER_WINDOWS, /* a window has turns and locks */
    LIVE_ORDER_GIVE_UP_MS = 5000
};

struct live_order_row {
    _Atomic uint32_t had;    /* how many turns there were */
    _Atomic uint32_t holder; /* by a rank, from 1, while it has its turn */
};

extern struct lock live_order_lock;
extern struct live_order_row *live_order_rows; /* by rank and row; NULL: windows have no turns */
extern _Atomic uint32_t *live_order_lost; /* by all ranks, where windows have turns: nobody waits */

uint64_t live_order_ms(clockid_t clock);
/* The library gets on meanwhile. */
void live_order_pause(void);
/* The first turn behind `from` that the answer names, 0: none does; *out_last: how many there are.
 * first: of turn 1. */
uint32_t live_order_place(uint32_t rank, uint32_t first, uint32_t from, int32_t answer,
                          uint32_t *out_last);
/* Writes it down, if that is asked for; seq: of a look or a thread's call, else 0. */
void live_order_write(uint32_t rank, uint32_t number, int32_t answer, uint64_t seq);
/* The order of turns from now on need not be the one that is written down. */
void live_order_vague(void);
/* Nobody came for so long: says what this rank waited for; from now on nobody waits. */
void live_order_gave_up(const char *what);

/* False: how threads begin cannot be seen. */
bool live_order_threads_start(void);
/* Actions of this rank's threads, kind: enum replay_turn_kind. */
void live_order_write_thread(uint32_t kind, uint32_t number, int32_t answer, uint64_t seq);
/* Returns when this thread has its turn. */
void live_order_thread(uint32_t object, uint32_t number);
/* A look lasts until its thread's next call: what it loads is there until then. */
void live_order_looked(void);
/* Lets pending operations go before the call. */
void live_order_windows_before(bool waits);

#endif
