/* Depth-first search over all decisions that the trace leaves open, by running again from the start
 * along each branch.
 *
 * Reductions: (1) sleep sets (Godefroid): a decision tried at a node is not tried again below its
 * later siblings until a dependent decision was taken; (2) a wildcard that can get no further
 * candidate, because no other rank has a send to it left, is decided alone: all other decisions
 * commute with it.
 *
 * Two decisions depend on each other if they involve the same receiver or the same message. In
 * programs that cancel or lock, all decisions count as dependent.
 *
 * Invariants
 *  1. Running along the same decisions gives the same options: each rerun is compared with the
 *     options stored in the node.
 *  2. Every leaf of the tree is run, or equals (same matches, same blocked operations) one that is,
 *     or is beyond the budget. */
#include "replay/search/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/table.h"
#include "core/progress.h"
#include "replay/search/explore_state.h"

enum { SHARD_DEPTH = 6, DEPTH_MAX = 1 << 20 };

struct node {
    struct step *option; /* to be tried here: the first `count` */
    uint32_t count, at;  /* option[at] is being tried, earlier ones are done */
    struct step *sleep;  /* decisions that need not be tried */
    uint32_t sleep_count;
    uint64_t hash; /* hash of the path to this node; a leaf above SHARD_DEPTH belongs to the share
                      of its own hash */
};

struct seen {
    uint64_t signature;
};

struct explorer {
    const struct replay_program *program;
    const struct replay_explore_options *options;
    struct replay_run *run;
    struct replay_exploration *result;
    bool no_reduction, all_depend;
    uint64_t *last_send; /* hash of (from, to) -> last operation + 1 that sends there */
    uint32_t last_bits;
    struct node *node;
    uint32_t depth, node_room; /* nodes on the current path */
    uint32_t at;               /* decisions taken in the current run */
    bool pruned, foreign;      /* why the run stopped: nothing new, or another shard's part */
    bool too_deep;             /* a path would need too many decisions */
    bool stuck_early;          /* a state with only late buffering left was reached: a deadlock */
    uint64_t signature;
    struct core_table seen; /* signatures of leaves */
    struct path path;       /* leads to the witness */
    bool found, found_assumed, stalled;
    uint64_t ops; /* operations executed */
    enum core_status status;
};

static enum core_status no_memory(void)
{
    return core_report(CORE_NO_MEMORY, "out of memory for an exploration");
}

const char *replay_verdict_text(enum replay_verdict verdict)
{
    static const char *const text[] = {"deadlock", "no deadlock in any schedule of this trace",
                                       "no deadlock in the schedules that were tried",
                                       "cannot say"};
    _Static_assert(sizeof text / sizeof *text == REPLAY_VERDICT_COUNT, "a text per verdict");
    return (unsigned)verdict < REPLAY_VERDICT_COUNT ? text[verdict] : NULL;
}

/* --- what the program will still send --------------------------------------------------------- */

static uint64_t *last_place(const struct explorer *e, uint32_t from, uint32_t to)
{
    uint64_t key = (uint64_t)from << 32 | to, mask = (UINT64_C(1) << e->last_bits) - 1;
    CORE_CHECK(from < e->program->rank_count && to < e->program->rank_count);
    uint64_t at = core_random_mix(key) & mask;
    while (e->last_send[2 * at + 1] && e->last_send[2 * at] != key)
        at = (at + 1) & mask;
    e->last_send[2 * at] = key;
    return &e->last_send[2 * at + 1];
}

static void find_last_sends(struct explorer *e)
{
    uint64_t pairs = 0;
    for (uint32_t rank = 0; rank < e->program->rank_count; rank++) {
        const struct replay_rank *program = &e->program->rank[rank];
        for (uint32_t i = 0; i < program->op_count; i++) {
            const struct replay_op *op = &program->op[i];
            pairs += (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->peer >= 0;
            e->all_depend |= op->kind == REPLAY_CANCEL || op->kind == REPLAY_LOCK;
        }
    }
    uint64_t limit = (uint64_t)e->program->rank_count * e->program->rank_count;
    if (pairs > limit)
        pairs = limit;
    for (e->last_bits = 4; UINT64_C(1) << e->last_bits < 2 * pairs + 2;)
        e->last_bits++;
    e->last_send = calloc(UINT64_C(2) << e->last_bits, sizeof *e->last_send);
    if (!e->last_send) {
        e->status = no_memory();
        return;
    }
    for (uint32_t rank = 0; rank < e->program->rank_count; rank++) {
        const struct replay_rank *program = &e->program->rank[rank];
        for (uint32_t i = 0; i < program->op_count; i++)
            if ((program->op[i].kind == REPLAY_SEND || program->op[i].kind == REPLAY_ISEND) &&
                program->op[i].peer >= 0)
                *last_place(e, rank, (uint32_t)program->op[i].peer) = i + UINT64_C(1);
    }
}

/* Tells whether `from` has a send to `to` left. */
static bool sends_behind(const struct explorer *e, uint32_t from, uint32_t to)
{
    uint64_t key = (uint64_t)from << 32 | to, mask = (UINT64_C(1) << e->last_bits) - 1;
    for (uint64_t at = core_random_mix(key) & mask; e->last_send[2 * at + 1]; at = (at + 1) & mask)
        if (e->last_send[2 * at] == key)
            return replay_run_at(e->run, from) < e->last_send[2 * at + 1];
    return false;
}

/* --- decisions -------------------------------------------------------------------------------- */

static struct step step_of(const struct replay_option *option)
{
    CORE_CHECK_HOT(option->kind <= REPLAY_OPTION_BUFFER);
    return (struct step){.kind = option->kind,
                         .diverges = option->diverges,
                         .rank = option->rank,
                         .op = option->op,
                         .from = option->from,
                         .from_op = option->from_op};
}

static bool explore_same(const struct step *a, const struct step *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->op == b->op &&
           (a->kind == REPLAY_OPTION_RELAX || (a->from == b->from && a->from_op == b->from_op));
}

static bool explore_depend(const struct explorer *e, const struct step *a, const struct step *b)
{
    if (e->all_depend)
        return true;
    bool a_buffers = a->kind == REPLAY_OPTION_BUFFER, b_buffers = b->kind == REPLAY_OPTION_BUFFER;
    if (a_buffers && b_buffers)
        return a->rank == b->rank && a->op == b->op;
    if (a_buffers)
        return b->kind == REPLAY_OPTION_MATCH && b->from == (int32_t)a->rank && b->from_op == a->op;
    if (b_buffers)
        return a->kind == REPLAY_OPTION_MATCH && a->from == (int32_t)b->rank && a->from_op == b->op;
    return a->rank == b->rank;
}

static uint64_t step_hash(const struct step *step)
{
    uint64_t hash =
        core_random_mix((uint64_t)step->kind << 56 ^ (uint64_t)step->rank << 32 ^ step->op);
    return core_random_mix(hash ^ (uint64_t)(uint32_t)step->from << 32 ^ step->from_op);
}

/* Tells whether these options are all that the wildcard will ever have. */
static bool none_to_come(const struct explorer *e, const struct replay_option *option,
                         uint32_t count)
{
    bool complete = true;
    for (uint32_t from = 0; complete && from < e->program->rank_count; from++) {
        bool is_candidate = false;
        for (uint32_t k = 0; k < count; k++)
            is_candidate |= option[k].from == (int32_t)from;
        complete = is_candidate || !sends_behind(e, from, option->rank);
    }
    return complete;
}

/* Finds a wildcard that can be decided alone: the first of its receiver, with no candidate to come.
 * Sets its range of options. */
static bool find_alone(const struct explorer *e, const struct replay_option *option, uint32_t count,
                       uint32_t *out_first, uint32_t *out_count)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        end = i + 1;
        if (option[i].kind != REPLAY_OPTION_MATCH)
            continue;
        while (end < count && option[end].kind == REPLAY_OPTION_MATCH &&
               option[end].rank == option[i].rank && option[end].op == option[i].op)
            end++;
        bool first_of_rank = i == 0 || option[i - 1].rank != option[i].rank;
        if (first_of_rank && none_to_come(e, option + i, end - i)) {
            CORE_CHECK(end > i && end <= count);
            *out_first = i;
            *out_count = end - i;
            return true;
        }
    }
    return false;
}

static bool explore_asleep(const struct node *node, const struct step *step)
{
    for (uint32_t i = 0; i < node->sleep_count; i++)
        if (explore_same(&node->sleep[i], step))
            return true;
    return false;
}

/* Computes the sleep set of a node: the parent's sleep set and the earlier siblings of the decision
 * just tried, if independent of it. */
static bool inherit_sleep(struct explorer *e, struct node *node)
{
    if (e->depth == 0 || e->no_reduction)
        return true;
    const struct node *parent = &e->node[e->depth - 1];
    CORE_CHECK(parent->at < parent->count);
    const struct step *taken = &parent->option[parent->at];
    uint32_t room = parent->sleep_count + parent->at;
    node->sleep = malloc((room + 1) * sizeof *node->sleep);
    if (!node->sleep)
        return false;
    for (uint32_t i = 0; i < room; i++) {
        const struct step *step =
            i < parent->sleep_count ? &parent->sleep[i] : &parent->option[i - parent->sleep_count];
        if (!explore_depend(e, step, taken))
            node->sleep[node->sleep_count++] = *step;
    }
    CORE_CHECK(node->sleep_count <= room);
    return true;
}

static uint32_t explore_stop(struct explorer *e, enum core_status status)
{
    e->status = status;
    return REPLAY_STOP;
}

/* Makes a node for a new state of this path. Returns the option to take. */
static uint32_t enter_node(struct explorer *e, const struct replay_option *option, uint32_t count)
{
    CORE_CHECK(e->at == e->depth && e->depth <= e->node_room);
    if (e->depth == e->node_room) {
        e->too_deep = e->depth >= DEPTH_MAX;
        if (e->too_deep)
            return REPLAY_STOP;
        if (CORE_ARRAY_ROOM(e->node, e->node_room, e->depth + 1, "an exploration"))
            return explore_stop(e, CORE_NO_MEMORY);
    }
    struct node *node = &e->node[e->depth];
    *node = (struct node){0};
    if (e->depth) {
        const struct node *parent = &e->node[e->depth - 1];
        node->hash = core_random_mix(parent->hash ^ step_hash(&parent->option[parent->at]));
    }
    e->foreign = e->options->shard_count > 1 && e->depth <= SHARD_DEPTH &&
                 node->hash % e->options->shard_count != e->options->shard;
    if (e->foreign && e->depth == SHARD_DEPTH)
        return REPLAY_STOP;
    uint32_t first = 0, range = count, progress = 0;
    for (uint32_t i = 0; i < count; i++)
        progress += option[i].kind != REPLAY_OPTION_BUFFER;
    if (count && !progress) {
        e->stuck_early = true;
        if (!e->options->keep_going)
            return REPLAY_STOP;
    }
    if (count == 0)
        return REPLAY_STOP;
    if (!e->no_reduction && !e->all_depend)
        find_alone(e, option, count, &first, &range);
    CORE_CHECK(range > 0 && first + range <= count);
    node->option = malloc(range * sizeof *node->option);
    if (!node->option || !inherit_sleep(e, node)) {
        free(node->option);
        return explore_stop(e, no_memory());
    }
    uint32_t chosen = REPLAY_STOP;
    for (int pass = 0; pass < 2; pass++) /* options that agree with the record first */
        for (uint32_t i = first; i < first + range; i++) {
            struct step step = step_of(&option[i]);
            bool behind = option[i].diverges || option[i].kind == REPLAY_OPTION_BUFFER;
            if (behind != (pass == 1) || explore_asleep(node, &step))
                continue;
            if (chosen == REPLAY_STOP)
                chosen = i;
            node->option[node->count++] = step;
        }
    if (!node->count) {
        free(node->option);
        free(node->sleep);
        e->pruned = true;
        return REPLAY_STOP;
    }
    CORE_CHECK(chosen >= first && chosen < first + range && node->count <= range);
    e->depth++;
    e->at++;
    return chosen;
}

/* Tells whether these options contain the next decision: that of the node to be taken again, or
 * those that find_alone would find. */
static bool explore_enough(void *context, const struct replay_option *option, uint32_t count)
{
    const struct explorer *e = context;
    if (e->at == e->depth)
        return !e->no_reduction && !e->all_depend && none_to_come(e, option, count);
    const struct node *node = &e->node[e->at];
    bool wanted = false;
    for (uint32_t i = 0; i < count; i++) {
        struct step step = step_of(&option[i]);
        wanted |= explore_same(&step, &node->option[node->at]);
    }
    return wanted;
}

static uint32_t explore_decide(void *context, const struct replay_option *option, uint32_t count)
{
    struct explorer *e = context;
    if (e->at == e->depth)
        return enter_node(e, option, count);
    const struct node *node = &e->node[e->at];
    const struct step *wanted = &node->option[node->at];
    CORE_CHECK(e->at < e->depth && node->at < node->count);
    for (uint32_t i = 0; i < count; i++) {
        struct step step = step_of(&option[i]);
        if (explore_same(&step, wanted)) {
            e->at++;
            return i;
        }
    }
    /* invariant 1 */
    CORE_CHECK(!"a run along the same decisions has the same options");
}

static void explore_matched(void *context, uint32_t from, uint32_t send_op, uint32_t to,
                            uint32_t receive_op, bool choice)
{
    struct explorer *e = context;
    struct step step = {.rank = to, .op = receive_op, .from = (int32_t)from, .from_op = send_op};
    (void)choice;
    e->signature += step_hash(&step);
}

/* --- ends ------------------------------------------------------------------------------------- */

static bool seen_add(struct explorer *e, uint64_t signature)
{
    struct seen *seen;
    uint32_t known = e->seen.count;
    e->status = core_table_put(&e->seen, &signature, "an exploration", &seen);
    if (e->status != CORE_OK || e->seen.count == known)
        return false;
    e->result->outcomes++;
    CORE_CHECK(e->result->outcomes == e->seen.count);
    e->result->outcome_hash += core_random_mix(signature);
    return true;
}

static void keep_path(struct explorer *e)
{
    e->status = CORE_ARRAY_FIT(e->path.step, e->path.room, e->depth, "an exploration");
    if (e->status != CORE_OK)
        return;
    e->path.count = e->depth;
    free(e->result->position);
    e->result->position = malloc((e->depth + 1) * sizeof *e->result->position);
    e->result->position_count = e->result->position ? e->depth : 0;
    if (!e->result->position)
        e->status = no_memory();
    for (uint32_t i = 0; i < e->depth && e->status == CORE_OK; i++) {
        CORE_CHECK(e->node[i].at < e->node[i].count);
        e->path.step[i] = e->node[i].option[e->node[i].at];
        e->result->position[i] = e->node[i].at;
    }
}

static void count_end(struct explorer *e, const struct replay_result *result)
{
    for (uint32_t i = 0; i < result->waitfor.blocked_count; i++)
        e->signature += core_random_mix((uint64_t)result->waitfor.blocked[i].rank << 32 |
                                        result->waitfor.blocked[i].op) *
                        3;
    seen_add(e, core_random_mix(e->signature) ^ (uint64_t)result->outcome);
    e->result->runs++;
    if (e->depth > e->result->choices_max)
        e->result->choices_max = e->depth;
    if (result->outcome == REPLAY_STALLED)
        e->stalled = true;
    if (result->outcome != REPLAY_DEADLOCK)
        return;
    e->result->deadlocks++;
    if (!e->found || (e->found_assumed && !result->assumed)) {
        e->found = true;
        e->found_assumed = result->assumed;
        keep_path(e);
    }
}

/* Runs once along the current path and beyond. */
static void run_once(struct explorer *e)
{
    struct replay_result result;
    e->at = 0;
    e->pruned = e->foreign = e->stuck_early = false;
    e->signature = 0;
    enum core_status status = replay_run_all(e->run, &e->options->policy, NULL, NULL, &result);
    if (status != CORE_OK || e->status != CORE_OK) { /* the hooks may have failed */
        if (status == CORE_OK)
            replay_result_done(&result);
        else
            e->status = status;
        return;
    }
    CORE_CHECK(e->at == e->depth); /* invariant 1: the run followed the whole path */
    CORE_CHECK(!e->foreign || e->depth <= SHARD_DEPTH);
    e->ops += e->foreign ? 0 : result.ops;
    if (e->foreign || e->too_deep)
        ; /* another share counts its leaf, or what it prunes; or it has no leaf */
    else if (e->pruned)
        e->result->pruned++;
    else
        count_end(e, &result);
    replay_result_done(&result);
}

/* Moves to the next branch; false: there is none. */
static bool explore_backtrack(struct explorer *e)
{
    while (e->depth) {
        struct node *node = &e->node[e->depth - 1];
        if (++node->at < node->count)
            return true;
        free(node->option);
        free(node->sleep);
        e->depth--;
    }
    return false;
}

static void free_nodes(struct explorer *e)
{
    while (e->depth) {
        e->depth--;
        free(e->node[e->depth].option);
        free(e->node[e->depth].sleep);
    }
    free(e->node);
}

/* Samples random schedules of a tree that is too large. A deadlock found in this way is also kept
 * as a list of decisions. */
struct sampler {
    struct explorer *e;
    struct replay_choice choice;
    struct path path;
};

static uint32_t explore_sample(void *context, const struct replay_option *option, uint32_t count)
{
    struct sampler *sampler = context;
    uint32_t first = 0, progress = 0;

    for (uint32_t i = 0; i < count; i++)
        progress += option[i].kind != REPLAY_OPTION_BUFFER;
    if (!progress) /* a deadlock needs no late buffering */
        return REPLAY_STOP;
    uint32_t chosen = first + replay_choice_take(&sampler->choice, count, REPLAY_REASON_MATCH);
    if (CORE_ARRAY_PUSH(sampler->path.step, sampler->path.count, sampler->path.room,
                        "an exploration", step_of(&option[chosen])))
        return explore_stop(sampler->e, CORE_NO_MEMORY);
    return chosen;
}

static void run_samples(struct explorer *e, uint64_t count)
{
    uint64_t ops_max = e->ops + count * REPLAY_EXPLORE_OPS;
    struct sampler sampler = {.e = e};
    struct replay_hooks hooks = {
        .context = &sampler, .late_buffering = e->options->sends, .decide = explore_sample};
    replay_choice_seed(&sampler.choice, e->options->policy.seed + e->options->shard);
    replay_run_hooks(e->run, &hooks);
    for (uint64_t i = 0; i < count && e->ops < ops_max && e->status == CORE_OK; i++) {
        struct replay_result result;
        sampler.path.count = 0;
        enum core_status status = replay_run_all(e->run, &e->options->policy, NULL, NULL, &result);
        if (status != CORE_OK)
            e->status = status;
        else if (e->status != CORE_OK)
            replay_result_done(&result);
        if (e->status != CORE_OK)
            break;
        e->result->sampled++;
        e->ops += result.ops;
        e->stalled |= result.outcome == REPLAY_STALLED;
        bool deadlock = result.outcome == REPLAY_DEADLOCK, assumed = result.assumed;
        replay_result_done(&result);
        if (!deadlock)
            continue;
        e->result->deadlocks++;
        if (!e->found || (e->found_assumed && !assumed)) {
            struct path old = e->path;
            e->path = sampler.path;
            sampler.path = old;
            e->result->position_count = 0;
            e->found = true;
            e->found_assumed = assumed;
        }
        if (!e->options->keep_going)
            break;
    }
    free(sampler.path.step);
}

static void explore_judge(struct explorer *e)
{
    struct replay_exploration *result = e->result;
    CORE_CHECK(e->found == (result->deadlocks > 0));
    CORE_CHECK(result->outcomes <= result->runs);
    /* invariant 2 */
    CORE_CHECK(result->rest != SEARCH_REST_NONE || result->sampled == 0);
    if (e->found) {
        result->verdict = REPLAY_VERDICT_DEADLOCK;
        result->assumed = e->found_assumed;
    } else if (e->stalled) {
        result->verdict = REPLAY_VERDICT_CANNOT_SAY;
        result->reason = strdup("in some schedule ranks wait for ranks whose record ends early");
    } else
        result->verdict =
            result->rest == SEARCH_REST_NONE ? REPLAY_VERDICT_NONE : REPLAY_VERDICT_NOT_FOUND;
}

static void explore_search_from(struct explorer *e)
{
    struct replay_hooks hooks = {.context = e,
                                 .matched = explore_matched,
                                 .late_buffering = e->options->sends,
                                 .decide = explore_decide,
                                 .enough = explore_enough};
    uint64_t budget = e->options->runs_max ? e->options->runs_max : REPLAY_EXPLORE_RUNS;
    bool more = true;

    replay_run_hooks(e->run, &hooks);
    core_progress_begin("checking: orders of messages", budget);
    for (uint64_t spent = 0; more && e->status == CORE_OK && !e->too_deep && spent < budget &&
                             e->ops / REPLAY_EXPLORE_OPS < budget;
         spent += !e->foreign) {
        run_once(e);
        core_progress_at(spent > e->ops / REPLAY_EXPLORE_OPS ? spent : e->ops / REPLAY_EXPLORE_OPS);
        if (e->status != CORE_OK || (e->found && !e->found_assumed && !e->options->keep_going))
            break;
        more = explore_backtrack(e);
    }
    core_progress_end();
    e->result->rest = SEARCH_REST_STOPPED;
    if (e->status != CORE_OK || (e->found && !e->found_assumed && !e->options->keep_going))
        return;
    e->result->rest = more                          ? SEARCH_REST_MORE
                      : e->program->overtaking      ? SEARCH_REST_OVERTAKING
                      : replay_run_competes(e->run) ? SEARCH_REST_THREADS
                                                    : SEARCH_REST_NONE;
    if (more && e->status == CORE_OK && !(e->found && !e->found_assumed))
        run_samples(e, budget / 10 + 1);
}

enum core_status replay_explore(const struct replay_program *program,
                                const struct replay_explore_options *options,
                                struct replay_exploration *out_exploration)
{
    struct replay_exploration result = {0};
    struct explorer e = {.program = program,
                         .options = options,
                         .result = &result,
                         .seen = CORE_TABLE(struct seen, signature),
                         .no_reduction = options->no_reduction};
    struct replay_explore_options own = *options;

    if (own.sends) /* sends wait for their decision */
        own.policy.buffering = REPLAY_RENDEZVOUS;
    e.options = &own;
    e.status = replay_run_open(program, &e.run);
    if (e.status == CORE_OK)
        find_last_sends(&e);
    if (e.status == CORE_OK)
        explore_search_from(&e);
    if (e.run)
        replay_run_hooks(e.run, NULL);
    if (e.status == CORE_OK)
        explore_judge(&e);
    if (e.status == CORE_OK && e.found)
        e.status = explore_witness(program, e.run, &own, &e.path, &result);
    free_nodes(&e);
    free(e.path.step);
    free(e.last_send);
    core_table_done(&e.seen);
    replay_run_close(e.run);
    if (e.status != CORE_OK) {
        replay_exploration_done(&result);
        return e.status;
    }
    *out_exploration = result;
    return CORE_OK;
}

void replay_exploration_done(struct replay_exploration *exploration)
{
    if (!exploration)
        return;
    replay_policy_done(exploration->witness);
    free(exploration->witness);
    free(exploration->reason);
    free(exploration->position);
    replay_result_done(&exploration->result);
    *exploration = (struct replay_exploration){0};
}
