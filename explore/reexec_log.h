/* The file of turns that a job wrote (core/decision/order_log.h). */
#ifndef EXPLORE_REEXEC_LOG_H
#define EXPLORE_REEXEC_LOG_H

#include "core/status.h"
#include "replay/policy/policy.h"
#include "core/decision/order_log.h"

struct reexec_log {
    struct order_log_row *row; /* owned */
    uint32_t count;
    struct replay_names had; /* owned: those that are to be had again */
    bool unknown;            /* not all is there, or not in its order */
};

/* path: NULL: there is none. */
enum core_status reexec_log_read(const char *path, struct reexec_log *out_turns);
/* One of its rows is to be had again. */
enum core_status reexec_log_have(struct reexec_log *turns, const struct order_log_row *row);
void reexec_log_done(struct reexec_log *turns);

/* Turns of threads, not of a window. */
static inline bool reexec_turn_is_thread(uint64_t number)
{
    return decision_kind_of(number) == DECISION_THREAD;
}

#endif
