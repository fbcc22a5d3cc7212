/* The orders of the program's events that a judgement speaks of: the recorded one alone, or others
 * that were run in worlds as well (cli/explored.c). */
#ifndef CHECKERS_ORDERS_H
#define CHECKERS_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

enum orders_extent {
    ORDERS_ONE,    /* the record leaves no choice (orders_are_open) */
    ORDERS_OPEN,   /* it does, and no other order was run */
    ORDERS_SOME,   /* some were run, and more exist */
    ORDERS_MAYBE,  /* some were run, and more may exist */
    ORDERS_POLLS,  /* all were run in which no test or probe fails twice in a row */
    ORDERS_STATES, /* all with buffered sends: each state that they come to was looked at */
    ORDERS_ALL,    /* all were run */
    ORDERS_EXTENT_COUNT
};

struct orders {
    enum orders_extent extent;
    uint64_t tried; /* behaviours that were run; 0 where none was */
};

/* Whether the record shows an event of which another might have come first: a receive or probe of
 * any rank, a test, a wait for any of several requests, an access to a window, a write to a file,
 * calls of several threads of a rank. Of an imported trace nobody knows. */
bool orders_are_open(const struct trace *trace);

/* "some", "all"...: as a trace keeps it and as JSON has it. */
const char *orders_extent_name(enum orders_extent extent);
/* ORDERS_OPEN for another name. */
enum orders_extent orders_extent_named(const char *name);

#endif
