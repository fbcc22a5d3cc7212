/* Buffers that MPI owns: the bytes of a call's buffers (spans.c), the buffers in flight
 * (inflight.c), the bytes that a file read fills (reads.c), the memory exposed in windows
 * (exposed.c). */
#ifndef INTERPOSE_MISUSE_INFLIGHT_H
#define INTERPOSE_MISUSE_INFLIGHT_H

#include "interpose/misuse/usage.h"

enum { HASHED_BYTES = 1024, HASH_LEAST = 1024, READ_BYTES = 65536 /* of a read from a file */ };

/* Returns how many bytes two buffers share whose spans overlap. */
uint64_t spans_overlap(const struct usage_buffer *a, const struct usage_buffer *b);

/* Budget of bytes whose contents are compared (inflight.c, invariant 3). */
extern struct recorder_credit usage_credit;
/* Notes a change of the buffers in flight or exposed, which decides whether calls must check
 * contents. */
void usage_look_on(void);

/* Starts to follow the read of call seq, which usage_any_time announced. Returns a slot, or -1. */
int reads_follow(uint64_t seq);
void reads_forget(int slot);
/* Tells whether a byte changed a second time. */
bool reads_stored_to(int slot, const void *at, uint32_t bytes);

extern uint32_t exposed_count;
void exposed_touch(struct lane *lane, uint64_t seq, const struct usage_buffer *b);
/* Checks windows when a call enters. compare: contents still equal those of exposed_remember,
 * unless the program stored to them. */
void exposed_look(struct lane *lane, uint64_t seq, bool compare);
uint64_t exposed_bytes(void); /* bytes that exposed_remember will read */
void exposed_remember(void);  /* called when a call leaves */

#endif
