/* Declares the inside of exploration for explore.c (the search), explore_shrink.c (the witness),
 * and replay/symbolic/, whose schedules are shrunk in the same way. */
#ifndef REPLAY_SEARCH_EXPLORE_STATE_H
#define REPLAY_SEARCH_EXPLORE_STATE_H

#include "replay/search/explore.h"

struct step {     /* one decision */
    uint8_t kind; /* enum replay_option_kind */
    bool diverges;
    uint32_t rank, op;
    int32_t from;
    uint32_t from_op;
};

struct path { /* decisions from the start to an end */
    struct step *step;
    uint32_t count, room;
};

/* Finds the policy that repeats the end of `path`, shrinks it, and runs it. */
enum core_status explore_witness(const struct replay_program *program, struct replay_run *run,
                                 const struct replay_explore_options *options,
                                 const struct path *path, struct replay_exploration *exploration);

#endif
