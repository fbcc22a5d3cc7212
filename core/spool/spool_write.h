/* Writing one lane of a spool (core/spool/spool.h): a ring in a mapped file that stays hot in
 * cache, drained by plain write().
 *
 * The writer fails open: when it cannot go on it sets header->stopped and header->note, and from
 * then on reserving yields NULL. What was committed until then stays readable. Nothing here calls
 * MPI, prints, or ends the process.
 *
 * One thread writes a lane. A reserved record must be complete before the next one is reserved.
 *
 *  1. position >= committed >= drained, and position - drained <= ring_bytes.
 *  2. limit <= drained + ring_bytes, and no record crosses limit without spool_reserve_slow. */
#ifndef CORE_SPOOL_SPOOL_WRITE_H
#define CORE_SPOOL_SPOOL_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/spool/spool_delta.h"
#include "core/status.h"

struct spool_writer;
/* Called when what was committed is about to be drained or dropped, none of it before. room: where
 * a reader may begin from now on, for records that sum up what was before, at most so many bytes;
 * NULL: not now. Returns the bytes of the records that it put there. */
typedef size_t (*spool_base_fn)(struct spool_writer *writer, void *room, size_t bytes,
                                void *context);

enum {
    SPOOL_SEEK_CODES = 1 << 13, /* that are remembered */
    SPOOL_SEEK_PLACE_BITS = 10
};
/* Looks for a period in a lane's items (core/spool/spool_fold.c). */
struct spool_seek {
    uint64_t count;       /* items so far */
    uint64_t context;     /* of the last ones */
    uint64_t seq;         /* of the last one */
    uint32_t period, run; /* the last `run` items equal those a period before; 0: none */
    uint32_t folded;      /* calls, since the last turn */
    uint32_t turn;
    bool off;
    uint32_t code[SPOOL_SEEK_CODES];            /* by number modulo SPOOL_SEEK_CODES */
    uint32_t place[1 << SPOOL_SEEK_PLACE_BITS]; /* number + 1 of the last item in such a context */
};

struct spool_writer {
    char *ring;
    struct spool_header *header; /* mapped; NULL: not open */
    uint64_t position;           /* bytes written, the unfinished record included */
    uint64_t limit;
    uint64_t mask; /* ring_bytes - 1 */
    int fd;        /* of the .spool file; -1 none */
    dev_t device;  /* of the .spool file: an application that closes descriptors it does not own may
                      since */
    ino_t inode;   /* have opened its own file under our number */
    char path[1024]; /* of the .spool file */
    int newest; /* SPOOL_FLAG_LAST: what leaves the ring is dropped; at least a quarter of the ring
                   is kept */
    uint64_t events; /* counted by the recorder, so that what is dropped can be counted as lost */
    uint64_t boundary, boundary_events,
        dropped_events; /* committed and events at the last look; events dropped */
    spool_base_fn base; /* or NULL */
    void *base_context;
    bool watched; /* items go through spool_watched_*: a loop goes, or is looked for */
    struct spool_seek seek;
    struct spool_delta again; /* ends in what is large, and seldom touched */
};

/* The same file under a number far up, so that the application's own get the numbers they always
 * had. */
int spool_fd_up(int fd);

/* Makes FOLDER/RANK.LANE.ring and, unless only the newest records are kept, .spool; fills the
 * header's fixed fields, zero elsewhere. Reports nothing: *out_error is an errno. ring_bytes is a
 * power of two. */
enum core_status spool_writer_open(struct spool_writer *writer, const char *folder, int32_t rank,
                                   uint32_t lane, uint64_t ring_bytes, int *out_error);
/* The same; newest: SPOOL_FLAG_LAST. */
enum core_status spool_writer_open_newest(struct spool_writer *writer, const char *folder,
                                          int32_t rank, uint32_t lane, uint64_t ring_bytes,
                                          int newest, int *out_error);
/* Drains what is committed and unmaps. Takes a zeroed one. */
void spool_writer_close(struct spool_writer *writer);

/* In a handler of SIGBUS: if the address lies in the ring's mapping, that is memory of this process
 * alone from now on, with what was in it, recording ends, and the instruction may be run again.
 * False: it lies elsewhere, or there is no memory. */
bool spool_writer_leave(struct spool_writer *writer, const void *address);

/* Nothing is folded (core/spool/spool_loop.h). */
void spool_writer_plain(struct spool_writer *writer);

/* From now on. Nothing was dropped so far. */
void spool_writer_base(struct spool_writer *writer, spool_base_fn base, void *context);
/* The record at a position in [drained, committed); *position moves past it, and past pads. NULL:
 * there is none before `end`. */
const struct spool_head *spool_writer_record(const struct spool_writer *writer, uint64_t *position,
                                             uint64_t end);

void *spool_reserve_slow(struct spool_writer *writer, uint32_t words);
bool spool_put_event_whole(struct spool_writer *writer, const struct spool_event *event);
bool spool_put_done_whole(struct spool_writer *writer, const struct spool_done *done);
bool spool_put_list(struct spool_writer *writer, const struct spool_list *list, const void *value);
/* Writes a record of kind SPOOL_RECV_HALF, SPOOL_ARGS or SPOOL_REPEAT. */
bool spool_put_part(struct spool_writer *writer, const struct spool_head *record);

/* --- loops (core/spool/spool_fold.c) ---------------------------------------------------------- */

/* Do what spool_put_event_again and spool_put_done do, where the writer is watched. */
bool spool_watched_event(struct spool_writer *writer, const struct spool_event *event);
bool spool_watched_part(struct spool_writer *writer, const struct spool_head *record,
                        const void *values);
/* Whole or again, whatever comes of loops: the record that a reader has of it; NULL: recording has
 * stopped. */
const struct spool_head *spool_put_plain(struct spool_writer *writer,
                                         const struct spool_head *record, const void *values);
/* Tells of items of the loop that came, and of which no event has told yet. */
void spool_tell_parts(struct spool_writer *writer);
/* Half a ring was drained. */
void spool_seek_turn(struct spool_writer *writer);
/* Rises whenever something is put, between two commits. */
static inline uint64_t spool_mark(const struct spool_writer *writer)
{
    return writer->position * SPOOL_LOOP_ITEMS_MAX * 2 + writer->again.loop.due;
}

/* Room for a record of so many words, with its head set; NULL when recording has stopped. */
static inline void *spool_reserve(struct spool_writer *writer, uint32_t words)
{
    uint64_t end = writer->position + words * 8ul;
    if (__builtin_expect(end > writer->limit, 0))
        return spool_reserve_slow(writer, words);
    void *at = writer->ring + (writer->position & writer->mask);
    writer->position = end;
    return at;
}

/* Room for a record that says what came again, in the place of a whole one: where there is room
 * without a look, as what it refers to may be dropped in that. Else NULL. */
static inline void *spool_reserve_again(struct spool_writer *writer, uint32_t words)
{
    uint64_t end = writer->position + words * 8ul;
    void *at = writer->ring + (writer->position & writer->mask);
    if (__builtin_expect(end > writer->limit, 0))
        return NULL;
    writer->position = end;
    return at;
}

/* All events, completions and lists of requests of a lane are written by what follows
 * (spool_delta.h, invariant 1). False: recording has stopped; of _again: it is to be written whole.
 */

static inline bool spool_plain_event_again(struct spool_writer *writer,
                                           const struct spool_event *event)
{
    unsigned slot = spool_delta_event_slot(event);
    struct spool_event_again r;
    void *at;
    if (__builtin_expect(!spool_delta_event_try(&writer->again, slot, event, &r), 0) ||
        !(at = spool_reserve_again(writer, sizeof r / 8)))
        return false;
    memcpy(at, &r, sizeof r);
    writer->again.event[slot].request = event->request;
    writer->again.seq = event->seq;
    writer->again.t = event->t_leave;
    return true;
}

static inline bool spool_put_event_again(struct spool_writer *writer,
                                         const struct spool_event *event)
{
    return writer->watched ? spool_watched_event(writer, event)
                           : spool_plain_event_again(writer, event);
}

static inline bool spool_put_event(struct spool_writer *writer, const struct spool_event *event)
{
    return spool_put_event_again(writer, event) || spool_put_event_whole(writer, event);
}

static inline bool spool_plain_done(struct spool_writer *writer, const struct spool_done *done)
{
    unsigned slot = spool_delta_done_slot(done);
    struct spool_head r;
    void *at;
    if (__builtin_expect(spool_delta_done_try(&writer->again, slot, done, &r), 1) &&
        (at = spool_reserve_again(writer, sizeof r / 8))) {
        memcpy(at, &r, sizeof r);
        writer->again.done[slot].request = done->request;
        writer->again.seq = done->seq;
        return true;
    }
    return spool_put_done_whole(writer, done);
}

static inline bool spool_put_done(struct spool_writer *writer, const struct spool_done *done)
{
    return writer->watched ? spool_watched_part(writer, &done->head, NULL)
                           : spool_plain_done(writer, done);
}

/* Commits what was written so far. */
static inline void spool_commit_written(struct spool_writer *writer)
{
    atomic_store_explicit(&writer->header->committed, writer->position, memory_order_release);
}

/* Commits all that was put. */
static inline void spool_commit(struct spool_writer *writer)
{
    if (__builtin_expect(writer->again.loop.due, 0))
        spool_tell_parts(writer);
    spool_commit_written(writer);
}

#endif
