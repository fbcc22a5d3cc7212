/* See the header. */
#include "cli/explored_same.h"

#include <inttypes.h>
#include <string.h>

#include "world/world.h"

static bool has_call(const struct finding *finding, const struct finding_call *call)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (finding->call[i].rank == call->rank && finding->call[i].seq == call->seq)
            return true;
    return false;
}

/* Tells whether the two hang in the same calls. */
static bool stand_alike(const struct finding *a, const struct finding *b)
{
    bool alike = a->call_count == b->call_count && a->call_count > 0;
    for (uint32_t i = 0; i < b->call_count && alike; i++)
        alike = b->call[i].seq && has_call(a, &b->call[i]);
    return alike;
}

/* Drops deadlocks of worlds that the engine found in the trace: it is the same deadlock, and the
 * engine says more about it. */
static void same_deadlocks_drop(struct finding_list *list, uint32_t first)
{
    for (uint32_t i = list->count; i-- > first;)
        for (uint32_t k = 0; k < first; k++)
            if (list->finding[k].rule == &rule_table[RULE_DEADLOCK] && !list->finding[k].assumed &&
                list->finding[k].severity == FINDING_ERROR &&
                list->finding[i].rule == &rule_table[RULE_BEHAVIOUR] &&
                stand_alike(&list->finding[k], &list->finding[i])) {
                finding_list_drop(list, i);
                break;
            }
}

/* Drops mismatches of types in a world: if a message mismatches in every order, it did so in the
 * record. */
static void same_types_drop(struct finding_list *list, uint32_t first)
{
    for (uint32_t i = list->count; i-- > first;) {
        const struct finding *found = &list->finding[i];
        bool plain = found->rule == &rule_table[RULE_BEHAVIOUR] && found->call_count == 1 &&
                     found->call[0].seq;
        for (uint32_t k = 0; plain && k < first; k++)
            if (list->finding[k].rule == &rule_table[RULE_MESSAGE] &&
                has_call(&list->finding[k], &found->call[0])) {
                finding_list_drop(list, i);
                break;
            }
    }
}

/* --- conflicts in windows --------------------------------------------------------------------- */

/* Returns the rank's own load or store in a world's finding of a conflict; NULL: none. */
static const struct finding_call *own_access(const struct finding *finding)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (!strcmp(finding->call[i].call, WORLD_LOAD) ||
            !strcmp(finding->call[i].call, WORLD_STORE))
            return &finding->call[i];
    return NULL;
}

/* Compares a recorded call, whose text has its arguments, "MPI_Put(target=0, ...)", with a
 * world's. */
static bool is_alike(const struct finding_call *recorded, const struct finding_call *met)
{
    size_t bytes = strlen(met->call);
    return recorded->rank == met->rank && recorded->site && met->site &&
           !strcmp(recorded->site, met->site) && !strncmp(recorded->call, met->call, bytes) &&
           recorded->call[bytes] == '(';
}

static bool has_alike(const struct finding *recorded, const struct finding_call *met)
{
    for (uint32_t i = 0; i < recorded->call_count; i++)
        if (!recorded->call[i].found && is_alike(&recorded->call[i], met))
            return true;
    return false;
}

/* Returns the call that found the same access: of that rank, and at that place if it is known. */
static const struct finding_call *access_found(const struct finding *recorded,
                                               const struct finding_call *own)
{
    for (uint32_t i = 0; i < recorded->call_count; i++) {
        const struct finding_call *call = &recorded->call[i];
        if (call->found && call->rank == own->rank &&
            (!call->found_site || (own->site && !strcmp(call->found_site, own->site))))
            return call;
    }
    return NULL;
}

static bool same_conflict(const struct finding *recorded, const struct finding *met)
{
    const struct finding_call *own = own_access(met);
    bool same = own && recorded->rule == met->rule && access_found(recorded, own);
    for (uint32_t i = 0; same && i < met->call_count; i++)
        same = &met->call[i] == own || has_alike(recorded, &met->call[i]);
    return same;
}

/* Adds the world's facts to the recorded finding. */
static void conflict_join(struct finding *recorded, const struct finding *met)
{
    const struct finding_call *own = own_access(met), *found = access_found(recorded, own);
    if (!found->found_site && own->site)
        finding_fact(recorded, "rank %" PRIu32 " did that at %s", own->rank, own->site);
    for (uint32_t i = 0; i < met->fact_count; i++)
        finding_fact(recorded, "%s", met->fact[i]);
}

static void same_conflicts_drop(struct finding_list *list, uint32_t first)
{
    for (uint32_t i = list->count; i-- > first;)
        for (uint32_t k = 0; k < first; k++) {
            if (list->finding[i].rule != &rule_table[RULE_RMA] ||
                !same_conflict(&list->finding[k], &list->finding[i]))
                continue;
            if (list->finding[k].severity == FINDING_ERROR) {
                conflict_join(&list->finding[k], &list->finding[i]);
                finding_list_drop(list, i);
            } else {
                finding_list_drop(list, k);
                first--;
            }
            break;
        }
}

void explored_same_drop(struct finding_list *list, uint32_t first)
{
    same_deadlocks_drop(list, first);
    same_types_drop(list, first);
    same_conflicts_drop(list, first);
}
