/* Keeps a list of the pairs that were reported (type_report.h). */
#include "checkers/collective/type_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/pickled.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"

enum { SAID_MAX = 16 };

struct type_said {
    struct type_pair pair;
    int32_t site[2];
    uint32_t finding; /* index in the list */
    uint64_t count;
    bool *told; /* by rank, sender first: the finding has a call of it */
};

static int32_t site_of(struct trace *trace, const struct type_pair *pair, int side)
{
    struct trace_event event;

    return pair->seq[side] &&
                   trace_event_get(trace, pair->rank[side], pair->seq[side], &event) == CORE_OK
               ? event.site
               : -1;
}

static struct type_said *type_report_find(const struct type_report *report,
                                          const struct type_said *wanted)
{
    for (uint32_t i = 0; i < report->count; i++) {
        struct type_said *said = &report->said[i];
        if (!memcmp(said->site, wanted->site, sizeof said->site) &&
            said->pair.meeting == wanted->pair.meeting &&
            !strcmp(said->pair.name[0], wanted->pair.name[0]) &&
            !strcmp(said->pair.name[1], wanted->pair.name[1]))
            return said;
    }
    return NULL;
}

static void type_report_say(const struct trace *trace, struct finding *finding,
                            const struct type_pair *pair, const int32_t *site)
{
    const char *how = pair->difference == TYPES_NAMED ? " in name" : "";

    CORE_CHECK(pair->difference != TYPES_ALIKE);
    switch (pair->meeting) {
    case TYPE_MESSAGE:
        finding_title(finding,
                      "types differ%s: rank %" PRIu32 " sends %s, rank %" PRIu32
                      " receives it as %s",
                      how, pair->rank[0], pair->name[0], pair->rank[1], pair->name[1]);
        break;
    case TYPE_PACKED:
        finding->remedy = pair->difference == TYPES_NAMED ? REMEDY_OF_RULE : REMEDY_UNPACK;
        finding_title(
            finding, "types differ%s: rank %" PRIu32 " packs %s, rank %" PRIu32 " unpacks it as %s",
            how, pair->rank[0], pair->name[0], pair->rank[1], pair->name[1]);
        break;
    case TYPE_SHARED:
        finding_title(finding,
                      "types differ%s: rank %" PRIu32 " gives %s, rank %" PRIu32
                      " gives %s to the same collective",
                      how, pair->rank[0], pair->name[0], pair->rank[1], pair->name[1]);
        break;
    case TYPE_WINDOW:
        finding_title(finding,
                      "types differ%s: %s in the buffer of rank %" PRIu32
                      ", %s in the window of rank %" PRIu32,
                      how, pair->name[0], pair->rank[0], pair->name[1], pair->rank[1]);
        break;
    }
    const struct pickled_side side[2] = {{pair->rank[0], site[0], pair->name[0]},
                                         {pair->rank[1], site[1], pair->name[1]}};
    if (pair->meeting == TYPE_MESSAGE && pickled_say(trace, finding, side)) {
        finding->effect = FINDING_EFFECT_FAILS;
        return;
    }
    if (pair->difference == TYPES_NAMED)
        finding_fact(finding,
                     "MPI requires the same datatype on both sides (MPI_PACKED matches any), "
                     "although the bytes are the same here; --ignore=type leaves such "
                     "findings out");
    else
        finding_fact(finding, "bytes of the one type are read as the other; between machines that "
                              "represent numbers differently even the bytes differ");
}

/* Adds the calls of ranks that the finding does not have yet. */
static void ranks_join(struct type_report *report, const struct type_said *said,
                       const struct type_pair *pair)
{
    struct trace *trace = report->input->trace;
    CORE_CHECK(said->finding < report->list->count);
    for (int side = 0; side < 2 && pair->seq[side]; side++) {
        CORE_CHECK(pair->rank[side] < trace->rank_count);
        bool *told = &said->told[2 * (size_t)pair->rank[side] + (side != 0)];
        if (!*told)
            finding_core_add(&report->list->finding[said->finding], trace, pair->rank[side],
                             pair->seq[side]);
        *told = true;
    }
}

enum core_status type_report_add(struct type_report *report, const struct type_pair *pair)
{
    struct trace *trace = report->input->trace;
    struct type_said fresh = {.pair = *pair, .count = pair->count ? pair->count : 1};

    if (pair->difference == TYPES_ALIKE)
        return CORE_OK;
    CORE_CHECK(pair->name[0]); /* types_compare names the types that differ */
    CORE_CHECK(pair->name[1]);
    CORE_CHECK(report->count <= SAID_MAX);
    for (int side = 0; side < 2; side++)
        fresh.site[side] = site_of(trace, pair, side);
    struct type_said *said = type_report_find(report, &fresh);
    if (said || report->count == SAID_MAX) {
        if (said) {
            said->count += fresh.count;
            ranks_join(report, said, pair);
        }
        return CORE_OK;
    }
    enum core_status status =
        CORE_ARRAY_NEW(fresh.told, 2 * (uint64_t)trace->rank_count + 1, "datatypes that differ");
    if (status != CORE_OK)
        return status;
    struct finding *finding =
        finding_list_add(report->list, pair->difference == TYPES_NAMED ? RULE_TYPE : report->rule,
                         pair->difference == TYPES_NAMED ? FINDING_WARNING : FINDING_ERROR);
    status = finding ? CORE_ARRAY_PUSH(report->said, report->count, report->room,
                                       "datatypes that differ", fresh)
                     : CORE_NO_MEMORY;
    if (status != CORE_OK) {
        free(fresh.told);
        return status;
    }
    said = &report->said[report->count - 1];
    said->finding = report->list->count - 1;
    type_report_say(trace, finding, pair, fresh.site);
    ranks_join(report, said, pair);
    return CORE_OK;
}

void type_report_done(struct type_report *report)
{
    char number[32];

    for (uint32_t i = 0; i < report->count; i++) {
        CORE_CHECK(report->said[i].finding < report->list->count);
        if (report->said[i].count > 1)
            finding_fact(&report->list->finding[report->said[i].finding], "%s times in all",
                         describe_number(report->said[i].count, number, sizeof number));
        free(report->said[i].told);
    }
    free(report->said);
    report->said = NULL;
    report->count = report->room = 0;
}
