/* Confirms a schedule on the real job: writes it in the form that the preloaded library reads, and
 * runs the job under it. */
#include "launch/force.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/trace/request.h"
#include "launch/launch.h"

const char *force_outcome_text(enum force_outcome outcome)
{
    static const char *const text[] = {
        "confirmed: the real job hangs", "not reproduced: the real job ran through",
        "not decided: the real job failed", "not decided: the time limit was reached",
        "not decided: the real job did not follow the schedule"};
    return text[outcome];
}

/* --- names ------------------------------------------------------------------------------------ */

struct name { /* one send or receive of a rank, named by event */
    uint64_t event;
    uint64_t number; /* position among its kind, from 1; 0: not found */
};
struct counter { /* walks over one rank */
    uint32_t sends, receives;
    struct requests requests; /* own: how many of its kind were made, this one included */
};

static bool is_receive(const struct trace_event *event)
{
    if (trait_in(event->traits, TRAIT_PROBES))
        return !trait_in(event->traits, TRAIT_POLLS) ||
               (event->completion_count && event->completion[0].done);
    return trait_in(event->traits, TRAIT_RECEIVES) && !trait_in(event->traits, TRAIT_MATCHED);
}

static bool is_send(const struct trace_event *event)
{
    bool standard = event->mode == EVENT_MODE_STANDARD;
    return standard && trait_in(event->traits, TRAIT_SENDS);
}

static enum core_status keep_counts(enum request_step step, const struct trace_event *event,
                                    struct request *request, const struct trace_completion *done,
                                    void *context)
{
    const struct counter *counter = context;

    (void)event, (void)done;
    if (step == REQUEST_MADE) {
        request->own[0] = counter->sends;
        request->own[1] = counter->receives;
    }
    return CORE_OK;
}

/* Returns the number of the event at this point of the walk. Starts of a persistent request have
 * the number of the call that made it. */
static uint64_t number_of(const struct counter *counter, const struct trace_event *event,
                          bool receives)
{
    if (!trait_in(event->traits, TRAIT_STARTS))
        return receives         ? is_receive(event) ? counter->receives : 0
               : is_send(event) ? counter->sends
                                : 0;
    uint64_t id = event->request            ? event->request
                  : event->completion_count ? event->completion[0].request
                                            : 0;
    const struct request *request = requests_find(&counter->requests, id);
    return request ? request->own[receives] : 0;
}

/* Sets the numbers of all names of one rank. */
static enum core_status number_names(struct trace *trace, uint32_t rank, bool receives,
                                     struct name *name, uint32_t count)
{
    struct counter counter = {.sends = 0};
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more;
    uint32_t at = 0;

    enum core_status status = trace_cursor_open(trace, rank, &cursor);
    if (status != CORE_OK)
        return status;
    requests_init(&counter.requests);
    while (at < count && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        if (event.parent)
            continue;
        counter.sends += is_send(&event);
        counter.receives += is_receive(&event);
        status = requests_follow(&counter.requests, &event, keep_counts, &counter);
        for (; at < count && name[at].event <= event.seq; at++)
            if (name[at].event == event.seq)
                name[at].number = number_of(&counter, &event, receives);
        if (status != CORE_OK)
            break;
    }
    trace_cursor_close(cursor);
    requests_done(&counter.requests);
    return status;
}

/* Names the same calls by number instead of by event; names that have a number keep it. */
static enum core_status number_list(struct trace *trace, const struct replay_names *names,
                                    bool receives, struct replay_names *out_names)
{
    uint32_t count = names->count;
    struct name *name = NULL;
    enum core_status status = CORE_ARRAY_NEW(name, count, "a live policy");

    for (uint32_t first = 0, end; status == CORE_OK && first < count; first = end) {
        uint32_t rank = names->name[first].rank;
        for (end = first; end < count && names->name[end].rank == rank; end++) {
            name[end].event = names->name[end].by_number ? UINT64_MAX : names->name[end].id;
            name[end].number = names->name[end].by_number ? names->name[end].id : 0;
            if (!trace && !names->name[end].by_number)
                status = core_report(CORE_BAD_INPUT,
                                     "'%" PRIu32 ".%" PRIu64 "' names an event of a trace, "
                                     "but there is no trace; name the call by its number, such as "
                                     "%" PRIu32 ".#1",
                                     rank, names->name[end].id, rank);
        }
        if (trace && status == CORE_OK)
            status = number_names(trace, rank, receives, name + first, end - first);
        for (uint32_t i = first; i < end && status == CORE_OK; i++) {
            struct replay_name made = names->name[i];
            made.by_number = true;
            made.id = name[i].number;
            status = made.id ? replay_policy_add(out_names, &made)
                             : core_report(CORE_UNSUPPORTED,
                                           "event %" PRIu64 " of rank %" PRIu32
                                           " cannot be forced live: it is not a %s call",
                                           name[i].event, rank,
                                           receives ? "receive or probe" : "standard send");
        }
    }
    free(name);
    return status;
}

/* Copies the names of decisions, which have numbers already (interpose/decide.h). */
static enum core_status names_copy(const struct replay_names *names, struct replay_names *out_names)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < names->count && status == CORE_OK; i++)
        status = replay_policy_add(out_names, &names->name[i]);
    return status;
}

/* --- what came before ------------------------------------------------------------------------- */

enum { BEFORE_MAX = 4096 }; /* limit on names: an environment variable holds 128 KiB */

struct before { /* walks over one rank up to its first forced receive */
    const struct trace *trace;
    struct replay_names *names;
    uint64_t end; /* seq of that receive */
    uint32_t rank;
};

static enum core_status before_add(const struct before *before, uint64_t seq, int32_t comm,
                                   int32_t peer, const struct trace_completion *done)
{
    if (peer != EVENT_ANY || !done->done || done->cancelled || done->source < 0 ||
        seq >= before->end)
        return CORE_OK;
    int32_t source = trace_comm_world(before->trace, comm, (int32_t)before->rank, done->source);
    return source < 0 ? CORE_OK
                      : replay_policy_add(before->names, &(struct replay_name){.rank = before->rank,
                                                                               .source = source,
                                                                               .id = seq});
}

static enum core_status before_done(enum request_step step, const struct trace_event *event,
                                    struct request *request, const struct trace_completion *done,
                                    void *context)
{
    (void)event;
    if (step != REQUEST_DONE || request->kind != REQUEST_RECEIVE || request->persistent ||
        request->matched || request->inside)
        return CORE_OK;
    return before_add(context, request->begun, request->comm, request->peer, done);
}

/* Adds names that force the earlier receives of the rank to take their recorded messages. Otherwise
 * one of them may take the message for which the forced receive waits. */
static enum core_status before_rank(struct trace *trace, const struct replay_name *first,
                                    struct replay_names *names)
{
    struct before before = {.trace = trace, .names = names, .end = first->id, .rank = first->rank};
    struct requests requests;
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more;

    enum core_status status = trace_cursor_open(trace, first->rank, &cursor);
    if (status != CORE_OK)
        return status;
    requests_init(&requests);
    while (names->count <= BEFORE_MAX &&
           (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more &&
           event.seq < before.end) {
        if (event.parent)
            continue;
        status = requests_follow(&requests, &event, before_done, &before);
        if (status == CORE_OK && trait_in(event.traits, TRAIT_PROBES) && event.completion_count)
            status = before_add(&before, event.seq, event.comm, event.peer, event.completion);
        if (status != CORE_OK)
            break;
    }
    trace_cursor_close(cursor);
    requests_done(&requests);
    return status;
}

/* Copies the policy's names, and adds the earlier receives if these are not too many. */
static enum core_status before_list(struct trace *trace, const struct replay_names *forced,
                                    struct replay_names *out_names)
{
    enum core_status status = names_copy(forced, out_names);

    for (uint32_t i = 0; trace && i < forced->count && status == CORE_OK; i++)
        if (!forced->name[i].by_number && forced->name[i].rank < trace->rank_count &&
            (!i || forced->name[i].rank != forced->name[i - 1].rank))
            status = before_rank(trace, &forced->name[i], out_names);
    if (status != CORE_OK || out_names->count <= BEFORE_MAX)
        return status;
    free(out_names->name);
    *out_names = (struct replay_names){0};
    return names_copy(forced, out_names);
}

enum core_status force_policy_text(struct trace *trace, const struct replay_policy *policy,
                                   char **out_text)
{
    struct replay_policy numbered = *policy;

    numbered.send = numbered.forced = (struct replay_names){0};
    enum core_status status = replay_policy_check(policy, REPLAY_LIVE);
    if (status == CORE_OK)
        status = number_list(trace, &policy->send, false, &numbered.send);
    if (status == CORE_OK && policy->order == REPLAY_ORDER_EXPLORE)
        status = names_copy(&policy->forced, &numbered.forced);
    else if (status == CORE_OK) {
        struct replay_names names = {0};
        status = before_list(trace, &policy->forced, &names);
        if (status == CORE_OK)
            status = number_list(trace, &names, true, &numbered.forced);
        free(names.name);
    }
    char *text = status == CORE_OK ? replay_policy_text(&numbered) : NULL;
    replay_policy_done(&numbered);
    if (status == CORE_OK && !text)
        return core_report(CORE_NO_MEMORY, "out of memory for a live policy");
    if (status == CORE_OK)
        *out_text = text;
    return status;
}

/* --- the run ---------------------------------------------------------------------------------- */

/* Tells how the job ended. A command that succeeded need not have run the whole job: it may have
 * run nothing at all. */
static enum force_outcome force_ended(uint32_t rank_count, const struct launch_result *launched,
                                      uint32_t *out_ranks)
{
    struct trace trace;

    if (!launched->trace_count || trace_open(launched->trace[0], TRACE_READ, &trace) != CORE_OK)
        return FORCE_FAILED;
    bool unturned = trace_meta(&trace, "turns") != NULL;
    bool through = launched->end == LAUNCH_END_OWN && !launched->status &&
                   (!rank_count || trace.rank_count == rank_count);
    for (uint32_t i = 0; i < trace.rank_count && through; i++)
        through = trace.rank[i].state == EVENT_RANK_FINISHED;
    *out_ranks = trace.rank_count;
    trace_close(&trace);
    return unturned ? FORCE_UNTURNED : through ? FORCE_ENDED : FORCE_FAILED;
}

enum core_status force_run(struct trace *trace, uint32_t rank_count,
                           const struct replay_policy *policy, char **command, const char *output,
                           double budget_s, double stall_s, struct force_result *out_result)
{
    struct launch_options launch = {.command = command,
                                    .output = output,
                                    .watch = true,
                                    .budget_s = budget_s,
                                    .stall_s = stall_s};
    struct force_result made = {0};
    struct launch_result launched;
    char *text;

    enum core_status status = force_policy_text(trace, policy, &text);
    if (status != CORE_OK)
        return status;
    launch_variable_set(&launch, "CROSSWAIT_POLICY", text);
    launch.threads = policy->order == REPLAY_ORDER_EXPLORE;
    status = launch_job(&launch, &launched);
    made.status = launched.status;
    made.stalled = launched.stalled;
    made.outcome = force_ended(trace ? trace->rank_count : rank_count, &launched, &made.ranks);
    if (launched.end == LAUNCH_END_DEADLOCK)
        made.outcome = FORCE_HUNG;
    else if (launched.end == LAUNCH_END_BUDGET)
        made.outcome = FORCE_BUDGET;
    made.verdict = launched.verdict ? strdup(launched.verdict) : NULL;
    made.trace = launched.trace_count ? strdup(launched.trace[0]) : NULL;
    launch_result_done(&launched);
    free(text);
    *out_result = made;
    return status;
}

void force_result_done(struct force_result *result)
{
    if (!result)
        return;
    free(result->verdict);
    free(result->trace);
    *result = (struct force_result){0};
}
