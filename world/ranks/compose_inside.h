/* Tables of the search by single ranks (compose.c): states of single ranks, messages, and steps. */
#ifndef WORLD_RANKS_COMPOSE_INSIDE_H
#define WORLD_RANKS_COMPOSE_INSIDE_H

#include "world/ranks/states_inside.h"

enum {
    LOCALS_MAX = 1 << 21,
    MESSAGES_MAX = 1 << 20,
    STEPS_MAX = 1 << 23,
    SENDS_MAX = 1 << 24,
    WANTS_MAX = 1 << 24,
    PLACES_LEAST = 1 << 12, /* of a table: a power of two, at least twice the entries */
    CHAIN_MAX = 1 << 14,
    LINKS_MAX = 256, /* of several ranks, if each link is a process */
    SNAPSHOTS_MAX = 1 << 12,
    QUEUED_MAX = 1 << 14,
    PATH_MAX_ANSWERS = 1 << 16,
    SET_MAX = 20,        /* messages and complete requests, sets of which one call may report */
    LATE_EVERY = 1 << 10 /* states between reads of the clock */
};
#define DATA_BYTES ((size_t)1 << 32)
#define FRAMES_BYTES ((size_t)1 << 33)
#define NONE UINT32_MAX

struct local {
    struct rank_local is;
    /* How it was first reached (NONE: a rank's first state), and with which message; a number from
     * MESSAGES_MAX on is the answer with which it continued without a message. */
    uint32_t parent, message;
    uint32_t length; /* messages that led to it */
    uint32_t step;   /* + 1: the last step from it; 0: none */
    uint32_t mark;   /* is_alone has seen it */
};

struct step {
    uint64_t key; /* local + 1, message */
    uint32_t next, decisions, sends, send_count;
    uint32_t before; /* as local.step: another step from the same state */
};

struct queued {
    int32_t dest, sender;
    uint32_t message;
};

struct frame {
    size_t at; /* offset of the state in frames */
    uint64_t hash[2];
    uint32_t only; /* the only rank whose answers are taken; NONE: all ranks */
    uint32_t path;
    uint32_t rank, next; /* the rank and message of the next answer */
};

struct link {
    struct rank_copy copy;
    uint32_t local, decisions; /* of the rank that it moved; unused in the first link */
};

/* A hash table: numbers of entries of an array, plus one. */
struct places {
    uint32_t *at, count;
};

extern struct compose {
    struct local *local;
    struct rank_message *message;
    struct rank_want *want; /* of all local states */
    struct step *step;
    struct places local_place, message_place, step_place;
    uint32_t *send;
    uint8_t *data, *frames;
    struct frame *frame;
    struct link *chain;
    struct world_state_answer *path;
    struct rank_seen_table seen;
    struct queued *queued;
    uint32_t *now, *decisions;            /* by rank: its state; its decisions so far */
    uint32_t *message_mark, mark, *found; /* is_alone */
    uint32_t step_count_before;           /* when the search last began */
    bool reduced;                         /* a state since then had one rank's answers only */
    uint32_t tried, alone;                /* states with several ranks that decide; such states */
    uint32_t local_count, message_count, want_count, step_count, send_count;
    uint32_t frame_count, chain_count, path_count, queued_count;
    size_t data_used, frames_used;
} compose;

/* All return NONE, or false, if there is no room; the search has then given up. */
bool rank_compose_is_full(uint32_t count, uint32_t most);
uint32_t rank_compose_local_put(const struct rank_local *is, uint32_t parent, uint32_t message);
uint32_t rank_compose_message_put(struct rank_message message);
/* Keeps a set of messages that a rank gets in one step as a message of its own: its data are their
 * numbers, its tag is the answer. */
enum { OF_SET = -1 };
uint32_t rank_compose_set_put(uint32_t rank, const uint32_t message[], uint32_t count,
                              int32_t answer);
uint32_t rank_compose_set_read(uint32_t set, const struct rank_message *out_message[SET_MAX]);
/* Returns the step if it was executed, or NULL. */
const struct step *rank_compose_step_find(uint32_t local, uint32_t message);
bool rank_compose_step_room(void);
/* Adds the step at the end of the array, which has been filled in. */
void rank_compose_step_add(uint32_t local, uint32_t message);
void rank_compose_tables_free(void);

#endif
