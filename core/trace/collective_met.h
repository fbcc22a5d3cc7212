/* Tells which collective calls that MPI refused the other members met: they made theirs and
 * returned. All other refused calls are no part of a collective: every member's was refused, or the
 * rank made the call again.
 *
 * The ranks' calls say it alone. Where they are alike without any refused call, none was met; where
 * they are alike with all of them, all were. Elsewhere the calls are gone through in order: a
 * refused one was met where the others have the same call there, and more of it in a row than the
 * rank has without its refused ones. */
#ifndef CORE_TRACE_COLLECTIVE_MET_H
#define CORE_TRACE_COLLECTIVE_MET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct collective_made { /* a collective call that a member made */
    uint32_t rank;
    int32_t comm, call;
    int32_t root; /* < 0: none that others name alike */
    uint64_t seq;
    bool refused;
    bool over; /* it returned without an error */
    bool met;  /* the outcome: refused, and met by others */
    int32_t next_call;
    uint32_t run, total; /* what collective_met_settle notes for itself */
};

/* Sorts the calls by communicator, then rank and seq, and sets `met`. Takes O(calls) steps for each
 * rank beside the sorting. */
enum core_status collective_met_settle(struct collective_made *made, uint32_t count);

#endif
