/* Checks what ranks assert about one-sided epochs (MPI_MODE_NOCHECK, NOPUT, NOSTORE) and finds
 * calls that contradict it. */
#ifndef CHECKERS_CONFLICT_ASSERTION_H
#define CHECKERS_CONFLICT_ASSERTION_H

#include "checkers/conflict/access.h"
#include "checkers/conflict/order.h"
#include "checkers/finding_dedup.h"
#include "core/table.h"
#include "core/trace/trace.h"

struct assertion_epoch { /* the number-th epoch between an origin and a target */
    struct assertion_key {
        int32_t win;
        uint32_t origin, target, number;
    } key;
    uint64_t post, start, put; /* numbers of the calls; put: the first that writes; 0: none */
    int64_t post_mode, start_mode;
};
struct assertion_count { /* epochs of the rank that is followed now */
    struct assertion_side {
        int32_t win;
        uint32_t other, target; /* target: the rank itself is the target */
    } key;
    uint32_t count;
};
struct assertion_calm { /* a call asserts that its rank has stored nothing since its previous
                           synchronisation */
    int32_t win;
    uint32_t rank;
    uint64_t from, to;
};
struct assertions {
    struct core_table epoch, count;
    struct assertion_calm *calm;
    uint32_t calm_count, calm_room;
};
#define ASSERTIONS                                        \
    {                                                     \
        .epoch = CORE_TABLE(struct assertion_epoch, key), \
        .count = CORE_TABLE(struct assertion_count, key)  \
    }

/* Follows a call that synchronises a window. The caller gives the ranks one after the other, and
 * the calls of a rank in their order. synced: the rank's previous call that synchronised or made
 * the window. */
enum core_status assertions_follow(struct assertions *assertions, struct trace *trace,
                                   const struct trace_event *event, uint64_t synced);
/* Records that the call writes to the window of `target` in an epoch that MPI_Win_start began. */
void assertions_put(struct assertions *assertions, const struct trace_event *event,
                    uint32_t target);
void assertions_next(struct assertions *assertions); /* goes on to the next rank */
void assertions_done(struct assertions *assertions);

/* Report contradictions, after all calls were followed. */
void assertions_compare(const struct assertions *assertions, const struct order *order,
                        struct finding_dedup *dedup);
void assertions_compare_stores(struct assertions *assertions, const struct access *access,
                               uint32_t count, struct finding_dedup *dedup);

#endif
