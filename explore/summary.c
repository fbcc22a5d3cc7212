/* See the header. README.md says which set "all there are" speaks of. */
#include "explore/summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/search/rest.h"
#include "core/trace/describe.h"

static const enum search_rest outside_rest[WORLD_OUTSIDE_COUNT] = {
    [WORLD_OUTSIDE_SIGNALS] = SEARCH_REST_SIGNALS, [WORLD_OUTSIDE_SOCKETS] = SEARCH_REST_SOCKETS,
    [WORLD_OUTSIDE_CHANCE] = SEARCH_REST_CHANCE,   [WORLD_OUTSIDE_REDUCE] = SEARCH_REST_REDUCE,
    [WORLD_OUTSIDE_QUEUES] = SEARCH_REST_QUEUES,   [WORLD_OUTSIDE_NUMBER] = SEARCH_REST_NUMBER,
};

/* Returns the first reason that holds why more may remain. */
static enum search_rest rest_of(const struct explore_search *s)
{
    static const enum search_rest lacks_rest[] = {
        [0] = SEARCH_REST_UNKNOWN,
        [EXPLORE_LACKS_WINDOWS] = SEARCH_REST_WINDOWS,
        [EXPLORE_LACKS_PERSISTENT] = SEARCH_REST_PERSISTENT,
        [EXPLORE_LACKS_WINDOWS | EXPLORE_LACKS_PERSISTENT] = SEARCH_REST_JOB,
    };
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
           : s->outside && !s->lacks           ? outside_rest[s->outside]
           : s->race.found && !s->lacks        ? SEARCH_REST_FILES
                                               : lacks_rest[s->lacks];
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

char *explore_summary(const struct explore_search *s)
{
    char *text = NULL, states[64], named[sizeof s->race.name + 128];
    const enum search_rest why = rest_of(s);
    const char *rest = s->complete && s->unless ? search_unless_text(s->unless, s->asked_again)
                                                : search_rest_text(why);
    if (why == SEARCH_REST_FILES && *s->race.name) {
        search_rest_files(s->race.rank, s->race.name, named, sizeof named);
        rest = named;
    } else if (s->outside && why == outside_rest[s->outside] && s->outside_rank >= 0) {
        search_rest_outside(why, s->outside_rank, named, sizeof named);
        rest = named;
    }
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
    const char *times = s->untimed ? ", if numbers that differ are times" : "";
    if (asprintf(&text, "%" PRIu64 " behaviour%s, %s%s: %" PRIu32 " outcome%s%s", s->behaviours,
                 s->behaviours == 1 ? "" : "s", rest, also, s->class_count,
                 s->class_count == 1 ? "" : "s", times) < 0)
        return NULL;
    return text;
}
