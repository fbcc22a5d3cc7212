/* See the header. */
#include "core/search/rest.h"

#include "core/check.h"

#define MAY_BE_MORE "and there may be more"

static const char *const rest_texts[SEARCH_REST_COUNT] = {
    [SEARCH_REST_NONE] = "all there are",
    [SEARCH_REST_POLLS] = "all in which no test or probe fails twice in a row",
    [SEARCH_REST_UNKNOWN] = MAY_BE_MORE " than crosswait can distinguish",
    [SEARCH_REST_THREADS] = MAY_BE_MORE ", as the order of some calls of threads is not known",
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
