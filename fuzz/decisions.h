/* Decisions that MPI leaves to the library: which standard sends were buffered, which source a
 * wildcard receive took, what a test, a probe or a wait for any of several requests returned. A run
 * in one process records its decisions; a run on real ranks is forced to make the same ones, call
 * by call, so that a finding which depends on credits, delays or a schedule repeats there.
 *
 * Calls whose results differ from run to run (MPI_Test and its like, the probes, MPI_Waitany,
 * MPI_Waitsome) are wrapped here, by weak names, in both runs. Sends and wildcard receives are
 * recorded from the in-process MPI's events and forced in real_main.c.
 *
 * Relies on <mpi.h> and the C library: it is also compiled with mpicc for real ranks. */
#ifndef FUZZ_DECISIONS_H
#define FUZZ_DECISIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Starts to record the decisions of ranks 0 to ranks - 1; rank() returns the calling rank. */
void decisions_note(int ranks, int (*rank)(void));
/* Record events of the in-process MPI: a standard send of the program; a start of a persistent one;
 * a wildcard receive, with its request; the source of that receive's message. */
void decisions_sent(int rank, bool buffered);
void decisions_started(int rank, bool buffered);
void decisions_posted(int rank, int32_t request);
void decisions_matched(int rank, int32_t request, int world_source);
/* Records that the rank entered this call of the collective after another had left it. */
void decisions_late(int rank, int call);
/* Prints the recorded decisions: lines with a rank, a kind and numbers. */
void decisions_print(FILE *out);

/* Forces the file's decisions of this rank. Returns 0, or -1 with a message printed. */
int decisions_force(const char *path, int ranks, int world_rank);
/* Return the decision for the next standard send, for all persistent sends, for the next wildcard
 * receive: 1 or 0 (buffered or not), or a world rank; -1 if none was recorded. */
int decisions_next_send(void);
int decisions_persistent(void);
int decisions_next_source(void);
bool decisions_is_late(int call);

#endif
