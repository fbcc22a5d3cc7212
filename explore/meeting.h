/* Where the processes of one job meet, on whichever machines they are: one listens, and says in a
 * file of the folder that all stand in where; the others connect, and show that they have read it.
 * No MPI is needed for it. */
#ifndef EXPLORE_MEETING_H
#define EXPLORE_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct explore_meeting;

/* job: the same for all of one job, another for the next. `others`: how many are to come; the file
 * is removed when they are all there, at the latest when it is closed. */
enum core_status explore_meeting_open(uint64_t job, int others, struct explore_meeting **out);
void explore_meeting_close(struct explore_meeting *meeting);
/* A socket to one who has come since; -1: nobody. */
int explore_meeting_accept(struct explore_meeting *meeting);
/* Waits until somebody has come; false: nobody is expected, or came within so long. */
bool explore_meeting_await(const struct explore_meeting *meeting, int limit_ms);
/* Waits for whoever listens; -1: nobody does. */
int explore_meeting_join(uint64_t job);

#endif
