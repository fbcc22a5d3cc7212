/* Reads spools of jobs that ended, of jobs that died, and of ranks that still run. The writer may
 * have been killed at any instruction, or may be hostile: this reader checks every length, so that
 * callers may trust the records.
 *
 * It maps no file: it uses pread, so that a file that is cut while it is read gives a short read,
 * not a SIGBUS. */
#ifndef CORE_SPOOL_SPOOL_READ_H
#define CORE_SPOOL_SPOOL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/spool/spool_delta.h"
#include "core/spool/spool_sum.h"
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

/* Lists the lanes in a job's folder, sorted by rank, then lane, from the names R.L.ring. Free with
 * free(). *out_count may be 0. Returns CORE_IO or CORE_NOT_FOUND (reported) if the folder cannot be
 * read. */
enum core_status spool_lanes_list(const char *job_path, struct spool_lane_name **out_lane,
                                  uint32_t *out_count);

/* Reads a lane's header consistently, also while the rank runs: the launcher's watcher keeps the
 * file open and calls this repeatedly. Checks magic, version and sizes; texts are terminated, depth
 * is at most SPOOL_DEPTH_MAX. Open calls are out_header->open[0 .. depth). Returns CORE_BAD_FORMAT,
 * CORE_BAD_VERSION or CORE_IO without a report: `why` (SPOOL_WHY_BYTES, may be NULL) gets a
 * sentence. */
enum core_status spool_header_read(int ring_fd, struct spool_header *out_header, char *why);

struct spool_reader {
    struct spool_header header; /* as it was when the reader was opened */
    char why[SPOOL_WHY_BYTES];  /* why open failed, or why the records end before `committed`; else
                                   "" */
    bool torn;                  /* the records end before `committed` */
    uint64_t records;           /* records returned so far */

    /* private */
    int file_fd;
    uint64_t position, committed, drained; /* bytes of the lane */
    unsigned char *ring;                   /* copy of [drained, committed) */
    unsigned char *buffer;                 /* copy of [buffer_start, buffer_start + buffer_bytes) */
    uint64_t buffer_start;
    size_t buffer_bytes;
    uint64_t gap, lasted;  /* of the event that is due (core/spool/spool_loop.h) */
    struct spool_sum *sum; /* copy of the last one whose calls were returned; NULL: none yet */
    uint64_t sum_left, sum_start, sum_end; /* its calls still to return; the times around them */
    bool summed; /* the last record returned belongs to a call of a sum: its event's times are those
                    around all calls of the sum */
    uint64_t loops; /* number of loops opened so far */
    uint32_t item;  /* index of the last item returned; SPOOL_LOOP_ITEMS_MAX: no item of a
                       loop */
    bool passes_loops;
    struct spool_delta again;
};

/* Opens JOB/R.L.ring and JOB/R.L.spool (which is absent before the first drain, and with
 * SPOOL_FLAG_LAST). Failures are not reported: see why. */
enum core_status spool_reader_open(struct spool_reader *reader, const char *job_path, int32_t rank,
                                   uint32_t lane);
void spool_reader_close(struct spool_reader *reader);

/* spool_reader_position returns the start of the next record, in bytes of the lane.
 * spool_reader_resume, called right after opening, starts there with the `again` of an earlier
 * reader of the same lane, and so skips the records that the earlier reader returned. It returns
 * CORE_BAD_INPUT if the lane is shorter, or has dropped the records of that place. */
uint64_t spool_reader_position(const struct spool_reader *reader);
enum core_status spool_reader_resume(struct spool_reader *reader, uint64_t position,
                                     const struct spool_delta *again);

/* Returns the next record, valid until the next call, or NULL at the end. Skips pads, and restores
 * records written as differences or in loops (core/spool/spool_delta.h, core/spool/spool_loop.h).
 * The record's fixed part and all that its fields announce lie within its words. Ends early, with
 * torn and why set, at the first invalid record. */
const struct spool_head *spool_reader_next(struct spool_reader *reader);

/* --- loops, for callers that read whole rounds ------------------------------------------------ */

/* Skips all items of loops. Call it right after opening. */
void spool_reader_pass_loops(struct spool_reader *reader);
/* Returns the loop that goes, if the last record returned is its event item[reader->item]; else
 * NULL. */
struct spool_loop *spool_reader_loop(struct spool_reader *reader);
struct spool_times {
    uint64_t enter, leave;
};
/* If the next records are exactly those of the loop's next `calls` calls (a round): skips them, and
 * returns when these calls entered and left. Returns false otherwise, and changes nothing. */
bool spool_reader_round(struct spool_reader *reader, uint32_t calls, struct spool_times *out_time);
/* Returns the sum of rounds of `calls` calls if the next record is one (core/spool/spool_sum.h),
 * valid until the next call; else NULL. spool_reader_sum_pass skips these rounds. */
const struct spool_sum *spool_reader_sum(struct spool_reader *reader, uint32_t calls);
void spool_reader_sum_pass(struct spool_reader *reader);
/* Notes that the caller skipped so many rounds. Call it before reading anything else. */
void spool_reader_rounds_passed(struct spool_reader *reader, uint64_t rounds);

/* Returns the variable part of a record: values, texts, members, frames. */
static inline const void *spool_tail(const void *record, size_t fixed_bytes)
{
    return (const unsigned char *)record + fixed_bytes;
}

#endif
