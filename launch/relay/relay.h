/* The relay: on each other machine of a job one process follows the spools of the ranks there, as
 * the launcher does those of its own, and streams what they hold to the launcher, where it appears
 * as spools of ranks of another host. The first rank of the machine starts it (interpose/hosts.c).
 *
 * A relay speaks when it is asked. The launcher sends a TICK; the relay looks at all lanes once,
 * sends what is new of each, then a LOOK with the same number that says how every rank stands. So
 * what the launcher knows when a LOOK has come is a state in which the machine was at one moment
 * after the TICK was sent; and what did not change between two LOOKs was so all the time between.
 *
 * Clocks are compared by the CLOCK that is answered fastest of a few: when a relay comes, every few
 * seconds, and at the end.
 *
 * Every frame is authenticated: HMAC-SHA256 over direction, head and payload. The key of a HELLO is
 * the job's secret, of all others HMAC(secret, both sides' nonces). Contents are not hidden.
 *
 * Invariants
 *  1. Frames of a connection are numbered from 0 in each direction without a gap, under a key that
 *     no other connection has: none can be left out, moved or sent again unnoticed.
 *  2. A lane's bytes arrive in order, and are in its mirrored .spool file before the header that
 *     counts them is written.
 *  3. A relay removes what it sent only after the launcher has said that it has all of it.
 *  4. Neither side holds more than one frame and what the system buffers: RELAY_FRAME_MAX. */
#ifndef LAUNCH_RELAY_RELAY_H
#define LAUNCH_RELAY_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"
#include "core/spool/relay_place.h"
#include "core/spool/spool.h"
#include "core/status.h"

enum {
    RELAY_VERSION = 3,
    RELAY_KEY_BYTES = 32,
    RELAY_MAC_BYTES = 32,
    RELAY_FRAME_MAX = 1 << 20, /* bytes of a payload */
    RELAY_HELLO_MAX = 256,     /* of the first one, of which nobody knows yet who sent it */
    RELAY_CHUNK = 512 * 1024,  /* of a lane's bytes in one frame */
    RELAY_WORLD_BYTES = 64,
    RELAY_ADDRESSES_MAX = 8
};

enum relay_kind {
    RELAY_HELLO,   /* relay: struct relay_hello */
    RELAY_WELCOME, /* launcher: struct relay_welcome; the last frame under the job's secret */
    RELAY_HAVE,    /* launcher: a struct relay_have for each lane that it has something of */
    RELAY_LANE,    /* relay: struct relay_lane, then bytes of the lane from `offset` on */
    RELAY_RING,    /* relay: struct relay_lane, then bytes of the ring of a lane that keeps the
                      newest records only, from `offset` in the ring on */
    RELAY_CLOCK,   /* launcher: nothing; relay, at once: its CLOCK_REALTIME, a uint64_t */
    RELAY_TICK,    /* launcher: struct relay_tick */
    RELAY_LOOK,    /* relay: struct relay_tick, then a struct relay_rank for each rank */
    RELAY_END,     /* launcher: struct relay_tick; `last` is a signal for every rank */
    RELAY_DONE     /* relay: all ranks are gone, and all has been sent; launcher: it is here */
};

struct relay_head {
    uint32_t bytes; /* of the payload */
    uint32_t kind;  /* enum relay_kind */
    uint64_t number;
};
struct relay_hello {
    char magic[8]; /* "CWRELAY" */
    uint32_t version, reserved;
    struct core_machine machine;
    uint8_t nonce[RELAY_KEY_BYTES];
};
struct relay_welcome {
    uint8_t nonce[RELAY_KEY_BYTES];       /* the launcher's */
    uint8_t relay_nonce[RELAY_KEY_BYTES]; /* which it answers */
};
struct relay_name { /* of a lane; what is behind the text is zero */
    char world[RELAY_WORLD_BYTES];
    int32_t rank;
    uint32_t lane;
};
struct relay_have {
    struct relay_name name;
    uint64_t bytes;
};
struct relay_lane {
    struct relay_name name;
    uint64_t offset;
    struct spool_header header; /* counts what stands in front of offset and the bytes behind it */
};
struct relay_tick {
    uint64_t number;
    uint32_t last; /* TICK: no other will come: finish. END: the signal */
    uint32_t reserved;
};
struct relay_rank {
    char world[RELAY_WORLD_BYTES];
    int32_t rank;
    int32_t status;   /* as waitpid gives it, if known */
    uint8_t standing; /* enum proof_standing */
    uint8_t gone, status_known, reserved[5];
};

/* --- the link (relay_link.c) ------------------------------------------------------------------ */

struct relay_link { /* one side of a connection; all zero is none */
    int fd;         /* -1: closed */
    bool launcher;  /* this side is */
    bool keyed;     /* nonces were exchanged */
    uint8_t key[RELAY_KEY_BYTES];
    uint64_t sent, received;    /* frames */
    unsigned char *in;          /* a frame that is coming */
    uint32_t in_count, in_room; /* array.h */
};

/* Reads 64 hexadecimal digits. */
bool relay_secret_read(const char *text, uint8_t out_secret[RELAY_KEY_BYTES]);
void relay_link_begin(struct relay_link *link, int fd, bool launcher,
                      const uint8_t secret[RELAY_KEY_BYTES]);
void relay_link_close(struct relay_link *link);
/* From the next frame on: the key that both nonces give. */
void relay_link_rekey(struct relay_link *link, const uint8_t relay_nonce[RELAY_KEY_BYTES],
                      const uint8_t launcher_nonce[RELAY_KEY_BYTES]);
/* Sends one frame whole; blocks, at most limit_ms without progress. Not reported: CORE_IO, and the
 * link is closed. */
enum core_status relay_link_send(struct relay_link *link, enum relay_kind kind, const void *first,
                                 size_t first_bytes, const void *second, size_t second_bytes,
                                 int limit_ms);
/* A frame that has come whole and is authentic; its payload is valid until the next call. *out_head
 * is NULL when none has. Not reported: CORE_IO, the other side is gone; CORE_BAD_FORMAT, it is not
 * who it should be. In both cases the link is closed. */
enum core_status relay_link_receive(struct relay_link *link, const struct relay_head **out_head,
                                    const void **out_payload);

/* Waits up to limit_ms for the next frame. CORE_BUDGET: none has come. */
enum core_status relay_link_wait(struct relay_link *link, int limit_ms,
                                 const struct relay_head **out_head, const void **out_payload);

/* Whether a name may be one of a lane: no path, nothing hidden, in range. */
bool relay_name_is_good(const struct relay_name *name);

/* --- the other machine (relay_here.c) --------------------------------------------------------- */

/* Follows the spool folder until the launcher has all, or nobody needs it any more. Returns the
 * exit status of the process. Says nothing: it has no terminal. */
int relay_run(const char *spool, const char *place, const char *secret);

#endif
