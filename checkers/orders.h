/* Says which orders of the program's events a judgement covers: the recorded one alone, or also
 * others that were run in worlds (cli/explored.c). */
#ifndef CHECKERS_ORDERS_H
#define CHECKERS_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

enum orders_extent {
    ORDERS_ONE,    /* the record leaves no choice (orders_are_open) */
    ORDERS_FILES,  /* nor does it here, but the job wrote a file: the record does not show which
                      ranks use files without MPI, and no other order was run */
    ORDERS_OPEN,   /* the record leaves choices, and no other order was run */
    ORDERS_SOME,   /* some were run, and more exist */
    ORDERS_MAYBE,  /* some were run, and more may exist */
    ORDERS_POLLS,  /* all orders were run in which no test or probe fails twice in a row */
    ORDERS_STATES, /* all orders with buffered sends: every state that they reach was examined */
    ORDERS_ALL,    /* all were run */
    ORDERS_EXTENT_COUNT
};

struct orders {
    enum orders_extent extent;
    uint64_t tried; /* behaviours that were run; 0: none */
};

/* Tells whether the record has an event in whose place another could have come first: a wildcard
 * receive or probe, a test, a wait for any or some of several requests, a cancelled request, a
 * one-sided access or its synchronisation, a shared window, a write to a file or an access at its
 * shared pointer, a connection, messages that may overtake each other, or calls of several threads
 * of a rank. True for an imported trace, which does not show it. */
bool orders_are_open(const struct trace *trace);

/* Returns how many behaviours the judgement covers: those that were run in worlds, or the recorded
 * one if the record leaves no choice. */
uint64_t orders_behaviours(const struct orders *orders);

/* Returns "some", "all"..., as the trace and the JSON report spell it. */
const char *orders_extent_name(enum orders_extent extent);
/* Returns the extent of that name; ORDERS_OPEN for an unknown name. */
enum orders_extent orders_extent_named(const char *name);

#endif
