/* The library layer: records the inside of the MPI library's own collectives. Absent for unknown
 * libraries. */
#ifndef INTERPOSE_LAYER_LAYER_H
#define INTERPOSE_LAYER_LAYER_H

#include "core/trace/traits.h"
#include "interpose/recorder.h"

/* Called before MPI_Init, with libcrosswait.so's interface. */
struct body_entry;
void layer_found(const struct body_entry *entry);
/* Called after MPI_Init. Returns NULL if the layer is on; else the reason, or a message for the
 * user. version: from MPI_Get_library_version. */
const char *layer_start(const char *version);
void layer_stop(void);                                           /* before MPI_Finalize */
const struct call_description *layer_description(unsigned call); /* call >= CALL_COUNT */

/* Record fatal errors (exit_record.h) if the library has a known version and shape, whether or not
 * the layer is on. Called after MPI_Init, and after MPI_Finalize. */
void layer_errors_start(const char *version);
void layer_errors_stop(void);
/* layer_receive_comm returns the communicator of an inactive persistent receive; MPI_COMM_NULL: its
 * source cannot be changed. layer_receive_from sets the source of the receive from its next start
 * on. */
MPI_Comm layer_receive_comm(MPI_Request request);
void layer_receive_from(MPI_Request request, int source);
/* Tells whether such a call of several ranks needs messages. */
static inline bool call_needs_messages(unsigned call, int count)
{
    const struct call_description *of = &call_description[call];
    const uint64_t uneven = TRAIT_BIT(PER_RANK) | TRAIT_BIT(NEIGHBOR);
    bool moves = count > 0 && !(of->traits & uneven) &&
                 (of->verb == VERB_BCAST || of->verb == VERB_GATHER || of->verb == VERB_SCATTER ||
                  of->verb == VERB_ALLGATHER || of->verb == VERB_ALLTOALL ||
                  of->verb == VERB_REDUCE || of->verb == VERB_ALLREDUCE || of->verb == VERB_SCAN);

    return moves || of->verb == VERB_BARRIER;
}
/* Returns the lane of a thread that is in a call of the application; NULL: it is in none, or in a
 * callback, whose calls are recorded separately. */
static inline struct lane *layer_lane(void)
{
    struct lane *lane = recorder_thread.current;

    return !lane || lane == recorder_nobody || lane->depth == 0 || lane->depth >= SPOOL_DEPTH_MAX ||
                   lane->writer.header->callback
               ? NULL
               : lane;
}
/* Begins the event of a call inside the application's call `parent`. */
static inline struct spool_event *layer_enter(struct lane *lane, unsigned call, uint64_t parent)
{
    if (UNLIKELY(!recorder.defined[call]))
        recorder_define_call(lane, call);
    if (UNLIKELY(lane->poll_count)) /* the library may progress in a poll */
        recorder_polls_write(lane);
    struct spool_event *e = recorder_begin(lane, call, 0);
    e->parent = (uint32_t)(e->seq - parent);
    return e;
}
/* Tells whether the layer was built for this library. */
bool layer_knows(const char *version);

#endif
