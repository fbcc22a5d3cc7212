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

#include <stdint.h>
#include <sys/types.h>

#include "core/spool/spool.h"
#include "core/status.h"

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
/* Writes what is committed to the .spool file. False when recording has stopped. */
int spool_drain(struct spool_writer *writer);
/* Ends recording: errno or 1, and why. The first reason stays. */
void spool_stop(struct spool_writer *writer, int error, const char *note);

void *spool_reserve_slow(struct spool_writer *writer, uint32_t words);

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

static inline void spool_commit(struct spool_writer *writer)
{
    atomic_store_explicit(&writer->header->committed, writer->position, memory_order_release);
}

#endif
