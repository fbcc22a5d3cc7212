/* Why a recorded run took as long as it did, in its own wall time: who made whom wait, where time
 * went inside MPI, how evenly the work lay, and the critical path. Everything is read off the
 * recorded times of the application's own calls; no model of a machine is asked.
 *
 * A rank waits for another one
 *   late sender      from when it is in the call that completes a receive until the message is sent
 *   late receiver    from when it is in the call that completes a send until the receive is posted,
 *                    where it did not leave before
 *   collective       from when it enters a blocking collective until those that it needs data of
 *                    have entered: the last of all, the root (broadcast, scatter), or for the root
 *                    the last of the others (gather, reduce)
 * Of several such in one call the one that ends last counts. The critical path goes back from the
 * rank that ends last: its own time back to the end of its last wait, then on with the rank that it
 * waited for.
 *
 * Invariants
 *  1. The segments of the path follow each other in time without a gap, from the start of a rank to
 *     the end of the one that ends last.
 *  2. A wait lies inside the call in which it is spent.
 *
 * Rounds of loops whose times are summed up (event_sum of the trace) tell how much of them each
 * call took, and not who waited for whom: waits, messages and the path's length are those of the
 * other calls, and the waits' shares those of timed_ns. */
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
    struct why_call in, until; /* where it waits; with what the other one ends it */
};
struct why_row { /* waits of one kind in one call and place */
    enum why_kind kind;
    struct why_call in;
    uint64_t waits, ns;
    uint32_t by; /* for whom most of it is */
    struct why_call until;
    uint64_t by_ns;
    char *ranks; /* who waits, "ranks 0-1,3" */
};
struct why_place { /* all calls of a place */
    struct why_call in;
    uint64_t calls, ns;
};
struct why_segment {
    uint32_t rank;
    uint64_t start_ns, end_ns;
};
struct why_part { /* of the critical path: work of a rank on its way to a call, or time inside it */
    uint32_t rank;
    struct why_call at;
    bool inside;
    uint64_t ns;
};
struct why_growth { /* of the messages of a place, from the first quarter of them to the last */
    struct why_call at;
    bool ahead; /* how long they lie before their receive is posted, in ns; false: their bytes */
    uint64_t messages, first, last; /* means, a message */
};
struct why_slow { /* a round of a loop that lasted far longer than half of them */
    uint32_t rank;
    struct why_call at; /* the call that took longest of it, from the end of the one before */
    uint64_t number, ns, usual_ns; /* half of the rounds took less than usual_ns */
};
struct why_rank {
    uint64_t begin_ns, end_ns; /* behind MPI_Init, before MPI_Finalize, as far as recorded */
    uint64_t mpi_ns, waited_ns, path_ns;
    uint64_t summed_ns; /* in rounds of loops whose calls' times are summed up */
    bool seen;
};

struct why {
    struct why_rank *rank;
    uint32_t ranks;
    struct why_row *row; /* the longest first, as all that follow but the segments */
    struct why_place *place;
    struct why_part *part;
    struct why_segment *segment; /* from the start on */
    struct why_growth *growth;   /* by place */
    uint32_t growth_count, growth_room;
    uint32_t row_count, row_room, place_count, part_count, part_room, segment_count, segment_room;
    uint64_t elapsed_ns, mpi_ns, waited_ns[WHY_KIND_COUNT]; /* of all ranks */
    uint64_t timed_ns; /* elapsed, but for rounds whose times are summed up */
    uint64_t path_ns, work_max_ns, work_mean_ns;
    struct why_slow *slow; /* the longest ones */
    uint32_t slow_count, slow_room;
    uint64_t messages, early; /* early: sent before their receive was posted */
    uint32_t end;             /* rank that ends last */
};

enum core_status why_gather(struct trace *trace, struct why *out_why);
void why_done(struct why *why); /* takes a zeroed one */

/* The rank whose own work is most of the critical path, if others wait for it much: at least half
 * of the path and a twentieth of all time. UINT32_MAX: there is none. */
uint32_t why_culprit(const struct why *why, const struct why_part **out_part);

/* --- inside: the steps, in their order -------------------------------------------------------- */

struct why_waits {
    struct why_wait *wait;
    uint32_t count, room;
};
/* All waits, by rank and end. */
enum core_status why_waits_gather(struct trace *trace, struct why *why, struct why_waits *out);
void why_waits_done(struct why_waits *waits);
/* Places whose messages grew while the job ran. Needs what the ranks' times sum up to. */
enum core_status why_growth_gather(struct trace *trace, struct why *why);
/* The segments and, from them, the parts of the critical path. */
enum core_status why_path_gather(struct trace *trace, const struct why_waits *waits,
                                 struct why *why);

/* Each of the application's own calls, by rank in their order. pending calls end where they begin.
 * sum: not NULL: rounds of a loop in one, whose own calls are those that are not inner. */
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
