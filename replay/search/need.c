/* Computes how much buffering a program needs: the verdict by threshold, what receivers hold, and a
 * minimal set of sends to blame. */
#include "replay/search/need.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"

#define A_NEED "a buffer need" /* out of memory for ... */

struct finder {
    const struct replay_program *program;
    struct replay_run *run;
    struct replay_policy policy;
    struct replay_need *need;
    uint64_t ops;   /* in the program */
    uint64_t spent; /* operations executed so far, at most */
    uint64_t *size; /* different sizes, ascending */
    uint64_t size_count;
    uint64_t budget; /* limit of operations */
    uint32_t blame_room;
    struct core_table offer; /* sends that could have been buffered while nothing proceeded */
    enum core_status status;
};
struct offer {
    struct offer_key {
        uint32_t rank, op;
    } key;
    uint32_t step; /* + 1: number of blamed sends when it was first offered */
};

static bool may_run(const struct finder *finder)
{
    return finder->status == CORE_OK && finder->spent + finder->ops <= finder->budget;
}

static enum replay_outcome need_run(struct finder *finder)
{
    enum replay_outcome outcome = REPLAY_STALLED;
    if (finder->status == CORE_OK) {
        enum core_status status =
            replay_run_all(finder->run, &finder->policy, NULL, &outcome, NULL);
        if (status != CORE_OK) /* a hook may have failed too */
            finder->status = status;
    }
    finder->spent += finder->ops + 1;
    finder->need->runs++;
    return outcome;
}

static enum replay_outcome run_threshold(struct finder *finder, uint64_t index)
{
    CORE_CHECK(index > 0 && index < finder->size_count); /* both ends are known */
    CORE_CHECK(index < 2 || finder->size[index - 2] < finder->size[index - 1]); /* ascending */
    finder->policy.buffering = REPLAY_EAGER_BYTES;
    finder->policy.bytes = finder->size[index - 1];
    return need_run(finder);
}

static bool is_standard(const struct replay_op *op)
{
    return (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->peer >= 0 &&
           (op->mode == REPLAY_STANDARD || op->mode == REPLAY_READY);
}

static int size_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts, removes duplicates, and returns how many are left. */
static uint32_t drop_doubles(uint64_t *size, uint32_t count)
{
    uint32_t kept = 0;
    if (count)
        qsort(size, count, sizeof *size, size_compare);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || size[i] != size[kept - 1])
            size[kept++] = size[i];
    CORE_CHECK(kept <= count);
    return kept;
}

/* Collects all sizes of standard sends, each once. Removes duplicates on the way: programs usually
 * have few sizes. */
static void collect_sizes(struct finder *finder)
{
    const struct replay_program *program = finder->program;
    uint32_t room = 0, count = 0;

    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        for (uint32_t i = 0; i < program->rank[rank].op_count; i++) {
            const struct replay_op *op = &program->rank[rank].op[i];
            if (!is_standard(op) || (count && finder->size[count - 1] == op->bytes))
                continue;
            bool full = count == room;
            if (full)
                count = drop_doubles(finder->size, count);
            if (full && count * 2 >= room) {
                finder->status = CORE_ARRAY_ROOM(finder->size, room, room + 1, "sizes of messages");
                if (finder->status != CORE_OK)
                    return;
            }
            CORE_CHECK(count < room);
            finder->size[count++] = op->bytes;
        }
    finder->size_count = drop_doubles(finder->size, count);
    finder->need->thresholds = finder->size_count;
}

static void add_step(struct finder *finder, uint64_t index, enum replay_outcome outcome)
{
    struct replay_need *need = finder->need;
    if (need->step_count && need->step[need->step_count - 1].outcome == outcome)
        return;
    CORE_CHECK((index == 0) == (need->step_count == 0)); /* rendezvous comes first */
    CORE_CHECK(index == 0 || need->step[need->step_count - 1].bytes <= finder->size[index - 1]);
    enum core_status status =
        CORE_ARRAY_PUSH(need->step, need->step_count, need->step_room, A_NEED,
                        (struct replay_need_step){.rendezvous = index == 0,
                                                  .bytes = index == 0 ? 0 : finder->size[index - 1],
                                                  .outcome = outcome});
    if (status != CORE_OK)
        finder->status = status;
}

/* Finds the steps. Index 0 is rendezvous, index k the k-th size. The outcomes at both ends are
 * known: nothing buffered, and all. */
static void find_steps(struct finder *finder, const struct replay_worlds *worlds)
{
    struct replay_need *need = finder->need;
    enum replay_outcome first = worlds->unbuffered.outcome, last = worlds->buffered.outcome;

    need->exact = true;
    add_step(finder, 0, first);
    if (!finder->size_count || finder->status != CORE_OK)
        return;
    if (!replay_run_has_choices(finder->run)) {
        if (first == REPLAY_FINISHED || last != REPLAY_FINISHED)
            return;                                  /* more buffering never undoes a finish */
        uint64_t low = 0, high = finder->size_count; /* low deadlocks, high finishes */
        while (high - low > 1 && finder->status == CORE_OK) {
            uint64_t middle = low + (high - low) / 2;
            if (run_threshold(finder, middle) == REPLAY_FINISHED)
                high = middle;
            else
                low = middle;
        }
        add_step(finder, high, last);
        return;
    }
    for (uint64_t index = 1; index < finder->size_count && need->exact; index++) {
        need->exact = may_run(finder);
        if (need->exact)
            add_step(finder, index, run_threshold(finder, index));
    }
    if (finder->status == CORE_OK)
        add_step(finder, finder->size_count, last);
}

/* Finds the smallest safe bound by binary search. */
static uint64_t find_bound(struct finder *finder, enum replay_buffering buffering, uint64_t high)
{
    uint64_t low = 0;
    finder->policy.buffering = buffering;
    finder->policy.bytes = high;
    if (need_run(finder) != REPLAY_FINISHED)
        return UINT64_MAX;
    finder->policy.bytes = 0;
    if (need_run(finder) == REPLAY_FINISHED)
        return 0;
    while (high - low > 1 && may_run(finder)) {
        uint64_t middle = low + (high - low) / 2;
        finder->policy.bytes = middle;
        CORE_CHECK(low < middle && middle < high); /* so the search ends */
        if (need_run(finder) == REPLAY_FINISHED)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void find_bounds(struct finder *finder)
{
    struct replay_need *need = finder->need;
    uint64_t bytes_max = 0, count_max = 0;
    for (uint32_t rank = 0; rank < need->rank_count; rank++) {
        if (need->held_bytes[rank] > bytes_max)
            bytes_max = need->held_bytes[rank];
        if (need->held_count[rank] > count_max)
            count_max = need->held_count[rank];
    }
    if (may_run(finder))
        need->credits = find_bound(finder, REPLAY_CREDITS, count_max);
    if (may_run(finder))
        need->pool_bytes = find_bound(finder, REPLAY_POOL, bytes_max);
}

/* --- blame ------------------------------------------------------------------------------------ */

static bool add_blame(struct finder *finder, uint32_t rank, uint32_t op_index)
{
    struct replay_need *need = finder->need;
    const struct replay_op *op = &finder->program->rank[rank].op[op_index];
    CORE_CHECK(is_standard(op)); /* only standard sends are offered */
    if (CORE_ARRAY_PUSH(need->blame, need->blame_count, finder->blame_room, A_NEED,
                        (struct replay_need_send){.rank = rank,
                                                  .op = op_index,
                                                  .event = op->event,
                                                  .bytes = op->bytes,
                                                  .to = (uint32_t)op->peer})) {
        finder->status = CORE_NO_MEMORY;
        return false;
    }
    return true;
}

static bool offers_add(struct finder *finder, const struct replay_option *option, uint32_t count)
{
    for (uint32_t i = 0; i < count && finder->status == CORE_OK; i++) {
        struct offer_key key = {option[i].rank, option[i].op};
        struct offer *offer;
        if (option[i].kind != REPLAY_OPTION_BUFFER)
            continue;
        finder->status = core_table_put(&finder->offer, &key, A_NEED, &offer);
        if (finder->status == CORE_OK && !offer->step)
            offer->step = finder->need->blame_count + 1;
    }
    return finder->status == CORE_OK;
}

/* Finds which blamed sends, in the order of blame, may be superfluous. In a program without choices
 * the others are not: when such a send was blamed nothing proceeded, and no send blamed later had
 * been posted, so without it the program stays stuck there. */
static void find_doubtful(struct finder *finder, bool *doubtful)
{
    const struct replay_need *need = finder->need;
    uint32_t since = UINT32_MAX; /* first index before which a later one was posted */
    bool chance = replay_run_has_choices(finder->run);

    for (uint32_t i = need->blame_count; i-- > 0;) {
        struct offer_key key = {need->blame[i].rank, need->blame[i].op};
        const struct offer *offer = core_table_find(&finder->offer, &key);
        CORE_CHECK(offer && offer->step >= 1); /* it was offered before */
        CORE_CHECK(offer->step - 1 <= i);
        doubtful[i] = chance || since <= i;
        if (offer->step - 1 < since)
            since = offer->step - 1;
    }
}

/* Buffers nothing until nothing proceeds; then buffers one send of a rank that waits for it. */
static uint32_t buffer_when_stuck(void *context, const struct replay_option *option, uint32_t count)
{
    struct finder *finder = context;
    uint32_t other = REPLAY_STOP;

    for (uint32_t i = 0; i < count; i++)
        if (option[i].kind == REPLAY_OPTION_MATCH && !option[i].diverges)
            return i;
    finder->spent += count + 1;
    if (finder->spent > finder->budget || !offers_add(finder, option, count))
        return REPLAY_STOP;
    for (uint32_t i = 0; i < count; i++) {
        if (option[i].kind == REPLAY_OPTION_BUFFER && option[i].blocking)
            return add_blame(finder, option[i].rank, option[i].op) ? i : REPLAY_STOP;
        if (option[i].kind != REPLAY_OPTION_BUFFER && other == REPLAY_STOP)
            other = i;
    }
    return other;
}

static bool set_policy(struct finder *finder, uint32_t without)
{
    struct replay_need *need = finder->need;
    CORE_CHECK(finder->policy.buffering == REPLAY_SEND_ONLY);
    finder->policy.send.count = 0;
    for (uint32_t i = 0; i < need->blame_count && finder->status == CORE_OK; i++)
        if (i != without)
            finder->status = replay_policy_add_send(
                &finder->policy, need->blame[i].rank,
                replay_op_id(finder->program, need->blame[i].rank, need->blame[i].op));
    return finder->status == CORE_OK;
}

/* A blamed send while the set is minimised. */
struct blamed {
    struct replay_need_send send;
    bool doubtful;
};

static int blame_compare(const void *a, const void *b)
{
    const struct replay_need_send *x = &((const struct blamed *)a)->send,
                                  *y = &((const struct blamed *)b)->send;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* Sorts the blamed sends by rank and operation. *out_doubtful: which may be superfluous; free() it.
 */
static void sort_blame(struct finder *finder, bool **out_doubtful)
{
    struct replay_need *need = finder->need;
    struct blamed *blamed = NULL;

    finder->status = CORE_ARRAY_NEW(*out_doubtful, need->blame_count + 1, A_NEED);
    if (finder->status == CORE_OK)
        finder->status = CORE_ARRAY_NEW(blamed, need->blame_count + 1, A_NEED);
    if (finder->status != CORE_OK)
        return;
    find_doubtful(finder, *out_doubtful);
    for (uint32_t i = 0; i < need->blame_count; i++)
        blamed[i] = (struct blamed){need->blame[i], (*out_doubtful)[i]};
    if (need->blame_count > 1)
        qsort(blamed, need->blame_count, sizeof *blamed, blame_compare);
    for (uint32_t i = 0; i < need->blame_count; i++) {
        need->blame[i] = blamed[i].send;
        (*out_doubtful)[i] = blamed[i].doubtful;
    }
    free(blamed);
}

static uint64_t budget_of(const struct finder *finder, uint64_t ops)
{
    return ops + REPLAY_NEED_RUNS_MAX * finder->ops;
}

/* Removes sends that are not needed, trying the doubtful ones. */
static void spare_blame(struct finder *finder, const bool *doubtful)
{
    struct replay_need *need = finder->need;
    uint64_t most = finder->spent + budget_of(finder, REPLAY_NEED_BLAME_OPS_MAX);

    finder->budget = most < finder->budget ? most : finder->budget;
    need->blame_minimal = true;
    for (uint32_t i = need->blame_count; i-- > 0 && finder->status == CORE_OK;) {
        if (!doubtful[i])
            continue;
        if (!may_run(finder)) {
            need->blame_minimal = false;
            break;
        }
        if (set_policy(finder, i) && need_run(finder) == REPLAY_FINISHED) {
            memmove(need->blame + i, need->blame + i + 1,
                    (need->blame_count - i - 1) * sizeof *need->blame);
            need->blame_count--;
        }
    }
}

static void find_blame(struct finder *finder)
{
    struct replay_need *need = finder->need;
    struct replay_hooks hooks = {
        .context = finder, .decide = buffer_when_stuck, .late_buffering = true};
    bool *doubtful = NULL;

    finder->policy.buffering = REPLAY_RENDEZVOUS;
    replay_run_hooks(finder->run, &hooks);
    enum replay_outcome outcome = need_run(finder);
    replay_run_hooks(finder->run, NULL);
    if (finder->status == CORE_OK)
        sort_blame(finder, &doubtful);
    finder->policy.buffering = REPLAY_SEND_ONLY;
    if (finder->status == CORE_OK && outcome == REPLAY_FINISHED && set_policy(finder, UINT32_MAX) &&
        need_run(finder) == REPLAY_FINISHED)
        spare_blame(finder, doubtful);
    else
        need->blame_count = 0;
    free(doubtful);
}

/* --- all together ----------------------------------------------------------------------------- */

static void need_judge(struct replay_need *need, const struct finder *finder)
{
    CORE_CHECK(need->step_count > 0);
    CORE_CHECK(need->step[0].rendezvous);
    const struct replay_need_step *last = &need->step[need->step_count - 1];
    need->always = need->step_count == 1 && last->outcome == REPLAY_FINISHED && need->exact;
    need->ever = last->outcome == REPLAY_FINISHED;
    need->safe_bytes = need->ever ? last->bytes : 0;
    if (need->ever && !need->exact && finder->size_count)
        need->safe_bytes = finder->size[finder->size_count - 1];
}

/* Computes all results from the two worlds. */
static void find_all(struct finder *finder, const struct replay_worlds *worlds)
{
    struct replay_need *need = finder->need;

    CORE_CHECK(worlds->rank_count == need->rank_count);
    finder->ops = replay_run_ops(finder->run);
    finder->budget = budget_of(finder, REPLAY_NEED_OPS_MAX);
    finder->spent = 2 * (finder->ops + 1);
    need->runs = 2;
    memcpy(need->held_bytes, worlds->held_bytes, need->rank_count * sizeof *need->held_bytes);
    memcpy(need->held_count, worlds->held_count, need->rank_count * sizeof *need->held_count);
    collect_sizes(finder);
    if (finder->status == CORE_OK)
        find_steps(finder, worlds);
    if (finder->status == CORE_OK)
        need_judge(need, finder);
    if (finder->status == CORE_OK && need->ever && !need->always) {
        find_bounds(finder);
        if (finder->status == CORE_OK)
            find_blame(finder);
    } else if (need->always)
        need->pool_bytes = need->credits = 0;
}

enum core_status replay_need_find(const struct replay_program *program,
                                  const struct replay_policy *policy,
                                  const struct replay_worlds *worlds, struct replay_need *out_need)
{
    struct replay_need need = {
        .rank_count = program->rank_count, .pool_bytes = UINT64_MAX, .credits = UINT64_MAX};
    struct finder finder = {
        .program = program, .need = &need, .offer = CORE_TABLE(struct offer, key)};
    struct replay_worlds own = {0};

    need.held_bytes = calloc(program->rank_count, sizeof *need.held_bytes);
    need.held_count = calloc(program->rank_count, sizeof *need.held_count);
    if (!need.held_bytes || !need.held_count) {
        replay_need_done(&need);
        return core_report(CORE_NO_MEMORY, "out of memory for a buffer need");
    }
    if (policy)
        finder.status = replay_policy_copy(policy, &finder.policy);
    else
        replay_policy_init(&finder.policy);
    if (finder.status == CORE_OK && !worlds) {
        finder.status = replay_worlds_run(program, policy, &own);
        worlds = &own;
    }
    if (finder.status == CORE_OK)
        finder.status = replay_run_open(program, &finder.run);
    if (finder.status == CORE_OK)
        find_all(&finder, worlds);
    replay_run_close(finder.run);
    replay_worlds_done(&own);
    replay_policy_done(&finder.policy);
    free(finder.size);
    core_table_done(&finder.offer);
    if (finder.status != CORE_OK) {
        replay_need_done(&need);
        return finder.status;
    }
    *out_need = need;
    return CORE_OK;
}

void replay_need_done(struct replay_need *need)
{
    if (!need)
        return;
    free(need->step);
    free(need->held_bytes);
    free(need->held_count);
    free(need->blame);
    *need = (struct replay_need){0};
}
