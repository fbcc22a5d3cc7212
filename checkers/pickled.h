/* Tells which calls of a Python program pickle objects, and says so where the other side passes a
 * buffer. mpi4py's functions with names in lower case pickle (send, recv, bcast); those with
 * capitals (Send, Recv, Bcast) pass buffers. */
#ifndef CHECKERS_PICKLED_H
#define CHECKERS_PICKLED_H

#include "checkers/check.h"

/* Tells whether the line of a Python program calls a collective function that pickles objects. */
bool pickled_is_collective(const struct trace *trace, int32_t site);

/* The two sides of a message, sender first: the site and datatype of each. */
struct pickled_side {
    uint32_t rank;
    int32_t site;
    const char *type;
};
/* Adds the fact and the remedy to the finding if one side pickles, as bytes, and the other one
 * passes a buffer. Returns false if not. */
bool pickled_say(const struct trace *trace, struct finding *finding,
                 const struct pickled_side side[2]);

/* Does the same for a receive that is too short; also if both sides pickle, and the receive is
 * irecv without a buffer. */
void pickled_say_short(const struct trace *trace, struct finding *finding,
                       const struct trace_event *send, const struct trace_event *receive);

/* Does the same for ranks that make one collective call, some with objects. Returns false if it
 * added nothing. */
struct pickled_call {
    uint32_t rank;
    int32_t site;
};
bool pickled_say_collective(const struct trace *trace, struct finding *finding,
                            const struct pickled_call *call, uint32_t count);

#endif
