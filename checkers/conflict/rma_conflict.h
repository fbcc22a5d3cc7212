/* Conflicting accesses to the memory of windows, for check_rma: two to the same bytes of which one
 * writes, with nothing that orders them. */
#ifndef CHECKERS_CONFLICT_RMA_CONFLICT_H
#define CHECKERS_CONFLICT_RMA_CONFLICT_H

#include "checkers/check.h"
#include "checkers/conflict/access.h"
#include "checkers/conflict/area.h"

struct rma_window {
    struct area_part *part; /* by world rank; NULL: there is no such window */
    bool atomics;           /* used with operations that also read */
};
struct rma_accesses { /* of all ranks */
    struct rma_window *window;
    uint32_t window_room;
    struct access *access;
    uint32_t count, room;
    uint64_t *fetched; /* by rank: the call by which it first had what an atomic operation read */
    uint64_t *looked;  /* by rank: its first MPI_Win_sync; 0 none */
    bool *reads;       /* by rank: it locks its own part of a window, or calls MPI_Win_sync: it may
                          load from there, which nothing shows */
    bool shared;       /* there is a window of MPI_Win_allocate_shared: a flag may lie there */
};

/* Sets the accesses' area, from and to, and the area of the windows' parts. */
enum core_status rma_conflict_place(const struct trace *trace, struct rma_accesses *accesses);

/* Adds at most `most` findings. The accesses have been placed. apart: the order in which threads
 * are apart; `order` where no rank has several. */
enum core_status rma_conflict_check(const struct check_input *input, const struct order *order,
                                    const struct order *apart, struct rma_accesses *accesses,
                                    uint32_t most, struct finding_list *list);

#endif
