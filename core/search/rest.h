/* Says what a search has not executed, and why: the one wording of how complete a search is.
 * explore/README.md and replay/README.md say which set "all there are" speaks of. */
#ifndef CORE_SEARCH_REST_H
#define CORE_SEARCH_REST_H

/* In the order of what is known: of several, the last one counts. */
enum search_rest {
    SEARCH_REST_NONE,        /* everything that there is was executed */
    SEARCH_REST_POLLS,       /* everything in which no test or probe fails twice in a row */
    SEARCH_REST_UNKNOWN,     /* there may be more: an execution could not say what else there was */
    SEARCH_REST_THREADS,     /* ... as calls of several threads came in an order nobody knows */
    SEARCH_REST_REPEATS,     /* ... as the same answers did not give the same execution */
    SEARCH_REST_EARLY,       /* ... as a rank ended an execution while others went on */
    SEARCH_REST_BROKEN_OFF,  /* ... as an execution did not come to its end */
    SEARCH_REST_OVERTAKING,  /* ... as info keys let messages overtake each other */
    SEARCH_REST_MORE,        /* there is more, and the budget was spent */
    SEARCH_REST_STOPPED,     /* the search ended at the deadlock that it looked for */
    SEARCH_REST_NOTHING,     /* no execution came to its end within the time */
    SEARCH_REST_TOO_LARGE,   /* each needs more memory or files than it may have */
    SEARCH_REST_INTERRUPTED, /* by a signal */
    SEARCH_REST_COUNT
};

/* Behind a number of executions: "all there are", "and there are more"... */
const char *search_rest_text(enum search_rest rest);

#endif
