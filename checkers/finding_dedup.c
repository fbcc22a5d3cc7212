/* See finding_dedup.h. */
#include "checkers/finding_dedup.h"

#include <stdlib.h>
#include <string.h>

#include "checkers/expected_error.h"
#include "core/check.h"

struct finding *finding_dedup_add(struct finding_dedup *dedup, enum finding_severity severity,
                                  uint32_t rank, uint64_t seq)
{
    if (dedup->count++ >= FINDING_DEDUP_MAX)
        return NULL;
    struct finding *finding = finding_list_add(dedup->list, dedup->rule, severity);
    if (finding)
        finding_core_add(finding, dedup->input->trace, rank, seq);
    else
        dedup->status = CORE_NO_MEMORY;
    return finding;
}

static struct finding_dedup_mistake *mistake_find(struct finding_dedup *dedup,
                                                  const struct finding_dedup_mistake *like)
{
    CORE_CHECK(dedup->mistakes <= FINDING_DEDUP_MAX);
    for (uint32_t i = 0; i < dedup->mistakes; i++) {
        struct finding_dedup_mistake *mistake = &dedup->mistake[i];
        if (mistake->call == like->call && mistake->site == like->site &&
            mistake->other_site == like->other_site && mistake->meant == like->meant &&
            !strcmp(mistake->sentence, like->sentence))
            return mistake;
    }
    return NULL;
}

static void title_set(struct finding_dedup *dedup, struct finding *finding,
                      const struct trace_event *event, const char *sentence)
{
    CORE_CHECK(finding->call_count > 0);
    finding_title(finding, "%s: %s", dedup->input->trace->call[event->call].name, sentence);
    if (finding_title_ranks(finding) != CORE_OK)
        dedup->status = CORE_NO_MEMORY;
}

/* Adds another occurrence of a mistake, by another rank or by the same one. */
static void wrong_again(struct finding_dedup *dedup, struct finding_dedup_mistake *mistake,
                        const struct trace_event *event, uint64_t other)
{
    CORE_CHECK(mistake->finding < dedup->list->count);
    struct finding *finding = &dedup->list->finding[mistake->finding];

    if (mistake->rank == event->rank)
        return;
    struct finding_call *call =
        finding_core_add(finding, dedup->input->trace, event->rank, event->seq);
    mistake->rank = event->rank;
    if (other && call)
        finding_call_subject(call, dedup->input->trace, other);
    title_set(dedup, finding, event, mistake->sentence);
}

struct finding *finding_dedup_wrong(struct finding_dedup *dedup, const struct trace_event *event,
                                    uint64_t other, const char *sentence)
{
    struct trace *trace = dedup->input->trace;
    struct trace_event shows = {.site = -1};
    struct finding_dedup_mistake like = {.sentence = (char *)sentence,
                                         .call = event->call,
                                         .site = event->site,
                                         .meant = expected_error_on_purpose(trace, event),
                                         .rank = event->rank};

    if (!other || trace_event_get(trace, event->rank, other, &shows) != CORE_OK)
        other = 0;
    like.other_site = shows.site;
    struct finding_dedup_mistake *mistake = event->site < 0 ? NULL : mistake_find(dedup, &like);
    if (mistake) {
        wrong_again(dedup, mistake, event, other);
        return NULL;
    }
    struct finding *finding = finding_dedup_add(dedup, FINDING_ERROR, event->rank, event->seq);
    if (!finding)
        return NULL;
    like.finding = dedup->list->count - 1;
    like.sentence = strdup(sentence);
    if (like.sentence && dedup->mistakes < FINDING_DEDUP_MAX)
        dedup->mistake[dedup->mistakes++] = like;
    else
        free(like.sentence);
    if (like.meant)
        expected_error_note(finding);
    if (other && finding->call_count)
        finding_call_subject(&finding->call[0], trace, other);
    title_set(dedup, finding, event, sentence);
    return finding;
}

void finding_dedup_done(struct finding_dedup *dedup)
{
    CORE_CHECK(dedup->mistakes <= FINDING_DEDUP_MAX);
    for (uint32_t i = 0; i < dedup->mistakes; i++)
        free(dedup->mistake[i].sentence);
    dedup->mistakes = 0;
}
