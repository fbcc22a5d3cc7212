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
    MPI_Request *list; /* of one call */
    int *index;
    uint32_t *decided; /* by number of its decision: the operation */
    uint32_t *sent;    /* by number of its standard send in the world, from 0: the operation */
    uint64_t *number;  /* of the same, in the job; 0: it has none */
    uint32_t sent_count;
    uint32_t done;  /* operations */
    uint32_t waits; /* for that operation, + 1 */
    bool begun;
};

struct rank_state {
    MPI_Comm *comm, *group; /* by communicator of the program: of messages, of collectives */
    MPI_Request *request;
    MPI_Message *message; /* by request */
    struct reexec_rank_threads threads;
    struct thread_state *thread; /* by index */
    const void **causes;         /* by operation: the causes of its thread by then */
    bool *done;                  /* by operation */
    bool died;                   /* of itself */
    bool refused;                /* it waited for what the policy names, which did not come */
};

struct mirror {
    struct trace *trace;
    const struct replay_program *program;
    const struct replay_policy *policy;
    struct rank_state *rank;
    struct reexec_windows windows;
    struct reexec_log turns;
    struct explore_mirror *out;
    enum core_status status; /* of the events */
};

/* Numbers the standard sends of a thread, which is `index` of its rank. */
enum core_status reexec_sends_number(struct mirror *mirror, uint32_t rank, uint32_t index);
/* After the world: its events and decisions, as the job calls them. */
enum core_status reexec_events_name(struct mirror *mirror);
enum core_status reexec_decisions_name(struct mirror *mirror, const struct replay_policy *policy);

#endif
