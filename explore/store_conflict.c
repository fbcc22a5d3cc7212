/* See the header. A decision can meet only those behind it that have the answer of one of its other
 * options: these were under way when it was made. */
#include "explore/store_conflict.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"

#define A_STORE "stores in windows"

enum { STORE_NONE = UINT32_MAX };

struct store_line { /* changes of one object by one answer, in their order */
    struct store_key {
        int32_t rank;
        uint32_t object;
        int32_t answer;
    } key;
    uint32_t next, last; /* the first that has not been passed; STORE_NONE */
};

struct store_lines {
    const struct world_decisions *told;
    struct core_table line;
    uint32_t *next; /* by decision: of its line */
    int rank_count;
};

static bool is_change(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_OTHER && !replay_turn_is_file(d->number) && !d->reads &&
           d->low < d->high;
}

static struct store_key key_of(const struct world_decision *d, int32_t answer)
{
    return (struct store_key){d->rank, d->number / REPLAY_TURN_OBJECT, answer};
}

static enum core_status line_add(struct store_lines *lines, uint32_t decision)
{
    const struct world_decision *d = &lines->told->decision[decision];
    struct store_key key = key_of(d, d->answer);
    struct store_line *line;
    uint32_t count = lines->line.count;
    enum core_status status = core_table_put(&lines->line, &key, A_STORE, &line);
    if (status != CORE_OK)
        return status;
    lines->next[decision] = STORE_NONE;
    if (lines->line.count > count)
        line->next = decision;
    else
        lines->next[line->last] = decision;
    line->last = decision;
    return CORE_OK;
}

static void line_pass(struct store_lines *lines, uint32_t decision)
{
    const struct world_decision *d = &lines->told->decision[decision];
    struct store_key key = key_of(d, d->answer);
    struct store_line *line = core_table_find(&lines->line, &key);
    CORE_CHECK(line && line->next == decision);
    line->next = lines->next[decision];
}

/* Returns the first decision behind `a` that had this answer and meets it. */
static uint32_t line_met(const struct store_lines *lines, const struct world_decision *a,
                         int32_t answer)
{
    struct store_key key = key_of(a, answer);
    const struct store_line *line = core_table_find(&lines->line, &key);
    for (uint32_t i = line ? line->next : STORE_NONE; i != STORE_NONE; i = lines->next[i]) {
        const struct world_decision *b = &lines->told->decision[i];
        if (a->touch != b->touch && a->low < b->high && b->low < a->high)
            return i;
    }
    return STORE_NONE;
}

static uint32_t store_met(const struct store_lines *lines, const struct world_decision *a)
{
    uint32_t first = STORE_NONE;
    CORE_CHECK(a->option_first + a->option_count <= lines->told->option_count);
    for (uint32_t i = 0; i < a->option_count; i++) {
        int32_t answer = lines->told->option[a->option_first + i].answer;
        if (answer % lines->rank_count == a->answer % lines->rank_count)
            continue;
        uint32_t met = line_met(lines, a, answer);
        if (met < first)
            first = met;
    }
    return first;
}

static void store_note(const struct world_decision *a, const struct world_decision *b,
                       int rank_count, struct explore_store *out_store)
{
    const struct world_decision *own = a->touch ? a : b, *other = a->touch ? b : a;
    out_store->is = true;
    out_store->owner = own->rank;
    out_store->other = other->answer % rank_count;
    memcpy(out_store->call, other->call, sizeof out_store->call);
    out_store->behind_site = own->behind_site;
    out_store->own_site = own->site;
    out_store->other_site = other->site;
}

enum core_status explore_store_find(const struct world_decisions *told, int rank_count,
                                    struct explore_store *out_store)
{
    struct store_lines lines = {
        .told = told, .line = CORE_TABLE(struct store_line, key), .rank_count = rank_count};
    CORE_CHECK(rank_count > 0);
    if (!told->touched)
        return CORE_OK;
    enum core_status status = CORE_ARRAY_NEW(lines.next, told->decision_count, A_STORE);
    for (uint32_t i = 0; i < told->decision_count && status == CORE_OK; i++)
        if (is_change(&told->decision[i]))
            status = line_add(&lines, i);
    for (uint32_t i = 0; i < told->decision_count && status == CORE_OK && !out_store->is; i++) {
        const struct world_decision *a = &told->decision[i];
        if (!is_change(a))
            continue;
        line_pass(&lines, i);
        uint32_t met = store_met(&lines, a);
        if (met != STORE_NONE)
            store_note(a, &told->decision[met], rank_count, out_store);
    }
    core_table_done(&lines.line);
    free(lines.next);
    return status;
}
