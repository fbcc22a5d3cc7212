/* The processes of one job (`mpirun -n 4 crosswait explore ...`) meet, on whichever machines they
 * are: one listens, and writes its address to a file of the folder in which all run; the others
 * connect, and show that they have read the file. No MPI is needed for it. */
#ifndef CORE_SEARCH_MEETING_H
#define CORE_SEARCH_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* Whether this process is one of several that a launcher of MPI jobs started: its rank and their
 * number, from the environment. */
bool search_job(int *out_rank, int *out_size);
/* The same for all processes of one job, another for the next job. */
uint64_t search_job_number(void);
/* Removes the launcher's variables from the environment, so that processes that this one starts do
 * not belong to its job. */
void search_job_leave(void);

struct search_meeting;

/* job: the same for all of one job, another for the next. `others`: how many are to come; the file
 * is removed when they are all there, at the latest when it is closed. */
enum core_status search_meeting_open(uint64_t job, int others, struct search_meeting **out);
void search_meeting_close(struct search_meeting *meeting);
/* A socket to one who has come since; -1: nobody. */
int search_meeting_accept(struct search_meeting *meeting);
/* Waits until somebody has come; false: nobody is expected, or came within so long. */
bool search_meeting_await(const struct search_meeting *meeting, int limit_ms);
/* Waits for whoever listens; -1: nobody does. */
int search_meeting_join(uint64_t job);

#endif
