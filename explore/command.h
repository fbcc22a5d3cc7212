/* Parses a command as people type it: `mpirun -n 4 ./app args`, or the program itself where the
 * number of ranks is given beside it. */
#ifndef EXPLORE_COMMAND_H
#define EXPLORE_COMMAND_H

#include <stdbool.h>

#include "core/status.h"

struct explore_command {
    char **argv;        /* of the program; points into the words that were read */
    int rank_count;     /* 0: the command does not say */
    char **typed;       /* with the launcher and its options; NULL if only the program was typed */
    char **environment; /* NAME=VALUE, ended by NULL; owned */
    unsigned int environment_count, environment_room;
};

/* Passes over the launcher's options that do not concern a world; refuses by name an unknown option
 * or one that a world cannot fulfil (CORE_BAD_INPUT, CORE_UNSUPPORTED). job: the command is run as
 * it is, so every option is allowed, and with several programs rank_count stays 0. */
enum core_status explore_command_read(char **word, bool job, struct explore_command *out_command);
void explore_command_done(struct explore_command *command);

#endif
