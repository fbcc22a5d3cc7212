/* See the header. */
#include "explore/schedule_export.h"

#include <string.h>

#include "explore/program.h"

/* Names a send without a buffer. All other sends have one, unless the schedule lists those that do.
 */
static enum core_status buffer_add(const struct world_decision *d, struct replay_policy *policy)
{
    const struct replay_name send = {
        .rank = (uint32_t)d->rank, .by_number = true, .id = decision_send(d->number)};
    if (d->answer || policy->buffering == REPLAY_SEND_ONLY ||
        policy->buffering == REPLAY_RENDEZVOUS)
        return CORE_OK;
    policy->buffering = REPLAY_SEND_LIST;
    return replay_policy_add(&policy->send, &send);
}

static bool is_file(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_OTHER && decision_kind_of(d->number) == DECISION_FILE;
}

/* Tells whether the decision is about a cancelled receive, which may still get a message. */
static bool is_cancel(const struct world_decision *d, int ranks)
{
    return decision_kind_of(d->number) == DECISION_CANCEL ||
           (d->reason == REPLAY_REASON_MATCH && !d->poll && d->answer == ranks);
}

static bool is_epoch(const struct world_decision *d)
{
    return decision_kind_of(d->number) == DECISION_EPOCH;
}

static bool is_connection(const struct world_decision *d)
{
    return !strcmp(d->call, "MPI_Comm_accept");
}

bool schedule_export_lacks(const struct world_decision *d, int ranks)
{
    return is_file(d) || is_cancel(d, ranks) || is_epoch(d) || is_connection(d) || d->touch;
}

uint32_t schedule_export_attached(const struct world_process_outcome *outcome, int ranks)
{
    uint32_t count = 0;
    for (int r = 0; r < ranks; r++)
        count += outcome->rank[r].detaching;
    for (int i = 0; i < outcome->world.finding_count; i++)
        count += outcome->world.finding[i].rule == WORLD_RULE_ROOM;
    return count;
}

/* Returns the turn's number and answer as a job counts them: a job does not count a rank's own
 * loads and stores. */
static void turn_count(const struct world_decisions *decisions, uint32_t at, int ranks,
                       uint32_t *out_number, int32_t *out_answer)
{
    const struct world_decision *d = &decisions->decision[at];
    *out_number = d->number;
    *out_answer = d->answer;
    if (d->reason != REPLAY_REASON_OTHER || !decisions->touched)
        return;
    for (uint32_t i = 0; i < decisions->decision_count; i++) {
        const struct world_decision *e = &decisions->decision[i];
        if (!e->touch || e->rank != d->rank ||
            decision_object_of(e->number) != decision_object_of(d->number))
            continue;
        *out_number -= e->number < d->number;
        if (d->answer % ranks == d->rank && e->answer < d->answer)
            *out_answer -= ranks;
    }
}

static enum core_status answer_add(const struct world_decisions *decisions, uint32_t at, int ranks,
                                   struct replay_policy *policy)
{
    const struct world_decision *d = &decisions->decision[at];
    uint32_t number;
    int32_t answer;
    if (d->reason == REPLAY_REASON_BUFFER)
        return buffer_add(d, policy);
    if (is_file(d) || is_cancel(d, ranks) || is_epoch(d) || d->touch)
        return CORE_OK;
    turn_count(decisions, at, ranks, &number, &answer);
    return replay_policy_add_forced(policy, (uint32_t)d->rank, number, answer);
}

/* Copies the sends that the library knows; sends inside collectives have no names there. */
static enum core_status sends_add(const struct replay_policy *policy, struct replay_policy *to,
                                  uint32_t *lost)
{
    enum core_status status = CORE_OK;
    to->buffering = policy->buffering;
    to->bytes = policy->bytes;
    for (uint32_t i = 0; i < policy->send.count && status == CORE_OK; i++)
        if (policy->send.name[i].by_number)
            status = replay_policy_add(&to->send, &policy->send.name[i]);
        else
            ++*lost;
    return status;
}

static enum core_status schedule_export_decided(const struct world_decisions *decisions,
                                                const struct replay_policy *policy, int ranks,
                                                struct replay_policy *out_policy,
                                                struct explore_lived *out_lived)
{
    struct replay_policy made;
    struct explore_lived lived = {0};
    replay_policy_init(&made);
    made.order = REPLAY_ORDER_EXPLORE;
    made.seed = policy->seed;
    enum core_status status = sends_add(policy, &made, &lived.sends);
    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++) {
        lived.connections += is_connection(&decisions->decision[i]);
        lived.files += is_file(&decisions->decision[i]);
        lived.cancels += is_cancel(&decisions->decision[i], ranks);
        lived.epochs += is_epoch(&decisions->decision[i]);
        status = answer_add(decisions, i, ranks, &made);
    }
    if (status != CORE_OK) {
        replay_policy_done(&made);
        return status;
    }
    *out_policy = made;
    *out_lived = lived;
    return CORE_OK;
}

static bool schedule_export_finished(const struct world_outcome *outcome)
{
    for (int i = 0; i < outcome->finding_count; i++)
        if (outcome->finding[i].rule == WORLD_RULE_EXIT_STATUS)
            return false;
    return outcome->finished;
}

bool explore_lived_whole(const struct explore_lived *lived)
{
    return !lived->sends && !lived->connections && !lived->files && !lived->cancels &&
           !lived->epochs && !lived->attached;
}

enum core_status schedule_export(const struct explore_command *command,
                                 const struct replay_policy *policy, double budget_s,
                                 struct replay_policy *out_policy, struct explore_lived *out_lived)
{
    const uint32_t budget_ms = budget_s < UINT32_MAX / 1000 ? (uint32_t)(budget_s * 1000) : 0;
    const struct explore_start start = {.start_ms_max = budget_ms, .world_ms_max = budget_ms};
    struct explore_program program;
    struct replay_policy world;
    struct replay_choice choice = {0};
    const struct world_outcome *outcome;
    struct explore_events events;
    uint64_t key;

    if (policy->order == REPLAY_ORDER_RANDOM)
        replay_choice_seed(&choice, policy->seed);
    enum core_status status = replay_policy_copy(policy, &world);
    if (status != CORE_OK)
        return status;
    world.order = REPLAY_ORDER_EXPLORE;
    status = replay_policy_check(&world, REPLAY_IN_PROCESS);
    if (status == CORE_OK)
        status = explore_program_start(command, &start, &program);
    if (status == CORE_OK) {
        status = explore_program_run(&program, &world, &choice, &outcome, &key, &events);
        if (status == CORE_OK && outcome->decisions->unfinished)
            status = core_report(CORE_BUDGET,
                                 "the world of this schedule did not end within the time limit");
        if (status == CORE_OK)
            status = explore_program_followed(&program, &world);
        if (status == CORE_OK)
            status = schedule_export_decided(outcome->decisions, policy, command->rank_count,
                                             out_policy, out_lived);
        if (status == CORE_OK)
            out_lived->attached = schedule_export_attached(&program.outcome, command->rank_count);
        if (status == CORE_OK)
            out_lived->finished = schedule_export_finished(outcome);
        explore_program_end(&program);
    }
    replay_policy_done(&world);
    return status;
}
