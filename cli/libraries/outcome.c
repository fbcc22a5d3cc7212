/* See outcome.h. */
#include "cli/libraries/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "cli/libraries/library.h"
#include "core/array.h"

#define AN_OUTCOME "the outcome of a job"

const char *outcome_end_text(enum outcome_end end)
{
#define X(name, text, says) text,
    static const char *const text_of[] = {OUTCOME_ENDS(X)};
#undef X
    return text_of[end];
}

const char *outcome_end_says(enum outcome_end end)
{
#define X(name, text, says) says,
    static const char *const says_of[] = {OUTCOME_ENDS(X)};
#undef X
    return says_of[end];
}

void outcome_done(struct outcome *outcome)
{
    free(outcome->said);
    free(outcome->text);
    CORE_ARRAY_DONE(outcome->call, outcome->call_count, outcome->call_room);
    CORE_ARRAY_DONE(outcome->line, outcome->line_count, outcome->line_room);
    *outcome = (struct outcome){0};
}

bool outcome_counts(const struct outcome *outcome)
{
    return outcome->end < OUTCOME_BUDGET;
}

bool outcome_ends_alike(const struct outcome *a, const struct outcome *b)
{
    return a->end == b->end && (a->end != OUTCOME_OVER || !a->status == !b->status);
}

/* --- how it ended ----------------------------------------------------------------------------- */

static enum core_status call_add(struct outcome *outcome, uint32_t rank, uint64_t seq)
{
    return CORE_ARRAY_PUSH(outcome->call, outcome->call_count, outcome->call_room, AN_OUTCOME,
                           (struct outcome_call){rank, seq});
}

struct search { /* searches for the rank that ended the job */
    bool any;
    struct exit_cause cause; /* the launcher's first cause, else the earliest */
};

static enum core_status cause_look(const struct exit_cause *cause, void *context)
{
    struct search *search = context;

    if (!search->any || (cause->first && !search->cause.first) ||
        (cause->first == search->cause.first && cause->at_ns < search->cause.at_ns))
        search->cause = *cause;
    search->any = true;
    return CORE_OK;
}

static enum outcome_end end_of_cause(enum exit_cause_kind kind)
{
    static const enum outcome_end end[EXIT_CAUSE_KIND_COUNT] = {
        [EXIT_CAUSE_NONE] = OUTCOME_OVER,     [EXIT_CAUSE_EXIT] = OUTCOME_EXIT,
        [EXIT_CAUSE_ERROR] = OUTCOME_ERROR,   [EXIT_CAUSE_ABORT] = OUTCOME_ABORT,
        [EXIT_CAUSE_SIGNAL] = OUTCOME_SIGNAL, [EXIT_CAUSE_EXCEPTION] = OUTCOME_EXCEPTION};

    return end[kind];
}

/* Notes the calls in which the launcher found the ranks; only those of the core, if there is
 * one. */
static enum core_status calls_of_ending(const struct ending *ending, struct outcome *outcome)
{
    enum core_status status = CORE_OK;

    for (int core = 1; core >= 0 && !outcome->call_count; core--)
        for (uint32_t i = 0; i < ending->call_count && status == CORE_OK; i++)
            if (ending->call[i].role == ENDING_OUTSIDE && outcome->outside < 0)
                outcome->outside = (int)ending->call[i].rank;
            else if (ending->call[i].seq && (!core || ending->call[i].role == ENDING_CORE))
                status = call_add(outcome, ending->call[i].rank, ending->call[i].seq);
    return status;
}

static enum core_status end_find(const struct launch_result *result, struct trace *trace,
                                 struct outcome *outcome)
{
    struct search search = {0};
    enum core_status status = trace_exit_causes_each(trace, cause_look, &search);
    bool ended_by_us = result->end != LAUNCH_END_OWN;

    if (status != CORE_OK)
        return status;
    outcome->end = result->end == LAUNCH_END_SIGNAL     ? OUTCOME_INTERRUPTED
                   : result->end == LAUNCH_END_DEADLOCK ? OUTCOME_HUNG
                   : result->stalled                    ? OUTCOME_STALLED
                   : result->end == LAUNCH_END_BUDGET   ? OUTCOME_BUDGET
                                                        : OUTCOME_OVER;
    /* A rank that ended by its own mistake is the reason why the others wait forever. */
    if (search.any && (!ended_by_us || search.cause.kind == EXIT_CAUSE_ERROR ||
                       search.cause.kind == EXIT_CAUSE_EXCEPTION)) {
        outcome->end = end_of_cause(search.cause.kind);
        return search.cause.seq ? call_add(outcome, search.cause.rank, search.cause.seq) : CORE_OK;
    }
    return calls_of_ending(&result->ending, outcome);
}

/* --- what it printed -------------------------------------------------------------------------- */

static int line_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines, since ranks print in any order. */
static enum core_status lines_sort(struct outcome *outcome)
{
    enum core_status status = CORE_OK;
    char *rest = NULL;

    for (char *at = strtok_r(outcome->text, "\n", &rest); at && status == CORE_OK;
         at = strtok_r(NULL, "\n", &rest))
        status =
            CORE_ARRAY_PUSH(outcome->line, outcome->line_count, outcome->line_room, AN_OUTCOME, at);
    if (outcome->line_count)
        qsort(outcome->line, outcome->line_count, sizeof *outcome->line, line_compare);
    return status;
}

/* Returns the first line with words: launchers frame their messages with other characters. */
static char *first_line(const char *text)
{
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t blank = strspn(at, " \t-=|*");
        size_t bytes = strcspn(at, "\n");
        if (blank < bytes && strncmp(at, "crosswait: ", 11) != 0)
            return strndup(at + blank, bytes - blank);
    }
    return strdup("");
}

enum core_status outcome_make(const struct launch_result *result, struct trace *trace,
                              const char *title, char *text, const char *errors,
                              struct outcome *out_outcome)
{
    struct outcome outcome = {.status = result->status, .outside = -1, .text = text};
    char loaded[LIBRARY_WORDS] = "";
    enum core_status status = CORE_OK;

    if (trace)
        library_title(trace_meta(trace, "library") ? trace_meta(trace, "library") : "", loaded);
    if (!trace) {
        outcome.end = launch_interrupted_by(result) ? OUTCOME_INTERRUPTED : OUTCOME_UNSTARTED;
        outcome.said = first_line(*errors ? errors : text);
    } else if (*loaded && strcmp(loaded, title) != 0) {
        outcome.end = OUTCOME_OTHER;
        outcome.said = strdup(loaded);
    } else {
        status = end_find(result, trace, &outcome);
    }
    if (status == CORE_OK)
        status = lines_sort(&outcome);
    if (status == CORE_OK)
        *out_outcome = outcome;
    else
        outcome_done(&outcome);
    return status;
}
