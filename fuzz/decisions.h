/* Decisions that MPI leaves to the library: which standard sends were buffered, which source a
 * wildcard receive took, what a test, a probe or a wait for any of several requests said. A run in
 * one process notes its decisions; a run on real ranks has the same ones forced upon it, call by
 * call, so that a finding which depends on credits, on delays or on a schedule repeats there.
 *
 * The calls that answer differently from run to run (MPI_Test and its kin, the probes,
 * MPI_Waitany, MPI_Waitsome) are stood in front of here, by weak names, in both. Sends and wildcard
 * receives are noted from the in-process MPI's events and forced in real_main.c.
 *
 * Relies on <mpi.h> and the C library: it is also compiled with mpicc for real ranks. */
#ifndef FUZZ_DECISIONS_H
#define FUZZ_DECISIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* From here on ranks 0 to ranks - 1 have theirs noted; rank() says whose call it is. */
void decisions_note(int ranks, int (*rank)(void));
/* An event of the in-process MPI: a standard send of the program's own; one of a persistent
 * request; a receive from any source, with its request; where that one's message came from. */
void decisions_sent(int rank, bool buffered);
void decisions_started(int rank, bool buffered);
void decisions_posted(int rank, int32_t request);
void decisions_matched(int rank, int32_t request, int world_source);
/* A rank that came to this call of the collective after another had left it. */
void decisions_late(int rank, int call);
/* The noted decisions, as text: lines of a rank, what, and numbers. */
void decisions_print(FILE *out);

/* Forces what the file says of this rank. 0, or -1 with a message printed. */
int decisions_force(const char *path, int ranks, int world_rank);
/* The decision for the next standard send, for all persistent sends, for the next receive from any
 * source: 1 or 0 (buffered), a rank of the world; -1 when nothing was decided. */
int decisions_next_send(void);
int decisions_persistent(void);
int decisions_next_source(void);
bool decisions_is_late(int call);

#endif
