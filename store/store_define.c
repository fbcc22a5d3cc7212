/* Merges definitions. Each rank numbers communicators, datatypes, sites and so on by itself. The
 * trace gives one number to what is equal on several ranks: communicators and windows by the number
 * on which all members agree, datatypes and operations by content, sites by module and address,
 * calls by name.
 *
 * Invariants
 *  1. A value of a store_ids map is 0 or an id whose row is written, or (communicators, sites) will
 *     be by store_define_finish.
 *  2. comm[].member holds `known` world ranks, in order, of size + remote_size. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/fault.h"
#include "store/store_part.h"
#include "program/result_use_x86.h"

static enum core_status no_memory(void)
{
    return core_report(CORE_NO_MEMORY, "cannot write the trace: out of memory");
}

static enum core_status text_copy(const void *text, size_t bytes, char **out_text)
{
    char *copy = core_alloc(bytes + 1);

    if (!copy)
        return no_memory();
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    *out_text = copy;
    return CORE_OK;
}

static enum core_status intern_text(struct store_intern *intern, const char *text, size_t bytes,
                                    uint32_t *out_id, bool *out_new)
{
    return store_intern(intern, text, bytes, out_id, out_new);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Splits "target_disp,group:group,dims:@2" into "target_disp\0\0group\0group\0dims\0@2\0";
 * "target_disp,group" goes into the trace. */
static enum core_status names_keep(struct store_call *call, const char *names, size_t bytes,
                                   char **out_text)
{
    enum core_status status = text_copy(names, bytes, out_text);
    size_t used = 0, text = 0;

    if (status != CORE_OK)
        return status;
    call->names = core_alloc_zero(2 * bytes + 2, 1);
    if (!call->names)
        return no_memory();
    for (size_t at = 0; at < bytes;) {
        const char *end = memchr(names + at, ',', bytes - at);
        size_t length = end ? (size_t)(end - names) - at : bytes - at;
        const char *colon = memchr(names + at, ':', length);
        size_t name = colon ? (size_t)(colon - names) - at : length,
               kind = colon ? length - name - 1 : 0;
        memcpy(call->names + used, names + at, name);
        memcpy(call->names + used + name + 1, names + at + name + 1, kind);
        used += name + kind + 2;
        at += length + 1;
        call->names_count++;
        if (kind && colon[1] == '@')
            continue;
        if (text)
            (*out_text)[text++] = ',';
        memcpy(*out_text + text, call->names + used - name - kind - 2, name);
        text += name;
        call->names_scalar = call->names_count;
    }
    (*out_text)[text] = '\0';
    CORE_CHECK(text <= bytes);         /* it only omits characters */
    CORE_CHECK(used <= 2 * bytes + 2); /* so the memory sufficed */
    return CORE_OK;
}

static enum core_status call_add(struct store *store, const struct spool_def_call *def, uint32_t id)
{
    const char *name = spool_tail(def, sizeof *def);
    struct store_defs *defs = &store->defs;
    struct store_call call = {.class = def->head.b < EVENT_CLASS_COUNT
                                           ? (enum event_class)def->head.b
                                           : EVENT_CLASS_OTHER,
                              .verb = def->verb < VERB_COUNT ? (enum verb)def->verb : VERB_NONE,
                              .traits = def->traits & ((UINT64_C(1) << TRAIT_COUNT) - 1)};
    char traits[TRAITS_TEXT_BYTES];
    char *names = NULL;
    enum core_status status;

    status = CORE_ARRAY_ROOM_ZERO(defs->call, defs->call_room, (uint64_t)id + 1, "the trace");
    if (status == CORE_OK)
        status = text_copy(name, def->name_bytes, &call.name);
    if (status == CORE_OK)
        status = names_keep(&call, name + def->name_bytes, def->names_bytes, &names);
    if (status != CORE_OK) {
        free(call.name);
        free(call.names);
        free(names);
        return status;
    }
    call.inner = trait_in(call.traits, TRAIT_INNER);
    traits_write(call.traits, traits);
    status = store_put(&store->sql, STORE_CALL, "ittittt", (int64_t)id, call.name,
                       event_class_text(call.class), (int64_t)def->mode, verb_text(call.verb),
                       traits, *names ? names : NULL);
    free(names);
    CORE_CHECK(!defs->call[id].name); /* each name once */
    defs->call[id] = call;
    return status;
}

static enum core_status define_call(struct store *store, struct store_rank *rank,
                                    const struct spool_def_call *def)
{
    enum core_status status;
    uint32_t id;
    bool is_new;

    status = intern_text(&store->defs.call_by_name, spool_tail(def, sizeof *def), def->name_bytes,
                         &id, &is_new);
    if (status == CORE_OK && is_new)
        status = call_add(store, def, id);
    return status != CORE_OK ? status : store_map_set(&rank->ids.call, def->head.a, id);
}

/* --- sites ------------------------------------------------------------------------------------ */

/* The path is followed by id_bytes of build id. */
static enum core_status module_intern(struct store *store, const char *path, size_t path_bytes,
                                      size_t id_bytes, uint32_t *out_id)
{
    struct store_defs *defs = &store->defs;
    struct store_module module = {.build_id_bytes = (uint32_t)id_bytes};
    bool is_new;
    enum core_status status =
        intern_text(&defs->module_by_path, path, path_bytes + id_bytes, out_id, &is_new);

    if (status != CORE_OK || !is_new)
        return status;
    status =
        CORE_ARRAY_ROOM_ZERO(defs->module, defs->module_room, (uint64_t)*out_id + 1, "the trace");
    if (status == CORE_OK)
        status = text_copy(path, path_bytes, &module.path);
    if (status == CORE_OK)
        status = text_copy(path + path_bytes, id_bytes, (char **)&module.build_id);
    if (status != CORE_OK) {
        free(module.path);
        return status;
    }
    CORE_CHECK(!defs->module[*out_id].path);
    defs->module[*out_id] = module;
    return CORE_OK;
}

static enum core_status define_module(struct store *store, struct store_rank *rank,
                                      const struct spool_def_module *def)
{
    uint32_t id;
    enum core_status status =
        module_intern(store, spool_tail(def, sizeof *def), def->head.a, def->head.b, &id);

    return status != CORE_OK ? status : store_map_set(&rank->ids.module, def->id, id);
}

static enum core_status site_look(struct store *store, const struct store_site *site,
                                  struct site_place *out_place)
{
    const struct store_module *module = &store->defs.module[site->module];
    enum core_status status = CORE_OK;

    if (!store->resolver)
        status = site_resolver_new(&store->resolver);
    if (status == CORE_OK)
        status = !site->module || site->function
                     ? CORE_NOT_FOUND
                     : site_resolve(store->resolver, module->path,
                                    module->build_id_bytes ? module->build_id : NULL,
                                    module->build_id_bytes, site->address, site->behind, out_place);
    return status;
}

/* Finds whether the whole site is inside bindings. */
static enum core_status site_bound(struct store *store, uint32_t id, bool *out_bound)
{
    struct store_site *site = &store->defs.site[id];
    struct site_place place = {0};
    enum core_status status = CORE_OK;

    if (site->bound == SITE_UNKNOWN) {
        status = site_look(store, site, &place);
        site->bound = place.bound ? SITE_BOUND : SITE_OUTSIDE;
    }
    *out_bound = site->bound == SITE_BOUND;
    return status == CORE_NOT_FOUND ? CORE_OK : status;
}

/* Defines the frames of a site. A return address lies in MPI or in a binding, whoever the caller
 * is. */
static enum core_status define_callers(struct store *store, struct store_rank *rank,
                                       const struct spool_def_site *def)
{
    const uint32_t *frame = spool_tail(def, sizeof *def);
    uint32_t count = def->head.a / (uint32_t)sizeof *frame, id = 0, first = 0;
    enum core_status status = CORE_OK;
    bool bound = true;

    for (uint32_t i = 0; status == CORE_OK && i < count && bound; i++) {
        id = store_map_get(&rank->ids.site, frame[i]);
        CORE_CHECK(id <= store->defs.site_by_place.next); /* invariant 1 */
        first = i ? first : id;
        if (!id)
            continue;
        store->defs.site[id].behind |= i > 0 || def->address != 0;
        status = site_bound(store, id, &bound);
    }
    CORE_CHECK(id <= store->defs.site_by_place.next);
    CORE_CHECK(first <= store->defs.site_by_place.next);
    if (id && id != first)
        store->defs.site[id].inner = first;
    return status != CORE_OK ? status : store_map_set(&rank->ids.site, def->id, id);
}

/* function: given if the address is a line, which several functions may share; else NULL. */
static enum core_status site_intern(struct store *store, uint32_t module, uint64_t address,
                                    const char *function, size_t bytes, uint32_t *out_id)
{
    struct store_defs *defs = &store->defs;
    struct {
        uint64_t place[2];
        char function[128];
    } key = {{module, address}, ""};
    enum core_status status;
    bool is_new;

    if (function)
        memcpy(key.function, function, bytes < sizeof key.function ? bytes : sizeof key.function);
    status = store_intern(&defs->site_by_place, &key, sizeof key, out_id, &is_new);
    CORE_CHECK(module <= defs->module_by_path.next); /* invariant 1 */
    if (status != CORE_OK || !is_new)
        return status;
    status = CORE_ARRAY_ROOM_ZERO(defs->site, defs->site_room, (uint64_t)*out_id + 1, "the trace");
    if (status != CORE_OK)
        return status;
    CORE_CHECK(!defs->site[*out_id].function);
    defs->site[*out_id].module = module;
    defs->site[*out_id].address = address;
    return function ? text_copy(function, bytes, &defs->site[*out_id].function) : CORE_OK;
}

static enum core_status define_site(struct store *store, struct store_rank *rank,
                                    const struct spool_def_site *def)
{
    uint32_t id;

    if (def->head.b == SPOOL_SITE_CALLERS)
        return define_callers(store, rank, def);
    enum core_status status =
        site_intern(store, store_map_get(&rank->ids.module, def->module), def->address,
                    def->head.b ? spool_tail(def, sizeof *def) : NULL, def->head.a, &id);

    return status != CORE_OK ? status : store_map_set(&rank->ids.site, def->id, id);
}

enum core_status store_define_place(struct store *store, const char *module, uint64_t address,
                                    uint32_t *out_site)
{
    uint32_t id = 0;
    enum core_status status = module_intern(store, module, strlen(module), 0, &id);

    CORE_CHECK(status != CORE_OK || id <= store->defs.module_by_path.next); /* invariant 1 */
    return status != CORE_OK ? status : site_intern(store, id, address, NULL, 0, out_site);
}

/* Finds the place without reading machine code, where that suffices. */
static enum core_status source_place(const char *path, const struct store_site *site,
                                     struct site_place *out_place)
{
    const char *name = strrchr(path, '/');

    memset(out_place, 0, sizeof *out_place);
    snprintf(out_place->file, sizeof out_place->file, "%s", name ? name + 1 : path);
    snprintf(out_place->path, sizeof out_place->path, "%s", path);
    snprintf(out_place->function, sizeof out_place->function, "%s", site->function);
    out_place->line = site->address <= INT32_MAX ? (int)site->address : 0;
    out_place->optimized = -1;
    out_place->returned = RESULT_USE_UNKNOWN;
    return CORE_OK;
}

/* Finds how the caller uses a binding's return value, which is not MPI's: the binding may have
 * looked at that. */
static enum core_status returned_inside(struct store *store, const struct store_site *site,
                                        int *returned)
{
    struct site_place place = {.returned = RESULT_USE_UNKNOWN};
    enum core_status status = CORE_OK;

    CORE_CHECK(site->inner <= store->defs.site_by_place.next);
    CORE_CHECK(site->behind || !site->inner);
    if (!site->behind)
        return CORE_OK;
    if (site->inner)
        status = site_look(store, &store->defs.site[site->inner], &place);
    *returned = status == CORE_OK ? place.returned : RESULT_USE_UNKNOWN;
    return status == CORE_NOT_FOUND ? CORE_OK : status;
}

static enum core_status sites_write(struct store *store)
{
    struct store_defs *defs = &store->defs;
    enum core_status status = CORE_OK;

    if (defs->site_by_place.next && !store->resolver)
        status = site_resolver_new(&store->resolver);
    for (uint32_t id = 1; status == CORE_OK && id <= defs->site_by_place.next; id++) {
        CORE_CHECK(id < defs->site_room);
        CORE_CHECK(defs->site[id].module <= defs->module_by_path.next); /* invariant 1 */
        bool named = defs->site[id].module != 0;
        const struct store_module *module = named ? &defs->module[defs->site[id].module] : NULL;
        struct site_place place;
        enum core_status found = CORE_NOT_FOUND;
        CORE_CHECK(!named || module->path);
        if (named && defs->site[id].function)
            found = source_place(module->path, &defs->site[id], &place);
        else
            found = site_look(store, &defs->site[id], &place);
        if (!found)
            status = returned_inside(store, &defs->site[id], &place.returned);
        if (found)
            memset(&place, 0, sizeof place);
        if (status != CORE_OK)
            break;
        status = store_put(
            &store->sql, STORE_SITE,
            "ititti"
            "ttitii",
            (int64_t)id, named ? module->path : NULL, (int64_t)defs->site[id].address,
            *place.function ? place.function : NULL, *place.file ? place.file : NULL,
            *place.file ? (int64_t)place.line : STORE_NULL, *place.inlined ? place.inlined : NULL,
            *place.symbol ? place.symbol : NULL, *place.symbol ? (int64_t)place.offset : STORE_NULL,
            *place.path ? place.path : NULL,
            place.optimized >= 0 && !found ? (int64_t)place.optimized : STORE_NULL,
            place.returned >= 0 && !found ? (int64_t)place.returned : STORE_NULL);
    }
    return status;
}

/* --- communicators ---------------------------------------------------------------------------- */

static enum core_status define_comm(struct store *store, struct store_rank *rank,
                                    const struct spool_def_comm *def)
{
    const int32_t *member = spool_tail(def, sizeof *def);
    const char *name = (const char *)member + ((size_t)def->count * 4 + 7) / 8 * 8;
    struct store_defs *defs = &store->defs;
    struct store_comm *comm;
    enum core_status status;
    uint64_t whole = (uint64_t)def->size + def->remote_size;
    uint32_t id;
    bool is_new;

    if (whole > SPOOL_RANKS_MAX || (uint64_t)def->first + def->count > whole) {
        store_note(store,
                   "rank %" PRId32 ": communicator %" PRIu32
                   " has impossible members and was left out",
                   rank->rank, def->id);
        return CORE_OK;
    }
    status = store_intern(&defs->comm_by_global, &def->global, sizeof def->global, &id, &is_new);
    if (status != CORE_OK)
        return status;
    status = CORE_ARRAY_ROOM_ZERO(defs->comm, defs->comm_room, (uint64_t)id + 1, "the trace");
    if (status != CORE_OK)
        return status;
    comm = &defs->comm[id];
    if (is_new) {
        comm->size = def->size;
        comm->remote_size = def->remote_size;
        comm->inter = def->head.a == SPOOL_COMM_INTER;
        comm->global = def->global;
        comm->parent = store_map_get(&rank->ids.comm, def->parent);
        comm->topology = def->topology;
    }
    if (!comm->member && whole) {
        comm->member = core_alloc_zero((size_t)whole, sizeof *comm->member);
        if (!comm->member)
            return no_memory();
    }
    if (def->count && whole == (uint64_t)comm->size + comm->remote_size &&
        def->first == comm->known) {
        memcpy(comm->member + def->first, member, (size_t)def->count * sizeof *member);
        comm->known += def->count;
    }
    CORE_CHECK(comm->known <= (uint64_t)comm->size + comm->remote_size); /* invariant 2 */
    CORE_CHECK(comm->known == 0 || comm->member);
    CORE_CHECK(comm->parent <= defs->comm_by_global.next); /* invariant 1 */
    if (def->first == 0 && def->head.b) { /* a later name counts: the program gave it */
        char *text = NULL;
        status = text_copy(name, def->head.b, &text);
        if (status != CORE_OK)
            return status;
        free(comm->name);
        comm->name = text;
    }
    if (def->first == 0) {
        /* For an intercommunicator, this rank's group may be the one listed second; its first
         * member tells. */
        bool other =
            comm->inter && def->count && comm->known && def->size && comm->member[0] != member[0];
        status = store_map_set(&rank->ids.comm_other, def->id, other);
        if (status == CORE_OK)
            status = store_map_set(&rank->ids.comm, def->id, id);
    }
    return status;
}

static enum core_status define_hint(struct store *store, const struct store_rank *rank,
                                    const struct spool_def_hint *def)
{
    uint32_t id = store_map_get(&rank->ids.comm, def->comm);
    const char *key = matching_hint_key((enum matching_hint)def->head.a);

    if (!id || !key || def->seq >> STORE_SEQ_BITS)
        return CORE_OK;
    CORE_CHECK(id <= store->defs.comm_by_global.next); /* invariant 1 */
    store->defs.comm[id].overtaking |=
        matching_hint_reorders((enum matching_hint)def->head.a) && def->head.b;
    return store_put(&store->sql, STORE_HINT, "iiti",
                     (int64_t)rank->rank << STORE_SEQ_BITS | (int64_t)def->seq, (int64_t)id, key,
                     (int64_t)(def->head.b != 0));
}

int32_t store_world(const struct store *store, const struct store_rank *rank, uint32_t local_comm,
                    int32_t peer)
{
    uint32_t id = store_map_get(&rank->ids.comm, local_comm);
    const struct store_comm *comm;
    uint32_t first = 0, size;

    if (!id || peer < 0)
        return EVENT_NONE;
    CORE_CHECK(id <= store->defs.comm_by_global.next); /* invariant 1 */
    comm = &store->defs.comm[id];
    size = comm->size;
    CORE_CHECK(comm->known <= (uint64_t)comm->size + comm->remote_size); /* invariant 2 */
    if (comm->inter && !store_map_get(&rank->ids.comm_other, local_comm)) {
        first = comm->size;
        size = comm->remote_size;
    }
    if ((uint32_t)peer >= size || first + (uint32_t)peer >= comm->known)
        return EVENT_NONE;
    int32_t world = comm->member[first + (uint32_t)peer];
    return world >= 0 && world < store->world_size ? world : EVENT_NONE;
}

static int32_t store_define_smallest(const int32_t *value, uint32_t count)
{
    int32_t least = INT32_MAX;

    for (uint32_t i = 0; i < count; i++)
        if (value[i] < least)
            least = value[i];
    return least;
}

static enum core_status comm_write(struct store *store, uint32_t id)
{
    const struct store_comm *comm = &store->defs.comm[id];
    /* The trace lists the group with the smallest world rank first, whichever side defined the
     * communicator first. */
    bool turned = comm->inter && comm->known == comm->size + comm->remote_size &&
                  store_define_smallest(comm->member + comm->size, comm->remote_size) <
                      store_define_smallest(comm->member, comm->size);
    enum core_status status;
    uint32_t written = 0;

    status = store_put(&store->sql, STORE_COMM, "ittiiiii", (int64_t)id, comm->name,
                       comm->inter ? "inter" : "intra",
                       (int64_t)(turned ? comm->remote_size : comm->size),
                       (int64_t)(turned ? comm->size : comm->remote_size),
                       comm->parent ? (int64_t)comm->parent : STORE_NULL, (int64_t)comm->topology,
                       (int64_t)comm->global);
    for (uint32_t side = 0; status == CORE_OK && side < 2; side++) {
        bool second = turned ? side == 0 : side == 1;
        uint32_t first = second ? comm->size : 0, count = second ? comm->remote_size : comm->size;
        for (uint32_t i = 0; status == CORE_OK && i < count && first + i < comm->known; i++) {
            int64_t row[4] = {id, side, i, comm->member[first + i]};
            status = store_put_integers(&store->sql, STORE_COMM_MEMBER, row, 4);
            written++;
        }
    }
    CORE_CHECK(status != CORE_OK || written == comm->known); /* both sides, each member once */
    return status;
}

static enum core_status group_put(struct store *store, const int32_t *member, uint32_t size,
                                  uint32_t *out_id)
{
    enum core_status status;
    bool is_new;

    status =
        store_intern(&store->defs.group_by_content, member, size * sizeof *member, out_id, &is_new);
    if (status != CORE_OK || !is_new)
        return status;
    status = store_put(&store->sql, STORE_GRP, "ii", (int64_t)*out_id, (int64_t)size);
    for (uint32_t i = 0; status == CORE_OK && i < size; i++) {
        int64_t row[3] = {*out_id, i, member[i]};
        status = store_put_integers(&store->sql, STORE_GRP_MEMBER, row, 3);
    }
    return status;
}

static enum core_status define_group(struct store *store, struct store_rank *rank,
                                     const struct spool_def_group *def)
{
    struct store_ids *ids = &rank->ids;
    enum core_status status;
    uint32_t id;

    if (def->first == 0) {
        ids->group_id = def->id;
        ids->group_known = 0;
    }
    if (def->size > SPOOL_RANKS_MAX || def->id != ids->group_id || def->first != ids->group_known ||
        (uint64_t)def->first + def->count > def->size)
        return CORE_OK;
    status = CORE_ARRAY_ROOM_ZERO(ids->group_member, ids->group_room, (uint64_t)def->size + 1,
                                  "the trace");
    if (status != CORE_OK)
        return status;
    memcpy(ids->group_member + def->first, spool_tail(def, sizeof *def),
           def->count * sizeof *ids->group_member);
    ids->group_known += def->count;
    CORE_CHECK(ids->group_known <= def->size);
    if (ids->group_known < def->size)
        return CORE_OK;
    status = group_put(store, ids->group_member, def->size, &id);
    return status != CORE_OK ? status : store_map_set(&ids->group, def->id, id);
}

/* --- datatypes, operations, windows, files ---------------------------------------------------- */

/* Stores a type, and takes ownership of the name. */
static enum core_status type_keep(struct store_defs *defs, uint32_t id,
                                  const struct spool_def_type *def, char *name,
                                  const struct spool_segment *map, uint32_t segments)
{
    enum core_status status =
        CORE_ARRAY_ROOM_ZERO(defs->type, defs->type_room, (uint64_t)id + 1, "the trace");
    struct spool_segment *copy = NULL;

    if (status == CORE_OK && segments) {
        copy = core_alloc(segments * sizeof *copy);
        status = copy ? CORE_OK : no_memory();
    }
    if (status != CORE_OK) {
        free(name);
        return status;
    }
    if (copy)
        memcpy(copy, map, segments * sizeof *copy);
    CORE_CHECK(!defs->type[id].name); /* each content once */
    defs->type[id] = (struct store_type){name, def->size, def->extent, copy, segments};
    return CORE_OK;
}

static enum core_status define_type(struct store *store, struct store_rank *rank,
                                    const struct spool_def_type *def)
{
    uint32_t segments = def->segment_count == UINT32_MAX ? 0 : def->segment_count;
    const struct spool_segment *segment = spool_tail(def, sizeof *def);
    const char *name = (const char *)(segment + segments);
    size_t map_bytes = segments * sizeof *segment, bytes = sizeof *def + map_bytes + def->head.b;
    struct store_defs *defs = &store->defs;
    struct spool_def_type content = *def;
    struct spool_segment *map;
    enum core_status status;
    uint32_t id;
    bool is_new;

    status = CORE_ARRAY_ROOM_ZERO(store->scratch, store->scratch_room, bytes, "the trace");
    if (status != CORE_OK)
        return status;
    content.id = 0;
    content.head.words = 0;
    map = (struct spool_segment *)(store->scratch + sizeof *def);
    memcpy(store->scratch, &content, sizeof content);
    memcpy(map, segment, map_bytes + def->head.b);
    for (uint32_t i = 0; i < segments; i++)
        if (map[i].basic != def->id) /* a basic type is its own map */
            map[i].basic = store_map_get(&rank->ids.type, map[i].basic);
        else
            map[i].basic = 0;
    status = store_intern(&defs->type_by_content, store->scratch, bytes, &id, &is_new);
    if (status == CORE_OK && is_new) {
        char *text = NULL;
        status = text_copy(name, def->head.b, &text);
        if (status != CORE_OK)
            return status;
        for (uint32_t i = 0; i < segments; i++) {
            if (!map[i].basic)
                map[i].basic = id;
            CORE_CHECK(map[i].basic <= id); /* invariant 1: basic types are defined before */
        }
        status = type_keep(defs, id, def, text, map, segments);
        if (status == CORE_OK)
            status = store_put(
                &store->sql, STORE_DATATYPE, "itiiiiib", (int64_t)id, *text ? text : NULL,
                (int64_t)def->head.a, def->size, def->lb, def->extent, (int64_t)def->signature,
                def->segment_count == UINT32_MAX ? NULL : (const void *)map, map_bytes);
    }
    return status != CORE_OK ? status : store_map_set(&rank->ids.type, def->id, id);
}

static enum core_status define_op(struct store *store, struct store_rank *rank,
                                  const struct spool_def_op *def)
{
    enum core_status status;
    uint32_t id, site = def->site ? store_map_get(&rank->ids.site, def->site) : 0;
    uint32_t before = sizeof def->head.a + sizeof site, bytes = before + def->head.b;
    bool is_new;

    status = CORE_ARRAY_ROOM_ZERO(store->scratch, store->scratch_room, bytes + 1u, "the trace");
    if (status != CORE_OK)
        return status;
    memcpy(store->scratch, &def->head.a, sizeof def->head.a);
    memcpy(store->scratch + sizeof def->head.a, &site, sizeof site);
    memcpy(store->scratch + before, spool_tail(def, sizeof *def), def->head.b);
    store->scratch[bytes] = '\0';
    status = store_intern(&store->defs.op_by_content, store->scratch, bytes, &id, &is_new);
    if (status == CORE_OK && is_new)
        status = store_put(&store->sql, STORE_OP, "itii", (int64_t)id,
                           (const char *)store->scratch + before, (int64_t)def->head.a,
                           site ? (int64_t)site : STORE_NULL);
    return status != CORE_OK ? status : store_map_set(&rank->ids.op, def->id, id);
}

static enum core_status define_win(struct store *store, struct store_rank *rank,
                                   const struct spool_def_win *def)
{
    bool file = def->head.kind == SPOOL_DEF_FILE;
    uint64_t content[2] = {file, def->global};
    struct store_defs *defs = &store->defs;
    enum core_status status;
    uint32_t id;
    bool is_new;

    status = store_intern(&defs->win_by_global, content, sizeof content, &id, &is_new);
    if (status == CORE_OK && is_new) {
        char *text = NULL;
        uint32_t comm = store_map_get(&rank->ids.comm, def->comm);
        status =
            CORE_ARRAY_ROOM_ZERO(defs->win_comm, defs->win_room, (uint64_t)id + 1, "the trace");
        if (status == CORE_OK)
            status = text_copy(spool_tail(def, sizeof *def), def->head.b, &text);
        if (status != CORE_OK)
            return status;
        CORE_CHECK(comm <= defs->comm_by_global.next); /* invariant 1 */
        defs->win_comm[id] = comm;
        status =
            store_put(&store->sql, STORE_WIN, "ittii", (int64_t)id, file ? "file" : "win",
                      *text ? text : NULL, comm ? (int64_t)comm : STORE_NULL, (int64_t)def->global);
        free(text);
    }
    if (status == CORE_OK && !file)
        status = store_put(&store->sql, STORE_WIN_PART, "iii", (int64_t)id, (int64_t)rank->rank,
                           (int64_t)(def->base_bytes & INT64_MAX));
    return status != CORE_OK ? status
                             : store_map_set(file ? &rank->ids.file : &rank->ids.win, def->id, id);
}

/* --- all of them ------------------------------------------------------------------------------ */

enum core_status store_define(struct store *store, struct store_rank *rank,
                              const struct spool_head *head)
{
    CORE_CHECK(head->kind >= SPOOL_DEF_CALL);
    CORE_CHECK(head->kind <= SPOOL_DEF_HINT);
    switch (head->kind) {
    case SPOOL_DEF_CALL:
        return define_call(store, rank, (const void *)head);
    case SPOOL_DEF_SITE:
        return define_site(store, rank, (const void *)head);
    case SPOOL_DEF_MODULE:
        return define_module(store, rank, (const void *)head);
    case SPOOL_DEF_COMM:
        return define_comm(store, rank, (const void *)head);
    case SPOOL_DEF_GROUP:
        return define_group(store, rank, (const void *)head);
    case SPOOL_DEF_TYPE:
        return define_type(store, rank, (const void *)head);
    case SPOOL_DEF_OP:
        return define_op(store, rank, (const void *)head);
    case SPOOL_DEF_WIN:
    case SPOOL_DEF_FILE:
        return define_win(store, rank, (const void *)head);
    case SPOOL_DEF_HINT:
        return define_hint(store, rank, (const void *)head);
    default:
        return CORE_OK;
    }
}

enum core_status store_define_finish(struct store *store)
{
    enum core_status status = CORE_OK;

    for (uint32_t id = 1; status == CORE_OK && id <= store->defs.comm_by_global.next; id++)
        status = comm_write(store, id);
    return status != CORE_OK ? status : sites_write(store);
}

void store_defs_done(struct store_defs *defs)
{
    for (uint32_t i = 0; i < defs->call_room; i++) {
        free(defs->call[i].name);
        free(defs->call[i].names);
    }
    for (uint32_t i = 0; i < defs->module_room; i++) {
        free(defs->module[i].path);
        free(defs->module[i].build_id);
    }
    for (uint32_t i = 0; i < defs->comm_room; i++) {
        free(defs->comm[i].member);
        free(defs->comm[i].name);
    }
    free(defs->call);
    free(defs->module);
    for (uint32_t i = 0; i < defs->site_room; i++)
        free(defs->site[i].function);
    free(defs->site);
    free(defs->comm);
    for (uint32_t i = 0; i < defs->type_room; i++) {
        free(defs->type[i].name);
        free(defs->type[i].segment);
    }
    free(defs->type);
    free(defs->win_comm);
    store_intern_done(&defs->call_by_name);
    store_intern_done(&defs->site_by_place);
    store_intern_done(&defs->module_by_path);
    store_intern_done(&defs->comm_by_global);
    store_intern_done(&defs->type_by_content);
    store_intern_done(&defs->op_by_content);
    store_intern_done(&defs->win_by_global);
    store_intern_done(&defs->group_by_content);
}

void store_ids_done(struct store_ids *ids)
{
    struct store_map *map[] = {&ids->call, &ids->site, &ids->module,     &ids->comm, &ids->type,
                               &ids->op,   &ids->win,  &ids->comm_other, &ids->file, &ids->group};

    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        free(map[i]->value);
    free(ids->group_member);
    memset(ids, 0, sizeof *ids);
}
