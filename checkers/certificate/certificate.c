/* Checks a certificate (certificate.h). It models receives without a fitting message, sends without
 * a fitting receive and collectives that members have not entered; a wait that rests on anything
 * else stays undecided. */
#include "checkers/certificate/certificate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

enum op_kind { OP_SEND, OP_RECEIVE, OP_COLLECTIVE };

struct op { /* one communication or collective call of a rank */
    enum op_kind kind;
    uint32_t rank;
    int32_t comm, win, peer, tag; /* peer: a world rank, EVENT_ANY, EVENT_PROC_NULL */
    int32_t source, matched;      /* for completed receives: world rank and tag of the message */
    uint64_t request;             /* 0: the call blocks */
    uint64_t began, done;         /* seq of the calls; done 0: not completed in the record */
    int32_t call, root;
    enum verb verb;
    bool template, finalize, needs_all, from_root, to_root, moves;
    bool unlike; /* a collective over edges or two groups: the check does not model which member
                    needs which */
};
struct waiting { /* a call that had not returned */
    struct trace_event event;
    struct trace_completion *completion;
};
struct certificate_record {
    const struct trace *trace;
    struct op *op; /* by rank, in the order of the rank's calls */
    uint32_t op_count, op_room;
    struct waiting *waiting;
    uint32_t waiting_count, waiting_room;
    uint64_t *global;          /* global ids of communicators */
    uint64_t *last;            /* by rank: seq of its last event */
    bool *finalized, *strange; /* strange: the rank made calls that the check does not model */
};

/* --- reading ---------------------------------------------------------------------------------- */

static enum core_status op_add(struct certificate_record *record, struct op op)
{
    CORE_CHECK(op.rank < record->trace->rank_count);
    return CORE_ARRAY_PUSH(record->op, record->op_count, record->op_room, "a certificate", op);
}

/* Finds the rank's newest active communication with this request. */
static struct op *op_find(const struct certificate_record *record, uint32_t rank, uint64_t request,
                          enum op_kind kind, bool template)
{
    CORE_CHECK(rank < record->trace->rank_count);
    for (uint32_t i = record->op_count; request && i-- && record->op[i].rank == rank;) {
        struct op *op = &record->op[i];

        if (op->request == request && op->kind == kind && op->template == template && !op->done)
            return op;
    }
    return NULL;
}

static void op_complete(const struct certificate_record *record, struct op *op, uint64_t seq,
                        const struct trace_completion *done)
{
    CORE_CHECK(seq >= op->began);
    op->done = seq;
    if (op->kind != OP_RECEIVE)
        return;
    op->source = trace_comm_world(record->trace, op->comm, (int32_t)op->rank, done->source);
    op->matched = done->tag;
    record->strange[op->rank] |= done->cancelled;
}

static enum core_status message_begin(struct certificate_record *record,
                                      const struct trace_event *e, bool receives)
{
    bool receives_too = receives && e->has_recv_half;
    int32_t peer = receives_too ? e->recv_peer : e->peer;
    bool blocking = e->class == EVENT_CLASS_SEND || e->class == EVENT_CLASS_RECV ||
                    e->class == EVENT_CLASS_SENDRECV;
    struct op op = {.kind = receives ? OP_RECEIVE : OP_SEND,
                    .rank = e->rank,
                    .comm = e->comm,
                    .win = -1,
                    .peer = trace_comm_world(record->trace, e->comm, (int32_t)e->rank, peer),
                    .tag = receives_too ? e->recv_tag : e->tag,
                    .request = blocking ? 0 : e->request,
                    .began = e->seq,
                    .template = trait_in(e->traits, TRAIT_PERSISTENT)};

    CORE_CHECK(e->rank < record->trace->rank_count);
    if (blocking && !e->pending) {
        op.done = e->seq;
        if (receives && e->completion_count)
            op_complete(record, &op, e->seq, &e->completion[0]);
    }
    return op_add(record, op);
}

/* Tells whether the call needs all members: a barrier, one that makes a communicator, or one that
 * gives each member data of all. */
static bool coll_needs_all(const struct trace_event *e)
{
    if (trait_in(e->traits, TRAIT_NEIGHBOR) || trait_in(e->traits, TRAIT_PER_RANK))
        return false;
    return e->class == EVENT_CLASS_FINALIZE || e->verb == VERB_BARRIER ||
           e->verb == VERB_COMM_DUP ||
           ((e->verb == VERB_ALLREDUCE || e->verb == VERB_ALLGATHER || e->verb == VERB_ALLTOALL ||
             e->verb == VERB_REDUCE_SCATTER_BLOCK) &&
            e->count > 0);
}

static enum core_status coll_begin(struct certificate_record *record, const struct trace_event *e)
{
    bool makes = trait_in(e->traits, TRAIT_MAKES_WIN) || trait_in(e->traits, TRAIT_MAKES_FILE);
    struct op op = {.kind = OP_COLLECTIVE,
                    .rank = e->rank,
                    .comm = e->comm,
                    .win = makes ? -1 : e->win,
                    .request = e->class == EVENT_CLASS_ICOLL || e->class == EVENT_CLASS_COMM_ICREATE
                                   ? e->request
                                   : 0,
                    .began = e->seq,
                    .call = e->call,
                    .root = e->root,
                    .verb = e->verb,
                    .finalize = e->class == EVENT_CLASS_FINALIZE,
                    .needs_all = coll_needs_all(e),
                    .from_root = e->verb == VERB_BCAST || e->verb == VERB_SCATTER,
                    .to_root = e->verb == VERB_REDUCE || e->verb == VERB_GATHER,
                    .moves = e->bytes > 0,
                    .unlike = trait_in(e->traits, TRAIT_NEIGHBOR) ||
                              (e->comm >= 0 && (uint32_t)e->comm < record->trace->comm_count &&
                               record->trace->comm[e->comm].inter)};

    CORE_CHECK(!e->parent);
    if (trait_in(e->traits, TRAIT_OVER_MADE) || e->verb == VERB_COMM_CREATE_GROUP)
        return CORE_OK;
    if (e->class == EVENT_CLASS_COLL_INIT || e->verb == VERB_INTERCOMM_CREATE)
        record->strange[e->rank] = true;
    return op_add(record, op);
}

/* Begins the operations of the persistent requests that a start names. */
static enum core_status start_follow(struct certificate_record *record, const struct trace_event *e)
{
    enum core_status status = CORE_OK;
    uint32_t count = e->completion_count ? e->completion_count : 1;

    CORE_CHECK(e->class == EVENT_CLASS_START);
    for (uint32_t i = 0; i < count && status == CORE_OK; i++)
        for (int kind = OP_SEND; kind <= OP_RECEIVE && status == CORE_OK; kind++) {
            const struct op *made = op_find(
                record, e->rank, e->completion_count ? e->completion[i].request : e->request,
                (enum op_kind)kind, true);
            if (!made)
                continue;
            struct op op = *made;
            op.template = false;
            op.began = e->seq;
            status = op_add(record, op);
        }
    return status;
}

static void completions_follow(struct certificate_record *record, const struct trace_event *e)
{
    CORE_CHECK(!e->pending);
    for (uint32_t i = 0; i < e->completion_count; i++)
        for (int kind = OP_SEND; kind <= OP_COLLECTIVE && e->completion[i].done; kind++) {
            struct op *op =
                op_find(record, e->rank, e->completion[i].request, (enum op_kind)kind, false);
            if (op)
                op_complete(record, op, e->seq, &e->completion[i]);
        }
}

static enum core_status event_follow(struct certificate_record *record, const struct trace_event *e)
{
    enum core_status status = CORE_OK;

    CORE_CHECK(e->rank < record->trace->rank_count);
    record->last[e->rank] = e->seq;
    if (e->parent)
        return CORE_OK;
    record->finalized[e->rank] |= e->class == EVENT_CLASS_FINALIZE && !e->pending;
    if (event_refused(e->class, e->error, e->completion_count)) {
        record->strange[e->rank] |= trait_in(e->traits, TRAIT_COLLECTIVE);
        return CORE_OK;
    }
    if (e->pending) {
        struct waiting waiting = {.event = *e};
        status = CORE_ARRAY_NEW(waiting.completion, e->completion_count, "a certificate");
        for (uint32_t i = 0; i < e->completion_count && status == CORE_OK; i++)
            waiting.completion[i] = e->completion[i];
        if (status == CORE_OK)
            status = CORE_ARRAY_PUSH(record->waiting, record->waiting_count, record->waiting_room,
                                     "a certificate", waiting);
    }
    record->strange[e->rank] |=
        (e->traits & (TRAIT_BIT(CANCELS) | TRAIT_BIT(FREES_REQUEST) | TRAIT_BIT(KEEPS_REQUEST) |
                      TRAIT_BIT(MATCHED) | TRAIT_BIT(PARTITIONED))) != 0;
    if (e->class == EVENT_CLASS_START)
        return status == CORE_OK ? start_follow(record, e) : status;
    if (status == CORE_OK && trait_in(e->traits, TRAIT_SENDS))
        status = message_begin(record, e, false);
    if (status == CORE_OK && trait_in(e->traits, TRAIT_RECEIVES))
        status = message_begin(record, e, true);
    if (status == CORE_OK &&
        (trait_in(e->traits, TRAIT_COLLECTIVE) || e->class == EVENT_CLASS_FINALIZE))
        status = coll_begin(record, e);
    if (e->traits & TRAITS_COMPLETE && !e->pending)
        completions_follow(record, e);
    return status;
}

enum core_status certificate_record_read(struct trace *trace,
                                         struct certificate_record **out_record)
{
    struct certificate_record *record = calloc(1, sizeof *record);
    enum core_status status = record ? CORE_OK : CORE_NO_MEMORY;

    if (status == CORE_OK) {
        record->trace = trace;
        record->last = calloc((size_t)trace->rank_count + 1, sizeof *record->last);
        record->finalized = calloc((size_t)trace->rank_count + 1, sizeof *record->finalized);
        record->strange = calloc((size_t)trace->rank_count + 1, sizeof *record->strange);
        status = record->last && record->finalized && record->strange
                     ? trace_comm_globals(trace, &record->global)
                     : CORE_NO_MEMORY;
    }
    for (uint32_t r = 0; r < trace->rank_count && status == CORE_OK; r++) {
        struct trace_cursor *cursor;
        struct trace_event event;
        bool more = true;

        record->strange[r] = trace->rank[r].lost > 0;
        status = trace_cursor_open(trace, r, &cursor);
        if (status != CORE_OK)
            break;
        while (status == CORE_OK &&
               (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more)
            status = event_follow(record, &event);
        trace_cursor_close(cursor);
    }
    if (status != CORE_OK)
        certificate_record_free(record);
    else
        *out_record = record;
    return status;
}

void certificate_record_free(struct certificate_record *record)
{
    if (!record)
        return;
    for (uint32_t i = 0; i < record->waiting_count; i++)
        free(record->waiting[i].completion);
    free(record->op);
    free(record->waiting);
    free(record->global);
    free(record->last);
    free(record->finalized);
    free(record->strange);
    free(record);
}

/* --- what the events say ---------------------------------------------------------------------- */

struct check {
    const struct certificate_record *record;
    const struct ending *ending;
    struct certificate_verdict *verdict;
};

/* Records a verdict. A step that does not follow outweighs an undecided one. */
#define OF_CALL "rank %" PRIu32 " in %s (call %" PRIu64 "): "
__attribute__((format(printf, 3, 4))) static void
verdict_say(struct check *check, enum certificate_result result, const char *format, ...)
{
    va_list arguments;

    if (check->verdict->result == CERTIFICATE_REJECTED ||
        (check->verdict->result == CERTIFICATE_UNDECIDED && result == CERTIFICATE_UNDECIDED))
        return;
    check->verdict->result = result;
    va_start(arguments, format);
    vsnprintf(check->verdict->why, sizeof check->verdict->why, format, arguments);
    va_end(arguments);
}

/* Returns the last event of the rank that the certificate covers. */
static uint64_t certificate_position(const struct check *check, uint32_t rank)
{
    CORE_CHECK(rank < check->ending->rank_count);
    return check->ending->rank[rank].seq;
}

static bool is_begun(const struct check *check, const struct op *op)
{
    return !op->template && op->began <= certificate_position(check, op->rank);
}

static bool is_active(const struct check *check, const struct op *op)
{
    return is_begun(check, op) && (!op->done || op->done > certificate_position(check, op->rank));
}

static bool certificate_accepts(int32_t wanted, int32_t value)
{
    return wanted == EVENT_ANY || wanted == value;
}

/* Counts the messages sent over the channels that fit, and how many of them were received. */
static void messages_count(const struct check *check, int32_t comm, int32_t source, int32_t dest,
                           int32_t tag, uint64_t *out_sent, uint64_t *out_received)
{
    const struct certificate_record *record = check->record;

    *out_sent = *out_received = 0;
    for (uint32_t i = 0; i < record->op_count; i++) {
        const struct op *op = &record->op[i];

        if (op->comm != comm || !is_begun(check, op))
            continue;
        if (op->kind == OP_SEND)
            *out_sent += certificate_accepts(source, (int32_t)op->rank) && op->peer == dest &&
                         certificate_accepts(tag, op->tag);
        else if (op->kind == OP_RECEIVE && !is_active(check, op))
            *out_received += (int32_t)op->rank == dest && op->source >= 0 &&
                             certificate_accepts(source, op->source) &&
                             certificate_accepts(tag, op->matched);
    }
}

static uint64_t receives_fitting(const struct check *check, const struct op *send)
{
    uint64_t count = 0;

    CORE_CHECK(send->kind == OP_SEND);
    for (uint32_t i = 0; i < check->record->op_count; i++) {
        const struct op *op = &check->record->op[i];

        count += op->kind == OP_RECEIVE && is_active(check, op) && op->comm == send->comm &&
                 (int32_t)op->rank == send->peer &&
                 certificate_accepts(op->peer, (int32_t)send->rank) &&
                 certificate_accepts(op->tag, send->tag);
    }
    return count;
}

static bool is_same_object(const struct op *a, const struct op *b)
{
    CORE_CHECK(b->kind == OP_COLLECTIVE);
    return a->kind == OP_COLLECTIVE && a->finalize == b->finalize &&
           (a->finalize || (a->win == b->win && (a->win >= 0 || a->comm == b->comm)));
}

/* Returns the rank's number-th collective call on the object; NULL: it has not made one.
 * *out_entered: how many it has entered. */
static const struct op *coll_at(const struct check *check, uint32_t rank, const struct op *like,
                                uint64_t number, uint64_t *out_entered)
{
    const struct op *found = NULL;

    CORE_CHECK(like->kind == OP_COLLECTIVE);
    *out_entered = 0;
    for (uint32_t i = 0; i < check->record->op_count; i++) {
        const struct op *op = &check->record->op[i];

        if (op->rank != rank || !is_same_object(op, like) || !is_begun(check, op))
            continue;
        if (++*out_entered == number)
            found = op;
    }
    return found;
}

/* --- one thing that a call waits for ---------------------------------------------------------- */

struct argument {            /* why the operation cannot have completed */
    enum ending_basis basis; /* NONE: the check knows no reason */
    bool sure;               /* it is certainly incomplete; false: it may be complete */
    bool ends;               /* it may be complete or end by itself, so it is no reason to wait */
    uint64_t number, rivals;
    const struct op *op;
};

static bool wait_has(const struct check *check, const struct ending_wait *wait, int32_t rank)
{
    CORE_CHECK((uint64_t)wait->first + wait->count <= check->ending->span_count);
    for (uint32_t i = 0; i < wait->count; i++)
        if (rank >= (int32_t)check->ending->span[wait->first + i].first &&
            rank <= (int32_t)check->ending->span[wait->first + i].last)
            return true;
    return false;
}

static bool has_several(const struct check *check, uint32_t rank)
{
    return check->ending->rank[rank].threads > 1;
}

static struct argument receive_argue(const struct check *check, const struct op *op)
{
    struct argument argument = {.basis = ENDING_BASIS_UNSENT, .sure = true, .op = op};
    uint64_t sent, received;

    CORE_CHECK(op->kind == OP_RECEIVE);
    messages_count(check, op->comm, op->peer, (int32_t)op->rank, op->tag, &sent, &received);
    if (op->peer == EVENT_PROC_NULL)
        argument.ends = true;
    else if (sent > received || op->peer == EVENT_NONE)
        argument.basis = ENDING_BASIS_NONE;
    return argument;
}

static struct argument send_argue(const struct check *check, const struct op *op, bool sure)
{
    struct argument argument = {.basis = ENDING_BASIS_UNRECEIVED, .sure = sure, .op = op};
    uint64_t sent, received;

    CORE_CHECK(op->kind == OP_SEND);
    if (op->peer < 0 || has_several(check, op->rank)) {
        argument.ends = op->peer == EVENT_PROC_NULL;
        argument.basis = ENDING_BASIS_NONE;
        return argument;
    }
    messages_count(check, op->comm, (int32_t)op->rank, op->peer, op->tag, &sent, &received);
    for (uint32_t i = 0; i < check->record->op_count; i++) {
        const struct op *its = &check->record->op[i];

        argument.number += its->kind == OP_SEND && its->rank == op->rank && is_begun(check, its) &&
                           its->comm == op->comm && its->peer == op->peer && its->tag == op->tag &&
                           its <= op;
    }
    argument.rivals = receives_fitting(check, op);
    if (argument.number <= received + argument.rivals)
        argument.basis = ENDING_BASIS_NONE;
    return argument;
}

static struct argument coll_argue(const struct check *check, const struct op *op)
{
    struct argument argument = {
        .basis = op->unlike ? ENDING_BASIS_NONE : ENDING_BASIS_MISSING, .sure = true, .op = op};

    CORE_CHECK(op->kind == OP_COLLECTIVE);
    for (uint32_t i = 0; i < check->record->op_count && &check->record->op[i] <= op; i++)
        argument.number += check->record->op[i].rank == op->rank &&
                           is_same_object(&check->record->op[i], op) &&
                           is_begun(check, &check->record->op[i]);
    return argument;
}

static struct argument certificate_argue(const struct check *check, const struct op *op, bool alone)
{
    return op->kind == OP_RECEIVE ? receive_argue(check, op)
           : op->kind == OP_SEND  ? send_argue(check, op, alone)
                                  : coll_argue(check, op);
}

/* Returns the world rank of member i of the collective; EVENT_NONE after the last member. */
static int32_t member_at(const struct check *check, const struct op *op, uint32_t i)
{
    const struct trace *trace = check->record->trace;
    const struct trace_comm *comm =
        op->comm >= 0 && (uint32_t)op->comm < trace->comm_count ? &trace->comm[op->comm] : NULL;

    CORE_CHECK(op->kind == OP_COLLECTIVE);
    if (op->finalize)
        return i < trace->rank_count ? (int32_t)i : EVENT_NONE;
    if (!comm || i >= (uint32_t)(comm->size + comm->remote_size))
        return EVENT_NONE;
    return i < (uint32_t)comm->size ? comm->member[i] : comm->remote[i - (uint32_t)comm->size];
}

/* Tells whether only ranks of the wait can end the collective: each member that has not entered it
 * is in the wait, and the members that have entered cannot complete it without those. */
static bool coll_is_covered(const struct check *check, const struct argument *argument,
                            const struct ending_wait *wait, bool *out_decided)
{
    const struct op *mine = argument->op;
    uint32_t missing = 0, others = 0;
    bool sure = mine->needs_all, covered = true;
    int32_t member;

    CORE_CHECK(mine->kind == OP_COLLECTIVE);
    for (uint32_t i = 0; (member = member_at(check, mine, i)) != EVENT_NONE; i++) {
        uint64_t entered;
        const struct op *its = coll_at(check, (uint32_t)member, mine, argument->number, &entered);
        bool there = its && its->call == mine->call && its->root == mine->root;

        others += there && its != mine;
        if (there)
            continue;
        missing++;
        covered &= wait_has(check, wait, member);
        sure |= mine->moves && ((mine->from_root && (int32_t)i == mine->root) ||
                                (mine->to_root && member_at(check, mine, (uint32_t)mine->root) ==
                                                      (int32_t)mine->rank));
    }
    *out_decided = !missing || sure || !others;
    return missing && covered;
}

/* Tells whether the argument holds and every rank that could end the operation is in the wait. */
static bool is_covered(const struct check *check, const struct argument *argument,
                       const struct ending_wait *wait, bool *out_decided)
{
    const struct op *op = argument->op;

    CORE_CHECK(op != NULL);
    *out_decided = argument->basis != ENDING_BASIS_NONE;
    if (argument->ends || !*out_decided)
        return false;
    if (op->kind == OP_COLLECTIVE)
        return coll_is_covered(check, argument, wait, out_decided);
    if (op->peer >= 0)
        return wait_has(check, wait, op->peer);
    for (int32_t i = 0;; i++) { /* MPI_ANY_SOURCE */
        int32_t peer = trace_comm_world(check->record->trace, op->comm, (int32_t)op->rank, i);

        if (peer == EVENT_NONE)
            return true;
        if (peer != (int32_t)op->rank && !wait_has(check, wait, peer))
            return false; /* its own threads: threads_check and ranks_check */
    }
}

/* --- one call --------------------------------------------------------------------------------- */

enum { THINGS_MAX = 4096 };
struct things { /* operations that a call waits for */
    struct argument argument[THINGS_MAX];
    struct op probe; /* the call itself, if it is a probe */
    uint32_t count;
    bool any, known;
};

static void thing_add(const struct check *check, struct things *things, const struct op *op,
                      bool alone)
{
    CORE_CHECK(things->count <= THINGS_MAX);
    if (things->count == THINGS_MAX)
        things->known = false;
    else
        things->argument[things->count++] = certificate_argue(check, op, alone);
}

/* Collects the active communications that the call itself began, or whose request it waits for. */
static void things_of(const struct check *check, uint32_t rank, uint64_t began, uint64_t request,
                      bool alone, struct things *things)
{
    bool both = false;

    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < check->record->op_count; i++) {
            const struct op *op = &check->record->op[i];

            if (op->rank != rank || !is_active(check, op) ||
                (request ? op->request != request : op->began != began || op->request))
                continue;
            if (!pass)
                both |= op->kind == OP_RECEIVE;
            else
                thing_add(check, things, op, alone && (op->kind != OP_SEND || !both));
        }
}

static void things_find(const struct check *check, const struct waiting *waiting,
                        struct things *things)
{
    const struct trace_event *e = &waiting->event;

    things->count = 0;
    things->known = true;
    things->any = e->class == EVENT_CLASS_WAITANY || e->class == EVENT_CLASS_WAITSOME;
    if (e->class == EVENT_CLASS_PROBE) {
        int32_t peer = trace_comm_world(check->record->trace, e->comm, (int32_t)e->rank, e->peer);

        things->probe = (struct op){.kind = OP_RECEIVE,
                                    .rank = e->rank,
                                    .comm = e->comm,
                                    .win = -1,
                                    .peer = peer,
                                    .tag = e->tag,
                                    .began = e->seq};
        thing_add(check, things, &things->probe, true);
        return;
    }
    if (e->traits & TRAITS_COMPLETE) {
        uint32_t count = e->completion_count;

        for (uint32_t i = 0; i < count; i++)
            things_of(check, e->rank, 0, waiting->completion[i].request, things->any || count == 1,
                      things);
        if (!count && e->request)
            things_of(check, e->rank, 0, e->request, true, things);
        return;
    }
    things_of(check, e->rank, e->seq, 0, true, things);
}

static bool wait_fits(const struct check *check, const struct ending_wait *wait,
                      const struct argument *argument)
{
    const struct op *op = argument->op;
    enum ending_need need = op->kind == OP_RECEIVE ? ENDING_NEED_MESSAGE
                            : op->kind == OP_SEND  ? ENDING_NEED_RECEIVE
                                                   : ENDING_NEED_COLLECTIVE;
    bool on_comm = !op->finalize && op->win < 0;

    CORE_CHECK(op != NULL);
    return wait->need == need && wait->basis == argument->basis &&
           wait->number == argument->number && wait->rivals == argument->rivals &&
           (op->kind == OP_COLLECTIVE || wait->tag == op->tag) &&
           (op->kind != OP_RECEIVE || wait->wildcard == (op->peer == EVENT_ANY)) &&
           (!on_comm || (wait->object == ENDING_OBJECT_COMM && op->comm >= 0 &&
                         wait->global == check->record->global[op->comm]));
}

static void wait_check(struct check *check, const struct ending_call *call,
                       const struct ending_wait *wait, const struct things *things)
{
    bool decided = things->known && things->count, all = true, some = false, named = false;

    CORE_CHECK(call->count > 0);
    for (uint32_t i = 0; i < things->count; i++) {
        const struct argument *argument = &things->argument[i];
        bool known, covered = is_covered(check, argument, wait, &known);

        decided &= known || argument->ends;
        all &= covered;
        named |= covered && wait_fits(check, wait, argument);
        some |= covered && argument->sure && wait_fits(check, wait, argument);
    }
    if (!things->any && some)
        return;
    if (all && things->count && call->count == 1 &&
        (things->count > 1 ? named || wait->basis == ENDING_BASIS_SEVERAL : named))
        return;
    if (decided && (wait->basis == ENDING_BASIS_UNSENT || wait->basis == ENDING_BASIS_UNRECEIVED ||
                    wait->basis == ENDING_BASIS_MISSING || wait->basis == ENDING_BASIS_SEVERAL))
        verdict_say(check, CERTIFICATE_REJECTED,
                    OF_CALL "the events do not show that only these ranks can end the wait",
                    call->rank, call->call, call->seq);
    else
        verdict_say(check, CERTIFICATE_UNDECIDED,
                    OF_CALL "the check does not know the argument '%s'", call->rank, call->call,
                    call->seq, ending_basis_text(wait->basis));
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Time that each kind of standing needs; launch/proof/launch_proof.c has the same numbers. */
static const struct {
    uint64_t still_ms, factor;
} needed[ENDING_STANDING_COUNT] = {[ENDING_STANDING_STILL] = {400, 1},
                                   [ENDING_STANDING_SETTLED] = {800, 4},
                                   [ENDING_STANDING_PAUSED] = {2000, 10},
                                   [ENDING_STANDING_RESTED] = {8000, 100}};

static bool stand_holds(const struct ending_rank *rank)
{
    const struct ending_stand *s = &rank->stand;
    uint64_t still_ms = needed[rank->standing].still_ms, factor = needed[rank->standing].factor;

    CORE_CHECK(rank->standing < ENDING_STANDING_COUNT);
    switch (s->look) {
    case ENDING_LOOK_SLEEPS:
        break;
    case ENDING_LOOK_RAN:
        if (s->cpu_ns_min < 3000000 * factor || s->runs_min < 30 * factor ||
            (s->cpu_ns < s->cpu_ns_min && s->runs < s->runs_min))
            return false;
        break;
    case ENDING_LOOK_STOOD:
        still_ms = still_ms > 1200 * factor ? still_ms : 1200 * factor;
        break;
    case ENDING_LOOK_RELAYED:
        return rank->standing == ENDING_STANDING_STILL;
    default:
        return false;
    }
    return s->still_ms_min >= still_ms && s->still_ms >= s->still_ms_min;
}

static void ranks_check(struct check *check)
{
    const struct ending *ending = check->ending;

    for (uint32_t r = 0; r < ending->rank_count; r++) {
        const struct ending_rank *rank = &ending->rank[r];
        const struct ending_stand *s = &rank->stand;
        bool ended = rank->standing == ENDING_STANDING_ENDED;

        if (rank->seq > check->record->last[r])
            verdict_say(check, CERTIFICATE_REJECTED,
                        "rank %" PRIu32 ": the record has no call %" PRIu64, r, rank->seq);
        if (check->record->strange[r])
            verdict_say(check, CERTIFICATE_UNDECIDED,
                        "rank %" PRIu32 ": it made calls that the check does not follow", r);
        if (ended ? !(s->look == ENDING_LOOK_FINALIZED && check->record->finalized[r]) &&
                        !(s->look == ENDING_LOOK_GONE && s->still_ms_min >= 10000 &&
                          s->still_ms >= s->still_ms_min)
                  : rank->standing != ENDING_STANDING_UNKNOWN && !stand_holds(rank))
            verdict_say(check, CERTIFICATE_REJECTED,
                        "rank %" PRIu32 ": the evidence is too weak for the state '%s'", r,
                        ending_standing_text(rank->standing));
    }
}

static void channels_check(struct check *check)
{
    for (uint32_t i = 0; i < check->ending->channel_count; i++) {
        const struct ending_channel *c = &check->ending->channel[i];
        int32_t comm = 0;
        uint64_t sent, received;

        while ((uint32_t)comm < check->record->trace->comm_count &&
               check->record->global[comm] != c->global)
            comm++;
        messages_count(check, comm, c->source, c->dest, c->tag, &sent, &received);
        if (sent != c->sent || received != c->received)
            verdict_say(check, CERTIFICATE_REJECTED,
                        "rank %" PRId32 " to rank %" PRId32 ", tag %" PRId32 ": %" PRIu64
                        " were sent and %" PRIu64 " received, not %" PRIu64 " and %" PRIu64,
                        c->source, c->dest, c->tag, sent, received, c->sent, c->received);
    }
}

static void members_check(struct check *check)
{
    for (uint32_t i = 0; i < check->ending->member_count; i++) {
        const struct ending_member *m = &check->ending->member[i];
        struct op like = {.kind = OP_COLLECTIVE, .win = -1};
        uint64_t entered;

        like.finalize = m->object == ENDING_OBJECT_FINALIZE;
        if (m->object != ENDING_OBJECT_COMM && !like.finalize)
            continue; /* wait_check says whether the wait is decided */
        while ((uint32_t)like.comm < check->record->trace->comm_count && !like.finalize &&
               check->record->global[like.comm] != m->global)
            like.comm++;
        coll_at(check, m->rank, &like, 0, &entered);
        if (entered != m->entered)
            verdict_say(check, CERTIFICATE_REJECTED,
                        "rank %" PRIu32 ": it had entered %" PRIu64 " collectives, not %" PRIu64,
                        m->rank, entered, m->entered);
    }
}

static bool is_of_proof(const struct ending *ending, uint32_t rank, bool core)
{
    for (uint32_t i = 0; i < ending->call_count; i++)
        if (ending->call[i].rank == rank && (!core || ending->call[i].role == ENDING_CORE))
            return true;
    return false;
}

/* Tells whether each rank of the wait has ended or is itself in the proof. */
static bool wait_is_held(const struct check *check, const struct ending_wait *wait, bool core)
{
    const struct ending *ending = check->ending;
    bool ended = wait->count > 0, held = true;

    CORE_CHECK((uint64_t)wait->first + wait->count <= ending->span_count);
    for (uint32_t i = 0; i < wait->count; i++)
        for (uint32_t r = ending->span[wait->first + i].first;
             r <= ending->span[wait->first + i].last; r++) {
            bool over = r < ending->rank_count && ending->rank[r].standing == ENDING_STANDING_ENDED;

            ended &= over;
            held &= over || is_of_proof(ending, r, core);
        }
    return held && ended == wait->ended;
}

static void call_check(struct check *check, const struct ending_call *call)
{
    const struct waiting *waiting = NULL;
    enum ending_standing standing = check->ending->rank[call->rank].standing;
    struct things *things = calloc(1, sizeof *things);
    bool held = false;

    CORE_CHECK((uint64_t)call->first + call->count <= check->ending->wait_count);
    for (uint32_t i = 0; i < check->record->waiting_count; i++)
        if (check->record->waiting[i].event.rank == call->rank &&
            check->record->waiting[i].event.seq == call->seq)
            waiting = &check->record->waiting[i];
    if (!waiting || call->seq > certificate_position(check, call->rank) ||
        standing == ENDING_STANDING_UNKNOWN || standing == ENDING_STANDING_ENDED)
        verdict_say(check, CERTIFICATE_REJECTED,
                    "rank %" PRIu32 ": it was not seen blocked in call %" PRIu64, call->rank,
                    call->seq);
    for (uint32_t w = 0; w < call->count; w++)
        held |=
            wait_is_held(check, &check->ending->wait[call->first + w], call->role == ENDING_CORE);
    if (!held)
        verdict_say(check, CERTIFICATE_REJECTED,
                    OF_CALL "a rank that could end the wait is not proven to be blocked",
                    call->rank, call->call, call->seq);
    if (!things) {
        verdict_say(check, CERTIFICATE_UNDECIDED, "out of memory");
    } else if (waiting) {
        things_find(check, waiting, things);
        for (uint32_t w = 0; w < call->count; w++)
            wait_check(check, call, &check->ending->wait[call->first + w], things);
    }
    free(things);
}

/* Tells whether the proof contains a call of the event's thread. If a function of the program runs
 * inside a call of MPI, the thread counts as in the innermost call. */
static bool thread_is_known(const struct check *check, const struct trace_event *event)
{
    const struct certificate_record *record = check->record;

    for (uint32_t k = 0; k < check->ending->call_count; k++)
        for (uint32_t i = 0; i < record->waiting_count; i++) {
            const struct trace_event *e = &record->waiting[i].event;

            if (e->rank == event->rank && e->thread == event->thread && e->seq >= event->seq &&
                check->ending->call[k].rank == e->rank && check->ending->call[k].seq == e->seq)
                return true;
        }
    return false;
}

/* Rejects ranks of the proof of which a thread is in a call that the proof does not contain. */
static void threads_check(struct check *check)
{
    for (uint32_t i = 0; i < check->record->waiting_count; i++) {
        const struct trace_event *e = &check->record->waiting[i].event;

        if (is_of_proof(check->ending, e->rank, false) &&
            e->seq <= certificate_position(check, e->rank) && !thread_is_known(check, e))
            verdict_say(check, CERTIFICATE_REJECTED,
                        "rank %" PRIu32 ": another thread of it is in call %" PRIu64, e->rank,
                        e->seq);
    }
}

void certificate_check(const struct certificate_record *record, const struct ending *ending,
                       struct certificate_verdict *out_verdict)
{
    struct check check = {record, ending, out_verdict};
    uint32_t core = 0;

    CORE_CHECK(ending->reason == ENDING_DEADLOCK);
    *out_verdict = (struct certificate_verdict){CERTIFICATE_ACCEPTED, ""};
    if (ending_reaches_jobs(ending)) {
        verdict_say(&check, CERTIFICATE_UNDECIDED,
                    "ranks wait for another job, whose calls are in a trace of its own");
        return;
    }
    bool whole = ending->rank_count == record->trace->rank_count;
    for (uint32_t r = 0; r < ending->rank_count; r++)
        whole &= ending->rank[r].rank == r;
    if (!whole) {
        verdict_say(&check, CERTIFICATE_REJECTED, "it does not give the state of each rank");
        return;
    }
    ranks_check(&check);
    channels_check(&check);
    members_check(&check);
    for (uint32_t i = 0; i < ending->call_count; i++) {
        core += ending->call[i].role == ENDING_CORE;
        call_check(&check, &ending->call[i]);
    }
    threads_check(&check);
    if (!core)
        verdict_say(&check, CERTIFICATE_REJECTED, "no ranks hold each other");
}
