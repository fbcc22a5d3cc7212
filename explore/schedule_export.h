/* A schedule of a world for the real MPI library: every answer that was given there, and which
 * sends are buffered. */
#ifndef EXPLORE_SCHEDULE_EXPORT_H
#define EXPLORE_SCHEDULE_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/command.h"
#include "replay/policy/policy.h"

struct explore_lived {
    bool finished; /* all ranks of the world came to their ends, and with exit status 0 */
    /* what the library cannot be given: sends inside collectives have no names there, and whom an
     * MPI_Comm_accept takes is its own affair, as are who reaches a file first, whether a
     * receive is cancelled, and when MPI_Win_test finds the end of an epoch */
    uint32_t sends, connections, files, cancels, epochs;
};
/* The library can be given all that the world had. */
bool explore_lived_whole(const struct explore_lived *lived);

/* Runs one world of the command under the policy, of order=explore, or of order=random, where the
 * policy's seed chooses; it is broken off behind budget_s (0: never; CORE_BUDGET). *out_policy, the
 * caller's, says what was decided, as it can be had live. */
enum core_status schedule_export(const struct explore_command *command,
                                 const struct replay_policy *policy, double budget_s,
                                 struct replay_policy *out_policy, struct explore_lived *out_lived);

#endif
