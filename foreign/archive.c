/* Reads the definitions of an OTF2 archive. See foreign/archive.h.
 *
 * Tools differ in what they define and in which order, so everything is gathered first (callbacks
 * only copy); then ranks and communicators are made from it.
 *
 * Invariants
 *  1. Entries of `location` with a rank have one below rank_count.
 *  2. A communicator that is known has members below rank_count only. */
#include "foreign/archive.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <otf2/OTF2_ErrorCodes.h>

#include "core/array.h"
#include "core/check.h"
#include "foreign/meaning.h"

enum { RANKS_MAX = 1 << 22 };

struct archive_string {
    uint64_t ref;
    char *text;
};
struct archive_group {
    uint64_t ref;
    bool self;
    uint64_t *member;
    uint32_t count;
};
struct archive_process { /* a location group */
    uint64_t ref, name, node;
    uint32_t rank;
};
struct archive_node { /* of the system tree */
    uint64_t ref, name, parent;
    bool machine;
};

static const struct archive empty = {
    .string = CORE_TABLE(struct archive_string, ref),
    .region = CORE_TABLE(struct archive_region, ref),
    .group = CORE_TABLE(struct archive_group, ref),
    .comm = CORE_TABLE(struct archive_comm, ref),
    .location = CORE_TABLE(struct archive_location, ref),
    .process = CORE_TABLE(struct archive_process, ref),
    .node = CORE_TABLE(struct archive_node, ref),
    .world_comm = ARCHIVE_NONE,
    .self_comm = ARCHIVE_NONE,
    .tick_hz = 1000000000,
};

/* --- the library's own messages --------------------------------------------------------------- */

static char library_said[512];

static OTF2_ErrorCode library_error(void *context, const char *file, uint64_t line,
                                    const char *function, OTF2_ErrorCode code, const char *format,
                                    va_list list)
{
    (void)context, (void)file, (void)line, (void)function;
    int used = snprintf(library_said, sizeof library_said, "%s%s", OTF2_Error_GetDescription(code),
                        format && *format ? ": " : "");

    if (format && used >= 0 && used < (int)sizeof library_said)
        vsnprintf(library_said + used, sizeof library_said - (size_t)used, format, list);
    return code;
}

static enum core_status library_failed(const char *path)
{
    return core_report(CORE_BAD_FORMAT, "cannot read the OTF2 archive '%s': %s", path,
                       *library_said ? library_said : "the OTF2 library gives no reason");
}

/* --- callbacks: copy what is defined ---------------------------------------------------------- */

/* Returns a new entry, or that of an earlier definition with this reference, which is replaced. */
static void *entry_of(struct archive *archive, struct core_table *table, uint64_t ref)
{
    void *entry = NULL;

    if (archive->status == CORE_OK)
        archive->status = core_table_put(table, &ref, "the definitions", &entry);
    return entry;
}

static OTF2_CallbackCode go_on(const struct archive *archive)
{
    return archive->status == CORE_OK ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode string_defined(void *context, OTF2_StringRef self, const char *text)
{
    struct archive *archive = context;
    struct archive_string *string = entry_of(archive, &archive->string, self);

    if (string) {
        free(string->text);
        string->text = strdup(text);
        if (!string->text)
            archive->status = core_report(CORE_NO_MEMORY, "out of memory for the definitions");
    }
    return go_on(archive);
}

static OTF2_CallbackCode clock_defined(void *context, uint64_t hz, uint64_t offset, uint64_t length,
                                       uint64_t realtime)
{
    struct archive *archive = context;

    (void)length;
    archive->tick_hz = hz ? hz : archive->tick_hz;
    archive->start = offset;
    archive->realtime_ns = realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode node_defined(void *context, OTF2_SystemTreeNodeRef self,
                                      OTF2_StringRef name, OTF2_StringRef class,
                                      OTF2_SystemTreeNodeRef parent)
{
    struct archive *archive = context;
    struct archive_node *node = entry_of(archive, &archive->node, self);

    (void)class;
    if (node) {
        node->name = name;
        node->parent = parent;
    }
    return go_on(archive);
}

static OTF2_CallbackCode node_domain(void *context, OTF2_SystemTreeNodeRef self,
                                     OTF2_SystemTreeDomain domain)
{
    struct archive *archive = context;
    struct archive_node *node = entry_of(archive, &archive->node, self);

    if (node)
        node->machine |= domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY;
    return go_on(archive);
}

static OTF2_CallbackCode process_defined(void *context, OTF2_LocationGroupRef self,
                                         OTF2_StringRef name, OTF2_LocationGroupType type,
                                         OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator)
{
    struct archive *archive = context;
    struct archive_process *process = entry_of(archive, &archive->process, self);

    (void)type, (void)creator;
    if (process)
        *process = (struct archive_process){self, name, node, ARCHIVE_NONE};
    return go_on(archive);
}

static OTF2_CallbackCode location_defined(void *context, OTF2_LocationRef self, OTF2_StringRef name,
                                          OTF2_LocationType type, uint64_t events,
                                          OTF2_LocationGroupRef process)
{
    struct archive *archive = context;
    struct archive_location *location = entry_of(archive, &archive->location, self);

    (void)name, (void)type;
    if (location)
        *location = (struct archive_location){self, process, ARCHIVE_NONE, events};
    return go_on(archive);
}

static const char *text_of(const struct archive *archive, uint64_t ref)
{
    const struct archive_string *string = core_table_find(&archive->string, &ref);

    return string && *string->text ? string->text : NULL;
}

static OTF2_CallbackCode region_defined(void *context, OTF2_RegionRef self, OTF2_StringRef name,
                                        OTF2_StringRef canonical, OTF2_StringRef description,
                                        OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                        OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                        uint32_t end)
{
    struct archive *archive = context;
    struct archive_region *region = entry_of(archive, &archive->region, self);
    const char *text = text_of(archive, name);

    (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags, (void)end;
    if (region)
        *region =
            (struct archive_region){self, text, text_of(archive, file),
                                    begin == OTF2_UNDEFINED_UINT32 || begin > INT32_MAX ? 0 : begin,
                                    text ? meaning_find(text) : ARCHIVE_NONE};
    return go_on(archive);
}

static void group_copy(struct archive *archive, struct archive_group *group, uint32_t count,
                       const uint64_t *member)
{
    free(group->member);
    group->member = NULL;
    group->count = 0;
    if ((archive->status = CORE_ARRAY_NEW(group->member, count, "the definitions")) != CORE_OK)
        return;
    memcpy(group->member, member, count * sizeof *member);
    group->count = count;
}

static OTF2_CallbackCode group_defined(void *context, OTF2_GroupRef self, OTF2_StringRef name,
                                       OTF2_GroupType type, OTF2_Paradigm paradigm,
                                       OTF2_GroupFlag flags, uint32_t count, const uint64_t *member)
{
    struct archive *archive = context;
    struct archive_group *group;

    (void)name, (void)flags;
    if (paradigm != OTF2_PARADIGM_MPI)
        return OTF2_CALLBACK_SUCCESS;
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
        archive->status =
            CORE_ARRAY_ROOM(archive->world, archive->world_room, count, "the definitions");
        if (archive->status == CORE_OK)
            memcpy(archive->world, member, count * sizeof *member);
        archive->world_count = archive->status == CORE_OK ? count : 0;
    } else if (type == OTF2_GROUP_TYPE_COMM_GROUP || type == OTF2_GROUP_TYPE_COMM_SELF) {
        group = entry_of(archive, &archive->group, self);
        if (group) {
            group->self = type == OTF2_GROUP_TYPE_COMM_SELF;
            group_copy(archive, group, group->self ? 0 : count, member);
        }
    }
    return go_on(archive);
}

static OTF2_CallbackCode comm_defined(void *context, OTF2_CommRef self, OTF2_StringRef name,
                                      OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    struct archive *archive = context;
    struct archive_comm *comm = entry_of(archive, &archive->comm, self);

    (void)flags;
    if (comm)
        *comm = (struct archive_comm){
            .ref = self, .name = text_of(archive, name), .group = group, .parent = parent};
    return go_on(archive);
}

static OTF2_CallbackCode inter_defined(void *context, OTF2_CommRef self, OTF2_StringRef name,
                                       OTF2_GroupRef a, OTF2_GroupRef b, OTF2_CommRef common,
                                       OTF2_CommFlag flags)
{
    struct archive *archive = context;
    struct archive_comm *comm = entry_of(archive, &archive->comm, self);

    (void)flags;
    if (comm)
        *comm = (struct archive_comm){.ref = self,
                                      .name = text_of(archive, name),
                                      .group = a,
                                      .remote_group = b,
                                      .parent = common,
                                      .inter = true};
    return go_on(archive);
}

static enum core_status definitions_read(struct archive *archive, const char *path)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(archive->reader);
    OTF2_GlobalDefReaderCallbacks *to = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t read = 0;
    OTF2_ErrorCode code;

    if (!definitions || !to)
        return library_failed(path);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(to, string_defined);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(to, clock_defined);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(to, node_defined);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(to, node_domain);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(to, process_defined);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(to, location_defined);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(to, region_defined);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(to, group_defined);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(to, comm_defined);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(to, inter_defined);
    code = OTF2_Reader_RegisterGlobalDefCallbacks(archive->reader, definitions, to, archive);
    OTF2_GlobalDefReaderCallbacks_Delete(to);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(archive->reader, definitions, &read);
    if (archive->status != CORE_OK)
        return archive->status;
    return code == OTF2_SUCCESS ? CORE_OK : library_failed(path);
}

/* --- ranks and communicators ------------------------------------------------------------------ */

static enum core_status ranks_number(struct archive *archive, const char *path)
{
    if (!archive->world_count)
        return core_report(CORE_BAD_FORMAT,
                           "the OTF2 archive '%s' holds no MPI job: it defines no group of MPI "
                           "processes",
                           path);
    if (archive->world_count > RANKS_MAX)
        return core_report(CORE_LIMIT, "the OTF2 archive '%s' has more than %d ranks", path,
                           RANKS_MAX);
    archive->rank_count = archive->world_count;
    for (uint32_t rank = 0; rank < archive->rank_count; rank++) {
        const struct archive_location *location =
            core_table_find(&archive->location, &archive->world[rank]);
        struct archive_process *process =
            location ? core_table_find(&archive->process, &location->process) : NULL;
        if (!process)
            return core_report(CORE_BAD_FORMAT,
                               "the OTF2 archive '%s' does not define the process of rank %u", path,
                               rank);
        process->rank = rank;
    }
    for (uint32_t i = 0; i < archive->location.count; i++) {
        struct archive_location *location = core_table_at(&archive->location, i);
        const struct archive_process *process =
            core_table_find(&archive->process, &location->process);
        location->rank = process ? process->rank : ARCHIVE_NONE;
        CORE_CHECK(location->rank == ARCHIVE_NONE ||
                   location->rank < archive->rank_count); /* invariant 1 */
        archive->events += location->rank == ARCHIVE_NONE ? 0 : location->events;
    }
    return CORE_OK;
}

/* Returns the members of a group; none if it is undefined or names something that is no rank. */
static enum core_status members_of(const struct archive *archive, uint64_t ref,
                                   uint32_t **out_member, uint32_t *out_count, bool *known)
{
    const struct archive_group *group = core_table_find(&archive->group, &ref);
    uint32_t *member;

    *known = *known && group && !group->self;
    if (!*known)
        return CORE_OK;
    enum core_status status = CORE_ARRAY_NEW(member, group->count, "the definitions");
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < group->count; i++) {
        *known = *known && group->member[i] < archive->rank_count; /* invariant 2 */
        member[i] = (uint32_t)group->member[i];
    }
    *out_member = member;
    *out_count = group->count;
    return CORE_OK;
}

static bool is_world(const struct archive *archive, const struct archive_comm *comm)
{
    bool all = comm->known && !comm->inter && comm->count == archive->rank_count;

    for (uint32_t i = 0; all && i < comm->count; i++)
        all = comm->member[i] == i;
    return all;
}

static enum core_status comms_make(struct archive *archive)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && i < archive->comm.count; i++) {
        struct archive_comm *comm = core_table_at(&archive->comm, i);
        const struct archive_group *group = core_table_find(&archive->group, &comm->group);
        if (group && group->self && archive->self_comm == ARCHIVE_NONE)
            archive->self_comm = i;
        comm->known = true;
        status = members_of(archive, comm->group, &comm->member, &comm->count, &comm->known);
        if (status == CORE_OK && comm->inter)
            status = members_of(archive, comm->remote_group, &comm->remote, &comm->remote_count,
                                &comm->known);
        if (!is_world(archive, comm))
            continue;
        if (archive->world_comm == ARCHIVE_NONE ||
            (comm->name && !strcmp(comm->name, "MPI_COMM_WORLD")))
            archive->world_comm = i;
    }
    return status;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Returns the anchor file: `path` itself, or the only *.otf2 in that folder. Free with free(). */
static char *anchor_of(const char *path)
{
    struct stat status;
    struct dirent *entry;
    char *anchor = NULL;
    DIR *folder;
    int found = 0;

    if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
        return strdup(path);
    if (!(folder = opendir(path)))
        return strdup(path);
    while ((entry = readdir(folder))) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".otf2") != 0 ||
            fstatat(dirfd(folder), entry->d_name, &status, 0) < 0 || !S_ISREG(status.st_mode))
            continue;
        free(anchor);
        anchor = NULL;
        if (!found++ && asprintf(&anchor, "%s/%s", path, entry->d_name) < 0)
            anchor = NULL;
    }
    closedir(folder);
    if (!anchor)
        core_report(CORE_BAD_INPUT,
                    found ? "the folder '%s' holds several archives, name the one "
                            "(FILE.otf2)"
                          : "the folder '%s' holds no OTF2 archive (FILE.otf2)",
                    path);
    return anchor;
}

/* Tells whether a location has local definitions. The library would keep a chunk of memory, up to
 * 16 MB, for each location that has none. anchor: FOLDER/NAME.otf2; the files are
 * FOLDER/NAME/REF.def.
 */
static bool has_definitions(struct archive *archive, const char *anchor, OTF2_LocationRef ref)
{
    OTF2_FileSubstrate substrate;
    int stem = (int)strlen(anchor) - (int)strlen(".otf2");
    char *path;

    if (OTF2_Reader_GetFileSubstrate(archive->reader, &substrate) != OTF2_SUCCESS ||
        substrate != OTF2_SUBSTRATE_POSIX || stem <= 0 ||
        asprintf(&path, "%.*s/%" PRIu64 ".def", stem, anchor, (uint64_t)ref) < 0)
        return true;
    bool is = access(path, F_OK) == 0 || errno != ENOENT;
    free(path);
    return is;
}

static enum core_status locations_select(struct archive *archive, const char *path)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    for (uint32_t i = 0; code == OTF2_SUCCESS && i < archive->location.count; i++) {
        const struct archive_location *location = core_table_at(&archive->location, i);
        code = OTF2_Reader_SelectLocation(archive->reader, location->ref);
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_OpenEvtFiles(archive->reader);
    if (code != OTF2_SUCCESS)
        return library_failed(path);
    /* local definitions map the references and clocks of a location */
    if (OTF2_Reader_OpenDefFiles(archive->reader) != OTF2_SUCCESS)
        return CORE_OK; /* there are none */
    for (uint32_t i = 0; i < archive->location.count; i++) {
        const struct archive_location *location = core_table_at(&archive->location, i);
        uint64_t read;
        if (!has_definitions(archive, path, location->ref))
            continue;
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(archive->reader, location->ref);
        if (!local)
            continue;
        code = OTF2_Reader_ReadAllLocalDefinitions(archive->reader, local, &read);
        OTF2_Reader_CloseDefReader(archive->reader, local);
        if (code != OTF2_SUCCESS)
            return library_failed(path);
    }
    OTF2_Reader_CloseDefFiles(archive->reader);
    return CORE_OK;
}

static enum core_status archive_open_anchor(struct archive *archive, const char *anchor)
{
    enum core_status status;
    FILE *file = fopen(anchor, "re");

    if (!file)
        return core_report(errno == ENOENT ? CORE_NOT_FOUND : CORE_IO, "cannot open '%s': %s",
                           anchor, strerror(errno));
    fclose(file);
    archive->reader = OTF2_Reader_Open(anchor);
    if (!archive->reader)
        return core_report(CORE_BAD_FORMAT, "'%s' is not an OTF2 archive, or it is damaged",
                           anchor);
    OTF2_Reader_SetSerialCollectiveCallbacks(archive->reader);
    if (OTF2_Reader_GetCreator(archive->reader, &archive->creator) != OTF2_SUCCESS)
        archive->creator = NULL;
    status = definitions_read(archive, anchor);
    if (status == CORE_OK)
        status = ranks_number(archive, anchor);
    if (status == CORE_OK)
        status = comms_make(archive);
    if (status == CORE_OK)
        status = locations_select(archive, anchor);
    return status;
}

enum core_status archive_open(struct archive *archive, const char *path)
{
    char *anchor = anchor_of(path);
    enum core_status status;

    *archive = empty;
    if (!anchor)
        return CORE_BAD_INPUT;
    *library_said = 0;
    OTF2_Error_RegisterCallback(library_error, NULL);
    status = archive_open_anchor(archive, anchor);
    free(anchor);
    if (status != CORE_OK)
        archive_close(archive);
    return status;
}

void archive_close(struct archive *archive)
{
    if (archive->reader)
        OTF2_Reader_Close(archive->reader);
    for (uint32_t i = 0; i < archive->string.count; i++)
        free(((struct archive_string *)core_table_at(&archive->string, i))->text);
    for (uint32_t i = 0; i < archive->group.count; i++)
        free(((struct archive_group *)core_table_at(&archive->group, i))->member);
    for (uint32_t i = 0; i < archive->comm.count; i++) {
        struct archive_comm *comm = core_table_at(&archive->comm, i);
        free(comm->member);
        free(comm->remote);
    }
    struct core_table *table[] = {&archive->string, &archive->region,   &archive->group,
                                  &archive->comm,   &archive->location, &archive->process,
                                  &archive->node};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        core_table_done(table[i]);
    free(archive->world);
    free(archive->creator);
    memset(archive, 0, sizeof *archive);
}

const struct archive_region *archive_region(const struct archive *archive, uint64_t ref)
{
    return core_table_find(&archive->region, &ref);
}

const struct archive_comm *archive_comm(const struct archive *archive, uint64_t ref)
{
    return core_table_find(&archive->comm, &ref);
}

const char *archive_machine(const struct archive *archive, uint32_t rank)
{
    const struct archive_location *location =
        core_table_find(&archive->location, &archive->world[rank]);
    const struct archive_process *process = core_table_find(&archive->process, &location->process);
    const struct archive_node *node = core_table_find(&archive->node, &process->node), *at = node;

    for (uint32_t depth = 0; at && !at->machine && depth < archive->node.count; depth++)
        at = core_table_find(&archive->node, &at->parent);
    node = at && at->machine ? at : node;
    const char *name = node ? text_of(archive, node->name) : NULL;
    return name ? name : "";
}
