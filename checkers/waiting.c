/* Turns the engine's wait-for graph into the record of what a call waits for. Holds no state. */
#include "checkers/waiting.h"

#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"

enum { CORE_COMPARED_MAX = 16 };

static enum ending_need need_of(const struct replay_op *op, const struct replay_blocked *blocked)
{
    if (blocked->order)
        return ENDING_NEED_ORDER;
    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_SEND:
    case REPLAY_ISEND:
        return op->mode == REPLAY_BUFFERED ? ENDING_NEED_BUFFER : ENDING_NEED_RECEIVE;
    case REPLAY_RECV:
        return ENDING_NEED_MESSAGE;
    case REPLAY_IRECV:
        return op->mode == REPLAY_TOKEN ? ENDING_NEED_PARTITION : ENDING_NEED_MESSAGE;
    case REPLAY_PROBE:
    case REPLAY_MPROBE:
        return ENDING_NEED_MESSAGE;
    case REPLAY_COLL:
    case REPLAY_ICOLL:
        return ENDING_NEED_COLLECTIVE;
    case REPLAY_LOCK:
        return ENDING_NEED_LOCK;
    default: /* any one of several requests */
        return ENDING_NEED_SEVERAL;
    }
}

static bool is_blocked(const struct replay_waitfor *waitfor, uint32_t rank)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, waitfor->blocked_count, waitfor->blocked[at].rank < rank);

    CORE_CHECK(low == 0 || waitfor->blocked[low - 1].rank < rank); /* they are in order of ranks */
    return low < waitfor->blocked_count && waitfor->blocked[low].rank == rank;
}

static enum core_status add_wait(const struct replay_program *program,
                                 const struct replay_waitfor *waitfor,
                                 const struct replay_blocked *blocked,
                                 const struct replay_clause *clause, struct ending *waiting)
{
    CORE_CHECK(blocked->rank < program->rank_count);
    CORE_CHECK(clause->op < program->rank[blocked->rank].op_count);
    CORE_CHECK((uint64_t)clause->first + clause->count <= waitfor->peer_count);
    const struct replay_op *op = &program->rank[blocked->rank].op[clause->op];
    const uint32_t *peer = waitfor->peer + clause->first;
    struct ending_wait wait = {.need = need_of(op, blocked),
                               .tag = EVENT_NONE,
                               .wildcard = clause->any,
                               .ended = clause->count > 0};

    for (uint32_t i = 0; i < clause->count && wait.ended; i++)
        wait.ended = !is_blocked(waitfor, peer[i]);
    return ending_wait_add(waiting, &wait, peer, clause->count);
}

enum core_status waiting_record(const struct replay_program *program,
                                const struct replay_waitfor *waitfor,
                                const struct replay_blocked *blocked, struct ending *out_waiting)
{
    static const enum ending_role role[] = {[REPLAY_IN_CORE] = ENDING_CORE,
                                            [REPLAY_BEHIND] = ENDING_BEHIND,
                                            [REPLAY_MAYBE] = ENDING_INSIDE};
    CORE_CHECK(blocked->standing < sizeof role / sizeof *role);
    struct ending_call call = {
        .rank = blocked->rank, .seq = blocked->event, .role = role[blocked->standing]};

    CORE_CHECK(blocked->first + blocked->count <= waitfor->clause_count);
    *out_waiting = (struct ending){0};
    enum core_status status = ending_call_add(out_waiting, &call);
    for (uint32_t i = 0; status == CORE_OK && i < blocked->count; i++)
        status =
            add_wait(program, waitfor, blocked, &waitfor->clause[blocked->first + i], out_waiting);
    CORE_CHECK(status != CORE_OK || out_waiting->wait_count == blocked->count);
    if (status != CORE_OK)
        ending_done(out_waiting);
    return status;
}

void waiting_describe(const struct ending *waiting, const struct ending_call *call,
                      struct finding_call *part)
{
    CORE_CHECK((uint64_t)call->first + call->count <= waiting->wait_count);
    free(part->waits_for);
    part->waits_for = call->count ? wording_waits_text(waiting, call) : NULL;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct ending_wait *wait = &waiting->wait[call->first + i];
        bool any = wait->need != ENDING_NEED_COLLECTIVE && /* all members must enter a collective */
                   (ending_wait_ranks(waiting, wait) > 1 || wait->wildcard);

        for (uint32_t s = wait->first; s < wait->first + wait->count && wait->job == ENDING_JOB_OWN;
             s++)
            for (uint32_t r = waiting->span[s].first; r <= waiting->span[s].last; r++)
                finding_call_await(part, r, any);
    }
}

enum { STANDS_ELSEWHERE, STANDS_IN_CORE, STANDS_HELD };

/* Tells whether the clause waits for ranks of a core and exactly one other rank, *out_rank. */
static bool waits_for_one_more(const struct replay_waitfor *waitfor,
                               const struct replay_clause *clause, const uint8_t *stands,
                               uint32_t *out_rank)
{
    const uint32_t *peer = waitfor->peer + clause->first;
    uint32_t others = 0;

    for (uint32_t i = 0; i < clause->count && others < 2; i++)
        if (stands[peer[i]] != STANDS_IN_CORE) {
            *out_rank = peer[i];
            others++;
        }
    return others == 1;
}

static bool waits_for_core(const struct replay_waitfor *waitfor, const struct replay_clause *clause,
                           const uint8_t *stands)
{
    const uint32_t *peer = waitfor->peer + clause->first;
    bool all = clause->count > 0;

    for (uint32_t i = 0; i < clause->count && all; i++)
        all = stands[peer[i]] == STANDS_IN_CORE;
    return all;
}

static void mark_held(const struct replay_waitfor *waitfor, uint8_t *stands)
{
    uint32_t rank;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        for (uint32_t c = 0; c < blocked->count && blocked->standing == REPLAY_IN_CORE; c++)
            if (waits_for_one_more(waitfor, &waitfor->clause[blocked->first + c], stands, &rank))
                stands[rank] = STANDS_HELD;
    }
}

static bool same_peers(const struct replay_waitfor *waitfor, const struct replay_clause *a,
                       const struct replay_clause *b)
{
    return a->count == b->count && !memcmp(waitfor->peer + a->first, waitfor->peer + b->first,
                                           a->count * sizeof *waitfor->peer);
}

static bool have_ended(const struct replay_waitfor *waitfor, const struct replay_clause *clause)
{
    for (uint32_t i = 0; i < clause->count; i++)
        if (is_blocked(waitfor, waitfor->peer[clause->first + i]))
            return false;
    return clause->count > 0;
}

/* Tells whether both are blocked in the same collective. */
static bool same_collective(const struct replay_program *program, const struct replay_blocked *a,
                            const struct replay_blocked *b)
{
    if (a->kind != REPLAY_COLL || b->kind != REPLAY_COLL)
        return false;
    const struct replay_op *x = &program->rank[a->rank].op[a->op],
                           *y = &program->rank[b->rank].op[b->op];
    return x->comm == y->comm && x->tag == y->tag;
}

/* Tells whether `one` waits for the same ranks as a rank of the core, in the same collective or
 * after these have ended. */
static bool waits_as(const struct replay_program *program, const struct replay_waitfor *waitfor,
                     const struct replay_blocked *one, const struct replay_blocked *core)
{
    const struct replay_clause *clause = waitfor->clause;
    bool shared = same_collective(program, one, core);

    for (uint32_t i = one->first; i < one->first + one->count; i++)
        for (uint32_t k = core->first; k < core->first + core->count; k++)
            if (same_peers(waitfor, &clause[i], &clause[k]) &&
                (shared || have_ended(waitfor, &clause[i])))
                return true;
    return false;
}

/* Marks ranks that wait like a rank of the core. Of a large core it compares only the first
 * CORE_COMPARED_MAX calls. */
static void mark_as_core(const struct replay_program *program, const struct replay_waitfor *waitfor,
                         bool *alike)
{
    const struct replay_blocked *core[CORE_COMPARED_MAX];
    uint32_t cores = 0;

    for (uint32_t i = 0; i < waitfor->blocked_count && cores < CORE_COMPARED_MAX; i++)
        if (waitfor->blocked[i].standing == REPLAY_IN_CORE)
            core[cores++] = &waitfor->blocked[i];
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        for (uint32_t c = 0; c < cores && waitfor->blocked[i].standing == REPLAY_BEHIND; c++)
            alike[i] |= waits_as(program, waitfor, &waitfor->blocked[i], core[c]);
}

enum core_status waiting_alike(const struct replay_program *program,
                               const struct replay_waitfor *waitfor, bool **out_alike)
{
    uint32_t rank_count = program->rank_count;
    bool *alike = NULL;
    uint8_t *stands = NULL;
    enum core_status status = CORE_ARRAY_NEW(stands, rank_count, "the ranks of a deadlock");

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(alike, waitfor->blocked_count, "the ranks of a deadlock");
    if (status != CORE_OK) {
        free(stands);
        return status;
    }
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        if (waitfor->blocked[i].standing == REPLAY_IN_CORE)
            stands[waitfor->blocked[i].rank] = STANDS_IN_CORE;
    mark_held(waitfor, stands);
    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        CORE_CHECK(blocked->rank < rank_count);
        for (uint32_t c = 0; c < blocked->count && blocked->standing == REPLAY_BEHIND &&
                             stands[blocked->rank] == STANDS_HELD;
             c++)
            alike[i] |= waits_for_core(waitfor, &waitfor->clause[blocked->first + c], stands);
    }
    mark_as_core(program, waitfor, alike);
    free(stands);
    *out_alike = alike;
    return CORE_OK;
}

char *waiting_core_text(const struct replay_waitfor *waitfor, uint32_t core, uint32_t *out_count)
{
    uint32_t *rank, count = 0;

    CORE_CHECK(core >= 1); /* 0: ranks of no core */
    *out_count = 0;
    if (CORE_ARRAY_NEW(rank, waitfor->blocked_count, "the ranks of a deadlock") != CORE_OK)
        return NULL;
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        if ((waitfor->cores ? waitfor->blocked[i].core == core /* no cores are numbered: take all */
                            : waitfor->blocked[i].standing == REPLAY_IN_CORE) &&
            (count == 0 || rank[count - 1] != waitfor->blocked[i].rank))
            rank[count++] = waitfor->blocked[i].rank;
    char *text = wording_ranks_text(rank, count, " and ");
    free(rank);
    *out_count = count;
    return text;
}
