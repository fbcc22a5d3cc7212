/* Shared by the files live_order*.c. A thread that reads their state holds live_order_lock; no
 * thread holds it while it waits. */
#ifndef INTERPOSE_LIVE_ORDER_INSIDE_H
#define INTERPOSE_LIVE_ORDER_INSIDE_H

#include <time.h>

#include "interpose/life.h"
#include "interpose/lock.h"
#include "interpose/live_order.h"

enum {
    LIVE_ORDER_WINDOWS = 64,                  /* per rank */
    LIVE_ORDER_ROWS = 2 * LIVE_ORDER_WINDOWS, /* each window orders accesses and locks */
    LIVE_ORDER_GIVE_UP_MS = 5000
};

struct live_order_row {
    _Atomic uint32_t had;    /* number of accesses so far */
    _Atomic uint32_t holder; /* rank + 1 of the rank whose access is running; 0: none */
};

extern struct lock live_order_lock;
extern struct live_order_row *live_order_rows; /* by rank and row; NULL: windows are not ordered */
extern _Atomic uint32_t *live_order_lost; /* shared by all ranks if windows are ordered: no rank
                                             waits any more */

uint64_t live_order_ms(clockid_t clock);
/* Lets the library progress. */
void live_order_pause(void);
/* Returns the first place behind `from` that the schedule gives to this answer, 0: none; *out_last:
 * the number of places. first: the decision of place 1. */
uint32_t live_order_place(uint32_t rank, uint32_t first, uint32_t from, int32_t answer,
                          uint32_t *out_last);
/* Writes a row to the log, if there is one; seq: of a look or a thread's call, else 0. */
void live_order_write(uint32_t rank, uint32_t number, int32_t answer, uint64_t seq);
/* Notes that from now on the log may differ from the real order. */
void live_order_vague(void);
/* Called when the schedule did not advance for too long: reports what this rank waited for. From
 * now on no rank waits. */
void live_order_gave_up(const char *what);

/* Returns false if the recorder cannot see threads begin. */
bool live_order_threads_start(void);
/* Logs an action of this rank's threads; kind: enum replay_turn_kind. */
void live_order_write_thread(uint32_t kind, uint32_t number, int32_t answer, uint64_t seq);
/* Waits until this thread's place has come. */
void live_order_thread(uint32_t object, uint32_t number);
/* Ends the thread's look, which lasts until its next call, since its loads come before that. */
void live_order_looked(void);
/* Issues pending operations before the call. */
void live_order_windows_before(bool waits);

#endif
