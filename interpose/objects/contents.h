/* The parts of a datatype, in the shape of MPI_Type_get_contents; also for types of MPI 4's
 * constructors with large counts, which that function refuses. */
#ifndef INTERPOSE_OBJECTS_CONTENTS_H
#define INTERPOSE_OBJECTS_CONTENTS_H

#include "interpose/recorder.h"

/* An MPI_COMBINER_; -1: it is no type. */
int contents_combiner(MPI_Datatype type);
struct contents_shape { /* how many of each; large counts: of types made by MPI 4's constructors */
    int64_t integers, addresses, larges, types;
};
int contents_shape(MPI_Datatype type, struct contents_shape *out); /* gives the combiner; -1 */
int contents_types(MPI_Datatype type); /* how many types it was made of; 0 likewise */
/* Whether the combiner is a basic type's. Fortran's parametrised types are kinds of these. */
bool contents_basic(int combiner);

struct contents {
    int combiner;
    int types;
    int *integer;
    MPI_Aint *address;
    MPI_Datatype *type;
};
/* Reads the parts of a type that is not basic. False: it is not known, or does not fit into ints;
 * nothing is to be freed then. */
bool contents_get(MPI_Datatype type, struct contents *out);
void contents_free(struct contents *contents); /* and what it holds of types that were made */

#endif
