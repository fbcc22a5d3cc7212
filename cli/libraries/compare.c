/* See compare.h. */
#include "cli/libraries/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check.h"
#include "cli/libraries/lines.h"
#include "core/array.h"
#include "core/text.h"
#include "core/spool/spool.h"
#include "core/trace/describe.h"
#include "core/trace/trace_payload.h"
#include "reports/diff.h"
#include "reports/identity.h"

#define A_COMPARISON "the comparison of MPI libraries"
enum { LINES_TOLD = 3, SEQ_BITS = 40 };

bool member_counts(const struct member *member)
{
    return member->runs && outcome_counts(&member->run[0]) && member->judged_count;
}

static bool is_steady(const struct member *member)
{
    for (uint32_t i = 1; i < member->runs; i++)
        if (!outcome_ends_alike(&member->run[i], &member->run[0]))
            return false;
    return true;
}

static bool is_over(const struct member *member)
{
    return member_counts(member) && is_steady(member) && member->run[0].end == OUTCOME_OVER;
}

static struct lines lines_of(const struct member *member)
{
    return (struct lines){member->library->title, member->run, member->runs};
}

static enum lines_differ lines_differ(const struct member *a, const struct member *b)
{
    struct lines x = lines_of(a), y = lines_of(b);
    struct lines_only only[2];
    enum lines_differ differ = LINES_SAME;

    if (lines_compare(&x, &y, only, &differ) == CORE_OK)
        lines_done(only);
    return differ;
}

uint32_t compare_runs(const struct comparison *comparison)
{
    const struct member *first = NULL;
    uint32_t runs = 1;

    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct member *member = &comparison->member[i];
        if (!member_counts(member))
            continue;
        if (!first)
            first = member;
        if (runs == 1 && !outcome_ends_alike(&first->run[0], &member->run[0]))
            runs = 2;
        if (is_over(first) && is_over(member) && lines_differ(first, member) != LINES_SAME)
            runs = MEMBER_RUNS_MAX;
    }
    return runs;
}

char *compare_names(const struct comparison *comparison, const bool *mine)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    uint32_t left = 0;

    for (uint32_t i = 0; i < comparison->count; i++)
        left += mine[i];
    for (uint32_t i = 0; i < comparison->count && file; i++)
        if (mine[i])
            fprintf(file, "%s%s", comparison->member[i].library->title,
                    --left > 1 ? ", "
                    : left     ? " and "
                               : "");
    return core_text_close(file, &text);
}

/* --- findings --------------------------------------------------------------------------------- */

static struct finding *difference_add(struct comparison *comparison, uint32_t at,
                                      enum finding_severity severity)
{
    struct finding *finding =
        finding_list_add(&comparison->member[at].judged[0].list, RULE_LIBRARY, severity);

    if (finding)
        finding_repeat(finding, "%s", comparison->repeat);
    return finding;
}

static enum core_status calls_add(struct finding *finding, struct trace *trace,
                                  const struct outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->call_count; i++)
        if (!finding_core_add(finding, trace, outcome->call[i].rank, outcome->call[i].seq))
            return CORE_NO_MEMORY;
    return CORE_OK;
}

/* Writes "MPI_Wait at quiz.c:33" for a call of the trace; empty: none. */
static const char *call_place(struct trace *trace, const struct outcome *outcome, char *text,
                              size_t bytes)
{
    struct trace_event event;
    char place[512];

    text[0] = '\0';
    if (outcome->call_count &&
        trace_event_get(trace, outcome->call[0].rank, outcome->call[0].seq, &event) == CORE_OK)
        snprintf(text, bytes, " in %s at %s", trace->call[event.call].name,
                 trace_site_text(trace, event.site, place, sizeof place));
    return text;
}

/* Tells whether one of the finding's calls has that function and place. */
static bool is_at(struct trace *trace, const struct finding *finding, const char *place)
{
    for (uint32_t i = 0; i < finding->call_count; i++) {
        const struct finding_call *call = &finding->call[i];
        char text[640];
        struct outcome one = {.call = &(struct outcome_call){call->rank, call->seq},
                              .call_count = 1};
        if (call->core && call->seq && !strcmp(call_place(trace, &one, text, sizeof text), place))
            return true;
    }
    return false;
}

/* Adds the mistake at that place that a library accepted, although the job finished. */
static void accepted_tell(const struct member *member, const char *place, struct finding *finding)
{
    struct judged *judged = &member->judged[0];

    for (uint32_t i = 0; i < judged->list.count && *place; i++) {
        const struct finding *other = &judged->list.finding[i];
        if (other->rule->id == finding->rule->id || other->severity == FINDING_NOTE ||
            !is_at(&judged->trace, other, place))
            continue;
        finding_fact(finding,
                     "with %s, where the job ran through, crosswait finds at that place %s[%s]: %s",
                     member->library->title, finding_severity_text(other->severity),
                     other->rule->id, finding_says(other));
        return;
    }
}

static void runs_tell(const struct member *member, struct finding *finding)
{
    finding_fact(finding, "compared by what repeats in %" PRIu32 " runs with each library",
                 member->runs);
}

/* --- how the job ends ------------------------------------------------------------------------- */

static bool ends_as(const struct comparison *comparison, uint32_t i, uint32_t j)
{
    return member_counts(&comparison->member[i]) && is_steady(&comparison->member[i]) &&
           outcome_ends_alike(&comparison->member[i].run[0], &comparison->member[j].run[0]);
}

/* Tells whether no earlier member ended like this one. */
static bool is_first(const struct comparison *comparison, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (ends_as(comparison, i, at))
            return false;
    return member_counts(&comparison->member[at]) && is_steady(&comparison->member[at]);
}

static bool has_failed(const struct outcome *outcome)
{
    return outcome->end != OUTCOME_OVER || outcome->status;
}

/* Writes "runs through", "runs through to another exit status than 0". */
static void says_write(const struct outcome *outcome, FILE *file)
{
    fputs(outcome_end_says(outcome->end), file);
    if (outcome->end == OUTCOME_OVER && outcome->status)
        fputs(" to another exit status than 0", file);
}

static char *names_as(const struct comparison *comparison, uint32_t at)
{
    bool *mine;
    char *names = NULL;

    if (CORE_ARRAY_NEW(mine, comparison->count, A_COMPARISON) != CORE_OK)
        return NULL;
    for (uint32_t i = 0; i < comparison->count; i++)
        mine[i] = ends_as(comparison, i, at);
    names = compare_names(comparison, mine);
    free(mine);
    return names;
}

/* Returns "the job hangs with A and B, and runs through with C", the worst first. */
static char *endings_title(const struct comparison *comparison)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    bool any = false;

    for (int good = 0; good < 2 && file; good++)
        for (uint32_t i = 0; i < comparison->count; i++) {
            if (!is_first(comparison, i) || has_failed(&comparison->member[i].run[0]) == good)
                continue;
            char *names = names_as(comparison, i);
            fputs(any ? ", and " : "the job ", file);
            says_write(&comparison->member[i].run[0], file);
            fprintf(file, " with %s", names ? names : "");
            free(names);
            any = true;
        }
    return core_text_close(file, &text);
}

static void ending_facts(const struct comparison *comparison, const struct member *shown,
                         struct finding *finding)
{
    char place[640], other[640];
    struct trace *trace = &shown->judged[0].trace;

    call_place(trace, &shown->run[0], place, sizeof place);
    for (uint32_t i = 0; i < comparison->count; i++) {
        struct member *member = &comparison->member[i];
        if (!member_counts(member))
            continue;
        if (!is_steady(member))
            finding_fact(finding, "with %s: differs from run to run, so it is not compared",
                         member->library->title);
        else if (member->run[0].end != OUTCOME_OVER || has_failed(&member->run[0]))
            finding_fact(finding, "with %s: %s%s, exit status %d", member->library->title,
                         outcome_end_text(member->run[0].end),
                         call_place(&member->judged[0].trace, &member->run[0], other, sizeof other),
                         member->run[0].status);
    }
    for (uint32_t i = 0; i < comparison->count; i++)
        if (is_over(&comparison->member[i]) && &comparison->member[i] != shown) {
            accepted_tell(&comparison->member[i], place, finding);
            break;
        }
    if (shown->run[0].outside >= 0)
        finding_fact(finding,
                     "rank %d was outside of MPI: MPI promises progress only while a rank is in "
                     "its calls",
                     shown->run[0].outside);
    runs_tell(shown, finding);
}

/* Adds one finding for all endings, with the calls of the first library that fails. */
static enum core_status endings_add(struct comparison *comparison)
{
    uint32_t groups = 0, shown = comparison->count;

    for (uint32_t i = 0; i < comparison->count; i++) {
        groups += is_first(comparison, i);
        if (shown == comparison->count && is_first(comparison, i) &&
            has_failed(&comparison->member[i].run[0]))
            shown = i;
    }
    if (groups < 2 || shown == comparison->count)
        return CORE_OK;
    struct member *member = &comparison->member[shown];
    struct finding *finding = difference_add(comparison, shown, FINDING_WARNING);
    char *title = endings_title(comparison);
    if (!finding || !title) {
        free(title);
        return CORE_NO_MEMORY;
    }
    finding_title(finding, "%s", title);
    free(title);
    enum core_status status = calls_add(finding, &member->judged[0].trace, &member->run[0]);
    ending_facts(comparison, member, finding);
    return status;
}

/* Adds notes for libraries with which the job ends differently from run to run, which is no
 * difference between libraries. */
static enum core_status unsteady_add(struct comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct member *member = &comparison->member[i];
        if (!member_counts(member) || is_steady(member))
            continue;
        struct finding *finding = difference_add(comparison, i, FINDING_NOTE);
        if (!finding)
            return CORE_NO_MEMORY;
        finding_title(finding, "the job ends differently from run to run with %s itself",
                      member->library->title);
        for (uint32_t r = 0; r < member->runs; r++)
            finding_fact(finding, "run %" PRIu32 ": %s, exit status %d", r + 1,
                         outcome_end_text(member->run[r].end), member->run[r].status);
    }
    return CORE_OK;
}

/* --- what it prints --------------------------------------------------------------------------- */

/* Adds the first receive that got another rank's message: where the runs of the two libraries
 * diverge. */
static enum core_status order_add(struct member *shown, const struct member *base,
                                  struct finding *finding)
{
    const struct report_facts facts[2] = {{.trace = &base->judged[0].trace},
                                          {.trace = &shown->judged[0].trace}};
    struct diff diff = {.side = {&facts[0], &facts[1]}};
    enum core_status status = diff_sequences(&diff);
    const struct diff_part *part = NULL;

    for (uint32_t i = 0; i < diff.order_count && !part; i++)
        if (diff.order[i].from[0] != diff.order[i].from[1])
            part = &diff.order[i];
    for (int side = 1; side >= 0 && status == CORE_OK && part; side--)
        finding_fact(finding, "receive %" PRIu64 " of rank %" PRIu32 " with %s: %s", part->number,
                     part->rank, (side ? shown : base)->library->title, part->what[side]);
    if (part)
        finding_fact(finding, "MPI does not define which of these messages comes first: with one "
                              "library, too, another run may end differently");
    if (status == CORE_OK && part && part->seq[1] &&
        !finding_core_add(finding, facts[1].trace, part->rank, part->seq[1]))
        status = CORE_NO_MEMORY;
    diff_done(&diff);
    return status;
}

struct kept { /* the recorded results of collectives, by rank and call */
    struct trace *trace;
    uint64_t *event;
    uint32_t count, at;
};
struct result { /* result of a collective on a rank */
    struct trace_event event;
    uint64_t rank, digest;
};

/* Finds the rank's next result. Returns false if there is none. */
static bool kept_next(struct kept *kept, uint64_t rank, struct result *out_result)
{
    uint64_t bytes;

    for (; kept->at < kept->count; kept->at++) {
        uint64_t of = kept->event[kept->at] >> SEQ_BITS,
                 seq = kept->event[kept->at] & ((UINT64_C(1) << SEQ_BITS) - 1);
        if (of > rank)
            return false;
        if (of == rank &&
            trace_digest_get(kept->trace, (uint32_t)rank, seq, SPOOL_AT_DONE, SPOOL_BUFFER_RECV,
                             &out_result->digest, &bytes) == CORE_OK &&
            trace_event_get(kept->trace, (uint32_t)rank, seq, &out_result->event) == CORE_OK) {
            out_result->rank = rank;
            kept->at++;
            return true;
        }
    }
    return false;
}

/* Two runs with one library, then two with the other. */
enum { BASE, BASE_AGAIN, SHOWN, SHOWN_AGAIN, KEPT_COUNT };

static bool next_of_all(struct kept kept[KEPT_COUNT], uint64_t rank,
                        struct result result[KEPT_COUNT])
{
    for (int i = 0; i < KEPT_COUNT; i++)
        if (!kept_next(&kept[i], rank, &result[i]) ||
            strcmp(kept[i].trace->call[result[i].event.call].name,
                   kept[0].trace->call[result[0].event.call].name) != 0)
            return false; /* later results are not comparable */
    return true;
}

/* Finds the first collective whose result differs between the libraries, but not between runs of
 * one library: a result from a clock differs each time. */
static bool result_find(struct kept kept[KEPT_COUNT], struct result result[KEPT_COUNT])
{
    for (uint64_t rank = 0; rank < kept[0].trace->rank_count; rank++)
        while (next_of_all(kept, rank, result))
            if (result[BASE].digest != result[SHOWN].digest &&
                result[BASE].digest == result[BASE_AGAIN].digest &&
                result[SHOWN].digest == result[SHOWN_AGAIN].digest)
                return true;
    return false;
}

static enum core_status result_add(struct member *shown, const struct member *base,
                                   struct finding *finding)
{
    struct trace again[2] = {{0}, {0}};
    struct kept kept[KEPT_COUNT] = {[BASE] = {.trace = &base->judged[0].trace},
                                    [BASE_AGAIN] = {.trace = &again[0]},
                                    [SHOWN] = {.trace = &shown->judged[0].trace},
                                    [SHOWN_AGAIN] = {.trace = &again[1]}};
    struct result result[KEPT_COUNT];
    enum core_status status = trace_open(base->again, TRACE_READ, &again[0]);

    if (status == CORE_OK)
        status = trace_open(shown->again, TRACE_READ, &again[1]);
    for (int i = 0; i < KEPT_COUNT && status == CORE_OK; i++)
        status = trace_digest_events(kept[i].trace, &kept[i].event, &kept[i].count);
    if (status == CORE_OK && result_find(kept, result)) {
        const struct trace_event *event = &result[SHOWN].event;
        finding_fact(
            finding,
            "rank %" PRIu64 ": %s is the first call that returns something other than with %s",
            result[SHOWN].rank, kept[SHOWN].trace->call[event->call].name, base->library->title);
        if (!finding_core_add(finding, kept[SHOWN].trace, (uint32_t)result[SHOWN].rank, event->seq))
            status = CORE_NO_MEMORY;
    }
    for (int i = 0; i < KEPT_COUNT; i++)
        free(kept[i].event);
    trace_close(&again[0]);
    trace_close(&again[1]);
    return status;
}

static void lines_tell(const struct member *member, const struct lines_only *only,
                       struct finding *finding)
{
    for (uint32_t i = 0; i < only->count && i < LINES_TOLD; i++)
        finding_fact(finding, "with %s: '%.200s'", member->library->title, only->line[i]);
    if (only->count > LINES_TOLD)
        finding_fact(finding, "with %s: %" PRIu32 " more lines", member->library->title,
                     only->count - LINES_TOLD);
}

/* Tells whether the program asks MPI for texts of errors, which differ between libraries. */
static bool explains_errors(const struct member *member)
{
    const struct trace *trace = &member->judged[0].trace;

    for (uint32_t i = 0; i < trace->call_count; i++)
        if (trace->call[i].name && trace->call[i].verb == VERB_EXPLAIN_ERROR)
            return true;
    return false;
}

/* Adds a difference in output. Numbers that may be times, and words that may be an error's, are no
 * difference, unless the program received other data. */
static enum core_status output_add(struct comparison *comparison, uint32_t at, uint32_t base,
                                   const char *names, const struct lines_only only[2],
                                   enum lines_differ differ)
{
    struct member *member = &comparison->member[at], *other = &comparison->member[base];
    struct finding *finding = difference_add(comparison, at, FINDING_WARNING);

    if (!finding)
        return CORE_NO_MEMORY;
    lines_tell(member, &only[0], finding);
    lines_tell(other, &only[1], finding);
    enum core_status status = order_add(member, other, finding);
    if (status == CORE_OK && !finding->call_count && *member->again && *other->again)
        status = result_add(member, other, finding);
    runs_tell(member, finding);
    bool times = differ == LINES_VALUES && comparison->clock && !finding->call_count;
    bool errors = differ == LINES_WORDS && explains_errors(member) && explains_errors(other) &&
                  !finding->call_count;
    finding_title(finding, "the output with %s differs from that with %s%s", names,
                  other->library->title,
                  differ == LINES_NUMBERS ? ", by no more than rounding"
                  : times                 ? ": numbers differ, which may be times"
                  : errors                ? ": words differ, which may be those of an error"
                                          : "");
    if (differ == LINES_NUMBERS || times || errors)
        finding->severity = FINDING_NOTE;
    return status;
}

/* Compares each output with that of the first library with which the job finished; libraries with
 * the same output are reported together. */
static enum core_status outputs_add(struct comparison *comparison)
{
    enum core_status status = CORE_OK;
    uint32_t base = 0, count = comparison->count;
    bool *told, *mine;

    while (base < count && !is_over(&comparison->member[base]))
        base++;
    if (CORE_ARRAY_NEW(told, count, A_COMPARISON) != CORE_OK)
        return CORE_NO_MEMORY;
    for (uint32_t i = base + 1; i < count && status == CORE_OK; i++) {
        struct lines x = lines_of(&comparison->member[i]), y = lines_of(&comparison->member[base]);
        struct lines_only only[2];
        enum lines_differ differ;
        if (told[i] || !is_over(&comparison->member[i]) || !ends_as(comparison, i, base))
            continue;
        status = lines_compare(&x, &y, only, &differ);
        if (status != CORE_OK)
            break;
        status = CORE_ARRAY_NEW(mine, count, A_COMPARISON);
        for (uint32_t j = i; j < count && differ != LINES_SAME && status == CORE_OK; j++)
            mine[j] = told[j] =
                is_over(&comparison->member[j]) &&
                lines_differ(&comparison->member[i], &comparison->member[j]) == LINES_SAME;
        char *names = status == CORE_OK ? compare_names(comparison, mine) : NULL;
        if (differ != LINES_SAME && names)
            status = output_add(comparison, i, base, names, only, differ);
        free(names);
        free(mine);
        lines_done(only);
    }
    free(told);
    return status;
}

/* --- findings --------------------------------------------------------------------------------- */

/* Tells whether each library's trace would show the finding if the program behaved the same. Worlds
 * of the program run once, for all libraries. */
static bool is_comparable(const struct finding *finding)
{
    return finding->severity != FINDING_NOTE && !finding->reach && !finding->schedule &&
           finding->rule != &rule_table[RULE_LIBRARY] &&
           finding->rule != &rule_table[RULE_BEHAVIOUR] && finding->rule != &rule_table[RULE_RACE];
}

static bool has_finding(struct judged *judged, const char *identity)
{
    bool has = false;

    for (uint32_t i = 0; i < judged->list.count && !has; i++) {
        char *other = identity_text(&judged->trace, &judged->list.finding[i]);
        has = other && !strcmp(other, identity);
        free(other);
    }
    return has;
}

/* Adds which libraries show the finding and which do not; nothing if all do, or an earlier
 * library's report has it. */
static enum core_status only_add(struct comparison *comparison, uint32_t at, uint32_t index)
{
    struct judged *judged = &comparison->member[at].judged[0];
    char *identity = identity_text(&judged->trace, &judged->list.finding[index]);
    bool *with, *without, any = false, before = false;
    enum core_status status = CORE_ARRAY_NEW(with, 2 * (size_t)comparison->count, A_COMPARISON);

    if (status != CORE_OK || !identity) {
        free(identity);
        free(with);
        return CORE_NO_MEMORY;
    }
    without = with + comparison->count;
    for (uint32_t i = 0; i < comparison->count; i++) {
        if (!is_over(&comparison->member[i]))
            continue;
        with[i] = has_finding(&comparison->member[i].judged[0], identity);
        without[i] = !with[i];
        any |= without[i];
        before |= with[i] && i < at;
    }
    free(identity);
    if (any && !before) {
        char *names = compare_names(comparison, with), *others = compare_names(comparison, without);
        struct finding *finding = difference_add(comparison, at, FINDING_NOTE);
        const struct finding *found = &judged->list.finding[index]; /* read again: difference_add
                                                                       may move it */
        if (finding && names && others)
            finding_title(finding, "with %s, and not with %s, crosswait finds %s[%s]: %s", names,
                          others, finding_severity_text(found->severity), found->rule->id,
                          finding_says(found));
        for (uint32_t i = 0; finding && i < found->call_count; i++)
            if (found->call[i].core && found->call[i].seq)
                finding_core_add(finding, &judged->trace, found->call[i].rank, found->call[i].seq);
        status = finding && names && others ? CORE_OK : CORE_NO_MEMORY;
        free(names);
        free(others);
    }
    free(with);
    return status;
}

static enum core_status found_add(struct comparison *comparison)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < comparison->count; i++) {
        if (!is_over(&comparison->member[i]))
            continue;
        const uint32_t count = comparison->member[i].judged[0].list.count;
        for (uint32_t j = 0; j < count && status == CORE_OK; j++)
            if (is_comparable(&comparison->member[i].judged[0].list.finding[j]))
                status = only_add(comparison, i, j);
    }
    return status;
}

enum core_status compare_add(struct comparison *comparison)
{
    enum core_status status = unsteady_add(comparison);

    if (status == CORE_OK)
        status = endings_add(comparison);
    if (status == CORE_OK)
        status = outputs_add(comparison);
    if (status == CORE_OK)
        status = found_add(comparison);
    return status;
}

uint32_t compare_warnings(const struct comparison *comparison)
{
    uint32_t warnings = 0;

    for (uint32_t i = 0; i < comparison->count; i++)
        for (uint32_t j = 0; j < comparison->member[i].judged_count; j++) {
            const struct finding_list *list = &comparison->member[i].judged[j].list;
            for (uint32_t k = 0; k < list->count; k++)
                warnings += list->finding[k].rule == &rule_table[RULE_LIBRARY] &&
                            list->finding[k].severity != FINDING_NOTE;
        }
    return warnings;
}
