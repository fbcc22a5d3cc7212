/* Inside interpose/: starting and ending, beyond what wrappers see. */
#ifndef INTERPOSE_LIFE_H
#define INTERPOSE_LIFE_H

#include "interpose/recorder.h"

int life_pid(void);        /* of the process that is recorded; 0: not yet */
bool recorder_plain(void); /* no launcher: MPI_Finalize makes the trace */
/* job_folder.c: makes the folder of this job's spools, before or in MPI_Init; false: it cannot be
 * had, and recorder_folder() is the one that was wanted. */
bool recorder_folder_choose(void);
const char *recorder_folder(void);

/* "./app 8", as a shell was given it; as much as there is room for. */
void recorder_command_line(char *words, size_t room);

/* MPI runs, and its start was not seen; records from here on, and says that calls are missing. */
bool special_started_unseen(void);
struct lane *special_start_late(void **cfa);

/* The trace that a job without a launcher writes. */
const char *life_out(void);
/* Behind MPI_Finalize of a job without a launcher: rank 0 turns the spools into the trace, once all
 * ranks have closed theirs. */
void life_make_trace(const char *folder);

/* Where no rank may wait for the others, the trace is left to the user. */
void life_name_spools(const char *folder);

/* Several machines (hosts.c). */
/* Whether the job has ranks on other machines, as far as its launcher says so. */
bool hosts_several(void);
/* The folder of this machine's spools: `spool`, but for ranks of other machines than a launcher
 * that has relays. false: too long. */
bool hosts_spool(const char *spool, char *text, size_t room);
void hosts_relay(const char *job_folder); /* starts it, on the first rank of another machine */

#endif
