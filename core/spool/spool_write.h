/* Writes one lane of a spool (core/spool/spool.h): a ring in a mapped file that stays hot in cache,
 * drained by plain write().
 *
 * The writer fails open: if it cannot continue it sets header->stopped and header->note, and from
 * then on reserving returns NULL. Earlier committed records stay readable. Nothing here calls MPI,
 * prints, or ends the process.
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
#include "core/spool/spool_sum.h"
#include "core/status.h"

struct spool_writer;
/* Called before committed records are drained or dropped. room: a place where readers may begin
 * from now on, for at most `bytes` bytes of records that sum up all earlier ones; NULL: no such
 * place now. Returns the bytes of the records that it wrote there. */
typedef size_t (*spool_base_fn)(struct spool_writer *writer, void *room, size_t bytes,
                                void *context);

enum {
    SPOOL_SEEK_CODES = 1 << 13, /* codes that are remembered */
    SPOOL_SEEK_PLACE_BITS = 10
};
/* Looks for a period in a lane's items (core/spool/spool_fold.c). */
struct spool_seek {
    uint64_t count;       /* items so far */
    uint64_t context;     /* hash of the last items */
    uint64_t seq;         /* of the last item */
    uint32_t period, run; /* the last `run` items equal those one period earlier; 0: none */
    uint32_t folded;      /* calls folded since the last turn */
    uint32_t turn;
    bool off;
    uint32_t code[SPOOL_SEEK_CODES];            /* indexed by item number modulo SPOOL_SEEK_CODES */
    uint32_t place[1 << SPOOL_SEEK_PLACE_BITS]; /* number + 1 of the last item in each context */
};

struct spool_writer {
    char *ring;
    struct spool_header *header; /* mapped; NULL: not open */
    uint64_t position;           /* bytes written, including the unfinished record */
    uint64_t limit;
    uint64_t mask; /* ring_bytes - 1 */
    int fd;        /* of the .spool file; -1 none */
    dev_t device;  /* identity of the .spool file: an application that closes descriptors of others
                      may */
    ino_t inode;   /* later have opened its own file under our number */
    char path[1024]; /* of the .spool file */
    int newest; /* SPOOL_FLAG_LAST: drops records that leave the ring; keeps at least a quarter of
                   the ring */
    uint64_t events; /* counted by the recorder, so that dropped events can be counted as lost */
    uint64_t boundary, boundary_events,
        dropped_events; /* committed and events at the last check; number of dropped events */
    spool_base_fn base; /* or NULL */
    void *base_context;
    bool watched; /* items go through spool_watched_*: a loop goes, or the writer looks for one */
    struct spool_seek seek;
    struct spool_summer summer;
    struct spool_delta again;        /* large and seldom used at its end, */
    struct spool_summer_large large; /* as is this */
};

/* Bytes at the start of a writer that are zeroed. */
enum {
    SPOOL_WRITER_SMALL =
        offsetof(struct spool_writer, again) + sizeof(struct spool_delta) - SPOOL_LOOP_LARGE
};

/* Moves a descriptor to a high number, if one is free, so that the application's own files get
 * their usual numbers. */
int spool_fd_up(int fd);

/* Makes FOLDER/RANK.LANE.ring and FOLDER/RANK.LANE.spool, and fills in the header's fixed fields
 * (the others are zero). Reports nothing: *out_error is an errno. ring_bytes is a power of two. */
enum core_status spool_writer_open(struct spool_writer *writer, const char *folder, int32_t rank,
                                   uint32_t lane, uint64_t ring_bytes, int *out_error);
/* Does the same; newest: SPOOL_FLAG_LAST, without a .spool file. */
enum core_status spool_writer_open_newest(struct spool_writer *writer, const char *folder,
                                          int32_t rank, uint32_t lane, uint64_t ring_bytes,
                                          int newest, int *out_error);
/* Drains the committed records and unmaps the ring. Accepts a zeroed writer. */
void spool_writer_close(struct spool_writer *writer);

/* Handles a SIGBUS at `address`. If it lies in the ring's mapping, replaces the mapping by private
 * memory with the same content and ends recording; the instruction may then run again. Returns
 * false if the address lies elsewhere, or memory ran out. */
bool spool_writer_leave(struct spool_writer *writer, const void *address);

/* Turns folding off (core/spool/spool_loop.h). */
void spool_writer_plain(struct spool_writer *writer);

/* Calls `base` from now on. Nothing may have been dropped so far. */
void spool_writer_base(struct spool_writer *writer, spool_base_fn base, void *context);
/* Returns the record at a position in [drained, committed), and moves *position past it and past
 * pads. Returns NULL if there is none before `end`. */
const struct spool_head *spool_writer_record(const struct spool_writer *writer, uint64_t *position,
                                             uint64_t end);

/* Write committed records up to `end` to the .spool file, as they are; and a sum that stands for
 * them. Return false if recording has stopped. */
bool spool_drain_plain(struct spool_writer *writer, uint64_t end);
bool spool_drain_sum(struct spool_writer *writer, const struct spool_head *sum, uint64_t end);

void *spool_reserve_slow(struct spool_writer *writer, uint32_t words);
bool spool_put_event_whole(struct spool_writer *writer, const struct spool_event *event);
bool spool_put_done_whole(struct spool_writer *writer, const struct spool_done *done);
bool spool_put_list(struct spool_writer *writer, const struct spool_list *list, const void *value);
/* Writes a record of kind SPOOL_RECV_HALF, SPOOL_ARGS or SPOOL_REPEAT. */
bool spool_put_part(struct spool_writer *writer, const struct spool_head *record);

/* --- loops (core/spool/spool_fold.c) ---------------------------------------------------------- */

/* Do the same as spool_put_event_again and spool_put_done if the writer is watched. */
bool spool_watched_event(struct spool_writer *writer, const struct spool_event *event);
bool spool_watched_part(struct spool_writer *writer, const struct spool_head *record,
                        const void *values);
/* Writes a record outside of loops, whole or as a difference. Returns the whole record as a reader
 * gets it; NULL: recording has stopped. */
const struct spool_head *spool_put_plain(struct spool_writer *writer,
                                         const struct spool_head *record, const void *values);
/* Writes a record for items of the loop that came without one so far. */
void spool_tell_parts(struct spool_writer *writer);
/* Called when half a ring was drained: decides whether to look for loops. */
void spool_seek_turn(struct spool_writer *writer);
/* Grows whenever something is put, between two commits. */
static inline uint64_t spool_mark(const struct spool_writer *writer)
{
    return writer->position * SPOOL_LOOP_ITEMS_MAX * 2 + writer->again.loop.due;
}

/* Reserves a record of `words` words; the caller sets its head. Returns NULL if recording stopped.
 */
static inline void *spool_reserve(struct spool_writer *writer, uint32_t words)
{
    uint64_t end = writer->position + words * 8ul;
    if (__builtin_expect(end > writer->limit, 0))
        return spool_reserve_slow(writer, words);
    void *at = writer->ring + (writer->position & writer->mask);
    writer->position = end;
    return at;
}

/* Reserves a record that refers to an earlier one. Returns NULL if the limit is near, since
 * spool_reserve_slow may drop the earlier record. */
static inline void *spool_reserve_again(struct spool_writer *writer, uint32_t words)
{
    uint64_t end = writer->position + words * 8ul;
    void *at = writer->ring + (writer->position & writer->mask);
    if (__builtin_expect(end > writer->limit, 0))
        return NULL;
    writer->position = end;
    return at;
}

/* These functions write all events, completions and lists of requests of a lane (spool_delta.h,
 * invariant 1). They return false if recording has stopped; _again also if the record must be
 * written whole. */

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
