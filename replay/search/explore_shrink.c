/* Shrinks a failing path to the smallest policy that still fails: it buffers sends that need not
 * wait, and leaves matches that need not be forced to the record. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/search/shrink.h"
#include "replay/search/explore_state.h"

/* Limits the runs spent on shrinking. */
enum { SHRINK_RUNS_MAX = 20000 };

struct shrinker {
    const struct replay_program *program;
    struct replay_run *run;
    struct replay_policy policy;
    uint32_t runs;
    enum core_status status;
};

static bool explore_shrink_fails(struct shrinker *s)
{
    enum replay_outcome outcome = REPLAY_FINISHED;
    if (s->status == CORE_OK)
        s->status = replay_run_all(s->run, &s->policy, NULL, &outcome, NULL);
    s->runs++;
    return s->status == CORE_OK && outcome == REPLAY_DEADLOCK;
}

static void explore_shrink_force(struct shrinker *s, const struct path *path, bool all)
{
    s->policy.forced.count = 0;
    for (uint32_t i = 0; i < path->count && s->status == CORE_OK; i++) {
        const struct step *step = &path->step[i];
        if (step->kind == REPLAY_OPTION_BUFFER || (!all && !step->diverges))
            continue;
        s->status = replay_policy_add_forced(
            &s->policy, step->rank, replay_op_id(s->program, step->rank, step->op), step->from);
    }
    CORE_CHECK(s->policy.forced.count <= path->count);
    s->policy.order = s->policy.forced.count ? REPLAY_ORDER_LIST : REPLAY_ORDER_RECORDED;
}

static bool is_standard(const struct replay_op *op)
{
    return (op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND) && op->peer >= 0 &&
           op->mode == REPLAY_STANDARD;
}

/* Names the sends that the path buffered, as buffering=only. */
static void name_buffered(struct shrinker *s, const struct path *path)
{
    s->policy.buffering = REPLAY_SEND_ONLY;
    s->policy.send.count = 0;
    for (uint32_t i = 0; i < path->count && s->status == CORE_OK; i++)
        if (path->step[i].kind == REPLAY_OPTION_BUFFER)
            s->status = replay_policy_add_send(
                &s->policy, path->step[i].rank,
                replay_op_id(s->program, path->step[i].rank, path->step[i].op));
    CORE_CHECK(s->policy.send.count <= path->count);
}

/* Switches to buffering=list with the sends that wait when the world is stuck; if that does not
 * fail, with all that were not buffered. */
static bool name_unbuffered(struct shrinker *s)
{
    struct replay_policy before;
    struct replay_result result;

    s->status = replay_policy_copy(&s->policy, &before);
    if (s->status != CORE_OK)
        return false;
    s->status = replay_run_all(s->run, &s->policy, NULL, NULL, &result);
    if (s->status != CORE_OK) {
        replay_policy_done(&before);
        return false;
    }
    s->policy.buffering = REPLAY_SEND_LIST;
    s->policy.send.count = 0;
    for (uint32_t i = 0; i < result.leftover_listed && s->status == CORE_OK; i++) {
        const struct replay_leftover *left = &result.leftover[i];
        if (left->is_send && !left->complete &&
            is_standard(&s->program->rank[left->rank].op[left->op]))
            s->status = replay_policy_add_send(&s->policy, left->rank,
                                               replay_op_id(s->program, left->rank, left->op));
    }
    replay_result_done(&result);
    bool good = explore_shrink_fails(s);
    if (!good && s->status == CORE_OK) {
        s->policy.send.count = 0;
        for (uint32_t rank = 0; rank < s->program->rank_count; rank++)
            for (uint32_t i = 0; i < s->program->rank[rank].op_count && s->status == CORE_OK; i++) {
                uint64_t id = replay_op_id(s->program, rank, i);
                if (is_standard(&s->program->rank[rank].op[i]) &&
                    !replay_policy_find(&before.send, rank, false, id))
                    s->status = replay_policy_add_send(&s->policy, rank, id);
            }
        good = explore_shrink_fails(s);
    }
    if (good || s->status != CORE_OK)
        replay_policy_done(&before);
    else {
        replay_policy_done(&s->policy);
        s->policy = before;
    }
    return good;
}

static enum core_status explore_shrink_trial(void *context, enum search_trial *out_trial)
{
    struct shrinker *s = context;

    *out_trial = s->runs >= SHRINK_RUNS_MAX ? SEARCH_TRIAL_OVER
                 : explore_shrink_fails(s)  ? SEARCH_TRIAL_SAME
                                            : SEARCH_TRIAL_OTHER;
    return s->status;
}

static void shrink_list(struct shrinker *s, struct replay_names *names)
{
    if (s->status == CORE_OK)
        s->status =
            search_shrink(names->name, sizeof *names->name, &names->count, explore_shrink_trial, s);
}

enum core_status explore_witness(const struct replay_program *program, struct replay_run *run,
                                 const struct replay_explore_options *options,
                                 const struct path *path, struct replay_exploration *exploration)
{
    struct shrinker s = {.program = program, .run = run};
    bool good, shrink_sends = false;

    s.status = replay_policy_copy(&options->policy, &s.policy);
    if (s.status != CORE_OK)
        return s.status;
    s.policy.delay = REPLAY_DELAY_NONE;
    if (options->sends)
        name_buffered(&s, path);
    explore_shrink_force(&s, path, false);
    good = explore_shrink_fails(&s);
    if (!good) {
        explore_shrink_force(&s, path, true);
        good = explore_shrink_fails(&s);
    }
    if (good && options->sends)
        shrink_sends = name_unbuffered(&s);
    if (good && shrink_sends)
        shrink_list(&s, &s.policy.send);
    if (good)
        shrink_list(&s, &s.policy.forced);
    if (good && s.policy.order == REPLAY_ORDER_LIST && s.policy.forced.count == 0)
        s.policy.order = REPLAY_ORDER_RECORDED;
    if (s.policy.buffering == REPLAY_SEND_LIST && s.policy.send.count == 0)
        s.policy.buffering = REPLAY_EAGER;
    if (s.status == CORE_OK && good) {
        s.status = replay_run_all(run, &s.policy, NULL, NULL, &exploration->result);
        exploration->witness = core_alloc(sizeof *exploration->witness);
        if (s.status == CORE_OK && !exploration->witness)
            s.status = core_report(CORE_NO_MEMORY, "out of memory for a witness");
        CORE_CHECK(s.status != CORE_OK || exploration->result.outcome == REPLAY_DEADLOCK);
        exploration->unbuffered = shrink_sends ? s.policy.send.count : 0;
        exploration->forced = s.policy.forced.count;
        exploration->assumed = exploration->result.assumed;
        if (exploration->witness) { /* the witness owns the lists now */
            *exploration->witness = s.policy;
            s.policy = (struct replay_policy){0};
        }
    }
    replay_policy_done(&s.policy);
    return s.status;
}
