/* Collects for the launcher's proof what a rank waits for in one of its calls: the needs of each
 * request, and of each class of calls. */
#include "core/array.h"
#include "launch/proof/proof.h"
#include "launch/proof/proof_inside.h"

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

/* --- requests --------------------------------------------------------------------------------- */

/* Tells whether the destination has posted the partner of a partitioned send. */
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

/* Returns the need of a partitioned request. A send with unmarked partitions needs the rank's own
 * threads; a complete send that has not left needs its partner's receive; a receive needs the
 * partner to mark all partitions. */
static struct need partition_need(struct proof_prover *prover, int32_t me,
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

/* Returns the need of a generalized request that is not complete: only the rank's own threads can
 * complete it. */
static struct need generalized_need(struct proof_prover *prover, int32_t me,
                                    const struct request *request)
{
    if (!request->active || request->cancelled || !history_request_number(request))
        return proof_need_unknown();
    proof_peer_add(prover, me);
    return (struct need){
        .state = NEED_CERTAIN,
        .wait = {.need = ENDING_NEED_GENERALIZED, .tag = EVENT_NONE, .basis = ENDING_BASIS_OWN}};
}

/* Returns the need of a request that was not started. MPI lets a wait for it alone return at once;
 * if it does not for long, the library waits for what only the rank's threads can do. */
static struct need start_need(struct proof_prover *prover, int32_t me)
{
    if (!proof_is_idle(prover->standing[me]))
        return proof_need_unknown();
    proof_peer_add(prover, me);
    return (struct need){
        .state = NEED_CERTAIN,
        .wait = {.need = ENDING_NEED_START, .tag = EVENT_NONE, .basis = ENDING_BASIS_OWN}};
}

static struct need request_need(struct proof_prover *prover, int32_t me,
                                const struct request *request, bool certain)
{
    const struct history_rank *rank = &prover->history.rank[me];
    const struct history_space *space = request ? history_request_space(rank, request) : NULL;
    int32_t peer;

    if (request && request->kind == REQUEST_OTHER)
        return generalized_need(prover, me, request);
    if (space && certain && request->persistent && !request->active && !request->armed)
        return start_need(prover, me);
    if (!space || !(request->active || request->armed) || request->cancelled)
        return proof_need_unknown();
    if (request->pair)
        return partition_need(prover, me, space, request, certain);
    peer = history_space_world(space, request->peer);
    switch (request->kind) {
    case REQUEST_RECEIVE:
        return proof_recv_need(prover, me, space, peer, request->tag,
                               request->persistent ? 0 : request->made, request->t_enter, certain);
    case REQUEST_SEND:
        return proof_send_need(prover, me, space, peer, request->tag,
                               history_request_number(request), certain, (int64_t)request->bytes);
    default:
        return proof_coll_need(prover, me, space,
                               space->mixed ? 0 : history_request_number(request),
                               request->persistent ? request->rounds : 0, certain);
    }
}

/* Adds the needs of a request; MPI_Isendrecv has two sides and completes when both are. While its
 * receive is known to be incomplete, it needs only that; otherwise either side may be complete, and
 * they are two needs. */
static void needs_of_request(struct proof_prover *prover, int32_t me, uint32_t id, bool certain)
{
    const struct requests *requests = &prover->history.rank[me].requests;
    const struct request *twin = requests_twin(requests, id);

    if (twin) {
        struct need receive = request_need(prover, me, twin, false);

        proof_need_add(prover, receive);
        if (receive.state == NEED_CERTAIN)
            return;
    }
    proof_need_add(prover, request_need(prover, me, requests_find(requests, id), certain && !twin));
}

/* Tells whether the completion of `request` implies that of `earlier`, which has the same envelope:
 * messages do not overtake each other, unless info lets them. */
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

/* Adds the needs of a list of requests. If the call needs all of many, the last of those with one
 * envelope represents them: if any is never complete, the last is not. */
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
            continue; /* MPI_REQUEST_NULL or inactive: no wait */
        needs_of_request(prover, me, open->request[i], any || open->request_count == 1);
    }
}

void proof_needs_find(struct proof_prover *prover, int32_t me, const struct history_open *open,
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
            proof_detach_needs(prover, me);
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
                proof_need_add(prover,
                               proof_recv_need(prover, me, space,
                                               history_space_world(space, open->recv_half.peer),
                                               open->recv_half.tag, event->seq, event->t_enter,
                                               peer == EVENT_PROC_NULL));
            if (peer == EVENT_PROC_NULL)
                return;
        }
        proof_need_add(prover, proof_send_need(prover, me, space, peer, event->tag,
                                               !c                      ? 1
                                               : c->lane == open->lane ? c->sent + 1
                                                                       : 0,
                                               class == EVENT_CLASS_SEND ||
                                                   open->recv_half.peer == EVENT_PROC_NULL,
                                               history_bytes(rank, event->type, event->count)));
        return;
    }
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_PROBE:
    case EVENT_CLASS_MPROBE:
        proof_need_add(prover, proof_recv_need(prover, me, space, peer, event->tag, event->seq,
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
    case EVENT_CLASS_SPAWN: /* makes nothing without all members; the others' part is unknown */
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
