/* How a mismatch of collectives is mended, where the recorded calls decide it: two calls in the
 * other order, or a call on the communicator of those ranks that make it. */
#ifndef CHECKERS_COLLECTIVE_CURE_H
#define CHECKERS_COLLECTIVE_CURE_H

#include <stdbool.h>

#include "checkers/check.h"
#include "checkers/finding.h"
#include "core/trace/collective.h"

/* Whether two members' calls are the same collective. */
typedef bool (*cure_same_fn)(struct trace *trace, const struct trace_event *a,
                             const struct trace_event *b);

/* The members make different calls: finding->tried names the two that are to change places, if the
 * members' calls are the same then, in this collective and the next one of the communicator. */
enum core_status cure_order(const struct check_input *input,
                            const struct collective_list *collectives,
                            const struct collective *collective, cure_same_fn same,
                            struct finding *finding);

/* Some members lack the call: finding->tried names another communicator, if those ranks that make
 * the call are its members, they make it between the same collectives of that communicator, and
 * none is missing on this one without it. */
enum core_status cure_communicator(const struct check_input *input,
                                   const struct collective_list *collectives,
                                   const struct collective *collective, struct finding *finding);

#endif
