/* Writes definitions and headers of the spools that an OTF2 archive becomes. See foreign/spools.h.
 *
 * Invariants
 *  1. The first lane to open defines bytes and the communicators that every rank has, before
 *     anything else. */
#include "foreign/spools.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "core/spool/signature.h"
#include "core/spool/spool_read.h"

enum { RING_BYTES = 1 << 16, NAME_MAX_BYTES = 1024, MEMBERS_A_RECORD = 4096 };
_Static_assert(RING_BYTES >= 2 * SPOOL_RECORD_WORDS_MAX * 8, "the largest record fits in");

/* --- records ---------------------------------------------------------------------------------- */

enum core_status spools_stopped(const struct spool_writer *writer)
{
    const char *note = writer->header && *writer->header->note ? writer->header->note : "no room";

    return core_report(CORE_IO, "cannot write the spools of the archive: %s", note);
}

/* Reserves a definition of so many bytes, zeroed behind its head. NULL: recording stopped
 * (reported). */
static void *spools_record(struct spool_writer *writer, enum spool_kind kind, size_t bytes,
                           size_t a, size_t b)
{
    size_t words = (bytes + 7) / 8;
    struct spool_head *head = spool_reserve(writer, (uint32_t)words);

    CORE_CHECK(words <= SPOOL_RECORD_WORDS_MAX && a <= UINT16_MAX && b <= UINT16_MAX);
    if (!head) {
        spools_stopped(writer);
        return NULL;
    }
    memset(head, 0, words * 8);
    *head = (struct spool_head){(uint16_t)kind, (uint16_t)words, (uint16_t)a, (uint16_t)b};
    return head;
}

static size_t name_bytes(const char *name)
{
    return name ? strnlen(name, NAME_MAX_BYTES) : 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

enum core_status spools_open(struct spools *spools, const struct archive *archive,
                             const char *folder, uint32_t rank)
{
    *spools = (struct spools){.archive = archive,
                              .folder = folder,
                              .rank = rank,
                              .comm = CORE_TABLE(struct spools_comm, ref),
                              .site = CORE_TABLE(struct spools_number, key),
                              .module = CORE_TABLE(struct spools_number, key),
                              .type = CORE_TABLE(struct spools_number, key),
                              .comm_next = SPOOLS_SELF + 1};
    return CORE_ARRAY_NEW(spools->call_defined, meaning_count(), "the spools");
}

static void header_fill(const struct spools *spools, struct spool_header *header)
{
    const struct archive *archive = spools->archive;

    memcpy(header->magic, SPOOL_MAGIC, sizeof header->magic);
    header->world_size = (int32_t)archive->rank_count;
    snprintf(header->machine.name, sizeof header->machine.name, "%.63s",
             archive_machine(archive, spools->rank));
    strcpy(header->machine.boot, "otf2");
    strcpy(header->job, "otf2");
    snprintf(header->library, sizeof header->library, "MPI as %.100s saw it",
             archive->creator ? archive->creator : "another tool");
    header->tick_hz = archive->tick_hz;
    header->start_ticks = archive->start;
    header->start_realtime_ns = archive->realtime_ns ? archive->realtime_ns : 1;
    header->layer = SPOOL_LAYER_OFF;
    /* the archive's clocks are already aligned */
    header->compared[0] = (struct spool_compared){0, 0, header->start_realtime_ns};
}

/* Defines MPI_BYTE: archives hold sizes, but no datatypes. */
static enum core_status bytes_define(struct spool_writer *writer)
{
    struct spool_def_type *type;
    struct spool_segment *segment;
    static const char name[] = "MPI_BYTE";

    type = spools_record(writer, SPOOL_DEF_TYPE, sizeof *type + sizeof *segment + sizeof name - 1,
                         EVENT_COMBINER_NAMED, sizeof name - 1);
    if (!type)
        return CORE_IO;
    type->id = SPOOLS_BYTES_TYPE;
    type->segment_count = 1;
    type->size = type->extent = 1;
    const struct signature_run run = {signature_basic(name), 1, NULL};
    type->signature = signature_hash(&run, 1);
    segment = (struct spool_segment *)(type + 1);
    segment->basic = SPOOLS_BYTES_TYPE;
    segment->count = 1;
    memcpy(segment + 1, name, sizeof name - 1);
    spool_commit(writer);
    return CORE_OK;
}

static enum core_status comm_define(struct spools *spools, struct spool_writer *writer, uint32_t id,
                                    uint64_t global, const struct archive_comm *comm,
                                    const char *name);

static enum core_status world_define(struct spools *spools, struct spool_writer *writer)
{
    const struct archive *archive = spools->archive;
    struct archive_comm world = {.known = true, .count = archive->rank_count},
                        self = {.known = true, .count = 1, .member = &spools->rank};
    enum core_status status =
        CORE_ARRAY_NEW(world.member, archive->rank_count, "the communicators");

    for (uint32_t i = 0; status == CORE_OK && i < archive->rank_count; i++)
        world.member[i] = i;
    if (status == CORE_OK)
        status = comm_define(spools, writer, SPOOLS_WORLD, 1, &world, "MPI_COMM_WORLD");
    if (status == CORE_OK)
        status = comm_define(spools, writer, SPOOLS_SELF, (1ull << 32) + spools->rank, &self,
                             "MPI_COMM_SELF");
    free(world.member);
    return status;
}

enum core_status spools_lane(struct spools *spools, uint32_t lane, struct spool_writer **out_writer)
{
    enum core_status status =
        CORE_ARRAY_ROOM_ZERO(spools->writer, spools->lane_room, lane + 1ul, "the spools of a rank");
    struct spool_writer *writer;
    int error = 0;

    if (status != CORE_OK)
        return status;
    spools->lane_count = lane >= spools->lane_count ? lane + 1 : spools->lane_count;
    writer = &spools->writer[lane];
    *out_writer = writer;
    if (writer->header)
        return CORE_OK;
    status =
        spool_writer_open(writer, spools->folder, (int32_t)spools->rank, lane, RING_BYTES, &error);
    if (status != CORE_OK)
        return core_report(status, "cannot write the spools in '%s': %s", spools->folder,
                           strerror(error));
    header_fill(spools, writer->header);
    if (spools->lanes_open++)
        return CORE_OK;
    CORE_CHECK(!writer->position); /* invariant 1 */
    status = bytes_define(writer);
    return status == CORE_OK ? world_define(spools, writer) : status;
}

/* --- definitions ------------------------------------------------------------------------------ */

enum core_status spools_call(struct spools *spools, struct spool_writer *writer, uint32_t meaning,
                             enum event_class class, uint16_t *out_id)
{
    struct meaning of = meaning_at(meaning);
    const bool judged = class != EVENT_CLASS_OTHER || of.class == EVENT_CLASS_OTHER;
    const char *name = of.name;
    struct spool_def_call *def;
    size_t bytes = strlen(name);

    if (judged && of.class != class) /* written as the plain call of that class */
        of = meaning_at(meaning_find(class == EVENT_CLASS_RECV ? "MPI_Recv" : "MPI_Irecv"));
    CORE_CHECK(!judged || of.class == class);
    *out_id = (uint16_t)(meaning + 1);
    if (spools->call_defined[meaning])
        return CORE_OK;
    def = spools_record(writer, SPOOL_DEF_CALL, sizeof *def + bytes, *out_id, class);
    if (!def)
        return CORE_IO;
    def->mode = (uint16_t)(judged ? of.mode : EVENT_MODE_NONE);
    def->verb = (uint16_t)(judged ? of.verb : VERB_NONE);
    def->traits = judged ? of.traits : TRAIT_BIT(LOCAL);
    def->name_bytes = (uint16_t)bytes;
    memcpy(def + 1, name, bytes);
    spools->call_defined[meaning] = true;
    return CORE_OK;
}

/* Returns the rank's index among the members; -1 if it is none. */
static int32_t place_in(const uint32_t *member, uint32_t count, uint32_t rank)
{
    for (uint32_t i = 0; i < count; i++)
        if (member[i] == rank)
            return (int32_t)i;
    return -1;
}

static enum core_status comm_define(struct spools *spools, struct spool_writer *writer, uint32_t id,
                                    uint64_t global, const struct archive_comm *comm,
                                    const char *name)
{
    /* the rank's own side comes first */
    bool other = comm->inter && place_in(comm->member, comm->count, spools->rank) < 0;
    const uint32_t *mine = other ? comm->remote : comm->member,
                   *theirs = other ? comm->member : comm->remote;
    uint32_t size = other ? comm->remote_count : comm->count,
             remote = other ? comm->count : comm->remote_count;

    for (uint32_t first = 0; first < size + remote;) {
        uint32_t here = size + remote - first;
        here = here > MEMBERS_A_RECORD ? MEMBERS_A_RECORD : here;
        size_t named = first ? 0 : name_bytes(name), members = ((size_t)here * 4 + 7) / 8 * 8;
        struct spool_def_comm *def =
            spools_record(writer, SPOOL_DEF_COMM, sizeof *def + members + named,
                          comm->inter ? SPOOL_COMM_INTER : SPOOL_COMM_INTRA, named);
        if (!def)
            return CORE_IO;
        def->global = global;
        def->id = id;
        def->rank = place_in(mine, size, spools->rank);
        def->size = size;
        def->remote_size = remote;
        def->first = first;
        def->count = here;
        for (uint32_t i = 0; i < here; i++, first++)
            ((int32_t *)(def + 1))[i] =
                (int32_t)(first < size ? mine[first] : theirs[first - size]);
        memcpy((char *)(def + 1) + members, name ? name : "", named);
    }
    spool_commit(writer);
    return CORE_OK;
}

static bool is_member(const struct spools *spools, const struct archive_comm *comm)
{
    return comm && comm->known &&
           (place_in(comm->member, comm->count, spools->rank) >= 0 ||
            place_in(comm->remote, comm->remote_count, spools->rank) >= 0);
}

enum core_status spools_comm(struct spools *spools, struct spool_writer *writer, uint64_t ref,
                             uint32_t *out_id)
{
    const struct archive *archive = spools->archive;
    const struct archive_comm *comm = archive_comm(archive, ref);
    struct spools_comm *known = core_table_find(&spools->comm, &ref);
    enum core_status status = CORE_OK;
    uint32_t index;

    if (!known) {
        status = core_table_put(&spools->comm, &ref, "the communicators", &known);
        if (status != CORE_OK)
            return status;
        index = comm ? (uint32_t)(((const char *)comm - archive->comm.entry) / sizeof *comm) : 0;
        if (comm && index == archive->world_comm) {
            known->id = SPOOLS_WORLD;
        } else if (comm && index == archive->self_comm) {
            known->id = SPOOLS_SELF;
        } else if (is_member(spools, comm)) {
            known->id = spools->comm_next++;
            status = comm_define(spools, writer, known->id, (2ull << 32) + index, comm, comm->name);
        }
    }
    *out_id = known->id;
    return status;
}

static enum core_status module_define(struct spools *spools, struct spool_writer *writer,
                                      const char *file, uint32_t *out_id)
{
    uint64_t key = (uint64_t)(uintptr_t)file; /* a string owned by the archive */
    struct spools_number *known;
    enum core_status status = core_table_put(&spools->module, &key, "the places", &known);
    struct spool_def_module *def;
    size_t bytes = name_bytes(file);

    if (status != CORE_OK || known->id) {
        *out_id = status == CORE_OK ? known->id : 0;
        return status;
    }
    *out_id = known->id = spools->module.count;
    def = spools_record(writer, SPOOL_DEF_MODULE, sizeof *def + bytes, bytes, 0);
    if (!def)
        return CORE_IO;
    def->id = known->id;
    memcpy(def + 1, file, bytes);
    return CORE_OK;
}

enum core_status spools_site(struct spools *spools, struct spool_writer *writer, uint64_t caller,
                             uint32_t *out_id)
{
    const struct archive_region *region = archive_region(spools->archive, caller);
    struct spools_number *known;
    struct spool_def_site *def;
    enum core_status status;
    uint32_t module;

    *out_id = 0;
    if (!region || !region->file || !region->line || !region->name)
        return CORE_OK;
    status = core_table_put(&spools->site, &caller, "the places", &known);
    if (status != CORE_OK || (*out_id = known->id))
        return status;
    *out_id = known->id = spools->site.count;
    status = module_define(spools, writer, region->file, &module);
    if (status != CORE_OK)
        return status;
    size_t bytes = name_bytes(region->name);
    def = spools_record(writer, SPOOL_DEF_SITE, sizeof *def + bytes, bytes, SPOOL_SITE_LINE);
    if (!def)
        return CORE_IO;
    def->id = *out_id;
    def->module = module;
    def->address = region->line;
    memcpy(def + 1, region->name, bytes);
    return CORE_OK;
}

/* Defines a type for a size that no count of bytes can express. */
static enum core_status type_define(struct spools *spools, struct spool_writer *writer,
                                    uint64_t bytes, uint32_t *out_type)
{
    struct spools_number *known;
    enum core_status status = core_table_put(&spools->type, &bytes, "the datatypes", &known);
    struct spool_def_type *def;

    if (status != CORE_OK || known->id) {
        *out_type = status == CORE_OK ? known->id : 0;
        return status;
    }
    *out_type = known->id = SPOOLS_BYTES_TYPE + spools->type.count;
    def = spools_record(writer, SPOOL_DEF_TYPE, sizeof *def, EVENT_COMBINER_CONTIGUOUS, 0);
    if (!def)
        return CORE_IO;
    const struct signature_run run = {signature_basic("MPI_BYTE"), bytes, NULL};
    def->id = *out_type;
    def->segment_count = UINT32_MAX;
    def->size = def->extent = (int64_t)bytes;
    def->signature = signature_hash(&run, 1);
    return CORE_OK;
}

enum core_status spools_size(struct spools *spools, struct spool_writer *writer, uint64_t bytes,
                             uint32_t *out_type, int32_t *out_count)
{
    *out_type = SPOOLS_BYTES_TYPE;
    *out_count = (int32_t)bytes;
    if (bytes <= INT32_MAX)
        return CORE_OK;
    *out_count = 1;
    return type_define(spools, writer, bytes & INT64_MAX, out_type);
}

/* --- the end ---------------------------------------------------------------------------------- */

enum core_status spools_finish(struct spools *spools, enum spool_state state, uint64_t lost,
                               uint64_t last_seq)
{
    struct spool_writer *writer;
    enum core_status status = CORE_OK;

    if (!spools->lanes_open) /* a rank without calls needs a record as well */
        status = spools_lane(spools, 0, &writer);
    for (uint32_t i = 0, first = 1; status == CORE_OK && i < spools->lane_count; i++) {
        struct spool_header *header = spools->writer[i].header;
        if (!header)
            continue;
        header->thread_level = spools->lanes_open > 1 ? EVENT_THREAD_MULTIPLE : EVENT_THREAD_SINGLE;
        header->state = state;
        header->next_seq = last_seq;
        header->lost = first ? lost : 0;
        header->flags |= lost ? SPOOL_FLAG_FILTERED : 0;
        first = 0;
        spool_commit(&spools->writer[i]);
        spool_writer_close(&spools->writer[i]);
    }
    return status;
}

static enum core_status lane_lose(const char *folder, const struct spool_lane_name *lane)
{
    char path[4096];
    struct spool_header header;
    int fd;

    snprintf(path, sizeof path, "%s/%" PRId32 ".%" PRIu32 ".ring", folder, lane->rank, lane->lane);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header) {
        if (fd >= 0)
            close(fd);
        return core_report(CORE_IO, "cannot read the spool '%s'", path);
    }
    header.lost++;
    header.flags |= SPOOL_FLAG_FILTERED;
    bool written = pwrite(fd, &header, sizeof header, 0) == (ssize_t)sizeof header;
    close(fd);
    return written ? CORE_OK : core_report(CORE_IO, "cannot write the spool '%s'", path);
}

enum core_status spools_lose(const char *folder)
{
    struct spool_lane_name *lane = NULL;
    uint32_t count = 0;
    enum core_status status = spool_lanes_list(folder, &lane, &count);

    for (uint32_t i = 0; status == CORE_OK && i < count; i++)
        if (!i || lane[i].rank != lane[i - 1].rank)
            status = lane_lose(folder, &lane[i]);
    free(lane);
    return status;
}

void spools_close(struct spools *spools)
{
    for (uint32_t i = 0; i < spools->lane_count; i++)
        spool_writer_close(&spools->writer[i]);
    free(spools->writer);
    free(spools->call_defined);
    core_table_done(&spools->comm);
    core_table_done(&spools->site);
    core_table_done(&spools->module);
    core_table_done(&spools->type);
    memset(spools, 0, sizeof *spools);
}
