/* Explains why a recorded run took as long as it did, in its own wall time: who made whom wait, how
 * MPI's time splits up, how evenly the work was spread, and the critical path. It uses only the
 * recorded times of the application's own calls, and no model of a machine.
 *
 * A rank waits for another one
 *   late sender      from entering the call that completes a receive until the message is sent
 *   late receiver    from entering the call that completes a send until the receive is posted,
 *                    unless the rank left before
 *   collective       from entering a blocking collective until the ranks whose data it needs have
 *                    entered: the last of all, the root (broadcast, scatter), or for the root the
 *                    last of the others (gather, reduce)
 * If one call has several such waits, the one that ends last counts. The critical path is traced
 * back from the rank that ends last: through its own time to the end of its last wait, then on in
 * the rank that it waited for.
 *
 * Invariants
 *  1. The segments of the path follow each other in time without a gap, from the start of a rank to
 *     the end of the one that ends last.
 *  2. A wait lies inside the call in which it is spent.
 *
 * Rounds of loops whose times are summed up (event_sum of the trace) show how long each call took,
 * but not who waited for whom. Waits, messages and the path's length come from the other calls, and
 * the shares of waits relate to timed_ns. */
#ifndef REPORTS_WHY_H
#define REPORTS_WHY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace.h"
#include "reports/rows.h"

enum why_kind { WHY_LATE_SENDER, WHY_LATE_RECEIVER, WHY_COLLECTIVE, WHY_KIND_COUNT };

struct why_call { /* ids of tables call and site; -1: none */
    int32_t call, site;
};
struct why_wait {
    uint32_t rank, by; /* world */
    enum why_kind kind;
    uint64_t start_ns, end_ns;
    struct why_call in, until; /* the call in which it waits; the other rank's call that ends the
                                  wait */
};
struct why_row { /* waits of one kind in one call and place */
    enum why_kind kind;
    struct why_call in;
    uint64_t waits, ns;
    uint32_t by; /* rank that causes most of the wait */
    struct why_call until;
    uint64_t by_ns;
    char *ranks; /* waiting ranks, "ranks 0-1,3" */
};
struct why_place { /* all calls of a place */
    struct why_call in;
    uint64_t calls, ns;
};
struct why_segment {
    uint32_t rank;
    uint64_t start_ns, end_ns;
};
struct why_part { /* part of the critical path: a rank's work before a call, or time inside it */
    uint32_t rank;
    struct why_call at;
    bool inside;
    uint64_t ns;
};
struct why_growth { /* growth of the messages of a place, from their first quarter to the last */
    struct why_call at;
    bool ahead; /* ns between the send and the posting of the receive; false: bytes */
    uint64_t messages, first, last; /* means, per message */
};
struct why_slow { /* a round of a loop that took far longer than the median */
    uint32_t rank;
    struct why_call at; /* call that took longest in it, from the end of the call before */
    uint64_t number, ns, usual_ns; /* usual_ns: the median of the rounds */
};
struct why_rank {
    uint64_t begin_ns, end_ns; /* after MPI_Init, before MPI_Finalize, as far as recorded */
    uint64_t mpi_ns, waited_ns, path_ns;
    uint64_t summed_ns; /* in rounds of loops whose calls' times are summed up */
    bool seen;
};

struct why {
    struct why_rank *rank;
    uint32_t ranks;
    struct why_row *row; /* longest first, like all that follow except segments */
    struct why_place *place;
    struct why_part *part;
    struct why_segment *segment; /* in order of time */
    struct why_growth *growth;   /* by place */
    uint32_t growth_count, growth_room;
    uint32_t row_count, row_room, place_count, part_count, part_room, segment_count, segment_room;
    uint64_t elapsed_ns, mpi_ns, waited_ns[WHY_KIND_COUNT]; /* summed over all ranks */
    uint64_t timed_ns; /* elapsed_ns without rounds whose times are summed up */
    uint64_t path_ns, work_max_ns, work_mean_ns;
    struct why_slow *slow; /* the longest ones */
    uint32_t slow_count, slow_room;
    uint64_t messages, early; /* early: sent before the receive was posted */
    uint32_t end;             /* rank that ends last */
};

enum core_status why_gather(struct trace *trace, struct why *out_why);
void why_done(struct why *why); /* accepts a zeroed one */

/* Returns the rank whose own work is most of the critical path, if that is at least half of the
 * path and waits are at least a twentieth of all time, and a part of its work. UINT32_MAX: none. */
uint32_t why_culprit(const struct why *why, const struct why_part **out_part);

/* --- internal: the steps, in their order ------------------------------------------------------ */

struct why_waits {
    struct why_wait *wait;
    uint32_t count, room;
};
/* Gathers all waits, by rank and end. */
enum core_status why_waits_gather(struct trace *trace, struct why *why, struct why_waits *out);
void why_waits_done(struct why_waits *waits);
/* Gathers places whose messages grew while the job ran. Needs the sums of the ranks' times. */
enum core_status why_growth_gather(struct trace *trace, struct why *why);
/* Gathers the segments and, from them, the parts of the critical path. */
enum core_status why_path_gather(struct trace *trace, const struct why_waits *waits,
                                 struct why *why);

/* Calls fn for each of the application's own calls, in order of rank and then time. Pending calls
 * end where they begin. sum: if not NULL, rounds of a loop in one event, of which the non-inner
 * calls are the application's. */
struct why_event {
    uint32_t rank;
    struct why_call in;
    uint64_t start_ns, end_ns, calls;
    const struct trace_sum *sum;
    const struct report_shapes *shapes;
};
typedef enum core_status (*why_event_fn)(const struct why_event *event, void *context);
enum core_status why_events_each(struct trace *trace, why_event_fn fn, void *context);

#endif
