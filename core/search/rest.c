/* See the header. */
#include "core/search/rest.h"

#include <stdio.h>

#include "core/check.h"

#define MAY_BE_MORE "and there may be more"
#define JOB_WINDOWS ", as a job does not show the order of accesses to windows and files"
#define NO_ORDER(file) " use " file " without an MPI order between them"
#define USES_SIGNALS " sets a timer or signals another rank, and a signal can come at any time"
#define USES_SOCKETS " uses sockets, whose data can come at any time"
#define USES_NUMBER \
    " reads its rank from the environment before MPI_Init, where a rank of a world has none"
#define USES_QUEUES " uses named pipes, semaphores or message queues, whose order is not known"
#define USES_CHANCE " depends on the time or on chance, which are the same in all worlds"
#define USES_REDUCE " depends on the order in which a reduction combines its operands"
#define JOB_PERSISTENT " cannot be told which message a persistent receive takes"

static const char *const rest_texts[SEARCH_REST_COUNT] = {
    [SEARCH_REST_NONE] = "all there are",
    [SEARCH_REST_POLLS] = "all in which no test or probe fails twice in a row",
    [SEARCH_REST_UNKNOWN] = MAY_BE_MORE " than crosswait can distinguish",
    [SEARCH_REST_FILES] = MAY_BE_MORE ", as ranks" NO_ORDER("a file"),
    [SEARCH_REST_SIGNALS] = MAY_BE_MORE ", as a rank" USES_SIGNALS,
    [SEARCH_REST_SOCKETS] = MAY_BE_MORE ", as a rank" USES_SOCKETS,
    [SEARCH_REST_REDUCE] = MAY_BE_MORE ", as a rank" USES_REDUCE,
    [SEARCH_REST_CHANCE] = MAY_BE_MORE ", as a rank" USES_CHANCE,
    [SEARCH_REST_NUMBER] = MAY_BE_MORE ", as a rank" USES_NUMBER,
    [SEARCH_REST_QUEUES] = MAY_BE_MORE ", as a rank" USES_QUEUES,
    [SEARCH_REST_THREADS] = MAY_BE_MORE ", as the order of some calls of threads is not known",
    [SEARCH_REST_WINDOWS] = MAY_BE_MORE JOB_WINDOWS,
    [SEARCH_REST_PERSISTENT] = MAY_BE_MORE ", as a job" JOB_PERSISTENT,
    [SEARCH_REST_JOB] = MAY_BE_MORE JOB_WINDOWS ", and" JOB_PERSISTENT,
    [SEARCH_REST_REPEATS] = MAY_BE_MORE ", as the program does not repeat itself",
    [SEARCH_REST_EARLY] = MAY_BE_MORE ", as a rank ended the job while others could continue",
    [SEARCH_REST_BROKEN_OFF] = MAY_BE_MORE ", as a world was broken off",
    [SEARCH_REST_OVERTAKING] = MAY_BE_MORE ", as messages may overtake each other",
    [SEARCH_REST_MORE] = "and there are more",
    [SEARCH_REST_STOPPED] = "the search stopped at this deadlock",
    [SEARCH_REST_NOTHING] = "as no world ended within the time limit",
    [SEARCH_REST_TOO_LARGE] = "as every world exceeds the limits of a world",
    [SEARCH_REST_INTERRUPTED] = "then the search was interrupted",
};

const char *search_rest_text(enum search_rest rest)
{
    CORE_CHECK(rest < SEARCH_REST_COUNT);
    return rest_texts[rest];
}

void search_rest_files(const int rank[2], const char *name, char *text, size_t bytes)
{
    CORE_CHECK(rank[0] < rank[1]);
    snprintf(text, bytes, MAY_BE_MORE ", as ranks %d and %d" NO_ORDER("'%s'"), rank[0], rank[1],
             name);
}

void search_rest_outside(enum search_rest rest, int rank, char *text, size_t bytes)
{
    const char *uses = rest == SEARCH_REST_SIGNALS   ? USES_SIGNALS
                       : rest == SEARCH_REST_SOCKETS ? USES_SOCKETS
                       : rest == SEARCH_REST_CHANCE  ? USES_CHANCE
                       : rest == SEARCH_REST_REDUCE  ? USES_REDUCE
                       : rest == SEARCH_REST_NUMBER  ? USES_NUMBER
                       : rest == SEARCH_REST_QUEUES  ? USES_QUEUES
                                                     : NULL;
    CORE_CHECK(rank >= 0 && uses);
    snprintf(text, bytes, MAY_BE_MORE ", as rank %d%s", rank, uses);
}

#define UNLESS_POLLED "and no more in which no test or probe fails twice in a row, unless "
#define UNLESS_WINDOWS "a rank's own loads and stores race in its window"
#define UNLESS_THREADS "threads of a rank race for memory or locks"
#define UNLESS_BOTH UNLESS_WINDOWS ", or its threads for memory or locks"
#define UNLESS_ALSO ", or ranks for memory that they share outside of MPI"
#define UNLESS(x)                                \
    {                                            \
        "and no more unless " x, UNLESS_POLLED x \
    }

const char *search_unless_text(unsigned unless, bool polls)
{
    static const char *const races[SEARCH_UNLESS_KINDS][2] = {
        [SEARCH_UNLESS_WINDOWS] = UNLESS(UNLESS_WINDOWS),
        [SEARCH_UNLESS_THREADS] = UNLESS(UNLESS_THREADS),
        [SEARCH_UNLESS_WINDOWS | SEARCH_UNLESS_THREADS] = UNLESS(UNLESS_BOTH),
        [SEARCH_UNLESS_SHARED] = UNLESS("ranks race for memory that they share outside of MPI"),
        [SEARCH_UNLESS_SHARED | SEARCH_UNLESS_WINDOWS] = UNLESS(UNLESS_WINDOWS UNLESS_ALSO),
        [SEARCH_UNLESS_SHARED | SEARCH_UNLESS_THREADS] = UNLESS(UNLESS_THREADS UNLESS_ALSO),
        [SEARCH_UNLESS_KINDS - 1] = UNLESS(UNLESS_BOTH UNLESS_ALSO),
    };
    CORE_CHECK(unless && unless < SEARCH_UNLESS_KINDS);
    return races[unless][polls];
}
