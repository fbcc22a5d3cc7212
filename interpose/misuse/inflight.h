/* Buffers that MPI owns, in parts: which bytes a call's buffers are (spans.c), what is in flight
 * (inflight.c), what a read of a file fills (reads.c), memory exposed in windows (exposed.c). */
#ifndef INTERPOSE_MISUSE_INFLIGHT_H
#define INTERPOSE_MISUSE_INFLIGHT_H

#include "interpose/misuse/usage.h"

enum { HASHED_BYTES = 1024, HASH_LEAST = 1024, READ_BYTES = 65536 /* of a read from a file */ };

/* How many bytes are in both buffers, whose spans meet. */
uint64_t spans_overlap(const struct usage_buffer *a, const struct usage_buffer *b);

/* Bytes whose contents may be looked at (inflight.c, 3). */
extern struct recorder_credit usage_credit;
/* Notes a change of the buffers in flight or exposed, which decides when calls must be looked at.
 */
void usage_look_on(void);

/* Whether the call seq, which any_time announced, can be followed: a slot, or -1. */
int reads_follow(uint64_t seq);
void reads_forget(int slot);
/* Whether a byte has been seen to change that had changed before. */
bool reads_stored_to(int slot, const void *at, uint32_t bytes);

extern uint32_t exposed_count;
void exposed_touch(struct lane *lane, uint64_t seq, const struct usage_buffer *b);
/* A call is entered. compare: contents are as exposed_remember found them, if nothing stored. */
void exposed_look(struct lane *lane, uint64_t seq, bool compare);
uint64_t exposed_bytes(void); /* that exposed_remember will read */
void exposed_remember(void);  /* a call is left */

#endif
