/* See transport.h. */
#include "interpose/layer/transport.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/library/library.h"
#include "interpose/life.h"
#include "interpose/misuse/usage.h"
#include "interpose/objects/handles.h"

#define MAKERS (1ull << EVENT_CLASS_COMM_CREATE | 1ull << EVENT_CLASS_COMM_ICREATE)
#define COLLECTIVES \
    (1ull << EVENT_CLASS_COLL | 1ull << EVENT_CLASS_ICOLL | 1ull << EVENT_CLASS_COMM_FREE | MAKERS)

#define INNER(name) (TRAIT_BIT(INNER) | TRAIT_BIT(name))
#define REQUEST TRAIT_BIT(MAKES_REQUEST)
static const struct call_description description[] = {
    {"ucp_tag_send", "", EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, 0, INNER(SENDS) | REQUEST},
    {"ucp_tag_send_sync", "", EVENT_CLASS_ISEND, EVENT_MODE_SYNCHRONOUS, 0, INNER(SENDS) | REQUEST},
    {"ucp_tag_recv", "", EVENT_CLASS_IRECV, EVENT_MODE_NONE, 0, INNER(RECEIVES) | REQUEST},
    {"ucp_complete", "", EVENT_CLASS_WAIT, EVENT_MODE_NONE, 0, INNER(COMPLETES_ONE)},
    {"fi_tsend", "", EVENT_CLASS_ISEND, EVENT_MODE_STANDARD, 0, INNER(SENDS) | REQUEST},
    {"fi_tsend_sync", "", EVENT_CLASS_ISEND, EVENT_MODE_SYNCHRONOUS, 0, INNER(SENDS) | REQUEST},
    {"fi_trecv", "", EVENT_CLASS_IRECV, EVENT_MODE_NONE, 0, INNER(RECEIVES) | REQUEST},
    {"fi_complete", "", EVENT_CLASS_WAIT, EVENT_MODE_NONE, 0, INNER(COMPLETES_ONE)},
};
_Static_assert(sizeof description / sizeof *description == TRANSPORT_END - CALL_COUNT,
               "a description per id");

const struct call_description *layer_description(unsigned call)
{
    return &description[call - CALL_COUNT];
}

static bool started, lost, silent;
static uint32_t byte_id; /* id of MPI_BYTE */

void transport_lose(void)
{
    lost = true;
}

/* --- partners --------------------------------------------------------------------------------- */

enum { PARTNERS_MAX = 65536, PATH_BYTES = 4096 };
struct address {
    unsigned char byte[TRANSPORT_ADDRESS_BYTES];
};
static struct partner {
    uint64_t name;
    struct address address;
    int32_t rank; /* world rank; -1: unknown yet */
} * partner;
static uint32_t partner_count, partner_room;
static bool written;

static bool address_path(char *path, size_t room, int rank)
{
    return snprintf(path, room, "%s/%d.0.address", recorder_folder(), rank) < (int)room;
}

static struct address address_of(const void *address, size_t bytes)
{
    struct address own = {{0}};
    memcpy(own.byte, address, bytes < sizeof own.byte ? bytes : sizeof own.byte);
    return own;
}

void transport_address(const void *address, size_t bytes)
{
    const char *rank = library_place().rank;
    struct address own = address_of(address, bytes);
    char path[PATH_BYTES];

    if (started || !rank || hosts_several() || !recorder_folder_choose() ||
        !address_path(path, sizeof path, atoi(rank)))
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0) {
        written = write(file, &own, sizeof own) == sizeof own;
        close(file);
    }
}

void transport_partner(uint64_t name, const void *address, size_t bytes)
{
    recorder_lock();
    if (partner_count == partner_room && partner_count < PARTNERS_MAX) {
        uint32_t room = partner_room ? 2 * partner_room : 64;
        struct partner *more = realloc(partner, room * sizeof *more);
        if (more) {
            partner = more;
            partner_room = room;
        }
    }
    if (partner_count < partner_room)
        partner[partner_count++] = (struct partner){name, address_of(address, bytes), -1};
    else
        lost = true;
    recorder_unlock();
}

/* Finds the rank of each partner by the addresses, which all ranks had written before others could
 * connect to them. */
static void partners_find(void)
{
    for (int rank = 0; rank < recorder.world_size; rank++) {
        char path[PATH_BYTES];
        struct address address;
        int file = address_path(path, sizeof path, rank) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        if (file < 0)
            continue;
        while (read(file, &address, sizeof address) == sizeof address)
            for (uint32_t i = 0; i < partner_count; i++)
                if (!memcmp(&partner[i].address, &address, sizeof address))
                    partner[i].rank = rank;
        close(file);
    }
}

int32_t transport_rank(uint64_t name)
{
    int32_t rank = -1;
    recorder_lock();
    for (int turn = 0; turn < 2 && rank < 0; turn++) {
        bool known = false;
        for (uint32_t i = partner_count; i-- > 0 && !known;)
            if (partner[i].name == name) {
                known = true;
                rank = partner[i].rank;
            }
        if (known && rank < 0 && turn == 0)
            partners_find();
    }
    recorder_unlock();
    return rank;
}

/* --- contexts --------------------------------------------------------------------------------- */

enum { CONTEXT_NUMBER_SHIFT = 4, CONTEXTS = 65536, SCHEDULES = 4096, PART_SHIFT = 28 };
static struct context {
    MPI_Comm comm;
    uint32_t id; /* 0: unknown */
    uint32_t age;
} contexts[CONTEXTS];
static uint32_t context_end; /* behind the last that was ever known */
/* A persistent collective, by its request. Its tag is taken when it is made; its first start shows
 * it. */
enum { PERSISTENT = 1024 };
static struct persistent {
    uint32_t request, id; /* of its communicator */
    MPI_Comm comm;
    uint64_t seq; /* of the last start; 0: its inside is not recorded */
} persistent[PERSISTENT];

static struct schedule {
    uint32_t number, age, tag;
    uint32_t request; /* of a persistent collective; 0: of none */
    uint64_t seq;     /* 0: its inside is not recorded */
} schedule[SCHEDULES];

/* The call of this thread that a new context or tag belongs to. */
struct owner {
    MPI_Comm comm; /* null: not at hand */
    uint32_t id;   /* of comm; 0: the call owns none */
    uint32_t request;
    uint64_t seq; /* 0: its inside is not recorded */
};
/* The persistent collectives that the call starts. */
static __thread struct {
    uint64_t seq; /* of the call */
    uint32_t request, count;
} starting;

static bool context_is_of(uint32_t id)
{
    for (uint32_t i = 0; i < context_end; i++)
        if (contexts[i].id == id)
            return true;
    return false;
}

/* Returns the communicator of a context; NULL: unknown. */
static struct context *context_find(const struct owner *owner, uint32_t number)
{
    struct context *c = &contexts[number];

    if (c->id && !handles_comm_is(c->id, c->comm)) /* the communicator was freed */
        c->id = 0;
    if (owner->id && !c->id && owner->comm != recorder_handle.comm_null &&
        !context_is_of(owner->id)) {
        *c = (struct context){owner->comm, owner->id, c->age + 1};
        context_end = context_end > number ? context_end : number + 1;
    }
    return c->id ? c : NULL;
}

struct lane *transport_lane_slow(void)
{
    if (!recorder_thread.current) /* a thread of the library */
        lost = true;
    return layer_lane();
}

static struct persistent *persistent_at(uint32_t request)
{
    return &persistent[request % PERSISTENT];
}

/* Several persistent collectives that one call starts have tags that nothing tells apart. */
static struct owner owner_of(const struct lane *lane, unsigned class)
{
    const struct spool_event *call = &lane->open[0];
    struct owner own = {.comm = recorder_handle.comm_null,
                        .seq = call->seq != lane->unseen ? call->seq : 0};

    if (class == EVENT_CLASS_START && starting.seq == call->seq && starting.count == 1) {
        const struct persistent *p = persistent_at(starting.request);
        if (p->request == starting.request) {
            own.comm = p->comm;
            own.id = p->id;
            own.request = p->request;
        }
    } else if (COLLECTIVES >> class & 1) {
        own.id = call->comm;
        if (lane->comm_cache.id == call->comm)
            own.comm = (MPI_Comm)(uintptr_t)lane->comm_cache.handle;
    }
    return own;
}

static uint64_t schedule_seq(const struct schedule *s)
{
    const struct persistent *p = persistent_at(s->request);

    return s->request && p->request == s->request ? p->seq : s->request ? 0 : s->seq;
}

bool transport_call_of(struct lane *lane, uint32_t context, uint32_t tag,
                       struct transport_call *out)
{
    uint32_t number = context >> CONTEXT_NUMBER_SHIFT, part = (context & TRANSPORT_PART) >> 1;
    const struct spool_event *call = &lane->open[0];
    unsigned class =
        call->head.a < CALL_COUNT ? call_description[call->head.a].class : EVENT_CLASS_OTHER;
    bool makes = MAKERS >> class & 1;
    const struct owner owner = owner_of(lane, class);
    bool scheduled = tag >= TRANSPORT_TAG_SCHEDULED;

    *out = (struct transport_call){.tag = scheduled ? tag | part << PART_SHIFT : tag};
    if (number >= CONTEXTS) {
        lost = true;
        return false;
    }
    recorder_lock();
    struct context *c = context_find(&owner, number);
    bool own = owner.id && c && c->id == owner.id;
    struct schedule *s = &schedule[(number * 0x9E3779B1u + out->tag * 0x85EBCA6Bu) % SCHEDULES];
    if (c && scheduled && s->number == number && s->age == c->age && s->tag == out->tag) {
        out->seq = schedule_seq(s);
    } else if (own) {
        out->seq = owner.seq;
        if (scheduled)
            *s = (struct schedule){number, c->age, out->tag, owner.request, owner.seq};
    } else if (c || !makes) {
        lost = true; /* invariant 2 */
    }
    recorder_unlock();
    if (out->seq) {
        out->comm = c->comm;
        out->id = c->id;
    }
    return out->seq != 0;
}

/* --- events ----------------------------------------------------------------------------------- */

struct spool_event *transport_enter(struct lane *lane, unsigned call,
                                    const struct transport_call *of, int32_t peer, uint32_t request)
{
    struct spool_event *e = layer_enter(lane, call, of->seq);
    recorder_fields(e, of->id, peer, (int32_t)of->tag, byte_id, 0, request);
    recorder_open(lane, e);
    return e;
}

void transport_leave(struct lane *lane, struct spool_event *e, size_t bytes)
{
    e->count = bytes <= INT32_MAX ? (int32_t)bytes : INT32_MAX;
    recorder_close(lane, e, 0, STEP_ON);
}

void transport_complete(unsigned call, uint64_t seq, uint32_t request, bool cancelled,
                        const struct transport_message *received)
{
    struct lane *lane = recorder_thread.current;
    if (!recorder.layer || !lane || lane == recorder_nobody || lane->depth == 0 ||
        lane->depth >= SPOOL_DEPTH_MAX) {
        lost = true;
        return;
    }
    struct spool_event *e = layer_enter(lane, call, seq);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, request);
    recorder_open(lane, e);
    e->t_leave = e->t_enter;
    const struct spool_done done = {.head = {SPOOL_DONE, sizeof done / 8, cancelled, 0},
                                    .seq = e->seq,
                                    .request = request,
                                    .source = received ? received->source : EVENT_NONE,
                                    .tag = received ? (int32_t)received->tag : EVENT_NONE,
                                    .bytes = received ? received->bytes : 0};
    spool_put_done(&lane->writer, &done);
    recorder_close(lane, e, 0, STEP_ON);
}

__thread struct transport_kept *transport_kept;

void transport_kept_record(void)
{
    uint32_t count = transport_kept->count;

    transport_kept->count = 0;
    for (uint32_t i = 0; i < count; i++)
        transport_complete(transport_kept->call, transport_kept->seq, transport_kept->request[i],
                           false, NULL);
}

void transport_sent(unsigned call, uint64_t seq, uint32_t request)
{
    struct transport_kept *kept = transport_kept;

    if (!kept && !(kept = transport_kept = calloc(1, sizeof *kept)))
        return;
    if (kept->count == TRANSPORT_KEPT_MAX || (kept->count && kept->seq != seq))
        transport_kept_record();
    kept->seq = seq;
    kept->call = call;
    kept->request[kept->count++] = request;
}

/* --- on and off ------------------------------------------------------------------------------- */

void layer_found(const struct body_entry *entry)
{
    const char *setting = recorder_setting("CROSSWAIT_INSIDE");

    if (!setting || strcmp(setting, "transport") != 0)
        return;
    if (ucx_found(entry))
        setenv("MPIR_CVAR_CH4_NETMOD", "ucx", 0);
    libfabric_found(entry);
    setenv("MPIR_CVAR_NOLOCAL", "1", 0); /* MPICH */
    setenv("I_MPI_FABRICS", "ofi", 0);   /* Intel MPI */
    setenv("I_MPI_COLL_INTRANODE", "pt2pt", 0);
    /* A library that some builds of libfabric load would catch the signals that end a rank. */
    setenv("IPATH_NO_BACKTRACE", "1", 0);
}

bool transport_version(const char *text, const char *name, const char *version)
{
    if (strncmp(text, name, strlen(name)) != 0)
        return false;
    text += strlen(name);
    text += strspn(text, " \t");
    return !strncmp(text, version, strlen(version));
}

static int tag_most(void)
{
    int *most = NULL, there = 0;
    return ASK(COMM, Comm_get_attr, recorder_handle.comm_world, MPI_TAG_UB, &most, &there) ==
                       MPI_SUCCESS &&
                   there
               ? *most
               : 0;
}

const char *layer_start(const char *version)
{
    static const char off[] = "library layer off: crosswait does not see what this MPI library "
                              "does inside its collectives",
                      ucx[] = "inside=transport: all messages go over UCX, whose eager limits "
                              "differ from those of shared memory",
                      fabric[] =
                          "inside=transport: all messages, also those of collectives, go over "
                          "libfabric instead of shared memory, whose eager limits differ";

    started = true;
    if (!written || !partner_count || lost)
        return off;
    const char *changed = ucx_reads(version)                     ? ucx
                          : libfabric_reads(version, tag_most()) ? fabric
                                                                 : NULL;
    if (!changed)
        return off;
    /* Here, because it asks MPI (invariant 1). */
    byte_id = recorder_type(recorder_thread.current, recorder_handle.type_byte);
    recorder_lock();
    partners_find();
    recorder_unlock();
    recorder.layer = true;
    if (recorder.world_rank == 0)
        recorder_say(changed);
    return changed;
}

void layer_stop(void)
{
    if (recorder.layer) {
        transport_progress();
        libfabric_stop();
    }
    if (recorder.layer && lost)
        for (struct lane *lane = recorder.lanes; lane; lane = lane->next)
            lane->writer.header->layer = SPOOL_LAYER_SAMPLE;
    recorder.layer = false;
}

MPI_Comm layer_receive_comm(MPI_Request request)
{
    (void)request;
    return recorder_handle.comm_null;
}

void layer_receive_from(MPI_Request request, int source)
{
    (void)request, (void)source;
}

int layer_starting(MPI_Comm comm, uint64_t seq)
{
    (void)comm, (void)seq;
    return 0;
}

void layer_started(MPI_Comm comm, int tag_before, uint64_t seq)
{
    (void)comm, (void)tag_before, (void)seq;
}

void layer_making(MPI_Comm comm, uint32_t id, uint64_t seq)
{
    (void)comm, (void)id, (void)seq;
}

void layer_persistent(uint64_t init_seq, uint32_t request)
{
    const struct lane *lane = recorder_thread.current;

    if (!lane || lane->open[0].seq != init_seq || lane->comm_cache.id != lane->open[0].comm)
        return;
    recorder_lock();
    *persistent_at(request) = (struct persistent){request, lane->comm_cache.id,
                                                  (MPI_Comm)(uintptr_t)lane->comm_cache.handle, 0};
    recorder_unlock();
}

void layer_restarted(uint32_t request, uint64_t seq)
{
    const struct lane *lane = recorder_thread.current;

    recorder_lock();
    struct persistent *p = persistent_at(request);
    if (p->request == request)
        p->seq = lane && lane->unseen == seq ? 0 : seq;
    recorder_unlock();
    starting.count = starting.seq == seq ? starting.count + 1 : 1;
    starting.seq = seq;
    starting.request = request;
}

/* Called for a collective through shared memory, between ranks of one machine. */
void layer_silent(struct lane *lane, const struct spool_event *e, MPI_Comm comm)
{
    const struct comm_info *info =
        !silent && lane->unseen != e->seq && e->comm && call_needs_messages(e->head.a, e->count)
            ? handles_comm_info(lane, comm)
            : NULL;

    if (!info || info->inter || info->size < 2)
        return;
    silent = true;
    lane->writer.header->layer = SPOOL_LAYER_SAMPLE;
    recorder_note(lane, "library layer: some collectives send no messages over the transport, so "
                        "crosswait does not see inside them");
}
