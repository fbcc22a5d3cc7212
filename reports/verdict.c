/* Writes the verdict line from the findings and the scope of the check. Findings are counted as
 * reports show them, with those that follow from another listed under it. "clean" has no
 * restriction only if every rank was recorded completely, every checker finished (the verdict names
 * rules that the user left out), no other job (spawned, connected) took part in its calls,
 * and every possible order was run or the recorded one is the only one. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "checkers/orders.h"
#include "core/trace/describe.h"
#include "reports/report.h"

struct line {
    char *text;
    size_t room, used;
};

static void line_add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void line_add(struct line *line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (line->used < line->room) {
        int more = vsnprintf(line->text + line->used, line->room - line->used, format, list);
        line->used += more > 0 ? (size_t)more : 0;
    }
    va_end(list);
}

bool report_is_whole(const struct report_facts *facts)
{
    return facts->ranks_in_state[EVENT_RANK_FINISHED] == facts->trace->rank_count && !facts->lost;
}

/* Adds the scope: a run that was not recorded completely is checked in its recorded order only. */
static void reach_add(const struct orders *orders, bool whole, struct line *line)
{
    char number[32];
    const char *plural = orders->tried == 1 ? "" : "s", *comma = whole ? "" : ",";
    describe_number(orders->tried, number, sizeof number);
    if (!whole)
        line_add(line, " as far as it was recorded");
    switch (orders->extent) {
    case ORDERS_ONE:
    case ORDERS_ALL:
        break;
    case ORDERS_OPEN:
        if (whole)
            line_add(line, " in the recorded order; others are possible");
        break;
    case ORDERS_FILES:
        if (whole)
            line_add(line, " in the recorded order; ranks may use files in another");
        break;
    case ORDERS_SOME:
    case ORDERS_MAYBE:
        line_add(line, "%s in the %s order%s tried; more %s", comma, number, plural,
                 orders->extent == ORDERS_SOME ? "exist" : "may exist");
        break;
    case ORDERS_POLLS:
        line_add(line, "%s in the %s order%s in which no test or probe fails twice in a row", comma,
                 number, plural);
        break;
    case ORDERS_STATES:
        line_add(line, "%s in every order of its messages if sends are buffered", comma);
        break;
    case ORDERS_EXTENT_COUNT:
        break;
    }
}

const char *report_verdict(const struct report_facts *facts, char *buffer, size_t buffer_bytes)
{
    uint32_t count[] = {[FINDING_NOTE] = 0, [FINDING_WARNING] = 0, [FINDING_ERROR] = 0};
    const struct finding_list *list = facts->findings;
    struct line line = {buffer, buffer_bytes, 0};
    char number[32];

    buffer[0] = 0;
    if (!list)
        return buffer;
    if (facts->interrupted)
        line_add(&line, "interrupted by %s; ", facts->interrupted);
    const size_t begun = line.used;
    uint32_t heads = 0, follow = 0, worse = 0;
    bool fails = false;
    for (const struct report_entry *e = facts->entry; e < facts->entry + list->count; e++) {
        if (finding_is_faint(e->finding))
            continue;
        fails |= e->finding->severity != FINDING_NOTE;
        if (!e->cause)
            heads++, count[e->finding->severity]++;
        else if (e->finding->severity == FINDING_ERROR && e->cause->severity != FINDING_ERROR)
            worse++;
        else if (e->finding->severity != FINDING_NOTE)
            follow++;
    }
    if (!fails && (list->spent || finding_list_undecided(list))) {
        line_add(&line, "undecided");
    } else if (!fails) {
        line_add(&line, "clean");
        reach_add(&list->orders, report_is_whole(facts), &line);
    }
    for (int severity = FINDING_ERROR; severity >= FINDING_NOTE; severity--)
        if (count[severity])
            line_add(&line, "%s%" PRIu32 " %s%s", line.used > begun ? ", " : "", count[severity],
                     finding_severity_text((enum finding_severity)severity),
                     count[severity] == 1 ? "" : "s");
    const char *from = heads == 1 ? "it" : "them", *verb = worse == 1 ? " follows" : "s follow";
    if (worse)
        line_add(&line, "; %" PRIu32 " error%s from %s", worse, verb, from);
    verb = follow == 1 ? "follows" : "follow";
    if (follow)
        line_add(&line, "; %" PRIu32 " more %s from %s", follow, verb, from);
    if (facts->abroad)
        line_add(&line, "; %s call%s judged on this side only: another job takes part",
                 describe_number(facts->abroad, number, sizeof number),
                 facts->abroad == 1 ? " is" : "s are");
    if (list->only)
        line_add(&line, "; checked: only %s", list->only);
    if (list->ignored)
        line_add(&line, "; ignored: %s", list->ignored);
    return buffer;
}
