/* See remedy_trial.h. */
#include "checkers/remedy_trial.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "replay/logical/run.h"
#include "replay/search/explore.h"
#include "replay/symbolic/symbolic.h"

enum {
    OPERATIONS_MAX = 100000, /* of a program for which changes are tried */
    CONFLICTS = 20000,       /* limits of the solver: a fraction of a second */
    CLAUSES = 500000
};
const char trial_cure[] = "no order and no buffering of these calls deadlocks (proven)";

bool trial_is_send(const struct replay_op *op)
{
    return op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND;
}

bool trial_is_receive(const struct replay_op *op)
{
    return op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV;
}

bool trial_takes_messages(const struct replay_op *op)
{
    return trial_is_receive(op) || op->kind == REPLAY_PROBE || op->kind == REPLAY_IPROBE ||
           op->kind == REPLAY_MPROBE;
}

/* --- places of operations --------------------------------------------------------------------- */

static enum core_status sites_read(struct trial *trial, uint32_t rank)
{
    const struct replay_rank *of = &trial->program->rank[rank];
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    uint32_t at = 0;
    enum core_status status = CORE_ARRAY_NEW(trial->site[rank], of->op_count + 1ul, "a remedy");

    if (status == CORE_OK)
        status = trace_cursor_open(trial->input->trace, rank, &cursor);
    if (status != CORE_OK)
        return status;
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        while (at < of->op_count && of->op[at].event < event.seq)
            at++;
        for (uint32_t i = at; i < of->op_count && of->op[i].event == event.seq; i++)
            trial->site[rank][i] = event.site;
    }
    trace_cursor_close(cursor);
    return status;
}

enum core_status trial_open(struct trial *trial, const struct check_input *input, bool whole,
                            bool *out_can)
{
    const struct replay_program *program = input->program;
    uint64_t operations = 0;
    bool threads = false;
    enum core_status status;

    *trial = (struct trial){.input = input, .program = program};
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        operations += program->rank[rank].op_count;
        threads |= program->rank[rank].when != NULL ||
                   (whole && program->rank[rank].end != REPLAY_END_FINISHED);
    }
    *out_can = !threads && operations <= OPERATIONS_MAX && !input->notes->unsupported &&
               !input->notes->unknown_requests && !input->trace->imported;
    if (!*out_can)
        return CORE_OK;
    status = CORE_ARRAY_NEW(trial->site, program->rank_count, "a remedy");
    for (uint32_t rank = 0; status == CORE_OK && rank < program->rank_count; rank++)
        status = sites_read(trial, rank);
    return status;
}

void trial_close(struct trial *trial)
{
    for (uint32_t rank = 0; trial->site && rank < trial->program->rank_count; rank++)
        free(trial->site[rank]);
    free(trial->site);
}

/* --- a program that differs ------------------------------------------------------------------- */

enum core_status trial_frame_copy(const struct replay_program *from, struct replay_program *to)
{
    enum core_status status = replay_program_init(to, from->rank_count);

    for (uint32_t i = 1; status == CORE_OK && i < from->comm_count; i++) {
        uint32_t index;
        status = replay_program_comm(to, from->comm[i].member, from->comm[i].count, &index);
        CORE_CHECK(status != CORE_OK || index == i);
    }
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < from->comm_count; i++) {
        to->comm[i].origin = from->comm[i].origin;
        to->comm[i].remote = from->comm[i].remote;
    }
    to->buffered_overhead = from->buffered_overhead;
    to->overtaking = from->overtaking;
    return CORE_OK;
}

enum core_status trial_sets_copy(const struct replay_rank *from, struct replay_program *to,
                                 uint32_t rank)
{
    enum core_status status = CORE_OK;

    to->rank[rank].end = from->end;
    for (uint32_t i = 0; status == CORE_OK && i < from->set_count; i++) {
        int32_t index;
        status = replay_program_set(to, rank, from->member + from->set[i].first, from->set[i].count,
                                    from->set[i].chosen, &index);
        CORE_CHECK(status != CORE_OK || index == (int32_t)i);
    }
    return status;
}

/* --- deciding --------------------------------------------------------------------------------- */

enum core_status trial_cures_calls(const struct replay_program *program, bool *out_cured,
                                   bool *out_assumes)
{
    struct symbolic_options options = {
        .explore = {.sends = true}, .conflicts_max = CONFLICTS, .clauses_max = CLAUSES};
    struct symbolic_decision decision;
    struct replay_result result;

    *out_cured = *out_assumes = false;
    /* a quick run rejects most changes */
    enum core_status status = replay_run_once(program, &check_unbuffered, &result);
    if (status == CORE_OK) {
        bool finished = result.outcome == REPLAY_FINISHED;
        replay_result_done(&result);
        options.explore.policy = check_unbuffered;
        status = finished ? symbolic_decide(program, &options, &decision) : CORE_OK;
        if (status == CORE_OK && finished) {
            *out_cured = decision.verdict == REPLAY_VERDICT_NONE;
            *out_assumes = *out_cured && symbolic_assumption(&decision) != NULL;
            symbolic_decision_done(&decision);
        }
    }
    return status;
}

enum core_status trial_cures(const struct replay_program *program, bool *out_cured)
{
    bool assumes;
    enum core_status status = trial_cures_calls(program, out_cured, &assumes);

    *out_cured = *out_cured && !assumes;
    return status;
}

enum core_status trial_call_write(const struct trial *trial, uint32_t rank, uint64_t seq,
                                  FILE *file)
{
    struct trace_event event;
    char place[256];
    enum core_status status = trace_event_get(trial->input->trace, rank, seq, &event);

    if (status == CORE_OK)
        fprintf(file, "%s (%s)", trial->input->trace->call[event.call].name,
                trace_site_text(trial->input->trace, event.site, place, sizeof place));
    return status;
}
