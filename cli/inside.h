/* Jobs that a crosswait inside of the command records: `crosswait run -- ctest`, where each test is
 * a `crosswait run` of its own. The outer one lists the inner ones' traces, to put their findings
 * into its files as well.
 *
 * The list is a file without a name, which ends with the outer process. The inner processes find it
 * by an environment variable.
 *
 * Invariants
 *  1. A process writes to no other file than such a list, whatever the variable says (on another
 *     machine the same path may be any file). */
#ifndef CLI_INSIDE_H
#define CLI_INSIDE_H

#include <stdint.h>

#include "core/status.h"

struct inside {
    char *outer;  /* the list of the crosswait around this one; NULL: there is none */
    int fd;       /* our list; 0: none could be made */
    char **trace; /* absolute paths, in the order in which their jobs ended */
    uint32_t count, room;
};

/* Makes the list. If that fails, the jobs inside are not listed. */
void inside_begin(struct inside *inside);
/* Returns the trace's path under another crosswait, which reads the trace later: absolute, since
 * findings name it. given: the user's name for it; NULL: none, and then the name is
 * "crosswait-inside-1.db" with a number that no other job there gets, as the outer one records to
 * the usual name. Returns `given` if there is no other crosswait. Valid until the next call. */
const char *inside_output(const struct inside *inside, const char *given);
/* Reads the list; a trace that was written twice is listed once. */
enum core_status inside_read(struct inside *inside);
/* Adds a trace to the list of the crosswait around this one. */
void inside_tell(const struct inside *inside, const char *trace);
void inside_done(struct inside *inside);

#endif
