/* Declares the relay. On each other machine of a job one relay process follows the spools of the
 * ranks there and streams them to the launcher, which stores them as spools of ranks of another
 * host. The first rank of the machine starts the relay (interpose/hosts.c).
 *
 * A relay answers only. The launcher sends a TICK; the relay examines all lanes once, sends the new
 * bytes of each, then a LOOK with the same number and the standing of every rank. So a LOOK shows a
 * state that the machine had at one moment after the launcher sent the TICK; whatever two LOOKs
 * show unchanged did not change in between.
 *
 * The launcher compares clocks by the fastest answer to a few CLOCK frames: when a relay connects,
 * every few seconds, and at the end.
 *
 * Every frame is authenticated: HMAC-SHA256 over direction, head and payload. The key of HELLO and
 * WELCOME is the job's secret; of all other frames, HMAC(secret, both sides' nonces). Contents are
 * not encrypted.
 *
 * Invariants
 *  1. Frames of a connection are numbered from 0 in each direction without a gap, under a key that
 *     no other connection has: a dropped, reordered or repeated frame is noticed.
 *  2. A lane's bytes arrive in order. The launcher writes them to the mirrored .spool file before
 *     the header that counts them.
 *  3. A relay removes what it sent only after the launcher has confirmed all of it.
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
    RELAY_HELLO_MAX = 256,     /* payload of the first frame, whose sender is still unknown */
    RELAY_CHUNK = 512 * 1024,  /* of a lane's bytes in one frame */
    RELAY_WORLD_BYTES = 64
};

enum relay_kind {
    RELAY_HELLO,   /* from the relay: struct relay_hello */
    RELAY_WELCOME, /* from the launcher: struct relay_welcome; the last frame with the job's secret
                      as key */
    RELAY_HAVE,    /* from the launcher: a struct relay_have per lane of which it has bytes */
    RELAY_LANE,    /* from the relay: struct relay_lane, then bytes of the lane from `offset` on */
    RELAY_RING, /* from the relay: struct relay_lane, then bytes of the ring from `offset` on, for a
                   lane that keeps only its newest records */
    RELAY_CLOCK, /* from the launcher: empty; the relay answers at once with its CLOCK_REALTIME, a
                    uint64_t */
    RELAY_TICK,  /* from the launcher: struct relay_tick */
    RELAY_LOOK,  /* from the relay: struct relay_tick, then a struct relay_rank per rank */
    RELAY_END,   /* from the launcher: struct relay_tick; `last` is a signal for every rank */
    RELAY_DONE   /* from the relay: all ranks are gone and everything is sent; from the launcher:
                    everything has arrived */
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
    uint8_t relay_nonce[RELAY_KEY_BYTES]; /* the nonce that the launcher answers */
};
struct relay_name { /* name of a lane; zero-padded */
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
    struct spool_header header; /* counts the bytes before `offset` and those in this frame */
};
struct relay_tick {
    uint64_t number;
    uint32_t last; /* TICK: 1: the last one, finish. END: the signal */
    uint32_t reserved;
};
struct relay_rank {
    char world[RELAY_WORLD_BYTES];
    int32_t rank;
    int32_t status;   /* as waitpid gives it; only if known */
    uint8_t standing; /* enum proof_standing */
    uint8_t gone, status_known, reserved[5];
};

/* --- the link (relay_link.c) ------------------------------------------------------------------ */

struct relay_link { /* one side of a connection; all zero: none */
    int fd;         /* -1: closed */
    bool launcher;  /* this is the launcher's side */
    bool keyed;     /* both sides have exchanged nonces */
    uint8_t key[RELAY_KEY_BYTES];
    uint64_t sent, received;    /* number of frames */
    unsigned char *in;          /* incomplete frame */
    uint32_t in_count, in_room; /* array.h */
};

/* Reads 64 hexadecimal digits. */
bool relay_secret_read(const char *text, uint8_t out_secret[RELAY_KEY_BYTES]);
void relay_link_begin(struct relay_link *link, int fd, bool launcher,
                      const uint8_t secret[RELAY_KEY_BYTES]);
void relay_link_close(struct relay_link *link);
/* Derives the key for the next frames from both nonces. */
void relay_link_rekey(struct relay_link *link, const uint8_t relay_nonce[RELAY_KEY_BYTES],
                      const uint8_t launcher_nonce[RELAY_KEY_BYTES]);
/* Sends one whole frame; blocks, but at most limit_ms without progress. CORE_IO, without a report:
 * the link is closed. */
enum core_status relay_link_send(struct relay_link *link, enum relay_kind kind, const void *first,
                                 size_t first_bytes, const void *second, size_t second_bytes,
                                 int limit_ms);
/* Takes the next frame that has arrived whole and is authentic; *out_head is NULL if there is none.
 * The payload is valid until the next call. Without a report: CORE_IO, the other side is gone;
 * CORE_BAD_FORMAT, the frame is not authentic. Both close the link. */
enum core_status relay_link_receive(struct relay_link *link, const struct relay_head **out_head,
                                    const void **out_payload);

/* Waits up to limit_ms for the next frame. CORE_BUDGET: none came. */
enum core_status relay_link_wait(struct relay_link *link, int limit_ms,
                                 const struct relay_head **out_head, const void **out_payload);

/* Tells whether the name can be that of a lane: no path, not hidden, in range. */
bool relay_name_is_good(const struct relay_name *name);

/* --- the other machine (relay_here.c) --------------------------------------------------------- */

/* Follows the spool folder until the launcher has everything or no process needs the relay any
 * more. Returns the exit status of the process. Prints nothing: it has no terminal. */
int relay_run(const char *spool, const char *place, const char *secret);

#endif
