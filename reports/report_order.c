/* Sorts findings for the reports: those that ended the job first, errors before warnings before
 * notes, a symptom under its cause; otherwise in the order found. */
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "reports/report.h"

/* Tells whether a rank is still in one of the calls that block it. Warnings (on a buffer's type,
 * say) block no rank. */
static bool ended_in(struct trace *trace, const struct finding *finding)
{
    struct trace_event event;

    for (uint32_t i = 0; i < finding->call_count && finding->severity == FINDING_ERROR; i++) {
        const struct finding_call *call = &finding->call[i];
        if (call->core && call->seq && call->rank < trace->rank_count &&
            trace->rank[call->rank].state != EVENT_RANK_FINISHED &&
            trace_event_get(trace, call->rank, call->seq, &event) == CORE_OK && event.pending)
            return true;
    }
    return false;
}

static const struct report_entry *head_of(const struct report_entry *entry,
                                          const struct report_entry *all)
{
    return entry->cause ? &all[entry->cause->id - 1] : entry;
}

struct place { /* sort key of an entry: itself, and the cause that it follows from */
    struct report_entry entry, head;
};

/* Adds a symptom to its cause, which takes over its severity and whether it ended the job. Entries
 * are by id. */
static void symptom_add(struct report_entry *all, const struct report_entry *symptom)
{
    struct report_entry *head = symptom->cause ? &all[symptom->cause->id - 1] : NULL;

    if (!head)
        return;
    CORE_CHECK(!head->cause); /* finding.h: causes follow from none */
    head->follows++;
    head->ended |= symptom->ended;
    head->ended_job |= symptom->ended_job;
    if (symptom->severity > head->severity)
        head->severity = symptom->severity;
}

static int place_compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const struct finding *p = x->head.finding, *q = y->head.finding;

    if (x->head.ended_job != y->head.ended_job)
        return x->head.ended_job ? -1 : 1;
    if (x->head.ended != y->head.ended)
        return x->head.ended ? -1 : 1;
    if (x->head.severity != y->head.severity)
        return x->head.severity > y->head.severity ? -1 : 1;
    if (p->id != q->id)
        return p->id < q->id ? -1 : 1;
    if (!x->entry.cause != !y->entry.cause)
        return x->entry.cause ? 1 : -1;
    return (x->entry.finding->id > y->entry.finding->id) -
           (x->entry.finding->id < y->entry.finding->id);
}

enum core_status report_order_gather(struct report_facts *facts)
{
    uint32_t count = facts->findings ? facts->findings->count : 0;
    struct place *place = NULL;
    enum core_status status = CORE_ARRAY_NEW(facts->entry, count + 1, "the report");

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(place, count + 1, "the report");
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) { /* by id */
        const struct finding *finding = &facts->findings->finding[i];
        facts->entry[i] = (struct report_entry){
            .finding = finding,
            .cause = finding->cause ? &facts->findings->finding[finding->cause - 1] : NULL,
            .severity = finding->severity,
            .ended_job = finding->ended_job,
            .ended = finding->ended_job || ended_in(facts->trace, finding)};
    }
    for (uint32_t i = 0; i < count && status == CORE_OK; i++)
        symptom_add(facts->entry, &facts->entry[i]);
    for (uint32_t i = 0; i < count && status == CORE_OK; i++)
        place[i] = (struct place){facts->entry[i], *head_of(&facts->entry[i], facts->entry)};
    if (status == CORE_OK && count)
        qsort(place, count, sizeof *place, place_compare);
    for (uint32_t i = 0; i < count && status == CORE_OK; i++)
        facts->entry[i] = place[i].entry;
    free(place);
    return status;
}
