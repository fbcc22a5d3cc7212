/* Finds conflicting accesses to the memory of windows, for check_rma: two unordered accesses to the
 * same bytes, one of which writes. */
#ifndef CHECKERS_CONFLICT_RMA_CONFLICT_H
#define CHECKERS_CONFLICT_RMA_CONFLICT_H

#include "checkers/check.h"
#include "checkers/conflict/access.h"
#include "checkers/conflict/area.h"

struct rma_window {
    struct area_part *part; /* indexed by world rank; NULL: no such window */
    bool atomics;           /* operations that also read are used on it */
};
struct rma_accesses { /* of all ranks */
    struct rma_window *window;
    uint32_t window_room;
    struct access *access;
    uint32_t count, room;
    uint64_t *fetched; /* by rank: its first call that got an atomic operation's result */
    uint64_t *looked;  /* by rank: its first MPI_Win_sync; 0: none */
    /* The bytes that the first atomic operation which reads accesses; how many such operations
     * there are, and how many access exactly these bytes. */
    struct rma_word {
        int32_t win;
        uint32_t target;
        int64_t low, high;
    } word;
    uint64_t atomic_count, word_count;
    bool *reads; /* by rank: it locks its own part of a window or calls MPI_Win_sync, so it may load
                    from the window unseen */
    bool shared; /* MPI_Win_allocate_shared made a window, which may hold a flag */
};

/* Sets area, from and to of the accesses, and the areas of the windows' parts. */
enum core_status rma_conflict_place(const struct trace *trace, struct rma_accesses *accesses);

/* Adds at most `most` findings for accesses that rma_conflict_place has placed. apart: the order
 * with ORDER_THREADS_APART; pass `order` if no rank has several threads. */
enum core_status rma_conflict_check(const struct check_input *input, const struct order *order,
                                    const struct order *apart, struct rma_accesses *accesses,
                                    uint32_t most, struct finding_list *list);

#endif
