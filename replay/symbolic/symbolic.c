/* Decides a program: first by what is certain, then by the solver. It examines models until one is
 * a reachable state; the engine runs that one and shrinks it (replay/search/explore_shrink.c).
 *
 * Invariants
 *  1. The verdict DEADLOCK is given only for a schedule that the engine has run.
 *  2. The verdict NONE is given only if the formula covers all choices and the solver refuted it,
 *     or if there is no choice and more buffering can only help. */
#include "replay/symbolic/symbolic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "replay/search/explore_state.h"
#include "replay/symbolic/encode.h"
#include "replay/symbolic/solver.h"

enum { ROUNDS_MAX = 20000 };

struct decider {
    const struct replay_program *program;
    const struct symbolic_options *options;
    struct symbolic_decision *decision;
    struct matches matches;
    struct encoding encoding;
    struct solver *solver;
    uint32_t given; /* literals that the solver already has */
    bool *value;    /* value in the model, by node */
};

static void cannot_say(struct decider *d, const char *text)
{
    d->decision->verdict = REPLAY_VERDICT_CANNOT_SAY;
    snprintf(d->decision->reason, sizeof d->decision->reason, "%s", text);
}

static enum core_status no_memory(void)
{
    return core_report(CORE_NO_MEMORY, "out of memory for a formula");
}

static bool model_holds(void *context, uint32_t node)
{
    const struct decider *d = context;
    return d->value[node];
}

/* Buffers only what must be buffered. */
static bool least_holds(void *context, uint32_t node)
{
    const struct decider *d = context;
    return d->encoding.circuit.node[node].kind == CIRCUIT_MAY;
}

/* --- a schedule ------------------------------------------------------------------------------- */

static enum core_status add_step(struct path *path, const struct step *step)
{
    return CORE_ARRAY_PUSH(path->step, path->count, path->room, "a schedule", *step);
}

static enum core_status add_match(struct path *path, const struct decider *d,
                                  const struct matches_run *run, uint32_t receive, uint32_t send,
                                  bool certain)
{
    const struct replay_op *op = &d->program->rank[run->rank].op[receive];
    const struct matches_send *s = &d->matches.send[send];
    bool diverges = !certain && replay_op_diverges(op, (int32_t)s->rank);

    return op->peer != REPLAY_ANY ? CORE_OK
                                  : add_step(path, &(struct step){.kind = REPLAY_OPTION_MATCH,
                                                                  .diverges = diverges,
                                                                  .rank = run->rank,
                                                                  .op = receive,
                                                                  .from = (int32_t)s->rank,
                                                                  .from_op = s->op});
}

/* Returns the position of a send in a possible order of events; UINT64_MAX: the message is not
 * sent. */
static uint64_t sent_at(const struct decider *d, uint32_t send)
{
    const struct matches_send *s = &d->matches.send[send];
    uint32_t node = d->encoding.reached[d->encoding.base[s->rank] + s->op];
    const struct circuit *c = &d->encoding.circuit;
    return c->founded[node] ? (uint64_t)c->place[node] << 32 | send : UINT64_MAX;
}

/* Lists the matches of a certain run, which takes its messages as they come. */
static enum core_status list_certain(const struct decider *d, const struct matches_run *run,
                                     struct path *path)
{
    const struct replay_rank *r = &d->program->rank[run->rank];
    uint64_t last = 0;
    enum core_status status = CORE_OK;

    for (uint32_t op = run->op; op <= run->last && status == CORE_OK; op++) {
        uint64_t next = UINT64_MAX;
        if (!matches_run_has(run, r, op))
            continue;
        for (uint32_t i = 0; i < run->candidates; i++) {
            uint64_t at = sent_at(d, d->matches.candidate[run->candidate + i]);
            if (at < next && (op == run->op || at > last))
                next = at;
        }
        if (next == UINT64_MAX)
            break;
        last = next;
        status = add_match(path, d, run, op, (uint32_t)next, true);
    }
    return status;
}

static enum core_status list_buffered(const struct decider *d, struct path *path)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < d->matches.send_count && status == CORE_OK; i++) {
        const struct matches_send *send = &d->matches.send[i];
        uint32_t node = d->encoding.buffered[i];
        if (d->encoding.circuit.node[node].kind == CIRCUIT_INPUT &&
            d->encoding.circuit.founded[node])
            status = add_step(path, &(struct step){.kind = REPLAY_OPTION_BUFFER,
                                                   .rank = send->rank,
                                                   .op = send->op,
                                                   .from = (int32_t)send->to});
    }
    return status;
}

/* Lists the waits for any or some. They end when one request is complete, so the step names a
 * number that is no request, and the engine takes any. */
static enum core_status list_waits(const struct decider *d, struct path *path)
{
    enum core_status status = CORE_OK;

    for (uint32_t rank = 0; rank < d->program->rank_count; rank++)
        for (uint32_t i = 0; i < d->program->rank[rank].op_count && status == CORE_OK; i++) {
            const struct replay_op *op = &d->program->rank[rank].op[i];
            if (op->kind != REPLAY_WAIT_ANY && op->kind != REPLAY_WAIT_SOME)
                continue;
            const struct replay_set *set = &d->program->rank[rank].set[op->request];
            bool some = op->kind == REPLAY_WAIT_SOME;
            status = add_step(path, &(struct step){.kind = REPLAY_OPTION_RELAX,
                                                   .rank = rank,
                                                   .op = i,
                                                   .from = some ? 0 : (int32_t)set->count});
        }
    return status;
}

/* Lists the decisions that lead to the state in circuit->founded. */
static enum core_status list_steps(const struct decider *d, struct path *path)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < d->encoding.match_count && status == CORE_OK; i++) {
        const struct encoding_match *match = &d->encoding.match[i];
        if (d->encoding.circuit.founded[match->node])
            status = add_match(path, d, &d->matches.run[match->run], match->op, match->send, false);
    }
    for (uint32_t i = 0; i < d->matches.run_count && status == CORE_OK; i++)
        if (d->matches.run[i].certain)
            status = list_certain(d, &d->matches.run[i], path);
    if (status == CORE_OK)
        status = list_buffered(d, path);
    return status == CORE_OK ? list_waits(d, path) : status;
}

static enum core_status make_witness(struct decider *d)
{
    struct path path = {0};
    struct replay_run *run = NULL;
    struct replay_exploration *found = &d->decision->found;
    enum core_status status = list_steps(d, &path);

    if (status == CORE_OK)
        status = replay_run_open(d->program, &run);
    if (status == CORE_OK)
        status = explore_witness(d->program, run, &d->options->explore, &path, found);
    replay_run_close(run);
    free(path.step);
    if (status != CORE_OK)
        return status;
    if (!found->witness) {
        cannot_say(d, "the engine does not reach the state that the formula describes");
        return CORE_OK;
    }
    found->verdict = d->decision->verdict = REPLAY_VERDICT_DEADLOCK; /* invariant 1 */
    return CORE_OK;
}

/* --- the solver ------------------------------------------------------------------------------- */

static bool give_clauses(struct decider *d)
{
    const struct circuit *c = &d->encoding.circuit;

    for (; d->given < c->literal_count; d->given++)
        if (!solver_add(d->solver, c->literal[d->given]))
            return false;
    return true;
}

/* Makes the solver try the recorded choices first, and buffering. The n-th receive that took a
 * message of some source is assumed to have got its n-th possible message. */
static enum core_status prefer_recorded(struct decider *d)
{
    uint32_t *took, rank = UINT32_MAX, op = 0, seen = 0;
    enum core_status status = CORE_ARRAY_NEW(took, d->program->rank_count, "a formula");

    for (uint32_t i = 0; i < d->encoding.match_count && status == CORE_OK; i++) {
        const struct encoding_match *match = &d->encoding.match[i];
        const struct matches_run *run = &d->matches.run[match->run];
        int32_t matched = d->program->rank[run->rank].op[match->op].matched;
        bool of_source = matched == (int32_t)d->matches.send[match->send].rank;
        if (run->rank != rank)
            memset(took, 0, d->program->rank_count * sizeof *took);
        if (run->rank != rank || match->op != op)
            seen = 0;
        rank = run->rank;
        op = match->op;
        seen += of_source;
        bool recorded = of_source && seen == took[matched] + 1;
        if (recorded)
            seen = UINT32_MAX / 2;
        solver_prefer(d->solver,
                      recorded ? circuit_literal(match->node) : -circuit_literal(match->node));
        bool last = i + 1 == d->encoding.match_count || match[1].op != op ||
                    d->matches.run[match[1].run].rank != rank;
        if (last && matched >= 0)
            took[matched]++;
    }
    free(took);
    for (uint32_t i = 0; i < d->matches.send_count && status == CORE_OK; i++)
        if (d->encoding.buffered[i] > CIRCUIT_TRUE)
            solver_prefer(d->solver, circuit_literal(d->encoding.buffered[i]));
    return status;
}

static enum core_status start_solver(struct decider *d, FILE *proof)
{
    solver_free(d->solver);
    d->solver = solver_new(proof);
    d->given = 0;
    if (!d->solver || !give_clauses(d))
        return no_memory();
    return prefer_recorded(d);
}

/* Examines models until one is reachable, or there is none. */
static enum core_status symbolic_search(struct decider *d, bool *out_reached)
{
    struct circuit *c = &d->encoding.circuit;
    struct symbolic_decision *decision = d->decision;
    uint64_t limit =
        d->options->conflicts_max ? d->options->conflicts_max : (uint64_t)SYMBOLIC_CONFLICTS;
    uint32_t reached = UINT32_MAX; /* nodes of the circuit; later variables only count */

    *out_reached = false;
    for (;; decision->rounds++) {
        uint64_t spent = solver_conflicts(d->solver);
        decision->conflicts = spent;
        enum solver_answer answer =
            spent >= limit || decision->rounds == ROUNDS_MAX
                ? SOLVER_OPEN
                : solver_solve(d->solver,
                               (int32_t)(limit - spent < INT32_MAX ? limit - spent : INT32_MAX));
        decision->conflicts = solver_conflicts(d->solver);
        if (answer == SOLVER_OPEN)
            cannot_say(d, "the solver needs more than its budget");
        if (answer == SOLVER_NONE)
            decision->verdict = REPLAY_VERDICT_NONE; /* invariant 2 */
        if (answer != SOLVER_MODEL)
            return CORE_OK;
        for (uint32_t n = 0; n < c->node_count && n < reached; n++)
            d->value[n] = solver_value(d->solver, circuit_literal(n));
        circuit_settle(c, model_holds, d);
        uint32_t loops = circuit_add_loops(c, model_holds, d);
        decision->loops += loops;
        if (c->status != CORE_OK)
            return c->status;
        if (!loops) {
            *out_reached = true;
            return CORE_OK;
        }
        if (!give_clauses(d))
            return no_memory();
    }
}

/* Solves the same clauses, including those of loops, again with a proof. */
static enum core_status write_proof(struct decider *d)
{
    const struct circuit *c = &d->encoding.circuit;

    fprintf(d->options->formula, "p cnf %" PRIu32 " %" PRIu64 "\n", c->node_count, c->clause_count);
    for (uint32_t i = 0; i < c->literal_count; i++)
        fprintf(d->options->formula, "%" PRId32 "%c", c->literal[i], c->literal[i] ? ' ' : '\n');
    enum core_status status = start_solver(d, d->options->proof);
    if (status != CORE_OK)
        return status;
    if (solver_solve(d->solver, -1) != SOLVER_NONE)
        return core_report(CORE_BUDGET, "the solver did not refute the same formula again");
    solver_close_proof(d->solver);
    return CORE_OK;
}

static enum core_status decide_formula(struct decider *d)
{
    bool reached;
    enum core_status status = start_solver(d, NULL);

    d->decision->argument = SYMBOLIC_FORMULA;
    if (status == CORE_OK)
        status = symbolic_search(d, &reached);
    if (status == CORE_OK && reached)
        return make_witness(d);
    if (status == CORE_OK && d->decision->verdict == REPLAY_VERDICT_NONE && d->options->proof)
        status = write_proof(d);
    return status;
}

/* Decides a program whose only choices are buffers, where more buffers never hurt: it tells whether
 * all ranks finish without any. */
static enum core_status decide_certain(struct decider *d)
{
    struct circuit *c = &d->encoding.circuit;

    d->decision->argument = SYMBOLIC_MATCHES;
    circuit_settle(c, least_holds, d);
    if (c->status != CORE_OK)
        return c->status;
    d->decision->verdict = REPLAY_VERDICT_NONE;
    for (uint32_t rank = 0; rank < d->program->rank_count; rank++)
        if (!c->founded[d->encoding.end[rank]])
            return make_witness(d);
    return CORE_OK;
}

static bool buffers_by_itself(const struct replay_explore_options *options)
{
    enum replay_buffering buffering = options->policy.buffering;
    return options->sends ||
           (buffering != REPLAY_RANDOM && buffering != REPLAY_CREDITS && buffering != REPLAY_POOL);
}

static uint32_t count_polls(const struct replay_program *program)
{
    uint32_t polls = 0;

    for (uint32_t r = 0; r < program->rank_count; r++)
        for (uint32_t i = 0; i < program->rank[r].op_count; i++) {
            const struct replay_op *op = &program->rank[r].op[i];
            polls += op->flags & REPLAY_FLAG_TEST || op->kind == REPLAY_IPROBE ||
                     op->kind == REPLAY_TEST;
        }
    return polls;
}

/* Counts waits that report which of several requests is complete. */
static uint32_t count_choices(const struct replay_program *program)
{
    uint32_t choices = 0;

    for (uint32_t r = 0; r < program->rank_count; r++)
        for (uint32_t i = 0; i < program->rank[r].op_count; i++) {
            const struct replay_op *op = &program->rank[r].op[i];
            choices += (op->kind == REPLAY_WAIT_ANY || op->kind == REPLAY_WAIT_SOME) &&
                       program->rank[r].set[op->request].count > 1;
        }
    return choices;
}

const char *symbolic_assumption(const struct symbolic_decision *decision)
{
    CORE_CHECK(decision->verdict == REPLAY_VERDICT_NONE);
    if (decision->polls)
        return "this holds for the recorded calls, where each test and probe finds what it found; "
               "a rank whose next call depends on the order of messages, or on a test, may make "
               "other calls: crosswait explore runs the program itself";
    if (decision->wildcards || decision->choices)
        return "this holds for the recorded calls; a rank whose next call depends on the order of "
               "messages may make other calls: crosswait explore runs the program itself";
    return NULL;
}

enum core_status symbolic_decide(const struct replay_program *program,
                                 const struct symbolic_options *options,
                                 struct symbolic_decision *out_decision)
{
    struct symbolic_decision decision = {.verdict = REPLAY_VERDICT_CANNOT_SAY};
    struct decider d = {.program = program, .options = options, .decision = &decision};
    uint64_t clauses_max = options->clauses_max ? options->clauses_max : (uint64_t)SYMBOLIC_CLAUSES;

    enum core_status status = matches_find(program, options->explore.policy.coll, &d.matches);
    if (status != CORE_OK)
        return status;
    decision.receives = d.matches.receives;
    decision.wildcards = d.matches.wildcards;
    decision.open = d.matches.open;
    decision.polls = count_polls(program);
    decision.choices = count_choices(program);
    if (!d.matches.excluded[0] && !buffers_by_itself(&options->explore))
        cannot_say(&d,
                   "the policy does not decide for each send separately whether it is buffered");
    else if (d.matches.excluded[0])
        cannot_say(&d, d.matches.excluded);
    else
        status = encode(program, &d.matches, &options->explore, options->recorded, &d.encoding);
    if (d.encoding.circuit.node && status == CORE_OK) {
        decision.variables = d.encoding.circuit.node_count;
        decision.clauses = d.encoding.circuit.clause_count;
        status = CORE_ARRAY_NEW(d.value, d.encoding.circuit.node_count, "a formula");
        if (status == CORE_OK && !d.matches.open)
            status = decide_certain(&d);
        else if (status == CORE_OK && decision.clauses > clauses_max)
            cannot_say(&d, "the formula has more clauses than are allowed");
        else if (status == CORE_OK)
            status = decide_formula(&d);
    }
    solver_free(d.solver);
    free(d.value);
    encoding_done(&d.encoding);
    matches_done(&d.matches);
    if (status == CORE_OK)
        *out_decision = decision;
    else
        symbolic_decision_done(&decision);
    return status;
}

void symbolic_decision_done(struct symbolic_decision *decision)
{
    if (decision)
        replay_exploration_done(&decision->found);
}
