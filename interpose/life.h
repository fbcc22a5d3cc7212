/* Inside interpose/: starting and ending, for code other than wrappers. */
#ifndef INTERPOSE_LIFE_H
#define INTERPOSE_LIFE_H

#include "interpose/recorder.h"

int life_pid(void);        /* the recorded process; 0: not yet recorded */
bool recorder_plain(void); /* no launcher: MPI_Finalize makes the trace */
/* job_folder.c: makes the folder of this job's spools, before or in MPI_Init. Returns false on
 * failure; recorder_folder() is then the folder that could not be made. */
bool recorder_folder_choose(void);
const char *recorder_folder(void);

/* Writes the command line as a shell would get it, "./app 8", cut to fit. */
void recorder_command_line(char *words, size_t room);

/* special_started_unseen tells whether MPI runs although the recorder did not see its start.
 * special_start_late then starts recording, and notes that calls are missing. */
bool special_started_unseen(void);
struct lane *special_start_late(void **cfa);

/* Returns the path of the trace of a job without a launcher. */
const char *life_out(void);
/* Called after MPI_Finalize of a job without a launcher: rank 0 turns the spools into the trace,
 * once all ranks have closed theirs. */
void life_make_trace(const char *folder);

/* Tells the user where the spools are, if no rank may wait for the others to make the trace. */
void life_name_spools(const char *folder);

/* hosts.c: jobs on several machines. */
/* Tells whether the job has ranks on other machines, according to its launcher. */
bool hosts_several(void);
/* Tells whether this machine is not that of a launcher with relays. */
bool hosts_far(void);
/* Writes the folder of this machine's spools: `spool`, or a separate one for ranks that run on
 * another machine than a launcher with relays. Returns false if it is too long. */
bool hosts_spool(const char *spool, char *text, size_t room);
void hosts_relay(const char *job_folder); /* starts the relay, on the first rank of another
                                             machine */

#endif
