/* Shares parts of the search through states (states.c) with the one by single ranks (local.c,
 * compose.c). All of it is the searcher's alone. */
#ifndef WORLD_RANKS_STATES_INSIDE_H
#define WORLD_RANKS_STATES_INSIDE_H

#include "world/exchange/explore_states.h"
#include "world/ranks/ranks.h"

/* A copy of what all ranks share, behind those that were made before it. */
struct rank_copy {
    uint8_t *at;
    size_t end; /* of all copies, this one included */
};
bool rank_copy_take(struct rank_copy *out); /* false: there is no memory for it */
void rank_copy_restore(const struct rank_copy *copy);

struct rank_seen {
    uint64_t hash[2];
};
#define RANK_SEEN_MAX ((size_t)1 << 24) /* states; a power of two */
/* True: it is new. */
bool rank_seen_put(struct rank_seen *table, const uint64_t hash[2]);

void *rank_room_new(size_t bytes); /* zeroed; NULL: none */
void rank_states_give_up(const char *why);
bool rank_states_given_up(void);
bool rank_states_late(void); /* the time is over, or the search is stopped */
uint64_t rank_states_step_until(void);
void rank_states_enter(void); /* the searcher acts, not a rank */
void rank_states_run(void);   /* ranks go on until none can */
bool rank_states_crashed(void);
/* An end of the program, and the answers that lead to it. */
void rank_states_end_put(const uint64_t hash[2], const struct world_state_answer *path,
                         uint32_t count);
uint32_t rank_states_part(uint32_t rank); /* ranks of different parts have exchanged nothing */

/* --- local.c: one rank by itself -------------------------------------------------------------- */

struct rank_message {
    uint32_t context;
    int32_t source, tag; /* in the communicator */
    int32_t world, dest; /* ranks */
    uint64_t bytes;
    const uint8_t *data;
    MPI_Datatype type;
    const char *call;
};

/* A message that lets a rank go on, or wait for one less; or what is complete without one. */
struct rank_want {
    uint32_t context;
    int32_t source, tag;
    int32_t answer; /* that names it; -1: the sender is that */
    bool there;     /* without a message */
};
enum { RANK_WANTS_MAX = 1024 };

/* A rank that waits for messages, none of which fits two of its receives; or has ended. */
struct rank_local {
    uint64_t hash[2], end[2]; /* end: as far as the outcome of a world tells */
    int rank;
    bool ended, decides; /* decides: which of them it gets is a decision */
    uint32_t want_count;
    const struct rank_want *want; /* until the next is read */
    uint32_t decisions;           /* that the rank has come to; no part of the state */
};

void rank_local_begin(void); /* at the first state */
/* The rank as it is now, but for the hashes. False, and the search has given up: it is no such
 * rank. */
bool rank_local_read(int rank, struct rank_local *out);
/* From the copy on, which was reached with versions of a depth up to `depth`: the rank gets the
 * message (NULL: none), its decision this answer, and it goes on until it waits again; nobody else
 * does anything. */
bool rank_local_step(const struct rank_copy *from, uint32_t depth, int rank,
                     const struct rank_message *message, int32_t answer);
struct rank_message rank_message_of(const struct world_message *message, int dest);

/* compose.c: all ends, from the first state on, of which `root` is the copy. False: the search has
 * given up. */
bool rank_compose_search(const struct rank_copy *root);

#endif
