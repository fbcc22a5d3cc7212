/* Misuse that a rank's own calls show: what the recorder saw at the call (interpose/misuse/usage.h:
 * arguments, handles, requests, buffers, leaks), and ranks that ended without MPI_Finalize. Each
 * kind is a rule of its own: argument, request, buffer (loads among them), leak, lifecycle.
 * The same mistake, made by several ranks or over and over at one place, is one finding. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"

static const struct { /* what the recorder calls it */
    const char *text;
    enum rule_id rule;
    enum finding_severity severity;
} rules[] = {
    {"argument", RULE_ARGUMENT, FINDING_ERROR},
    {"request", RULE_REQUEST, FINDING_ERROR},
    {"receive-freed", RULE_REQUEST, FINDING_WARNING},
    {"send-freed", RULE_REQUEST, FINDING_NOTE},
    {"buffer", RULE_BUFFER, FINDING_ERROR},
    {"load", RULE_BUFFER, FINDING_ERROR},
    {"leak", RULE_LEAK, FINDING_WARNING},
    {"lifecycle", RULE_LIFECYCLE, FINDING_ERROR},
};

struct mistake {
    uint32_t finding; /* index in the list */
    char *what;       /* what is equal for all occurrences */
    uint64_t count;
    uint32_t last_rank, ranks;
};
struct gathering {
    const struct check_input *input;
    struct finding_list *list;
    struct mistake *mistake;
    uint32_t count, room;
};

/* "RULE|ARGUMENT|SEQ|SENTENCE", or with SEQ@SITE (core/spool/spool.h) */
static bool parse(const char *text, uint32_t *out_rule, uint64_t *out_other, int32_t *out_site,
                  const char **out_sentence)
{
    char *end;
    const char *argument = strchr(text, '|'), *other = argument ? strchr(argument + 1, '|') : NULL,
               *sentence = other ? strchr(other + 1, '|') : NULL;

    if (!sentence)
        return false;
    for (*out_rule = 0; *out_rule < sizeof rules / sizeof *rules; ++*out_rule)
        if (strlen(rules[*out_rule].text) == (size_t)(argument - text) &&
            !strncmp(rules[*out_rule].text, text, (size_t)(argument - text)))
            break;
    if (*out_rule == sizeof rules / sizeof *rules)
        return false;
    *out_other = strtoull(other + 1, &end, 10);
    *out_site = *end == '@' ? (int32_t)strtol(end + 1, NULL, 10) : -1;
    *out_sentence = sentence + 1;
    return true;
}

static struct mistake *find(struct gathering *gathering, const char *what)
{
    for (uint32_t i = 0; i < gathering->count; i++)
        if (!strcmp(gathering->mistake[i].what, what))
            return &gathering->mistake[i];
    if (gathering->count == gathering->room) {
        uint32_t room = gathering->room ? gathering->room * 2 : 16;
        struct mistake *fresh = realloc(gathering->mistake, room * sizeof *fresh);
        if (!fresh)
            return NULL;
        gathering->mistake = fresh;
        gathering->room = room;
    }
    char *copy = strdup(what);
    if (!copy)
        return NULL;
    gathering->mistake[gathering->count] = (struct mistake){.finding = UINT32_MAX, .what = copy};
    return &gathering->mistake[gathering->count++];
}

static enum core_status gather(uint32_t rank, uint64_t seq, const char *text, void *context)
{
    struct gathering *gathering = context;
    struct trace *trace = gathering->input->trace;
    struct trace_event event, other_event = {.site = -1};
    const char *sentence;
    char what[1024];
    uint32_t row;
    uint64_t other;
    int32_t site;

    if (!parse(text, &row, &other, &site, &sentence) ||
        trace_event_get(trace, rank, seq, &event) != CORE_OK)
        return CORE_OK;
    if (other && trace_event_get(trace, rank, other, &other_event) != CORE_OK)
        other = 0;
    snprintf(what, sizeof what, "%s|%" PRId32 "|%" PRId32 "|%" PRId32 "|%" PRId32 "|%s",
             rules[row].text, event.call, event.site, other_event.site, site, sentence);
    struct mistake *mistake = find(gathering, what);
    if (!mistake)
        return core_report(CORE_NO_MEMORY, "out of memory for what ranks did wrong");
    bool load = !strcmp(rules[row].text, "load"), fresh = mistake->finding == UINT32_MAX;
    if (fresh) {
        struct finding *finding =
            finding_list_add(gathering->list, rules[row].rule, rules[row].severity);
        if (!finding)
            return CORE_NO_MEMORY;
        if (load)
            finding_of_load(finding, trace, site);
        mistake->finding = gathering->list->count - 1;
        const char *call =
            trace->call[other && event.verb == VERB_FINALIZE ? other_event.call : event.call].name;
        finding_title(finding, "%s: %s (rank %" PRIu32 ")", call, sentence, rank);
        finding_place(finding, trace, "that was done", site);
        finding_repeat_check(finding, trace);
    }
    struct finding *finding = &gathering->list->finding[mistake->finding];
    mistake->count++;
    if (!fresh && mistake->last_rank == rank)
        return CORE_OK;
    mistake->last_rank = rank;
    mistake->ranks++;
    bool origin_only = other && event.verb == VERB_FINALIZE;
    struct finding_call *call = finding_call_add(finding, trace, rank, origin_only ? other : seq);
    if (!call)
        return CORE_NO_MEMORY;
    call->core = true;
    if (other && !origin_only)
        finding_call_subject(call, trace, other);
    return CORE_OK;
}

static enum core_status check_end(const struct check_input *input, struct finding_list *list)
{
    struct finding *finding = NULL;

    for (uint32_t i = 0; i < input->trace->rank_count; i++) {
        const struct trace_rank *rank = &input->trace->rank[i];
        if (rank->state != EVENT_RANK_EXITED || rank->code != 0 || rank->cut)
            continue;
        if (!finding) {
            finding = finding_list_add(list, RULE_LIFECYCLE, FINDING_ERROR);
            if (!finding)
                return CORE_NO_MEMORY;
            finding_title(finding, "rank %" PRIu32 " exits without MPI_Finalize", i);
            finding_repeat_check(finding, input->trace);
        }
        struct finding_call *call = finding_call_add(finding, input->trace, i, rank->events);
        if (!call)
            return CORE_NO_MEMORY;
        call->core = true;
        call->note = strdup("its last call");
    }
    return CORE_OK;
}

enum core_status check_usage(const struct check_input *input, struct finding_list *list)
{
    struct gathering gathering = {.input = input, .list = list};
    enum core_status status = trace_usage_each(input->trace, gather, &gathering);

    for (uint32_t i = 0; i < gathering.count; i++) {
        const struct mistake *mistake = &gathering.mistake[i];
        if (mistake->finding != UINT32_MAX && mistake->count > mistake->ranks)
            finding_fact(&list->finding[mistake->finding], "%" PRIu64 " times in all",
                         mistake->count);
        free(mistake->what);
    }
    free(gathering.mistake);
    return status == CORE_OK ? check_end(input, list) : status;
}
