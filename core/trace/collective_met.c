/* See the header. For example, rank 0's first Gather is refused:
 *
 *     rank 0: Gather! Gather Bcast     rank 1: Gather Bcast         made again: not met
 *     rank 0: Gather! Gather Bcast     rank 1: Gather Gather Bcast  met
 *
 * Invariants, while the code goes through a communicator's calls:
 *  1. Each line stands at a call that is not decided yet, or at its end.
 *  2. The lines that are not at their end have the same number of counted calls behind them. */
#include "core/trace/collective_met.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"

struct line { /* a rank's calls on the communicator, [first, end), and the current one */
    uint32_t first, end, at;
};

struct lines {
    struct collective_made *made;
    struct line *line;
    uint32_t count, room;
};

static int by_comm(const void *a, const void *b)
{
    const struct collective_made *x = a, *y = b;

    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Notes for each call of a line the next call that was not refused: which call, how often in a row
 * (run), and how often with the refused ones in between (total). */
static void runs_note(struct collective_made *made, uint32_t count)
{
    int32_t call = -1;
    uint32_t run = 0, total = 0;

    for (uint32_t i = count; i-- > 0;) {
        if (made[i].refused) {
            total += made[i].call == call;
        } else if (made[i].call == call) {
            run++;
            total++;
        } else {
            call = made[i].call;
            run = total = 1;
            for (uint32_t k = i + 1; k < count && made[k].refused; k++)
                total += made[k].call == call;
        }
        CORE_CHECK(run <= total);
        made[i].next_call = call;
        made[i].run = run;
        made[i].total = total;
    }
}

static uint32_t next_of(const struct lines *lines, const struct line *line, uint32_t at,
                        bool refused)
{
    while (!refused && at < line->end && lines->made[at].refused)
        at++;
    return at;
}

static bool is_same(const struct collective_made *a, const struct collective_made *b)
{
    return a->call == b->call &&
           (a->refused || b->refused || a->root < 0 || b->root < 0 || a->root == b->root);
}

/* Tells whether all lines have the same calls; refused: with the refused calls, else without
 * them. */
static bool are_alike(const struct lines *lines, bool refused)
{
    const struct line *first = &lines->line[0];

    CORE_CHECK(lines->count > 0);
    for (uint32_t i = 1; i < lines->count; i++) {
        const struct line *line = &lines->line[i];
        uint32_t a = next_of(lines, first, first->first, refused);
        uint32_t b = next_of(lines, line, line->first, refused);
        while (a < first->end && b < line->end && is_same(&lines->made[a], &lines->made[b])) {
            a = next_of(lines, first, a + 1, refused);
            b = next_of(lines, line, b + 1, refused);
        }
        if (a < first->end || b < line->end)
            return false;
    }
    return true;
}

struct place {      /* the calls at which the lines stand */
    bool any, made; /* any: a call is left; made: a call that was not refused */
    int32_t call;   /* the call that was not refused */
    bool agreed;    /* all calls that were not refused are the same, and returned */
    uint32_t least; /* smallest number of times in a row, refused ones included */
};

static struct place place_of(const struct lines *lines)
{
    struct place place = {.agreed = true, .call = -1, .least = UINT32_MAX};

    for (uint32_t i = 0; i < lines->count; i++) {
        const struct line *line = &lines->line[i];
        const struct collective_made *made = &lines->made[line->at];
        CORE_CHECK(line->at <= line->end); /* invariant 1 */
        if (line->at == line->end)
            continue;
        place.any = true;
        if (made->refused)
            continue;
        place.agreed &= made->over && (!place.made || made->call == place.call);
        place.made = true;
        place.call = made->call;
    }
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct line *line = &lines->line[i];
        const struct collective_made *made = &lines->made[line->at];
        if (line->at < line->end && made->next_call == place.call && made->total < place.least)
            place.least = made->total;
    }
    return place;
}

static bool is_met(const struct place *place, const struct collective_made *made, bool all)
{
    return place->made && place->agreed && made->call == place->call &&
           (all || made->next_call != place->call || made->run < place->least);
}

/* Decides the refused calls of a communicator. all: no rank made a refused call again. */
static void lines_settle(struct lines *lines, bool all)
{
    for (uint32_t i = 0; i < lines->count; i++)
        lines->line[i].at = lines->line[i].first;
    for (struct place place; (place = place_of(lines)).any;) {
        bool passed = false;
        for (uint32_t i = 0; i < lines->count; i++) {
            struct line *line = &lines->line[i];
            struct collective_made *made = &lines->made[line->at];
            CORE_CHECK(line->at <= line->end); /* invariant 1 */
            if (line->at < line->end && made->refused && !is_met(&place, made, all)) {
                line->at++;
                passed = true;
            }
        }
        for (uint32_t i = 0; i < lines->count && !passed; i++) { /* invariant 2 */
            struct line *line = &lines->line[i];
            if (line->at == line->end)
                continue;
            lines->made[line->at].met = lines->made[line->at].refused;
            line->at++;
        }
    }
}

enum core_status collective_met_settle(struct collective_made *made, uint32_t count)
{
    struct lines lines = {.made = made};
    enum core_status status = CORE_OK;

    if (count)
        qsort(made, count, sizeof *made, by_comm);
    for (uint32_t first = 0, end; first < count && status == CORE_OK; first = end) {
        bool refused = false;
        lines.count = 0;
        for (end = first; end < count && made[end].comm == made[first].comm && status == CORE_OK;) {
            struct line line = {.first = end};
            while (end < count && made[end].comm == made[first].comm &&
                   made[end].rank == made[line.first].rank)
                refused |= made[end++].refused;
            line.end = end;
            status = CORE_ARRAY_PUSH(lines.line, lines.count, lines.room, "ranks", line);
        }
        for (uint32_t i = 0; refused && i < lines.count && status == CORE_OK; i++)
            runs_note(made + lines.line[i].first, lines.line[i].end - lines.line[i].first);
        if (status == CORE_OK && refused && !are_alike(&lines, false))
            lines_settle(&lines, are_alike(&lines, true));
    }
    free(lines.line);
    return status;
}
