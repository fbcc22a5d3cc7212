/* Finds flushes that complete nothing, while an access to another target stays incomplete until its
 * lock is released: the program may have named the wrong target. */
#ifndef CHECKERS_CONFLICT_FLUSHES_H
#define CHECKERS_CONFLICT_FLUSHES_H

#include "checkers/finding_dedup.h"

enum { FLUSHES_OPEN_MAX = 64 };

struct flushes { /* of the rank that is read now; zeroed at its start */
    struct flushes_access {
        int32_t win, target; /* rank in the window's communicator */
        uint64_t seq;
    } open[FLUSHES_OPEN_MAX]; /* the first access to each target that is not completed */
    uint32_t open_count;
    bool lost; /* there were more: nothing is reported */
    struct flushes_idle {
        struct trace_event flush; /* seq 0: none */
        struct flushes_access beside;
    } idle; /* a flush that completed nothing, and an access that was open then */
};

/* Takes the rank's next call on a window. */
void flushes_follow(struct flushes *flushes, const struct trace_event *event,
                    struct finding_dedup *dedup);

#endif
