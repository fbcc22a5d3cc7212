/* Lets the processes of one group (core/search/group.h) meet, on whichever machines they run: one
 * listens and writes its address to a file in the folder that all share; the others connect, and
 * prove that they have read the file. This needs no MPI. If any number of processes may come, the
 * file also holds the first one's environment, which the others take over: what started them may
 * not have handed it on. */
#ifndef CORE_SEARCH_MEETING_H
#define CORE_SEARCH_MEETING_H

#include <stdbool.h>

#include "core/search/group.h"
#include "core/status.h"

struct search_meeting;

/* Listens for the others of that group. The file is removed when all have come, at the latest when
 * the meeting is closed. */
enum core_status search_meeting_open(const struct search_group *group, struct search_meeting **out);
void search_meeting_close(struct search_meeting *meeting);
/* Returns a socket to a process that has connected since; -1 if there is none. */
int search_meeting_accept(struct search_meeting *meeting);
/* Waits until a process connects; false if none is expected, or none connects within limit_ms. */
bool search_meeting_await(const struct search_meeting *meeting, int limit_ms);
/* Connects to the first process of the group, and waits for it; -1 if there is none. */
int search_meeting_join(const struct search_group *group);

#endif
