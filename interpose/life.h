/* Inside interpose/: starting and ending, beyond what wrappers see. */
#ifndef INTERPOSE_LIFE_H
#define INTERPOSE_LIFE_H

#include "interpose/recorder.h"

int life_pid(void);                /* of the process that is recorded; 0: not yet */
bool recorder_plain(void);         /* no launcher: MPI_Finalize makes the trace */
const char *recorder_folder(void); /* of this job's spools */

/* The trace that a job without a launcher writes. */
const char *life_out(void);
/* Collective over MPI_COMM_WORLD, in MPI_Finalize of a job without a launcher: rank 0 turns the
 * spools into the trace. */
void life_make_trace(const char *folder);

/* Where no rank may wait for the others, the trace is left to the user. */
void life_name_spools(const char *folder);

/* rank: only its files; -1: all ranks'. Then the folders, if nothing is left in them. */
void life_remove_spools(const char *folder, int rank);

/* Several machines (hosts.c). hosts_several is collective in jobs that have several, and free of
 * communication in others. */
/* The folder of this machine's spools: `spool`, but for ranks of other machines than a launcher
 * that has relays. false: too long. */
bool hosts_spool(const char *spool, char *text, size_t room);
void hosts_relay(const char *job_folder); /* starts it, on the first rank of another machine */
bool hosts_several(bool opened);          /* opened: this rank has a spool */
int64_t hosts_offset(void);               /* collective */
void hosts_collect(const char *folder);   /* collective: brings all spools to rank 0's folder */

#endif
