/* Writes spools like a rank, for tests and benches: collects records in memory; writer_close splits
 * them into the .spool file and the rest, which is still in the ring. Tests can damage any field
 * before that. */
#ifndef TESTS_UNIT_SPOOL_WRITER_H
#define TESTS_UNIT_SPOOL_WRITER_H

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/spool/spool.h"
#include "tests/unit/meaning.h"

struct writer {
    char folder[512];
    struct spool_header header;
    unsigned char *data;
    size_t bytes, room;
    uint64_t kept; /* bytes that stay in the ring only; at most ring_bytes */
    uint64_t seq;
    uint64_t now;
};

static inline void writer_open(struct writer *w, const char *folder, int rank, int world,
                               unsigned lane)
{
    memset(w, 0, sizeof *w);
    snprintf(w->folder, sizeof w->folder, "%s", folder);
    mkdir(folder, 0777);
    memcpy(w->header.magic, SPOOL_MAGIC, 8);
    w->header.version = SPOOL_VERSION;
    w->header.header_bytes = SPOOL_HEADER_BYTES;
    w->header.ring_bytes = 65536;
    w->header.rank = rank;
    w->header.world_size = world;
    w->header.lane = lane;
    w->header.pid = 1000 + rank;
    w->header.tid = 1000 + rank;
    strcpy(w->header.machine.name, "host0");
    strcpy(w->header.job, "job");
    strcpy(w->header.library, "Test MPI 1.0");
    w->header.tick_hz = 1000000000;
    w->header.start_ticks = 1000000;
    w->header.start_realtime_ns = 1700000000000000000u;
    w->header.state = SPOOL_STATE_FINALIZED;
    w->now = w->header.start_ticks + 1000;
}

static inline void *writer_add(struct writer *w, unsigned kind, size_t bytes, unsigned a,
                               unsigned b)
{
    size_t padded = (bytes + 7) / 8 * 8;
    struct spool_head head = {(uint16_t)kind, (uint16_t)(padded / 8), (uint16_t)a, (uint16_t)b};

    if (w->bytes + padded > w->room) {
        w->room = (w->bytes + padded) * 2;
        w->data = realloc(w->data, w->room);
    }
    void *at = w->data + w->bytes;
    memset(at, 0, padded);
    memcpy(at, &head, sizeof head);
    w->bytes += padded;
    return at;
}

static inline void writer_call(struct writer *w, unsigned id, const char *name, unsigned class,
                               unsigned mode, const char *names)
{
    size_t n = strlen(name), m = strlen(names);
    struct spool_def_call *def = writer_add(w, SPOOL_DEF_CALL, sizeof *def + n + m, id, class);
    const struct call_meaning *meaning = meaning_of(name, class);

    def->mode = (uint16_t)mode;
    if (meaning) {
        def->verb = meaning->verb;
        def->traits = meaning->traits;
    }
    def->name_bytes = (uint16_t)n;
    def->names_bytes = (uint16_t)m;
    memcpy((char *)(def + 1), name, n);
    memcpy((char *)(def + 1) + n, names, m);
}

static inline void writer_comm(struct writer *w, unsigned id, uint64_t global,
                               const int32_t *member, uint32_t size, int32_t rank, const char *name)
{
    size_t members = (size * 4 + 7) / 8 * 8;
    struct spool_def_comm *def = writer_add(w, SPOOL_DEF_COMM, sizeof *def + members + strlen(name),
                                            SPOOL_COMM_INTRA, (unsigned)strlen(name));

    def->global = global;
    def->id = id;
    def->rank = rank;
    def->size = def->count = size;
    memcpy(def + 1, member, size * 4);
    memcpy((char *)(def + 1) + members, name, strlen(name));
}

static inline void writer_world(struct writer *w)
{
    int32_t *member = malloc((size_t)w->header.world_size * 4);

    for (int i = 0; i < w->header.world_size; i++)
        member[i] = i;
    writer_comm(w, 1, 1, member, (uint32_t)w->header.world_size, w->header.rank, "MPI_COMM_WORLD");
    free(member);
}

static inline void writer_type(struct writer *w, unsigned id, const char *name, int64_t size)
{
    struct spool_def_type *def =
        writer_add(w, SPOOL_DEF_TYPE, sizeof *def + sizeof(struct spool_segment) + strlen(name), 0,
                   (unsigned)strlen(name));
    struct spool_segment *segment = (void *)(def + 1);

    def->id = id;
    def->segment_count = 1;
    def->size = def->extent = size;
    def->signature = id;
    segment->basic = id;
    segment->count = 1;
    memcpy(segment + 1, name, strlen(name));
}

/* site: 0 if unknown, or for MPI's own operations. */
static inline void writer_op_at(struct writer *w, unsigned id, const char *name, unsigned site)
{
    struct spool_def_op *def =
        writer_add(w, SPOOL_DEF_OP, sizeof *def + strlen(name), 1, (unsigned)strlen(name));

    def->id = id;
    def->site = site;
    memcpy(def + 1, name, strlen(name));
}
static inline void writer_op(struct writer *w, unsigned id, const char *name)
{
    writer_op_at(w, id, name, 0);
}

static inline void writer_site(struct writer *w, unsigned id, unsigned module, uint64_t address)
{
    struct spool_def_site *def = writer_add(w, SPOOL_DEF_SITE, sizeof *def, 0, 0);

    def->id = id;
    def->module = module;
    def->address = address;
}

static inline void writer_module(struct writer *w, unsigned id, const char *path)
{
    struct spool_def_module *def =
        writer_add(w, SPOOL_DEF_MODULE, sizeof *def + strlen(path), (unsigned)strlen(path), 0);

    def->id = id;
    memcpy(def + 1, path, strlen(path));
}

/* Begins a call: the caller writes its parts next, then calls writer_event with the result. */
static inline struct spool_event writer_enter(struct writer *w, unsigned call)
{
    struct spool_event e = {.head = {.kind = SPOOL_EVENT, .words = 8, .a = (uint16_t)call},
                            .peer = EVENT_NONE,
                            .tag = EVENT_NONE,
                            .count = EVENT_NONE};

    e.seq = ++w->seq;
    e.t_enter = w->now += 100;
    return e;
}

static inline void writer_event(struct writer *w, struct spool_event e)
{
    e.t_leave = w->now += 50;
    memcpy(writer_add(w, SPOOL_EVENT, sizeof e, e.head.a, e.head.b), &e, sizeof e);
}

static inline void writer_done(struct writer *w, uint64_t seq, uint32_t index, uint32_t request,
                               int32_t source, int32_t tag, uint64_t bytes)
{
    struct spool_done *d = writer_add(w, SPOOL_DONE, sizeof *d, 0, 0);

    d->seq = seq;
    d->index = index;
    d->request = request;
    d->source = source;
    d->tag = tag;
    d->bytes = bytes;
}

static inline void writer_list(struct writer *w, uint64_t seq, unsigned role, unsigned argument,
                               const int32_t *value, uint32_t count)
{
    struct spool_list *l = writer_add(w, SPOOL_LIST, sizeof *l + count * 4, role, 4);

    l->seq = seq;
    l->argument = argument;
    l->total = l->count = count;
    memcpy(l + 1, value, count * 4);
}

static inline void writer_recv_half(struct writer *w, uint64_t seq, int32_t peer, int32_t tag,
                                    uint32_t type, int32_t count)
{
    struct spool_recv_half *l = writer_add(w, SPOOL_RECV_HALF, sizeof *l, 0, 0);

    l->seq = seq;
    l->peer = peer;
    l->tag = tag;
    l->type = type;
    l->count = count;
}

static inline void writer_args(struct writer *w, uint64_t seq, const int64_t *value, unsigned count)
{
    struct spool_args *a = writer_add(w, SPOOL_ARGS, sizeof *a + count * 8, count, 0);

    a->seq = seq;
    memcpy(a + 1, value, count * 8);
}

/* Writes a pending call into a slot of the header. */
static inline void writer_pending(struct writer *w, struct spool_event e)
{
    w->header.open[w->header.depth] = e;
    w->header.depth = w->header.depth + 1;
}

static inline int writer_close(struct writer *w)
{
    char path[sizeof w->folder + 128];
    uint64_t kept = w->kept < w->bytes ? w->kept : w->bytes;
    unsigned char *page = calloc(1, SPOOL_HEADER_BYTES + w->header.ring_bytes);
    int ok = page != NULL;

    w->header.committed = w->bytes;
    w->header.drained = w->bytes - kept;
    memcpy(page, &w->header, sizeof w->header);
    for (uint64_t i = w->bytes - kept; i < w->bytes; i++)
        page[SPOOL_HEADER_BYTES + i % w->header.ring_bytes] = w->data[i];
    snprintf(path, sizeof path, "%.511s/%d.%u.ring", w->folder, w->header.rank, w->header.lane);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ok = ok && fd >= 0 &&
         write(fd, page, SPOOL_HEADER_BYTES + w->header.ring_bytes) ==
             (ssize_t)(SPOOL_HEADER_BYTES + w->header.ring_bytes);
    close(fd);
    snprintf(path, sizeof path, "%.511s/%d.%u.spool", w->folder, w->header.rank, w->header.lane);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (uint64_t at = 0; ok && at < w->bytes - kept;) {
        ssize_t n = write(fd, w->data + at, w->bytes - kept - at);
        ok = n > 0;
        at += (uint64_t)n;
    }
    close(fd);
    free(page);
    free(w->data);
    w->data = NULL;
    return ok;
}

#endif
