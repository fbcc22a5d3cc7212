/* Lets the processes of one job (`mpirun -n 4 crosswait explore ...`) meet, on whichever machines
 * they run: one listens and writes its address to a file in the folder that all share; the others
 * connect, and prove that they have read the file. This needs no MPI. */
#ifndef CORE_SEARCH_MEETING_H
#define CORE_SEARCH_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* Tells whether an MPI launcher started this process as one of several; the rank and the number of
 * processes come from the environment. */
bool search_job(int *out_rank, int *out_size);
/* Returns a number that all processes of one job share, and that differs for the next job. */
uint64_t search_job_number(void);
/* Removes the launcher's variables from the environment, so that processes that this one starts do
 * not belong to its job. */
void search_job_leave(void);

struct search_meeting;

/* Listens for `others` processes. job: a number that all processes of the job share, and that
 * differs for the next job. The file is removed when all have come, at the latest when the meeting
 * is closed. */
enum core_status search_meeting_open(uint64_t job, int others, struct search_meeting **out);
void search_meeting_close(struct search_meeting *meeting);
/* Returns a socket to a process that has connected since; -1 if there is none. */
int search_meeting_accept(struct search_meeting *meeting);
/* Waits until a process connects; false if none is expected, or none connects within limit_ms. */
bool search_meeting_await(const struct search_meeting *meeting, int limit_ms);
/* Connects to the listening process, and waits for it; -1 if there is none. */
int search_meeting_join(uint64_t job);

#endif
