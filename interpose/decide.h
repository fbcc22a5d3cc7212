/* Live decisions: under order=explore the recorded job is given the answers that the policy names,
 * as our own MPI gives them (world/exchange/explore.h): which message a wildcard receive or a probe
 * takes, what a waitany and a waitsome report, whether a test finds what it looks for. Decisions
 * are counted here as they are there, so that a schedule means the same in both.
 *
 * Decisions that the schedule does not name are left to the library. The recorder waits for what it
 * names: the search names only what can come. A poll that has found nothing looks longer when it
 * comes again, so that as in a world a program seldom polls in vain twice. (Whose turn it is at a
 * window or among threads: live_order.h.) */
#ifndef INTERPOSE_DECIDE_H
#define INTERPOSE_DECIDE_H

#include "interpose/recorder.h"

/* Whether the policy says so. */
bool decide_on(void);
/* The same; the next of the calls below is part of a call that this lane records. */
bool decide_here(struct lane *lane);
/* A wildcard receive is about to be posted: the rank in its communicator that it is to name, or
 * MPI_ANY_SOURCE. */
int decide_receive(struct lane *lane, MPI_Comm comm);
/* A persistent one is about to be started; where the library does not let us say what it takes, it
 * takes what comes. */
void decide_started(struct lane *lane, MPI_Request request);

/* Whom it takes is decided there, and left to the library here. */
void decide_accept(struct lane *lane, MPI_Comm comm, int root);

/* In place of the calls of the same names. */
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
