/* For the file of somebody who writes a collective. `crosswait fuzz FILE.c` includes this header by
 * itself and defines CROSSWAIT_FUZZ, so that one guarded line at the end of the file is enough:
 *
 *     #ifdef CROSSWAIT_FUZZ
 *     COLLECTIVE(allreduce, "", my_allreduce)
 *     #endif
 *
 * The first word is the MPI call whose arguments the function takes: any collective of MPI 3.1, as
 * allreduce, iallreduce (returns a request) or allreduce_init (starts twice), neighbour kinds on
 * grids (.topology: on graphs as well), others on intracommunicators (.communicators: between the
 * two groups of intercommunicators as well, or only there); the second the row of the model that it
 * claims to keep (`crosswait model` lists them), or "". More may follow:
 *
 *     COLLECTIVE(bcast, "bcast.binomial", my_bcast, .domain = COLLECTIVE_POWER_OF_TWO,
 *                .root_zero_only = 1)
 *     COLLECTIVE(bcast, "", my_bcast, .rounds_most = my_rounds, .elements_most = my_elements)
 *     COLLECTIVE(allgather, "", my_allgather, .communicators = COLLECTIVE_INTRA_OR_INTER)
 *
 * A file may register several. Its MPI is the in-process one, with the functions of MPI 4 and 5 as
 * well, even if the installed mpi.h lacks them (on real ranks the library must have them).
 */
#ifndef FUZZ_CROSSWAIT_FUZZ_H
#define FUZZ_CROSSWAIT_FUZZ_H

#include "corpus/collectives/registry.h"
#include "world_newer.h"

#endif
