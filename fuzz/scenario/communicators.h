/* The communicators that a scenario's calls are made on. Holds no state. */
#ifndef FUZZ_SCENARIO_COMMUNICATORS_H
#define FUZZ_SCENARIO_COMMUNICATORS_H

#include <mpi.h>
#include <stdbool.h>

#include "fuzz/scenario/scenario.h"

struct communicators {
    MPI_Comm comm[2]; /* the second one, of every other call, can be the first one */
    int group;        /* of an intercommunicator: 0 or 1 */
    MPI_Errhandler handler[2];
};

/* Makes them out of `world`, with a topology for `neighbours`. Returns false on a rank that is in
 * none. Collective over `world`. */
bool communicators_make(const struct scenario *scenario, MPI_Comm world, bool neighbours,
                        struct communicators *out);
/* Returns which of them has another error handler than at first; -1: none. */
int communicators_changed(const struct communicators *made);
void communicators_free(struct communicators *made, MPI_Comm world);

#endif
