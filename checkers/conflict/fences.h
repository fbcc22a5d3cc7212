/* Fences of a window: that all ranks call as many, and assert alike. */
#ifndef CHECKERS_CONFLICT_FENCES_H
#define CHECKERS_CONFLICT_FENCES_H

#include "checkers/finding_dedup.h"

struct fence {
    uint64_t seq;
    int64_t mode; /* what it asserts */
};
struct fences { /* of one rank on one window */
    struct fence *fence;
    uint32_t count, room;
    uint64_t freed; /* MPI_Win_free; 0: not */
};

enum core_status fences_add(struct fences *fences, struct fence fence);
/* fences: of each rank. */
void fences_compare(const struct fences *fences, struct finding_dedup *dedup);
void fences_done(struct fences *fences);

#endif
