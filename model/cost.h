/* Measures the cost of a trace's collectives in the model's terms: rounds and words of the messages
 * sent for each, the model's row with that cost, and the lower bound. For a collective of the MPI
 * library the messages are those that the library layer recorded inside the call. */
#ifndef MODEL_COST_H
#define MODEL_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/collective.h"
#include "model/model.h"
#include "core/status.h"
#include "core/trace/trace.h"

enum { COST_ROWS_MAX = 4, COST_MEASURED_MAX = 100000 };

struct cost_entry { /* one collective, over all its ranks */
    int32_t comm;
    uint64_t number; /* on comm, from 1 */
    uint32_t rank;   /* world rank and event of its first member, to name its place */
    uint64_t seq;
    int32_t call, site;
    const char *collective; /* as the model names it: "bcast" */
    uint32_t ranks;         /* P */
    uint32_t root;
    uint64_t bytes; /* n or m of the model, in bytes */
    uint64_t element_bytes;
    uint64_t rounds;      /* R */
    uint64_t words_bytes; /* W, in bytes */
    uint64_t messages, volume_bytes;
    uint64_t time_ns; /* longest time of a rank in the call, of the known times */
    const struct model_row
        *row[COST_ROWS_MAX]; /* rows of the model with these R and W; none: no row */
    uint32_t row_count;
    uint64_t bound_rounds;
    uint64_t bound_bytes; /* rounded up */
};

struct cost_list {
    struct cost_entry *entry; /* by communicator and number */
    uint32_t count;
    uint64_t unmeasured; /* collectives whose inside was not recorded completely */
};

/* Measures the blocking collectives on intracommunicators whose calls are complete on all members
 * and whose inner messages were recorded. Measures at most COST_MEASURED_MAX; the others count as
 * unmeasured. */
enum core_status cost_list_measure(struct trace *trace, struct cost_list *out_list);

/* Measures R and W of all point-to-point messages of the application on one communicator, as if
 * they were one collective; buffered: with all standard sends eager. *out_done false: some are not
 * waited for or never match, or there are none. */
enum core_status cost_comm_measure(const struct replay_program *program, int32_t comm,
                                   bool buffered, struct replay_measure *out_measure,
                                   bool *out_done);
void cost_list_done(struct cost_list *list);

#endif
