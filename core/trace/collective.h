/* Pairs the collective calls of a trace across ranks. MPI pairs the n-th collective that each
 * member of a communicator calls; this code does the same, whatever the calls are. A call that MPI
 * refused on one member still counts as its part if the others made theirs and returned; otherwise
 * (all were refused, or the rank repeated the call) it does not count. */
#ifndef CORE_TRACE_COLLECTIVE_H
#define CORE_TRACE_COLLECTIVE_H

#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace.h"

struct collective_part { /* one member's call */
    bool present;        /* false: this member made fewer recorded collective calls on this
                            communicator */
    bool refused;  /* present is false, but the rank made the call: MPI refused it on this member
                      alone */
    uint32_t rank; /* world */
    struct trace_event event; /* without its completions */
};

struct collective {
    int32_t comm;
    uint64_t number; /* on comm, from 1 */
    uint32_t first;  /* index in list->part of its first member; members are in the communicator's
                        order: local group, then remote group */
    uint32_t count;
    uint32_t present; /* members with a present part */
};

struct collective_list {
    struct collective *collective; /* by communicator, then number */
    uint32_t count;
    struct collective_part *part;
    uint64_t part_count;
};

enum { COLLECTIVE_PARTS_MAX = 1 << 26 };

/* Loads the application's own collective calls; those inside other calls are left out. Refuses more
 * than COLLECTIVE_PARTS_MAX parts with CORE_LIMIT. */
enum core_status collective_list_load(struct trace *trace, struct collective_list *out_list);
void collective_list_done(struct collective_list *list);

struct collective_refused { /* a call of a member that MPI refused */
    uint32_t rank;
    uint64_t seq;
    bool met; /* the call is the rank's part of a collective (collective_met.h) */
};

struct collective_refused_list {
    struct collective_refused *refused; /* by rank, then seq */
    uint32_t count;
};

enum core_status collective_refused_load(struct trace *trace,
                                         struct collective_refused_list *out_list);
bool collective_refused_met(const struct collective_refused_list *list, uint32_t rank,
                            uint64_t seq);
void collective_refused_done(struct collective_refused_list *list);

#endif
