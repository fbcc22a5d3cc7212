/* See live.h. The history (live_history.h) says what is pending; here each pending call becomes the
 * clauses that it waits for, and replay/waitfor.h says who can never go on.
 *
 * Invariant: a clause is added only if the call certainly cannot complete before one of the
 * clause's ranks does something. */
#include "checkers/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/live_inside.h"
#include "replay/waitfor.h"

/* --- collecting
 * --------------------------------------------------------------------------------------------- */

void live_peer_add(struct live_prover *prover, int32_t peer)
{
    struct needs *needs = &prover->needs;

    if (needs->peer_count == needs->peer_room) {
        int32_t *more = realloc(needs->peer, (needs->peer_room + 64) * 2 * sizeof *more);

        if (!more) {
            prover->no_memory = true;
            return;
        }
        needs->peer = more;
        needs->peer_room = (needs->peer_room + 64) * 2;
    }
    needs->peer[needs->peer_count++] = peer;
}

void live_need_add(struct live_prover *prover, enum need kind)
{
    struct needs *needs = &prover->needs;

    if (needs->count == needs->room) {
        uint32_t room = (needs->room + 16) * 2;
        uint32_t *end = realloc(needs->end, room * sizeof *end);
        enum need *kinds;

        if (end)
            needs->end = end;
        kinds = end ? realloc(needs->kind, room * sizeof *kinds) : NULL;
        if (!kinds) {
            prover->no_memory = true;
            return;
        }
        needs->kind = kinds;
        needs->room = room;
    }
    needs->end[needs->count] = needs->peer_count;
    needs->kind[needs->count++] = kind;
}

/* --- messages
 * -----------------------------------------------------------------------------------------------
 */

/* Messages on the channel that nobody is known to have received, those of sends that are still
 * pending included. */
static uint64_t channel_open(const struct live_history *history, uint64_t global, int32_t source,
                             int32_t dest, int32_t tag)
{
    const struct live_channel *channel = live_channel_find(history, global, source, dest, tag);
    const struct live_open *open = &history->rank[source].open;
    uint64_t sent = channel ? channel->sent : 0;
    uint64_t received = channel ? channel->received : 0;

    if (open->valid && open->event.tag == tag &&
        open->event.head.a < history->rank[source].call_count) {
        uint8_t class = history->rank[source].call[open->event.head.a].class;
        struct live_space *space =
            live_space_find(&history->rank[source], LIVE_SPACE_COMM, open->event.comm);

        if ((class == EVENT_CLASS_SEND || class == EVENT_CLASS_SENDRECV) && space &&
            space->global == global && live_space_world(space, open->event.peer) == dest)
            sent++;
    }
    return sent > received ? sent - received : 0;
}

/* Whether any message may fit a receive from `source` (or EVENT_ANY) with `tag` (or EVENT_ANY).
 * `before`: how many receives with exactly these arguments were posted earlier and take precedence.
 */
static bool message_fits(const struct live_prover *prover, const struct live_space *space,
                         int32_t dest, int32_t source, int32_t tag, uint64_t before)
{
    const struct live_history *history = &prover->history;

    if (source >= 0 && tag != EVENT_ANY)
        return channel_open(history, space->global, source, dest, tag) > before;
    for (uint64_t i = 0; i < history->channel_room; i++) {
        const struct live_channel *c = &history->channel[i];

        if ((c->sent || c->received) && c->global == space->global && c->dest == dest &&
            (source == EVENT_ANY || c->source == source) && (tag == EVENT_ANY || c->tag == tag) &&
            channel_open(history, c->global, c->source, dest, c->tag))
            return true;
    }
    for (uint32_t r = 0; r < history->rank_count;
         r++) { /* a send that is pending as the first of its channel */
        const struct live_open *open = &history->rank[r].open;

        if (open->valid && (source == EVENT_ANY || source == (int32_t)r) &&
            (tag == EVENT_ANY || open->event.tag == tag) &&
            channel_open(history, space->global, (int32_t)r, dest, open->event.tag))
            return true;
    }
    return false;
}

static bool same_recv(const struct live_request *a, uint64_t global, const struct live_rank *rank,
                      int32_t peer, int32_t tag)
{
    return a->kind == LIVE_RECV && a->active && a->peer == peer && a->tag == tag &&
           rank->space[a->space].global == global;
}

/* Pending receives of a rank with exactly these arguments, posted before `seq`. */
static uint64_t receives_before(const struct live_prover *prover, int32_t me, uint64_t global,
                                int32_t source, int32_t tag, uint64_t seq)
{
    const struct live_rank *rank = &prover->history.rank[me];
    uint64_t count = 0;

    for (uint32_t i = 0; i < rank->request_room; i++)
        count += rank->request[i].id && rank->request[i].seq < seq &&
                 !rank->request[i].persistent &&
                 same_recv(&rank->request[i], global, rank, source, tag);
    return count;
}

/* How many receives of `dest` that are pending now might take a message of the channel. */
static uint64_t receives_fitting(const struct live_prover *prover, uint64_t global, int32_t source,
                                 int32_t dest, int32_t tag)
{
    const struct live_rank *rank = &prover->history.rank[dest];
    const struct live_open *open = &rank->open;
    uint64_t count = 0;

    for (uint32_t i = 0; i < rank->request_room; i++) {
        const struct live_request *r = &rank->request[i];

        count +=
            r->id && r->kind == LIVE_RECV && r->active && rank->space[r->space].global == global &&
            (r->peer == EVENT_ANY || r->peer == source) && (r->tag == EVENT_ANY || r->tag == tag);
    }
    if (open->valid && open->event.head.a < rank->call_count) {
        uint8_t class = rank->call[open->event.head.a].class;
        struct live_space *space = live_space_find(rank, LIVE_SPACE_COMM, open->event.comm);
        bool leg = class == EVENT_CLASS_SENDRECV && open->has_leg;
        int32_t from = leg ? open->leg.peer : open->event.peer;
        int32_t with = leg ? open->leg.tag : open->event.tag;

        if (space && space->global == global &&
            (leg || class == EVENT_CLASS_RECV || class == EVENT_CLASS_MRECV) &&
            (from == EVENT_ANY || live_space_world(space, from) == source) &&
            (with == EVENT_ANY || with == tag))
            count++;
        if (class == EVENT_CLASS_SENDRECV && !open->has_leg)
            count++; /* not known what it receives */
    }
    return count;
}

static enum need need_recv(struct live_prover *prover, int32_t me, const struct live_space *space,
                           int32_t source, int32_t tag, uint64_t before)
{
    if (source == EVENT_PROC_NULL || source == EVENT_NONE ||
        message_fits(prover, space, me, source, tag, before))
        return NEED_UNKNOWN;
    if (source >= 0) {
        live_peer_add(prover, source);
        return NEED_CERTAIN;
    }
    for (uint32_t i = 0; i < (space->inter ? space->remote_size : space->size); i++) {
        int32_t peer = live_space_world(space, (int32_t)i);

        if (peer < 0)
            return NEED_UNKNOWN;
        if (peer != me)
            live_peer_add(prover, peer);
    }
    return NEED_CERTAIN;
}

/* number: how many-th of its channel the send is. */
static enum need need_send(struct live_prover *prover, int32_t me, const struct live_space *space,
                           int32_t dest, int32_t tag, uint64_t number, bool certain)
{
    const struct live_channel *channel;
    uint64_t received;

    if (dest < 0)
        return NEED_UNKNOWN;
    channel = live_channel_find(&prover->history, space->global, me, dest, tag);
    received = channel ? channel->received : 0;
    if (number <= received + receives_fitting(prover, space->global, me, dest, tag))
        return NEED_UNKNOWN;
    live_peer_add(prover, dest);
    return certain ? NEED_CERTAIN : NEED_MAYBE;
}

/* --- collectives
 * -------------------------------------------------------------------------------------------- */

static bool same_coll(const struct live_rank *a, const struct live_coll *x,
                      const struct live_rank *b, const struct live_coll *y, bool inter)
{
    return x->call < a->call_count && y->call < b->call_count &&
           !strcmp(a->call[x->call].name, b->call[y->call].name) && (inter || x->root == y->root);
}

/* Members that have not entered as many collectives of the space as `me` is in, and those whose
 * call of this number was another one: they will not make this one any more.
 * certain: the call is known not to be complete. */
static enum need need_coll(struct live_prover *prover, int32_t me, const struct live_space *space,
                           uint64_t number, bool certain)
{
    const struct live_rank *mine = &prover->history.rank[me];
    struct live_coll my_coll = {0};
    bool known = live_coll_at(mine, space, number, &my_coll);
    uint32_t missing = 0;

    if (!number || space->uneven)
        return NEED_UNKNOWN;
    for (uint32_t i = 0; i < space->size + space->remote_size; i++) {
        int32_t member = space->member[i];
        const struct live_space *other;
        const struct live_rank *rank;
        struct live_coll coll;
        uint64_t entered;

        if (member < 0 || (uint32_t)member >= prover->history.rank_count)
            return NEED_UNKNOWN;
        if (member == me)
            continue;
        rank = &prover->history.rank[member];
        other = live_space_global(rank, (enum live_space_kind)space->kind, space->global);
        if (other && other->uneven)
            return NEED_UNKNOWN;
        entered = other ? other->entered + (live_space_of_open(rank) == other) : 0;
        if (entered < number ||
            (known && live_coll_at(rank, other, number, &coll) &&
             !same_coll(mine, &my_coll, rank, &coll, space->inter))) {
            live_peer_add(prover, member);
            missing++;
        }
    }
    return !missing                                  ? NEED_UNKNOWN
           : certain || (known && my_coll.needs_all) ? NEED_CERTAIN
                                                     : NEED_MAYBE;
}

/* --- one rank
 * -----------------------------------------------------------------------------------------------
 */

static enum need need_request(struct live_prover *prover, int32_t me, uint32_t id, bool certain)
{
    const struct live_rank *rank = &prover->history.rank[me];
    const struct live_request *request = live_request_find(rank, id);
    const struct live_space *space;

    if (!request || !request->active || request->kind == LIVE_OTHER ||
        request->space >= rank->space_count)
        return NEED_UNKNOWN;
    space = &rank->space[request->space];
    switch (request->kind) {
    case LIVE_RECV:
        return need_recv(prover, me, space, request->peer, request->tag,
                         request->persistent
                             ? 0
                             : receives_before(prover, me, space->global, request->peer,
                                               request->tag, request->seq));
    case LIVE_SEND:
        return need_send(prover, me, space, request->peer, request->tag, request->number, certain);
    default:
        return need_coll(prover, me, space, request->number, certain);
    }
}

static void needs_of_list(struct live_prover *prover, int32_t me, bool any)
{
    const struct live_open *open = &prover->history.rank[me].open;

    if (!open->request_count || open->request_count != open->request_total) {
        live_need_add(prover, NEED_UNKNOWN);
        return;
    }
    for (uint32_t i = 0; i < open->request_count; i++) {
        const struct live_request *request =
            live_request_find(&prover->history.rank[me], open->request[i]);

        if (!open->request[i] || (request && request->persistent && !request->active))
            continue; /* MPI_REQUEST_NULL, or inactive: nobody waits for it */
        live_need_add(prover,
                 need_request(prover, me, open->request[i], any || open->request_count == 1));
    }
}

/* What rank `me` waits for. *out_any: one of the needs is enough (MPI_Waitany), else all of them
 * are missing or may be. */
static void needs_find(struct live_prover *prover, int32_t me, bool *out_any)
{
    const struct live_rank *rank = &prover->history.rank[me];
    const struct spool_event *event = &rank->open.event;
    enum event_class class;
    const struct live_space *space;
    int32_t peer;

    *out_any = false;
    prover->needs.count = prover->needs.peer_count = 0;
    if (!rank->open.valid || rank->lanes_open != 1 || event->head.a >= rank->call_count ||
        !rank->call[event->head.a].known) {
        live_need_add(prover, NEED_UNKNOWN);
        return;
    }
    class = (enum event_class)rank->call[event->head.a].class;
    space = live_space_of_open(rank);
    if (!space && !live_call_partial(&rank->call[event->head.a]))
        space = live_space_find(rank, live_space_kind_of(class), event->comm);
    peer = space ? live_space_world(space, event->peer) : EVENT_NONE;
    switch (class) {
    case EVENT_CLASS_WAIT:
        live_need_add(prover, need_request(prover, me, event->request, true));
        return;
    case EVENT_CLASS_WAITALL:
        needs_of_list(prover, me, false);
        return;
    case EVENT_CLASS_WAITANY:
    case EVENT_CLASS_WAITSOME:
        *out_any = true;
        needs_of_list(prover, me, true);
        return;
    default:
        break;
    }
    if (!space) {
        live_need_add(prover, NEED_UNKNOWN);
        return;
    }
    switch (class) {
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_SENDRECV: {
        const struct live_channel *c =
            peer >= 0 ? live_channel_find(&prover->history, space->global, me, peer, event->tag)
                      : NULL;

        if (class == EVENT_CLASS_SENDRECV) {
            if (!rank->open.has_leg) {
                live_need_add(prover, NEED_UNKNOWN);
                return;
            }
            if (rank->open.leg.peer != EVENT_PROC_NULL)
                live_need_add(prover,
                         need_recv(prover, me, space, live_space_world(space, rank->open.leg.peer),
                                   rank->open.leg.tag,
                                   receives_before(prover, me, space->global,
                                                   live_space_world(space, rank->open.leg.peer),
                                                   rank->open.leg.tag, UINT64_MAX)));
            if (peer == EVENT_PROC_NULL)
                return;
        }
        live_need_add(prover, need_send(prover, me, space, peer, event->tag, (c ? c->sent : 0) + 1,
                                   class == EVENT_CLASS_SEND));
        return;
    }
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_PROBE:
    case EVENT_CLASS_MPROBE:
        live_need_add(prover, need_recv(prover, me, space, peer, event->tag,
                                   peer >= 0 && event->tag != EVENT_ANY
                                       ? receives_before(prover, me, space->global, peer,
                                                         event->tag, UINT64_MAX)
                                       : 0));
        return;
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_COMM_CREATE:
    case EVENT_CLASS_WIN_CREATE:
    case EVENT_CLASS_WIN_FREE:
    case EVENT_CLASS_RMA_FENCE:
    case EVENT_CLASS_COMM_FREE:
    case EVENT_CLASS_FILE_COLL:
    case EVENT_CLASS_FINALIZE:
        live_need_add(prover, need_coll(prover, me, space, space->entered + 1, true));
        return;
    case EVENT_CLASS_RMA_START:
    case EVENT_CLASS_RMA_COMPLETE:
    case EVENT_CLASS_RMA_WAIT:
    case EVENT_CLASS_RMA_LOCK:
        live_rma_needs(prover, me, space, class);
        return;
    default:
        live_need_add(prover, NEED_UNKNOWN);
    }
}

/* --- the graph
 * ---------------------------------------------------------------------------------------------- */

static enum core_status clause_add(struct replay_waitfor *waitfor, const struct needs *needs,
                                   uint32_t first, uint32_t end)
{
    enum core_status status = replay_waitfor_clause(waitfor, 0, false);

    for (uint32_t i = first; i < end && !status; i++)
        status = replay_waitfor_peer(waitfor, (uint32_t)needs->peer[i]);
    return status;
}

/* Adds rank `me` with its clauses. *out_known = false, and nothing added, when nothing can be
 * claimed about it. */
static enum core_status rank_add(struct live_prover *prover, struct replay_waitfor *waitfor,
                                 uint32_t me, bool *out_known)
{
    const struct needs *needs = &prover->needs;
    struct replay_blocked blocked = {.node = me, .rank = me, .event = prover->history.rank[me].open.event.seq};
    uint32_t certain = 0, unknown = 0;
    enum core_status status;
    bool any;

    needs_find(prover, (int32_t)me, &any);
    *out_known = false;
    if (prover->no_memory)
        return CORE_NO_MEMORY;
    for (uint32_t i = 0; i < needs->count; i++) {
        certain += needs->kind[i] == NEED_CERTAIN;
        unknown += needs->kind[i] == NEED_UNKNOWN;
    }
    if (!needs->count || ((any || !certain) && unknown))
        return CORE_OK;
    *out_known = true;
    status = replay_waitfor_blocked(waitfor, &blocked);
    if (!status &&
        (any || !certain)) /* one of them is enough, or it is not known which of them is missing */
        return clause_add(waitfor, needs, 0, needs->peer_count);
    for (uint32_t i = 0; i < needs->count && !status; i++)
        if (needs->kind[i] == NEED_CERTAIN)
            status = clause_add(waitfor, needs, i ? needs->end[i - 1] : 0, needs->end[i]);
    return status;
}

static void sentence_peers(FILE *text, const struct replay_waitfor *waitfor,
                           const struct replay_blocked *blocked)
{
    const struct replay_clause *clause = &waitfor->clause[blocked->first];

    fprintf(text, clause->count == 1 ? "rank " : "any of ranks ");
    for (uint32_t i = 0; i < clause->count && i < 4; i++)
        fprintf(text, "%s%u", i ? ", " : "", waitfor->peer[clause->first + i]);
    if (clause->count > 4)
        fprintf(text, ", ...");
}

static char *sentence_make(const struct live_history *history, const struct replay_waitfor *waitfor)
{
    char *sentence = NULL;
    size_t bytes;
    FILE *text = open_memstream(&sentence, &bytes);
    uint32_t said = 0;

    if (!text)
        return NULL;
    fprintf(text, "deadlock: ");
    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        const struct live_rank *rank = &history->rank[blocked->rank];

        if (blocked->standing != REPLAY_IN_CORE || said++ >= 4)
            continue;
        fprintf(text, "%srank %u waits in %s for ", said > 1 ? ", " : "", blocked->rank,
                rank->call[rank->open.event.head.a].name);
        sentence_peers(text, waitfor, blocked);
    }
    if (said > 4)
        fprintf(text, ", and %u more", said - 4);
    if (waitfor->behind_count)
        fprintf(text, "; %u more rank%s cannot go on either", waitfor->behind_count,
                waitfor->behind_count == 1 ? "" : "s");
    fclose(text);
    return sentence;
}

enum core_status live_prover_new(struct live_prover **out_prover)
{
    *out_prover = calloc(1, sizeof **out_prover);
    return *out_prover ? CORE_OK : CORE_NO_MEMORY;
}

void live_prover_free(struct live_prover *prover)
{
    if (!prover)
        return;
    live_history_done(&prover->history);
    free(prover->needs.peer);
    free(prover->needs.end);
    free(prover->needs.kind);
    free(prover);
}

const char *live_prover_call(const struct live_prover *prover, uint32_t call, enum event_class *out_class)
{
    for (uint32_t r = 0; r < prover->history.rank_count; r++) {
        const struct live_rank *rank = &prover->history.rank[r];

        if (call < rank->call_count && rank->call[call].known) {
            *out_class = (enum event_class)rank->call[call].class;
            return rank->call[call].name;
        }
    }
    return NULL;
}

enum core_status live_prove(struct live_prover *prover, const char *job_path,
                            const uint8_t *standing, uint32_t rank_count,
                            struct live_verdict *out_verdict)
{
    struct replay_waitfor waitfor = {0};
    uint8_t *alive = calloc(rank_count + 1, 1);
    struct live_verdict verdict = {0};
    enum core_status status;

    if (!alive)
        return CORE_NO_MEMORY;
    prover->no_memory = false;
    status = live_history_read(job_path, rank_count, &prover->history);
    for (uint32_t r = 0; r < rank_count && !status && !prover->history.unclear; r++) {
        bool known = false;

        alive[r] = standing[r] == LIVE_ENDED ? REPLAY_ALIVE_ENDED : REPLAY_ALIVE_UNKNOWN;
        if (standing[r] == LIVE_STILL)
            status = rank_add(prover, &waitfor, r, &known);
        if (known)
            alive[r] = REPLAY_ALIVE_BLOCKED;
    }
    if (!status && !prover->history.unclear && waitfor.blocked_count)
        status = replay_waitfor_solve(&waitfor, alive, rank_count, NULL);
    if (!status && waitfor.core_count) {
        verdict.proven = true;
        verdict.core_count = waitfor.core_count;
        verdict.behind_count = waitfor.behind_count;
        verdict.sentence = sentence_make(&prover->history, &waitfor);
        if (!verdict.sentence)
            status = CORE_NO_MEMORY;
    }
    if (!status)
        *out_verdict = verdict;
    replay_waitfor_done(&waitfor);
    free(alive);
    return status;
}
