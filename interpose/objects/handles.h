/* Inside interpose/: what the files that define handles tell each other. */
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
    bool handled;    /* errors may return: a handler was set that does not end the job, or none of
                        which    the recorder knows */
    int32_t *member; /* world ranks: the local group's, then the remote group's */
    /* By call: how many made a communicator of this one, or, before that, of those it comes from.
     * The same on all its ranks, as its collectives are. */
    uint32_t making[COMM_MAKINGS];
    uint32_t creation; /* how often each kind of object was made of it; 0 none (handles.c) */
};

/* all: of all processes, where there is no MPI_COMM_WORLD; else the null group. */
void handles_init(struct lane *lane, MPI_Group all);
void handles_finalize(void);
const struct comm_info *handles_comm_info(struct lane *lane,
                                          MPI_Comm comm); /* NULL: null or unknown */
/* Counts a collective call that makes a communicator of this one: how many-th it is; 0: not known.
 */
uint32_t handles_comm_making(uint32_t comm, unsigned call);

/* Whether an error of the communicator ends the job, without a question to the library: it may be
 * about the communicator of the open call alone, as no lock is taken. */
bool handles_comm_fatal(MPI_Comm comm);
bool handles_win_fatal(void); /* of each window: no handler was ever set */

/* Under the lock: the communicator with that id still has the handle. */
bool handles_comm_is(uint32_t id, MPI_Comm comm);
/* recorder_comm; number: of one that the library made for itself, the same on all members, or 0. */
uint32_t handles_comm(struct lane *lane, MPI_Comm comm, uint32_t number);

/* The map of datatypes, whose definitions are in datatypes.c. Under the lock. */
uint32_t handles_type_find(MPI_Datatype type);
uint32_t
handles_type_known(MPI_Datatype type); /* takes the lock; 0: the application never showed it */
uint32_t handles_type_add(MPI_Datatype type, uint32_t id); /* id 0: a new one */

#endif
