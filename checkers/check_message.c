/* Reports messages that are wrong whatever their timing: longer than their receive, of another
 * type, without room in the attached buffer, sent ready although no receive need be posted; and
 * messages that no rank ever received.
 *
 * It compares types if the record says which receive got which message. The other errors appear
 * when the engine runs the program without buffering and with it, in the recorded order of matches;
 * it reports none once the run had to leave that order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/collective/type_report.h"
#include "checkers/conflict/order.h"
#include "checkers/expected_error.h"
#include "checkers/packed.h"
#include "checkers/pickled.h"
#include "checkers/truncated.h"
#include "checkers/unreceived.h"
#include "checkers/wording.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "core/trace/trace_message.h"
#include "replay/logical/run.h"

enum { FINDINGS_MAX = 8, LOST_MAX = 100 /* calls of a rank that are shown */ };

struct messages {
    const struct check_input *input;
    struct finding_list *list;
    struct type_report types;
    struct seen {
        enum replay_error_kind kind;
        int32_t site;
        uint32_t finding; /* index in the list */
        uint64_t count;
    } seen[FINDINGS_MAX];
    uint32_t seen_count;
    bool counting; /* the first run is judged */
};

/* --- types ------------------------------------------------------------------------------------ */

/* Finds the call whose arguments describe the transfer: for MPI_Start the call that made the
 * request. */
static bool transfer_of(struct trace *trace, uint32_t rank, uint64_t seq,
                        struct trace_event *out_event)
{
    enum core_status status = trace_event_get(trace, rank, seq, out_event);

    if (status == CORE_OK && out_event->request &&
        (trait_in(out_event->traits, TRAIT_STARTS) || traits_mark(out_event->traits)))
        status = trace_started_get(trace, rank, seq, out_event);
    return status == CORE_OK;
}

static enum core_status judge_types(const struct trace_message *message, void *context)
{
    struct messages *m = context;
    struct trace *trace = m->input->trace;
    struct trace_event send, receive;
    CORE_CHECK(message->source < trace->rank_count); /* trace_message.c yields no others */
    CORE_CHECK(message->dest < trace->rank_count);
    struct type_pair pair = {.meeting = TYPE_MESSAGE,
                             .rank = {message->source, message->dest},
                             .seq = {message->send, message->receive},
                             .count = message->count};

    if (!transfer_of(trace, message->source, message->send, &send) ||
        !transfer_of(trace, message->dest, message->receive, &receive))
        return CORE_OK;
    bool receives_too = receive.has_recv_half;
    pair.difference = types_compare(
        trace, send.datatype, send.count, receives_too ? receive.recv_datatype : receive.datatype,
        receives_too ? receive.recv_count : receive.count, &pair.name[0], &pair.name[1]);
    return type_report_add(&m->types, &pair);
}

/* --- what the engine meets -------------------------------------------------------------------- */

/* Tells whether one-sided communication, files or threads may order what the engine takes for
 * unordered. */
static bool may_be_ordered_otherwise(const struct check_input *input)
{
    bool found = input->notes->threads;
    for (uint32_t i = 0; i < input->trace->call_count && !found; i++)
        found = input->trace->call[i].traits & (TRAIT_BIT(MAKES_WIN) | TRAIT_BIT(DYNAMIC));
    return found;
}

/* Adds a further message to the finding of its receive's place, with the sender's call. Only the
 * first run is counted: each run meets them again. */
static void seen_add(struct messages *m, struct seen *seen, const struct replay_error *error)
{
    CORE_CHECK(seen->finding < m->list->count);
    struct finding *finding = &m->list->finding[seen->finding];
    bool known = error->other_rank < 0 || !error->other_event;
    seen->count++;
    for (uint32_t i = 0; i < finding->call_count && !known; i++)
        known = finding->call[i].rank == (uint32_t)error->other_rank;
    if (!known && finding->call_count < LOST_MAX)
        finding_core_add(finding, m->input->trace, (uint32_t)error->other_rank, error->other_event);
}

static bool seen_before(struct messages *m, const struct replay_error *error)
{
    CORE_CHECK(error->rank < m->input->program->rank_count);
    CORE_CHECK(m->seen_count <= FINDINGS_MAX);
    struct trace_event event;
    int32_t site = trace_event_get(m->input->trace, error->rank, error->event, &event) == CORE_OK
                       ? event.site
                       : 0;

    for (uint32_t i = 0; i < m->seen_count; i++)
        if (m->seen[i].kind == error->kind && m->seen[i].site == site) {
            if (m->counting && error->kind == REPLAY_ERROR_TRUNCATED)
                seen_add(m, &m->seen[i], error);
            return true;
        }
    if (m->seen_count == FINDINGS_MAX)
        return true;
    m->seen[m->seen_count++] = (struct seen){error->kind, site, m->list->count, 1};
    return false;
}

/* Says how a program learned that a message was truncated: from the receive, or from the call that
 * completed it. */
struct cut_known {
    struct trace_event event; /* its completions are freed */
    int32_t error;            /* error of the receive */
};

/* Finds the status that a completing call gave to this request; false: none. */
static bool check_message_tells(const struct trace_event *event, uint64_t request,
                                int32_t *out_error)
{
    for (uint32_t i = 0; i < event->completion_count; i++)
        if (event->completion[i].done && event->completion[i].request == request) {
            *out_error = event->completion[i].error;
            return true;
        }
    return false;
}

/* Finds the call that completed what this one began. CORE_NOT_FOUND: none is on record. */
static enum core_status completed_by(struct trace *trace, const struct trace_event *begun,
                                     struct cut_known *out)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true, found = false;
    enum core_status status = trace_cursor_open(trace, begun->rank, &cursor);

    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, TRAITS_COMPLETE);
    while (!found && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more)
        found = event.seq > begun->seq && check_message_tells(&event, begun->request, &out->error);
    if (found)
        out->event = event;
    trace_cursor_close(cursor);
    return status == CORE_OK && !found ? CORE_NOT_FOUND : status;
}

/* Tells whether the rank asked what an error code means after this call. */
static bool asks_after(struct trace *trace, const struct trace_event *told)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true, found = false;

    if (trace_cursor_open(trace, told->rank, &cursor) != CORE_OK)
        return false;
    while (!found && trace_cursor_next(cursor, &event, &more) == CORE_OK && more)
        found = event.seq > told->seq && event.verb == VERB_EXPLAIN_ERROR;
    trace_cursor_close(cursor);
    return found;
}

/* Tells whether the call returned to the program with an error code for the failed receive. */
static bool was_told(const struct check_input *input, const struct replay_error *error,
                     struct cut_known *out)
{
    if (trace_event_get(input->trace, error->rank, error->event, &out->event) != CORE_OK ||
        out->event.pending)
        return false;
    out->error = out->event.error;
    if (!out->error && out->event.request) {
        struct trace_event begun = out->event;
        return completed_by(input->trace, &begun, out) == CORE_OK && out->error &&
               !out->event.pending;
    }
    return out->error != 0;
}

/* Tells whether a truncation did not end its rank, although no recorded call reported it. Libraries
 * cut a message for MPI_Isendrecv and report nothing, so its source must be known. */
static bool was_handled(const struct check_input *input, const struct replay_error *error)
{
    struct cut_known told;
    struct trace_event event;

    if (trace_event_get(input->trace, error->rank, error->event, &event) == CORE_OK &&
        event.class == EVENT_CLASS_ISENDRECV && event.recv_peer != EVENT_ANY)
        return false;
    return error->kind == REPLAY_ERROR_TRUNCATED && !was_told(input, error, &told) &&
           input->trace->rank[error->rank].state == EVENT_RANK_FINISHED;
}

/* Tells whether the recorded run ended in this call. */
static bool ended_in(const struct check_input *input, const struct replay_error *error)
{
    struct trace_event event;
    return trace_event_get(input->trace, error->rank, error->event, &event) == CORE_OK &&
           event.pending;
}

struct ended {
    uint32_t rank;
    bool badly;
};

static enum core_status end_note(const struct exit_cause *cause, void *context)
{
    struct ended *ended = context;

    ended->badly |= cause->rank == ended->rank;
    return CORE_OK;
}

/* Tells whether neither an error, nor a signal, nor an exception ended the rank. */
static bool ended_well(const struct check_input *input, uint32_t rank)
{
    struct ended ended = {.rank = rank};

    CORE_CHECK(rank < input->trace->rank_count);
    return input->trace->rank[rank].state == EVENT_RANK_FINISHED &&
           trace_exit_causes_each(input->trace, end_note, &ended) == CORE_OK && !ended.badly;
}

/* Adds that the program got the error code. The end of the message is lost even so. */
static void add_told(struct messages *m, struct finding *finding, const struct replay_error *error,
                     const struct cut_known *told)
{
    const char *code = event_error_text(told->error);
    bool continued = ended_well(m->input, error->rank);

    if (!code)
        code = "an error code";
    if (told->event.seq == error->event) {
        finding_fact(finding, "the call returned %s to the program%s", code,
                     continued ? ", which continued" : "");
        return;
    }
    finding_core_add(finding, m->input->trace, error->rank, told->event.seq);
    finding_fact(finding, "%s reported %s to the program%s",
                 m->input->trace->call[told->event.call].name, code,
                 continued ? ", and the program continued" : "");
}

/* Sets the title "rank 3 sends 400 bytes, and rank 0 has room for 80 bytes". */
static void title_truncated(const struct messages *m, struct finding *finding,
                            const struct replay_error *error)
{
    const struct replay_rank *rank = &m->input->program->rank[error->rank];
    char sent[64], room[64];

    CORE_CHECK(error->op < rank->op_count);
    finding->effect = FINDING_EFFECT_FAILS;
    finding_title(finding,
                  "message longer than its receive: rank %" PRId32 " sends %s, and rank %" PRIu32
                  " has room for %s",
                  error->other_rank, describe_bytes(error->bytes, sent, sizeof sent), error->rank,
                  describe_bytes(rank->op[error->op].bytes, room, sizeof room));
}

static bool set_has(const struct replay_rank *rank, const struct replay_op *op, int32_t request)
{
    if (op->kind == REPLAY_WAIT)
        return op->request == request;
    if (op->kind != REPLAY_WAIT_ALL && op->kind != REPLAY_WAIT_ANY &&
        op->kind != REPLAY_WAIT_SOME && op->kind != REPLAY_TEST)
        return false;
    const struct replay_set *set = &rank->set[op->request];
    for (uint32_t i = 0; i < set->count; i++)
        if (rank->member[set->first + i] == request)
            return true;
    return false;
}

/* Adds the call that went wrong; if the rank's record ends in a wait for it, the wait. */
static void add_waiting(const struct messages *m, struct finding *finding,
                        const struct replay_error *error)
{
    const struct replay_rank *rank = &m->input->program->rank[error->rank];
    const struct replay_op *last = &rank->op[rank->op_count - 1];
    bool waits = rank->op[error->op].kind == REPLAY_IRECV && (last->flags & REPLAY_FLAG_PENDING) &&
                 last->event != error->event && set_has(rank, last, rank->op[error->op].request);
    struct finding_call *call =
        finding_core_add(finding, m->input->trace, error->rank, waits ? last->event : error->event);

    if (call && waits)
        finding_call_subject(call, m->input->trace, error->event);
}

static enum core_status add_error(struct messages *m, const struct replay_error *error,
                                  const struct replay_policy *schedule)
{
    bool ended = ended_in(m->input, error);
    struct cut_known told;
    bool is_told = error->kind == REPLAY_ERROR_TRUNCATED && was_told(m->input, error, &told);
    bool good = ended_well(m->input, error->rank);
    bool asked = is_told && good &&
                 (expected_error_on_purpose(m->input->trace, &told.event) ||
                  asks_after(m->input->trace, &told.event));
    bool certain = ended || (error->kind == REPLAY_ERROR_TRUNCATED && !(is_told && good));
    CORE_CHECK(error->kind != REPLAY_ERROR_COLLECTIVE); /* check_collective reports these */
    CORE_CHECK(error->other_rank < (int32_t)m->input->program->rank_count);
    CORE_CHECK(error->kind != REPLAY_ERROR_TRUNCATED || error->other_rank >= 0);
    struct finding *finding = finding_list_add(m->list, RULE_MESSAGE,
                                               certain ? FINDING_ERROR
                                               : asked ? FINDING_NOTE
                                                       : FINDING_WARNING);
    char bytes[64];

    if (!finding)
        return CORE_NO_MEMORY;
    switch (error->kind) {
    case REPLAY_ERROR_TRUNCATED:
        title_truncated(m, finding, error);
        if (is_told) /* so the rank may have left out what others wait for */
            finding->effect = FINDING_EFFECT_REFUSED;
        break;
    case REPLAY_ERROR_BUFFER:
        finding->effect = FINDING_EFFECT_FAILS;
        finding->remedy = REMEDY_ATTACH;
        finding_title(finding,
                      "buffered send without room: the buffer that rank %" PRIu32
                      " attached is %s too small",
                      error->rank, describe_bytes(error->bytes, bytes, sizeof bytes));
        break;
    default:
        finding->remedy = REMEDY_POST;
        finding_title(finding,
                      "ready send before its receive: nothing makes sure that the receive is "
                      "posted when rank %" PRIu32 " sends",
                      error->rank);
        break;
    }
    add_waiting(m, finding, error);
    if (error->other_rank >= 0 && error->other_event)
        finding_core_add(finding, m->input->trace, (uint32_t)error->other_rank, error->other_event);
    if (error->kind == REPLAY_ERROR_BUFFER)
        finding_fact(
            finding,
            "each message takes MPI_BSEND_OVERHEAD bytes besides its own (MPI_Buffer_attach)");
    if (is_told)
        add_told(m, finding, error, &told);
    struct trace_event send, receive;
    if (error->kind == REPLAY_ERROR_TRUNCATED && error->other_event &&
        transfer_of(m->input->trace, (uint32_t)error->other_rank, error->other_event, &send) &&
        transfer_of(m->input->trace, error->rank, error->event, &receive))
        pickled_say_short(m->input->trace, finding, &send, &receive);
    if (asked)
        finding_fact(finding,
                     "the program checks what the call returned, or asked for its meaning");
    if (!ended && error->kind == REPLAY_ERROR_BUFFER)
        finding_fact(finding, "in the recorded run earlier messages had left the buffer in time; "
                              "nothing makes sure of that");
    if (!ended && error->kind == REPLAY_ERROR_READY)
        finding_fact(finding, "in the recorded run it may have been posted in time");
    if (schedule)
        finding_schedule(finding, schedule);
    return CORE_OK;
}

/* Shows the first LOST_MAX calls of each rank; the title counts all. */
static enum core_status add_lost(struct messages *m, const struct unreceived *lost)
{
    uint32_t of_rank = 0, shown = 0;
    char number[32];

    if (!lost->count)
        return CORE_OK;
    struct finding *finding = finding_list_add(m->list, RULE_MESSAGE, FINDING_WARNING);
    if (!finding)
        return CORE_NO_MEMORY;
    for (uint32_t i = 0; i < lost->count; i++) {
        of_rank = i && lost->send[i].rank == lost->send[i - 1].rank ? of_rank + 1 : 0;
        if (of_rank >= LOST_MAX)
            continue;
        finding_core_add(finding, m->input->trace, lost->send[i].rank, lost->send[i].seq);
        shown++;
    }
    finding->effect = FINDING_EFFECT_BLOCKS;
    finding_title(finding, "%s message%s never received, although all ranks called MPI_Finalize",
                  describe_number(lost->count, number, sizeof number),
                  lost->count == 1 ? " was" : "s were");
    if (lost->abroad && lost->abroad == lost->count)
        finding_fact(finding, "%s sent to ranks of another job of the command",
                     lost->count == 1 ? "it was" : "all of them were");
    else if (lost->abroad)
        finding_fact(finding, "%s of them went to ranks of another job of the command",
                     describe_number(lost->abroad, number, sizeof number));
    if (shown < lost->count)
        finding_fact(finding, "only the first %d of each rank are shown", LOST_MAX);
    return CORE_OK;
}

static bool all_finished(const struct check_input *input)
{
    CORE_CHECK(input->program->rank_count == input->trace->rank_count);
    for (uint32_t r = 0; r < input->program->rank_count; r++)
        if (input->trace->rank[r].state != EVENT_RANK_FINISHED || input->trace->rank[r].lost ||
            input->trace->rank[r].cut)
            return false;
    return true;
}

static enum core_status judge_run(struct messages *m, const struct replay_result *result,
                                  const struct replay_policy *schedule)
{
    enum core_status status = CORE_OK;
    bool loose = may_be_ordered_otherwise(m->input);

    for (uint32_t i = 0; i < result->error_listed && !result->assumed && status == CORE_OK; i++) {
        const struct replay_error *error = &result->error[i];
        if (error->kind == REPLAY_ERROR_COLLECTIVE ||
            (loose && error->kind != REPLAY_ERROR_TRUNCATED) ||
            m->input->trace->rank[error->rank].lost || was_handled(m->input, error) ||
            seen_before(m, error))
            continue;
        status = add_error(m, error, schedule);
    }
    return status;
}

/* --- receives in which ranks died ------------------------------------------------------------- */

/* Reports a truncated message whose sender is one of several. */
static enum core_status add_truncated(struct messages *m, uint32_t rank,
                                      const struct truncated *truncated)
{
    const struct replay_program *program = m->input->program;
    const struct replay_op *receive = &program->rank[rank].op[truncated->op];
    struct finding *finding = finding_list_add(m->list, RULE_MESSAGE, FINDING_ERROR);
    uint32_t *sender = malloc((size_t)truncated->count * sizeof *sender);
    char room[64];

    if (!finding || !sender) {
        free(sender);
        return CORE_NO_MEMORY;
    }
    finding->effect = FINDING_EFFECT_FAILS;
    finding_core_add(finding, m->input->trace, rank, receive->event);
    for (uint32_t i = 0; i < truncated->count; i++) {
        const struct truncated_send *send = &truncated->send[i];
        finding_core_add(finding, m->input->trace, send->rank,
                         program->rank[send->rank].op[send->op].event);
        sender[i] = send->rank;
    }
    char *senders = wording_ranks_text(sender, truncated->count, " or ");
    finding_title(finding,
                  "message longer than its receive: rank %" PRIu32
                  " has room for %s, and %s send more",
                  rank, describe_bytes(receive->bytes, room, sizeof room), senders ? senders : "");
    free(senders);
    free(sender);
    return CORE_OK;
}

/* Reports truncated messages of ranks that died in a wildcard receive. Its status was never
 * written, so the engine would match it with any message. */
static enum core_status judge_dead(struct messages *m, uint32_t rank)
{
    const struct replay_program *program = m->input->program;
    struct truncated truncated;
    enum core_status status = truncated_find(m->input, rank, &truncated);

    if (status != CORE_OK || !truncated.count)
        return status;
    const struct truncated_send *send = truncated.send;
    const struct replay_op *op = &program->rank[send->rank].op[send->op];
    struct replay_error error = {.kind = REPLAY_ERROR_TRUNCATED,
                                 .rank = rank,
                                 .op = truncated.op,
                                 .event = program->rank[rank].op[truncated.op].event,
                                 .other_rank = (int32_t)send->rank,
                                 .other_op = send->op,
                                 .other_event = op->event,
                                 .bytes = op->bytes};
    if (!seen_before(m, &error))
        status =
            truncated.count > 1 ? add_truncated(m, rank, &truncated) : add_error(m, &error, NULL);
    free(truncated.send);
    return status;
}

static enum core_status judge_all_dead(struct messages *m)
{
    const struct trace *trace = m->input->trace;
    enum core_status status = CORE_OK;

    for (uint32_t r = 0; r < trace->rank_count && status == CORE_OK; r++)
        if (trace->rank[r].state == EVENT_RANK_EXITED || trace->rank[r].state == EVENT_RANK_ABORTED)
            status = judge_dead(m, r);
    return status;
}

/* --- ready sends ------------------------------------------------------------------------------ */

struct ready {
    struct messages *messages;
    struct order *order;
};

/* Checks that the receive of a ready send was posted before what lets the sender proceed. */
static enum core_status judge_ready(const struct trace_message *message, void *context)
{
    struct ready *ready = context;
    struct messages *m = ready->messages;
    struct trace_event send;

    CORE_CHECK(message->source < m->input->trace->rank_count);
    if (message->source == message->dest ||
        !transfer_of(m->input->trace, message->source, message->send, &send) ||
        send.mode != EVENT_MODE_READY ||
        order_before(ready->order, message->dest, message->receive, message->source, message->send))
        return CORE_OK;
    struct replay_error error = {.kind = REPLAY_ERROR_READY,
                                 .rank = message->source,
                                 .event = message->send,
                                 .other_rank = (int32_t)message->dest,
                                 .other_event = message->receive};
    return seen_before(m, &error) ? CORE_OK : add_error(m, &error, NULL);
}

/* Checks all ready sends. The engine shows only one order of the ranks: a receive counts as posted
 * in time only if messages or collectives order it so. */
static enum core_status judge_all_ready(struct messages *m)
{
    struct ready ready = {.messages = m};
    bool any = false, whole = !may_be_ordered_otherwise(m->input);
    enum core_status status;

    for (uint32_t i = 0; i < m->input->trace->call_count; i++)
        any |= m->input->trace->call[i].mode == EVENT_MODE_READY;
    for (uint32_t rank = 0; rank < m->input->trace->rank_count; rank++)
        whole &= !m->input->trace->rank[rank].lost;
    if (!any || !whole)
        return CORE_OK;
    status = order_new(m->input->trace, ORDER_FILES, &ready.order);
    if (status == CORE_OK && ready.order)
        status = trace_messages_all(m->input->trace, judge_ready, &ready);
    order_free(ready.order);
    return status;
}

/* Lowers the program with the calls in which ranks died. *out_own false: no rank died, so the
 * program shared by the checkers is complete. */
static enum core_status lower_fatal(const struct check_input *input, struct replay_program *own,
                                    bool *out_own)
{
    *out_own = false;
    for (uint32_t r = 0; r < input->program->rank_count; r++)
        *out_own |= input->trace->rank[r].state == EVENT_RANK_EXITED ||
                    input->trace->rank[r].state == EVENT_RANK_ABORTED;
    if (!*out_own)
        return CORE_OK;
    return replay_lower(input->trace, &(struct replay_lower_options){.fatal = true}, own, NULL);
}

static enum core_status judge_worlds(struct messages *m, const struct replay_worlds *worlds)
{
    const struct replay_result *buffered = &worlds->buffered;
    m->counting = true;
    enum core_status status = judge_run(m, buffered, &check_buffered);
    m->counting = false;
    for (uint32_t i = 0; i < m->seen_count; i++)
        if (m->seen[i].count > 1)
            finding_fact(&m->list->finding[m->seen[i].finding],
                         "%" PRIu64 " messages in all are longer than their receives there",
                         m->seen[i].count);

    if (status == CORE_OK && all_finished(m->input)) {
        struct unreceived lost = {0};
        status = unreceived_find(m->input->trace, &lost);
        if (status == CORE_OK)
            status = add_lost(m, &lost);
        unreceived_done(&lost);
    }
    return status != CORE_OK ? status : judge_run(m, &worlds->unbuffered, &check_unbuffered);
}

enum core_status check_message(const struct check_input *input, struct finding_list *list)
{
    struct replay_program own;
    struct replay_worlds own_worlds = {0};
    const struct replay_worlds *worlds = &own_worlds;
    struct check_input with_fatal = *input;
    struct messages m = {.input = &with_fatal,
                         .list = list,
                         .types = {.input = input, .list = list, .rule = RULE_MESSAGE}};
    bool has_own;
    enum core_status status =
        trace_messages_each(input->trace, input->notes->threads, judge_types, &m);

    if (status == CORE_OK)
        status = packed_compare(input, &m.types);
    type_report_done(&m.types);
    if (status != CORE_OK || (status = lower_fatal(input, &own, &has_own)) != CORE_OK)
        return status;
    if (has_own) {
        with_fatal.program = &own;
        status = judge_all_dead(&m);
        if (status == CORE_OK)
            status = replay_worlds_run(&own, NULL, &own_worlds);
    } else {
        status = check_worlds(input, &worlds);
    }
    if (status == CORE_OK)
        status = judge_worlds(&m, worlds);
    if (status == CORE_OK)
        status = judge_all_ready(&m);
    replay_worlds_done(&own_worlds);
    if (has_own)
        replay_program_done(&own);
    return status;
}
