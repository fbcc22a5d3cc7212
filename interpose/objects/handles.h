/* Shared by the files of interpose/ that define handles. */
#ifndef INTERPOSE_OBJECTS_HANDLES_H
#define INTERPOSE_OBJECTS_HANDLES_H

#include "interpose/recorder.h"

enum { COMM_MAKINGS = 8 };
struct comm_info {
    MPI_Comm handle;
    uint64_t global;
    uint32_t id, parent;
    int32_t size, remote_size, rank;
    uint32_t topology;
    bool inter;
    bool handled;    /* errors may return: a handler was set that does not end the job, or an
                        unknown one */
    int32_t *member; /* world ranks: the local group's, then the remote group's */
    /* By call: how many such calls made a communicator from this one or its ancestors. The same on
     * all its ranks, as its collectives are. */
    uint32_t making[COMM_MAKINGS];
    uint32_t creation; /* first of the counts of objects made from it (handles.c); 0: none */
};

/* all: the group of all processes if there is no MPI_COMM_WORLD; else the null group. */
void handles_init(struct lane *lane, MPI_Group all);
void handles_finalize(void);
const struct comm_info *handles_comm_info(struct lane *lane,
                                          MPI_Comm comm); /* NULL: null or unknown */
/* Counts a collective call that makes a communicator from this one. Returns its number; 0:
 * unknown. */
uint32_t handles_comm_making(uint32_t comm, unsigned call);

/* Tells whether an error on the communicator ends the job, without asking the library. It takes no
 * lock, so it may only be asked about the communicator of the open call. */
bool handles_comm_fatal(MPI_Comm comm);
bool handles_win_fatal(void); /* on any window: no handler was ever set */

/* Tells whether the communicator with that id still has the handle. Requires the lock. */
bool handles_comm_is(uint32_t id, MPI_Comm comm);
/* Does the work of recorder_comm. number: the library's own number of a communicator that it made
 * for itself, the same on all members; or 0. */
uint32_t handles_comm(struct lane *lane, MPI_Comm comm, uint32_t number);

/* Look up and extend the map of datatypes (datatypes.c). Require the lock. */
uint32_t handles_type_find(MPI_Datatype type);
uint32_t
handles_type_known(MPI_Datatype type); /* takes the lock; 0: the application never used it */
uint32_t handles_type_add(MPI_Datatype type, uint32_t id); /* id 0: assigns a new one */

#endif
