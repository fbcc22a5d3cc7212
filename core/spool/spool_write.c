/* Writes one lane of a spool. See core/spool/spool_write.h. */
#include "core/spool/spool_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

enum {
    FD_HIGH = 900,
    FD_LOW = 100,
    STEP_MAX = 1 << 16, /* a step of this size is still in the cache when it is summed up */
    BASE_PARTS = 4      /* a base takes at most this fraction of a step */
};
_Static_assert(STEP_MAX / BASE_PARTS >= 1 << 14, "a base fits in");

int spool_fd_up(int fd)
{
    if (fd < 0)
        return fd;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, FD_HIGH);
    if (up < 0)
        up = fcntl(fd, F_DUPFD_CLOEXEC, FD_LOW);
    if (up < 0)
        return fd;
    close(fd);
    return up;
}

/* Ends recording with an errno (or 1) and a reason. The first reason stays. */
static void spool_write_stop(struct spool_writer *writer, int error, const char *note)
{
    struct spool_header *header = writer->header;
    if (!header || atomic_load(&header->stopped))
        return;
    snprintf(header->note, sizeof header->note, "%s%s%s", note, error > 1 ? ": " : "",
             error > 1 ? strerror(error) : "");
    atomic_store(&header->stopped, error ? (uint32_t)error : 1u);
    writer->position = atomic_load(&header->committed);
    writer->limit = 0;
}

/* Returns the distance between checks of the writer: half the ring (a quarter for the newest
 * records), where draining is due, or less with a base. */
static uint64_t step_of(const struct spool_writer *writer)
{
    uint64_t step = (writer->mask + 1) / (writer->newest ? 4 : 2);
    return writer->base && step > STEP_MAX ? STEP_MAX : step;
}

static void set_limit(struct spool_writer *writer)
{
    uint64_t step = step_of(writer);
    writer->limit = (writer->position / step + 1) * step;
}

/* Holds SIGXFSZ back during a write, and discards it if the write raised it: a limit on file sizes
 * (ulimit -f) would kill the process. Also defers cancellation. */
struct guard {
    sigset_t only, before;
    int pending; /* the application's own signal was pending before */
    int cancel;  /* the thread's cancel state: our write must not be a cancellation point */
};

static void guard_begin(struct guard *guard)
{
    sigset_t pending;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
    sigemptyset(&guard->only);
    sigaddset(&guard->only, SIGXFSZ);
    sigpending(&pending);
    guard->pending = sigismember(&pending, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &guard->only, &guard->before);
}

static void guard_end(struct guard *guard, int failed)
{
    struct timespec none = {0, 0};
    if (failed && !guard->pending)
        sigtimedwait(&guard->only, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
    pthread_setcancelstate(guard->cancel, NULL);
}

enum core_status spool_writer_open(struct spool_writer *writer, const char *folder, int32_t rank,
                                   uint32_t lane, uint64_t ring_bytes, int *out_error)
{
    return spool_writer_open_newest(writer, folder, rank, lane, ring_bytes, 0, out_error);
}

/* Makes a new file. Removes an older one first, since another process may have mapped it. */
static int file_make(const char *path, int flags)
{
    if (unlink(path) < 0 && errno != ENOENT)
        return -1;
    return core_file_create(path, flags | O_EXCL);
}

enum core_status spool_writer_open_newest(struct spool_writer *writer, const char *folder,
                                          int32_t rank, uint32_t lane, uint64_t ring_bytes,
                                          int newest, int *out_error)
{
    char path[1024];
    memset(writer, 0, SPOOL_WRITER_SMALL);
    writer->fd = -1;
    if (snprintf(path, sizeof path, "%s/%d.%u.ring", folder, rank, lane) >= (int)sizeof path ||
        snprintf(writer->path, sizeof writer->path, "%s/%d.%u.spool", folder, rank, lane) >=
            (int)sizeof writer->path) {
        *out_error = ENAMETOOLONG;
        return CORE_LIMIT;
    }
    int fd = file_make(path, O_RDWR);
    if (fd < 0) {
        *out_error = errno;
        return CORE_IO;
    }
    size_t bytes = SPOOL_HEADER_BYTES + ring_bytes;
    struct guard guard;
    guard_begin(&guard);
    int error = posix_fallocate(fd, 0, (off_t)bytes);
    guard_end(&guard, error != 0);
    void *map = MAP_FAILED;
    if (!error &&
        (map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
        error = errno;
    close(fd);
    if (error)
        goto remove_ring;
#ifdef MADV_POPULATE_WRITE
    if (!newest) /* here, and not page by page in the program's calls; older kernels do not support
                    it */
        madvise(map, bytes, MADV_POPULATE_WRITE);
#endif
    writer->newest = newest;
    writer->seek.off = newest;
    writer->watched = !newest;
    fd = newest ? -1 : spool_fd_up(file_make(writer->path, O_WRONLY | O_APPEND));
    struct stat status = {0};
    if (!newest && (fd < 0 || fstat(fd, &status) < 0)) {
        error = errno;
        goto unmap;
    }
    writer->fd = fd;
    writer->device = status.st_dev;
    writer->inode = status.st_ino;
    writer->header = map;
    writer->ring = (char *)map + SPOOL_HEADER_BYTES;
    writer->mask = ring_bytes - 1;
    set_limit(writer);
    struct spool_header *header = map;
    header->version = SPOOL_VERSION;
    header->header_bytes = SPOOL_HEADER_BYTES;
    header->ring_bytes = ring_bytes;
    header->rank = rank;
    header->lane = lane;
    header->flags = newest ? SPOOL_FLAG_LAST : 0;
    return CORE_OK;

unmap:
    munmap(map, bytes);
remove_ring:
    unlink(path);
    *out_error = error;
    return error == ENOSPC || error == EDQUOT ? CORE_FULL : CORE_IO;
}

/* Makes a file in memory with the readable parts of the mapping. Uses write(), which reports an
 * error where a load would fault. */
static int memory_copy(const char *from, size_t bytes)
{
    int fd = memfd_create("crosswait", MFD_CLOEXEC);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
        return fd;
    for (size_t at = 0; at < bytes; at += page)
        if (pwrite(fd, from + at, bytes - at < page ? bytes - at : page, (off_t)at) < 0)
            continue; /* the page stays zero */
    return fd;
}

bool spool_writer_leave(struct spool_writer *writer, const void *address)
{
    char *start = (char *)writer->header, path[sizeof writer->path];
    size_t bytes = SPOOL_HEADER_BYTES + writer->mask + 1, name = strlen(writer->path);

    if (!start || (const char *)address < start || (const char *)address >= start + bytes)
        return false;
    int fd = memory_copy(start, bytes);
    void *map = mmap(start, bytes, PROT_READ | PROT_WRITE,
                     MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), fd, 0);
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return false;
    memcpy(path, writer->path, name + 1);
    if (name > 6)
        memcpy(path + name - 6, ".ring", 6); /* instead of .spool */
    if (truncate(path, (off_t)bytes + 1) < 0)
        unlink(path); /* no record is better than one with a wrong position of the rank */
    spool_write_stop(writer, 1, SPOOL_NOTE_LEFT);
    return true;
}

/* Reopens the file if the application closed our descriptor and the number now belongs to another
 * file. */
static int own_fd(struct spool_writer *writer)
{
    struct stat status;
    if (fstat(writer->fd, &status) == 0 && status.st_ino == writer->inode &&
        status.st_dev == writer->device)
        return 1;
    int fd = spool_fd_up(open(writer->path, O_WRONLY | O_APPEND | O_CLOEXEC));
    if (fd < 0)
        return 0;
    if (fstat(fd, &status) < 0 || status.st_ino != writer->inode ||
        status.st_dev != writer->device) {
        close(fd);
        errno = ESTALE;
        return 0;
    }
    writer->fd = fd;
    return 1;
}

void spool_writer_plain(struct spool_writer *writer)
{
    CORE_CHECK(!writer->position); /* no loop has begun */
    writer->seek.off = true;
    writer->watched = false;
}

void spool_writer_base(struct spool_writer *writer, spool_base_fn base, void *context)
{
    writer->base = base;
    writer->base_context = context;
    set_limit(writer);
}

const struct spool_head *spool_writer_record(const struct spool_writer *writer, uint64_t *position,
                                             uint64_t end)
{
    while (*position < end) {
        const void *at = writer->ring + (*position & writer->mask);
        const struct spool_head *head = at;
        if (!head->words)
            return NULL;
        *position += head->words * 8ul;
        if (head->kind != SPOOL_PAD)
            return head;
    }
    return NULL;
}

/* Writes a base: readers may begin here. */
static void put_base(struct spool_writer *writer)
{
    size_t bytes = step_of(writer) / BASE_PARTS;
    uint64_t at = writer->position & writer->mask;
    if (!writer->base || bytes > writer->mask + 1 - at)
        return;
    writer->position += writer->base(writer, writer->ring + at, bytes, writer->base_context);
    spool_commit(writer);
}

/* Drops the records before the last boundary, once a quarter of the ring was written since. So the
 * ring keeps at least a quarter and less than three quarters (with the quarter being written, a
 * base and the largest record). */
static void drop_oldest(struct spool_writer *writer)
{
    struct spool_header *header = writer->header;
    if (atomic_load(&header->committed) - writer->boundary < (writer->mask + 1) / 4)
        return;
    uint64_t lost = writer->boundary_events - writer->dropped_events;
    atomic_store_explicit(&header->drained, writer->boundary, memory_order_release);
    atomic_store_explicit(&header->lost,
                          atomic_load_explicit(&header->lost, memory_order_relaxed) + lost,
                          memory_order_relaxed);
    writer->dropped_events = writer->boundary_events;
    writer->boundary_events = writer->events;
    writer->boundary = atomic_load(&header->committed);
    spool_delta_forget(&writer->again); /* a reader may begin here */
    put_base(writer);
}

/* Writes the bytes to the .spool file, and counts them as drained as they are written, if `drained`
 * is not NULL. */
static bool file_write(struct spool_writer *writer, const void *from, uint64_t bytes,
                       _Atomic uint64_t *drained)
{
    while (bytes) {
        ssize_t wrote = write(writer->fd, from, bytes);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            spool_write_stop(writer, wrote < 0 ? errno : ENOSPC, "the spool cannot be written");
            return false;
        }
        from = (const char *)from + wrote;
        bytes -= (uint64_t)wrote;
        if (drained)
            atomic_store_explicit(drained, atomic_load(drained) + (uint64_t)wrote,
                                  memory_order_release);
    }
    return true;
}

bool spool_drain_plain(struct spool_writer *writer, uint64_t end)
{
    _Atomic uint64_t *drained = &writer->header->drained;

    CORE_CHECK_HOT(end <= atomic_load(&writer->header->committed));
    while (atomic_load(drained) < end) {
        uint64_t at = atomic_load(drained) & writer->mask, bytes = end - atomic_load(drained);
        if (bytes > writer->mask + 1 - at)
            bytes = writer->mask + 1 - at;
        if (!file_write(writer, writer->ring + at, bytes, drained))
            return false;
    }
    return true;
}

bool spool_drain_sum(struct spool_writer *writer, const struct spool_head *sum, uint64_t end)
{
    if (!file_write(writer, sum, sum->words * 8ul, NULL))
        return false;
    atomic_store_explicit(&writer->header->drained, end, memory_order_release);
    return true;
}

/* Writes what is committed to the .spool file; all of it, or without what may be summed up later.
 * False when recording has stopped. */
static int spool_write_drain(struct spool_writer *writer, bool all)
{
    struct spool_header *header = writer->header;
    if (!header || atomic_load(&header->stopped))
        return 0;
    if (writer->newest)
        return 1;
    uint64_t committed = atomic_load(&header->committed);
    if (atomic_load(&header->drained) == committed)
        return 1;
    int saved = errno;
    bool good;
    struct guard guard;
    guard_begin(&guard);
    if (!own_fd(writer)) {
        spool_write_stop(writer, errno, "the spool file was closed and cannot be opened again");
        good = false;
    } else {
        good = all ? spool_drain_plain(writer, committed) : spool_sum_drain(writer);
    }
    guard_end(&guard, !good);
    errno = saved;
    return good;
}

void spool_writer_close(struct spool_writer *writer)
{
    if (!writer->header)
        return;
    spool_write_drain(writer, true);
    struct stat status;
    if (writer->fd >= 0 && fstat(writer->fd, &status) == 0 && status.st_ino == writer->inode &&
        status.st_dev == writer->device)
        close(writer->fd);
    munmap(writer->header, SPOOL_HEADER_BYTES + writer->mask + 1);
    memset(writer, 0, SPOOL_WRITER_SMALL);
}

/* Fills the ring up to its end if the record would cross it. */
static void pad_to_end(struct spool_writer *writer, uint64_t bytes)
{
    uint64_t left = writer->mask + 1 - (writer->position & writer->mask);
    if (left >= bytes)
        return;
    struct spool_head pad = {SPOOL_PAD, (uint16_t)(left / 8), 0, 0};
    memcpy(writer->ring + (writer->position & writer->mask), &pad, sizeof pad);
    writer->position += left;
}

void *spool_reserve_slow(struct spool_writer *writer, uint32_t words)
{
    struct spool_header *header = writer->header;
    if (!header || atomic_load(&header->stopped))
        return NULL;
    uint64_t ring_bytes = writer->mask + 1, bytes = words * 8ul;
    if (words > SPOOL_RECORD_WORDS_MAX || bytes > ring_bytes / 2) {
        spool_write_stop(writer, 1, "a record is larger than the ring allows");
        return NULL;
    }
    pad_to_end(writer, bytes);
    spool_commit_written(writer);
    if (writer->base)
        writer->base(writer, NULL, 0, writer->base_context);
    if (writer->newest)
        drop_oldest(writer);
    else if (!spool_write_drain(writer, false))
        return NULL;
    else
        spool_seek_turn(writer);
    pad_to_end(writer, bytes); /* a base may have been written */
    set_limit(writer);
    if (writer->position + bytes > writer->limit) /* a record may cross the half of the ring, but
                                                     not its end */
        writer->limit = writer->position + bytes;
    void *at = writer->ring + (writer->position & writer->mask);
    writer->position += bytes;
    return at;
}

/* Copies field by field, since the event was written a moment ago: a wider load would wait for the
 * store buffer. */
static void event_copy(struct spool_event *to, const struct spool_event *from)
{
    const volatile struct spool_event *e = from;

    to->head = (struct spool_head){SPOOL_EVENT, sizeof *to / 8, e->head.a, e->head.b};
    to->seq = e->seq;
    to->t_enter = e->t_enter;
    to->t_leave = e->t_leave;
    to->parent = e->parent;
    to->site = e->site;
    to->comm = e->comm;
    to->peer = e->peer;
    to->tag = e->tag;
    to->type = e->type;
    to->count = e->count;
    to->request = e->request;
}

bool spool_put_event_whole(struct spool_writer *writer, const struct spool_event *event)
{
    struct spool_event *record = spool_reserve(writer, sizeof *record / 8);

    if (!record)
        return false;
    event_copy(record, event);
    spool_delta_event(&writer->again, record);
    return true;
}

bool spool_put_done_whole(struct spool_writer *writer, const struct spool_done *done)
{
    struct spool_done *record = spool_reserve(writer, sizeof *record / 8);

    if (!record)
        return false;
    *record = *done;
    spool_delta_done(&writer->again, record);
    return true;
}

/* Writes a list whole, as a difference, or as a reference. Returns NULL if recording has
 * stopped. */
static const struct spool_list *plain_list(struct spool_writer *writer,
                                           const struct spool_list *list, const void *value)
{
    uint32_t words = (uint32_t)(sizeof *list + (size_t)list->count * list->head.b + 7) / 8;
    struct spool_list *record;
    struct spool_head again;
    struct spool_list_same same;
    void *at;

    if (spool_delta_list_try(&writer->again, list, value, &again) &&
        (at = spool_reserve_again(writer, sizeof again / 8))) {
        memcpy(at, &again, sizeof again);
        return spool_delta_list_take(&writer->again, &again);
    }
    if (spool_delta_same_try(&writer->again, list, value, &same) &&
        (at = spool_reserve_again(writer, sizeof same / 8))) {
        memcpy(at, &same, sizeof same);
        return spool_delta_same_take(&writer->again, &same);
    }
    if (!(record = spool_reserve(writer, words)))
        return NULL;
    ((uint64_t *)(void *)record)[words - 1] = 0; /* zeroes the padding */
    *record = *list;
    record->head.kind = SPOOL_LIST;
    record->head.words = (uint16_t)words;
    memcpy(record + 1, value, (size_t)list->count * list->head.b);
    spool_delta_list(&writer->again, record, value);
    return record;
}

bool spool_put_list(struct spool_writer *writer, const struct spool_list *list, const void *value)
{
    if (!writer->watched)
        return plain_list(writer, list, value);
    struct spool_list record = *list;
    record.head.kind = SPOOL_LIST;
    return spool_watched_part(writer, &record.head, value);
}

bool spool_put_part(struct spool_writer *writer, const struct spool_head *record)
{
    const void *values = record->kind == SPOOL_ARGS
                             ? (const void *)((const struct spool_args *)(const void *)record + 1)
                             : NULL;

    CORE_CHECK(record->kind == SPOOL_RECV_HALF || record->kind == SPOOL_ARGS ||
               record->kind == SPOOL_REPEAT);
    return writer->watched ? spool_watched_part(writer, record, values)
                           : spool_put_plain(writer, record, values) != NULL;
}

const struct spool_head *spool_put_plain(struct spool_writer *writer,
                                         const struct spool_head *record, const void *values)
{
    const struct spool_event *event = (const void *)record;
    const struct spool_done *done = (const void *)record;
    void *at;

    switch (record->kind) {
    case SPOOL_EVENT:
        return spool_plain_event_again(writer, event) || spool_put_event_whole(writer, event)
                   ? record
                   : NULL;
    case SPOOL_DONE:
        return spool_plain_done(writer, done) ? record : NULL;
    case SPOOL_LIST:
        return (const void *)plain_list(writer, (const void *)record, values);
    default:
        if (!(at = spool_reserve(writer, record->words)))
            return NULL;
        return memcpy(at, record, record->words * 8ul);
    }
}
