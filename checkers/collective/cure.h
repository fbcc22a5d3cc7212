/* Finds how to mend a mismatch of collectives, if the recorded calls decide it: swap two calls, or
 * make a call on the communicator of exactly those ranks that make it. */
#ifndef CHECKERS_COLLECTIVE_CURE_H
#define CHECKERS_COLLECTIVE_CURE_H

#include <stdbool.h>

#include "checkers/check.h"
#include "checkers/finding.h"
#include "core/trace/collective.h"

/* Tells whether two members' calls are the same collective. */
typedef bool (*cure_same_fn)(struct trace *trace, const struct trace_event *a,
                             const struct trace_event *b);

/* Handles members that make different calls. Names in finding->tried the two calls to swap, if the
 * swap makes the members' calls equal in this collective and in the communicator's next one. */
enum core_status cure_order(const struct check_input *input,
                            const struct collective_list *collectives,
                            const struct collective *collective, cure_same_fn same,
                            struct finding *finding);

/* Handles members that make a call which the others do not make: without it, the later calls of all
 * are the same. Names in finding->tried that call, and a communicator of exactly these members if
 * there is one. */
enum core_status cure_extra(const struct check_input *input,
                            const struct collective_list *collectives,
                            const struct collective *collective, cure_same_fn same,
                            struct finding *finding);

/* Handles members that leave out the call. Names another communicator in finding->tried, if its
 * members are the ranks that make the call, they make it between the same collectives of that
 * communicator, and this communicator lacks no call without it. */
enum core_status cure_communicator(const struct check_input *input,
                                   const struct collective_list *collectives,
                                   const struct collective *collective, struct finding *finding);

/* Handles members that make different calls. Adds the fact that those which make one of these are
 * the members of another communicator, if they had it then, and had made as many collectives on it.
 */
enum core_status cure_members(const struct check_input *input,
                              const struct collective_list *collectives,
                              const struct collective *collective, cure_same_fn same,
                              struct finding *finding);

#endif
