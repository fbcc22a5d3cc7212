/* The parts of a datatype, in the shape of MPI_Type_get_contents; also for types of MPI 4's
 * constructors with large counts, which that function refuses. */
#ifndef INTERPOSE_OBJECTS_CONTENTS_H
#define INTERPOSE_OBJECTS_CONTENTS_H

#include "interpose/recorder.h"

/* Returns an MPI_COMBINER_ value; -1: not a type. */
int contents_combiner(MPI_Datatype type);
struct contents_shape { /* number of each; larges: large counts of types made by MPI 4's
                           constructors */
    int64_t integers, addresses, larges, types;
};
int contents_shape(MPI_Datatype type, struct contents_shape *out); /* returns the combiner; -1: not
                                                                      a type */
int contents_types(MPI_Datatype type); /* number of types in its definition; 0: not a type */
/* Tells whether the combiner is that of a basic type; Fortran's parametrised types count as
 * basic. */
bool contents_basic(int combiner);

struct contents {
    int combiner;
    int types;
    int *integer;
    MPI_Aint *address;
    MPI_Datatype *type;
};
/* Reads the definition of a type that is not basic. Returns false, with nothing to free, if it is
 * unknown, or does not fit into ints. */
bool contents_get(MPI_Datatype type, struct contents *out);
void contents_free(struct contents *contents); /* and its references to derived types */

#endif
