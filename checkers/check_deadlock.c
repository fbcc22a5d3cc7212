/* Finds deadlocks: runs the program lowered from the trace under the most hostile conditions that
 * the standard allows, and says which rank blocks which.
 *
 * Two worlds are run. `Unbuffered`: no standard send completes before its receive is posted,
 * collectives synchronise. `Buffered`: every send completes at once. A deadlock in the second does
 * not depend on buffering at all; a deadlock in the first alone is one that a library's eager sends
 * hide. If there are wildcard receives, all orders are explored in both worlds.
 *
 * Claims (README.md of this room, 1): a deadlock in the recorded order of matches is an error. A
 * deadlock that needs a wildcard to take another message than it did rests on an assumption: the
 * program may look at the message and continue differently. It is a note until the real job has
 * been tried.
 *
 * Threads of a rank do not wait for each other in these worlds: so a deadlock there holds for every
 * order of the threads outside of MPI. A deadlock that needs the recorded order of the threads is a
 * note as well. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/remedy_tried.h"
#include "checkers/check_rules.h"
#include "checkers/hint_lock_holder.h"
#include "checkers/hint_near_miss.h"
#include "checkers/hint_stolen_message.h"
#include "checkers/remedy_core.h"
#include "checkers/waiting.h"
#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/text.h"
#include "core/trace/describe.h"
#include "core/trace/ending.h"
#include "replay/search/explore.h"
#include "replay/symbolic/symbolic.h"
#include "replay/search/need.h"
#include "replay/logical/run.h"

enum { POLLS_NAMED_MAX = 4 };
/* Polls this long are reported; the launcher reports them after ten seconds. */
static const uint64_t POLLS_LONG_NS = 9000000000u;

/* Returns the operation in which a rank is blocked. */
static const struct replay_op *stands_in(const struct check_input *input,
                                         const struct replay_blocked *blocked)
{
    CORE_CHECK(blocked->rank < input->program->rank_count);
    CORE_CHECK(blocked->op < input->program->rank[blocked->rank].op_count);
    return &input->program->rank[blocked->rank].op[blocked->op];
}

static void add_blocked(const struct check_input *input, struct finding *finding,
                        const struct replay_waitfor *waitfor, const struct replay_blocked *blocked,
                        bool core)
{
    struct finding_call *call =
        finding_call_add(finding, input->trace, blocked->rank, blocked->event);

    if (!call)
        return;
    call->core = core;
    if (blocked->count) {
        CORE_CHECK(blocked->first < waitfor->clause_count);
        uint32_t op = waitfor->clause[blocked->first].op;
        CORE_CHECK(op < input->program->rank[blocked->rank].op_count);
        uint64_t subject = input->program->rank[blocked->rank].op[op].event;
        struct ending waiting;
        if (op != blocked->op && subject != blocked->event)
            finding_call_subject(call, input->trace, subject);
        if (waiting_record(input->program, waitfor, blocked, &waiting) == CORE_OK)
            waiting_describe(&waiting, &waiting.call[0], call);
        ending_done(&waiting);
    }
    if (blocked->round > 0 && asprintf(&call->note, "after %" PRIu64 " completed round%s",
                                       blocked->round, blocked->round == 1 ? "" : "s") < 0)
        call->note = NULL;
}

/* Names the ranks that are blocked in the same way as those in the title. */
static void add_alike(struct finding *finding, const struct replay_waitfor *waitfor,
                      const bool *alike)
{
    uint32_t *rank, count = 0;

    if (CORE_ARRAY_NEW(rank, waitfor->blocked_count, "the ranks of a deadlock") != CORE_OK)
        return;
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        if (alike[i])
            rank[count++] = waitfor->blocked[i].rank;
    char *ranks = count ? wording_ranks_text(rank, count, " and ") : NULL;
    if (ranks)
        finding_fact(finding, "%s %s blocked the same way", ranks, count == 1 ? "is" : "are");
    free(ranks);
    free(rank);
}

/* *out_shared: other ranks are in the collective of a rank of the core, or wait for the same
 * finished rank. */
static enum core_status add_all_blocked(const struct check_input *input, struct finding *finding,
                                        const struct replay_waitfor *waitfor, bool *out_shared)
{
    bool *alike;
    enum core_status status = waiting_alike(input->program, waitfor, &alike);

    if (status != CORE_OK)
        return status;
    for (int standing = REPLAY_IN_CORE; standing <= REPLAY_BEHIND; standing++) {
        for (uint32_t i = 0; i < waitfor->blocked_count; i++)
            if (waitfor->blocked[i].standing == (enum replay_standing)standing)
                add_blocked(input, finding, waitfor, &waitfor->blocked[i],
                            standing == REPLAY_IN_CORE || alike[i]);
    }
    *out_shared = false;
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        *out_shared |= alike[i] && (waitfor->blocked[i].kind == REPLAY_COLL ||
                                    waitfor->core_count == waitfor->cores);
    if (!*out_shared)
        add_alike(finding, waitfor, alike);
    free(alike);
    return CORE_OK;
}

/* Tells whether the recorded run ended in these calls. If the result assumes that threads outside
 * of MPI wait for those inside, the launcher must have proven it. */
static bool check_deadlock_happened(const struct check_input *input,
                                    const struct replay_result *result)
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
            !(stands_in(input, blocked)->flags & REPLAY_FLAG_PENDING))
            return false;
    }
    return waitfor->core_count > 0;
}

/* Tells whether a rank of the core only polled when its record ended. */
static bool polls_at_end(const struct check_input *input, const struct replay_waitfor *waitfor,
                         uint32_t index)
{
    CORE_CHECK(index < waitfor->blocked_count);
    const struct replay_blocked *blocked = &waitfor->blocked[index];
    const uint16_t both = REPLAY_FLAG_TEST | REPLAY_FLAG_PENDING;

    return blocked->standing == REPLAY_IN_CORE && (stands_in(input, blocked)->flags & both) == both;
}

static bool waits_in_test(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        if (blocked->standing == REPLAY_IN_CORE &&
            (stands_in(input, blocked)->flags & REPLAY_FLAG_TEST))
            return true;
    }
    return false;
}

/* Tells whether the deadlock needs a wildcard to take another message on a rank that looks at the
 * source. */
static bool goes_on_by_source(const struct check_input *input, const struct replay_policy *witness)
{
    for (uint32_t i = 0; i < witness->forced.count; i++)
        if (replay_names_source(input->program, witness->forced.name[i].rank,
                                witness->forced.name[i].id))
            return true;
    return false;
}

/* Adds further groups of ranks that block each other independently of the first group. */
static void add_cores(struct finding *finding, const struct replay_waitfor *waitfor)
{
    for (uint32_t core = 2; core <= waitfor->cores; core++) {
        uint32_t count;
        char *ranks = waiting_core_text(waitfor, core, &count);
        if (ranks)
            finding_fact(finding, "%s %s as well, whatever the others do", ranks,
                         count == 1 ? "waits for ever" : "wait for each other");
        free(ranks);
    }
}

struct need_group {       /* sends of one place */
    uint64_t least, most; /* bytes of the shortest and the longest */
    int32_t site;
    uint32_t *rank, count, room; /* by send: its rank */
};

static void need_groups_free(struct need_group *group, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(group[i].rank);
    free(group);
}

/* Groups the blamed sends; free with need_groups_free. Returns the number of groups. */
static uint32_t need_groups(const struct check_input *input, const struct replay_need *need,
                            struct need_group **out_group)
{
    static const char what[] = "the sends of a finding";
    struct need_group *group = NULL;
    uint32_t count = 0, room = 0;

    for (uint32_t i = 0; i < need->blame_count; i++) {
        const struct replay_need_send *send = &need->blame[i];
        struct trace_event event;
        uint32_t at = 0;
        if (trace_event_get(input->trace, send->rank, send->event, &event) != CORE_OK)
            continue;
        while (at < count && group[at].site != event.site)
            at++;
        if (at == count && CORE_ARRAY_PUSH(group, count, room, what,
                                           (struct need_group){.least = send->bytes,
                                                               .site = event.site}) != CORE_OK)
            break;
        CORE_CHECK(at < count);
        group[at].least = send->bytes < group[at].least ? send->bytes : group[at].least;
        group[at].most = send->bytes > group[at].most ? send->bytes : group[at].most;
        if (CORE_ARRAY_PUSH(group[at].rank, group[at].count, group[at].room, what, send->rank) !=
            CORE_OK)
            break;
    }
    CORE_CHECK(count <= need->blame_count);
    *out_group = group;
    return count;
}

/* "2 sends of 4,000 bytes at x.c:19 by ranks 0-1", "5 sends of 40 to 56 bytes at x.c:13 by rank
 * 0" */
static void add_need_group(const struct check_input *input, struct finding *finding,
                           const struct need_group *group)
{
    char bytes[64], least[32] = "", number[32], place[256];
    char *ranks = wording_ranks_short(group->rank, group->count);

    if (group->least < group->most)
        describe_number(group->least, least, sizeof least);
    if (ranks)
        finding_fact(
            finding, "the program %s on the library to buffer %s send%s of %s%s%s at %s by %s",
            finding->assumed ? "may rely" : "relies",
            describe_number(group->count, number, sizeof number), group->count == 1 ? "" : "s",
            least, *least ? " to " : "", describe_bytes(group->most, bytes, sizeof bytes),
            trace_site_text(input->trace, group->site, place, sizeof place), ranks);
    free(ranks);
}

/* Tells whether the recorded run finished. */
static bool check_deadlock_completed(const struct check_input *input)
{
    for (uint32_t i = 0; i < input->trace->rank_count; i++)
        if (input->trace->rank[i].state != EVENT_RANK_FINISHED)
            return false;
    return true;
}

/* Adds how many bytes must be buffered, and where they are sent. */
static void add_need(const struct check_input *input, struct finding *finding, bool hung)
{
    const struct replay_need *need;
    struct need_group *group;
    char bytes[64];

    if (check_need(input, &need) != CORE_OK)
        return;
    if (need->ever && !need->always)
        finding_fact(finding, "%s sends of up to %s (buffering=eager:%" PRIu64 ")",
                     hung ? "the recorded part would have continued if the library buffered"
                          : "safe if the library buffers",
                     describe_bytes(need->safe_bytes, bytes, sizeof bytes), need->safe_bytes);
    else if (!need->ever &&
             !check_deadlock_completed(input)) /* otherwise it deadlocks with any buffering */
        finding_fact(finding, "it is not known whether more buffering makes it safe: the record "
                              "ends before the program does");
    uint32_t groups = need_groups(input, need, &group);
    for (uint32_t i = 0; i < groups; i++)
        add_need_group(input, finding, &group[i]);
    need_groups_free(group, groups);
}

enum world { UNBUFFERED, ALWAYS, ORDER, STRICT };

/* Tells whether a rank that the call waits for is blocked itself. */
static bool awaits_any_of(const struct finding *finding, const struct finding_call *call)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        for (uint32_t k = 0; k < call->await_count; k++)
            if (call->await[k].first <= finding->call[i].rank &&
                finding->call[i].rank <= call->await[k].last)
                return true;
    return false;
}

/* Names the ranks of the core that wait for the same as the first one. */
static char *alike_text(const struct finding *finding)
{
    const struct finding_call *call = finding->call;
    uint32_t *rank, count = 0;

    if (CORE_ARRAY_NEW(rank, finding->call_count, "the ranks of a deadlock") != CORE_OK)
        return NULL;
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (call[i].core && call[i].waits_for && !strcmp(call[i].waits_for, call[0].waits_for))
            rank[count++] = call[i].rank;
    char *text = wording_ranks_text(rank, count, " and ");
    free(rank);
    return text;
}

/* Returns "rank 5 calls MPI_Sendrecv where 15 others call MPI_Allreduce", for the ranks of the
 * core. */
static char *calling_text(const struct check_input *input, const struct finding *finding)
{
    const char **name = malloc(((size_t)finding->call_count + 1) * sizeof *name);
    uint32_t *rank = malloc(((size_t)finding->call_count + 1) * sizeof *rank), count = 0;

    for (uint32_t i = 0; name && rank && i < finding->call_count; i++) {
        const struct finding_call *call = &finding->call[i];
        struct trace_event event;
        if (!call->core || trace_event_get(input->trace, call->rank, call->seq, &event) != CORE_OK)
            continue;
        name[count] = input->trace->call[event.call].name;
        rank[count++] = call->rank;
    }
    char *text = name && rank && count ? wording_calling(name, rank, count) : NULL;
    free(name);
    free(rank);
    return text;
}

/* Words the title. Names what a single rank waits for if the awaited ranks have ended. shared:
 * other ranks are blocked in the same way. */
static void word_title(const struct check_input *input, struct finding *finding, enum world world,
                       bool hung, const char *ranks, uint32_t core_count, bool shared)
{
    const char *const when[] = {
        [UNBUFFERED] = hung ? ", as sends are not buffered" : " when sends are not buffered",
        [ALWAYS] = "",
        [ORDER] = " in some order of messages",
        [STRICT] = " if MPI_Comm_free waits for all ranks, as MPI allows it to"};
    const struct finding_call *first = finding->call_count ? &finding->call[0] : NULL;

    bool ended = core_count == 1 && first && first->core && first->waits_for &&
                 first->await_count && !awaits_any_of(finding, first);
    char *text = !shared ? NULL : ended ? alike_text(finding) : calling_text(input, finding);

    if (core_count > 1 && text)
        finding_title(finding, "ranks wait for each other%s: %s%s", when[world], text,
                      finding->remedy == REMEDY_SAME_ORDER
                          ? ", not all on the same communicator, window or file"
                          : "");
    else if (core_count > 1)
        finding_title(finding, "%s wait for each other%s", ranks, when[world]);
    else if (ended)
        finding_title(finding, "%s %s for %s%s%s", text ? text : ranks, text ? "wait" : "waits",
                      first->waits_for, *when[world] == ' ' ? "," : "", when[world]);
    else
        finding_title(finding, "%s waits for ever%s", ranks, when[world]);
    free(text);
}

/* Words a finding that the trace alone cannot prove. If something in the trace speaks against the
 * deadlock, it is a plain note; otherwise there is no verdict until the real job has been tried. */
static void word_assumption(const struct check_input *input, struct finding *finding,
                            const struct replay_result *result, const struct replay_policy *witness)
{
    finding->severity = FINDING_NOTE;
    finding_title_possible(finding);
    if (result->by_threads) {
        finding_fact(finding, "unproven: the threads of a rank are assumed to make their calls in "
                              "the recorded order, which nothing may enforce");
    } else if (waits_in_test(input, &result->waitfor)) {
        finding_fact(finding, "unproven: the program tests for this, and may do other things than "
                              "recorded while the test finds nothing");
    } else if (goes_on_by_source(input, witness)) {
        finding_fact(finding, "unproven: the program looks at the source of the message, and may "
                              "make other calls than recorded");
    } else {
        finding->undecided = true;
        finding_fact(finding, "unproven: a receive takes another message than in the recorded run, "
                              "and the program is assumed to make the same calls after it");
    }
}

static bool is_poll(uint64_t traits)
{
    return trait_in(traits, TRAIT_POLLS) && !trait_in(traits, TRAIT_WINDOW);
}

/* Adds how many of the rank's last polls found nothing. Returns for how long it polled, in ns. */
static uint64_t add_polls(const struct check_input *input, struct finding *finding, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    uint64_t count = 0, first = 0, last = 0;
    char number[32];
    bool more, known = false; /* when the first of the polls began; a later one serves as well */

    if (trace_cursor_open(input->trace, rank, &cursor) != CORE_OK)
        return 0;
    while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more) {
        bool vain = is_poll(event.traits);
        for (uint32_t i = 0; i < event.completion_count; i++)
            vain = vain && !event.completion[i].done;
        if (event.parent || event.class == EVENT_CLASS_OTHER)
            continue;
        count = vain ? count + event.repeat : 0;
        known = known && vain;
        if (event.summed)
            continue;
        if (vain && !known)
            first = event.t_enter;
        known = vain;
        last = event.t_leave > last ? event.t_leave : last;
    }
    trace_cursor_close(cursor);
    first = known ? first : last;
    CORE_CHECK(first <= last || !count); /* the first poll does not come after the last one */
    finding_fact(finding,
                 "rank %" PRIu32
                 " has only polled for the last %.1f seconds of the record, and found nothing in "
                 "%s call%s; it is not known whether it would have stopped by itself",
                 rank, (double)(last - first) / 1e9, describe_number(count, number, sizeof number),
                 count == 1 ? "" : "s");
    return last - first;
}

/* Tells whether the launcher ended the job because no call had completed for the allowed time
 * (--stall). */
static bool check_deadlock_stalled(struct trace *trace)
{
    struct ending ending = {0};
    bool stood = trace_ending_get(trace, &ending) == CORE_OK && ending.reason == ENDING_STALL;

    ending_done(&ending);
    return stood;
}

/* Words a poll for what no rank can send, unless the rank does more than poll, which the record of
 * a killed program cannot show. It is a warning if the job exceeded --stall, or if the rank polled
 * for long; otherwise a note. */
static void word_polling(const struct check_input *input, struct finding *finding,
                         const struct replay_waitfor *waitfor)
{
    uint32_t *rank, count = 0;

    if (CORE_ARRAY_NEW(rank, waitfor->blocked_count, "the ranks that poll") != CORE_OK)
        return;
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        if (polls_at_end(input, waitfor, i))
            rank[count++] = waitfor->blocked[i].rank;
    CORE_CHECK(count > 0); /* the caller saw a rank that polls */
    char *ranks = wording_ranks_text(rank, count, " and ");
    bool over = check_deadlock_stalled(input->trace);
    finding_title(finding, "hang suspected: %s %s for messages that no rank sends any more",
                  ranks ? ranks : "ranks", count == 1 ? "polls" : "poll");
    for (uint32_t i = 0; i < count && i < POLLS_NAMED_MAX; i++)
        over |= add_polls(input, finding, rank[i]) >= POLLS_LONG_NS;
    if (count > POLLS_NAMED_MAX)
        finding_fact(finding, "the polls of %" PRIu32 " more ranks are left out",
                     count - POLLS_NAMED_MAX);
    finding->severity = over ? FINDING_WARNING : FINDING_NOTE;
    finding->undecided = !over;
    free(ranks);
    free(rank);
}

/* Tells whether the deadlock needs collectives that wait for all members, which MPI allows but does
 * not require. */
static bool goes_on_relaxed(const struct check_input *input, const struct replay_policy *witness)
{
    struct replay_policy policy;
    struct replay_result result;
    bool goes_on = false;

    if (replay_policy_copy(witness, &policy) != CORE_OK)
        return false;
    policy.coll = REPLAY_RELAXED;
    if (replay_run_once(input->program, &policy, &result) == CORE_OK) {
        goes_on = result.outcome == REPLAY_FINISHED;
        replay_result_done(&result);
    }
    replay_policy_done(&policy);
    return goes_on;
}

/* Sets the command "crosswait replay 'T.db' OPTIONS". */
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

/* Says how far the recorded run got on its other way. A rank that ended in one of the calls did not
 * get past it. */
static const char *went_on(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    if (check_deadlock_completed(input))
        return "completed";
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        if (waitfor->blocked[i].standing == REPLAY_IN_CORE &&
            (stands_in(input, &waitfor->blocked[i])->flags & REPLAY_FLAG_PENDING))
            return "got past some of these calls";
    return "got past these calls";
}

/* Adds who holds a lock that others wait for, and so has to release it. */
static enum core_status add_lock_holders(struct trace *trace, struct finding *finding)
{
    struct ending ending = {0};
    enum core_status status = trace_ending_get(trace, &ending);

    if (status == CORE_OK && ending.reason == ENDING_DEADLOCK)
        status = hint_lock_holder_add(trace, finding, &ending);
    ending_done(&ending);
    return status;
}

static enum core_status add_finding(const struct check_input *input, struct finding_list *list,
                                    enum world world, const struct replay_result *result,
                                    const struct replay_policy *schedule)
{
    struct finding *finding = finding_list_add(list, RULE_DEADLOCK, FINDING_ERROR);
    uint32_t core_count;
    char number[32];

    if (!finding)
        return CORE_NO_MEMORY;
    if (world == STRICT)
        finding->severity = FINDING_NOTE;
    char *ranks = waiting_core_text(&result->waitfor, 1, &core_count);
    if (!ranks)
        return CORE_NO_MEMORY;
    bool shared = false;
    finding->remedy = remedy_core(input, &result->waitfor);
    enum core_status status = add_all_blocked(input, finding, &result->waitfor, &shared);
    const bool hung = check_deadlock_happened(input, result);
    word_title(input, finding, world, hung, ranks, core_count, shared);
    free(ranks);
    if (status != CORE_OK)
        return CORE_NO_MEMORY;
    add_cores(finding, &result->waitfor);
    if (hung)
        status = add_lock_holders(input->trace, finding);
    bool stolen = false;
    if (status == CORE_OK)
        status = hung || world == ORDER ? hint_stolen_message_add(input, finding, hung, &stolen)
                                        : CORE_OK;
    struct hint_tag_miss tag = {0};
    if (status == CORE_OK && world != ORDER)
        status = hint_near_miss_add(input, finding, result, &tag);
    if (stolen && !tag.is && finding->remedy == REMEDY_AGREE) /* another's message is left over */
        finding->remedy = REMEDY_OWN_TAG;
    if (status != CORE_OK)
        return status;
    bool polling = false;
    for (uint32_t i = 0; i < result->waitfor.blocked_count; i++)
        polling |= polls_at_end(input, &result->waitfor, i);
    finding->assumed = !hung && !polling && result->assumed;
    if (hung)
        finding_fact(finding, "it happened: the recorded run ended in these calls");
    else if (world == UNBUFFERED)
        finding_fact(finding,
                     "the recorded run %s%s only because the library buffered what was sent%s",
                     went_on(input, &result->waitfor), finding->assumed ? ", perhaps" : "",
                     goes_on_relaxed(input, schedule)
                         ? ", or let ranks leave collectives before all had entered"
                         : "");
    else if (world == ORDER)
        finding_fact(finding, "the recorded run took another order and %s",
                     went_on(input, &result->waitfor));
    if (world == UNBUFFERED && !result->by_threads)
        add_need(input, finding, hung);
    if (polling)
        word_polling(input, finding, &result->waitfor);
    else if (finding->assumed)
        word_assumption(input, finding, result, schedule);
    if (input->notes->unsupported)
        finding_fact(
            finding,
            "%s call%s not modelled, and assumed to wait for nobody: the first is %s on rank "
            "%" PRIu32,
            describe_number(input->notes->unsupported, number, sizeof number),
            input->notes->unsupported == 1 ? " is" : "s are",
            input->trace->call[input->notes->unsupported_call].name,
            input->notes->unsupported_rank);
    finding_schedule(finding, schedule);
    repeat_replay(finding, input, "--policy='%s'", finding->schedule ? finding->schedule : "");
    if (tag.is && world == ALWAYS && !polling)
        return remedy_try_tag(input, finding, result, &tag);
    if (world == UNBUFFERED && !hung && !polling)
        return remedy_try_post(input, finding, &result->waitfor);
    if (world == ORDER && !hung) {
        status = remedy_try_tag_apart(input, finding, &result->waitfor);
        return status == CORE_OK && !finding->tried ? remedy_try_name(input, finding) : status;
    }
    return CORE_OK;
}

/* Selects, of the ranks whose record ends early, those that ended by themselves, or all if none
 * did. rank: room for all ranks; returns how many. */
static uint32_t list_unknown(const struct check_input *input, uint32_t *rank)
{
    uint32_t culprits = 0;

    for (int pass = 0; pass < 2 && culprits == 0; pass++)
        for (uint32_t i = 0; i < input->program->rank_count; i++) {
            bool ended_by_others = input->trace->rank[i].state == EVENT_RANK_ENDED;
            if (input->program->rank[i].end == REPLAY_END_UNKNOWN && (pass || !ended_by_others))
                rank[culprits++] = i;
        }
    return culprits;
}

/* Tells whether the records of these ranks go to their ends, but hold a call behind which they
 * cannot be run. */
static bool are_whole(const struct check_input *input, const uint32_t *rank, uint32_t count)
{
    bool whole = count > 0;

    for (uint32_t i = 0; i < count && whole; i++) {
        const struct trace_rank *known = &input->trace->rank[rank[i]];
        whole = known->state == EVENT_RANK_FINISHED && !known->cut && !known->lost;
    }
    return whole;
}

static bool is_proven(struct trace *trace)
{
    struct ending ending = {0};
    bool proven = trace_ending_get(trace, &ending) == CORE_OK && ending.reason == ENDING_DEADLOCK;

    ending_done(&ending);
    return proven;
}

/* Reports a world that stalls where the record ends early: no rank is to blame. Reports nothing if
 * another finding says what ended the job. */
static enum core_status add_stalled(const struct check_input *input, struct finding_list *list,
                                    const struct replay_result *result)
{
    uint32_t *unknown;

    for (uint32_t i = 0; i < list->count; i++)
        if (list->finding[i].ended_job)
            return CORE_OK;
    if (is_proven(input->trace))
        return CORE_OK; /* check_hang reports it */
    struct finding *finding = finding_list_reach(list, RULE_DEADLOCK);
    if (!finding)
        return CORE_NO_MEMORY;
    enum core_status status =
        CORE_ARRAY_NEW(unknown, input->program->rank_count, "the ranks of a finding");
    if (status != CORE_OK)
        return status;
    uint32_t count = list_unknown(input, unknown);
    CORE_CHECK(count <= input->program->rank_count);
    char *ranks = wording_ranks_text(unknown, count, " and ");
    const char *who = ranks ? ranks : "ranks";
    finding->beyond = true;
    const bool whole = are_whole(input, unknown, count);
    finding_title(finding,
                  whole ? "crosswait cannot judge all calls of %s: one concerns ranks of another "
                          "job, or is not modelled"
                        : "crosswait cannot judge what follows the end of the record: %s did not "
                          "finish",
                  who);
    finding_fact(finding,
                 whole ? "%" PRIu32 " rank%s for a later call of %s"
                       : "%" PRIu32 " rank%s for a call that %s might still have made",
                 result->waitfor.blocked_count,
                 result->waitfor.blocked_count == 1 ? " was waiting" : "s were waiting", who);
    free(ranks);
    free(unknown);
    return CORE_OK;
}

/* Adds a note on ranks that were not run, because their record has gaps. */
static void add_left_out(const struct check_input *input, struct finding_list *list)
{
    struct finding *finding =
        input->notes->ranks_left_out ? finding_list_reach(list, RULE_DEADLOCK) : NULL;

    if (finding)
        finding_title(finding,
                      "crosswait cannot judge %" PRIu32
                      " rank%s: calls are missing from the record, lost or left out on purpose",
                      input->notes->ranks_left_out, input->notes->ranks_left_out == 1 ? "" : "s");
}

/* Limits that take about a second. */
enum { DECIDE_CONFLICTS = 20000, DECIDE_CLAUSES = 1500000 };

/* Decides too many orders at once with the solver: under every buffering, or under the policy's if
 * some buffering is known to hang. */
static enum core_status decide_orders(const struct check_input *input,
                                      const struct replay_policy *schedule, const char *text,
                                      bool any_buffering, struct finding_list *list,
                                      enum replay_verdict *out_verdict)
{
    struct symbolic_options options = {.explore = {.policy = *schedule, .sends = any_buffering},
                                       .conflicts_max = DECIDE_CONFLICTS,
                                       .clauses_max = DECIDE_CLAUSES};
    struct symbolic_decision decision;
    char number[32];

    *out_verdict = REPLAY_VERDICT_CANNOT_SAY;
    if (input->notes->unsupported || input->notes->unknown_requests)
        return CORE_OK;
    enum core_status status = symbolic_decide(input->program, &options, &decision);
    if (status != CORE_OK)
        return status;
    *out_verdict = decision.verdict;
    if (decision.verdict == REPLAY_VERDICT_DEADLOCK)
        status = add_finding(input, list, ORDER, &decision.found.result, decision.found.witness);
    else if (decision.verdict == REPLAY_VERDICT_NONE) {
        struct finding *finding = finding_list_reach(list, RULE_DEADLOCK);
        if (finding) {
            finding_title(finding,
                          "no deadlock in any order of messages%s of these calls (%s receive%s of "
                          "any source; proven)",
                          any_buffering ? " and any buffering" : " with full buffering",
                          describe_number(decision.wildcards, number, sizeof number),
                          decision.wildcards == 1 ? "" : "s");
            if (input->trace->imported)
                finding_fact(finding, "%s", DESCRIBE_IMPORTED);
            if (symbolic_assumption(&decision))
                finding_fact(finding, "%s", symbolic_assumption(&decision));
            repeat_replay(finding, input, any_buffering ? "--decide" : "--decide --policy='%s'",
                          text);
        }
    }
    symbolic_decision_done(&decision);
    return status;
}

/* Explores all orders of matches under one buffering. *out_found: nothing is left to explore.
 * *note: the one note that says there are too many orders. */
static enum core_status explore_world(const struct check_input *input,
                                      const struct replay_policy *schedule, bool any_buffering,
                                      struct finding_list *list, bool *out_found, uint32_t *note)
{
    enum replay_verdict decided = REPLAY_VERDICT_CANNOT_SAY;
    struct replay_explore_options options = {.policy = *schedule,
                                             .runs_max = input->budget_schedules};
    struct replay_exploration exploration;
    char *text = replay_policy_text(schedule);

    *out_found = false;
    options.policy.seed = input->seed;
    enum core_status status =
        text ? replay_explore(input->program, &options, &exploration) : CORE_NO_MEMORY;
    if (status != CORE_OK) {
        free(text);
        return status;
    }
    bool cut = exploration.verdict == REPLAY_VERDICT_NOT_FOUND && exploration.sampled;
    if (cut && !*note)
        status = decide_orders(input, schedule, text, any_buffering, list, &decided);
    if (decided != REPLAY_VERDICT_CANNOT_SAY) {
        *out_found = any_buffering || decided == REPLAY_VERDICT_DEADLOCK;
    } else if (exploration.verdict == REPLAY_VERDICT_DEADLOCK && exploration.witness) {
        status = add_finding(input, list, ORDER, &exploration.result, exploration.witness);
        *out_found = true;
    } else if (cut && status == CORE_OK) {
        CORE_CHECK(*note <= list->count);
        struct finding *finding =
            *note ? &list->finding[*note - 1] : finding_list_reach(list, RULE_DEADLOCK);
        char runs[32], sampled[32];
        describe_number(exploration.runs, runs, sizeof runs);
        describe_number(exploration.sampled, sampled, sizeof sampled);
        if (finding && *note) {
            finding_fact(finding, "nor in %s schedules and %s sampled orders with %s", runs,
                         sampled, text);
        } else if (finding) {
            finding_title(finding,
                          "no deadlock in %s schedules and %s sampled orders of messages (%s); "
                          "there are more than the budget allows to try",
                          runs, sampled, text);
            repeat_replay(finding, input, "--explore --policy='%s' --seed=%" PRIu64, text,
                          input->seed);
            *note = list->count;
        }
    }
    replay_exploration_done(&exploration);
    free(text);
    return status;
}

/* Runs both worlds again with the threads in their recorded order. */
static enum core_status order_threads(const struct check_input *input, struct finding_list *list,
                                      bool *out_found)
{
    static const struct replay_policy ordered[] = {
        {.buffering = REPLAY_EAGER, .threads = REPLAY_THREADS_RECORDED, .seed = 1},
        {.buffering = REPLAY_RENDEZVOUS, .threads = REPLAY_THREADS_RECORDED, .seed = 1}};
    enum core_status status = CORE_OK;

    *out_found = false;
    for (int i = 0; input->notes->threads && !*out_found && i < 2 && status == CORE_OK; i++) {
        struct replay_result result;
        status = replay_run_once(input->program, &ordered[i], &result);
        if (status != CORE_OK)
            break;
        *out_found = result.outcome == REPLAY_DEADLOCK;
        if (*out_found)
            status = add_finding(input, list, i == 0 ? ALWAYS : UNBUFFERED, &result, &ordered[i]);
        replay_result_done(&result);
    }
    return status;
}

/* Runs with collectives that wait for all members although the standard expects them to be local.
 * No library is known to do so, so the finding is a note. */
static enum core_status run_strict(const struct check_input *input, struct finding_list *list)
{
    static const struct replay_policy strict = {
        .buffering = REPLAY_EAGER, .coll = REPLAY_STRICT, .seed = 1};
    struct replay_result result;
    enum core_status status = replay_run_once(input->program, &strict, &result);

    if (status != CORE_OK)
        return status;
    if (result.outcome == REPLAY_DEADLOCK)
        status = add_finding(input, list, STRICT, &result, &strict);
    replay_result_done(&result);
    return status;
}

enum core_status check_deadlock(const struct check_input *input, struct finding_list *list)
{
    const struct replay_worlds *worlds;
    bool found = false, ordered;
    uint32_t note = 0;

    add_left_out(input, list);
    enum core_status status = check_worlds(input, &worlds);

    if (status != CORE_OK)
        return status;
    const struct replay_result *rendezvous = &worlds->unbuffered, *eager = &worlds->buffered;
    if (eager->outcome == REPLAY_DEADLOCK)
        status = add_finding(input, list, ALWAYS, eager, &check_buffered);
    else if (rendezvous->outcome == REPLAY_DEADLOCK)
        status = add_finding(input, list, UNBUFFERED, rendezvous, &check_unbuffered);
    else if ((status = order_threads(input, list, &ordered)) != CORE_OK || ordered)
        ;
    else if (rendezvous->outcome == REPLAY_STALLED || eager->outcome == REPLAY_STALLED)
        status =
            add_stalled(input, list, rendezvous->outcome == REPLAY_STALLED ? rendezvous : eager);
    if (status == CORE_OK && input->notes->local && eager->outcome == REPLAY_FINISHED)
        status = run_strict(input, list);
    if (status == CORE_OK && input->notes->wildcards && eager->outcome == REPLAY_FINISHED)
        status = explore_world(input, &check_buffered, rendezvous->outcome == REPLAY_FINISHED, list,
                               &found, &note);
    if (status == CORE_OK && input->notes->wildcards && rendezvous->outcome == REPLAY_FINISHED &&
        !found)
        status = explore_world(input, &check_unbuffered, true, list, &found, &note);
    return status;
}
