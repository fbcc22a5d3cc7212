/* Windows that are locked while they are posted: MPI forbids to lock a window's part at a rank
 * between the rank's MPI_Win_post and its MPI_Win_wait, and to post a part that is locked. */
#ifndef CHECKERS_CONFLICT_EXPOSURE_H
#define CHECKERS_CONFLICT_EXPOSURE_H

#include "checkers/conflict/order.h"
#include "core/table.h"
#include "core/trace/trace.h"

struct exposure_span { /* of a post, or of a lock */
    int32_t win;
    uint32_t rank;     /* that posted, that locked */
    int32_t target;    /* of the lock, a world rank; -1: all ranks */
    uint64_t from, to; /* calls; `to` is UINT64_MAX where nothing ends it */
    bool exclusive;    /* of a lock */
    bool unchecked;    /* it asserts MPI_MODE_NOCHECK */
};
struct exposures { /* EXPOSURES: nothing followed yet */
    struct exposure_span *post, *lock;
    uint32_t post_count, post_room, lock_count, lock_room;
    struct core_table open;    /* what the rank that is followed has locked, posted */
    struct core_table passive; /* by rank, its first lock or MPI_Win_sync */
};
struct exposure_key { /* rank EXPOSURE_POSTED: the window is posted */
    int32_t win, target;
};
struct exposure_open {
    struct exposure_key key;
    uint32_t index; /* in post or lock, plus 1; 0 none */
};
struct exposure_passive {
    uint64_t rank, seq;
};
#define EXPOSURES                                            \
    {                                                        \
        .open = CORE_TABLE(struct exposure_open, key),       \
        .passive = CORE_TABLE(struct exposure_passive, rank) \
    }

/* Follows a call on a window, ranks one after the other, each rank's calls in their order. target:
 * of a lock or unlock, the world rank; -1: all. exclusive, unchecked: of a lock. ended: the call is
 * one that ends what was posted. */
struct exposure_how {
    bool exclusive, unchecked, ended;
};
enum core_status exposures_follow(struct exposures *exposures, const struct trace_event *event,
                                  int32_t target, struct exposure_how how);
/* Once all calls were followed, before anything is asked. */
void exposures_sort(struct exposures *exposures);
void exposures_done(struct exposures *exposures);

/* Whether the call is made while the rank's own part of the window is locked by itself, at all or
 * exclusively. Takes O(log n) steps. */
bool exposures_holds(const struct exposures *exposures, int32_t win, uint32_t rank, uint64_t seq,
                     bool exclusive);

/* other: a post, or a lock of another rank */
typedef void (*exposure_fn)(const struct exposure_span *lock, const struct exposure_span *other,
                            void *context);
/* Tells of each lock, and of each rank that it locks, the first post with nothing that orders the
 * two, where either the lock is made while the window is posted in whatever order, or the ranks
 * cannot have told each other through the memory of a window. Takes O(log n) steps a lock and rank.
 */
void exposures_compare(struct exposures *exposures, const struct order *order, exposure_fn tell,
                       void *context);
/* The same of each lock that asserts MPI_MODE_NOCHECK, and another rank's that excludes it. */
void exposures_compare_unchecked(const struct exposures *exposures, const struct order *order,
                                 exposure_fn tell, void *context);

#endif
