/* Collective mismatch: the n-th collective of a communicator must be the same call on all its members, with the same root and
 * operation, and with equal sizes where MPI asks for them. The first mismatch of a communicator is reported; what comes behind it is
 * out of step and says nothing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/collective.h"
#include "core/describe.h"

enum { PARTS_LISTED_MAX = 16 };

/* Calls in which every member must give the same number of bytes. Gather, scatter and the like have sizes of two sides,
 * and are compared where the data meets (truncation), not here. */
static bool bytes_must_agree(const char *name)
{
    static const char *const same[] = {"MPI_Bcast",  "MPI_Reduce",  "MPI_Allreduce",  "MPI_Scan",  "MPI_Exscan",
                                       "MPI_Ibcast", "MPI_Ireduce", "MPI_Iallreduce", "MPI_Iscan", "MPI_Iexscan"};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(same[i], name) == 0)
            return true;
    return false;
}

static const char *difference(const struct trace *trace, const struct trace_event *a, const struct trace_event *b)
{
    if (a->call != b->call)
        return "different calls";
    if (trace->comm[a->comm].inter)
        return NULL; /* roots and sizes of the two groups differ by nature */
    if (a->root != b->root)
        return "different roots";
    if (a->op != b->op)
        return "different operations";
    if (a->bytes != b->bytes && bytes_must_agree(trace->call[a->call].name))
        return "different sizes";
    return NULL;
}

static enum core_status add_mismatch(const struct check_input *input, const struct collective_list *collectives,
                                     const struct collective *collective, const struct collective_part *a,
                                     const struct collective_part *b, const char *what, struct finding_list *list)
{
    struct finding *finding = finding_list_add(list, "collective", "misuse", FINDING_ERROR);
    char name[128];

    if (!finding)
        return CORE_NO_MEMORY;
    finding_title(finding, "%s in collective %" PRIu64 " of %s: rank %" PRIu32 " calls %s, rank %" PRIu32 " calls %s", what,
                  collective->number, describe_comm(input->trace, collective->comm, name, sizeof name), a->rank,
                  input->trace->call[a->event.call].name, b->rank, input->trace->call[b->event.call].name);
    for (uint32_t i = 0, listed = 0; i < collective->count && listed < PARTS_LISTED_MAX; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (!part->present)
            continue;
        struct finding_call *call = finding_call_add(finding, input->trace, part->rank, part->event.seq);
        if (call)
            call->core = true;
        listed++;
    }
    finding_repeat(finding, "crosswait check --only=collective '%s'", input->trace->path);
    return CORE_OK;
}

enum core_status check_collective(const struct check_input *input, struct finding_list *list)
{
    struct collective_list collectives;
    int32_t out_of_step = -1;
    enum core_status status = collective_list_load(input->trace, &collectives);

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < collectives.count && status == CORE_OK; i++) {
        const struct collective *collective = &collectives.collective[i];
        const struct collective_part *first = NULL;
        if (collective->comm == out_of_step)
            continue;
        for (uint32_t j = 0; j < collective->count && collective->comm != out_of_step && status == CORE_OK; j++) {
            const struct collective_part *part = &collectives.part[collective->first + j];
            if (!part->present)
                continue;
            if (input->trace->rank[part->rank].lost) {
                out_of_step = collective->comm; /* a lost call would shift all that follow */
                break;
            }
            if (!first) {
                first = part;
                continue;
            }
            const char *what = difference(input->trace, &first->event, &part->event);
            if (what) {
                status = add_mismatch(input, &collectives, collective, first, part, what, list);
                out_of_step = collective->comm;
            }
        }
    }
    collective_list_done(&collectives);
    return status;
}
