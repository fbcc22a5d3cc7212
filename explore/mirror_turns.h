/* The file of turns that a job wrote (replay/policy/turns.h). */
#ifndef EXPLORE_MIRROR_TURNS_H
#define EXPLORE_MIRROR_TURNS_H

#include "core/status.h"
#include "replay/policy/policy.h"
#include "replay/policy/turns.h"

struct mirror_turns {
    struct replay_turn *row; /* owned */
    uint32_t count;
    struct replay_names had; /* owned: those that are to be had again */
    bool unknown;            /* not all is there, or not in its order */
};

/* path: NULL: there is none. */
enum core_status mirror_turns_read(const char *path, struct mirror_turns *out_turns);
/* One of its rows is to be had again. */
enum core_status mirror_turns_have(struct mirror_turns *turns, const struct replay_turn *row);
void mirror_turns_done(struct mirror_turns *turns);

/* Turns of threads, not of a window. */
static inline bool mirror_turn_is_thread(uint64_t number)
{
    return number >= REPLAY_TURN_LOCKS && number < REPLAY_BUFFER_NUMBERS &&
           number / REPLAY_TURN_OBJECT % 2 == 0 && number % REPLAY_TURN_OBJECT > REPLAY_TURN_LOCKS;
}

#endif
