/* Takes a rank's definitions into the history (history.h): calls, datatypes, groups, communicators,
 * windows and files. A definition in parts (the members of a large group) is taken part by part; a
 * member that no part names stays EVENT_NONE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/spool/spool_read.h"
#include "core/history/history.h"

enum { HISTORY_TYPES_MAX = 1 << 20 };

/* --- members: of groups, communicators, windows ----------------------------------------------- */

/* Returns `count` unknown members. NULL: too many, or out of memory. */
static int32_t *members_new(uint64_t count)
{
    int32_t *member = NULL;

    if (count > SPOOL_RANKS_MAX || CORE_ARRAY_NEW(member, count, "members of groups"))
        return NULL;
    for (uint64_t i = 0; i < count; i++)
        member[i] = EVENT_NONE;
    return member;
}

/* base: the first rank of the members' job. */
static void members_take(int32_t *member, uint64_t size, uint32_t first, uint32_t count,
                         const int32_t *part, uint32_t base)
{
    CORE_CHECK(member != NULL);
    for (uint32_t i = 0; i < count && (uint64_t)first + i < size; i++)
        member[first + i] = part[i] < 0 ? part[i] : part[i] + (int32_t)base;
}

static uint32_t base_of(const struct history *history, const struct history_rank *rank)
{
    return history->job ? history->job[rank->job].base : 0; /* a rank reads its own records */
}

uint64_t history_job_global(uint32_t job, uint64_t global)
{
    const uint64_t made = job ? global ^ core_random_mix(job) >> 1 : global;

    CORE_CHECK(job || made == global);
    return made;
}

static void def_group(struct history *history, struct history_rank *rank,
                      const struct spool_def_group *def)
{
    struct history_group *group;

    if (core_table_put(&rank->groups, &def->id, "groups", &group)) {
        history->unclear = true;
        return;
    }
    if (!group->member) {
        group->member = members_new(def->size);
        if (!group->member) {
            history->unclear = true;
            return;
        }
        group->size = def->size;
    }
    members_take(group->member, group->size, def->first, def->count, spool_tail(def, sizeof *def),
                 base_of(history, rank));
}

const struct history_group *history_group_find(const struct history_rank *rank, uint32_t id)
{
    return core_table_find(&rank->groups, &id);
}

/* --- spaces ----------------------------------------------------------------------------------- */

struct history_space *history_space_add(struct history *history, struct history_rank *rank,
                                        const struct history_space *space)
{
    struct history_space *made;

    if (core_table_put(&rank->spaces, &space->key, "communicators, windows and files", &made)) {
        history->unclear = true;
        return NULL;
    }
    if (made->member)
        return made;
    *made = *space;
    made->member = members_new((uint64_t)space->size + space->remote_size);
    if (made->member)
        return made;
    core_table_remove(&rank->spaces, made);
    history->unclear = true;
    return NULL;
}

/* Makes this side's communicator the one of both sides, with the parent's number. */
static void link_take(const struct history_link *link, int side, struct history_space *space)
{
    CORE_CHECK(space->remote_size == link->size[!side]);
    space->global = history_job_global(link->job[0], link->global[0]);
    memcpy(space->member + space->size, link->member[!side],
           space->remote_size * sizeof *space->member);
}

static void def_comm(struct history *history, struct history_rank *rank,
                     const struct spool_def_comm *def)
{
    struct history_space made = {.key = {.kind = HISTORY_SPACE_COMM, .id = def->id},
                                 .inter = def->head.a == SPOOL_COMM_INTER,
                                 .global = history_job_global(rank->job, def->global),
                                 .size = def->size,
                                 .remote_size = def->remote_size};
    struct history_space *space = history_space_add(history, rank, &made);

    if (!space)
        return;
    members_take(space->member, (uint64_t)space->size + space->remote_size, def->first, def->count,
                 spool_tail(def, sizeof *def), base_of(history, rank));
    for (uint32_t i = 0; history->job && i < history->link_count; i++)
        for (int side = 0; side < 2; side++)
            if (history->link[i].job[side] == rank->job &&
                history->link[i].global[side] == def->global)
                link_take(&history->link[i], side, space);
}

uint32_t history_edges(const struct history_space *space, uint32_t side, int32_t world)
{
    struct history_neighbor_key key = {.side = side, .world = world};
    const struct history_neighbor *neighbor;

    CORE_CHECK(space->neighbors != NULL);
    neighbor = core_table_find(&space->neighbors->each, &key);
    return neighbor ? neighbor->edges : 0;
}

static bool neighbors_begin(struct history_space *space, const struct spool_def_neighbors *def)
{
    if (space->neighbors)
        core_table_done(&space->neighbors->each);
    else
        space->neighbors = calloc(1, sizeof *space->neighbors);
    if (space->neighbors)
        *space->neighbors =
            (struct history_neighbors){.each = CORE_TABLE(struct history_neighbor, key),
                                       .edges = {def->gives, def->takes},
                                       .left = (uint64_t)def->gives + def->takes};
    return space->neighbors != NULL;
}

static void def_neighbors(struct history *history, struct history_rank *rank,
                          const struct spool_def_neighbors *def)
{
    struct history_space *space = history_space_find(rank, HISTORY_SPACE_COMM, def->comm);
    const int32_t *world = spool_tail(def, sizeof *def);

    if (!space || (def->first && !space->neighbors))
        return;
    if (!def->first && !neighbors_begin(space, def)) {
        history->unclear = true;
        return;
    }
    CORE_CHECK(space->neighbors != NULL);
    for (uint32_t i = 0; i < def->count && space->neighbors->left; i++) {
        struct history_neighbor *neighbor;
        const struct history_neighbor_key key = {
            .side = (uint64_t)def->first + i < def->gives ? HISTORY_GIVES : HISTORY_TAKES,
            .world = world[i] < 0 ? world[i] : world[i] + (int32_t)base_of(history, rank)};

        if (core_table_put(&space->neighbors->each, &key, "neighbors", &neighbor)) {
            history->unclear = true;
            return;
        }
        neighbor->edges++;
        space->neighbors->left--;
    }
}

/* Adds a window or a file, with the members of the communicator that created it. */
static void def_win(struct history *history, struct history_rank *rank,
                    const struct spool_def_win *def)
{
    const struct history_space *comm = history_space_find(rank, HISTORY_SPACE_COMM, def->comm);
    struct history_space made = {
        .key = {.kind = def->head.kind == SPOOL_DEF_FILE ? HISTORY_SPACE_FILE : HISTORY_SPACE_WIN,
                .id = def->id},
        .comm = def->comm,
        .global = history_job_global(rank->job, def->global)};
    struct history_space *space;

    if (history_space_find(rank, (enum history_space_kind)made.key.kind, def->id))
        return;
    if (comm) {
        made.size = comm->size;
        made.remote_size = comm->remote_size;
    }
    space = history_space_add(history, rank, &made);
    comm = history_space_find(rank, HISTORY_SPACE_COMM, def->comm); /* may have moved */
    if (space && comm)
        members_take(space->member, (uint64_t)space->size + space->remote_size, 0,
                     comm->size + comm->remote_size, comm->member, 0);
}

/* Sets a hint, which stays set, as earlier messages may still be pending. */
static void def_hint(struct history_rank *rank, const struct spool_def_hint *def)
{
    struct history_space_key key = {.kind = HISTORY_SPACE_COMM, .id = def->comm};
    struct history_space *space = core_table_find(&rank->spaces, &key);

    CORE_CHECK(def->head.kind == SPOOL_DEF_HINT);
    if (space && matching_hint_reorders((enum matching_hint)def->head.a))
        space->overtaking |= def->head.b != 0;
}

/* --- calls and datatypes ---------------------------------------------------------------------- */

/* Returns the position of an argument in "name,name:kind,...". */
static int8_t arg_place(const char *names, size_t bytes, const char *name)
{
    size_t length = strlen(name);
    int8_t place = 0;

    for (size_t at = 0; at < bytes && place < HISTORY_ARGS_MAX; place++) {
        size_t end = at;

        while (end < bytes && names[end] != ',')
            end++;
        if (end - at >= length && !memcmp(names + at, name, length) &&
            (end - at == length || names[at + length] == ':'))
            return place;
        at = end + 1;
    }
    return -1;
}

static void def_call(struct history *history, struct history_rank *rank,
                     const struct spool_def_call *def)
{
    const char *name = spool_tail(def, sizeof *def), *names = name + def->name_bytes;
    uint32_t id = def->head.a;

    if (CORE_ARRAY_ROOM_ZERO(rank->call, rank->call_count, (uint64_t)id + 1, "calls")) {
        history->unclear = true;
        return;
    }
    rank->call[id] = (struct history_call){
        .known = true,
        .class = (uint8_t)def->head.b,
        .mode = (uint8_t)def->mode,
        .verb = (uint8_t)def->verb,
        .traits = def->traits,
        .group_arg = arg_place(names, def->names_bytes, "group"),
        .lock_arg = arg_place(names, def->names_bytes, "lock_type"),
        .file_arg = def->verb == VERB_OPEN_FILE ? arg_place(names, def->names_bytes, "place") : -1};
    snprintf(rank->call[id].name, sizeof rank->call[id].name, "%.*s", (int)def->name_bytes, name);
}

static void def_type(struct history *history, struct history_rank *rank,
                     const struct spool_def_type *def)
{
    if (def->id >= HISTORY_TYPES_MAX)
        return;
    if (CORE_ARRAY_ROOM_ZERO(rank->type, rank->type_count, (uint64_t)def->id + 1, "datatypes"))
        history->unclear = true;
    else
        rank->type[def->id] = (struct history_type){.known = true, .bytes = def->size};
}

int64_t history_bytes(const struct history_rank *rank, uint32_t type, int64_t count)
{
    bool known = type < rank->type_count && rank->type[type].known;
    int64_t bytes = known ? rank->type[type].bytes : -1;

    if (!type || count <= 0)
        return 0;
    return bytes < 0 || (bytes && count > INT64_MAX / bytes) ? -1 : bytes * count;
}

/* --- all -------------------------------------------------------------------------------------- */

void history_define(struct history *history, struct history_rank *rank,
                    const struct spool_head *head)
{
    switch (head->kind) {
    case SPOOL_DEF_CALL:
        def_call(history, rank, (const struct spool_def_call *)head);
        break;
    case SPOOL_DEF_TYPE:
        def_type(history, rank, (const struct spool_def_type *)head);
        break;
    case SPOOL_DEF_COMM:
        def_comm(history, rank, (const struct spool_def_comm *)head);
        break;
    case SPOOL_DEF_NEIGHBORS:
        def_neighbors(history, rank, (const struct spool_def_neighbors *)head);
        break;
    case SPOOL_DEF_WIN:
    case SPOOL_DEF_FILE:
        def_win(history, rank, (const struct spool_def_win *)head);
        break;
    case SPOOL_DEF_HINT:
        def_hint(rank, (const struct spool_def_hint *)head);
        break;
    case SPOOL_DEF_GROUP:
        def_group(history, rank, (const struct spool_def_group *)head);
        break;
    default:
        break;
    }
}

void history_defined_free(struct history_rank *rank)
{
    for (uint32_t i = 0; i < rank->spaces.count; i++) {
        struct history_space *space = core_table_at(&rank->spaces, i);

        history_epochs_free(space->epochs);
        if (space->neighbors)
            core_table_done(&space->neighbors->each);
        free(space->neighbors);
        free(space->member);
    }
    for (uint32_t i = 0; i < rank->groups.count; i++)
        free(((struct history_group *)core_table_at(&rank->groups, i))->member);
    core_table_done(&rank->spaces);
    core_table_done(&rank->groups);
    free(rank->call);
    free(rank->type);
}
