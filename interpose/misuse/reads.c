/* Follows the bytes that a file read fills (inflight.h): another thread of the library fills them
 * at any moment, but each byte once. If a byte changes twice, the program stored to it. */
#include <string.h>

#include "program/memory.h"
#include "interpose/misuse/inflight.h"

enum { READS_MAX = 16 };

static struct read { /* content before the call, and when last seen */
    bool used, stored_to;
    char before[READ_BYTES], last[READ_BYTES];
} reads[READS_MAX];
static struct { /* the call that is being made */
    uint64_t seq;
    uint32_t bytes;
    char content[READ_BYTES];
} before_call;

void usage_any_time(uint64_t seq, struct usage_buffers *all)
{
    const struct usage_buffer *b = &all->buffer[0];

    if (!all->count)
        return;
    all->buffer[0].any_time = true;
    before_call.seq = 0;
    uint32_t bytes = b->end - b->start < READ_BYTES ? (uint32_t)(b->end - b->start) : READ_BYTES;
    if (recorder.crowd || !recorder_may_spend(&usage_credit, 2 * (bytes + HASH_LEAST)) ||
        !memory_copy(before_call.content, (const void *)b->start, bytes))
        return;
    before_call.seq = seq;
    before_call.bytes = bytes;
}

int reads_follow(uint64_t seq)
{
    int slot = 0;

    while (slot < READS_MAX && reads[slot].used)
        slot++;
    if (before_call.seq != seq || slot == READS_MAX)
        return -1;
    struct read *r = &reads[slot];
    r->used = true;
    r->stored_to = false;
    memcpy(r->before, before_call.content, before_call.bytes);
    memcpy(r->last, before_call.content, before_call.bytes);
    return slot;
}

void reads_forget(int slot)
{
    reads[slot].used = false;
}

bool reads_stored_to(int slot, const void *at, uint32_t bytes)
{
    struct read *r = &reads[slot];
    static char now[READ_BYTES]; /* static, since reads are followed only while one thread calls
                                    MPI */

    if (!memory_copy(now, at, bytes))
        return r->stored_to;
    for (uint32_t i = 0; i < bytes; i++)
        r->stored_to |= now[i] != r->last[i] && r->last[i] != r->before[i];
    memcpy(r->last, now, bytes);
    return r->stored_to;
}
