/* The processes that share one search. The first one searches and prints; the others help it. They
 * are the processes of one MPI job (`mpirun -n 4 crosswait explore ...`), or those that the command
 * of --spread starts. */
#ifndef CORE_SEARCH_GROUP_H
#define CORE_SEARCH_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

enum { SEARCH_ANY_NUMBER = -1 };

struct search_group {
    uint64_t number; /* the same in all its processes, differs for the next group; 0: no group */
    bool helps;      /* this process is not the first one */
    int others;      /* processes besides the first one, or SEARCH_ANY_NUMBER (--spread) */
    /* The command of --spread, and the arguments with which it starts a helper; NULL: none. */
    const char *command;
    char *const *argv;
};

/* Tells whether --spread started this process, and fills the group then. */
bool search_group_started(struct search_group *out_group);
/* Reads from the environment which group this process belongs to, if any. Removes the launcher's
 * variables, so that processes that this one starts do not belong to the launcher's job. */
void search_group_read(struct search_group *out_group);
/* Makes this process the first one of a new group, whose helpers `command` starts. argv: the
 * name of crosswait's command and its arguments; both must remain valid. Reports if the process
 * belongs to a group already. */
enum core_status search_group_new(const char *command, char *const argv[],
                                  struct search_group *group);

#endif
