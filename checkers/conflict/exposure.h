/* Finds windows that are locked while they are posted. MPI forbids to lock a rank's part of a
 * window between its MPI_Win_post and MPI_Win_wait, and to post a part that is locked. */
#ifndef CHECKERS_CONFLICT_EXPOSURE_H
#define CHECKERS_CONFLICT_EXPOSURE_H

#include "checkers/conflict/order.h"
#include "checkers/finding_dedup.h"
#include "core/table.h"
#include "core/trace/trace.h"

struct exposure_span { /* from a post or lock to its end */
    int32_t win;
    uint32_t rank;     /* the rank that posted or locked */
    int32_t target;    /* world rank that is locked or posts; -1: all ranks */
    uint64_t from, to; /* numbers of calls; `to` is UINT64_MAX if nothing ends it */
    bool exclusive;    /* for a lock */
    bool unchecked;    /* the call asserts MPI_MODE_NOCHECK */
};
struct exposures { /* initialise with EXPOSURES */
    struct exposure_span *post, *lock;
    uint32_t post_count, post_room, lock_count, lock_room;
    struct core_table open;    /* what the rank that is followed now has locked or posted */
    struct core_table passive; /* by rank: its first lock or MPI_Win_sync */
};
struct exposure_key { /* target EXPOSURE_POSTED: the rank has posted the window */
    int32_t win, target;
};
struct exposure_open {
    struct exposure_key key;
    uint32_t index; /* in post or lock, plus 1; 0: none */
};
struct exposure_passive {
    uint64_t rank, seq;
};
#define EXPOSURES                                            \
    {                                                        \
        .open = CORE_TABLE(struct exposure_open, key),       \
        .passive = CORE_TABLE(struct exposure_passive, rank) \
    }

/* Follows a call on a window. The caller gives the ranks one after the other, and the calls of a
 * rank in their order. target: world rank that is locked or unlocked; -1: all. exclusive: of a
 * lock. unchecked: MPI_MODE_NOCHECK. ended: MPI_Win_wait or MPI_Win_test ended the exposure epoch.
 */
struct exposure_how {
    bool exclusive, unchecked, ended;
};
enum core_status exposures_follow(struct exposures *exposures, const struct trace_event *event,
                                  int32_t target, struct exposure_how how);
/* Sorts the spans. Call it after all calls were followed, before the queries. */
void exposures_sort(struct exposures *exposures);
void exposures_done(struct exposures *exposures);

/* Tells whether, at call seq, the rank itself holds a lock (if `exclusive`: an exclusive lock) on
 * its own part of the window. Takes O(log n) steps. */
bool exposures_holds(const struct exposures *exposures, int32_t win, uint32_t rank, uint64_t seq,
                     bool exclusive);

/* Report, once a window, a lock of a rank's part that nothing orders against the rank's post; and a
 * lock that asserts MPI_MODE_NOCHECK, though nothing orders another rank's lock that excludes it.
 * They report only what is certain: the lock is made while the window is posted, or the ranks
 * cannot have communicated through window memory. Take O(log n) steps per lock and rank. */
void exposures_compare(struct exposures *exposures, const struct order *order,
                       struct finding_dedup *dedup);
void exposures_compare_unchecked(const struct exposures *exposures, const struct order *order,
                                 struct finding_dedup *dedup);

#endif
