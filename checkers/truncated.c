/* See truncated.h. Messages of one sender do not overtake each other. So the candidate of each
 * sender is its first message that fits the receive and was not received before. */
#include "checkers/truncated.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "core/table.h"
#include "core/trace/trace_message.h"

struct received { /* by the rank: a message that it got, or a receive that got one */
    struct {
        uint64_t rank, seq, is_receive;
    } key;
};
struct looking {
    const struct check_input *input;
    uint32_t rank;
    struct core_table received;
    bool other_error;
};

static enum core_status truncated_exit_look(const struct exit_cause *cause, void *context)
{
    struct looking *looking = context;

    looking->other_error |= cause->rank == looking->rank && cause->kind == EXIT_CAUSE_ERROR &&
                            cause->detail != INT64_MIN && cause->detail != EVENT_ERROR_TRUNCATE;
    return CORE_OK;
}

static enum core_status received_put(struct looking *looking, uint32_t rank, uint64_t seq,
                                     bool is_receive)
{
    struct received key = {{rank, seq, is_receive}}, *entry;

    return core_table_put(&looking->received, &key.key, "messages that were received", &entry);
}

static enum core_status message_look(const struct trace_message *message, void *context)
{
    struct looking *looking = context;

    if (message->dest != looking->rank)
        return CORE_OK;
    enum core_status status = received_put(looking, message->source, message->send, false);
    return status == CORE_OK ? received_put(looking, message->dest, message->receive, true)
                             : status;
}

static bool was_received(const struct looking *looking, uint32_t rank, uint64_t seq,
                         bool is_receive)
{
    struct received key = {{rank, seq, is_receive}};

    return core_table_find(&looking->received, &key.key) != NULL;
}

static bool truncated_sends(const struct replay_op *op)
{
    return (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->mode != REPLAY_TOKEN;
}

static bool truncated_fits(const struct replay_op *receive, uint32_t rank,
                           const struct replay_op *send)
{
    return send->peer == (int32_t)rank && send->comm == receive->comm &&
           matching_accepts(receive->tag, send->tag);
}

/* Returns the MPI_ANY_SOURCE receive that was the rank's last operation; NULL: it was another one.
 */
static const struct replay_op *last_receive(const struct looking *looking)
{
    const struct replay_rank *rank = &looking->input->program->rank[looking->rank];
    const struct replay_op *last = rank->op_count ? &rank->op[rank->op_count - 1] : NULL;

    return last && last->kind == REPLAY_RECV && last->peer == REPLAY_ANY &&
                   (last->flags & REPLAY_FLAG_PENDING)
               ? last
               : NULL;
}

/* Tells whether an earlier receive of the rank may have taken a message that fits this one. */
static bool truncated_competes(const struct looking *looking, const struct replay_op *receive)
{
    const struct replay_op *op = looking->input->program->rank[looking->rank].op;

    for (; op < receive; op++)
        if (op->comm == receive->comm &&
            (op->kind == REPLAY_MPROBE ||
             (op->kind == REPLAY_IRECV && !was_received(looking, looking->rank, op->event, true))))
            return true;
    return false;
}

static bool has_gaps(const struct trace *trace)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->rank[r].lost || trace->rank[r].cut)
            return true;
    return false;
}

/* Collects the next message of each rank, if it is too long. */
static enum core_status senders_look(const struct looking *looking, const struct replay_op *receive,
                                     struct truncated *truncated)
{
    const struct replay_program *program = looking->input->program;
    enum core_status status = CORE_OK;

    for (uint32_t r = 0; r < program->rank_count && status == CORE_OK; r++) {
        const struct replay_rank *rank = &program->rank[r];
        uint32_t i = 0;
        while (i < rank->op_count && (!truncated_sends(&rank->op[i]) ||
                                      !truncated_fits(receive, looking->rank, &rank->op[i]) ||
                                      was_received(looking, r, rank->op[i].event, false)))
            i++;
        if (i < rank->op_count && rank->op[i].bytes > receive->bytes)
            status = CORE_ARRAY_PUSH(truncated->send, truncated->count, truncated->room,
                                     "the senders of a message", ((struct truncated_send){r, i}));
    }
    return status;
}

enum core_status truncated_find(const struct check_input *input, uint32_t rank,
                                struct truncated *out_truncated)
{
    struct looking looking = {
        .input = input, .rank = rank, .received = CORE_TABLE(struct received, key)};
    struct truncated truncated = {0};
    enum core_status status = CORE_OK;

    CORE_CHECK(rank < input->program->rank_count);
    *out_truncated = truncated;
    const struct replay_op *receive = last_receive(&looking);
    if (!receive || has_gaps(input->trace))
        return CORE_OK;
    status = trace_exit_causes_each(input->trace, truncated_exit_look, &looking);
    if (status == CORE_OK)
        status = trace_messages_all(input->trace, message_look, &looking);
    if (status == CORE_OK && !looking.other_error && !truncated_competes(&looking, receive)) {
        truncated.op = (uint32_t)(receive - input->program->rank[rank].op);
        status = senders_look(&looking, receive, &truncated);
    }
    core_table_done(&looking.received);
    if (status == CORE_OK)
        *out_truncated = truncated;
    else
        free(truncated.send);
    return status;
}
