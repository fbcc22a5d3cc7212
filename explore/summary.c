/* See the header. README.md says which set "all there are" speaks of. */
#include "explore/summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/search/rest.h"
#include "core/trace/describe.h"

/* Returns the first reason that holds why more may remain. */
static enum search_rest rest_of(const struct explore_search *s)
{
    return s->complete      ? s->asked_again ? SEARCH_REST_POLLS : SEARCH_REST_NONE
           : s->interrupted ? SEARCH_REST_INTERRUPTED
           : !s->behaviours && (s->late || s->overdue_count)
               ? *s->beyond ? SEARCH_REST_TOO_LARGE : SEARCH_REST_NOTHING
           : s->heap_count || s->overdue_count ? SEARCH_REST_MORE
           : s->overtaking                     ? SEARCH_REST_OVERTAKING
           : s->broken_off                     ? SEARCH_REST_BROKEN_OFF
           : s->early                          ? SEARCH_REST_EARLY
           : s->went_astray && !s->limited     ? SEARCH_REST_REPEATS
           : s->lacks & EXPLORE_LACKS_THREADS  ? SEARCH_REST_THREADS
                                               : SEARCH_REST_UNKNOWN;
}

struct orders explore_orders(const struct explore_search *s)
{
    enum orders_extent extent =
        s->heap_count || s->overdue_count || s->late ? ORDERS_SOME : ORDERS_MAYBE;
    if (!s->behaviours)
        extent = ORDERS_OPEN;
    else if (s->complete && s->states && !s->unless)
        extent = s->asked_again ? ORDERS_MAYBE : ORDERS_STATES;
    else if (s->complete && !s->unless)
        extent = s->asked_again ? ORDERS_POLLS : ORDERS_ALL;
    else if (s->complete)
        extent = ORDERS_MAYBE;
    return (struct orders){extent, s->behaviours};
}

#define UNLESS_POLLED "and no more in which no test or probe fails twice in a row, unless "
#define UNLESS_WINDOWS "a rank's own loads and stores race in its window"
#define UNLESS_THREADS "threads of a rank race for memory"
#define UNLESS_BOTH UNLESS_WINDOWS ", or its threads for memory"
#define UNLESS_ALSO ", or ranks for memory that they share outside of MPI"
#define UNLESS(x)                                \
    {                                            \
        "and no more unless " x, UNLESS_POLLED x \
    }

/* Names the unseen accesses that may race, where every decision was run. */
static const char *unless_of(const struct explore_search *s)
{
    static const char *const races[EXPLORE_UNLESS_KINDS][2] = {
        [EXPLORE_UNLESS_WINDOWS] = UNLESS(UNLESS_WINDOWS),
        [EXPLORE_UNLESS_THREADS] = UNLESS(UNLESS_THREADS),
        [EXPLORE_UNLESS_WINDOWS | EXPLORE_UNLESS_THREADS] = UNLESS(UNLESS_BOTH),
        [EXPLORE_UNLESS_SHARED] = UNLESS("ranks race for memory that they share outside of MPI"),
        [EXPLORE_UNLESS_SHARED | EXPLORE_UNLESS_WINDOWS] = UNLESS(UNLESS_WINDOWS UNLESS_ALSO),
        [EXPLORE_UNLESS_SHARED | EXPLORE_UNLESS_THREADS] = UNLESS(UNLESS_THREADS UNLESS_ALSO),
        [EXPLORE_UNLESS_KINDS - 1] = UNLESS(UNLESS_BOTH UNLESS_ALSO),
    };
    return races[s->unless][s->asked_again];
}

/* Names what jobs (--world=mpirun) lack for a complete search. */
static const char *lacks_of(const struct explore_search *s)
{
    static const char *const lacks[] = {
        [EXPLORE_LACKS_WINDOWS] = "and there may be more, as a job does not show the order of "
                                  "accesses to windows and files",
        [EXPLORE_LACKS_PERSISTENT] = "and there may be more, as a job cannot be told which message "
                                     "a persistent receive takes",
        [EXPLORE_LACKS_WINDOWS | EXPLORE_LACKS_PERSISTENT] =
            "and there may be more, as a job does not show the order of accesses to windows and "
            "files, and cannot be told which message a persistent receive takes",
    };
    return lacks[s->lacks];
}

static const char *rest_text(const struct explore_search *s)
{
    const enum search_rest rest = rest_of(s);
    return s->complete && s->unless                  ? unless_of(s)
           : rest == SEARCH_REST_UNKNOWN && s->lacks ? lacks_of(s)
                                                     : search_rest_text(rest);
}

char *explore_summary(const struct explore_search *s)
{
    char *text = NULL, states[64];
    const char *rest = rest_text(s);
    if (s->complete && s->states && !s->unless) /* behaviours were not counted */
        return asprintf(&text,
                        "every behaviour with buffered sends, by %s%s: %" PRIu32 " outcome%s",
                        describe_count(s->states, "state", states, sizeof states),
                        s->asked_again ? ", in which no test or probe fails twice in a row" : "",
                        s->class_count, s->class_count == 1 ? "" : "s") < 0
                   ? NULL
                   : text;
    /* Behaviours are counted with buffered sends; unbuffered ones were tried as well. */
    const char *also = s->complete && s->unbuffered && s->class_count > s->behaviours
                           ? ", with and without buffered sends"
                           : "";
    if (asprintf(&text, "%" PRIu64 " behaviour%s, %s%s: %" PRIu32 " outcome%s", s->behaviours,
                 s->behaviours == 1 ? "" : "s", rest, also, s->class_count,
                 s->class_count == 1 ? "" : "s") < 0)
        return NULL;
    return text;
}
