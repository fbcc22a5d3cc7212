/* Names what a search has not executed, and why: the one wording of how complete a search is.
 * explore/README.md and replay/README.md define the set that "all there are" speaks of. */
#ifndef CORE_SEARCH_REST_H
#define CORE_SEARCH_REST_H

#include <stdbool.h>
#include <stddef.h>

/* Sorted by how little is known: if several apply, the last one counts. */
enum search_rest {
    SEARCH_REST_NONE,        /* everything was executed */
    SEARCH_REST_POLLS,       /* all executions in which no test or probe fails twice in a row */
    SEARCH_REST_UNKNOWN,     /* there may be more: an execution could not report all its options */
    SEARCH_REST_FILES,       /* ... as ranks use a file and MPI does not order these uses */
    SEARCH_REST_SIGNALS,     /* ... as a rank uses signals, which can come at any time */
    SEARCH_REST_SOCKETS,     /* ... as a rank uses sockets, whose data can come at any time */
    SEARCH_REST_REDUCE,      /* ... as a rank depends on the order in which a reduction combines */
    SEARCH_REST_CHANCE,      /* ... as a rank depends on the time or on random numbers */
    SEARCH_REST_NUMBER,      /* ... as a rank reads its rank from the environment too early */
    SEARCH_REST_QUEUES,      /* ... as a rank uses named pipes, semaphores or message queues */
    SEARCH_REST_THREADS,     /* ... as the order of several threads' calls is unknown */
    SEARCH_REST_WINDOWS,     /* ... as a job reports no order of accesses to windows and files */
    SEARCH_REST_PERSISTENT,  /* ... as no job can be forced to what a persistent receive takes */
    SEARCH_REST_JOB,         /* both */
    SEARCH_REST_REPEATS,     /* ... as the same answers did not give the same execution */
    SEARCH_REST_EARLY,       /* ... as a rank ended an execution while others could continue */
    SEARCH_REST_BROKEN_OFF,  /* ... as an execution was broken off */
    SEARCH_REST_OVERTAKING,  /* ... as info keys let messages overtake each other */
    SEARCH_REST_MORE,        /* there is more, but the budget was spent */
    SEARCH_REST_STOPPED,     /* the search stopped at the deadlock that it looked for */
    SEARCH_REST_NOTHING,     /* no execution ended within the time */
    SEARCH_REST_TOO_LARGE,   /* each execution needs more memory or files than it may use */
    SEARCH_REST_INTERRUPTED, /* by a signal */
    SEARCH_REST_COUNT
};

/* Returns the text that follows a number of executions: "all there are", "and there are more"... */
const char *search_rest_text(enum search_rest rest);

/* Writes the text for SEARCH_REST_FILES that names the two ranks and the file. */
void search_rest_files(const int rank[2], const char *name, char *text, size_t bytes);
/* Writes the text for SEARCH_REST_SIGNALS, SOCKETS, CHANCE or QUEUES that names the rank. */
void search_rest_outside(enum search_rest rest, int rank, char *text, size_t bytes);

/* Accesses that no execution showed. If they race, there are more executions than were run. */
enum {
    SEARCH_UNLESS_WINDOWS = 1, /* a rank's own loads and stores in its window */
    SEARCH_UNLESS_THREADS = 2,
    SEARCH_UNLESS_SHARED = 4,
    SEARCH_UNLESS_KINDS = 8 /* number of sets of them */
};
/* Returns the text for a search that executed everything "unless" these accesses race; polls: as
 * SEARCH_REST_POLLS. */
const char *search_unless_text(unsigned unless, bool polls);

#endif
