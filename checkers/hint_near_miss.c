/* See hint_near_miss.h. The candidates are the operations that the engine has left unmatched. */
#include "checkers/hint_near_miss.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "core/trace/describe.h"
#include "core/trace/request.h"
#include "core/trace/trace_message.h"

enum { NEAR_MAX = 4 };

enum differs { /* how a message and a receive differ, most important first */
               IN_TAG,
               IN_COMM,
               IN_SOURCE,
               IN_DEST,
               IN_SOURCE_AND_TAG, /* the receive has them exchanged */
               IN_DEST_AND_TAG,   /* the send has */
               DIFFERS_COUNT
};

struct side { /* a send, or a receive or probe */
    uint32_t rank;
    uint64_t event;
    int32_t peer, tag; /* REPLAY_ANY */
    uint32_t comm;
};

struct miss { /* a near miss of ranks that make the same call at the same place */
    char *text;
    int32_t site, call;
    bool sends;
    uint32_t *rank, count, room;
};

struct near {
    const struct check_input *input;
    struct finding *finding;
    const struct replay_result *result;
    uint32_t told;
    struct miss miss[NEAR_MAX];
    uint32_t miss_count;
    bool exchanged; /* a rank and a tag */
    struct hint_tag_miss tag;
    enum core_status status;
};

static bool is_send(const struct replay_op *op)
{
    return (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->mode != REPLAY_TOKEN;
}

static bool is_receive(const struct replay_op *op)
{
    return (op->kind == REPLAY_RECV || op->kind == REPLAY_IRECV || op->kind == REPLAY_PROBE ||
            op->kind == REPLAY_MPROBE) &&
           op->mode != REPLAY_TOKEN;
}

/* Tells whether the two match if a side exchanges its rank and its tag. */
static enum differs exchange_of(const struct side *send, const struct side *receive)
{
    if (send->comm != receive->comm || receive->tag == REPLAY_ANY)
        return DIFFERS_COUNT;
    if (send->peer == (int32_t)receive->rank && receive->peer == send->tag &&
        receive->tag == (int32_t)send->rank)
        return IN_SOURCE_AND_TAG;
    return receive->peer == (int32_t)send->rank && send->tag == (int32_t)receive->rank &&
                   send->peer == receive->tag
               ? IN_DEST_AND_TAG
               : DIFFERS_COUNT;
}

/* Returns the one thing in which they differ; DIFFERS_COUNT: none, or several. */
static enum differs hint_near_miss_difference(const struct side *send, const struct side *receive)
{
    const bool differs[IN_SOURCE_AND_TAG] = {
        [IN_TAG] = receive->tag != REPLAY_ANY && receive->tag != send->tag,
        [IN_COMM] = receive->comm != send->comm,
        [IN_SOURCE] = receive->peer != REPLAY_ANY && receive->peer != (int32_t)send->rank,
        [IN_DEST] = send->peer != (int32_t)receive->rank};
    enum differs found = DIFFERS_COUNT;

    for (int i = 0; i < IN_SOURCE_AND_TAG; i++) {
        if (!differs[i])
            continue;
        if (found != DIFFERS_COUNT)
            return exchange_of(send, receive);
        found = (enum differs)i;
    }
    return found;
}

static bool side_meets(const struct side *send, const struct side *receive)
{
    return send->peer == (int32_t)receive->rank &&
           matching_fits((struct matching_envelope){receive->comm, receive->peer, receive->tag},
                         (struct matching_envelope){send->comm, (int32_t)send->rank, send->tag});
}

/* Tells whether both sides are partitioned, or neither is: only such sides match. */
static bool in_pairs(const struct near *near, const struct side *side)
{
    struct trace *trace = near->input->trace;
    struct trace_event event;

    if (trace_event_get(trace, side->rank, side->event, &event) != CORE_OK)
        return false;
    if (trait_in(event.traits, TRAIT_STARTS) || traits_mark(event.traits))
        trace_started_get(trace, side->rank, side->event, &event);
    return trait_in(event.traits, TRAIT_PARTITIONED);
}

/* Tells whether both are partitioned on one communicator: MPI matches those in the order in which
 * they were made. */
static bool is_other_pair(const struct near *near, const struct side *a, const struct side *b)
{
    const struct replay_program *program = near->input->program;

    CORE_CHECK(a->comm < program->comm_count && b->comm < program->comm_count);
    return program->comm[a->comm].origin == program->comm[b->comm].origin &&
           in_pairs(near, a) == in_pairs(near, b);
}

static const char *comm_text(const struct near *near, uint32_t comm, char *text, size_t bytes)
{
    const struct replay_program *program = near->input->program;

    CORE_CHECK(comm < program->comm_count);
    return describe_comm(near->input->trace, program->comm[comm].origin, text, bytes);
}

/* Writes "tag 3, and tag 4 is waited for": first the unmatched operation, then the awaited one. */
static void differ_text(const struct near *near, enum differs how, const struct side *other,
                        const struct side *waiting, bool sends, char *text, size_t bytes)
{
    char one[256], two[256];

    switch (how) {
    case IN_TAG:
        snprintf(text, bytes, "has tag %" PRId32 ", not %" PRId32, other->tag, waiting->tag);
        break;
    case IN_COMM:
        if (in_pairs(near, other) != in_pairs(near, waiting)) {
            snprintf(text, bytes, "is %sin partitions, unlike what is waited for",
                     in_pairs(near, other) ? "" : "not ");
            break;
        }
        snprintf(text, bytes, "is of %s, not of %s", comm_text(near, other->comm, one, sizeof one),
                 comm_text(near, waiting->comm, two, sizeof two));
        break;
    case IN_SOURCE:
        if (sends)
            snprintf(text, bytes, "comes from rank %" PRIu32 ", not from rank %" PRId32,
                     other->rank, waiting->peer);
        else
            snprintf(text, bytes, "names rank %" PRId32 " as its source, not rank %" PRIu32,
                     other->peer, waiting->rank);
        break;
    case IN_SOURCE_AND_TAG:
    case IN_DEST_AND_TAG:
        snprintf(text, bytes,
                 sends ? "goes to rank %" PRId32 " with tag %" PRId32
                         ", where a receive from rank %" PRId32 " with tag %" PRId32
                         " waits: the %s has its rank and its tag exchanged"
                       : "names rank %" PRId32 " and tag %" PRId32 ", where a send to rank %" PRId32
                         " with tag %" PRId32 " waits: the %s has its rank and its tag exchanged",
                 other->peer, other->tag, waiting->peer, waiting->tag,
                 how == IN_SOURCE_AND_TAG ? "receive" : "send");
        break;
    default:
        if (sends)
            snprintf(text, bytes, "goes to rank %" PRId32 ", not to rank %" PRIu32, other->peer,
                     waiting->rank);
        else
            snprintf(text, bytes, "is posted by rank %" PRIu32 ", not by rank %" PRId32,
                     other->rank, waiting->peer);
    }
}

static void hint_near_miss_tell(struct near *near, enum differs how, const struct side *other,
                                const struct side *waiting, bool sends)
{
    struct trace *trace = near->input->trace;
    struct trace_event event;
    char text[768];

    if (trace_event_get(trace, other->rank, other->event, &event) != CORE_OK ||
        (how == IN_COMM && is_other_pair(near, other, waiting)))
        return;
    near->exchanged |= how == IN_SOURCE_AND_TAG || how == IN_DEST_AND_TAG;
    differ_text(near, how, other, waiting, sends, text, sizeof text);
    uint32_t at = 0;
    while (at < near->miss_count &&
           (near->miss[at].site != event.site || near->miss[at].call != event.call ||
            near->miss[at].sends != sends || strcmp(near->miss[at].text, text) != 0))
        at++;
    struct miss *miss = &near->miss[at];
    if (at == near->miss_count) {
        *miss = (struct miss){
            .text = strdup(text), .site = event.site, .call = event.call, .sends = sends};
        if (!miss->text) {
            near->status = core_report(CORE_NO_MEMORY, "out of memory for a near miss");
            return;
        }
        near->miss_count++;
        near->told++;
    }
    for (uint32_t i = 0; i < miss->count; i++)
        if (miss->rank[i] == other->rank)
            return;
    if (CORE_ARRAY_ROOM(miss->rank, miss->room, miss->count + 1, "ranks of a near miss") == CORE_OK)
        miss->rank[miss->count++] = other->rank;
    else
        near->status = CORE_NO_MEMORY;
}

/* Adds one line for all ranks that make the same call. */
static void misses_word(struct near *near)
{
    struct trace *trace = near->input->trace;
    char place[256];

    for (uint32_t i = 0; i < near->miss_count; i++) {
        struct miss *miss = &near->miss[i];
        char *ranks = wording_ranks_text(miss->rank, miss->count, " and ");
        CORE_CHECK(miss->count > 0);
        finding_fact(near->finding,
                     miss->sends ? "a message of %s that no receive takes %s: %s at %s"
                                 : "a receive of %s that gets no message %s: %s at %s",
                     ranks ? ranks : "", miss->text, trace->call[miss->call].name,
                     trace_site_text(trace, miss->site, place, sizeof place));
        free(ranks);
        free(miss->text);
        free(miss->rank);
    }
}

/* Finds, among the unmatched operations, the one whose difference is first in enum differs. */
static void look_left(struct near *near, const struct side *waiting, bool receives)
{
    enum differs best = DIFFERS_COUNT;
    struct side nearest = {0};
    bool several = false; /* sources: the rank may mean to receive their messages afterwards */

    for (uint32_t i = 0; i < near->result->leftover_listed; i++) {
        const struct replay_leftover *left = &near->result->leftover[i];
        struct side other = {left->rank, left->event, left->peer, left->tag, left->comm};

        if (left->is_send != receives || !left->event)
            continue;
        enum differs how = receives ? hint_near_miss_difference(&other, waiting)
                                    : hint_near_miss_difference(waiting, &other);
        several |= how == IN_SOURCE && best == IN_SOURCE && other.rank != nearest.rank;
        if (how >= best)
            continue;
        best = how;
        nearest = other;
    }
    CORE_CHECK(near->told < NEAR_MAX); /* hint_near_miss_add ensures it */
    if (best == IN_SOURCE && several)
        return;
    if (best != DIFFERS_COUNT)
        hint_near_miss_tell(near, best, &nearest, waiting, receives);
    if (best == IN_TAG && !near->tag.is) {
        const struct side *send = receives ? &nearest : waiting,
                          *receive = receives ? waiting : &nearest;
        near->tag = (struct hint_tag_miss){true,
                                           {send->rank, send->event},
                                           {receive->rank, receive->event},
                                           send->tag,
                                           receive->tag};
    }
}

/* Tells whether the persistent request of rank `its` would match the waiting operation. */
static bool is_partner(const struct near *near, const struct request *request, uint32_t its,
                       const struct side *waiting, enum request_kind kind)
{
    const struct trace *trace = near->input->trace;

    if (!request->persistent || request->kind != kind || request->comm < 0 ||
        request->comm != near->input->program->comm[waiting->comm].origin)
        return false;
    if (kind == REQUEST_COLLECTIVE)
        return true;
    return matching_overlaps(waiting->tag, request->tag) &&
           ((kind == REQUEST_RECEIVE && request->peer == EVENT_ANY) ||
            (request->peer >= 0 && trace_comm_world(trace, request->comm, (int32_t)its,
                                                    request->peer) == (int32_t)waiting->rank));
}

/* Finds the rank's last wait or test for such a request while the request was inactive. *out_made:
 * the call that made it; *out_waited: seq 0: none. */
static enum core_status find_idle(const struct near *near, uint32_t its, const struct side *waiting,
                                  enum request_kind kind, struct trace_event *out_waited,
                                  uint64_t *out_made)
{
    struct requests requests;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more;
    enum core_status status = trace_cursor_open(near->input->trace, its, &cursor);

    CORE_CHECK(its < near->input->trace->rank_count);
    CORE_CHECK(kind <= REQUEST_COLLECTIVE);
    out_waited->seq = 0;
    if (status != CORE_OK)
        return status;
    requests_init(&requests);
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        if (event.parent)
            continue;
        for (uint32_t i = 0; event.traits & TRAITS_COMPLETE && i < event.completion_count; i++) {
            const struct request *request = requests_find(&requests, event.completion[i].request);

            if (!request || request->active || request->armed ||
                !is_partner(near, request, its, waiting, kind))
                continue;
            *out_made = request->made;
            *out_waited = event;
        }
        status = requests_follow(&requests, &event, NULL, NULL);
        if (status != CORE_OK)
            break;
    }
    requests_done(&requests);
    trace_cursor_close(cursor);
    out_waited->completion = NULL; /* freed with the cursor */
    return status;
}

static enum core_status look_idle(struct near *near, uint32_t its, const struct side *waiting,
                                  enum request_kind kind)
{
    struct trace *trace = near->input->trace;
    struct trace_event waited, made;
    uint64_t made_by;
    char place[2][256];
    enum core_status status = find_idle(near, its, waiting, kind, &waited, &made_by);

    if (status != CORE_OK || !waited.seq || trace_event_get(trace, its, made_by, &made) != CORE_OK)
        return status;
    finding_fact(near->finding,
                 "rank %" PRIu32 " had not started the request of %s (%s) when it called %s at %s, "
                 "which does not wait for it then",
                 its, trace->call[made.call].name,
                 trace_site_text(trace, made.site, place[0], sizeof place[0]),
                 trace->call[waited.call].name,
                 trace_site_text(trace, waited.site, place[1], sizeof place[1]));
    near->told++;
    return CORE_OK;
}

/* Tells whether an operation that rank `its` makes after its blocked one would match: then the two
 * fit but come in the wrong order. out: the first such operation. */
static bool is_ahead(const struct near *near, uint32_t its, const struct side *waiting,
                     bool receives, struct side *out)
{
    const struct replay_waitfor *waitfor = &near->result->waitfor;
    const struct replay_rank *rank = &near->input->program->rank[its];
    uint32_t from = rank->op_count;

    CORE_CHECK(its < near->input->program->rank_count);
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        if (waitfor->blocked[i].rank == its && waitfor->blocked[i].op < from)
            from = waitfor->blocked[i].op;
    CORE_CHECK(from <= rank->op_count);
    for (uint32_t i = from + (from < rank->op_count); i < rank->op_count; i++) {
        const struct replay_op *op = &rank->op[i];
        struct side other = {its, op->event, op->peer, op->tag, op->comm};

        if (!(receives ? is_send(op) : is_receive(op)) || !op->event)
            continue;
        *out = other;
        if (receives ? side_meets(&other, waiting) : side_meets(waiting, &other))
            return true;
    }
    return false;
}

/* Handles a rank that sends to itself and posts the receive afterwards. receive: NULL: the record
 * ends before that. */
static void tell_own(struct near *near, uint32_t rank, const struct side *receive)
{
    struct trace *trace = near->input->trace;
    struct trace_event event;
    char place[256];

    CORE_CHECK(!receive || receive->event);
    if (receive && trace_event_get(trace, rank, receive->event, &event) != CORE_OK)
        return;
    finding_fact(near->finding,
                 "rank %" PRIu32 " sends to itself before it posts the receive%s%s%s%s: copy the "
                 "data, leave the rank itself out, or post MPI_Irecv first",
                 rank, receive ? ", " : "", receive ? trace->call[event.call].name : "",
                 receive ? " at " : "",
                 receive ? trace_site_text(trace, event.site, place, sizeof place) : "");
    near->told++;
}

/* Tells whether a rank of one thread waits for itself alone. */
static bool waits_for_itself(const struct near *near, const struct replay_clause *clause,
                             uint32_t rank)
{
    CORE_CHECK(rank < near->input->trace->rank_count);
    return clause->count == 1 && near->result->waitfor.peer[clause->first] == rank &&
           near->input->trace->rank[rank].threads <= 1;
}

/* Looks for near misses of one thing that a blocked call waits for. */
static enum core_status hint_near_miss_look(struct near *near, uint32_t rank,
                                            const struct replay_clause *clause)
{
    const struct replay_program *program = near->input->program;
    CORE_CHECK(clause->op < program->rank[rank].op_count);
    const struct replay_op *op = &program->rank[rank].op[clause->op];
    const struct side waiting = {rank, op->event, op->peer, op->tag, op->comm};
    CORE_CHECK((uint64_t)clause->first + clause->count <= near->result->waitfor.peer_count);
    bool collective = op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL;
    enum request_kind kind = collective       ? REQUEST_COLLECTIVE
                             : is_receive(op) ? REQUEST_SEND
                                              : REQUEST_RECEIVE;
    enum core_status status = CORE_OK;
    uint32_t told = near->told;

    if (!collective && !is_send(op) && !is_receive(op))
        return CORE_OK;
    struct side partner;
    bool comes = !collective && clause->count == 1 && !clause->any &&
                 is_ahead(near, near->result->waitfor.peer[clause->first], &waiting, is_receive(op),
                          &partner);
    if (comes && partner.rank == rank && is_send(op))
        tell_own(near, rank, &partner);
    else if (is_send(op) && waits_for_itself(near, clause, rank))
        tell_own(near, rank, NULL);
    else if (!collective && !comes)
        look_left(near, &waiting, is_receive(op));
    for (uint32_t i = 0; i < clause->count && !clause->any && told == near->told && i < NEAR_MAX &&
                         status == CORE_OK;
         i++) {
        uint32_t peer = near->result->waitfor.peer[clause->first + i];

        if (peer != rank)
            status = look_idle(near, peer, &waiting, kind);
    }
    return status;
}

enum core_status hint_near_miss_add(const struct check_input *input, struct finding *finding,
                                    const struct replay_result *result,
                                    struct hint_tag_miss *out_tag)
{
    const struct replay_waitfor *waitfor = &result->waitfor;
    struct near near = {.input = input, .finding = finding, .result = result};
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < waitfor->blocked_count && status == CORE_OK; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];

        if (blocked->standing != REPLAY_IN_CORE)
            continue;
        CORE_CHECK(blocked->rank < input->program->rank_count);
        CORE_CHECK((uint64_t)blocked->first + blocked->count <= waitfor->clause_count);
        for (uint32_t k = 0; k < blocked->count && near.told < NEAR_MAX && status == CORE_OK; k++)
            status =
                hint_near_miss_look(&near, blocked->rank, &waitfor->clause[blocked->first + k]);
        status = status == CORE_OK ? near.status : status;
    }
    if (near.miss_count)
        finding->remedy = near.exchanged ? REMEDY_EXCHANGE : REMEDY_AGREE;
    misses_word(&near);
    *out_tag = near.tag;
    return status;
}
