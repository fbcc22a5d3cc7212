/* See cure.h.
 *
 *   rank 0: Bcast, Reduce     rank 1: Reduce, Bcast
 *
 * Rank 1's second collective is rank 0's first, and rank 1's first is rank 0's second: if rank 1
 * swaps its calls, both collectives match. */
#include "checkers/collective/cure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"

static enum core_status cure_set(struct finding *finding, char *text)
{
    if (!text)
        return core_report(CORE_NO_MEMORY, "out of memory for a remedy");
    CORE_CHECK(!finding->tried);
    finding->tried = text;
    return CORE_OK;
}

/* Returns the next collective of the same communicator; NULL: it is the last. */
static const struct collective *next_of(const struct collective_list *list,
                                        const struct collective *collective)
{
    const struct collective *next = collective + 1;

    CORE_CHECK(collective >= list->collective && collective < list->collective + list->count);
    return next < list->collective + list->count && next->comm == collective->comm ? next : NULL;
}

/* --- the order of two calls ------------------------------------------------------------------- */

/* Tells whether each member's two calls are those of `usual` in the same or the swapped order. odd:
 * room for all members; filled with the *out_count members whose calls are swapped. */
static bool is_exchange(struct trace *trace, const struct collective_part *now,
                        const struct collective_part *next, uint32_t count, uint32_t usual,
                        cure_same_fn same, uint32_t *odd, uint32_t *out_count)
{
    *out_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!now[i].present || !next[i].present)
            return false;
        CORE_CHECK(now[i].rank == next[i].rank); /* members are in the communicator's order */
        if (same(trace, &now[i].event, &now[usual].event) &&
            same(trace, &next[i].event, &next[usual].event))
            continue;
        if (!same(trace, &now[i].event, &next[usual].event) ||
            !same(trace, &next[i].event, &now[usual].event))
            return false;
        odd[(*out_count)++] = i;
    }
    return *out_count > 0;
}

static enum core_status order_word(struct trace *trace, const struct collective_part *now,
                                   const struct collective_part *next, uint32_t *odd,
                                   uint32_t count, struct finding *finding)
{
    const struct collective_part *one = &now[odd[0]], *other = &next[odd[0]];
    char *text, place[2][256];

    CORE_CHECK(count > 0);
    for (uint32_t i = 0; i < count; i++)
        odd[i] = now[odd[i]].rank;
    char *ranks = wording_ranks_text(odd, count, " and ");
    if (!ranks ||
        asprintf(&text,
                 "let %s call %s (%s) before %s (%s), as the others do: then these two calls are "
                 "the same on all ranks of the communicator",
                 ranks, trace->call[other->event.call].name,
                 trace_site_text(trace, other->event.site, place[0], sizeof place[0]),
                 trace->call[one->event.call].name,
                 trace_site_text(trace, one->event.site, place[1], sizeof place[1])) < 0)
        text = NULL;
    free(ranks);
    return cure_set(finding, text);
}

enum core_status cure_order(const struct check_input *input,
                            const struct collective_list *collectives,
                            const struct collective *collective, cure_same_fn same,
                            struct finding *finding)
{
    const struct collective *next = next_of(collectives, collective);
    const struct collective_part *now = &collectives->part[collective->first];
    uint32_t *odd, count = 0;

    if (!next || next->count != collective->count || input->trace->comm[collective->comm].inter)
        return CORE_OK;
    enum core_status status = CORE_ARRAY_NEW(odd, collective->count, "a remedy");
    if (status != CORE_OK)
        return status;
    const struct collective_part *then = &collectives->part[next->first];
    bool cures = is_exchange(input->trace, now, then, collective->count, 0, same, odd, &count);
    if (cures && count * 2 > collective->count) /* the first member is in the minority */
        cures = is_exchange(input->trace, now, then, collective->count, odd[0], same, odd, &count);
    if (cures)
        status = order_word(input->trace, now, then, odd, count, finding);
    free(odd);
    return status;
}

/* --- another communicator --------------------------------------------------------------------- */

/* Tells whether the members of `comm` are exactly the members that make the call. */
static bool members_are(const struct trace *trace, int32_t comm, const struct collective_part *part,
                        uint32_t count)
{
    const struct trace_comm *of = &trace->comm[comm];
    int32_t there = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool member = false;
        for (int32_t k = 0; k < of->size; k++)
            member |= of->member[k] == (int32_t)part[i].rank;
        if (member != part[i].present)
            return false;
        there += member;
    }
    return there == of->size && there > 1;
}

/* Tells whether the rank has the communicator when it makes the call. *out_calls: collectives that
 * the rank made on it until then. */
static bool has_comm(const struct collective_list *list, int32_t comm,
                     const struct collective_part *call, uint64_t *out_calls)
{
    bool made = false;

    *out_calls = 0;
    for (uint64_t i = 0; i < list->part_count; i++) {
        const struct collective_part *part = &list->part[i];
        if (!part->present || part->rank != call->rank || part->event.seq >= call->event.seq)
            continue;
        made |=
            trait_in(part->event.traits, TRAIT_MAKES_COMM) && (int64_t)part->event.request == comm;
        if (part->event.comm != comm)
            continue;
        if (trait_in(part->event.traits, TRAIT_FREES_COMM))
            return false;
        ++*out_calls;
    }
    return made;
}

/* Tells whether the ranks that make the call (part) could make it on `comm`, each after the same
 * number of collectives on `comm`. */
static bool fits_comm(const struct trace *trace, const struct collective_list *list, int32_t comm,
                      const struct collective *collective, const struct collective_part *part)
{
    uint64_t before = UINT64_MAX, calls;

    CORE_CHECK((uint32_t)comm < trace->comm_count);
    if (comm == collective->comm || trace->comm[comm].inter || trace->comm[comm].size < 2 ||
        !members_are(trace, comm, part, collective->count))
        return false;
    for (uint32_t i = 0; i < collective->count; i++) {
        if (!part[i].present)
            continue;
        int32_t root = part[i].event.root;
        if (!has_comm(list, comm, &part[i], &calls) || (before != UINT64_MAX && calls != before) ||
            (root >= 0 && trace->comm[comm].member[0] >= 0 &&
             (root >= trace->comm[comm].size ||
              trace->comm[comm].member[root] != trace->comm[collective->comm].member[root])))
            return false;
        before = calls;
    }
    return true;
}

enum core_status cure_communicator(const struct check_input *input,
                                   const struct collective_list *collectives,
                                   const struct collective *collective, struct finding *finding)
{
    struct trace *trace = input->trace;
    const struct collective_part *part = &collectives->part[collective->first], *there = NULL;
    char name[384], place[256], *text;

    CORE_CHECK(finding->effect == FINDING_EFFECT_LACKS);
    if (next_of(collectives, collective) || trace->comm[collective->comm].inter)
        return CORE_OK;
    for (uint32_t i = 0; i < collective->count; i++)
        there = part[i].present ? &part[i] : there;
    for (int32_t comm = 0; there && comm < (int32_t)trace->comm_count; comm++) {
        if (!fits_comm(trace, collectives, comm, collective, part))
            continue;
        if (asprintf(&text,
                     "make this %s (%s) on %s, if you mean its members: only they call it, and "
                     "then no rank lacks a call",
                     trace->call[there->event.call].name,
                     trace_site_text(trace, there->event.site, place, sizeof place),
                     describe_comm(trace, comm, name, sizeof name)) < 0)
            text = NULL;
        return cure_set(finding, text);
    }
    return CORE_OK;
}

/* Marks in `group` the members that make the same call as member `of`. Returns their number. */
static uint32_t group_mark(struct trace *trace, const struct collective *collective,
                           const struct collective_part *part, uint32_t of, cure_same_fn same,
                           struct collective_part *group)
{
    uint32_t count = 0;

    CORE_CHECK(part[of].present);
    for (uint32_t i = 0; i < collective->count; i++) {
        group[i] = part[i];
        group[i].present =
            part[i].present && (i == of || same(trace, &part[i].event, &part[of].event));
        count += group[i].present;
    }
    return count;
}

static enum core_status members_word(struct trace *trace, const struct collective *collective,
                                     const struct collective_part *group, int32_t comm,
                                     struct finding *finding)
{
    uint32_t *rank = NULL, count = 0;
    const char *call = "";
    char name[384];
    enum core_status status = CORE_ARRAY_NEW(rank, collective->count, "members of a communicator");

    for (uint32_t i = 0; i < collective->count && status == CORE_OK; i++)
        if (group[i].present) {
            call = trace->call[group[i].event.call].name;
            rank[count++] = group[i].rank;
        }
    char *ranks = status == CORE_OK ? wording_ranks_text(rank, count, " and ") : NULL;
    if (ranks)
        finding_fact(finding, "%s are the members of %s: make %s there if you mean them", ranks,
                     describe_comm(trace, comm, name, sizeof name), call);
    free(ranks);
    free(rank);
    return status;
}

enum core_status cure_members(const struct check_input *input,
                              const struct collective_list *collectives,
                              const struct collective *collective, cure_same_fn same,
                              struct finding *finding)
{
    struct trace *trace = input->trace;
    const struct collective_part *part = &collectives->part[collective->first];
    struct collective_part *group = NULL;
    bool said = trace->comm[collective->comm].inter;
    enum core_status status = CORE_ARRAY_NEW(group, collective->count, "members of a communicator");

    for (uint32_t i = 0; i < collective->count && !said && status == CORE_OK; i++) {
        bool first = part[i].present;
        for (uint32_t k = 0; k < i && first; k++)
            first = !part[k].present || !same(trace, &part[k].event, &part[i].event);
        if (!first || group_mark(trace, collective, part, i, same, group) == collective->present)
            continue;
        for (int32_t comm = 0; comm < (int32_t)trace->comm_count && !said; comm++) {
            said = fits_comm(trace, collectives, comm, collective, group);
            if (said)
                status = members_word(trace, collective, group, comm, finding);
        }
    }
    free(group);
    return status;
}

/* --- a call too many -------------------------------------------------------------------------- */

/* Tells whether the later calls of all members are the same if those in `part` that are present
 * leave out this one: then each of their next calls is what the others call now. */
static bool is_extra(struct trace *trace, const struct collective_list *list,
                     const struct collective *collective, cure_same_fn same,
                     const struct collective_part *part)
{
    const uint32_t count = collective->count;

    for (const struct collective *at = collective, *next; at; at = next) {
        const struct collective_part *now = &list->part[at->first], *then, *usual = NULL;
        next = next_of(list, at);
        then = next ? &list->part[next->first] : NULL;
        if (next && next->count != count)
            return false;
        for (uint32_t i = 0; i < count && !usual; i++)
            usual = part[i].present ? NULL : &now[i];
        CORE_CHECK(usual);
        for (uint32_t i = 0; i < count; i++) {
            const struct collective_part *here = part[i].present ? then ? &then[i] : NULL : &now[i];
            bool present = here && here->present;
            if (present != usual->present || (present && !same(trace, &here->event, &usual->event)))
                return false;
        }
        if (!usual->present)
            return at != collective;
    }
    return false;
}

static enum core_status extra_word(const struct check_input *input,
                                   const struct collective_list *collectives,
                                   const struct collective *collective,
                                   const struct collective_part *part, struct finding *finding)
{
    static const char then[] = "without it the later collective calls of all ranks are the same";
    struct trace *trace = input->trace;
    const struct collective_part *there = NULL;
    char name[384], place[256], *text = NULL, *ranks = NULL;
    uint32_t *others, other_count = 0;
    int32_t comm = 0;
    enum core_status status = CORE_ARRAY_NEW(others, collective->count, "a remedy");

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < collective->count; i++) {
        if (part[i].present)
            there = &part[i];
        else
            others[other_count++] = part[i].rank;
    }
    CORE_CHECK(there && other_count > 0);
    while (comm < (int32_t)trace->comm_count &&
           !fits_comm(trace, collectives, comm, collective, part))
        comm++;
    const char *call = trace->call[there->event.call].name;
    trace_site_text(trace, there->event.site, place, sizeof place);
    if (comm < (int32_t)trace->comm_count) {
        if (asprintf(&text,
                     "make this %s (%s) on %s, if you mean its members: only they call it, and %s",
                     call, place, describe_comm(trace, comm, name, sizeof name), then) < 0)
            text = NULL;
    } else {
        ranks = wording_ranks_text(others, other_count, " and ");
        if (!ranks || asprintf(&text, "let %s call %s (%s) too, or no rank: %s", ranks, call, place,
                               then) < 0)
            text = NULL;
    }
    free(ranks);
    free(others);
    return cure_set(finding, text);
}

enum core_status cure_extra(const struct check_input *input,
                            const struct collective_list *collectives,
                            const struct collective *collective, cure_same_fn same,
                            struct finding *finding)
{
    const struct collective_part *now = &collectives->part[collective->first];
    struct collective_part *part;
    enum core_status status = CORE_OK;

    if (collective->present < collective->count || input->trace->comm[collective->comm].inter)
        return CORE_OK;
    status = CORE_ARRAY_NEW(part, collective->count, "a remedy");
    for (int side = 0; status == CORE_OK && side < 2 && !finding->tried; side++) {
        uint32_t makes = 0;
        for (uint32_t i = 0; i < collective->count; i++) {
            part[i] = now[i];
            part[i].present = same(input->trace, &now[i].event, &now[0].event) == !side;
            makes += part[i].present;
        }
        if (makes && makes < collective->count &&
            is_extra(input->trace, collectives, collective, same, part))
            status = extra_word(input, collectives, collective, part, finding);
    }
    free(part);
    return status;
}
