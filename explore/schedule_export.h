/* Turns a world's schedule into one for the real MPI library: every answer of the world, and which
 * sends are buffered. */
#ifndef EXPLORE_SCHEDULE_EXPORT_H
#define EXPLORE_SCHEDULE_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/command.h"
#include "replay/policy/policy.h"
#include "world/processes/processes.h"

struct explore_lived {
    bool finished; /* all ranks of the world ended with exit status 0 */
    /* Counts what the library cannot be given. Sends inside collectives have no names there. The
     * library itself decides which connection MPI_Comm_accept takes, which rank accesses a file
     * first, whether a receive is cancelled, when MPI_Win_test finds the end of an epoch, and how
     * long a message stays in an attached buffer, if that makes the world fail. */
    uint32_t sends, connections, files, cancels, epochs, attached;
};
/* Tells whether no library can be given the answer: those above, and whether a rank's own load or
 * store comes first. */
bool schedule_export_lacks(const struct world_decision *decision, int ranks);
/* Counts the ranks that fail since messages stay in attached buffers: they wait to detach one, or
 * have no room. */
uint32_t schedule_export_attached(const struct world_process_outcome *outcome, int ranks);
/* Tells whether the library can be given all that the world decided. */
bool explore_lived_whole(const struct explore_lived *lived);

/* Runs one world of the command under the policy, which says order=explore, or order=random with
 * the seed that chooses. The world is broken off after budget_s seconds (0: never; CORE_BUDGET).
 * *out_policy, which the caller owns, holds the decisions that the library can be given. */
enum core_status schedule_export(const struct explore_command *command,
                                 const struct replay_policy *policy, double budget_s,
                                 struct replay_policy *out_policy, struct explore_lived *out_lived);

#endif
