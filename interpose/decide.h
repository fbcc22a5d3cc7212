/* Live decisions: under order=explore the recorder gives the job the answers that the policy names,
 * as crosswait's own MPI does (world/exchange/explore.h): which message a wildcard receive or a
 * probe gets, which requests a waitany and a waitsome report, whether a test finds its request
 * complete. Decisions are counted as in worlds, so that a schedule means the same in both.
 *
 * The library makes the decisions that the schedule does not name. The recorder waits for the named
 * answer: the search names only possible answers. A poll that found nothing looks longer when it is
 * repeated, so that, as in a world, a program seldom polls twice without success. (live_order.h
 * orders accesses to windows, and threads.) */
#ifndef INTERPOSE_DECIDE_H
#define INTERPOSE_DECIDE_H

#include "interpose/recorder.h"

/* Tells whether the policy is order=explore. */
bool decide_on(void);
/* Returns decide_on(), and notes the lane that records the next call of those below. */
bool decide_here(struct lane *lane);
/* Called before a wildcard receive is posted: returns the rank in its communicator that it must
 * name, or MPI_ANY_SOURCE. */
int decide_receive(struct lane *lane, MPI_Comm comm);
/* Called before a persistent wildcard receive is started. If the library does not let the recorder
 * choose the source, it matches any. */
void decide_started(struct lane *lane, MPI_Request request);

/* Counts a decision of MPI_Comm_accept, which worlds decide, and which is left to the library
 * here. */
void decide_accept(struct lane *lane, MPI_Comm comm, int root);

/* Replace the calls of the same names. */
int decide_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int decide_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int decide_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int decide_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                   MPI_Status *status);
int decide_Test(MPI_Request *request, int *flag, MPI_Status *status);
int decide_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int decide_Testall(int count, MPI_Request request[], int *flag, MPI_Status status[]);
int decide_Testany(int count, MPI_Request request[], int *index, int *flag, MPI_Status *status);
int decide_Testsome(int count, MPI_Request request[], int *out_count, int index[],
                    MPI_Status status[]);
int decide_Waitany(int count, MPI_Request request[], int *index, MPI_Status *status);
int decide_Waitsome(int count, MPI_Request request[], int *out_count, int index[],
                    MPI_Status status[]);

#endif
