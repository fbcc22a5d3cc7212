/* reexec.c executes a recorded job again in a world; reexec_name.c gives the decisions and sends of
 * that world their numbers and places in the job. Both share this. */
#ifndef EXPLORE_REEXEC_INSIDE_H
#define EXPLORE_REEXEC_INSIDE_H

#include <mpi.h>

#include "explore/reexec.h"
#include "explore/reexec_thread.h"
#include "explore/reexec_window.h"

#define A_MIRROR "what a job chose"

struct thread_state {
    MPI_Request *list; /* arguments of one call */
    int *index;
    uint32_t *decided; /* [decision number]: the operation */
    uint32_t *sent;    /* [number of its standard send in the world, from 0]: the operation */
    uint64_t *number;  /* [same]: the send's number in the job; 0 if it has none */
    uint32_t sent_count;
    uint32_t done;  /* operations */
    uint32_t waits; /* operation that it waits for, + 1; 0 if none */
    bool begun;
};

struct rank_state {
    MPI_Comm *comm, *group; /* by communicator of the program: one for messages, one for
                               collectives */
    MPI_Request *request;
    MPI_Message *message; /* by request */
    struct reexec_rank_threads threads;
    struct thread_state *thread; /* by index */
    const void **causes;         /* by operation: the causes of its thread when it was done */
    bool *done;                  /* by operation */
    bool died;                   /* the rank died by itself */
    bool refused;                /* an answer that the policy names was not available when the
                                    rank waited for it */
};

struct mirror {
    struct trace *trace;
    const struct replay_program *program;
    const struct replay_policy *policy;
    struct rank_state *rank;
    struct reexec_windows windows;
    struct reexec_log turns;
    struct explore_mirror *out;
    enum core_status status; /* an error while events were recorded */
};

/* Numbers the standard sends of the rank's thread `index`. */
enum core_status reexec_sends_number(struct mirror *mirror, uint32_t rank, uint32_t index);
/* Rename the world's events and decisions, after its end, to the job's numbers and places. */
enum core_status reexec_events_name(struct mirror *mirror);
enum core_status reexec_decisions_name(struct mirror *mirror, const struct replay_policy *policy);

#endif
