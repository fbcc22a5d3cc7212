/* Matches messages with receives: posting, matching, transfer, completion, and the clocks of the
 * cost model.
 *
 * Invariants (with those of state.h):
 * 1. No posted receive of a rank matches any message in its unexpected queue: both sides search
 *    before they queue.
 * 2. A message without `send` is buffered, with its data in `packed`; for one with `send`, the
 *    sender has not been told that it may reuse the buffer. Between fibers the data is still in
 *    that buffer; between processes and under order=explore it is in `packed` as well.
 * 3. Only the owner of a request touches its buffer: what another process completes is `late`.
 *
 * Under order=explore (explore.h) messages and receives wait side by side until their match is
 * decided: invariant 1 does not hold there. */
#include "world/exchange/match.h"

#include "world/exchange/explore.h"
#include "world/exchange/explore_states.h"

static inline uint64_t match_latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* --- clocks: 0 counts rounds (alpha = 1), 1 counts bytes (beta = 1 a byte) -------------------- */

static void clock_buffered_send(struct world_message *message, struct ompi_request_t *send)
{
    struct world_rank *from = send->owner;
    CORE_CHECK_HOT(message->world == from->rank);
    for (int k = 0; k < 2; k++) {
        uint64_t cost = k ? message->bytes : 1;
        message->start[k] = match_latest(from->clock[k], from->send_free[k]);
        from->send_free[k] = message->start[k] + cost;
        send->done[k] = message->start[k] + cost;
    }
}

static void clock_buffered_recv(const struct world_message *message, struct ompi_request_t *recv)
{
    struct world_rank *to = recv->owner;
    for (int k = 0; k < 2; k++) {
        if (message->world == to->rank) {
            recv->done[k] = recv->post[k];
            continue;
        }
        uint64_t start = match_latest(message->start[k], to->recv_free[k]);
        recv->done[k] = to->recv_free[k] = start + (k ? message->bytes : 1);
    }
}

static void clock_rendezvous(struct ompi_request_t *send, struct ompi_request_t *recv, size_t bytes)
{
    struct world_rank *from = send->owner, *to = recv->owner;
    for (int k = 0; k < 2; k++) {
        uint64_t start = match_latest(send->post[k], recv->post[k]);
        if (from != to) {
            start = match_latest(start, match_latest(from->send_free[k], to->recv_free[k])) +
                    (k ? bytes : 1);
            CORE_CHECK_HOT(start >= to->recv_free[k]); /* clocks never decrease */
            from->send_free[k] = to->recv_free[k] = start;
        }
        send->done[k] = recv->done[k] = start;
    }
}

/* --- transfer --------------------------------------------------------------------------------- */

static void recv_status(struct ompi_request_t *recv, int source, int tag, size_t bytes)
{
    struct world_rank *owner = recv->owner;
    CORE_CHECK_HOT(recv->kind == REQUEST_RECV && !recv->complete);
    if (LIKELY(recv->peer >= 0))
        owner->named_count++;
    else
        owner->wildcard_source =
            owner->wildcard_count++ == 0 || owner->wildcard_source == source ? source : -2;
    recv->status.MPI_SOURCE = source;
    recv->status.MPI_TAG = tag;
    recv->status._ucount = bytes;
    if (UNLIKELY(bytes > recv->count * recv->type->size)) {
        recv->error = MPI_ERR_TRUNCATE;
        recv->status.MPI_ERROR = MPI_ERR_TRUNCATE;
    }
}

/* Compares the basic types. A search reports only types whose bits mean something else. */
static void check_types(struct ompi_request_t *recv, MPI_Datatype sent, size_t bytes, int source)
{
    size_t room = recv->count * recv->type->size;
    enum world_types found = world_type_compare(sent, recv->type, bytes < room ? bytes : room);
    if (found == WORLD_TYPES_ALIKE || (WORLD->explore && found != WORLD_TYPES_DIFFER))
        return;
    world_found(WORLD_RULE_TYPE_MISMATCH, recv->owner->rank,
                "%s posted a receive whose basic types are not those of the message"
                " from rank %d",
                recv->handle.made_by, source);
}

/* Tells whether the data is handed over late. A large message is neither delayed nor buffered, as
 * there is no room for it. */
static bool stays_late(const struct ompi_request_t *recv, size_t bytes)
{
    return (UNLIKELY(WORLD->options->late) && !recv->checked && bytes < WORLD_LARGE) ||
           (WORLD_PROCESSES && recv->owner != ME);
}

static void recv_packed(struct ompi_request_t *recv, const uint8_t *packed, size_t bytes)
{
    CORE_CHECK_HOT(!recv->late); /* a receive gets one message */
    if (stays_late(recv, bytes)) {
        recv->late = world_block_take(bytes + 1);
        memcpy(recv->late, packed, bytes);
        recv->late_bytes = bytes;
        return;
    }
    if (UNLIKELY(world_globals_bytes))
        world_globals_hold(recv->owner);
    world_type_unpack(recv->buffer, recv->count, recv->type, packed, bytes);
    if (UNLIKELY(world_globals_bytes))
        world_globals_hold(ME);
}

/* Copies from a rank's buffer to another's through packed bytes: both may be global variables, of
 * which only one rank's are in place. */
static void recv_between_ranks(struct ompi_request_t *recv, const struct ompi_request_t *send)
{
    size_t bytes = send->count * send->type->size;
    uint8_t small[4096], *packed = bytes <= sizeof small ? small : world_alloc(bytes);
    world_globals_hold(send->owner);
    world_type_pack(packed, bytes, send->buffer, send->count, send->type);
    world_globals_hold(ME);
    recv_packed(recv, packed, bytes);
}

static void recv_direct(struct ompi_request_t *recv, const struct ompi_request_t *send)
{
    CORE_CHECK(!WORLD_PROCESSES || send->owner == ME); /* invariant 3 */
    size_t bytes = send->count * send->type->size;
    if (stays_late(recv, bytes) && !world_globals_bytes) {
        recv->late_bytes = bytes;
        recv->late = world_block_take(recv->late_bytes + 1);
        world_type_pack(recv->late, recv->late_bytes, send->buffer, send->count, send->type);
        return;
    }
    if (UNLIKELY(world_globals_bytes) && send->owner != recv->owner && bytes < WORLD_LARGE) {
        recv_between_ranks(recv, send);
        return;
    }
    world_type_copy(recv->buffer, recv->count, recv->type, send->buffer, send->count, send->type);
}

static void event_match(const struct ompi_request_t *recv, int world, int tag, size_t bytes)
{
    struct world_event event = {.kind = WORLD_EVENT_MATCH,
                                .rank = recv->owner->rank,
                                .peer = world,
                                .tag = tag,
                                .context = recv->context,
                                .bytes = bytes,
                                .request = recv->id,
                                .call = recv->handle.made_by};
    WORLD->options->event(WORLD->options->event_context, &event);
}

static void match_deliver(void *argument)
{
    world_request_deliver(argument);
}

void world_request_complete(struct ompi_request_t *request)
{
    CORE_CHECK_HOT(!request->complete);
    request->complete = true;
    if (WORLD_PROCESSES && UNLIKELY(request->freed) && request->late)
        world_process_at(request->owner, match_deliver, request); /* no call will wait for it */
    world_news(request->owner);
    if (UNLIKELY(WORLD->explore != NULL))
        world_explore_completed(request);
    struct world_fiber *waiter = request->waiter;
    if (waiter) {
        request->waiter = NULL;
        if (--waiter->waiting == 0) /* state.h invariant 2: made ready once */
            world_fiber_ready(waiter);
    }
}

void world_message_unbuffer(struct world_message *message, struct ompi_request_t *send,
                            struct world_rank *dest)
{
    CORE_CHECK(!message->send && message->packed && send->complete); /* invariant 2 */
    CORE_CHECK(dest->held_count > 0 && dest->held_bytes >= message->bytes);
    dest->held_count--;
    dest->held_bytes -= message->bytes;
    message->send = send;
    send->complete = false;
}

/* Tells whether the policy lets the message leave the attached buffer only when its receive takes
 * it. */
static bool stays_attached(const struct ompi_request_t *send, size_t bytes)
{
    const struct replay_policy *policy = &WORLD->options->policy;
    const struct replay_send as_standard = {
        .bytes = bytes, .rank = (uint32_t)send->owner->rank, .event = (uint64_t)send->id};
    return (policy->buffering == REPLAY_RENDEZVOUS || policy->buffering == REPLAY_SEND_LIST ||
            policy->buffering == REPLAY_SEND_ONLY) &&
           !replay_policy_buffers(policy, &as_standard, &WORLD->choice);
}

/* Reserves room in the attached buffer, which the message keeps until its receive takes it: MPI
 * does not promise that it leaves earlier. */
static void room_take(struct ompi_request_t *send, struct world_message *message, size_t bytes)
{
    struct world_rank *me = send->owner;
    message->room = bytes + MPI_BSEND_OVERHEAD;
    message->attached = me->bsend_attached;
    message->stays = stays_attached(send, bytes);
    me->bsend_stays += message->stays;
    me->bsend_used += message->room;
    bool had_room = me->bsend_used - message->room <= me->bsend_bytes;
    if (UNLIKELY(me->bsend_used > me->bsend_bytes) && had_room && me->bsend_buffer)
        world_found(WORLD_RULE_ROOM, me->rank,
                    "MPI_ERR_BUFFER in %s: the attached buffer of %zu bytes is %zu too small, as "
                    "earlier messages may still be in it",
                    WORLD->fiber->call, me->bsend_bytes, me->bsend_used - me->bsend_bytes);
}

static void room_give(const struct world_message *message)
{
    struct world_rank *sender = &WORLD->rank[message->world];
    if (!message->room || message->attached != sender->bsend_attached)
        return;
    CORE_CHECK(sender->bsend_used >= message->room && sender->bsend_stays >= message->stays);
    sender->bsend_used -= message->room;
    sender->bsend_stays -= message->stays;
    if (sender->detaching && !sender->bsend_stays)
        world_fiber_ready(sender->detaching);
}

void world_message_receive(struct ompi_request_t *recv, struct world_message *message)
{
    room_give(message);
    recv->got_world = message->world;
    recv->got_place = message->place;
    recv->got_before = world_explore_decided();
    if (WORLD_PROCESSES && UNLIKELY(WORLD->searcher != NULL))
        world_states_got(recv, message);
    CORE_CHECK(message->packed || message->send); /* invariant 2 */
    CORE_CHECK(!message->packed || !message->send || WORLD_PROCESSES || WORLD->explore);
    CORE_CHECK_HOT(world_match_fits(message, recv->context, recv->peer, recv->tag));
    if (UNLIKELY(message->trusts) && recv->posted_at >= message->place)
        world_found(WORLD_RULE_ERROR, message->world,
                    "%s to rank %d, tag %d: its receive is posted later, as another message took "
                    "the one before",
                    message->call, recv->owner->rank, message->tag);
    recv_status(recv, message->source, message->tag, message->bytes);
    if (UNLIKELY(WORLD->options->warn_types))
        check_types(recv, message->type, message->bytes, message->world);
    if (!message->send) {
        CORE_CHECK(recv->owner->held_count > 0 && recv->owner->held_bytes >= message->bytes);
        recv->owner->held_count--;
        recv->owner->held_bytes -= message->bytes;
        recv_packed(recv, message->packed, message->bytes);
        clock_buffered_recv(message, recv);
    } else {
        if (message->packed)
            recv_packed(recv, message->packed, message->bytes);
        else
            recv_direct(recv, message->send);
        clock_rendezvous(message->send, recv, message->bytes);
        world_request_complete(message->send);
    }
    if (message->packed && message->packed != message->small)
        world_block_give(message->packed, message->bytes);
    if (UNLIKELY(WORLD->options->event != NULL))
        event_match(recv, message->world, message->tag, message->bytes);
    message->next = WORLD->message_free;
    WORLD->message_free = message;
    world_request_complete(recv);
}

static void transfer_now(struct ompi_request_t *send, struct ompi_request_t *recv, size_t bytes)
{
    CORE_CHECK_HOT(send->kind == REQUEST_SEND && !send->complete);
    recv_status(recv, send->comm->rank, send->tag, bytes);
    if (UNLIKELY(WORLD->options->warn_types))
        check_types(recv, send->type, bytes, send->owner->rank);
    recv_direct(recv, send);
    clock_rendezvous(send, recv, bytes);
    if (UNLIKELY(WORLD->options->event != NULL))
        event_match(recv, send->owner->rank, send->tag, bytes);
    world_request_complete(send);
    world_request_complete(recv);
}

/* --- posting ---------------------------------------------------------------------------------- */

static bool match_buffered(const struct ompi_request_t *send, const struct world_rank *dest,
                           size_t bytes)
{
    if (send->mode == MODE_BUFFERED)
        return true;
    if (send->mode == MODE_SYNCHRONOUS || (bytes >= WORLD_LARGE && !WORLD_PROCESSES))
        return false;
    CORE_CHECK_HOT(dest->held_count > 0 || dest->held_bytes == 0);
    const struct replay_send standard = {.bytes = bytes,
                                         .held_count = dest->held_count,
                                         .held_bytes = dest->held_bytes,
                                         .rank = (uint32_t)send->owner->rank,
                                         .event = (uint64_t)send->id,
                                         .number = send->number};
    return replay_policy_buffers(&WORLD->options->policy, &standard, &WORLD->choice);
}

static void pattern_note(const struct ompi_request_t *send, int dest, size_t bytes)
{
    struct world_rank *me = send->owner;
    uint32_t step = me->send_count++;
    me->pattern =
        (me->pattern ^ (uint64_t)(uint32_t)dest ^ (uint64_t)bytes << 20) * 0x9e3779b97f4a7c15u;
    me->pattern ^= me->pattern >> 29;
    if (WORLD->options->pattern) {
        CORE_CHECK_HOT((WORLD->options->pattern_count & (WORLD->options->pattern_count - 1)) == 0);
        uint32_t distance =
            (uint32_t)(dest - me->rank + WORLD->rank_count) % (uint32_t)WORLD->rank_count;
        uint64_t hash = (uint64_t)WORLD->rank_count << 40 ^ (uint64_t)distance << 20 ^
                        (step < 32 ? step : 32) ^ (uint64_t)(bytes ? 1 : 0) << 60;
        hash = (hash * 0x9e3779b97f4a7c15u) >> 32;
        uint8_t *counter = &WORLD->options->pattern[hash & (WORLD->options->pattern_count - 1)];
        if (*counter < 255)
            ++*counter;
    }
}

static struct world_message *message_new(void)
{
    struct world_message *message = WORLD->message_free;
    if (LIKELY(message != NULL)) {
        WORLD->message_free = message->next;
        return message;
    }
    return world_alloc(sizeof *message);
}

/* Tells whether a posted receive of the rank takes the message; by invariant 1 none does. */
static bool is_claimed(const struct world_message *message, const struct world_rank *rank)
{
    for (const struct ompi_request_t *recv = rank->posted; recv; recv = recv->next)
        if (world_match_fits(message, recv->context, recv->peer, recv->tag))
            return true;
    return false;
}

static void match_queue(struct world_message *message, struct world_rank *dest)
{
    CORE_CHECK_HOT(WORLD->explore || !is_claimed(message, dest)); /* invariant 1 */
    CORE_CHECK(!*dest->unexpected_end && !message->next); /* state.h invariant 3: at the end */
    *dest->unexpected_end = message;
    dest->unexpected_end = &message->next;
    world_news(dest);
    for (struct world_fiber *fiber = dest->fiber; fiber; fiber = fiber->sibling)
        if (fiber->probing) {
            fiber->probing = false;
            world_fiber_ready(fiber);
        }
}

/* Delivers a message that was delayed. */
void world_message_arrive(struct world_message *message, struct world_rank *dest)
{
    for (struct ompi_request_t **link = &dest->posted, *recv; (recv = *link); link = &recv->next) {
        if (!world_match_fits(message, recv->context, recv->peer, recv->tag))
            continue;
        if (!(*link = recv->next))
            dest->posted_end = link;
        world_message_receive(recv, message);
        return;
    }
    match_queue(message, dest);
}

void world_states_arrive(const struct world_message *like, struct world_rank *dest)
{
    struct world_message *message = message_new();
    const size_t bytes = like->bytes;
    CORE_CHECK(WORLD->searcher && like->packed && !like->send);
    *message = *like;
    message->next = NULL;
    message->packed = bytes <= MESSAGE_SMALL ? message->small : world_block_take(bytes);
    memcpy(message->packed, like->packed, bytes);
    dest->held_count++;
    dest->held_bytes += bytes;
    match_queue(message, dest);
    world_states_settle_receives(dest);
}

static struct world_message *message_make(struct ompi_request_t *send, struct world_rank *dest,
                                          size_t bytes, bool copy)
{
    CORE_CHECK_HOT(send->kind == REQUEST_SEND && !send->complete);
    struct world_message *message = message_new();
    message->next = NULL;
    message->context = send->context;
    message->source = send->comm->rank;
    message->tag = send->tag;
    message->world = send->owner->rank;
    CORE_CHECK(bytes == send->count * send->type->size);
    message->bytes = bytes;
    message->type = send->type;
    message->call = send->handle.made_by;
    message->send = send;
    message->number = send->number;
    message->id = send->id;
    message->place = (uint32_t)WORLD->outcome->message_count;
    message->packed = NULL;
    message->room = 0;
    message->trusts = false;
    if (UNLIKELY(send->mode == MODE_BUFFERED))
        room_take(send, message, bytes);
    if (copy || WORLD_PROCESSES || WORLD->explore) {
        message->packed = bytes <= MESSAGE_SMALL ? message->small : world_block_take(bytes);
        world_type_pack(message->packed, bytes, send->buffer, send->count, send->type);
    }
    if (copy) {
        dest->held_count++;
        dest->held_bytes += bytes;
        clock_buffered_send(message, send);
        message->send = NULL;
        world_request_complete(send);
    }
    return message;
}

static void send_delayed(struct ompi_request_t *send, struct world_rank *dest, size_t bytes,
                         uint32_t ticks)
{
    CORE_CHECK(dest != send->owner); /* delay.c invariant 3 */
    bool copy = match_buffered(send, dest, bytes);
    if (UNLIKELY(WORLD->options->event != NULL))
        world_emit_message(WORLD_EVENT_SEND, send, NULL, dest->rank, bytes, copy);
    world_delayed_message(message_make(send, dest, bytes, copy), dest, ticks);
}

static bool would_match(const struct ompi_request_t *send, const struct world_rank *dest)
{
    for (const struct ompi_request_t *recv = dest->posted; recv; recv = recv->next)
        if (world_match_fits_key(send->context, send->comm->rank, send->tag, recv->context,
                                 recv->peer, recv->tag))
            return true;
    return false;
}

/* Receives that ready sends of some world of the program would take: a search posts them as late as
 * possible, so that a ready send that nothing orders after its receive comes first. */
enum { LATE_MAX = 64 };
static struct {
    int world, source, tag; /* source: in the communicator */
} late_receive[LATE_MAX] WORLD_SHARED;
static uint32_t late_count WORLD_SHARED;

static void late_note(const struct ompi_request_t *send, int world)
{
    const int source = send->comm->rank;
    CORE_CHECK(send->mode == MODE_READY && late_count <= LATE_MAX);
    if (WORLD->searcher) {
        world_states_beyond("it uses ready sends");
        return;
    }
    for (uint32_t i = 0; i < late_count; i++)
        if (late_receive[i].world == world && late_receive[i].source == source &&
            late_receive[i].tag == send->tag)
            return;
    if (late_count == LATE_MAX) {
        world_explore_limited();
        return;
    }
    late_receive[late_count].world = world;
    late_receive[late_count].source = source;
    late_receive[late_count++].tag = send->tag;
    WORLD->again = true;
}

static bool is_late(const struct ompi_request_t *recv)
{
    CORE_CHECK(late_count <= LATE_MAX);
    for (uint32_t i = 0; i < late_count && recv->context == recv->comm->context; i++)
        if (late_receive[i].world == recv->owner->rank &&
            (recv->peer == MPI_ANY_SOURCE || recv->peer == late_receive[i].source) &&
            (recv->tag == MPI_ANY_TAG || recv->tag == late_receive[i].tag))
            return true;
    return false;
}

static void check_ready(const struct ompi_request_t *send, int world)
{
    if (UNLIKELY(send->mode == MODE_READY))
        world_found(WORLD_RULE_ERROR, send->owner->rank,
                    "%s to rank %d, tag %d: no receive is posted yet", WORLD->fiber->call, world,
                    send->tag);
}

static void send_explored(struct ompi_request_t *send, struct world_rank *dest, size_t bytes)
{
    const bool trusts = send->mode == MODE_READY && would_match(send, dest);
    if (trusts && WORLD_PROCESSES)
        late_note(send, dest->rank);
    else if (!trusts)
        check_ready(send, dest->rank);
    bool copy = match_buffered(send, dest, bytes);
    struct world_message *message = message_make(send, dest, bytes, copy);
    message->trusts = trusts;
    if (UNLIKELY(WORLD->options->event != NULL))
        world_emit_message(WORLD_EVENT_SEND, send, message, dest->rank, bytes, copy);
    match_queue(message, dest);
    world_explore_send(send, message, dest);
}

void world_send_post(struct ompi_request_t *send)
{
    struct world_rank *me = send->owner;
    const struct ompi_communicator_t *comm = send->comm;
    int world = (UNLIKELY(comm->remote_size) ? comm->remote : comm->member)[send->peer];
    CORE_CHECK(world >= 0 && world < WORLD->rank_count);
    struct world_rank *dest = &WORLD->rank[world];
    size_t bytes = send->count * send->type->size;
    send->post[0] = me->clock[0];
    send->post[1] = me->clock[1];
    world_news(me);
    if (WORLD_PROCESSES && UNLIKELY(WORLD->searcher != NULL)) {
        world_process_met(me->rank, world);
        me->own |= dest == me && send->context % 2 == 0;
    }
    WORLD->outcome->message_count++;
    WORLD->outcome->byte_count += bytes;
    WORLD->now_ns += 100;
    uint32_t ticks = UNLIKELY(WORLD->options->policy.delay != REPLAY_DELAY_NONE)
                         ? world_delayed_ticks(world)
                         : 0;
    pattern_note(send, world, bytes);
    if (UNLIKELY(WORLD->explore != NULL)) {
        if (comm->overtaking && send->context == comm->context)
            world_explore_overtaking(send->comm, true, send->peer, send->tag);
        send_explored(send, dest, bytes);
        return;
    }
    if (UNLIKELY(WORLD->options->policy.delay != REPLAY_DELAY_NONE) && dest != me &&
        send->mode != MODE_READY) {
        send_delayed(send, dest, bytes, ticks);
        return;
    }
    for (struct ompi_request_t **link = &dest->posted, *recv; (recv = *link); link = &recv->next) {
        if (!world_match_fits_key(send->context, comm->rank, send->tag, recv->context, recv->peer,
                                  recv->tag))
            continue;
        if (!(*link = recv->next))
            dest->posted_end = link;
        if (UNLIKELY(WORLD->options->event != NULL))
            world_emit_message(WORLD_EVENT_SEND, send, NULL, world, bytes, false);
        transfer_now(send, recv, bytes);
        return;
    }
    check_ready(send, world);
    bool copy = match_buffered(send, dest, bytes);
    if (UNLIKELY(WORLD->options->event != NULL))
        world_emit_message(WORLD_EVENT_SEND, send, NULL, world, bytes, copy);
    match_queue(message_make(send, dest, bytes, copy), dest);
}

struct world_message *world_match_find(struct world_rank *rank, uint32_t context, int source,
                                       int tag, bool take)
{
    struct world_message **chosen = NULL;
    uint32_t candidates = 0;
    for (struct world_message **link = &rank->unexpected, *message; (message = *link);
         link = &message->next) {
        if (!world_match_fits(message, context, source, tag))
            continue;
        if (!chosen)
            chosen = link;
        if (LIKELY(source != MPI_ANY_SOURCE || !WORLD->chosen))
            break;
        candidates++;
    }
    CORE_CHECK(!candidates || chosen);
    if (candidates > 1) { /* the first of any sender may have arrived first */
        uint32_t pick = world_choose(candidates, REPLAY_REASON_MATCH), at = 0;
        CORE_CHECK(source == MPI_ANY_SOURCE && pick < candidates);
        int sender = -1;
        for (struct world_message *m = rank->unexpected; m && sender < 0; m = m->next)
            if (world_match_fits(m, context, source, tag) && at++ == pick)
                sender = m->source;
        CORE_CHECK(sender >= 0); /* the pick-th was counted before */
        for (chosen = &rank->unexpected; !world_match_fits(*chosen, context, sender, tag);)
            chosen = &(*chosen)->next;
    }
    if (!chosen)
        return NULL;
    struct world_message *message = *chosen;
    CORE_CHECK_HOT(world_match_fits(message, context, source, tag));
    if (take && !(*chosen = message->next))
        rank->unexpected_end = chosen;
    return message;
}

void world_recv_post(struct ompi_request_t *recv)
{
    struct world_rank *me = recv->owner;
    if (UNLIKELY(late_count) && WORLD->explore && !WORLD->searcher && is_late(recv))
        world_pause(0);
    recv->post[0] = me->clock[0];
    recv->post[1] = me->clock[1];
    recv->posted_at = (uint32_t)WORLD->outcome->message_count;
    WORLD->now_ns += 100;
    if (UNLIKELY(WORLD->options->event != NULL))
        world_emit_message(WORLD_EVENT_RECV, recv, NULL, world_peer(recv->comm, recv->peer),
                           recv->count * recv->type->size, false);
    if (UNLIKELY(WORLD->explore != NULL)) {
        if (recv->comm->overtaking && recv->context == recv->comm->context)
            world_explore_overtaking(recv->comm, false, recv->peer, recv->tag);
        world_explore_receive(recv);
        return;
    }
    struct world_message *message =
        world_match_find(me, recv->context, recv->peer, recv->tag, true);
    if (message) {
        world_message_receive(recv, message);
        return;
    }
    CORE_CHECK(!*me->posted_end); /* state.h invariant 3: at the end */
    recv->next = NULL;
    *me->posted_end = recv;
    me->posted_end = &recv->next;
}

bool world_recv_unpost(struct ompi_request_t *request)
{
    struct world_rank *me = request->owner;
    CORE_CHECK(request->kind == REQUEST_RECV && !request->complete);
    for (struct ompi_request_t **link = &me->posted; *link; link = &(*link)->next)
        if (*link == request) {
            if (!(*link = request->next))
                me->posted_end = link;
            if (UNLIKELY(WORLD->explore != NULL))
                world_explore_unposted(request);
            return true;
        }
    return false;
}

void world_request_deliver(struct ompi_request_t *request)
{
    if (request->kind == REQUEST_DEFERRED || request->kind == REQUEST_COLL) {
        request->late = NULL;
        CORE_CHECK(request->deferred);
        request->deferred->finish(request, request->deferred);
        return;
    }
    uint8_t *late = request->late;
    CORE_CHECK(late && request->kind == REQUEST_RECV);
    world_type_unpack(request->buffer, request->count, request->type, late, request->late_bytes);
    request->late = NULL;
    world_block_give(late, request->late_bytes + 1);
}

void world_request_finish(struct ompi_request_t *request)
{
    struct world_rank *me = request->owner;
    CORE_CHECK_HOT(request->complete);
    if (UNLIKELY(WORLD->explore != NULL))
        world_explore_observe(request);
    if (UNLIKELY(request->late != NULL))
        world_request_deliver(request);
    if (request->kind == REQUEST_SEND && !request->checked && request->peer != MPI_PROC_NULL &&
        UNLIKELY(request->checksum !=
                 world_type_checksum(request->buffer, request->count, request->type)))
        world_found(WORLD_RULE_BUFFER_MODIFIED, me->rank,
                    "the buffer of %s to rank %d of its communicator, tag %d, was changed before"
                    " the send had completed",
                    request->handle.made_by, request->peer, request->tag);
    if (request->kind == REQUEST_COLL)
        world_gate_need(GATE_ENDED, (uint32_t)request->id, me->rank, 0);
    for (int k = 0; k < 2; k++)
        me->clock[k] = match_latest(me->clock[k], request->done[k]);
    if (UNLIKELY(WORLD->options->event != NULL) && request->peer != MPI_PROC_NULL &&
        request->kind <= REQUEST_RECV)
        world_emit_message(WORLD_EVENT_WAIT, request, NULL, request->peer, 0, false);
}

void world_match_report_leftovers(void)
{
    for (int i = 0; i < WORLD->rank_count; i++)
        for (struct world_message *m = WORLD->rank[i].unexpected; m; m = m->next)
            world_found(
                WORLD_RULE_LEFTOVER_MESSAGE, i,
                "a message of %zu bytes that rank %d sent with %s, tag %d, is never received",
                m->bytes, m->world, m->call, m->tag);
}
