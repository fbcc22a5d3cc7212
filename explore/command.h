/* Parses a command as people type it: `mpirun -n 4 ./app args`, or the program itself where the
 * number of ranks is given beside it. */
#ifndef EXPLORE_COMMAND_H
#define EXPLORE_COMMAND_H

#include <stdbool.h>

#include "core/status.h"

struct explore_command {
    char **argv;        /* of the program: within the words that were read */
    int rank_count;     /* 0: not said */
    char **typed;       /* with the launcher and its options; NULL: the program alone */
    char **environment; /* NAME=VALUE, ended by NULL; owned */
    unsigned int environment_count, environment_room;
};

/* Options of a launcher that do not concern a world are passed over; one that is not known, or that
 * asks for what a world cannot be, is refused by name (CORE_BAD_INPUT, CORE_UNSUPPORTED). job: it
 * is run as it is, and may ask for anything; of several programs the number of ranks is not said.
 */
enum core_status explore_command_read(char **word, bool job, struct explore_command *out_command);
void explore_command_done(struct explore_command *command);

#endif
