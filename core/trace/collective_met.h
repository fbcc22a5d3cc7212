/* Tells which refused collective calls were met: MPI refused the call on one member, and the other
 * members made theirs and returned. Other refused calls are no part of a collective: MPI refused
 * them on every member, or the rank made the call again.
 *
 * The only evidence is the ranks' sequences of calls. If they are equal without the refused calls,
 * none was met. If they are equal with all refused calls, all were met. Otherwise the code goes
 * through the calls in order: a refused call was met if the others have the same call at this
 * place, and make it more often in a row than the rank does without its refused calls. */
#ifndef CORE_TRACE_COLLECTIVE_MET_H
#define CORE_TRACE_COLLECTIVE_MET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct collective_made { /* a collective call that a member made */
    uint32_t rank;
    int32_t comm, call;
    int32_t root; /* < 0: no root, or ranks name it differently */
    uint64_t seq;
    bool refused;
    bool over; /* the call returned without an error */
    bool met;  /* output: refused, and met by the others */
    int32_t next_call;
    uint32_t run, total; /* internal to collective_met_settle */
};

/* Sorts the calls by communicator, then rank and seq, and sets `met`. Takes O(calls) steps for each
 * rank besides the sorting. */
enum core_status collective_met_settle(struct collective_made *made, uint32_t count);

#endif
