/* Inside interpose/: what the files that define handles tell each other. */
#ifndef INTERPOSE_OBJECTS_HANDLES_H
#define INTERPOSE_OBJECTS_HANDLES_H

#include "interpose/recorder.h"

struct comm_info {
    MPI_Comm handle;
    uint64_t global;
    uint32_t id, parent;
    int32_t size, remote_size, rank;
    uint32_t topology;
    bool inter;
    int32_t *member; /* world ranks: the local group's, then the remote group's */
};

void handles_init(struct lane *lane);
void handles_finalize(void);
const struct comm_info *handles_comm_info(struct lane *lane,
                                          MPI_Comm comm); /* NULL: null or unknown */

/* The map of datatypes, whose definitions are in datatypes.c. Under the lock. */
uint32_t handles_type_find(MPI_Datatype type);
uint32_t
handles_type_known(MPI_Datatype type); /* takes the lock; 0: the application never showed it */
uint32_t handles_type_add(MPI_Datatype type, uint32_t id); /* id 0: a new one */

#endif
