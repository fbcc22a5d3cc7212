/* Solves the AND/OR wait-for graph: finds the ranks that cannot proceed at all, and the smallest
 * set of them that block each other. */
#include "replay/logical/waitfor.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

#define A_GRAPH "the wait-for graph" /* out of memory for ... */

/* With more deadlocked ranks than this the core is grown from a few of them only. */
enum { STARTS_MAX = 4096 };
/* Limits the work of finding the core, in visits of clauses; after that the smallest core found so
 * far counts. */
enum { WORK_MAX = 20000000 };

void replay_waitfor_done(struct replay_waitfor *waitfor)
{
    if (!waitfor)
        return;
    free(waitfor->blocked);
    free(waitfor->clause);
    free(waitfor->peer);
    *waitfor = (struct replay_waitfor){0};
}

enum core_status replay_waitfor_blocked(struct replay_waitfor *waitfor,
                                        const struct replay_blocked *blocked)
{
    uint32_t count = waitfor->blocked_count;
    CORE_CHECK(count == 0 || waitfor->blocked[count - 1].rank <= blocked->rank);
    CORE_CHECK(count == 0 || waitfor->blocked[count - 1].node != blocked->node);
    CORE_CHECK(count == 0 ||
               waitfor->blocked[count - 1].first + waitfor->blocked[count - 1].count ==
                   waitfor->clause_count); /* clauses of a rank are contiguous */
    enum core_status status = CORE_ARRAY_PUSH(waitfor->blocked, waitfor->blocked_count,
                                              waitfor->blocked_room, A_GRAPH, *blocked);
    if (status != CORE_OK)
        return status;
    waitfor->blocked[count].first = waitfor->clause_count;
    waitfor->blocked[count].count = 0;
    return CORE_OK;
}

static enum core_status waitfor_full(uint32_t edges)
{
    if (edges < REPLAY_WAITFOR_PEERS_MAX)
        return CORE_OK;
    return core_report(CORE_LIMIT, "the wait-for graph has more than %d edges",
                       REPLAY_WAITFOR_PEERS_MAX);
}

enum core_status replay_waitfor_clause(struct replay_waitfor *waitfor, uint32_t op, bool any)
{
    CORE_CHECK(waitfor->blocked_count > 0);
    enum core_status status = waitfor_full(waitfor->clause_count);
    if (status == CORE_OK)
        status = CORE_ARRAY_PUSH(
            waitfor->clause, waitfor->clause_count, waitfor->clause_room, A_GRAPH,
            (struct replay_clause){.first = waitfor->peer_count, .op = op, .any = any});
    if (status != CORE_OK)
        return status;
    waitfor->blocked[waitfor->blocked_count - 1].count++;
    return CORE_OK;
}

enum core_status replay_waitfor_peer(struct replay_waitfor *waitfor, uint32_t node)
{
    CORE_CHECK(waitfor->clause_count > 0);
    enum core_status status = waitfor_full(waitfor->peer_count);
    if (status == CORE_OK)
        status =
            CORE_ARRAY_PUSH(waitfor->peer, waitfor->peer_count, waitfor->peer_room, A_GRAPH, node);
    if (status != CORE_OK)
        return status;
    waitfor->clause[waitfor->clause_count - 1].count++;
    return CORE_OK;
}

/* --- who can still go on ---------------------------------------------------------------------- */

struct solver {
    struct replay_waitfor *waitfor;
    uint32_t *blocked_at; /* by node: index in blocked + 1; 0: not blocked */
    const uint8_t *alive;
    uint32_t rank_count, node_count;
    const struct replay_waitfor_threads *threads;
    bool *in;        /* by index in blocked: in the set being grown */
    bool *explained; /* by index in blocked: in a core that was found, or blocked by one */
    bool *missed; /* by node, or rank with several: it has ended, and an explained rank waits for it
                   */
    uint32_t *stack; /* indexes in blocked */
    uint32_t *best, best_count;
    uint64_t work;
};

/* Returns the first node for which a peer of a clause stands; *out_end: after the last. */
static uint32_t nodes_of(const struct solver *solver, uint32_t peer, uint32_t *out_end)
{
    const struct replay_waitfor_threads *threads = solver->threads;
    CORE_CHECK_HOT(peer < solver->node_count);
    if (threads && peer < solver->rank_count && threads->first[peer] < threads->first[peer + 1]) {
        *out_end = solver->rank_count + threads->first[peer + 1];
        return solver->rank_count + threads->first[peer];
    }
    *out_end = peer + 1;
    return peer;
}

/* Tells whether a rank or thread may still do something: it is neither deadlocked nor ended. */
static bool may_act(const struct solver *solver, uint32_t peer)
{
    uint32_t end;
    for (uint32_t node = nodes_of(solver, peer, &end); node < end; node++) {
        uint32_t at = solver->blocked_at[node];
        CORE_CHECK_HOT(at <= solver->waitfor->blocked_count);
        if (at ? solver->waitfor->blocked[at - 1].standing == REPLAY_MAYBE
               : solver->alive[node] == REPLAY_ALIVE_UNKNOWN)
            return true;
    }
    return false;
}

/* Finds the deadlocked nodes. At first all count as deadlocked; a node may act if each of its
 * clauses names a node that may act. */
static void find_deadlocked(struct solver *solver)
{
    struct replay_waitfor *waitfor = solver->waitfor;
    bool changed;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        waitfor->blocked[i].standing = REPLAY_BEHIND;
    do {
        changed = false;
        for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
            struct replay_blocked *blocked = &waitfor->blocked[i];
            bool free_to_go = blocked->standing != REPLAY_MAYBE && blocked->count > 0;
            for (uint32_t c = blocked->first; free_to_go && c < blocked->first + blocked->count;
                 c++) {
                const struct replay_clause *clause = &waitfor->clause[c];
                bool open = false;
                for (uint32_t p = clause->first; !open && p < clause->first + clause->count; p++)
                    open = may_act(solver, waitfor->peer[p]);
                free_to_go = open;
            }
            if (free_to_go) {
                blocked->standing = REPLAY_MAYBE;
                changed = true;
            }
        }
    } while (changed);
}

/* --- the core --------------------------------------------------------------------------------- */

/* Returns how many members a clause would add to the set; UINT32_MAX: the clause does not block,
 * because one of its nodes may act. */
static uint32_t clause_cost(struct solver *solver, const struct replay_clause *clause)
{
    uint32_t cost = 0;
    for (uint32_t p = clause->first; p < clause->first + clause->count; p++) {
        uint32_t peer = solver->waitfor->peer[p], end;
        solver->work++;
        if (may_act(solver, peer))
            return UINT32_MAX;
        for (uint32_t node = nodes_of(solver, peer, &end); node < end; node++) {
            uint32_t at = solver->blocked_at[node];
            cost += at && !solver->in[at - 1];
        }
    }
    return cost;
}

/* Grows a small closed set from one node: for each member it takes the cheapest clause and adds all
 * its ranks. Gives up when the set is no smaller than the best so far. */
static void grow_from(struct solver *solver, uint32_t start)
{
    struct replay_waitfor *waitfor = solver->waitfor;
    uint32_t count = 0, done = 0;

    CORE_CHECK(waitfor->blocked[start].standing != REPLAY_MAYBE);
    CORE_CHECK(!solver->in[start]); /* the last set was dropped or copied */
    solver->stack[count++] = start;
    solver->in[start] = true;
    while (done < count && count < solver->best_count) {
        const struct replay_blocked *blocked = &waitfor->blocked[solver->stack[done++]];
        uint32_t cheapest = UINT32_MAX;
        const struct replay_clause *chosen = NULL;
        for (uint32_t c = blocked->first; cheapest && c < blocked->first + blocked->count; c++) {
            uint32_t cost = clause_cost(solver, &waitfor->clause[c]);
            if (cost < cheapest) {
                cheapest = cost;
                chosen = &waitfor->clause[c];
            }
        }
        CORE_CHECK(chosen || blocked->count == 0); /* deadlocked: some clause blocks it */
        for (uint32_t p = 0; chosen && p < chosen->count; p++) {
            uint32_t end;
            for (uint32_t node = nodes_of(solver, waitfor->peer[chosen->first + p], &end);
                 node < end; node++) {
                uint32_t at = solver->blocked_at[node];
                if (at && !solver->in[at - 1]) {
                    CORE_CHECK(count < waitfor->blocked_count); /* each node joins once */
                    CORE_CHECK(waitfor->blocked[at - 1].standing != REPLAY_MAYBE);
                    solver->in[at - 1] = true;
                    solver->stack[count++] = at - 1;
                }
            }
        }
    }
    if (done == count && count < solver->best_count) {
        memcpy(solver->best, solver->stack, count * sizeof *solver->best);
        solver->best_count = count;
    }
    for (uint32_t i = 0; i < count; i++)
        solver->in[solver->stack[i]] = false;
}

/* Finds a shortest cycle through `start` over clauses with a single node, breadth first. from[] and
 * seen[] are scratch. */
static void cycle_from(struct solver *solver, uint32_t start, uint32_t *from, uint32_t *seen)
{
    struct replay_waitfor *waitfor = solver->waitfor;
    uint32_t count = 0, done = 0, closing = UINT32_MAX;

    solver->stack[count++] = start;
    seen[start] = start + 1;
    while (done < count && closing == UINT32_MAX) {
        uint32_t at = solver->stack[done++];
        const struct replay_blocked *blocked = &waitfor->blocked[at];
        for (uint32_t c = blocked->first; c < blocked->first + blocked->count; c++) {
            const struct replay_clause *clause = &waitfor->clause[c];
            solver->work++;
            if (clause->count != 1)
                continue;
            uint32_t end, node = nodes_of(solver, waitfor->peer[clause->first], &end);
            uint32_t next = end - node == 1 ? solver->blocked_at[node] : 0;
            if (next && next - 1 == start) {
                closing = at;
                break;
            }
            if (next && seen[next - 1] != start + 1 &&
                waitfor->blocked[next - 1].standing != REPLAY_MAYBE &&
                !solver->explained[next - 1]) {
                seen[next - 1] = start + 1;
                from[next - 1] = at;
                solver->stack[count++] = next - 1;
            }
        }
    }
    if (closing == UINT32_MAX)
        return;
    uint32_t length = 1;
    for (uint32_t at = closing; at != start; at = from[at])
        length++;
    CORE_CHECK(length <= waitfor->blocked_count);
    if (length >= solver->best_count)
        return;
    solver->best_count = 0;
    for (uint32_t at = closing;; at = from[at]) {
        solver->best[solver->best_count++] = at;
        if (at == start)
            break;
    }
    CORE_CHECK(solver->best_count == length);
}

/* Tells whether all ranks of the clause have ended. */
static bool all_ended(const struct solver *solver, const struct replay_clause *clause)
{
    bool ended = clause->count > 0;

    for (uint32_t p = clause->first; ended && p < clause->first + clause->count; p++) {
        uint32_t end;
        for (uint32_t node = nodes_of(solver, solver->waitfor->peer[p], &end); ended && node < end;
             node++)
            ended = !solver->blocked_at[node] && solver->alive[node] != REPLAY_ALIVE_UNKNOWN;
    }
    return ended;
}

/* Marks the ended ranks for which an explained rank waits. */
static void mark_missed(struct solver *solver)
{
    const struct replay_waitfor *waitfor = solver->waitfor;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];

        for (uint32_t c = 0; solver->explained[i] && c < blocked->count; c++) {
            const struct replay_clause *clause = &waitfor->clause[blocked->first + c];
            uint32_t count = all_ended(solver, clause) ? clause->count : 0;

            for (uint32_t p = 0; p < count; p++)
                solver->missed[waitfor->peer[clause->first + p]] = true;
        }
    }
}

/* Tells whether only explained or ended ranks could make the clause true. If all of them have
 * ended, an explained rank must wait for them too: otherwise it is a separate deadlock. */
static bool is_explained(const struct solver *solver, const struct replay_clause *clause,
                         uint32_t self)
{
    bool held = clause->count > 0, others = false, alone = all_ended(solver, clause);

    for (uint32_t p = clause->first; held && p < clause->first + clause->count; p++) {
        uint32_t peer = solver->waitfor->peer[p], end;

        for (uint32_t node = nodes_of(solver, peer, &end); held && node < end; node++) {
            uint32_t at = solver->blocked_at[node];

            held = at      ? at - 1 == self || solver->explained[at - 1]
                   : alone ? solver->missed[peer]
                           : solver->alive[node] != REPLAY_ALIVE_UNKNOWN;
            others |= at != self + 1;
        }
    }
    return held && others;
}

/* Marks ranks with an explained clause as explained too. It does not help a rank that it could make
 * its own clause true. */
static void waitfor_explain(struct solver *solver)
{
    struct replay_waitfor *waitfor = solver->waitfor;
    bool changed;

    do {
        changed = false;
        mark_missed(solver);
        for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
            const struct replay_blocked *blocked = &waitfor->blocked[i];

            for (uint32_t c = blocked->first;
                 blocked->standing == REPLAY_BEHIND && !solver->explained[i] &&
                 c < blocked->first + blocked->count;
                 c++)
                if (is_explained(solver, &waitfor->clause[c], i))
                    changed = solver->explained[i] = true;
        }
    } while (changed);
}

/* Finds a core among the ranks that no earlier core explains; false: there is none. */
static bool find_core(struct solver *solver, uint32_t *from, uint32_t *seen)
{
    struct replay_waitfor *waitfor = solver->waitfor;
    uint32_t starts = 0;
    bool fresh = false;

    solver->best_count = UINT32_MAX;
    memset(seen, 0, waitfor->blocked_count * sizeof *seen);
    for (uint32_t i = 0;
         i < waitfor->blocked_count && starts < STARTS_MAX && solver->work < WORK_MAX; i++) {
        if (waitfor->blocked[i].standing == REPLAY_MAYBE || solver->explained[i])
            continue;
        starts++;
        grow_from(solver, i);
        cycle_from(solver, i, from, seen);
        if (solver->best_count == 1)
            break;
    }
    if (solver->best_count == UINT32_MAX)
        return false;
    CORE_CHECK(solver->best_count > 0 && solver->best_count <= waitfor->blocked_count);
    waitfor->cores++;
    for (uint32_t i = 0; i < solver->best_count; i++) {
        struct replay_blocked *blocked = &waitfor->blocked[solver->best[i]];
        CORE_CHECK(blocked->standing != REPLAY_MAYBE);
        fresh |= blocked->standing != REPLAY_IN_CORE;
        if (blocked->standing != REPLAY_IN_CORE)
            blocked->core = waitfor->cores;
        blocked->standing = REPLAY_IN_CORE;
        solver->explained[solver->best[i]] = true;
    }
    return fresh;
}

static enum core_status find_cores(struct solver *solver)
{
    uint32_t count = solver->waitfor->blocked_count;
    uint32_t *from = malloc((size_t)count * sizeof *from), *seen = calloc(count, sizeof *seen);

    if (!from || !seen) {
        free(from);
        free(seen);
        return core_report(CORE_NO_MEMORY, "out of memory for the wait-for graph");
    }
    while (solver->waitfor->cores < REPLAY_WAITFOR_CORES_MAX && find_core(solver, from, seen))
        waitfor_explain(solver);
    free(from);
    free(seen);
    return CORE_OK;
}

/* Replaces threads by their rank, once per clause. Lists that several clauses share never contain
 * threads. */
static void name_ranks(struct solver *solver)
{
    struct replay_waitfor *waitfor = solver->waitfor;
    for (uint32_t c = 0; c < waitfor->clause_count; c++) {
        struct replay_clause *clause = &waitfor->clause[c];
        uint32_t kept = 0;
        CORE_CHECK(clause->first + clause->count <= waitfor->peer_count);
        for (uint32_t p = 0; p < clause->count; p++) {
            uint32_t *peer = &waitfor->peer[clause->first], rank = peer[p];
            if (rank >= solver->rank_count)
                rank = solver->threads->rank[rank - solver->rank_count];
            CORE_CHECK(rank < solver->rank_count);
            if (kept == 0 || peer[kept - 1] != rank)
                peer[kept++] = rank;
        }
        clause->count = kept;
    }
}

enum core_status replay_waitfor_solve(struct replay_waitfor *waitfor, const uint8_t *alive,
                                      uint32_t rank_count,
                                      const struct replay_waitfor_threads *threads)
{
    uint32_t count = waitfor->blocked_count;
    struct solver solver = {
        .waitfor = waitfor, .alive = alive, .rank_count = rank_count, .threads = threads};
    solver.node_count = rank_count + (threads ? threads->count : 0);
    enum core_status status = CORE_OK;

    waitfor->core_count = waitfor->behind_count = waitfor->maybe_count = waitfor->cores = 0;
    if (!count)
        return CORE_OK;
    solver.blocked_at = calloc(solver.node_count, sizeof *solver.blocked_at);
    solver.in = calloc(count, sizeof *solver.in);
    solver.explained = calloc(count, sizeof *solver.explained);
    solver.missed = calloc(solver.node_count, sizeof *solver.missed);
    solver.stack = malloc((size_t)count * sizeof *solver.stack);
    solver.best = malloc((size_t)count * sizeof *solver.best);
    if (!solver.blocked_at || !solver.in || !solver.explained || !solver.missed || !solver.stack ||
        !solver.best) {
        status = core_report(CORE_NO_MEMORY, "out of memory for the wait-for graph");
        goto free_solver;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = waitfor->blocked[i].node;
        CORE_CHECK(node < solver.node_count && alive[node] == REPLAY_ALIVE_BLOCKED);
        CORE_CHECK(!solver.blocked_at[node]); /* each node is blocked once */
        solver.blocked_at[node] = i + 1;
    }
    find_deadlocked(&solver);
    status = find_cores(&solver);
    for (uint32_t i = 0; i < count; i++) {
        waitfor->core_count += waitfor->blocked[i].standing == REPLAY_IN_CORE;
        waitfor->behind_count += waitfor->blocked[i].standing == REPLAY_BEHIND;
        waitfor->maybe_count += waitfor->blocked[i].standing == REPLAY_MAYBE;
    }
    CORE_CHECK(waitfor->core_count + waitfor->behind_count + waitfor->maybe_count == count);
    CORE_CHECK(status != CORE_OK || waitfor->core_count || !waitfor->behind_count);
    CORE_CHECK(waitfor->core_count >= waitfor->cores); /* each core has its own member */
    if (threads)
        name_ranks(&solver);
free_solver:
    free(solver.blocked_at);
    free(solver.in);
    free(solver.explained);
    free(solver.missed);
    free(solver.stack);
    free(solver.best);
    return status;
}
