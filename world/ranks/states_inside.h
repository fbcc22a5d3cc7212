/* Parts of the search by states (states.c) that the search by single ranks (local.c, compose.c)
 * shares. Only the searcher uses them. */
#ifndef WORLD_RANKS_STATES_INSIDE_H
#define WORLD_RANKS_STATES_INSIDE_H

#include "world/exchange/explore_states.h"
#include "world/ranks/ranks.h"

/* A copy of what all ranks share; it follows the copies made before it. */
struct rank_copy {
    uint8_t *at;
    size_t end; /* of all copies, including this one */
};
bool rank_copy_take(struct rank_copy *out); /* false: out of memory */
void rank_copy_restore(const struct rank_copy *copy);

/* A set of states, by their hashes. */
struct rank_seen {
    uint64_t hash[2];
};
struct rank_seen_table {
    struct rank_seen *at;
    size_t places, count; /* places: a power of two, or 0 */
};
enum { RANK_SEEN_MAX = 1 << 23 };
/* Adds a state; true if it is new. */
bool rank_seen_put(struct rank_seen_table *table, const uint64_t hash[2]);
void rank_seen_clear(struct rank_seen_table *table);

void *rank_room_new(size_t bytes); /* zeroed; NULL if there is no memory */
void rank_states_give_up(const char *why);
/* A reason to give up: executing the ranks together would not end either. */
#define RANK_ENDLESS "ranks exchange messages for ever"
bool rank_states_given_up(void);
bool rank_states_late(void); /* the time is over, or the search was stopped */
uint64_t rank_states_step_until(void);
void rank_states_enter(void); /* the searcher acts, not a rank */
void rank_states_run(void);   /* runs ranks until none can continue */
bool rank_states_crashed(void);
/* Adds an end of the program, with the answers that lead to it. */
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

/* A message that lets a blocked rank continue or shortens its wait, or something that is complete
 * without a message. */
struct rank_want {
    uint32_t context;
    int32_t source, tag;
    int32_t answer; /* names it; -1: the sender names it */
    bool there;     /* possible without a message */
    uint32_t back;  /* decisions that the rank has begun since this one */
};
enum { RANK_WANTS_MAX = 1024 };

/* A rank that waits for messages, that has ended, or that can continue: it stops in MPI_Finalize,
 * where states that differed before are often the same. Either no message fits two of its receives,
 * or it waits for receives that are posted, the first of which that a message fits takes it. */
struct rank_local {
    uint64_t hash[2], end[2]; /* end: of what the outcome of a world shows */
    int rank;
    bool ended, continues;
    bool decides;     /* decides: which message it gets is a decision */
    bool queues;      /* its receives may fit the same messages: they are in order */
    bool whole;       /* it waits for all of them */
    bool some;        /* it can get any set of them: an answer is a set of bits (`answer`) */
    uint32_t certain; /* bits that each of these sets has */
    uint32_t want_count;
    const struct rank_want *want; /* valid until the next read */
    uint32_t decisions;           /* decisions of the rank so far; not part of the state */
};

void rank_local_begin(void); /* at the first state */
/* Reads the rank as it is now, except for the hashes. False if it is no such rank; the search has
 * then given up. */
bool rank_local_read(int rank, struct rank_local *out);
/* Executes one step from the copy, which was reached with versions up to `depth`: gives the rank
 * the messages and its decision this answer, and runs the rank until it waits again. No other rank
 * runs. */
bool rank_local_step(const struct rank_copy *from, uint32_t depth, int rank,
                     const struct rank_message *const message[], uint32_t count, int32_t answer);
struct rank_message rank_message_of(const struct world_message *message, int dest);

/* compose.c: finds all ends from the first state on, of which `root` is the copy. False: the search
 * has given up. */
bool rank_compose_search(const struct rank_copy *root);

#endif
