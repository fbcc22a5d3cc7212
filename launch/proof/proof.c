/* See proof.h. The history (history.h) knows what is pending. This file turns each pending call
 * into clauses that it waits for; replay/logical/waitfor.h finds who can never continue.
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

/* --- the graph -------------------------------------------------------------------------------- */

/* Adds a clause, and keeps what it is about under the clause's number. */
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

/* Tells whether a send was received: its message was, or receives that can take no other message
 * are posted for it and all messages before it. */
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

/* Tells whether a thread waits for one request alone that is complete: a send that was received, or
 * a request of whose completion another thread learned. This happens if two threads wait with one
 * variable: one wait frees the request of the other. */
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

/* Tells whether the call can only return at once or never: its data is a null pointer, of which it
 * can transfer nothing, or what it waits for has happened. */
static bool is_lost(struct proof_prover *prover, int32_t me, const struct history_open *open,
                    enum ending_need *out_need)
{
    *out_need = open->of_null ? ENDING_NEED_NULL : ENDING_NEED_OVER;
    return prover->standing[me] == PROOF_IDLE_64MIB &&
           (open->of_null || is_complete(prover, me, open));
}

/* Adds the need of such a call. Since it did not return for so long, only an act of some rank can
 * still move it. */
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

/* Counts the needs in that state. */
static uint32_t needs_count(const struct needs *needs, enum need_state state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < needs->count; i++)
        count += needs->need[i].state == state;
    return count;
}

/* Tells whether it is known what the call waits for. any: one of the needs suffices. */
static bool needs_are_known(const struct needs *needs, bool any)
{
    return needs->count &&
           (!needs_count(needs, NEED_UNKNOWN) || (!any && needs_count(needs, NEED_CERTAIN)));
}

/* Adds a call that rank `me` is in as a node with its clauses. *out_known false: nothing can be
 * claimed about the call, and nothing was added. */
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

    proof_needs_find(prover, (int32_t)me, open, &any);
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
        /* one need suffices, or it is unknown which one is missing */
        struct ending_wait common = wait_common(needs);

        return clause_add(prover, waitfor, &common, 0, needs->peer_count);
    }
    for (uint32_t i = 0; i < needs->count && status == CORE_OK; i++)
        if (needs->need[i].state == NEED_CERTAIN)
            status = clause_add(prover, waitfor, &needs->need[i].wait,
                                i ? needs->need[i - 1].end : 0, needs->need[i].end);
    return status;
}

/* Nodes of the graph: ranks, then the calls of ranks that are in several at once. */
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

/* Adds the node of a rank, which is blocked when all its calls are: the rank can do whatever one of
 * them can. */
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

/* Records the calls of the core and those behind it, by rank and thread. */
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

/* Records all calls that wait, whether or not they block each other. */
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

/* Reads what is new, and makes a node with clauses of each waiting call. The caller frees *waitfor
 * and *nodes, whatever this returns. */
static enum core_status graph_make(struct proof_prover *prover, const struct proof_jobs *jobs,
                                   const uint8_t *standing, struct replay_waitfor *waitfor,
                                   struct nodes *nodes)
{
    enum core_status status = history_read_jobs(jobs->job, jobs->job_count, jobs->link,
                                                jobs->link_count, &prover->history);
    uint32_t rank_count = prover->history.rank_count;

    proof_index_done(&prover->index); /* of the last proof */
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

enum core_status proof_prove_jobs(struct proof_prover *prover, const struct proof_jobs *jobs,
                                  const uint8_t *standing, struct proof_verdict *out_verdict)
{
    struct replay_waitfor waitfor = {0};
    struct proof_verdict verdict = {0};
    struct nodes nodes = {0};
    enum core_status status = graph_make(prover, jobs, standing, &waitfor, &nodes);

    if (status == CORE_OK && !prover->history.unclear && waitfor.blocked_count) {
        struct replay_waitfor_threads threads = {
            .first = nodes.first, .rank = nodes.rank, .count = nodes.count};

        status = replay_waitfor_solve(&waitfor, nodes.alive, prover->history.rank_count,
                                      nodes.count ? &threads : NULL);
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

enum core_status proof_prove(struct proof_prover *prover, const char *job_path,
                             const uint8_t *standing, uint32_t rank_count,
                             struct proof_verdict *out_verdict)
{
    const struct history_job job = {.path = job_path, .rank_count = rank_count};

    return proof_prove_jobs(prover, &(struct proof_jobs){.job = &job, .job_count = 1}, standing,
                            out_verdict);
}

enum core_status proof_waits(struct proof_prover *prover, const char *job_path,
                             const uint8_t *standing, uint32_t rank_count,
                             struct ending *out_ending)
{
    const struct history_job job = {.path = job_path, .rank_count = rank_count};
    struct replay_waitfor waitfor = {0};
    struct nodes nodes = {0};
    enum core_status status = graph_make(prover, &(struct proof_jobs){.job = &job, .job_count = 1},
                                         standing, &waitfor, &nodes);

    if (status == CORE_OK)
        status = record_waits(prover, &waitfor, out_ending);
    replay_waitfor_done(&waitfor);
    nodes_done(&nodes);
    prover->standing = NULL;
    return status;
}
