/* Reads the file in which a job recorded the order of its accesses (core/decision/order_log.h). */
#ifndef EXPLORE_REEXEC_LOG_H
#define EXPLORE_REEXEC_LOG_H

#include "core/status.h"
#include "replay/policy/policy.h"
#include "core/decision/order_log.h"

struct reexec_log {
    struct order_log_row *row; /* owned */
    uint32_t count;
    struct replay_names had; /* owned: the answers that the world must repeat */
    bool unknown;            /* rows are missing or out of order */
};

/* path: NULL if there is no file. */
enum core_status reexec_log_read(const char *path, struct reexec_log *out_turns);
/* Adds one of its rows to the answers that the world must repeat. */
enum core_status reexec_log_have(struct reexec_log *turns, const struct order_log_row *row);
void reexec_log_done(struct reexec_log *turns);

/* Tells whether the decision orders threads, not accesses to a window. */
static inline bool reexec_turn_is_thread(uint64_t number)
{
    return decision_kind_of(number) == DECISION_THREAD;
}

#endif
