/* See the header. A decision can conflict only with later decisions whose answer is one of its
 * other options: these accesses were under way when it was made. */
#include "explore/store_conflict.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"

#define A_STORE "stores in windows"

enum { STORE_NONE = UINT32_MAX };

struct store_line { /* changes of one object by one answer, in order */
    struct store_key {
        int32_t rank;
        uint32_t object;
        int32_t answer;
    } key;
    uint32_t next, last; /* next: the first that has not been passed; STORE_NONE at the end */
};

struct store_lines {
    const struct world_decisions *decisions;
    struct core_table line;
    uint32_t *next; /* by decision: the next one of its line */
    int rank_count;
};

static bool is_change(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_OTHER && decision_kind_of(d->number) != DECISION_FILE &&
           !d->reads && d->low < d->high;
}

static struct store_key key_of(const struct world_decision *d, int32_t answer)
{
    return (struct store_key){d->rank, decision_object_of(d->number), answer};
}

static enum core_status line_add(struct store_lines *lines, uint32_t decision)
{
    const struct world_decision *d = &lines->decisions->decision[decision];
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
    const struct world_decision *d = &lines->decisions->decision[decision];
    struct store_key key = key_of(d, d->answer);
    struct store_line *line = core_table_find(&lines->line, &key);
    CORE_CHECK(line && line->next == decision);
    line->next = lines->next[decision];
}

static bool is_same(const struct explore_store *a, const struct explore_store *b)
{
    const bool known = a->own_site && a->other_site;
    return a->own_site == b->own_site && a->other_site == b->other_site &&
           a->behind_site == b->behind_site && !strcmp(a->call, b->call) &&
           (known || (a->owner == b->owner && a->other == b->other));
}

static enum core_status store_note(const struct world_decision *a, const struct world_decision *b,
                                   int rank_count, const struct explore_list *asked,
                                   struct explore_stores *stores)
{
    const struct world_decision *own = a->touch ? a : b, *other = a->touch ? b : a;
    struct explore_store store = {.owner = own->rank,
                                  .other = other->answer % rank_count,
                                  .behind_site = own->behind_site,
                                  .own_site = own->site,
                                  .other_site = other->site};
    memcpy(store.call, other->call, sizeof store.call);
    for (uint32_t i = 0; i < stores->count; i++)
        if (is_same(&stores->store[i], &store)) {
            stores->store[i].others |=
                stores->store[i].owner != store.owner || stores->store[i].other != store.other;
            return CORE_OK;
        }
    enum core_status status = explore_list_copy(asked, asked->count, &store.list);
    if (status == CORE_OK)
        status = CORE_ARRAY_PUSH(stores->store, stores->count, stores->room, A_STORE, store);
    if (status != CORE_OK)
        explore_list_done(&store.list);
    return status;
}

/* Adds the conflicts of `a` with later decisions that had this answer. */
static enum core_status line_meet(const struct store_lines *lines, const struct world_decision *a,
                                  int32_t answer, const struct explore_list *asked,
                                  struct explore_stores *stores)
{
    enum core_status status = CORE_OK;
    struct store_key key = key_of(a, answer);
    const struct store_line *line = core_table_find(&lines->line, &key);
    for (uint32_t i = line ? line->next : STORE_NONE; i != STORE_NONE && status == CORE_OK;
         i = lines->next[i]) {
        const struct world_decision *b = &lines->decisions->decision[i];
        if (a->touch != b->touch && a->low < b->high && b->low < a->high)
            status = store_note(a, b, lines->rank_count, asked, stores);
    }
    return status;
}

static enum core_status lines_meet(const struct store_lines *lines, const struct world_decision *a,
                                   const struct explore_list *asked, struct explore_stores *stores)
{
    enum core_status status = CORE_OK;
    CORE_CHECK(a->option_first + a->option_count <= lines->decisions->option_count);
    for (uint32_t i = 0; i < a->option_count && status == CORE_OK; i++) {
        int32_t answer = lines->decisions->option[a->option_first + i].answer;
        if (answer % lines->rank_count != a->answer % lines->rank_count)
            status = line_meet(lines, a, answer, asked, stores);
    }
    return status;
}

enum core_status explore_stores_find(const struct world_decisions *decisions, int rank_count,
                                     const struct explore_list *asked,
                                     struct explore_stores *stores)
{
    struct store_lines lines = {.decisions = decisions,
                                .line = CORE_TABLE(struct store_line, key),
                                .rank_count = rank_count};
    CORE_CHECK(rank_count > 0);
    if (!decisions->touched)
        return CORE_OK;
    enum core_status status = CORE_ARRAY_NEW(lines.next, decisions->decision_count, A_STORE);
    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++)
        if (is_change(&decisions->decision[i]))
            status = line_add(&lines, i);
    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++)
        if (is_change(&decisions->decision[i])) {
            line_pass(&lines, i);
            status = lines_meet(&lines, &decisions->decision[i], asked, stores);
        }
    core_table_done(&lines.line);
    free(lines.next);
    return status;
}

void explore_stores_done(struct explore_stores *stores)
{
    for (uint32_t i = 0; i < stores->count; i++)
        explore_list_done(&stores->store[i].list);
    CORE_ARRAY_DONE(stores->store, stores->count, stores->room);
}
