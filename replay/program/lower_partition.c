/* Lowers partitioned sends and receives. Each pair has a context of its own. A started send waits
 * for a token, which its rank sends to itself when the last partition is marked; only then is the
 * message sent. So a wait for the request before that waits for the rank's own threads. The arrival
 * of single partitions is not modelled: MPI_Parrived never waits. */
#include "core/check.h"
#include "replay/program/lower_state.h"

enum core_status lower_pair_comm(struct lower *lower, int32_t comm, uint32_t pair,
                                 uint32_t *out_comm)
{
    struct lower_pair *known, key = {.key = {comm, pair}};
    uint32_t before = lower->pairs.count;
    int32_t made = -1;
    enum core_status status = core_table_put(&lower->pairs, &key.key, A_LOWERING, &known);

    CORE_CHECK(comm >= 0 && (uint32_t)comm < lower->trace->comm_count);
    if (status == CORE_OK && lower->pairs.count > before)
        known->comm = -1;
    if (status == CORE_OK)
        status = lower_comm(lower, &known->comm, comm, &made);
    CORE_CHECK(status != CORE_OK || made > 0); /* members are known: a message named one */
    if (status == CORE_OK)
        *out_comm = (uint32_t)made;
    return status;
}

static enum core_status token_of(struct lower *lower, const struct request *request,
                                 enum replay_op_kind kind, struct replay_op *out_op)
{
    *out_op = (struct replay_op){.kind = (uint8_t)kind,
                                 .mode = REPLAY_TOKEN,
                                 .peer = (int32_t)lower->rank,
                                 .tag = (int32_t)request->own[LOWER_START],
                                 .request = REPLAY_NO_REQUEST,
                                 .matched = (int32_t)lower->rank};
    return lower_pair_comm(lower, request->comm, 0, &out_op->comm);
}

enum core_status lower_armed(struct lower *lower, const struct trace_event *event,
                             const struct request *request)
{
    struct replay_op op;

    CORE_CHECK(request->armed && request->own[LOWER_START]);
    enum core_status status = token_of(lower, request, REPLAY_IRECV, &op);
    return status != CORE_OK ? status : lower_start(lower, event, op, request->id);
}

enum core_status lower_marked(struct lower *lower, const struct trace_event *event)
{
    const struct request *request = requests_find(&lower->requests, event->request);
    struct replay_op op;

    if (!request || !request->pair || request->begun != event->seq || !request->own[LOWER_START])
        return CORE_OK; /* partitions are left to be marked, or it is an error */
    enum core_status status = token_of(lower, request, REPLAY_SEND, &op);
    if (status == CORE_OK)
        status = lower_add(lower, event, op);
    CORE_CHECK(request->own[LOWER_START] <= lower->start_count);
    return status != CORE_OK
               ? status
               : lower_start(lower, event, lower->start[request->own[LOWER_START] - 1],
                             request->id);
}
