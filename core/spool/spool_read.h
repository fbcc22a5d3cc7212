/* Reading spools: of jobs that ended, of jobs that died, and of ranks that still run. Whoever wrote
 * the files may have been killed at any instruction, or may be hostile: every length is checked
 * here, so that callers may trust the records they get.
 *
 * Nothing here is mapped: files are read with pread, so that a file cut while it is being read is a
 * short read, not a SIGBUS. */
#ifndef CORE_SPOOL_SPOOL_READ_H
#define CORE_SPOOL_SPOOL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spool/spool_delta.h"
#include "core/status.h"

enum {
    SPOOL_RANKS_MAX = 1 << 21,
    SPOOL_LANES_MAX = 1 << 14, /* threads of one rank */
    SPOOL_RING_BYTES_MAX = 1 << 30,
    SPOOL_WHY_BYTES = 256
};

struct spool_lane_name {
    int32_t rank;
    uint32_t lane;
};

/* The lanes in a job's folder, sorted by rank, then lane, from the names R.L.ring. Free with
 * free(). *out_count may be 0. CORE_IO or CORE_NOT_FOUND (reported) when the folder cannot be read.
 */
enum core_status spool_lanes_list(const char *job_path, struct spool_lane_name **out_lane,
                                  uint32_t *out_count);

/* One consistent look at a lane's header, also while the rank runs: the launcher's watcher keeps
 * the file open and calls this as often as it likes. Checks magic, version and sizes; texts are
 * terminated, depth is at most SPOOL_DEPTH_MAX. Open calls are out_header->open[0 .. depth). Not
 * reported: `why` (SPOOL_WHY_BYTES, may be NULL) gets a sentence. CORE_BAD_FORMAT,
 * CORE_BAD_VERSION, CORE_IO. */
enum core_status spool_header_read(int ring_fd, struct spool_header *out_header, char *why);

struct spool_reader {
    struct spool_header header; /* as it was when the reader was opened */
    char why[SPOOL_WHY_BYTES];  /* why open failed, or why the records end before `committed`; "" if
                                   they do not */
    bool torn;                  /* the records end before `committed` */
    uint64_t records;           /* handed out so far */

    /* private */
    int file_fd;
    uint64_t position, committed, drained; /* bytes of the lane */
    unsigned char *ring;                   /* copy of [drained, committed) */
    unsigned char *buffer;                 /* copy of [buffer_start, buffer_start + buffer_bytes) */
    uint64_t buffer_start;
    size_t buffer_bytes;
    uint64_t gap, lasted; /* of the event that is due (core/spool/spool_loop.h) */
    uint64_t loops;       /* that were opened */
    uint32_t item;        /* that was handed out last; SPOOL_LOOP_ITEMS_MAX: none of a loop's */
    bool passes_loops;
    struct spool_delta again;
};

/* Opens JOB/R.L.ring and JOB/R.L.spool (which may be absent while nothing was drained, and is with
 * SPOOL_FLAG_LAST). Not reported: see why. */
enum core_status spool_reader_open(struct spool_reader *reader, const char *job_path, int32_t rank,
                                   uint32_t lane);
void spool_reader_close(struct spool_reader *reader);

/* Where the next record starts, in bytes of the lane; and, right after opening, to start there with
 * what an earlier reader of the same lane had in `again`: what that one has handed out is passed
 * over. CORE_BAD_INPUT when the lane has not come so far, or keeps no record of that place any
 * more. */
uint64_t spool_reader_position(const struct spool_reader *reader);
enum core_status spool_reader_resume(struct spool_reader *reader, uint64_t position,
                                     const struct spool_delta *again);

/* The next record, valid until the next call, or NULL at the end. Pads are skipped, what came again
 * (core/spool/spool_delta.h, core/spool/spool_loop.h) is whole. The record's fixed part and all
 * that its own fields say it holds lie within its words. Ends early, with torn and why set, at the
 * first record that cannot be one. */
const struct spool_head *spool_reader_next(struct spool_reader *reader);

/* --- loops, for who takes rounds as such ------------------------------------------------------ */

/* Right after opening: what stands in loops is passed over. */
void spool_reader_pass_loops(struct spool_reader *reader);
/* The loop that goes, if the record handed out last is an event of it: item[reader->item]. NULL. */
struct spool_loop *spool_reader_loop(struct spool_reader *reader);
struct spool_times {
    uint64_t enter, leave;
};
/* If the records that tell of the loop's next `calls` calls, a round, come next, and nothing in
 * between: passes over them, and tells when these calls were. False: all is as before. */
bool spool_reader_round(struct spool_reader *reader, uint32_t calls, struct spool_times *out_time);
/* So many rounds were passed over: to be called before anything else is read. */
void spool_reader_rounds_passed(struct spool_reader *reader, uint64_t rounds);

/* Where the variable part of a record starts: values, texts, members, frames. */
static inline const void *spool_tail(const void *record, size_t fixed_bytes)
{
    return (const unsigned char *)record + fixed_bytes;
}

#endif
