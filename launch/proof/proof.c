/* See proof.h. The history (history.h) says what is pending; here each pending call becomes the
 * clauses that it waits for, and replay/logical/waitfor.h says who can never go on.
 *
 * Invariant: a clause is added only if the call certainly cannot complete before one of the
 * clause's ranks does something. */
#include "launch/proof/proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/matching/matching.h"
#include "core/work.h"
#include "launch/proof/proof_inside.h"
#include "replay/logical/waitfor.h"

/* --- collecting ------------------------------------------------------------------------------- */

void proof_peer_add(struct proof_prover *prover, int32_t peer)
{
    struct needs *needs = &prover->needs;

    prover->no_memory |= CORE_ARRAY_PUSH(needs->peer, needs->peer_count, needs->peer_room,
                                         "what ranks wait for", peer) != CORE_OK;
}

void proof_need_add(struct proof_prover *prover, struct need need)
{
    struct needs *needs = &prover->needs;

    need.end = needs->peer_count;
    prover->no_memory |= CORE_ARRAY_PUSH(needs->need, needs->count, needs->room,
                                         "what ranks wait for", need) != CORE_OK;
}

struct need proof_need(enum need_state state, enum ending_need kind,
                       const struct history_space *space)
{
    static const enum ending_object object[] = {[HISTORY_SPACE_COMM] = ENDING_OBJECT_COMM,
                                                [HISTORY_SPACE_WIN] = ENDING_OBJECT_WIN,
                                                [HISTORY_SPACE_FILE] = ENDING_OBJECT_FILE,
                                                [HISTORY_SPACE_FINALIZE] = ENDING_OBJECT_FINALIZE};

    return (struct need){.state = state,
                         .wait = {.need = kind,
                                  .object = object[space->key.kind],
                                  .global = space->global,
                                  .tag = EVENT_NONE}};
}

struct need proof_need_unknown(void)
{
    return (struct need){.state = NEED_UNKNOWN};
}

struct need proof_need_reasoned(struct need need, enum ending_basis basis, uint64_t number,
                                uint64_t rivals)
{
    need.wait.basis = basis;
    need.wait.number = number;
    need.wait.rivals = rivals;
    return need;
}

/* --- messages --------------------------------------------------------------------------------- */

bool proof_open_sends(const struct history_rank *rank, int32_t source,
                      const struct history_open *open, struct history_channel_key *out_key)
{
    const struct history_call *call = history_open_call(rank, open);
    const struct history_space *space =
        history_space_find(rank, HISTORY_SPACE_COMM, open->event.comm);

    if (!call || !space || (call->class != EVENT_CLASS_SEND && call->class != EVENT_CLASS_SENDRECV))
        return false;
    *out_key = (struct history_channel_key){.global = space->global,
                                            .source = source,
                                            .dest = history_space_world(space, open->event.peer),
                                            .tag = open->event.tag};
    return out_key->dest >= 0;
}

/* Whether a send that some thread of the source is in goes to this channel. */
static bool sends_to(const struct history_rank *source, const struct history_open *open,
                     const struct history_channel_key *key)
{
    struct history_channel_key its;

    return proof_open_sends(source, key->source, open, &its) && memcmp(&its, key, sizeof its) == 0;
}

uint64_t proof_channel_open(const struct history *history, const struct history_channel_key *key)
{
    const struct history_channel *channel =
        history_channel_find(history, key->global, key->source, key->dest, key->tag);
    const struct history_rank *source = &history->rank[key->source];
    uint64_t sent = channel ? channel->sent : 0;
    uint64_t received = channel ? channel->received : 0;

    for (uint32_t i = 0; i < source->open_count; i++)
        sent += sends_to(source, &source->open[i], key);
    return sent > received ? sent - received : 0;
}

bool proof_channel_arrived(const struct proof_prover *prover, const struct history_channel *channel,
                           bool certain)
{
    const struct history_rank *source = &prover->history.rank[channel->key.source];
    uint8_t standing = prover->standing[channel->key.source];

    if (channel->buffered || (!proof_is_idle(standing) && standing != PROOF_ENDED))
        return false;
    for (uint32_t i = 0; i < source->open_count; i++) {
        const struct history_open *open = &source->open[i];
        const struct history_call *call = history_open_call(source, open);

        /* MPI_Send: no receive has taken it, or it would be back */
        if (sends_to(source, open, &channel->key) &&
            ((certain && call->class == EVENT_CLASS_SEND) ||
             !proof_idle_enough(prover, channel->key.source, channel->key.dest,
                                history_bytes(source, open->event.type, open->event.count))))
            return false;
    }
    return !core_table_find(&prover->index.undelivered, &channel->key);
}

/* The receives with which a waiting receive competes. Receives posted before it that accept all
 * that it accepts come first: they are told apart by whether they accept more sources, and more
 * tags. */
struct rivals {
    uint64_t before[2][2]; /* such receives, [of any source][of any tag] */
    uint64_t some;         /* posted before it: they accept some of what it accepts */
    uint64_t
        message[2][2]; /* messages that nobody is known to have received, [source fits][tag fits] */
    bool arrived;      /* all those that fit it have */
};

/* Whether so many earlier receives, [any source][any tag] or not, take all the messages that fit
 * them: then none is left for this one. */
static bool all_taken(const struct rivals *rivals, unsigned kinds)
{
    uint64_t takers = 0, messages = 0;

    for (unsigned kind = 0; kind < 4; kind++)
        takers += kinds & 1u << kind ? rivals->before[kind >> 1][kind & 1] : 0;
    for (unsigned fits = 0; fits < 4; fits++) {
        bool taken = false;

        for (unsigned kind = 0; kind < 4 && !taken;
             kind++) /* wants the source, or any; the tag, or any */
            taken = kinds & 1u << kind && (fits >> 1 || kind >> 1) && (fits & 1 || kind & 1);
        messages += taken ? rivals->message[fits >> 1][fits & 1] : 0;
    }
    return messages <= takers;
}

enum competition {
    COMPETE_FREE,   /* a message may fit the receive */
    COMPETE_NONE,   /* none does that was sent so far; one that the source sends may */
    COMPETE_OTHERS, /* the same, but what others send to the receives before it may let one through
                     */
    COMPETE_TAKEN   /* the receive is complete, or it is as with COMPETE_NONE */
};

/* Whether messages may still meet a receive, by which argument they cannot, and its numbers. */
struct competing {
    enum competition is;
    enum ending_basis basis;
    uint64_t messages, rivals;
};

/* A message that was sent so far can still meet the receive unless (1) nothing fits, or (2)
 * receives posted before it accept all that fits any of them, or (3) all that fits it has arrived,
 * in time for it to complete, which it did not (certain), and as many receives posted before it may
 * have taken that. */
static struct competing receive_competes(struct proof_prover *prover,
                                         const struct proof_receive *receive)
{
    const struct history_channel_key key = {.global = receive->global,
                                            .source = receive->source,
                                            .dest = receive->dest,
                                            .tag = receive->tag};
    struct rivals rivals = {0};

    if (receive->source >= 0 && receive->tag != EVENT_ANY &&
        !proof_channel_open(&prover->history, &key))
        return (struct competing){COMPETE_NONE, ENDING_BASIS_UNSENT, 0, 0};
    proof_index_before(prover, receive, rivals.before, &rivals.some);
    rivals.arrived = proof_index_messages(prover, receive, rivals.message);
    struct competing as = {COMPETE_NONE, ENDING_BASIS_UNSENT, rivals.message[1][1], rivals.some};
    if (!rivals.message[1][1])
        return as;
    bool arrived = rivals.arrived && proof_is_free(prover, receive->dest) &&
                   proof_is_idle(prover->standing[receive->dest]);
    as.basis = ENDING_BASIS_ARRIVED;
    if (receive->certain && arrived && rivals.message[1][1] <= rivals.some)
        return as;
    for (unsigned kinds = 1; kinds < 16; kinds++)
        if (all_taken(&rivals, kinds)) {
            as.basis = ENDING_BASIS_TAKEN;
            as.is = kinds < 4 ? COMPETE_NONE : COMPETE_OTHERS;
            return as;
        }
    as.is = arrived && !receive->certain ? COMPETE_TAKEN : COMPETE_FREE;
    return as;
}

/* How many receives of `dest` that are pending now might take a message of the channel. */
static uint64_t receives_fitting(struct proof_prover *prover, const struct proof_send *send)
{
    const struct history_rank *rank = &prover->history.rank[send->dest];
    uint64_t count = proof_index_fitting(prover, send);

    for (uint32_t i = 0; i < rank->open_count; i++) {
        const struct history_open *open = &rank->open[i];
        const struct history_call *call = history_open_call(rank, open);
        const struct history_space *space =
            history_space_find(rank, HISTORY_SPACE_COMM, open->event.comm);
        uint8_t class = call ? call->class : EVENT_CLASS_OTHER;
        bool receives_too = class == EVENT_CLASS_SENDRECV && open->has_recv_half;
        int32_t from = receives_too ? open->recv_half.peer : open->event.peer;
        int32_t with = receives_too ? open->recv_half.tag : open->event.tag;

        if (space && space->global == send->global &&
            (receives_too || class == EVENT_CLASS_RECV || class == EVENT_CLASS_MRECV) &&
            matching_accepts(history_space_world(space, from), send->source) &&
            matching_accepts(with, send->tag))
            count++;
        if (class == EVENT_CLASS_SENDRECV && !open->has_recv_half)
            count++; /* not known what it receives */
    }
    return count;
}

/* certain: it is known not to be complete. */
static struct need need_recv(struct proof_prover *prover, int32_t me,
                             const struct history_space *space, int32_t source, int32_t tag,
                             uint64_t seq, uint64_t entered, bool certain)
{
    struct proof_receive receive = {.global = space->global,
                                    .dest = me,
                                    .source = source,
                                    .tag = tag,
                                    .seq = seq,
                                    .entered = entered,
                                    .certain = certain};
    struct need need = proof_need(NEED_CERTAIN, ENDING_NEED_MESSAGE, space);
    struct competing competing;

    need.wait.tag = tag;
    if (source == EVENT_PROC_NULL || source == EVENT_NONE)
        return proof_need_unknown();
    competing = receive_competes(prover, &receive);
    if (competing.is == COMPETE_FREE)
        return proof_need_unknown();
    if (competing.is == COMPETE_TAKEN)
        need.state = NEED_MAYBE;
    need = proof_need_reasoned(need, competing.basis, competing.messages, competing.rivals);
    if (source >= 0 && competing.is != COMPETE_OTHERS) {
        proof_peer_add(prover, source);
        return need;
    }
    need.wait.wildcard = source == EVENT_ANY;
    for (uint32_t i = 0; i < (space->inter ? space->remote_size : space->size); i++) {
        int32_t peer = history_space_world(space, (int32_t)i);

        if (peer < 0)
            return proof_need_unknown();
        if (peer != me || prover->history.rank[me].open_count > 1)
            proof_peer_add(prover, peer);
    }
    return need;
}

/* number: how many-th of its channel the send is; 0: not known. bytes: of its message; -1: not
 * known. */
static struct need need_send(struct proof_prover *prover, int32_t me,
                             const struct history_space *space, int32_t dest, int32_t tag,
                             uint64_t number, bool certain, int64_t bytes)
{
    const struct history_channel *channel =
        history_channel_find(&prover->history, space->global, me, dest, tag);
    uint64_t received = channel ? channel->received : 0, fitting;
    struct need need = proof_need(certain ? NEED_CERTAIN : NEED_MAYBE, ENDING_NEED_RECEIVE, space);
    bool counted = number && !(channel && channel->mixed);
    const struct proof_send send = {.global = space->global,
                                    .source = me,
                                    .dest = dest,
                                    .tag = tag,
                                    .number = number ? number : 1,
                                    .bytes = bytes};

    need.wait.tag = tag;
    if (dest < 0)
        return proof_need_unknown();
    if (!counted)
        number = 1; /* at least */
    fitting = receives_fitting(prover, &send);
    enum ending_basis basis = ENDING_BASIS_UNRECEIVED;
    if (number <= received + fitting) {
        if (certain ? proof_send_left(prover, &send) : proof_send_done_or_left(prover, &send))
            basis = ENDING_BASIS_LEFT;
        else if (number <= received && proof_send_held(prover, &send))
            basis = ENDING_BASIS_HELD;
        else if (counted || fitting || !proof_send_unmatched(prover, &send))
            return proof_need_unknown();
    }
    proof_peer_add(prover, dest);
    return proof_need_reasoned(need, basis, counted ? number : 0, fitting);
}

/* MPI_Buffer_detach, MPI_Buffer_flush and their like wait for some message that is still in the
 * buffer: one of those that no receive fits, whichever buffer each message is in. */
static void needs_of_detach(struct proof_prover *prover, int32_t me)
{
    const struct history *history = &prover->history;

    for (uint32_t i = 0; i < history->channels.count; i++) {
        const struct history_channel *c = core_table_at(&history->channels, i);

        if (!c->buffered || c->key.source != me || c->sent <= c->received)
            continue;
        struct need need = {.state = NEED_MAYBE,
                            .wait = {.need = ENDING_NEED_BUFFER,
                                     .object = ENDING_OBJECT_COMM,
                                     .global = c->key.global,
                                     .tag = c->key.tag,
                                     .basis = ENDING_BASIS_UNRECEIVED}};
        proof_peer_add(prover, c->key.dest);
        const struct proof_send send = {.global = c->key.global,
                                        .source = me,
                                        .dest = c->key.dest,
                                        .tag = c->key.tag,
                                        .bytes = -1};
        proof_need_add(prover, receives_fitting(prover, &send) ? proof_need_unknown() : need);
    }
    if (!prover->needs.count)
        proof_need_add(prover, proof_need_unknown());
}

/* --- one rank --------------------------------------------------------------------------------- */

/* Whether the destination has posted a receive that is the partner of a send in partitions. */
static bool is_partner_posted(const struct proof_prover *prover, int32_t me, int32_t dest,
                              const struct history_space *space, const struct request *send)
{
    const struct history_rank *rank = &prover->history.rank[dest];

    for (uint32_t i = 0; i < requests_count(&rank->requests); i++) {
        const struct request *its = requests_at(&rank->requests, i);
        const struct history_space *there = history_request_space(rank, its);

        if (its->kind == REQUEST_RECEIVE && its->pair == send->pair && its->tag == send->tag &&
            its->active && there && there->global == space->global &&
            history_space_world(there, its->peer) == me)
            return true;
    }
    return false;
}

/* A partitioned send of which partitions are not marked, which nobody but the rank's threads can
 * do; one that is whole, and has not left, while its partner is not there; a partitioned receive
 * whose partner has not marked all of them. */
static struct need need_partition(struct proof_prover *prover, int32_t me,
                                  const struct history_space *space, const struct request *request,
                                  bool certain)
{
    int32_t peer = history_space_world(space, request->peer);
    bool receives = request->kind == REQUEST_RECEIVE, whole = !receives && !request->armed;
    const struct history_channel *channel =
        receives ? history_channel_find(&prover->history, history_request_global(space, request),
                                        peer, me, request->tag)
                 : NULL;

    if (receives ? peer < 0 || (channel && channel->sent > channel->received)
                 : whole && (!certain || peer < 0 ||
                             is_partner_posted(prover, me, peer, space, request)))
        return proof_need_unknown();
    struct need need = proof_need(NEED_CERTAIN,
                                  receives ? ENDING_NEED_MESSAGE
                                  : whole  ? ENDING_NEED_RECEIVE
                                           : ENDING_NEED_PARTITION,
                                  space);
    need.wait.tag = request->tag;
    proof_peer_add(prover, receives || whole ? peer : me);
    return proof_need_reasoned(need,
                               receives ? ENDING_BASIS_UNSENT
                               : whole  ? ENDING_BASIS_UNRECEIVED
                                        : ENDING_BASIS_OWN,
                               0, 0);
}

/* A generalized request that nobody has completed, which nobody but the rank's threads can do. */
static struct need need_generalized(struct proof_prover *prover, int32_t me,
                                    const struct request *request)
{
    if (!request->active || request->cancelled || !history_request_number(request))
        return proof_need_unknown();
    proof_peer_add(prover, me);
    return (struct need){
        .state = NEED_CERTAIN,
        .wait = {.need = ENDING_NEED_GENERALIZED, .tag = EVENT_NONE, .basis = ENDING_BASIS_OWN}};
}

/* A request that was not started: a wait for it alone returns at once, so in one that has not for
 * long the library waits for what only the rank's threads can do. */
static struct need need_start(struct proof_prover *prover, int32_t me)
{
    if (!proof_is_idle(prover->standing[me]))
        return proof_need_unknown();
    proof_peer_add(prover, me);
    return (struct need){
        .state = NEED_CERTAIN,
        .wait = {.need = ENDING_NEED_START, .tag = EVENT_NONE, .basis = ENDING_BASIS_OWN}};
}

static struct need need_of(struct proof_prover *prover, int32_t me, const struct request *request,
                           bool certain)
{
    const struct history_rank *rank = &prover->history.rank[me];
    const struct history_space *space = request ? history_request_space(rank, request) : NULL;
    int32_t peer;

    if (request && request->kind == REQUEST_OTHER)
        return need_generalized(prover, me, request);
    if (space && certain && request->persistent && !request->active && !request->armed)
        return need_start(prover, me);
    if (!space || !(request->active || request->armed) || request->cancelled)
        return proof_need_unknown();
    if (request->pair)
        return need_partition(prover, me, space, request, certain);
    peer = history_space_world(space, request->peer);
    switch (request->kind) {
    case REQUEST_RECEIVE:
        return need_recv(prover, me, space, peer, request->tag,
                         request->persistent ? 0 : request->made, request->t_enter, certain);
    case REQUEST_SEND:
        return need_send(prover, me, space, peer, request->tag, history_request_number(request),
                         certain, (int64_t)request->bytes);
    default:
        return proof_coll_need(prover, me, space,
                               space->mixed ? 0 : history_request_number(request),
                               request->persistent ? request->rounds : 0, certain);
    }
}

/* A request with two sides is complete when both are: as long as its receive is known not to be,
 * that is all it waits for, whatever becomes of the send. Else one side may be complete, and they
 * are two needs. */
static void needs_of_request(struct proof_prover *prover, int32_t me, uint32_t id, bool certain)
{
    const struct requests *requests = &prover->history.rank[me].requests;
    const struct request *twin = requests_twin(requests, id);

    if (twin) {
        struct need receive = need_of(prover, me, twin, false);

        proof_need_add(prover, receive);
        if (receive.state == NEED_CERTAIN)
            return;
    }
    proof_need_add(prover, need_of(prover, me, requests_find(requests, id), certain && !twin));
}

/* Whether a request is complete before this one, which is like it, but begun after it: messages do
 * not overtake each other, but where info lets them. */
static bool is_behind(const struct history_rank *rank, const struct request *request,
                      const struct request *earlier, const struct request *twin)
{
    const struct history_space *space = request ? history_request_space(rank, request) : NULL;

    return space && !space->overtaking && earlier && request->active && earlier->active &&
           !request->cancelled && !earlier->cancelled && !request->persistent &&
           !earlier->persistent && !twin &&
           (request->kind == REQUEST_SEND || request->kind == REQUEST_RECEIVE) &&
           request->kind == earlier->kind && request->comm == earlier->comm &&
           request->peer == earlier->peer && request->tag == earlier->tag &&
           request->made > earlier->made;
}

enum { NEEDS_EACH_MAX = 16 };

/* Where all of many are waited for, the last of those that are alike stands for them: if any
 * of them is never complete, it is not. */
static void needs_of_list(struct proof_prover *prover, int32_t me, const struct history_open *open,
                          bool any)
{
    if (!open->request_count || open->request_count != open->request_total) {
        proof_need_add(prover, proof_need_unknown());
        return;
    }
    for (uint32_t i = 0; i < open->request_count; i++) {
        const struct requests *requests = &prover->history.rank[me].requests;
        const struct request *request = requests_find(requests, open->request[i]);

        if (!any && open->request_count > NEEDS_EACH_MAX && i + 1 < open->request_count &&
            is_behind(&prover->history.rank[me], requests_find(requests, open->request[i + 1]),
                      request, requests_twin(requests, open->request[i])))
            continue;
        if (!open->request[i] ||
            (request && request->persistent && !request->active && !request->armed))
            continue; /* MPI_REQUEST_NULL, or inactive: nobody waits for it */
        needs_of_request(prover, me, open->request[i], any || open->request_count == 1);
    }
}

/* Collects what rank `me` waits for in one of its calls. *out_any: one of the needs is enough
 * (MPI_Waitany), else all of them are missing or may be. */
static void needs_find(struct proof_prover *prover, int32_t me, const struct history_open *open,
                       bool *out_any)
{
    const struct history_rank *rank = &prover->history.rank[me];
    const struct spool_event *event = &open->event;
    const struct history_call *call = history_open_call(rank, open);
    enum event_class class;
    const struct history_space *space;
    int32_t peer;

    *out_any = false;
    prover->needs.count = prover->needs.peer_count = 0;
    if (!call) {
        proof_need_add(prover, proof_need_unknown());
        return;
    }
    class = (enum event_class)call->class;
    space = history_space_of_open(rank, open);
    if (!space && !history_call_partial(call))
        space = history_space_find(rank, history_space_kind_of(class), event->comm);
    peer = space ? history_space_world(space, event->peer) : EVENT_NONE;
    switch (class) {
    case EVENT_CLASS_WAIT:
        needs_of_request(prover, me, event->request, true);
        return;
    case EVENT_CLASS_WAITALL:
        needs_of_list(prover, me, open, false);
        return;
    case EVENT_CLASS_WAITANY:
    case EVENT_CLASS_WAITSOME:
        *out_any = true;
        needs_of_list(prover, me, open, true);
        return;
    case EVENT_CLASS_BUFFER:
        if (call->verb == VERB_DETACH_BUFFER || call->verb == VERB_DETACH_OWN_BUFFER ||
            call->verb == VERB_FLUSH_BUFFER)
            needs_of_detach(prover, me);
        else
            proof_need_add(prover, proof_need_unknown());
        return;
    default:
        break;
    }
    if (!space) {
        proof_need_add(prover, history_call_partial(call) ? proof_party_need(prover, me, open)
                                                          : proof_need_unknown());
        return;
    }
    switch (class) {
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_SENDRECV: {
        const struct history_channel *c =
            peer >= 0 ? history_channel_find(&prover->history, space->global, me, peer, event->tag)
                      : NULL;

        if (class == EVENT_CLASS_SENDRECV) {
            if (!open->has_recv_half) {
                proof_need_add(prover, proof_need_unknown());
                return;
            }
            if (open->recv_half.peer != EVENT_PROC_NULL)
                proof_need_add(prover, need_recv(prover, me, space,
                                                 history_space_world(space, open->recv_half.peer),
                                                 open->recv_half.tag, event->seq, event->t_enter,
                                                 peer == EVENT_PROC_NULL));
            if (peer == EVENT_PROC_NULL)
                return;
        }
        proof_need_add(
            prover, need_send(prover, me, space, peer, event->tag,
                              !c                      ? 1
                              : c->lane == open->lane ? c->sent + 1
                                                      : 0,
                              class == EVENT_CLASS_SEND || open->recv_half.peer == EVENT_PROC_NULL,
                              history_bytes(rank, event->type, event->count)));
        return;
    }
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_PROBE:
    case EVENT_CLASS_MPROBE:
        proof_need_add(prover, need_recv(prover, me, space, peer, event->tag, event->seq,
                                         event->t_enter, true));
        return;
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_COMM_CREATE:
    case EVENT_CLASS_WIN_CREATE:
    case EVENT_CLASS_WIN_FREE:
    case EVENT_CLASS_RMA_FENCE:
    case EVENT_CLASS_COMM_FREE:
    case EVENT_CLASS_FILE_COLL:
    case EVENT_CLASS_FINALIZE:
        if (call->verb == VERB_INTERCOMM_CREATE)
            proof_intercomm_needs(prover, me, space, open);
        else
            proof_need_add(prover, proof_coll_need(prover, me, space, space->entered + 1, 0, true));
        return;
    case EVENT_CLASS_SPAWN: /* makes nothing without all members; what the others do is not known */
        proof_need_add(prover, trait_in(call->traits, TRAIT_COLLECTIVE)
                                   ? proof_coll_need(prover, me, space, space->entered + 1, 0, true)
                                   : proof_need_unknown());
        return;
    case EVENT_CLASS_RMA_START:
    case EVENT_CLASS_RMA_COMPLETE:
    case EVENT_CLASS_RMA_WAIT:
    case EVENT_CLASS_RMA_LOCK:
    case EVENT_CLASS_RMA_UNLOCK:
    case EVENT_CLASS_RMA_FLUSH:
        proof_rma_needs(prover, me, space, open, class);
        return;
    default:
        proof_need_add(prover, proof_need_unknown());
    }
}

/* --- the graph -------------------------------------------------------------------------------- */

/* One clause, and what it is about: kept under the number that the clause carries. */
static enum core_status clause_add(struct proof_prover *prover, struct replay_waitfor *waitfor,
                                   const struct ending_wait *wait, uint32_t first, uint32_t end)
{
    enum core_status status = CORE_ARRAY_PUSH(prover->wait, prover->wait_count, prover->wait_room,
                                              "what ranks wait for", *wait);

    if (status == CORE_OK)
        status = replay_waitfor_clause(waitfor, prover->wait_count - 1, wait->wildcard);
    for (uint32_t i = first; i < end && status == CORE_OK; i++)
        status = replay_waitfor_peer(waitfor, (uint32_t)prover->needs.peer[i]);
    return status;
}

/* Merges needs into one: what all of them have in common. */
static struct ending_wait wait_common(const struct needs *needs)
{
    struct ending_wait common = needs->need[0].wait;

    for (uint32_t i = 1; i < needs->count; i++) {
        const struct ending_wait *wait = &needs->need[i].wait;

        if (wait->need != common.need)
            common.need = ENDING_NEED_SEVERAL;
        if (wait->object != common.object || wait->global != common.global)
            common.object = ENDING_OBJECT_NONE;
        if (wait->tag != common.tag)
            common.tag = EVENT_NONE;
        common.wildcard &= wait->wildcard;
        common.basis = ENDING_BASIS_SEVERAL;
        common.number = common.rivals = 0;
    }
    return common;
}

/* Whether a send has had its receive: its message was received, or receives that take no other are
 * posted for it and all before it. */
static bool is_received(struct proof_prover *prover, int32_t me, const struct request *sent,
                        const struct history_space *space)
{
    const struct proof_send send = {.global = space->global,
                                    .source = me,
                                    .dest = history_space_world(space, sent->peer),
                                    .tag = sent->tag,
                                    .number = history_request_number(sent),
                                    .bytes = (int64_t)sent->bytes};
    const struct history_channel *channel =
        send.dest >= 0
            ? history_channel_find(&prover->history, send.global, me, send.dest, send.tag)
            : NULL;
    return channel && !channel->mixed &&
           send.number <= channel->received + proof_index_exact(prover, &send) &&
           proof_idle_enough(prover, me, send.dest, send.bytes);
}

/* Whether a thread waits for one request alone, and it is complete: a send that has had its
 * receive, or a request whose completion another thread was told. Two threads that wait with one
 * variable do so: the wait of one frees the request of the other. */
static bool is_complete(struct proof_prover *prover, int32_t me, const struct history_open *open)
{
    const struct history_rank *rank = &prover->history.rank[me];
    const struct history_call *call = history_open_call(rank, open);

    if (!call || call->class != EVENT_CLASS_WAIT || rank->lanes < 2 || !open->event.request)
        return false;
    const struct request *send = requests_find(&rank->requests, open->event.request);
    if (!send)
        return !rank->frees_active && open->event.request <= rank->newest;
    const struct history_space *space = history_request_space(rank, send);
    return space && send->kind == REQUEST_SEND && send->active && !send->pair && !send->cancelled &&
           !requests_twin(&rank->requests, send->id) && is_received(prover, me, send, space);
}

/* Whether the call can only come back at once, or never: it was given a null pointer for its data,
 * of which it can transfer none; or what it waits for is there. */
static bool is_lost(struct proof_prover *prover, int32_t me, const struct history_open *open,
                    enum ending_need *out_need)
{
    *out_need = open->of_null ? ENDING_NEED_NULL : ENDING_NEED_OVER;
    return prover->standing[me] == PROOF_IDLE_64MIB &&
           (open->of_null || is_complete(prover, me, open));
}

/* Once such a call has rested, only what ranks do may still move it, whichever rank that is. */
static void needs_of_lost(struct proof_prover *prover, enum ending_need need)
{
    prover->needs.count = prover->needs.peer_count = 0;
    for (uint32_t r = 0; r < prover->history.rank_count; r++)
        proof_peer_add(prover, (int32_t)r);
    proof_need_add(
        prover,
        (struct need){.state = NEED_CERTAIN,
                      .wait = {.need = need, .tag = EVENT_NONE, .basis = ENDING_BASIS_LOST}});
}

/* How many of the needs are in that state. */
static uint32_t needs_count(const struct needs *needs, enum need_state state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < needs->count; i++)
        count += needs->need[i].state == state;
    return count;
}

/* Whether it is known what the call waits for. any: one of the needs is enough. */
static bool needs_are_known(const struct needs *needs, bool any)
{
    return needs->count &&
           (!needs_count(needs, NEED_UNKNOWN) || (!any && needs_count(needs, NEED_CERTAIN)));
}

/* Adds one call that rank `me` is in, as a node with its clauses. *out_known = false, and nothing
 * added, when nothing can be claimed about it. */
static enum core_status call_add(struct proof_prover *prover, struct replay_waitfor *waitfor,
                                 uint32_t me, uint32_t node, const struct history_open *open,
                                 bool *out_known)
{
    const struct needs *needs = &prover->needs;
    struct replay_blocked blocked = {
        .node = node, .rank = me, .op = open->event.head.a, .event = open->event.seq};
    enum core_status status;
    enum ending_need lost;
    bool any;

    needs_find(prover, (int32_t)me, open, &any);
    if (!needs_are_known(needs, any) && is_lost(prover, (int32_t)me, open, &lost)) {
        needs_of_lost(prover, lost);
        any = false;
    }
    *out_known = needs_are_known(needs, any);
    if (prover->no_memory)
        return CORE_NO_MEMORY;
    if (!*out_known)
        return CORE_OK;
    status = replay_waitfor_blocked(waitfor, &blocked);
    if (status == CORE_OK && (any || !needs_count(needs, NEED_CERTAIN))) {
        /* one of them is enough, or it is not known which of them is missing */
        struct ending_wait common = wait_common(needs);

        return clause_add(prover, waitfor, &common, 0, needs->peer_count);
    }
    for (uint32_t i = 0; i < needs->count && status == CORE_OK; i++)
        if (needs->need[i].state == NEED_CERTAIN)
            status = clause_add(prover, waitfor, &needs->need[i].wait,
                                i ? needs->need[i - 1].end : 0, needs->need[i].end);
    return status;
}

/* The nodes of the graph: ranks, and behind them the calls of ranks that are in several at once. */
struct nodes {
    uint8_t *alive;         /* by node */
    uint32_t *first, *rank; /* as in struct replay_waitfor_threads */
    uint32_t count;
};

static bool nodes_make(const struct history *history, const uint8_t *standing,
                       struct nodes *out_nodes)
{
    uint32_t ranks = history->rank_count;
    struct nodes nodes = {0};

    for (uint32_t r = 0; r < ranks; r++)
        nodes.count += history->rank[r].open_count > 1 ? history->rank[r].open_count : 0;
    nodes.alive = calloc((size_t)ranks + nodes.count + 1, 1);
    nodes.first = calloc((size_t)ranks + 1, sizeof *nodes.first);
    nodes.rank = calloc((size_t)nodes.count + 1, sizeof *nodes.rank);
    *out_nodes = nodes;
    if (!nodes.alive || !nodes.first || !nodes.rank)
        return false;
    for (uint32_t r = 0, next = 0; r < ranks; r++) {
        uint8_t alive = standing[r] == PROOF_ENDED ? REPLAY_ALIVE_ENDED : REPLAY_ALIVE_UNKNOWN;

        nodes.alive[r] = alive;
        for (uint32_t i = 0; history->rank[r].open_count > 1 && i < history->rank[r].open_count;
             i++) {
            nodes.alive[ranks + next] = alive;
            nodes.rank[next++] = r;
        }
        nodes.first[r + 1] = next;
    }
    return true;
}

static void nodes_done(struct nodes *nodes)
{
    free(nodes->alive);
    free(nodes->first);
    free(nodes->rank);
}

/* A rank is blocked when all its calls are: whatever one of them may do, the rank may do. */
static enum core_status rank_add(struct proof_prover *prover, struct replay_waitfor *waitfor,
                                 uint32_t me, const struct nodes *nodes)
{
    const struct history_rank *rank = &prover->history.rank[me];
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < rank->open_count && status == CORE_OK; i++) {
        uint32_t node =
            rank->open_count > 1 ? prover->history.rank_count + nodes->first[me] + i : me;
        bool known;

        status = call_add(prover, waitfor, me, node, &rank->open[i], &known);
        if (status == CORE_OK && known)
            nodes->alive[node] = REPLAY_ALIVE_BLOCKED;
    }
    return status;
}

/* --- the record ------------------------------------------------------------------------------- */

static enum core_status record_call(const struct proof_prover *prover,
                                    const struct replay_waitfor *waitfor,
                                    const struct replay_blocked *blocked, enum ending_role role,
                                    struct ending *ending)
{
    const struct history_rank *rank = &prover->history.rank[blocked->rank];
    struct ending_call call = {.rank = blocked->rank, .seq = blocked->event, .role = role};
    enum core_status status;

    snprintf(call.call, sizeof call.call, "%s", rank->call[blocked->op].name);
    status = ending_call_add(ending, &call);
    for (uint32_t i = 0; i < blocked->count && status == CORE_OK; i++) {
        const struct replay_clause *clause = &waitfor->clause[blocked->first + i];
        const uint32_t *peer = waitfor->peer + clause->first;
        struct ending_wait wait = prover->wait[clause->op];

        wait.ended = clause->count > 0;
        for (uint32_t k = 0; k < clause->count; k++)
            wait.ended &= prover->standing[peer[k]] == PROOF_ENDED;
        status = ending_wait_add(ending, &wait, peer, clause->count);
    }
    return status;
}

/* The calls of the core and those behind it, by rank and thread. */
static enum core_status record_make(const struct proof_prover *prover,
                                    const struct replay_waitfor *waitfor, struct ending *out_ending)
{
    struct ending ending = {.reason = ENDING_DEADLOCK};
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < waitfor->blocked_count && status == CORE_OK; i++)
        if (waitfor->blocked[i].standing != REPLAY_MAYBE)
            status = record_call(prover, waitfor, &waitfor->blocked[i],
                                 waitfor->blocked[i].standing == REPLAY_IN_CORE ? ENDING_CORE
                                                                                : ENDING_BEHIND,
                                 &ending);
    if (status != CORE_OK)
        ending_done(&ending);
    else
        *out_ending = ending;
    return status;
}

/* All calls that wait, whether or not they hold each other. */
static enum core_status record_waits(const struct proof_prover *prover,
                                     const struct replay_waitfor *waitfor,
                                     struct ending *out_ending)
{
    struct ending ending = {.reason = ENDING_NONE};
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < waitfor->blocked_count && status == CORE_OK; i++)
        status = record_call(prover, waitfor, &waitfor->blocked[i], ENDING_INSIDE, &ending);
    if (status != CORE_OK)
        ending_done(&ending);
    else
        *out_ending = ending;
    return status;
}

enum core_status proof_prover_new(struct proof_prover **out_prover)
{
    *out_prover = calloc(1, sizeof **out_prover);
    return *out_prover ? CORE_OK : CORE_NO_MEMORY;
}

void proof_prover_free(struct proof_prover *prover)
{
    if (!prover)
        return;
    history_done(&prover->history);
    proof_index_done(&prover->index);
    free(prover->needs.peer);
    free(prover->needs.need);
    free(prover->wait);
    free(prover->free);
    free(prover);
}

const struct history_call *proof_prover_call(const struct proof_prover *prover, uint32_t call)
{
    for (uint32_t r = 0; r < prover->history.rank_count; r++) {
        const struct history_rank *rank = &prover->history.rank[r];

        if (call < rank->call_count && rank->call[call].known)
            return &rank->call[call];
    }
    return NULL;
}

/* Reads what is new, and makes a node of each call that waits, with its clauses. Both to be done
 * with by the caller, whatever it returns. */
static enum core_status graph_make(struct proof_prover *prover, const char *job_path,
                                   const uint8_t *standing, uint32_t rank_count,
                                   struct replay_waitfor *waitfor, struct nodes *nodes)
{
    enum core_status status = history_read(job_path, rank_count, &prover->history);

    proof_index_done(&prover->index); /* of what was read before */
    prover->no_memory = false;
    prover->wait_count = 0;
    prover->misfit.known = false;
    prover->standing = standing;
    free(prover->free);
    prover->free = calloc((size_t)prover->history.rank_count + 1, 1);
    if (!prover->free && status == CORE_OK)
        status = CORE_NO_MEMORY;
    if (status == CORE_OK && !nodes_make(&prover->history, standing, nodes))
        status = CORE_NO_MEMORY;
    for (uint32_t r = 0; r < rank_count && status == CORE_OK && !prover->history.unclear; r++)
        if (standing[r] == PROOF_STILL || proof_is_idle(standing[r]))
            status = rank_add(prover, waitfor, r, nodes);
    return status;
}

enum core_status proof_prove(struct proof_prover *prover, const char *job_path,
                             const uint8_t *standing, uint32_t rank_count,
                             struct proof_verdict *out_verdict)
{
    struct replay_waitfor waitfor = {0};
    struct proof_verdict verdict = {0};
    struct nodes nodes = {0};
    enum core_status status = graph_make(prover, job_path, standing, rank_count, &waitfor, &nodes);

    if (status == CORE_OK && !prover->history.unclear && waitfor.blocked_count) {
        struct replay_waitfor_threads threads = {
            .first = nodes.first, .rank = nodes.rank, .count = nodes.count};

        status =
            replay_waitfor_solve(&waitfor, nodes.alive, rank_count, nodes.count ? &threads : NULL);
    }
    if (status == CORE_OK && waitfor.core_count) {
        verdict.proven = true;
        verdict.core_count = waitfor.core_count;
        verdict.behind_count = waitfor.behind_count;
        status = record_make(prover, &waitfor, &verdict.ending);
        if (status == CORE_OK)
            status = proof_grounds_add(prover, &verdict.ending);
        if (status != CORE_OK)
            ending_done(&verdict.ending);
    }
    if (status == CORE_OK)
        *out_verdict = verdict;
    replay_waitfor_done(&waitfor);
    nodes_done(&nodes);
    prover->standing = NULL;
    return status;
}

enum core_status proof_waits(struct proof_prover *prover, const char *job_path,
                             const uint8_t *standing, uint32_t rank_count,
                             struct ending *out_ending)
{
    struct replay_waitfor waitfor = {0};
    struct nodes nodes = {0};
    enum core_status status = graph_make(prover, job_path, standing, rank_count, &waitfor, &nodes);

    if (status == CORE_OK)
        status = record_waits(prover, &waitfor, out_ending);
    replay_waitfor_done(&waitfor);
    nodes_done(&nodes);
    prover->standing = NULL;
    return status;
}
