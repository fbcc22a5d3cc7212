/* Checks that all ranks of a window call equally many fences, with equal assertions. */
#ifndef CHECKERS_CONFLICT_FENCES_H
#define CHECKERS_CONFLICT_FENCES_H

#include "checkers/finding_dedup.h"

struct fence {
    uint64_t seq;
    int64_t mode; /* assertion of the call */
};
struct fences { /* of one rank on one window */
    struct fence *fence;
    uint32_t count, room;
    uint64_t freed; /* number of the MPI_Win_free; 0: not freed */
};

enum core_status fences_add(struct fences *fences, struct fence fence);
/* Reports differences. fences: one element per rank. */
void fences_compare(const struct fences *fences, struct finding_dedup *dedup);
void fences_done(struct fences *fences);

#endif
