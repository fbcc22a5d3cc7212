/* A robust reader of spools. It reads a lane's header once, copies the part of the ring that the
 * spool file lacks, and then reads the lane as one stream of bytes: [0, drained) from the file,
 * [drained, committed) from the copy.
 *
 * Invariants
 *  1. buffer[0, buffer_bytes) is the lane's bytes from buffer_start; buffer_start <= position <=
 *     buffer_start + buffer_bytes, except after a pad that reaches beyond the buffer: then the
 *     buffer is empty and starts at position.
 *  2. position is a multiple of 8 and the start of a record, or the end.
 *  3. A record is returned only if all of it is in the buffer and record_fits said that its fields
 *     stay inside it.
 *  4. Once torn is set, only records that were read before are returned. */
#include "core/spool/spool_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"

enum { BUFFER_BYTES = 128 * 1024, COPY_TRIES = 16 };
_Static_assert(BUFFER_BYTES >= 2 * SPOOL_RECORD_WORDS_MAX * 8,
               "a record fits, and reading ahead pays");

/* Records are read in place in a buffer of 8-byte words (spool.h invariant 1), so the part behind a
 * record's fixed part must begin at a word. */
#define WHOLE_WORDS(type) _Static_assert(sizeof(struct type) % 8 == 0, "fixed part of a record")
WHOLE_WORDS(spool_head);
WHOLE_WORDS(spool_list);
WHOLE_WORDS(spool_args);
WHOLE_WORDS(spool_text);
WHOLE_WORDS(spool_misuse);
WHOLE_WORDS(spool_memory);
WHOLE_WORDS(spool_frame);
WHOLE_WORDS(spool_payload);
WHOLE_WORDS(spool_stack);
WHOLE_WORDS(spool_def_comm);
WHOLE_WORDS(spool_def_group);
WHOLE_WORDS(spool_def_type);
WHOLE_WORDS(spool_base_begin);
WHOLE_WORDS(spool_base_channel);
WHOLE_WORDS(spool_base_request);
WHOLE_WORDS(spool_base_pairs);
WHOLE_WORDS(spool_base_space);
WHOLE_WORDS(spool_base_epoch);
WHOLE_WORDS(spool_base_lock);
#undef WHOLE_WORDS

/* --- the header ------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static enum core_status
spool_read_because(char *why, enum core_status status, const char *format, ...)
{
    va_list args;

    if (why) {
        va_start(args, format);
        vsnprintf(why, SPOOL_WHY_BYTES, format, args);
        va_end(args);
    }
    return status;
}

/* Reads up to `bytes` bytes, as many as the file has. */
static ssize_t read_at(int fd, void *into, size_t bytes, uint64_t offset)
{
    size_t got = 0;

    if (core_fault()) {
        errno = EIO;
        return -1;
    }
    while (got < bytes) {
        ssize_t n = pread(fd, (char *)into + got, bytes - got, (off_t)(offset + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

static bool was_left(int ring_fd, const struct spool_header *header)
{
    struct stat about;

    return fstat(ring_fd, &about) == 0 &&
           (uint64_t)about.st_size == SPOOL_HEADER_BYTES + header->ring_bytes + 1;
}

enum core_status spool_header_read(int ring_fd, struct spool_header *out_header, char *why)
{
    struct spool_header header;
    ssize_t got = read_at(ring_fd, &header, sizeof header, 0);

    if (got < 0)
        return spool_read_because(why, CORE_IO, "the header cannot be read: %s", strerror(errno));
    if (got == 0)
        return spool_read_because(why, CORE_NOT_FOUND, "it is empty");
    if ((size_t)got >= sizeof header.magic &&
        memcmp(header.magic, SPOOL_MAGIC, sizeof header.magic) != 0) {
        static const char zero[sizeof header.magic];
        if (memcmp(header.magic, zero, sizeof zero) == 0)
            return spool_read_because(why, CORE_NOT_FOUND, "the header was never written");
        return spool_read_because(why, CORE_BAD_FORMAT, "it is not a spool");
    }
    if ((size_t)got >= offsetof(struct spool_header, header_bytes) &&
        header.version != SPOOL_VERSION)
        return spool_read_because(why, CORE_BAD_VERSION,
                                  "it is of spool version %" PRIu32
                                  ", this crosswait reads version %d",
                                  header.version, SPOOL_VERSION);
    if ((size_t)got < sizeof header)
        return spool_read_because(why, CORE_BAD_FORMAT, "it ends inside its header");
    if (header.header_bytes != SPOOL_HEADER_BYTES || header.ring_bytes == 0 ||
        header.ring_bytes % 8 != 0 || header.ring_bytes > SPOOL_RING_BYTES_MAX)
        return spool_read_because(why, CORE_BAD_FORMAT, "its header is invalid");
    if (header.world_size < 1 || header.world_size > SPOOL_RANKS_MAX || header.rank < 0 ||
        header.rank >= header.world_size || header.tick_hz == 0)
        return spool_read_because(why, CORE_BAD_FORMAT, "its header is invalid");
    header.machine.name[sizeof header.machine.name - 1] = '\0';
    header.machine.boot[sizeof header.machine.boot - 1] = '\0';
    header.job[sizeof header.job - 1] = '\0';
    header.library[sizeof header.library - 1] = '\0';
    header.program[sizeof header.program - 1] = '\0';
    header.note[sizeof header.note - 1] = '\0';
    if (header.depth > SPOOL_DEPTH_MAX)
        header.depth = SPOOL_DEPTH_MAX;
    if (header.poll_count > SPOOL_POLLS_MAX)
        header.poll_count = SPOOL_POLLS_MAX;
    if (header.poll_again > header.poll_count)
        header.poll_again = 0;
    header.end.text[sizeof header.end.text - 1] = '\0';
    if (header.end.frame_count > EXIT_CAUSE_FRAMES_MAX)
        header.end.frame_count = EXIT_CAUSE_FRAMES_MAX;
    if (header.end.kind >= EXIT_CAUSE_KIND_COUNT || !header.end.realtime_ns)
        header.end.kind = EXIT_CAUSE_NONE;
    if (was_left(ring_fd, &header)) {
        header.flags |= SPOOL_FLAG_LEFT;
        header.stopped = 1;
        strcpy(header.note, SPOOL_NOTE_LEFT);
    }
    *out_header = header;
    return CORE_OK;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Copies [drained, committed) out of the ring. Tries again if a running rank overwrote it
 * meanwhile. */
static enum core_status ring_copy(struct spool_reader *reader, int ring_fd)
{
    struct spool_header *header = &reader->header;

    for (int attempt = 0; attempt < COPY_TRIES; attempt++) {
        enum core_status status = spool_header_read(ring_fd, header, reader->why);
        if (status != CORE_OK)
            return status;
        uint64_t committed = header->committed, drained = header->drained,
                 bytes = committed - drained;
        if (drained > committed || bytes > header->ring_bytes ||
            committed % 8) /* an odd drained is valid: a full disk */
            return spool_read_because(reader->why, CORE_BAD_FORMAT, "its positions are invalid");
        unsigned char *ring = core_alloc((size_t)bytes);
        if (!ring)
            return spool_read_because(reader->why, CORE_NO_MEMORY, "out of memory");
        uint64_t at = drained % header->ring_bytes;
        uint64_t first = header->ring_bytes - at < bytes ? header->ring_bytes - at : bytes;
        CORE_CHECK(at + first <= header->ring_bytes); /* one piece up to the ring's end, */
        CORE_CHECK(bytes - first <= at);              /* and one from its start, which does not
                                                         overlap the first */
        ssize_t a = read_at(ring_fd, ring, (size_t)first, SPOOL_HEADER_BYTES + at);
        ssize_t b = bytes > first ? read_at(ring_fd, ring + first, (size_t)(bytes - first),
                                            SPOOL_HEADER_BYTES)
                                  : 0;
        if (a < 0 || b < 0) {
            free(ring);
            return spool_read_because(reader->why, CORE_IO, "its ring cannot be read: %s",
                                      strerror(errno));
        }
        struct spool_header after;
        if (spool_header_read(ring_fd, &after, NULL) == CORE_OK &&
            after.committed > drained + header->ring_bytes) {
            free(ring);
            continue;
        }
        reader->ring = ring;
        reader->committed = committed;
        reader->drained = drained;
        if ((uint64_t)a < first || (uint64_t)b < bytes - first) { /* the ring file was cut */
            reader->committed =
                drained + (uint64_t)a / 8 * 8 + ((uint64_t)a == first ? (uint64_t)b / 8 * 8 : 0);
            reader->torn = true;
            spool_read_because(reader->why, CORE_OK, "its ring was cut short");
        }
        CORE_CHECK(reader->drained <= reader->committed);
        return CORE_OK;
    }
    return spool_read_because(reader->why, CORE_IO, "the rank writes faster than it can be read");
}

enum core_status spool_reader_open(struct spool_reader *reader, const char *job_path, int32_t rank,
                                   uint32_t lane)
{
    char path[4096];
    enum core_status status;
    int ring_fd;

    memset(reader, 0, sizeof *reader - SPOOL_LOOP_LARGE);
    reader->file_fd = -1;
    snprintf(path, sizeof path, "%s/%" PRId32 ".%" PRIu32 ".ring", job_path, rank, lane);
    ring_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (ring_fd < 0)
        return spool_read_because(reader->why, CORE_IO, "it cannot be opened: %s", strerror(errno));
    status = ring_copy(reader, ring_fd);
    close(ring_fd);
    if (status != CORE_OK)
        return status;
    if (reader->header.rank != rank || reader->header.lane != lane) {
        status = spool_read_because(reader->why, CORE_BAD_FORMAT,
                                    "it belongs to rank %" PRId32 ", lane %" PRIu32,
                                    reader->header.rank, reader->header.lane);
        goto undo;
    }
    reader->buffer = core_alloc(BUFFER_BYTES);
    if (!reader->buffer) {
        status = spool_read_because(reader->why, CORE_NO_MEMORY, "out of memory");
        goto undo;
    }
    if (reader->header.flags & SPOOL_FLAG_LAST) {
        if (reader->drained % 8) {
            status = spool_read_because(reader->why, CORE_BAD_FORMAT, "its positions are invalid");
            goto undo;
        }
        reader->position = reader->buffer_start = reader->drained;
    } else if (reader->drained) {
        snprintf(path, sizeof path, "%s/%" PRId32 ".%" PRIu32 ".spool", job_path, rank, lane);
        reader->file_fd = open(path, O_RDONLY | O_CLOEXEC);
        if (reader->file_fd < 0) {
            reader->torn = true;
            spool_read_because(reader->why, CORE_OK, "its .spool file cannot be opened: %s",
                               strerror(errno));
        }
    }
    CORE_CHECK(reader->position <= reader->committed);
    CORE_CHECK(reader->position % 8 == 0); /* invariant 2 */
    return CORE_OK;
undo:
    spool_reader_close(reader);
    return status;
}

void spool_reader_close(struct spool_reader *reader)
{
    if (reader->file_fd >= 0)
        close(reader->file_fd);
    reader->file_fd = -1;
    free(reader->ring);
    free(reader->buffer);
    free(reader->sum);
    reader->ring = reader->buffer = NULL;
    reader->sum = NULL;
}

uint64_t spool_reader_position(const struct spool_reader *reader)
{
    return reader->position;
}

/* --- records ---------------------------------------------------------------------------------- */

static uint64_t spool_read_padded(uint64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

static bool record_fits(const struct spool_head *head);

static bool base_fits(const struct spool_head *head)
{
    static const uint16_t fixed[SPOOL_BASE_PARTS] = {
        [SPOOL_BASE_BEGIN] = sizeof(struct spool_base_begin),
        [SPOOL_BASE_CHANNEL] = sizeof(struct spool_base_channel),
        [SPOOL_BASE_REQUEST] = sizeof(struct spool_base_request),
        [SPOOL_BASE_PAIRS] = sizeof(struct spool_base_pairs),
        [SPOOL_BASE_SPACE] = sizeof(struct spool_base_space),
        [SPOOL_BASE_EPOCH] = sizeof(struct spool_base_epoch),
        [SPOOL_BASE_LOCK] = sizeof(struct spool_base_lock),
        [SPOOL_BASE_BLOCKS] = sizeof(struct spool_base_blocks),
        [SPOOL_BASE_RECORD] = 2 * sizeof(struct spool_head),
        [SPOOL_BASE_END] = sizeof(struct spool_head)};
    const struct spool_head *inner = head + 1;
    uint64_t bytes = (uint64_t)head->words * 8;

    if (head->a >= SPOOL_BASE_PARTS || !fixed[head->a] || bytes < fixed[head->a])
        return false;
    return head->a != SPOOL_BASE_RECORD || (inner->words + 1 == head->words && inner->kind &&
                                            inner->kind < SPOOL_EVENT_AGAIN && record_fits(inner));
}

/* Tells whether all that the record's fields announce lies within its words. */
static bool record_fits(const struct spool_head *head)
{
    static const uint16_t fixed[SPOOL_KIND_COUNT] = {
        [SPOOL_PAD] = sizeof(struct spool_head),
        [SPOOL_EVENT] = sizeof(struct spool_event),
        [SPOOL_LIST] = sizeof(struct spool_list),
        [SPOOL_DONE] = sizeof(struct spool_done),
        [SPOOL_RECV_HALF] = sizeof(struct spool_recv_half),
        [SPOOL_ARGS] = sizeof(struct spool_args),
        [SPOOL_TEXT] = sizeof(struct spool_text),
        [SPOOL_DIGEST] = sizeof(struct spool_digest),
        [SPOOL_PAYLOAD] = sizeof(struct spool_payload),
        [SPOOL_STACK] = sizeof(struct spool_stack),
        [SPOOL_DEF_CALL] = sizeof(struct spool_def_call),
        [SPOOL_DEF_SITE] = sizeof(struct spool_def_site),
        [SPOOL_DEF_MODULE] = sizeof(struct spool_def_module),
        [SPOOL_DEF_COMM] = sizeof(struct spool_def_comm),
        [SPOOL_DEF_GROUP] = sizeof(struct spool_def_group),
        [SPOOL_DEF_NEIGHBORS] = sizeof(struct spool_def_neighbors),
        [SPOOL_DEF_TYPE] = sizeof(struct spool_def_type),
        [SPOOL_DEF_OP] = sizeof(struct spool_def_op),
        [SPOOL_DEF_WIN] = sizeof(struct spool_def_win),
        [SPOOL_DEF_FILE] = sizeof(struct spool_def_win),
        [SPOOL_DEF_HINT] = sizeof(struct spool_def_hint),
        [SPOOL_LOST] = sizeof(struct spool_lost),
        [SPOOL_CLOCK] = sizeof(struct spool_clock),
        [SPOOL_REPEAT] = sizeof(struct spool_repeat),
        [SPOOL_MISUSE] = sizeof(struct spool_misuse),
        [SPOOL_THREAD] = sizeof(struct spool_head),
        [SPOOL_MEMORY] = sizeof(struct spool_memory),
        [SPOOL_EVENT_AGAIN] = sizeof(struct spool_event_again),
        [SPOOL_DONE_AGAIN] = sizeof(struct spool_head),
        [SPOOL_LIST_AGAIN] = sizeof(struct spool_head),
        [SPOOL_LIST_SAME] = sizeof(struct spool_list_same),
        [SPOOL_BASE] = sizeof(struct spool_head),
        [SPOOL_LOOP] = sizeof(struct spool_head),
        [SPOOL_NEXT] = sizeof(struct spool_head),
        [SPOOL_NEXT_PARTS] = sizeof(struct spool_head),
        [SPOOL_SUM] = sizeof(struct spool_sum),
    };
    const void *record = head;
    uint64_t bytes = (uint64_t)head->words * 8, need = fixed[head->kind];

    CORE_CHECK(head->kind < SPOOL_KIND_COUNT);
    CORE_CHECK(need >= sizeof *head); /* each kind has a row in fixed[] */
    if (bytes < need)
        return false;
    switch (head->kind) {
    case SPOOL_DEF_SITE:
        if (head->b == SPOOL_SITE_CALLERS && head->a % sizeof(uint32_t))
            return false;
        need += head->a;
        break;
    case SPOOL_LIST:
        if (head->b != 4 && head->b != 8)
            return false;
        need += (uint64_t)((const struct spool_list *)record)->count * head->b;
        break;
    case SPOOL_ARGS:
        need += (uint64_t)head->a * 8;
        break;
    case SPOOL_TEXT:
        need += head->a;
        break;
    case SPOOL_MISUSE:
        need += ((const struct spool_misuse *)record)->name_bytes;
        break;
    case SPOOL_MEMORY:
        need += (uint64_t)((const struct spool_memory *)record)->frame_count *
                    sizeof(struct spool_frame) +
                ((const struct spool_memory *)record)->name_bytes;
        break;
    case SPOOL_PAYLOAD:
        need += ((const struct spool_payload *)record)->count;
        break;
    case SPOOL_STACK:
        need += (uint64_t)head->a * 4;
        break;
    case SPOOL_DEF_CALL:
        need += (uint64_t)((const struct spool_def_call *)record)->name_bytes +
                ((const struct spool_def_call *)record)->names_bytes;
        break;
    case SPOOL_DEF_MODULE:
        need += (uint64_t)head->a + head->b;
        break;
    case SPOOL_DEF_COMM:
        need += spool_read_padded((uint64_t)((const struct spool_def_comm *)record)->count * 4) +
                head->b;
        break;
    case SPOOL_DEF_GROUP:
        need += (uint64_t)((const struct spool_def_group *)record)->count * 4;
        break;
    case SPOOL_DEF_NEIGHBORS:
        need += (uint64_t)((const struct spool_def_neighbors *)record)->count * 4;
        break;
    case SPOOL_DEF_TYPE: {
        uint32_t segments = ((const struct spool_def_type *)record)->segment_count;
        need += (segments == UINT32_MAX ? 0 : (uint64_t)segments * sizeof(struct spool_segment)) +
                head->b;
        break;
    }
    case SPOOL_DEF_OP:
    case SPOOL_DEF_WIN:
    case SPOOL_DEF_FILE:
        need += head->b;
        break;
    case SPOOL_BASE:
        return base_fits(head);
    case SPOOL_LOOP:
        return head->a > 0 && head->a <= SPOOL_LOOP_ITEMS_MAX;
    case SPOOL_NEXT:
        return bytes <= sizeof(struct spool_next);
    case SPOOL_SUM:
        return spool_sum_fits(record);
    default:
        break;
    }
    return need <= bytes;
}

/* Makes at least `bytes` bytes from position on available, if the lane has them. */
static bool buffer_fill(struct spool_reader *reader, size_t bytes)
{
    size_t used = (size_t)(reader->position - reader->buffer_start),
           kept = reader->buffer_bytes - used;

    CORE_CHECK(used <= reader->buffer_bytes); /* invariant 1 */
    CORE_CHECK(kept < bytes);                 /* something is missing */
    CORE_CHECK(bytes <= BUFFER_BYTES);
    memmove(reader->buffer, reader->buffer + used, kept);
    reader->buffer_start = reader->position;
    reader->buffer_bytes = kept;
    while (reader->buffer_bytes < bytes) {
        uint64_t from = reader->buffer_start + reader->buffer_bytes;
        uint64_t want = BUFFER_BYTES - reader->buffer_bytes;
        unsigned char *into = reader->buffer + reader->buffer_bytes;
        if (from >= reader->committed)
            return false;
        if (from >= reader->drained) {
            if (want > reader->committed - from)
                want = reader->committed - from;
            memcpy(into, reader->ring + (from - reader->drained), (size_t)want);
            reader->buffer_bytes += (size_t)want;
            continue;
        }
        if (want > reader->drained - from)
            want = reader->drained - from;
        ssize_t got = reader->file_fd < 0 ? 0
                                          : read_at(reader->file_fd, into, (size_t)want,
                                                    from - reader->again.left_out);
        if (got < 0) {
            reader->torn = true;
            spool_read_because(reader->why, CORE_IO, "its .spool file cannot be read: %s",
                               strerror(errno));
            return false;
        }
        reader->buffer_bytes += (size_t)got;
        /* The file may be shorter than `drained` says, if a sum is in the buffer; else no record is
         * known to start behind the hole. */
        if ((uint64_t)got < want && reader->buffer_bytes < bytes) {
            reader->committed = reader->drained = from + (uint64_t)got;
            reader->torn = true;
            if (!reader->why[0])
                spool_read_because(reader->why, CORE_OK, "its .spool file was cut short");
        }
    }
    CORE_CHECK(reader->buffer_start == reader->position); /* invariant 1 */
    CORE_CHECK(reader->buffer_bytes <= BUFFER_BYTES);
    return true;
}

static const struct spool_head *torn_at(struct spool_reader *reader, const char *what)
{
    if (!reader->why[0])
        spool_read_because(reader->why, CORE_OK, "%s at byte %" PRIu64 " of %" PRIu64, what,
                           reader->position, (uint64_t)reader->header.committed);
    reader->torn = true;
    reader->committed = reader->drained = reader->position;
    CORE_CHECK(reader->position >= reader->buffer_start); /* invariant 1 */
    reader->buffer_bytes = (size_t)(reader->position - reader->buffer_start);
    return NULL;
}

/* --- loops ------------------------------------------------------------------------------------ */

/* Counts the items up to and including the next event. */
static uint32_t items_to_event(struct spool_loop *loop)
{
    uint32_t items = 1;

    for (uint32_t at = loop->next; spool_loop_record(loop, at)->kind != SPOOL_EVENT;
         at = spool_loop_after(loop, at)) {
        items++;
        CORE_CHECK(items <= loop->count); /* spool_loop.h invariant 3 */
    }
    return items;
}

/* Tells whether the loop has the items that the record announces, and then makes them due. */
static bool loop_tells(struct spool_reader *reader, const struct spool_head *head)
{
    struct spool_loop *loop = &reader->again.loop;

    if (loop->state != SPOOL_LOOP_GOES)
        return false;
    reader->summed = false;
    uint32_t items = items_to_event(loop);
    if (head->kind == SPOOL_NEXT_PARTS && (!head->a || head->a >= items))
        return false;
    loop->due = head->kind == SPOOL_NEXT_PARTS ? head->a : items;
    if (head->kind == SPOOL_NEXT)
        spool_next_times(head, &reader->gap, &reader->lasted);
    return true;
}

/* Returns the next item that a record announced. */
static const struct spool_head *loop_item(struct spool_reader *reader)
{
    struct spool_delta *again = &reader->again;
    uint32_t at = again->loop.next;
    struct spool_head *record = spool_loop_advance(&again->loop);

    CORE_CHECK(again->loop.due > 0);
    again->loop.due--;
    reader->item = at;
    again->seq = *spool_loop_seq(record);
    if (record->kind == SPOOL_EVENT) {
        struct spool_event *event = (void *)record;
        event->t_enter = reader->summed ? reader->sum_start : again->t + reader->gap;
        event->t_leave = reader->summed ? reader->sum_end : event->t_enter + reader->lasted;
        again->t = reader->sum_left ? again->t : event->t_leave;
    }
    reader->records++;
    return record;
}

/* Returns the next record in its written form, whole in the buffer and valid; NULL at the end. */
static const struct spool_head *record_next(struct spool_reader *reader)
{
    for (;;) {
        size_t used = (size_t)(reader->position - reader->buffer_start);
        if (reader->buffer_bytes - used < sizeof(struct spool_head)) {
            if (!buffer_fill(reader, sizeof(struct spool_head)))
                return reader->position < reader->committed
                           ? torn_at(reader, "it ends inside a record")
                           : NULL;
            used = 0;
        }
        const struct spool_head *head = (const void *)(reader->buffer + used);
        size_t bytes = (size_t)head->words * 8;
        if (head->kind == 0 || head->kind >= SPOOL_KIND_COUNT || head->words == 0)
            return torn_at(reader, "it holds no record");
        if (head->kind == SPOOL_PAD) { /* a pad may be as long as the ring */
            if (bytes > reader->committed - reader->position)
                return torn_at(reader, "it holds no record");
            reader->position += bytes;
            if (bytes > reader->buffer_bytes - used) {
                reader->buffer_start = reader->position;
                reader->buffer_bytes = 0;
            }
            continue;
        }
        if (head->words > SPOOL_RECORD_WORDS_MAX)
            return torn_at(reader, "it holds no record");
        if (bytes > reader->buffer_bytes - used) {
            if (!buffer_fill(reader, bytes))
                return torn_at(reader, "it ends inside a record");
            head = (const void *)reader->buffer;
        }
        CORE_CHECK((const unsigned char *)head + bytes <=
                   reader->buffer + reader->buffer_bytes); /* invariant 3 */
        return record_fits(head) ? head
                                 : torn_at(reader, "it holds a record that contradicts itself");
    }
}

static void record_pass(struct spool_reader *reader, const struct spool_head *head)
{
    reader->position += head->words * 8ul;
    CORE_CHECK(reader->position % 8 == 0);                                       /* invariant 2 */
    CORE_CHECK(reader->position <= reader->buffer_start + reader->buffer_bytes); /* invariant 1 */
    CORE_CHECK(reader->position <= reader->committed); /* invariant 4: the record was read before */
}

/* --- sums ------------------------------------------------------------------------------------- */

/* Notes a record that is taken from the ring (spool_reader_resume). */
static void ring_note(struct spool_reader *reader, const struct spool_head *head)
{
    struct spool_delta *again = &reader->again;

    if (reader->position + head->words * 8ul <= reader->drained)
        return;
    if (!again->in_ring) {
        again->in_ring = true;
        again->ring_position = reader->position;
        again->ring_t = again->t;
        again->ring_left_out = again->left_out;
        again->ring_calls = 0;
    }
    again->ring_calls += head->kind == SPOOL_NEXT;
}

/* Tells whether a sum may be where it is: in the file, for bytes that the lane has. */
static bool sum_is_placed(const struct spool_reader *reader, const struct spool_sum *sum)
{
    return reader->position < reader->drained && sum->span <= reader->committed - reader->position;
}

/* Passes over a sum and the bytes of the lane that it stands for. What the buffer has beyond
 * `drained` is in the ring, too. */
static void sum_pass(struct spool_reader *reader, const struct spool_sum *sum)
{
    uint64_t left_out = sum->span - sum->head.words * 8ul;

    CORE_CHECK(sum->span >= sum->head.words * 8ul); /* spool_sum_fits */
    reader->position += sum->span;
    reader->buffer_start += left_out;
    reader->again.left_out += left_out;
    uint64_t end = reader->drained > reader->position ? reader->drained : reader->position;
    if (reader->buffer_start + reader->buffer_bytes > end)
        reader->buffer_bytes = (size_t)(end - reader->buffer_start);
    CORE_CHECK(reader->position >= reader->buffer_start); /* invariant 1 */
    CORE_CHECK(reader->position <= reader->committed);    /* invariant 4: sum_is_placed */
}

/* Tells whether the sum is one of the loop that goes, after an event. */
static bool sum_is_of(struct spool_loop *loop, const struct spool_sum *sum)
{
    uint32_t calls = 0;

    if (loop->state != SPOOL_LOOP_GOES || loop->due ||
        spool_loop_record(loop, loop->next ? loop->next - 1 : loop->count - 1)->kind != SPOOL_EVENT)
        return false;
    for (uint32_t i = 0; i < loop->count; i++)
        calls += spool_loop_record(loop, i)->kind == SPOOL_EVENT;
    return calls == sum->head.a;
}

/* Makes the calls of a sum the next ones to return. Returns false if the sum is invalid. */
static bool sum_tells(struct spool_reader *reader, const struct spool_sum *sum)
{
    if (!sum_is_placed(reader, sum) ||
        (!reader->passes_loops && !sum_is_of(&reader->again.loop, sum)))
        return false;
    if (!reader->passes_loops) {
        if (!reader->sum && !(reader->sum = core_alloc(SPOOL_RECORD_WORDS_MAX * 8ul)))
            return false;
        memcpy(reader->sum, sum, sum->head.words * 8ul);
        reader->sum_left = sum->rounds * sum->head.a;
        reader->sum_start = reader->again.t + sum->enter;
        reader->sum_end = reader->again.t + sum->lasted;
    }
    sum_pass(reader, sum);
    return true;
}

/* Makes the calls of a sum, less the first ones that another reader returned from the ring, the
 * next ones to return. */
static bool sum_goes_on(struct spool_reader *reader, const struct spool_sum *sum, uint64_t t,
                        uint64_t returned)
{
    uint64_t now = reader->again.t, calls = sum->rounds * sum->head.a;

    CORE_CHECK(!reader->sum_left); /* nothing was read */
    if (!sum_is_placed(reader, sum) || returned >= calls)
        return false;
    if (!reader->sum && !(reader->sum = core_alloc(SPOOL_RECORD_WORDS_MAX * 8ul)))
        return false;
    memcpy(reader->sum, sum, sum->head.words * 8ul);
    reader->sum_left = calls - returned;
    reader->sum_start = now;
    reader->sum_end = t + sum->lasted;
    sum_pass(reader, sum);
    return true;
}

/* Moves from the first record that the other reader read in the ring to its position. What it read
 * there is in the file now, perhaps as sums. */
static bool ring_pass(struct spool_reader *reader, uint64_t position)
{
    uint64_t t = reader->again.ring_t, calls = reader->again.ring_calls, gap, lasted;

    while (reader->position < position) {
        const struct spool_head *head = record_next(reader);
        const struct spool_sum *sum = (const void *)head;
        if (!head || reader->position >= position) /* after a pad */
            break;
        if (head->kind == SPOOL_SUM) {
            if (sum->span > position - reader->position)
                return sum_goes_on(reader, sum, t, calls);
            calls -= sum->rounds * head->a;
            t += sum->lasted;
            if (!sum_is_placed(reader, sum))
                return false;
            sum_pass(reader, sum);
            continue;
        }
        if (head->kind == SPOOL_NEXT) {
            spool_next_times(head, &gap, &lasted);
            t += gap + lasted;
            calls--;
        } else if (head->kind == SPOOL_EVENT) {
            t = ((const struct spool_event *)(const void *)head)->t_leave;
        } else if (head->kind == SPOOL_EVENT_AGAIN) {
            const struct spool_event_again *again = (const void *)head;
            t += (uint64_t)(int64_t)again->gap + again->lasted;
        }
        reader->position += head->words * 8ul;
    }
    return reader->position == position;
}

enum core_status spool_reader_resume(struct spool_reader *reader, uint64_t position,
                                     const struct spool_delta *again)
{
    CORE_CHECK(!reader->records); /* the caller has read nothing yet */
    CORE_CHECK(!reader->buffer_bytes);
    CORE_CHECK(position % 8 == 0 || position == 0);
    if (position < reader->position || position > reader->committed)
        return CORE_BAD_INPUT;
    bool in_ring = again->in_ring && !(reader->header.flags & SPOOL_FLAG_LAST);
    reader->position = reader->buffer_start = in_ring ? again->ring_position : position;
    spool_delta_copy(&reader->again, again);
    if (in_ring) {
        reader->again.left_out = again->ring_left_out;
        if (!ring_pass(reader, position))
            return CORE_BAD_INPUT;
    }
    reader->again.in_ring = in_ring && !reader->sum_left && position > reader->drained;
    return CORE_OK;
}

const struct spool_sum *spool_reader_sum(struct spool_reader *reader, uint32_t calls)
{
    const struct spool_head *head = reader->sum_left ? NULL : record_next(reader);
    const struct spool_sum *sum = (const void *)head;

    return head && head->kind == SPOOL_SUM && sum_is_placed(reader, sum) &&
                   sum_is_of(&reader->again.loop, sum) && head->a == calls
               ? sum
               : NULL;
}

void spool_reader_sum_pass(struct spool_reader *reader)
{
    const struct spool_sum *sum =
        (const void *)(reader->buffer + (reader->position - reader->buffer_start));

    CORE_CHECK(sum->head.kind == SPOOL_SUM); /* spool_reader_sum returned it */
    reader->again.t += sum->lasted;
    sum_pass(reader, sum);
}

/* Passes over records of times that are in the buffer. */
static void times_pass(struct spool_reader *reader)
{
    size_t at = (size_t)(reader->position - reader->buffer_start);

    while (reader->buffer_bytes - at >= sizeof(struct spool_head)) {
        const struct spool_head *head = (const void *)(reader->buffer + at);
        if (head->kind != SPOOL_NEXT || !head->words || head->words > 3 ||
            reader->buffer_bytes - at < head->words * 8ul)
            break;
        at += head->words * 8ul;
    }
    reader->position = reader->buffer_start + at;
    CORE_CHECK(at <= reader->buffer_bytes); /* invariant 1 */
}

const struct spool_head *spool_reader_next(struct spool_reader *reader)
{
    static const char missing[] = "a compressed record refers to an earlier record that is missing";
    struct spool_loop *loop = &reader->again.loop;
    const struct spool_head *head, *whole;

    for (;;) {
        if (loop->due)
            return loop_item(reader);
        if (reader->sum_left) {
            reader->sum_left--;
            reader->summed = true;
            loop->due = items_to_event(loop);
            continue;
        }
        if (!(head = record_next(reader)))
            return NULL;
        if (head->kind == SPOOL_SUM) {
            if (!sum_tells(reader, (const void *)head))
                return torn_at(reader, missing);
            continue;
        }
        ring_note(reader, head);
        if (head->kind == SPOOL_NEXT || head->kind == SPOOL_NEXT_PARTS) {
            if (!reader->passes_loops && !loop_tells(reader, head))
                return torn_at(reader, missing);
            record_pass(reader, head);
            if (reader->passes_loops)
                times_pass(reader);
            continue;
        }
        if (!(whole = spool_delta_whole(&reader->again, head)))
            return torn_at(reader, missing);
        record_pass(reader, head);
        if (head->kind == SPOOL_LOOP) {
            if (!reader->passes_loops)
                spool_loop_open(loop, head->a);
            reader->loops++;
            continue;
        }
        reader->item = SPOOL_LOOP_ITEMS_MAX;
        reader->summed = false;
        if (loop->state != SPOOL_LOOP_NONE && spool_loop_is_item(whole->kind))
            spool_loop_feed(loop, whole);
        reader->records++;
        return whole;
    }
}

void spool_reader_pass_loops(struct spool_reader *reader)
{
    CORE_CHECK(!reader->records);
    reader->passes_loops = true;
}

struct spool_loop *spool_reader_loop(struct spool_reader *reader)
{
    struct spool_loop *loop = &reader->again.loop;

    return loop->state == SPOOL_LOOP_GOES && !loop->due && !reader->sum_left &&
                   reader->item < loop->count &&
                   spool_loop_after(loop, reader->item) == loop->next &&
                   spool_loop_record(loop, reader->item)->kind == SPOOL_EVENT
               ? loop
               : NULL;
}

/* Returns the bytes of the records of the next `calls` calls, from `at` on; 0: other records
 * follow. *out_short: perhaps only because they are not all in the buffer. */
static size_t round_look(const struct spool_reader *reader, size_t at, uint32_t calls,
                         struct spool_times *out_time, bool *out_short)
{
    uint64_t t = reader->again.t;
    size_t from = at;

    *out_short = false;
    for (uint32_t i = 0; i < calls;) {
        const struct spool_head *head = (const void *)(reader->buffer + at);
        if (__builtin_expect(reader->buffer_bytes - at >= sizeof *head &&
                                 head->kind == SPOOL_NEXT && head->words == 1,
                             1)) {
            out_time[i].enter = t + head->a;
            out_time[i++].leave = t = t + head->a + head->b;
            at += sizeof *head;
            continue;
        }
        if (reader->buffer_bytes - at < sizeof *head ||
            reader->buffer_bytes - at < head->words * 8ul) {
            *out_short = true;
            return 0;
        }
        if (head->kind == SPOOL_NEXT && head->words > 0 && head->words <= 3) {
            uint64_t gap, lasted;
            spool_next_times(head, &gap, &lasted);
            out_time[i].enter = t + gap;
            out_time[i++].leave = t = t + gap + lasted;
        } else if ((head->kind != SPOOL_NEXT_PARTS && head->kind != SPOOL_PAD) || !head->words) {
            return 0;
        }
        at += head->words * 8ul;
    }
    return at - from;
}

bool spool_reader_round(struct spool_reader *reader, uint32_t calls, struct spool_times *out_time)
{
    bool is_short;

    CORE_CHECK(calls > 0);
    CORE_CHECK(reader->again.loop.state == SPOOL_LOOP_GOES && !reader->again.loop.due);
    for (;;) {
        size_t used = (size_t)(reader->position - reader->buffer_start),
               kept = reader->buffer_bytes - used,
               bytes = round_look(reader, used, calls, out_time, &is_short);
        if (bytes) {
            reader->position += bytes;
            reader->again.t = out_time[calls - 1].leave;
            CORE_CHECK(reader->position <= reader->committed); /* invariant 4 */
            return true;
        }
        /* one more record than before */
        if (!is_short || kept + sizeof(struct spool_next) > BUFFER_BYTES ||
            !buffer_fill(reader, kept + sizeof(struct spool_next)))
            return false;
    }
}

void spool_reader_rounds_passed(struct spool_reader *reader, uint64_t rounds)
{
    struct spool_loop *loop = &reader->again.loop;

    CORE_CHECK(loop->state == SPOOL_LOOP_GOES && !loop->due);
    spool_loop_advance_rounds(loop, rounds);
    reader->again.seq += rounds * loop->seq_step;
    reader->records += rounds * loop->count;
}
