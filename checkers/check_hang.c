/* Reports a job that the launcher has proven to hang, if no other checker says why: the ranks wait
 * for something that the engine does not model or that the trace does not show. The launcher proved
 * it on the job itself (launch/proof/proof.h) and left the record in the trace. A job that stood
 * still when it was ended, without a proof, is a note. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/hint_lock_holder.h"
#include "checkers/waiting.h"
#include "checkers/wording.h"
#include "core/check.h"

/* The ranks of a job that --stall ends stop one after the other, within STILL_APART_MS. */
enum { STILL_LEAST_MS = 2000, STILL_APART_MS = 500 };

/* Returns "rank 1, to receive the message, and for rank 2, to send a message that fits". */
static char *waits_for_text(const struct ending *ending, const struct ending_call *call)
{
    CORE_CHECK((uint64_t)call->first + call->count <= ending->wait_count);
    enum ending_need need = call->count ? ending->wait[call->first].need : ENDING_NEED_SEVERAL;
    char *waits = wording_waits_text(ending, call), *text = NULL;

    for (uint32_t i = 1; i < call->count; i++)
        if (ending->wait[call->first + i].need != need)
            need = ENDING_NEED_SEVERAL;
    if (call->count && wording_need_is_own(need))
        return waits; /* the words say it already */
    if (waits && asprintf(&text, "%s, %s", waits, wording_need(need)) < 0)
        text = NULL;
    free(waits);
    return text;
}

static void add_call(struct trace *trace, struct finding *finding, const struct ending *ending,
                     const struct ending_call *call)
{
    struct finding_call *part = finding_call_add(finding, trace, call->rank, call->seq);

    if (!part)
        return;
    part->core = call->role == ENDING_CORE;
    waiting_describe(ending, call, part);
    free(part->waits_for);
    part->waits_for = waits_for_text(ending, call);
}

static enum core_status add_finding(struct trace *trace, const struct ending *ending,
                                    struct finding_list *list)
{
    CORE_CHECK(ending->reason == ENDING_DEADLOCK); /* otherwise there is no proof */
    struct finding *finding = finding_list_add(list, RULE_HANG, FINDING_ERROR);
    char *who = wording_deadlock_text(ending);

    if (!finding || !who) {
        free(who);
        return CORE_NO_MEMORY;
    }
    finding_title(finding, "%s", who);
    free(who);
    for (int role = ENDING_CORE; role <= ENDING_BEHIND; role++)
        for (uint32_t i = 0; i < ending->call_count; i++)
            if (ending->call[i].role == (enum ending_role)role)
                add_call(trace, finding, ending, &ending->call[i]);
    finding_fact(finding,
                 wording_rests(ending)
                     ? "observed: the job hung in these calls: nothing moved in them for seconds, "
                       "and no rank could do anything else; crosswait ended it"
                     : "observed: the job hung in these calls (proven), and crosswait ended it");
    return hint_lock_holder_add(trace, finding, ending);
}

/* Adds a call with "MPI_Send, for 8 s" as its note. */
static void add_stood(const struct check_input *input, struct finding *finding,
                      const struct ending_call *call)
{
    struct finding_call *part = finding_core_add(finding, input->trace, call->rank, call->seq);

    if (!part)
        return;
    if (asprintf(&part->note, "%sfor %" PRIu64 " s",
                 call->role == ENDING_POLLS ? "found nothing " : "", call->still_ms / 1000) < 0)
        part->note = NULL;
}

enum { TAG_BYTES = 256 };

/* Reads the tag and the group of a call that makes a communicator from a group. */
static bool tag_of(struct trace *trace, const struct ending_call *call, char tag[TAG_BYTES],
                   int64_t *out_group)
{
    struct trace_event event;
    CORE_CHECK(call->rank < trace->rank_count); /* stood_still */
    if (trace_event_get(trace, call->rank, call->seq, &event) != CORE_OK ||
        event.verb != VERB_COMM_CREATE_GROUP || event.comm >= 0)
        return false;
    *out_group = trace_arg_value(trace, &event, "group", -1);
    return *out_group >= 0 && trace_arg_text(trace, &event, tag, TAG_BYTES);
}

static bool group_has(struct trace *trace, int64_t group, uint32_t rank)
{
    int64_t *member = NULL;
    uint32_t count = 0;
    bool has = false;
    if (trace_group_get(trace, group, &member, &count) == CORE_OK)
        for (uint32_t i = 0; i < count; i++)
            has |= member[i] == rank;
    free(member);
    return has;
}

/* Finds two calls that make a communicator from groups with each other's rank, and give different
 * tags: neither can return, as its rank makes no other call. Says so in the finding. */
static void tags_differ(struct trace *trace, struct finding *finding, const struct ending *ending)
{
    char tag[2][TAG_BYTES];
    int64_t group[2];
    for (uint32_t i = 1; i < ending->call_count; i++) {
        const struct ending_call *call[2] = {&ending->call[0], &ending->call[i]};
        if (!tag_of(trace, call[0], tag[0], &group[0]) ||
            !tag_of(trace, call[1], tag[1], &group[1]) || !strcmp(tag[0], tag[1]) ||
            trace->rank[call[0]->rank].threads > 1 || trace->rank[call[1]->rank].threads > 1 ||
            !group_has(trace, group[0], call[1]->rank) ||
            !group_has(trace, group[1], call[0]->rank))
            continue;
        finding->severity = FINDING_ERROR;
        finding_title(finding,
                      "ranks wait for each other: rank %" PRIu32 " makes a communicator with the "
                      "string tag '%s', rank %" PRIu32 " with '%s'",
                      call[0]->rank, tag[0], call[1]->rank, tag[1]);
        finding_fact(finding, "all ranks of the group must give the same string tag");
        return;
    }
}

/* Reports a job that was ended while it stood still: only the calls and the time spent in them are
 * known. */
static enum core_status add_unproven(const struct check_input *input, const struct ending *ending,
                                     struct finding_list *list)
{
    CORE_CHECK(ending->reason != ENDING_DEADLOCK);
    CORE_CHECK(ending->call_count > 0); /* stood_still saw all ranks */
    struct finding *finding = finding_list_add(list, RULE_HANG, FINDING_NOTE);
    uint64_t least_ms = UINT64_MAX;

    if (!finding)
        return CORE_NO_MEMORY;
    for (uint32_t i = 0; i < ending->call_count; i++)
        if (ending->call[i].still_ms < least_ms)
            least_ms = ending->call[i].still_ms;
    finding->ended_job = true;
    finding_title(finding,
                  "the job made no progress for %" PRIu64
                  " s, and crosswait ended it: a hang is possible, but not proven",
                  least_ms / 1000);
    for (uint32_t i = 0; i < ending->call_count; i++)
        add_stood(input, finding, &ending->call[i]);
    tags_differ(input->trace, finding, ending);
    return CORE_OK;
}

/* Tells whether the call belongs to the hang: calls behind the core do not. */
static bool is_of(const struct ending *ending, const struct finding_call *call)
{
    for (uint32_t i = 0; i < ending->call_count; i++)
        if (ending->call[i].role != ENDING_BEHIND && ending->call[i].rank == call->rank &&
            ending->call[i].seq == call->seq)
            return true;
    return false;
}

static bool has_request(const struct trace_event *wait, uint64_t request)
{
    bool found = wait->request == request;

    for (uint32_t i = 0; i < wait->completion_count && !found; i++)
        found = wait->completion[i].request == request;
    return found;
}

/* Finds out whether call number `wait` waits for the request. */
static enum core_status is_waited(struct trace *trace, uint32_t rank, uint64_t wait,
                                  uint64_t request, bool *out_waited)
{
    struct trace_cursor *cursor;
    struct trace_event event = {.seq = 0};
    bool more = true;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    while (event.seq != wait && more && status == CORE_OK)
        status = trace_cursor_next(cursor, &event, &more);
    *out_waited = status == CORE_OK && more && has_request(&event, request);
    trace_cursor_close(cursor);
    return status;
}

/* Finds out whether a call in which the rank was ended waits for a collective that the finding's
 * call began. */
static enum core_status is_begun_by(struct trace *trace, const struct ending *ending,
                                    const struct finding_call *call, bool *out_begun)
{
    struct trace_event event;
    enum core_status status = trace_event_get(trace, call->rank, call->seq, &event);

    if (status != CORE_OK || !trait_in(event.traits, TRAIT_COLLECTIVE) || !event.request)
        return status == CORE_NOT_FOUND ? CORE_OK : status;
    for (uint32_t i = 0; i < ending->call_count && status == CORE_OK && !*out_begun; i++)
        if (ending->call[i].role != ENDING_BEHIND && ending->call[i].rank == call->rank &&
            ending->call[i].seq > call->seq)
            status = is_waited(trace, call->rank, ending->call[i].seq, event.request, out_begun);
    return status;
}

/* Finds out whether an error is about a call in which the job was ended, or about a collective that
 * such a call waits for. Warnings do not count: they do not explain a hang. */
static enum core_status is_told(struct trace *trace, const struct finding_list *list,
                                const struct ending *ending, bool *out_told)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < list->count; i++) {
        const struct finding *finding = &list->finding[i];

        if (finding->severity != FINDING_ERROR)
            continue;
        for (uint32_t c = 0; c < finding->call_count && status == CORE_OK && !*out_told; c++) {
            if (!finding->call[c].seq)
                continue;
            *out_told = is_of(ending, &finding->call[c]);
            if (!*out_told)
                status = is_begun_by(trace, ending, &finding->call[c], out_told);
        }
    }
    return status;
}

/* Tells whether all ranks were seen, and none had made progress for a while. */
static bool stood_still(const struct trace *trace, const struct ending *ending)
{
    uint64_t least = STILL_LEAST_MS - (ending->reason == ENDING_STALL ? STILL_APART_MS : 0);
    uint32_t ranks = 0;

    for (uint32_t i = 0; i < ending->call_count; i++) {
        if (ending->call[i].still_ms < least)
            return false;
        ranks += i == 0 || ending->call[i].rank != ending->call[i - 1].rank;
    }
    return ranks == trace->rank_count;
}

enum core_status check_proof(struct trace *trace, struct finding_list *list)
{
    struct ending ending = {0};
    enum core_status status = trace_ending_get(trace, &ending);

    if (status == CORE_OK && ending.reason == ENDING_DEADLOCK && ending.call_count)
        status = add_finding(trace, &ending, list);
    ending_done(&ending);
    return status;
}

enum core_status check_hang(const struct check_input *input, struct finding_list *list)
{
    struct ending ending = {0};
    enum core_status status = trace_ending_get(input->trace, &ending);
    bool told = false;
    bool stood = ending.reason == ENDING_STALL || ending.reason == ENDING_BUDGET;

    if (status == CORE_OK)
        status = is_told(input->trace, list, &ending, &told);
    if (status == CORE_OK && !told && ending.reason == ENDING_DEADLOCK)
        status = check_proof(input->trace, list);
    else if (status == CORE_OK && !told && stood && stood_still(input->trace, &ending))
        status = add_unproven(input, &ending, list);
    ending_done(&ending);
    return status;
}
