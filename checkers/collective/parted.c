/* See parted.h. Compares two members: one of the majority in the collective that went wrong, and
 * the first member that does otherwise. Calls are equal if function and place are. */
#include "checkers/collective/parted.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/check.h"
#include "core/trace/trace.h"

enum { SHIFT_MAX = 3 }; /* calls in a row that a rank may leave out or make alone */

struct pair {
    const struct check_input *input;
    const struct collective_list *collectives;
    const struct collective *at;
    uint32_t odd, usual; /* members */
    uint64_t odd_calls, usual_calls;
};

/* Returns the member's call in the n-th collective of the communicator; NULL: it made none. */
static const struct collective_part *part_of(const struct collective_list *collectives,
                                             const struct collective *at, uint32_t member,
                                             uint64_t number)
{
    uint64_t index = (uint64_t)(at - collectives->collective) + number - at->number;

    CORE_CHECK(number > 0 && member < at->count);
    if (index >= collectives->count || collectives->collective[index].comm != at->comm)
        return NULL;
    const struct collective_part *part =
        &collectives->part[collectives->collective[index].first + member];
    return part->present ? part : NULL;
}

static bool calls_equal(const struct collective_part *a, const struct collective_part *b)
{
    if (!a || !b)
        return a == b;
    return a->event.call == b->event.call && a->event.site > 0 && a->event.site == b->event.site;
}

/* Finds a member of the majority (Boyer-Moore vote); without a majority it is an arbitrary member.
 */
static uint32_t usual_member(const struct collective_list *collectives, const struct collective *at)
{
    uint32_t member = 0, votes = 0;

    for (uint32_t i = 0; i < at->count; i++) {
        if (!votes)
            member = i;
        if (calls_equal(part_of(collectives, at, i, at->number),
                        part_of(collectives, at, member, at->number)))
            votes++;
        else
            votes--;
    }
    return member;
}

static uint64_t calls_made(const struct pair *pair, uint32_t member)
{
    uint64_t number = pair->at->number - 1;

    while (part_of(pair->collectives, pair->at, member, number + 1))
        number++;
    return number;
}

/* Tells whether, from `number` on, a member's calls equal the other member's calls `shift` later,
 * up to the end of either. At least one call is compared. */
static bool is_shifted(const struct pair *pair, uint64_t number, uint32_t member,
                       uint64_t member_calls, uint32_t other, uint64_t other_calls, uint64_t shift)
{
    uint64_t n = number;

    for (; n <= member_calls && n + shift <= other_calls; n++)
        if (!calls_equal(part_of(pair->collectives, pair->at, member, n),
                         part_of(pair->collectives, pair->at, other, n + shift)))
            return false;
    return n > number;
}

static const char *place_text(const struct pair *pair, const struct collective_part *part,
                              char *text, size_t text_bytes)
{
    return trace_site_text(pair->input->trace, part->event.site, text, text_bytes);
}

/* Says that the odd member made `count` calls from `number` on which the usual one left out, or the
 * reverse. */
static void say_left_out(const struct pair *pair, uint64_t number, uint64_t count, bool odd_did,
                         struct finding *finding)
{
    const struct collective_part *parts = &pair->collectives->part[pair->at->first];
    const struct collective_part *part =
        part_of(pair->collectives, pair->at, odd_did ? pair->odd : pair->usual, number);
    char place[256], more[64] = "";

    CORE_CHECK(part && count > 0);
    if (count > 1)
        snprintf(more, sizeof more, " and the next %" PRIu64, count - 1);
    finding_fact(finding,
                 "the ranks diverged before, in collective %" PRIu64 ": rank %" PRIu32
                 " %s %s at %s%s; from there on its calls are at the places of rank %" PRIu32 "'s",
                 number, parts[pair->odd].rank, odd_did ? "alone called" : "left out",
                 pair->input->trace->call[part->event.call].name,
                 place_text(pair, part, place, sizeof place), more, parts[pair->usual].rank);
}

/* Says that the two were at the same places up to the collective before `number`, and never after.
 */
static void say_parted(const struct pair *pair, uint64_t number, struct finding *finding)
{
    const struct collective_part *odd = part_of(pair->collectives, pair->at, pair->odd, number);
    const struct collective_part *usual = part_of(pair->collectives, pair->at, pair->usual, number);
    char place[256], other[256];

    CORE_CHECK(odd && usual); /* both made a later call */
    finding_fact(finding,
                 "the ranks diverged before, in collective %" PRIu64 ": rank %" PRIu32
                 " was at %s, rank %" PRIu32 " at %s; before it they called from the same places",
                 number, odd->rank, place_text(pair, odd, place, sizeof place), usual->rank,
                 place_text(pair, usual, other, sizeof other));
}

static void say_pair_parted(const struct pair *pair, struct finding *finding)
{
    uint64_t number = 1;

    while (number < pair->at->number &&
           calls_equal(part_of(pair->collectives, pair->at, pair->odd, number),
                       part_of(pair->collectives, pair->at, pair->usual, number)))
        number++;
    if (number == pair->at->number)
        return; /* they first differ where the finding is */
    for (uint64_t shift = 1; shift <= SHIFT_MAX; shift++) {
        if (is_shifted(pair, number, pair->odd, pair->odd_calls, pair->usual, pair->usual_calls,
                       shift)) {
            say_left_out(pair, number, shift, false, finding);
            return;
        }
        if (is_shifted(pair, number, pair->usual, pair->usual_calls, pair->odd, pair->odd_calls,
                       shift)) {
            say_left_out(pair, number, shift, true, finding);
            return;
        }
    }
    uint64_t first = number;
    for (; number < pair->at->number; number++)
        if (calls_equal(part_of(pair->collectives, pair->at, pair->odd, number),
                        part_of(pair->collectives, pair->at, pair->usual, number)))
            return; /* they meet again: the program has a branch for each of them */
    if (first > 1)
        say_parted(pair, first, finding);
}

void parted_say(const struct check_input *input, const struct collective_list *collectives,
                const struct collective *collective, struct finding *finding)
{
    struct pair pair = {.input = input, .collectives = collectives, .at = collective};

    CORE_CHECK(collective->count > 0);
    pair.usual = usual_member(collectives, collective);
    while (pair.odd < collective->count &&
           calls_equal(part_of(collectives, collective, pair.odd, collective->number),
                       part_of(collectives, collective, pair.usual, collective->number)))
        pair.odd++;
    if (pair.odd == collective->count)
        return;
    pair.odd_calls = calls_made(&pair, pair.odd);
    pair.usual_calls = calls_made(&pair, pair.usual);
    say_pair_parted(&pair, finding);
}

/* Returns the root of the reduction whose result this member has not, as a member; -1: none. */
static int32_t root_of(const struct collective *before, const struct collective_part *part)
{
    int32_t root = -1;

    for (uint32_t i = 0; i < before->count; i++) {
        const struct trace_event *event = &part[before->first + i].event;
        if (!part[before->first + i].present || event->verb != VERB_REDUCE || event->root < 0 ||
            (uint32_t)event->root >= before->count || (i && event->root != root))
            return -1;
        root = event->root;
    }
    return root;
}

void parted_say_reduced(const struct check_input *input, const struct collective_list *collectives,
                        const struct collective *collective, struct finding *finding)
{
    const struct trace *trace = input->trace;
    const struct collective *before = collective - 1;
    const struct collective_part *part = &collectives->part[collective->first], *other = NULL;
    char place[256];

    CORE_CHECK(collective >= collectives->collective);
    if (collective == collectives->collective || before->comm != collective->comm ||
        before->number + 1 != collective->number || trace->comm[collective->comm].inter)
        return;
    int32_t root = root_of(before, collectives->part);
    for (uint32_t i = 0; root >= 0 && i < collective->count; i++) {
        if ((int32_t)i == root)
            continue;
        if (!part[i].present || (other && (part[i].event.call != other->event.call ||
                                           part[i].event.site != other->event.site)))
            return;
        other = &part[i];
    }
    if (!other || (part[root].present && part[root].event.call == other->event.call &&
                   part[root].event.site == other->event.site))
        return;
    const struct trace_event *reduced = &collectives->part[before->first].event;
    finding_fact(finding,
                 "only rank %" PRIu32 " has the result of %s at %s, the collective before: if the "
                 "ranks go on by that value, let all have it (MPI_Allreduce)",
                 collectives->part[before->first + (uint32_t)root].rank,
                 trace->call[reduced->call].name,
                 trace_site_text(trace, reduced->site, place, sizeof place));
}
