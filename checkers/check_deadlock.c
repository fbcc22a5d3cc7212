/* Deadlock: runs the program lowered from the trace under the most hostile conditions that the
 * standard allows, and says who holds whom.
 *
 * Two worlds are run. `Unbuffered`: no standard send completes before its receive is posted,
 * collectives synchronise. `Buffered`: every send completes at once. A deadlock in the second does
 * not depend on buffering at all; one in the first only is what a library's eager sends hide. Where
 * receives take messages from anyone, all orders are explored in both.
 *
 * What may be claimed (README.md of this room, 1): a deadlock in the recorded order of matches is
 * an error. One that needs a wildcard to take another message than it did rests on an assumption:
 * the program may look at what it got and go on in another way. It is a note until the real job has
 * been tried.
 *
 * Threads of a rank do not wait for each other in these worlds: what is stuck then is stuck however
 * they order themselves outside of MPI. What is stuck only when they keep the order that they had
 * in the recorded run is a note as well. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "core/text.h"
#include "core/trace/describe.h"
#include "replay/search/explore.h"
#include "replay/search/need.h"
#include "replay/logical/run.h"

enum { RANKS_NAMED_MAX = 8, SENDS_NAMED_MAX = 4, CORES_NAMED_MAX = 4 };

/* "rank 1", "ranks 0 and 1", "ranks 0, 1, 2 and 5 more". */
static void ranks_text(const uint32_t *rank, uint32_t count, const char *joint, char *buffer,
                       size_t room)
{
    uint32_t named = count <= RANKS_NAMED_MAX ? count : RANKS_NAMED_MAX - 1;
    size_t used = (size_t)snprintf(buffer, room, count == 1 ? "rank " : "ranks ");

    for (uint32_t i = 0; i < named && used < room; i++) {
        const char *before = i == 0 ? "" : (i + 1 == count ? joint : ", ");
        used += (size_t)snprintf(buffer + used, room - used, "%s%" PRIu32, before, rank[i]);
    }
    if (named < count && used < room)
        snprintf(buffer + used, room - used, "%s%" PRIu32 " more", joint, count - named);
}

static bool is_blocked(const struct replay_waitfor *waitfor, uint32_t rank)
{
    uint32_t low = 0, high = waitfor->blocked_count; /* which are in the order of ranks */

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (waitfor->blocked[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < waitfor->blocked_count && waitfor->blocked[low].rank == rank;
}

/* "rank 1", "ranks 1 or 2", "ranks 1, 2 and 3"; and whether they have all come to their ends. */
static void peers_text(const struct replay_waitfor *waitfor, const uint32_t *peer, uint32_t count,
                       const char *joint, char *buffer, size_t room)
{
    bool ended = true;

    ranks_text(peer, count, joint, buffer, room);
    for (uint32_t i = 0; i < count && ended; i++)
        ended = !is_blocked(waitfor, peer[i]);
    size_t used = strlen(buffer);
    if (ended)
        snprintf(buffer + used, room - used,
                 count == 1 ? ", which has come to its end" : ", which have come to their ends");
}

/* What one blocked rank waits for, all clauses together: those of a single rank in one list. */
static char *waits_for_text(const struct replay_waitfor *waitfor,
                            const struct replay_blocked *blocked)
{
    uint32_t *single = malloc((blocked->count + 1) * sizeof *single), singles = 0, shown = 0;
    char text[1024] = "", ranks[320];
    size_t used = 0;

    for (uint32_t i = 0; single && i < blocked->count; i++) {
        const struct replay_clause *clause = &waitfor->clause[blocked->first + i];
        if (clause->count == 1 && !clause->any)
            single[singles++] = waitfor->peer[clause->first];
    }
    if (singles) {
        peers_text(waitfor, single, singles, " and ", ranks, sizeof ranks);
        used = (size_t)snprintf(text, sizeof text, "%s", ranks);
        shown++;
    }
    free(single);
    for (uint32_t i = 0; i < blocked->count && used < sizeof text; i++) {
        const struct replay_clause *clause = &waitfor->clause[blocked->first + i];
        if ((clause->count == 1 && !clause->any) || shown >= SENDS_NAMED_MAX)
            continue;
        if (clause->count == 0)
            snprintf(ranks, sizeof ranks, "what no rank can do any more");
        else
            peers_text(waitfor, waitfor->peer + clause->first, clause->count, " or ", ranks,
                       sizeof ranks);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", shown++ ? ", and for " : "",
                             clause->any ? "any message, from " : "", ranks);
    }
    return strdup(text);
}

static void add_awaits(struct finding_call *call, const struct replay_waitfor *waitfor,
                       const struct replay_blocked *blocked)
{
    for (uint32_t i = 0; i < blocked->count; i++) {
        const struct replay_clause *clause = &waitfor->clause[blocked->first + i];
        for (uint32_t j = 0; j < clause->count; j++)
            finding_call_await(call, waitfor->peer[clause->first + j],
                               clause->count > 1 || clause->any);
    }
}

static void add_blocked(const struct check_input *input, struct finding *finding,
                        const struct replay_waitfor *waitfor, const struct replay_blocked *blocked)
{
    struct finding_call *call =
        finding_call_add(finding, input->trace, blocked->rank, blocked->event);

    if (!call)
        return;
    call->core = blocked->standing == REPLAY_IN_CORE;
    if (blocked->count) {
        uint32_t op = waitfor->clause[blocked->first].op;
        uint64_t subject = input->program->rank[blocked->rank].op[op].event;
        if (op != blocked->op && subject != blocked->event)
            finding_call_subject(call, input->trace, subject);
        call->waits_for =
            blocked->order
                ? strdup("another thread of its rank, which came first in the recorded run")
                : waits_for_text(waitfor, blocked);
        add_awaits(call, waitfor, blocked);
    }
    if (blocked->round > 0 && asprintf(&call->note, "after %" PRIu64 " round%s that went well",
                                       blocked->round, blocked->round == 1 ? "" : "s") < 0)
        call->note = NULL;
}

static void add_all_blocked(const struct check_input *input, struct finding *finding,
                            const struct replay_waitfor *waitfor)
{
    for (int standing = REPLAY_IN_CORE; standing <= REPLAY_BEHIND; standing++) {
        for (uint32_t i = 0; i < waitfor->blocked_count; i++)
            if (waitfor->blocked[i].standing == (enum replay_standing)standing)
                add_blocked(input, finding, waitfor, &waitfor->blocked[i]);
    }
}

/* The recorded run ended in just these calls. Where that takes for granted that threads outside of
 * MPI wait for those inside, the launcher must have proven it. */
static bool happened(const struct check_input *input, const struct replay_result *result)
{
    const struct replay_waitfor *waitfor = &result->waitfor;
    struct ending ending = {0};

    if (result->by_threads && trace_ending_get(input->trace, &ending) != CORE_OK)
        return false;
    bool proven = ending.reason == ENDING_DEADLOCK;
    ending_done(&ending);
    if (result->by_threads && !proven)
        return false;
    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        if (blocked->standing == REPLAY_IN_CORE &&
            !(input->program->rank[blocked->rank].op[blocked->op].flags & REPLAY_FLAG_PENDING))
            return false;
    }
    return waitfor->core_count > 0;
}

/* A rank of the core did nothing but poll when its record ended. */
static bool polls_at_end(const struct check_input *input, const struct replay_waitfor *waitfor,
                         uint32_t index)
{
    const struct replay_blocked *blocked = &waitfor->blocked[index];
    const uint16_t both = REPLAY_FLAG_TEST | REPLAY_FLAG_PENDING;

    return blocked->standing == REPLAY_IN_CORE &&
           (input->program->rank[blocked->rank].op[blocked->op].flags & both) == both;
}

static bool waits_in_test(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        if (blocked->standing == REPLAY_IN_CORE &&
            (input->program->rank[blocked->rank].op[blocked->op].flags & REPLAY_FLAG_TEST))
            return true;
    }
    return false;
}

/* A wildcard that must take another message, on a rank whose later calls name the source that it
 * took in the recorded run: the program looks at whom it heard from, and would have gone on in
 * another way. */
static bool goes_on_by_source(const struct check_input *input, const char *witness)
{
    struct replay_policy policy;
    bool found = false;

    if (!witness || replay_policy_parse(witness, &policy) != CORE_OK)
        return false;
    for (uint32_t i = 0; i < policy.forced.count && !found; i++) {
        const struct replay_rank *rank = &input->program->rank[policy.forced.name[i].rank];
        int32_t matched = REPLAY_ANY;
        for (uint32_t j = 0; j < rank->op_count && !found; j++) {
            if (matched != REPLAY_ANY)
                found = rank->op[j].peer == matched && rank->op[j].kind <= REPLAY_IPROBE &&
                        !(rank->op[j].flags & REPLAY_FLAG_PROBED);
            else if (replay_op_id(input->program, policy.forced.name[i].rank, j) ==
                         policy.forced.name[i].id &&
                     rank->op[j].matched != policy.forced.name[i].source)
                matched = rank->op[j].matched;
        }
    }
    replay_policy_done(&policy);
    return found;
}

/* The ranks of one core; returns how many. */
static uint32_t core_ranks_text(const struct replay_waitfor *waitfor, uint32_t core, char *buffer,
                                size_t room)
{
    uint32_t *rank = malloc((waitfor->core_count + 1) * sizeof *rank), count = 0;

    buffer[0] = 0;
    if (!rank)
        return 0;
    for (uint32_t i = 0; i < waitfor->blocked_count && count < waitfor->core_count; i++)
        if (waitfor->blocked[i].core == core &&
            (count == 0 || rank[count - 1] != waitfor->blocked[i].rank))
            rank[count++] = waitfor->blocked[i].rank;
    ranks_text(rank, count, " and ", buffer, room);
    free(rank);
    return count;
}

/* Groups of ranks that hold each other independently of the first one. */
static void add_cores(struct finding *finding, const struct replay_waitfor *waitfor)
{
    char ranks[256];

    for (uint32_t core = 2; core <= waitfor->cores && core <= CORES_NAMED_MAX; core++) {
        bool alone = core_ranks_text(waitfor, core, ranks, sizeof ranks) == 1;
        finding_fact(finding, "%s %s as well, whatever the others do", ranks,
                     alone ? "waits for what never comes" : "hold each other");
    }
    if (waitfor->cores > CORES_NAMED_MAX)
        finding_fact(finding, "and so do %" PRIu32 " more groups of ranks",
                     waitfor->cores - CORES_NAMED_MAX);
}

/* Bytes that must be buffered, and where they are sent from: sends that read alike in one line. */
static void add_need(const struct check_input *input, struct finding *finding, bool hung)
{
    struct group {
        const struct replay_need_send *send;
        int32_t site;
        uint64_t count;
    } group[SENDS_NAMED_MAX];
    const struct replay_need *need;
    uint32_t groups = 0, named = 0;
    char bytes[64], place[256], times[48];

    if (check_need(input, &need) != CORE_OK)
        return;
    if (need->ever && !need->always)
        finding_fact(finding, "%s from an eager threshold of %s on (buffering=eager:%" PRIu64 ")",
                     hung ? "as far as it was recorded, it would have gone on" : "safe",
                     describe_bytes(need->safe_bytes, bytes, sizeof bytes), need->safe_bytes);
    else if (!need->ever)
        finding_fact(finding, "no amount of buffering makes it safe");
    for (uint32_t i = 0; i < need->blame_count; i++) {
        const struct replay_need_send *send = &need->blame[i];
        struct trace_event event;
        uint32_t at = 0;
        if (trace_event_get(input->trace, send->rank, send->event, &event) != CORE_OK)
            continue;
        while (at < groups &&
               (group[at].site != event.site || group[at].send->rank != send->rank ||
                group[at].send->to != send->to || group[at].send->bytes != send->bytes))
            at++;
        if (at == SENDS_NAMED_MAX)
            continue;
        if (at == groups)
            group[groups++] = (struct group){send, event.site, 0};
        group[at].count++;
        named++;
    }
    for (uint32_t i = 0; i < groups; i++) {
        snprintf(times, sizeof times, " (%" PRIu64 " times)", group[i].count);
        finding_fact(finding,
                     "it relies on the send of rank %" PRIu32 " to rank %" PRIu32
                     ", %s, at %s, being buffered%s",
                     group[i].send->rank, group[i].send->to,
                     describe_bytes(group[i].send->bytes, bytes, sizeof bytes),
                     trace_site_text(input->trace, group[i].site, place, sizeof place),
                     group[i].count > 1 ? times : "");
    }
    if (need->blame_count > named)
        finding_fact(finding, "and on %" PRIu32 " sends more", need->blame_count - named);
}

enum world { UNBUFFERED, ALWAYS, ORDER, STRICT };

static void word_title(struct finding *finding, enum world world, const char *ranks,
                       uint32_t core_count)
{
    const char *hold = core_count > 1 ? "wait for each other" : "waits for what never comes";

    switch (world) {
    case UNBUFFERED:
        finding_title(finding, "deadlock when sends do not buffer: %s %s", ranks, hold);
        break;
    case ALWAYS:
        finding_title(finding, "deadlock, whatever is buffered: %s %s", ranks, hold);
        break;
    case ORDER:
        finding_title(finding, "deadlock in some order of messages: %s %s", ranks, hold);
        break;
    case STRICT:
        finding_title(finding,
                      "deadlock if MPI_Comm_free waits for all ranks, as a library may let it: "
                      "%s %s",
                      ranks, hold);
        break;
    }
}

/* A finding that the trace alone cannot prove. Where something in it speaks against the deadlock,
 * it is just worth knowing; where nothing does, there is no verdict until the real job has been
 * tried. */
static void word_assumption(const struct check_input *input, struct finding *finding,
                            const struct replay_result *result, const char *witness)
{
    char *title = finding->title;

    finding->severity = FINDING_NOTE;
    finding->title = NULL;
    finding_title(finding, FINDING_POSSIBLE "%s", title ? title : "deadlock");
    free(title);
    if (result->by_threads) {
        finding_fact(finding, "the trace alone cannot prove it: threads of a rank are taken to "
                              "make their calls in the recorded order, which they "
                              "may do without");
    } else if (goes_on_by_source(input, witness) || waits_in_test(input, &result->waitfor)) {
        finding_fact(finding, "the trace alone cannot prove it: the program looks at whom it heard "
                              "from, and may go on in another "
                              "way than recorded");
    } else {
        finding->undecided = true;
        finding_fact(finding, "the trace alone cannot tell: a receive takes another message than "
                              "it did, and the calls behind it are taken "
                              "to be those recorded");
    }
}

static bool is_poll(uint64_t traits)
{
    return trait_in(traits, TRAIT_POLLS) && !trait_in(traits, TRAIT_WINDOW);
}

/* What a rank did last: polls in vain, how many and for how long. */
static void add_polls(const struct check_input *input, struct finding *finding, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    uint64_t count = 0, first = 0, last = 0;
    bool more;

    if (trace_cursor_open(input->trace, rank, &cursor) != CORE_OK)
        return;
    while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more) {
        bool vain = is_poll(event.traits);
        for (uint32_t i = 0; i < event.completion_count; i++)
            vain = vain && !event.completion[i].done;
        if (event.parent || event.class == EVENT_CLASS_OTHER)
            continue;
        if (!vain)
            count = 0;
        else if ((count += event.repeat) == event.repeat)
            first = event.t_enter;
        last = event.t_leave > last ? event.t_leave : last;
    }
    trace_cursor_close(cursor);
    finding_fact(finding,
                 "rank %" PRIu32
                 " has only polled, in vain, for the last %.1f seconds of the record, %" PRIu64
                 " times; whether it would "
                 "have stopped by itself is not known",
                 rank, (double)(last - first) / 1e9, count);
}

/* Nobody can send what a rank polls for, if it does nothing but poll: which a program that was
 * ended cannot tell any more. */
static void word_polling(const struct check_input *input, struct finding *finding,
                         const struct replay_waitfor *waitfor)
{
    uint32_t rank[RANKS_NAMED_MAX + 1], count = 0;
    char ranks[256];

    for (uint32_t i = 0; i < waitfor->blocked_count && count <= RANKS_NAMED_MAX; i++)
        if (polls_at_end(input, waitfor, i))
            rank[count++] = waitfor->blocked[i].rank;
    ranks_text(rank, count, " and ", ranks, sizeof ranks);
    finding->severity = FINDING_NOTE;
    finding->undecided = true;
    finding_title(finding, "hang suspected: %s %s for what nobody sends any more", ranks,
                  count == 1 ? "polls" : "poll");
    for (uint32_t i = 0; i < count && i < SENDS_NAMED_MAX; i++)
        add_polls(input, finding, rank[i]);
}

/* Whether it takes collectives that wait for all their members, as MPI lets them. */
static bool goes_on_relaxed(const struct check_input *input, const char *witness)
{
    struct replay_policy policy;
    struct replay_result result;
    bool goes_on = false;

    if (replay_policy_parse(witness, &policy) != CORE_OK)
        return false;
    policy.coll = REPLAY_RELAXED;
    if (replay_run_once(input->program, &policy, &result) == CORE_OK) {
        goes_on = result.outcome == REPLAY_FINISHED;
        replay_result_done(&result);
    }
    replay_policy_done(&policy);
    return goes_on;
}

/* "crosswait replay 'T.db' OPTIONS". */
static void repeat_replay(struct finding *finding, const struct check_input *input,
                          const char *format, ...) __attribute__((format(printf, 3, 4)));
static void repeat_replay(struct finding *finding, const struct check_input *input,
                          const char *format, ...)
{
    char *options = NULL, *path = core_text_shell_quoted(input->trace->path);
    va_list args;

    va_start(args, format);
    if (vasprintf(&options, format, args) < 0)
        options = NULL;
    va_end(args);
    if (options && path)
        finding_repeat(finding, "crosswait replay %s %s", path, options);
    free(options);
    free(path);
}

/* How the recorded run ended, whatever it did before. */
static bool completed(const struct check_input *input)
{
    for (uint32_t i = 0; i < input->trace->rank_count; i++)
        if (input->trace->rank[i].state != EVENT_RANK_FINISHED)
            return false;
    return true;
}

static enum core_status add_finding(const struct check_input *input, struct finding_list *list,
                                    enum world world, const struct replay_result *result,
                                    const char *witness)
{
    struct finding *finding = finding_list_add(list, RULE_DEADLOCK, FINDING_ERROR);
    char ranks[256];

    if (!finding)
        return CORE_NO_MEMORY;
    if (world == STRICT)
        finding->severity = FINDING_NOTE;
    uint32_t core_count = core_ranks_text(&result->waitfor, 1, ranks, sizeof ranks);
    word_title(finding, world, ranks, core_count);
    add_all_blocked(input, finding, &result->waitfor);
    add_cores(finding, &result->waitfor);
    bool hung = happened(input, result);
    if (hung)
        finding_fact(finding, "it happened: the recorded run ended in these calls");
    else if (world == UNBUFFERED)
        finding_fact(
            finding, "the recorded run %s only because the library buffered what was sent%s",
            completed(input) ? "completed" : "got past these calls",
            goes_on_relaxed(input, witness) ? ", or let ranks leave collectives before all had come"
                                            : "");
    else if (world == ORDER)
        finding_fact(finding, "the recorded run took another order and %s",
                     completed(input) ? "completed" : "got past these calls");
    if (world == UNBUFFERED && !result->by_threads)
        add_need(input, finding, hung);
    bool polling = false;
    for (uint32_t i = 0; i < result->waitfor.blocked_count; i++)
        polling |= polls_at_end(input, &result->waitfor, i);
    finding->assumed = !hung && !polling && result->assumed;
    if (polling)
        word_polling(input, finding, &result->waitfor);
    else if (finding->assumed)
        word_assumption(input, finding, result, witness);
    if (input->notes->unsupported)
        finding_fact(
            finding,
            "%" PRIu64
            " calls are not modelled and taken to wait for nobody, first %s on rank %" PRIu32,
            input->notes->unsupported, input->trace->call[input->notes->unsupported_call].name,
            input->notes->unsupported_rank);
    finding_schedule(finding, "%s", witness);
    repeat_replay(finding, input, "--policy='%s'", witness);
    return CORE_OK;
}

/* Of the ranks whose record ends early, those that did so of themselves; all of them, if they were
 * all ended by others. */
static uint32_t list_unknown(const struct check_input *input, uint32_t *rank, uint32_t room,
                             uint32_t *out_count)
{
    uint32_t culprits = 0, all = 0;

    for (int pass = 0; pass < 2 && culprits == 0; pass++)
        for (uint32_t i = 0; i < input->program->rank_count; i++) {
            bool ended_by_others = input->trace->rank[i].state == EVENT_RANK_ENDED;
            if (input->program->rank[i].end != REPLAY_END_UNKNOWN || (pass == 0 && ended_by_others))
                continue;
            if (culprits < room)
                rank[culprits] = i;
            culprits++;
        }
    for (uint32_t i = 0; i < input->program->rank_count; i++)
        all += input->program->rank[i].end == REPLAY_END_UNKNOWN;
    *out_count = all;
    return culprits;
}

/* Where the record ends early the world may stall without anybody being to blame. */
static enum core_status add_stalled(const struct check_input *input, struct finding_list *list,
                                    const struct replay_result *result)
{
    struct finding *finding = finding_list_add(list, RULE_DEADLOCK, FINDING_NOTE);
    uint32_t unknown[RANKS_NAMED_MAX] = {0}, all;
    char ranks[256];

    if (!finding)
        return CORE_NO_MEMORY;
    uint32_t count = list_unknown(input, unknown, RANKS_NAMED_MAX, &all);
    ranks_text(unknown, count < RANKS_NAMED_MAX ? count : RANKS_NAMED_MAX, " and ", ranks,
               sizeof ranks);
    finding_title(finding,
                  "nothing can be said beyond the end of the record: %s%s did not come to %s end",
                  ranks, count > RANKS_NAMED_MAX ? " and more" : "", count == 1 ? "its" : "their");
    finding_fact(finding,
                 "%" PRIu32 " rank%s could still have waited for what they would have done",
                 result->waitfor.blocked_count, result->waitfor.blocked_count == 1 ? "" : "s");
    return CORE_OK;
}

/* Ranks whose record has gaps were not run at all. */
static void add_left_out(const struct check_input *input, struct finding_list *list)
{
    struct finding *finding =
        input->notes->ranks_left_out ? finding_list_add(list, RULE_DEADLOCK, FINDING_NOTE) : NULL;

    if (finding)
        finding_title(finding,
                      "nothing can be said of %" PRIu32
                      " rank%s: calls are missing from the record, lost or left out on purpose",
                      input->notes->ranks_left_out, input->notes->ranks_left_out == 1 ? "" : "s");
}

static enum core_status run_world(const struct check_input *input, const char *text,
                                  struct replay_result *out_result)
{
    struct replay_policy policy;
    enum core_status status = replay_policy_parse(text, &policy);

    if (status != CORE_OK)
        return status;
    status = replay_run_once(input->program, &policy, out_result);
    replay_policy_done(&policy);
    return status;
}

/* All orders of matches, under one buffering. That there are too many is one note for all of them.
 */
static enum core_status explore_world(const struct check_input *input, const char *text,
                                      struct finding_list *list, bool *out_found, uint32_t *note)
{
    struct replay_explore_options options = {.runs_max = input->budget_schedules};
    struct replay_exploration exploration;
    enum core_status status = replay_policy_parse(text, &options.policy);

    *out_found = false;
    if (status != CORE_OK)
        return status;
    options.policy.seed = input->seed;
    status = replay_explore(input->program, &options, &exploration);
    replay_policy_done(&options.policy);
    if (status != CORE_OK)
        return status;
    if (exploration.verdict == REPLAY_VERDICT_DEADLOCK && exploration.witness) {
        status = add_finding(input, list, ORDER, &exploration.result, exploration.witness);
        *out_found = true;
    } else if (exploration.verdict == REPLAY_VERDICT_NOT_FOUND && exploration.sampled) {
        struct finding *finding =
            *note ? &list->finding[*note - 1] : finding_list_add(list, RULE_DEADLOCK, FINDING_NOTE);
        if (finding && *note) {
            finding_fact(finding,
                         "nor in %" PRIu64 " schedules and %" PRIu64 " sampled orders with %s",
                         exploration.runs, exploration.sampled, text);
        } else if (finding) {
            finding_title(finding,
                          "no deadlock in %" PRIu64 " schedules and %" PRIu64
                          " sampled orders of messages (%s); there are more than the"
                          " budget allows to try",
                          exploration.runs, exploration.sampled, text);
            repeat_replay(finding, input, "--explore --policy='%s' --seed=%" PRIu64, text,
                          input->seed);
            *note = list->count;
        }
    }
    replay_exploration_done(&exploration);
    return status;
}

/* Both worlds again, with the threads in their recorded order. */
static enum core_status order_threads(const struct check_input *input, struct finding_list *list,
                                      bool *out_found)
{
    static const char *const text[] = {"buffering=eager threads=recorded",
                                       "buffering=rendezvous threads=recorded"};
    enum core_status status = CORE_OK;

    *out_found = false;
    for (int i = 0; input->notes->threads && !*out_found && i < 2 && status == CORE_OK; i++) {
        struct replay_result result;
        status = run_world(input, text[i], &result);
        if (status != CORE_OK)
            break;
        *out_found = result.outcome == REPLAY_DEADLOCK;
        if (*out_found)
            status = add_finding(input, list, i == 0 ? ALWAYS : UNBUFFERED, &result, text[i]);
        replay_result_done(&result);
    }
    return status;
}

/* With collectives that wait for all although the standard expects them to be local: no library is
 * known to, so it is worth a note. */
static enum core_status run_strict(const struct check_input *input, struct finding_list *list)
{
    static const char strict[] = "buffering=eager coll=strict";
    struct replay_result result;
    enum core_status status = run_world(input, strict, &result);

    if (status != CORE_OK)
        return status;
    if (result.outcome == REPLAY_DEADLOCK)
        status = add_finding(input, list, STRICT, &result, strict);
    replay_result_done(&result);
    return status;
}

enum core_status check_deadlock(const struct check_input *input, struct finding_list *list)
{
    static const char unbuffered[] = "buffering=rendezvous", buffered[] = "buffering=eager";
    struct replay_result rendezvous = {0}, eager = {0};
    bool found = false, ordered;
    uint32_t note = 0;

    add_left_out(input, list);
    enum core_status status = run_world(input, unbuffered, &rendezvous);

    if (status == CORE_OK)
        status = run_world(input, buffered, &eager);
    if (status != CORE_OK)
        goto done;
    if (eager.outcome == REPLAY_DEADLOCK)
        status = add_finding(input, list, ALWAYS, &eager, buffered);
    else if (rendezvous.outcome == REPLAY_DEADLOCK)
        status = add_finding(input, list, UNBUFFERED, &rendezvous, unbuffered);
    else if ((status = order_threads(input, list, &ordered)) != CORE_OK || ordered)
        ;
    else if (rendezvous.outcome == REPLAY_STALLED || eager.outcome == REPLAY_STALLED)
        status =
            add_stalled(input, list, rendezvous.outcome == REPLAY_STALLED ? &rendezvous : &eager);
    if (status == CORE_OK && input->notes->local && eager.outcome == REPLAY_FINISHED)
        status = run_strict(input, list);
    if (status == CORE_OK && input->notes->wildcards && eager.outcome == REPLAY_FINISHED)
        status = explore_world(input, buffered, list, &found, &note);
    if (status == CORE_OK && input->notes->wildcards && rendezvous.outcome == REPLAY_FINISHED &&
        !found)
        status = explore_world(input, unbuffered, list, &found, &note);
done:
    replay_result_done(&rendezvous);
    replay_result_done(&eager);
    return status;
}
