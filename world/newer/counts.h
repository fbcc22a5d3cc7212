/* Counts and displacements of large-count forms as their small forms take them. A count above
 * INT_MAX becomes one element of a larger datatype; a number above it that has no datatype ends the
 * world with a sentence. */
#ifndef WORLD_NEWER_COUNTS_H
#define WORLD_NEWER_COUNTS_H

#include "world/state.h"
#include "world_newer.h"

int world_large_int(MPI_Count number);
int world_large_count(MPI_Count count, MPI_Datatype *type);
/* Copies, which live as long as the world; NULL if the array is NULL. */
const int *world_large_counts(const MPI_Count *array, MPI_Count count);
const int *world_large_aints(const MPI_Aint *array, MPI_Count count);

enum world_large_group { WORLD_OTHERS, WORLD_NEIGHBOURS, WORLD_OWN_GROUP };
enum { WORLD_NO_ROOT = -100 };
/* Returns how many elements the calling rank's list has: 0 if the list means nothing there. buffer:
 * what the rank sends, or NULL. */
int world_large_partners(MPI_Comm comm, enum world_large_group group, bool sends, int root,
                         const void *buffer);

#endif
