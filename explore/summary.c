/* See the header. README.md says which set "all there are" speaks of. */
#include "explore/summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/trace/describe.h"

struct orders explore_orders(const struct explore_search *s)
{
    return (struct orders){!s->behaviours                                 ? ORDERS_OPEN
                           : s->complete && s->unless                     ? ORDERS_MAYBE
                           : s->complete && s->states && s->asked_again   ? ORDERS_MAYBE
                           : s->complete && s->states                     ? ORDERS_STATES
                           : s->complete && s->asked_again                ? ORDERS_POLLS
                           : s->complete                                  ? ORDERS_ALL
                           : s->heap_count || s->overdue_count || s->late ? ORDERS_SOME
                                                                          : ORDERS_MAYBE,
                           s->behaviours};
}

#define UNLESS_POLLED ", and no more in which no test or probe fails twice in a row, unless "
#define UNLESS_WINDOWS "a rank's own loads and stores race in its window"
#define UNLESS_THREADS "threads of a rank race for memory"
#define UNLESS_BOTH UNLESS_WINDOWS ", or its threads for memory"
#define UNLESS_ALSO ", or ranks for memory that they share outside of MPI"
#define UNLESS(x)                                  \
    {                                              \
        ", and no more unless " x, UNLESS_POLLED x \
    }

/* All that is decided was run; what else may differ was not seen. */
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

static const char *rest_of(const struct explore_search *s)
{
    static const char *const lacks[] = {
        ", and there may be more than crosswait can distinguish",
        ", and there may be more, as no job tells the order of accesses to windows and files",
        ", and there may be more, as no job can be given what a persistent receive takes",
        ", and there may be more, as no job tells the order of accesses to windows and files, "
        "or can be given what a persistent receive takes",
    };
    return s->complete && s->unless        ? unless_of(s)
           : s->complete && s->asked_again ? ", all in which no test or probe fails twice in a row"
           : s->complete                   ? ", all there are"
           : s->interrupted                ? ", then it was interrupted"
           : !s->behaviours && (s->late || s->overdue_count)
               ? *s->beyond ? ", as every world needs more than one may have"
                            : ", as no world came to its end within the time"
           : s->heap_count || s->overdue_count ? ", and there are more"
           : s->overtaking ? ", and there may be more, as messages may overtake each other"
           : s->broken_off ? ", and there may be more, as a world was broken off"
           : s->early      ? ", and there may be more, as a rank was ended before all had "
                             "done what they can"
           : s->went_astray && !s->limited
               ? ", and there may be more, as the program does not repeat itself"
           : s->lacks & EXPLORE_LACKS_THREADS
               ? ", and there may be more, as the order of some calls of threads is not known"
               : lacks[s->lacks];
}

char *explore_summary(const struct explore_search *s)
{
    char *text = NULL, states[64];
    const char *rest = rest_of(s);
    if (s->complete && s->states && !s->unless) /* behaviours were not counted */
        return asprintf(&text,
                        "every behaviour with buffered sends, by %s%s: %" PRIu32 " outcome%s",
                        describe_count(s->states, "state", states, sizeof states),
                        s->asked_again ? ", in which no test or probe fails twice in a row" : "",
                        s->class_count, s->class_count == 1 ? "" : "s") < 0
                   ? NULL
                   : text;
    if (asprintf(&text, "%" PRIu64 " behaviour%s%s: %" PRIu32 " outcome%s", s->behaviours,
                 s->behaviours == 1 ? "" : "s", rest, s->class_count,
                 s->class_count == 1 ? "" : "s") < 0)
        return NULL;
    return text;
}
