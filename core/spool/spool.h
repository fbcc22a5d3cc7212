/* The spool: the records that a rank writes while it runs. interpose/ writes it; the launcher and
 * `recover` read it.
 *
 * A spool folder holds one folder per MPI job (an application may start several), named by the
 * job's id. That folder holds two files for each lane, that is, for each thread of a rank that made
 * a call:
 *
 *   R.L.ring    one page of header (struct spool_header), then a ring of header.ring_bytes; mapped
 *               shared by the rank
 *   R.L.spool   the records drained from the ring so far, by plain write()
 *
 * e.g. T.db.spool/1234-1/0.0.ring. Definitions go to the lane of the thread that met them first;
 * they hold for the rank.
 *
 * Invariants
 *  1. Records are 8-byte aligned, `words` 8-byte words long, and never split by the ring's end: a
 *     SPOOL_PAD fills the rest.
 *  2. A record counts once header.committed (total bytes ever written to this lane) has passed it;
 *     the store is a release.
 *  3. Bytes [0, drained) are in the .spool file (14), [drained, committed) in the ring at (position
 * mod ring_bytes). A failed write does not advance drained. So everything committed survives the
 *     SIGKILL of a rank.
 *  4. A running call is an open[] slot (depth > its index), with t_leave = 0: so the call in which
 *     a rank hangs is always known. Its record is committed when it leaves. Lists that describe
 *     arguments are committed when it enters.
 *  5. Both files are allocated in full when opened or extended (posix_fallocate for the ring): a
 *     full disk is an error code that ends recording, never a SIGBUS. On a copy-on-write file
 *     system a ring may still lose its space: then the handler of SIGBUS leaves the ring, and makes
 *     its file one byte longer to say so.
 *  6. Sequence numbers are per rank, from 1, in the order of entering; children follow their
 *     parent.
 *  7. Records of a call (lists, recv_half, args, texts, misuse, memory, dones, stack) are committed
 *     in the same lane before the call's own event record. Digests and payloads may come at any
 *     time: they name the event that owns the buffer. Definitions are committed before the first
 *     record of the lane that uses them; texts with b = 65535 are notes and belong to no call.
 *  8. tag of an event is a DEF_OP id for classes COLL, ICOLL, COLL_INIT, RMA, OP and for
 *     MPI_Reduce_local.
 *  9. comm of an event is a DEF_WIN or DEF_FILE id for calls on windows and files. A call that
 *     makes one (WIN_CREATE, MPI_File_open) has the new id once it succeeded, and before that the
 *     id of the communicator on which it was called.
 * 10. Polls that found nothing (and MPI_Wtime), and calls between them that change nothing and have
 *     the same results again, wait in the header's poll[] until the lane records something else: a
 *     call that equals one of them (same call, site, arguments, requests, outcome) only raises its
 *     count and moves its t_leave. The order among different polls is not kept. A poll in poll[]
 *     counts (like a committed record) while its seq is above that of the lane's last committed
 *     event; its other parts are committed. A folded call has no sequence number of its own.
 * 11. An event, completion or list that resembles an earlier one of its lane is written as a
 *     difference (core/spool/spool_delta.h). Its meaning follows from the records before it: all of
 *     its lane, or with SPOOL_FLAG_LAST those from `drained` on.
 * 12. With SPOOL_FLAG_LAST, the first records at any value of `drained` (SPOOL_BASE) sum up what
 *     all earlier records say about the job's progress.
 * 13. In a loop a record of one to three words stands for a call and all its records
 *     (core/spool/spool_loop.h), and is committed when the call leaves; the records of a running
 *     call are announced by a record of one word. There are no loops with SPOOL_FLAG_LAST.
 * 14. In the .spool file a SPOOL_SUM takes fewer bytes than it stands for: a byte of the file is as
 *     many bytes before its position in the lane as the SPOOL_SUMs before it left out. */
#ifndef CORE_SPOOL_SPOOL_H
#define CORE_SPOOL_SPOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"
#include "core/trace/event.h"
#include "core/trace/exit_cause.h"
#include "core/trace/misuse.h"

#define SPOOL_MAGIC "CWSPOOL" /* 7 letters and a NUL */

enum {
    SPOOL_VERSION = 32,
    SPOOL_HEADER_BYTES = 4096,
    SPOOL_RING_BYTES = 256 * 1024,
    SPOOL_DEPTH_MAX = 16, /* nested calls on one thread; deeper calls count as lost */
    SPOOL_RECORD_WORDS_MAX = 4096,
    SPOOL_POLLS_MAX = 8, /* different polls that can be folded at the same time */
    SPOOL_OWN_MAX = 16   /* threads of the MPI library that can be told from others */
};

enum spool_kind {
    SPOOL_PAD = 1, /* skip `words` words */
    SPOOL_EVENT,   /* struct spool_event: a call that returned */
    SPOOL_LIST,    /* struct spool_list: part of an array argument of an event */
    SPOOL_DONE, /* struct spool_done: one completed request, or the status of a receive or probe */
    SPOOL_RECV_HALF, /* struct spool_recv_half: receive side of a call that has two */
    SPOOL_ARGS,      /* struct spool_args: scalar arguments without a field in the event */
    SPOOL_TEXT,    /* struct spool_text: a string argument (file name, port, command), or a note */
    SPOOL_DIGEST,  /* struct spool_digest */
    SPOOL_PAYLOAD, /* struct spool_payload: part of a buffer's content */
    SPOOL_STACK,   /* struct spool_stack: outer frames of an event */
    SPOOL_DEF_CALL,
    SPOOL_DEF_SITE,
    SPOOL_DEF_MODULE,
    SPOOL_DEF_COMM,
    SPOOL_DEF_GROUP,
    SPOOL_DEF_NEIGHBORS,
    SPOOL_DEF_TYPE,
    SPOOL_DEF_OP,
    SPOOL_DEF_WIN,
    SPOOL_DEF_FILE,
    SPOOL_DEF_HINT,
    SPOOL_LOST,   /* struct spool_lost: number of events that were not recorded here */
    SPOOL_CLOCK,  /* struct spool_clock: a pair of clock readings, at start and at end */
    SPOOL_REPEAT, /* struct spool_repeat: number of equal calls in the event */
    SPOOL_MISUSE, /* struct spool_misuse */
    SPOOL_THREAD, /* only the head: the lane's thread has ended, another thread's records follow */
    SPOOL_MEMORY, /* struct spool_memory */
    SPOOL_EVENT_AGAIN, /* struct spool_event_again: an event that resembles an earlier one */
    SPOOL_DONE_AGAIN,  /* only the head: a completion that resembles an earlier one */
    SPOOL_LIST_AGAIN,  /* only the head: a list of requests that resembles an earlier one */
    SPOOL_LIST_SAME,   /* struct spool_list_same: a list that equals an earlier one */
    SPOOL_BASE,        /* a = enum spool_base_part; a sum of all earlier records */
    SPOOL_LOOP,        /* only the head: a loop of `a` items begins (spool_loop.h) */
    SPOOL_NEXT,        /* struct spool_next: the loop's items up to its next event are complete */
    SPOOL_NEXT_PARTS, /* only the head: `a` items of the loop are complete, none of them an event */
    SPOOL_SUM,        /* struct spool_sum: rounds of the loop are complete */
    SPOOL_KIND_COUNT
};

struct spool_head { /* begins every record */
    uint16_t kind;
    uint16_t words; /* of the record, this head included */
    uint16_t a;     /* meaning depends on the kind */
    uint16_t b;
};

struct spool_event { /* 64 bytes; head.a = call id, head.b = MPI error code returned (0 success;
                        65535 if larger) */
    struct spool_head head;
    uint64_t seq;
    uint64_t t_enter; /* ticks */
    uint64_t t_leave; /* ticks; 0 while the call runs */
    uint32_t parent;  /* seq minus the parent's seq; 0: the application's own call */
    uint32_t site;    /* DEF_SITE id; 0 unknown */
    uint32_t comm;    /* DEF_COMM id; 0 none. For windows and files: DEF_WIN, DEF_FILE id */
    int32_t
        peer; /* dest, source, root, target; EVENT_ANY, EVENT_PROC_NULL, EVENT_ROOT, EVENT_NONE */
    int32_t tag;      /* tag; collectives with an operation: DEF_OP id; EVENT_NONE */
    uint32_t type;    /* DEF_TYPE id; 0 none */
    int32_t count;    /* elements of type; EVENT_NONE: no such argument */
    uint32_t request; /* request or message id made, waited for, started...; communicator, type,
                         group made; 0 none */
};
_Static_assert(sizeof(struct spool_event) == 64, "one cache line an event");

/* See core/spool/spool_delta.h. a = slot, and event number relative to the previous record; b =
 * request id relative to the slot's event. */
struct spool_event_again {
    struct spool_head head;
    int32_t gap;     /* ticks since the lane's last event left; negative: the last event was inside
                        this one */
    uint32_t lasted; /* ticks */
};

/* Times of an event as in struct spool_event_again. One word: a = gap, b = lasted. Two words: gap
 * is an int32_t, lasted a uint32_t. Three words: as follows. */
struct spool_next {
    struct spool_head head;
    int64_t gap;
    uint64_t lasted;
};

/* Stands for the next `span` bytes of the lane, which hold the times of whole rounds of the loop
 * (core/spool/spool_sum.h). a = calls of a round. */
struct spool_sum {
    struct spool_head head;
    uint64_t span;
    uint64_t rounds;
    uint64_t enter;  /* ticks from the end of the event before it to the start of the first call, by
                        number, */
    uint64_t lasted; /* and to the end of the last one */
    /* a + 1 times struct spool_sum_times: of each call, in the order of the lane, and of rounds */
};
struct spool_sum_times {
    uint64_t total, least, most; /* ticks */
    uint16_t log, logs, reserved[2];
    /* logs times uint16_t, padded to 8: how many lasted 2^(log + i) ns, or up to twice that */
};

/* a = slot (core/spool/spool_delta.h). */
struct spool_list_same {
    struct spool_head head;
    uint64_t seq;
};

/* Array arguments. a = role (enum spool_list_role), b = bytes of one value, 4 or 8 (signed). */
enum spool_list_role {
    SPOOL_LIST_REQUESTS = 1, /* request ids (0: MPI_REQUEST_NULL), when waits and tests on several
                                requests and MPI_Startall enter */
    SPOOL_LIST_SEND_COUNTS,
    SPOOL_LIST_SEND_DISPLS,
    SPOOL_LIST_SEND_TYPES,
    SPOOL_LIST_RECV_COUNTS,
    SPOOL_LIST_RECV_DISPLS,
    SPOOL_LIST_RECV_TYPES,
    SPOOL_LIST_OTHER, /* any other array of integers, e.g. dims of Cart_create */
    SPOOL_LIST_TYPES  /* any other array of datatypes: DEF_TYPE ids */
};
struct spool_list {
    struct spool_head head;
    uint64_t seq;
    uint32_t argument; /* position among the call's arguments, from 0 */
    uint32_t total;    /* values in the whole array */
    uint32_t first;    /* index of the first value in this record: a long array takes several
                          records */
    uint32_t count;    /* values in this record */
    /* count values of b bytes, padded to 8 */
};

struct spool_done { /* b = error code of this completion; a = 1 if cancelled */
    struct spool_head head;
    uint64_t seq;
    uint32_t index;   /* place in the call's list of requests; 0 for single ones */
    uint32_t request; /* request id; 0 for blocking receives and probes */
    int32_t source;   /* EVENT_NONE: completion of a send or collective, which has no source */
    int32_t tag;
    uint64_t bytes; /* received */
};
_Static_assert(sizeof(struct spool_done) == 40, "");

struct spool_recv_half {
    struct spool_head head;
    uint64_t seq;
    int32_t peer;
    int32_t tag;
    uint32_t type;
    int32_t count;
};

enum { SPOOL_ARGS_REQUESTS = 1 << 15 };
struct spool_args { /* a = number of values, in the order of the names in the call's definition; b =
                       index of the first value: inputs and outputs are separate records;
                       + SPOOL_ARGS_REQUESTS: the values are ids of requests */
    struct spool_head head;
    uint64_t seq;
    /* a times int64_t */
};

struct spool_text { /* a = length in bytes, b = argument position; b = 65535: a note of the recorder
                       (seq 0) */
    struct spool_head head;
    uint64_t seq;
    /* a bytes, padded to 8 */
};
struct spool_misuse { /* a = enum misuse_kind, b = enum misuse_object (core/trace/misuse.h) */
    struct spool_head head;
    uint64_t seq;   /* the call that detected it */
    uint64_t other; /* seq of a second call that it concerns; 0: none */
    uint32_t site;  /* DEF_SITE id of the place at fault; 0: the call's own site */
    uint32_t name_bytes;
    int64_t value[MISUSE_VALUES];
    /* name_bytes bytes, padded to 8: MISUSE_NAMES names, each ended by a NUL; empty: no name */
};

/* Describes the memory of a call's buffer, at the first call with this memory. a = enum
 * spool_place, b = bits of enum spool_memory_flag. Addresses are those of the process. */
enum spool_place {
    SPOOL_PLACE_UNKNOWN,
    SPOOL_PLACE_STATIC, /* in a module, but not in its code */
    SPOOL_PLACE_STACK,  /* in the frame below */
    SPOOL_PLACE_HEAP,   /* in an allocated block */
    SPOOL_PLACE_FREED   /* in a freed block */
};
enum spool_memory_flag {
    SPOOL_MEMORY_RECEIVED = 1,  /* the call writes it; else the call reads it */
    SPOOL_MEMORY_SPAN = 2,      /* the elements may have gaps: only the span is known */
    SPOOL_MEMORY_PLACED = 4,    /* the program placed parts of the type at byte displacements */
    SPOOL_MEMORY_ARRAY = 8,     /* no data, but an array argument: counts, statuses */
    SPOOL_MEMORY_COMPARED = 16, /* the call compares elements: MPI_MAX, MPI_MIN */
    SPOOL_MEMORY_CUT = 32, /* no buffer: the word at `at` of the caller's frame is `count`, and the
                              argument is what an int holds of it; */
    SPOOL_MEMORY_SLOTS = 64, /* with ARRAY: calls of one site filled it, `count` bytes a call */
    SPOOL_MEMORY_HIGH = 128, /* with COMPARED: an element of 8 bytes has its highest bit set */
    SPOOL_MEMORY_NUMBER = 8  /* shift by this many bits: the argument's number, from 1 */
};
struct spool_memory {
    struct spool_head head;
    uint64_t seq;
    uint64_t at;                     /* value of the argument */
    uint64_t start, end;             /* the span that the call may access */
    uint64_t mapped_end;             /* end of the mapped memory; end: all of the span is mapped */
    uint64_t block_start, block_end; /* of the block, or of the frame's area between its callee's
                                        frame and its return address; 0: neither */
    int64_t count;
    uint32_t type;   /* DEF_TYPE id */
    uint32_t module; /* SPOOL_PLACE_STATIC: DEF_MODULE id; else 0 */
    uint64_t bias;   /* of the module */
    uint32_t site;   /* DEF_SITE id of the current code of the frame that holds the buffer, or of
                        the application's frame that makes the call; 0: none found */
    uint32_t frame_count; /* for buffers that are neither in a frame nor static */
    uint64_t sp, cfa, fp; /* of that frame: start of its callee's arguments, canonical frame
                             address, frame pointer register */
    uint32_t name_bytes, reserved;
    /* frame_count times struct spool_frame; then the argument's name, padded to 8 */
};

/* A word that holds a buffer's address. */
struct spool_slot {
    int32_t at;     /* relative to the frame's cfa, or to the module's bias */
    int32_t inside; /* SPOOL_SLOT_ITSELF; else the word at `at` holds the address of an object, in
                       which the word with the buffer's address lies at this offset */
    int32_t ahead;  /* bytes from the buffer's address to the one that the next word holds;
                       SPOOL_SLOT_LAST: that word holds none from there on, or is unknown */
};
enum { SPOOL_SLOT_ITSELF = -1, SPOOL_SLOT_LAST = -1, SPOOL_FRAME_SLOTS = 8, SPOOL_FRAMES_MAX = 5 };

/* A frame with such words, from the one that makes the call outwards; the last may be the program's
 * static memory. */
struct spool_frame {
    uint32_t site;   /* DEF_SITE id; 0: static memory */
    uint32_t module; /* of static memory: DEF_MODULE id; else 0 */
    uint32_t slot_count, reserved;
    uint64_t sp, cfa, fp; /* as above; of static memory only the module's bias, in cfa */
    struct spool_slot slot[SPOOL_FRAME_SLOTS];
};

enum { SPOOL_AT_POST = 0, SPOOL_AT_DONE = 1, SPOOL_AT_APPLIED = 2 };
enum { SPOOL_BUFFER_SEND = 0, SPOOL_BUFFER_RECV = 1 };
/* With SPOOL_AT_APPLIED, three records for each time that a collective called a user-defined
 * operation: its two inputs and its output. */
enum { SPOOL_BUFFER_IN = 0, SPOOL_BUFFER_INOUT = 1, SPOOL_BUFFER_OUT = 2 };
struct spool_digest { /* a = SPOOL_AT_*, b = SPOOL_BUFFER_* */
    struct spool_head head;
    uint64_t seq;    /* the event that owns the buffer: for a completion, the Isend or Irecv */
    uint64_t digest; /* XXH3 64 of the packed bytes that the type map touches */
    uint64_t bytes;
};
struct spool_payload { /* a, b as in struct spool_digest */
    struct spool_head head;
    uint64_t seq;
    uint64_t offset;
    uint32_t count;
    uint32_t reserved;
    /* count bytes, padded to 8 */
};

struct spool_stack { /* a = number of frames, innermost caller first; the first is the event's site
                      */
    struct spool_head head;
    uint64_t seq;
    /* a times uint32_t DEF_SITE ids, padded to 8 */
};

struct spool_def_call { /* a = call id, b = enum event_class */
    struct spool_head head;
    uint16_t mode;        /* enum event_mode */
    uint16_t name_bytes;  /* "MPI_Send" */
    uint16_t names_bytes; /* comma-separated names of the spool_args values; values that are DEF
                             ids: "name:comm", :group, :type, :op. Then the names of lists and
                             texts, with their positions among the arguments: "dims:@2" */
    uint16_t verb;        /* enum verb (core/trace/traits.h) */
    uint64_t traits;      /* one bit for each enum trait */
    /* name, names, padded to 8 */
};
enum spool_site_kind {
    SPOOL_SITE_CODE,   /* a return address */
    SPOOL_SITE_LINE,   /* a line of a source file */
    SPOOL_SITE_CALLERS /* the first of several frames that is outside of bindings
                          (program/binding.h); the last frame, if none is */
};
struct spool_def_site { /* a = bytes behind this struct, b = enum spool_site_kind */
    struct spool_head head;
    uint32_t id;
    uint32_t module;  /* DEF_MODULE id, also for a source file; 0: unknown */
    uint64_t address; /* code: relative to the module's load bias; line: its number; callers: 1 if
                         the first frame called a binding's library */
    /* Line: the name of its function. Callers: DEF_SITE ids (uint32_t), innermost first. Padded to
     * 8. */
};
struct spool_def_module { /* a = bytes of the path, b = bytes of the build id */
    struct spool_head head;
    uint32_t id;
    uint32_t reserved;
    uint64_t base; /* load bias */
    /* path, build id, padded to 8 */
};
struct spool_def_neighbors { /* neighbors of this rank in the topology of a communicator that was
                                defined before */
    struct spool_head head;
    uint32_t comm;         /* id */
    uint32_t gives, takes; /* edges that start here, and that end here: one neighbor each */
    uint32_t first;        /* as in spool_def_comm: destinations first, then sources */
    uint32_t count, reserved;
    /* count times int32_t world rank, padded to 8; -1: none, or of another job */
};
enum spool_comm_kind { SPOOL_COMM_INTRA, SPOOL_COMM_INTER };
struct spool_def_comm { /* a = enum spool_comm_kind, b = bytes of the name */
    struct spool_head head;
    uint64_t global; /* the same on all members and for no other communicator of the job */
    uint32_t id;     /* numbered by this rank; 1 is MPI_COMM_WORLD, 2 MPI_COMM_SELF */
    uint32_t parent; /* id of the communicator from which it was made; 0: none */
    int32_t rank;    /* of this process in it */
    uint32_t size;   /* local group */
    uint32_t remote_size;
    uint32_t first; /* index of the first member in this record: a long group takes several records,
                       with the name in the first */
    uint32_t count; /* members in this record; local group first, then the remote group */
    uint32_t topology; /* 0 none, 1 cartesian, 2 graph, 3 distributed graph */
    /* count times int32_t world rank, padded to 8; then the name, padded to 8 */
};
struct spool_def_group { /* members of a group, like those of a communicator */
    struct spool_head head;
    uint32_t id;
    uint32_t size;
    uint32_t first;
    uint32_t count;
    /* count times int32_t world rank, padded to 8 */
};
struct spool_def_type { /* a = combiner (enum event_combiner), b = bytes of the name */
    struct spool_head head;
    uint32_t id;
    uint32_t segment_count; /* of the type map below; UINT32_MAX: too long to keep, only the
                               signature hash is known */
    int64_t size;
    int64_t lb;
    int64_t extent;
    uint64_t signature; /* hash of the sequence of basic types (repetition-independent form, see
                           core/spool/signature.h) */
    /* segment_count times struct spool_segment; then the name, padded to 8 */
};
struct spool_segment { /* `count` consecutive elements of a basic type at a displacement */
    int64_t displacement;
    uint32_t basic; /* DEF_TYPE id of the basic type */
    uint32_t count;
};
struct spool_def_op { /* a = 1 if commutative, b = bytes of the name: "MPI_SUM", "user" */
    struct spool_head head;
    uint32_t id;
    uint32_t site; /* DEF_SITE id of the user-defined function, one byte behind its start, since
                      sites are return addresses; 0: none, or unknown */
    /* name, padded to 8 */
};
struct spool_def_win { /* also DEF_FILE: b = bytes of the name */
    struct spool_head head;
    uint64_t global; /* as in spool_def_comm */
    uint32_t id;
    uint32_t comm;       /* id of the communicator on which it was made */
    uint64_t base_bytes; /* windows: size exposed by this rank */
    /* name, padded to 8 */
};
struct spool_def_hint { /* a = enum matching_hint, b = 1 if given, 0 if withdrawn: info about a
                           communicator, valid from that call on */
    struct spool_head head;
    uint64_t seq; /* of the call */
    uint32_t comm;
    uint32_t reserved;
};
struct spool_lost {
    struct spool_head head;
    uint64_t count;
};
struct spool_repeat { /* t_enter of the event is that of the first call, t_leave that of the last */
    struct spool_head head;
    uint64_t seq;
    uint64_t calls; /* 2 or more */
};
/* Sums up the outstanding communication of all threads after all earlier records: one record per
 * item, between the first and the last part. Ids are those of definitions. See
 * core/history/dropped_summary.c. */
enum spool_base_part {
    SPOOL_BASE_BEGIN = 1, /* struct spool_base_begin */
    SPOOL_BASE_CHANNEL,   /* struct spool_base_channel */
    SPOOL_BASE_REQUEST,   /* struct spool_base_request */
    SPOOL_BASE_PAIRS,     /* struct spool_base_pairs */
    SPOOL_BASE_SPACE,     /* struct spool_base_space */
    SPOOL_BASE_EPOCH,     /* struct spool_base_epoch */
    SPOOL_BASE_LOCK,      /* struct spool_base_lock */
    SPOOL_BASE_BLOCKS,    /* struct spool_base_blocks */
    SPOOL_BASE_RECORD,    /* the record that follows the head describes a running call */
    SPOOL_BASE_END,       /* only the head */
    SPOOL_BASE_PARTS
};
struct spool_base_begin { /* b = 1: unknown or too large, and nothing follows */
    struct spool_head head;
    uint64_t events; /* number of earlier events */
};
struct spool_base_channel {
    struct spool_head head; /* b = bits: 1 mixed, 2 buffered */
    uint64_t global;
    int32_t source, dest, tag; /* world ranks */
    uint32_t lane;
    uint64_t sent, received;
};
enum spool_base_flag {
    SPOOL_BASE_PERSISTENT = 1,
    SPOOL_BASE_ACTIVE = 2,
    SPOOL_BASE_ARMED = 4,
    SPOOL_BASE_CANCELLED = 8,
    SPOOL_BASE_MATCHED = 16,
    SPOOL_BASE_INSIDE = 32
};
struct spool_base_request {
    struct spool_head head; /* b = bits of enum spool_base_flag */
    uint64_t id, made, begun, turn, t_enter, t_leave, bytes;
    int32_t comm, win, peer, tag;
    uint32_t own[3], pair;
    uint16_t kind, mode;
    uint32_t rounds;
};
struct spool_base_pairs {
    struct spool_head head;
    int32_t comm, peer, tag;
    uint32_t kind, count, reserved;
};
enum { SPOOL_BASE_RECENT = 16 };
struct spool_base_space {
    struct spool_head head; /* b = bits: 1 uneven, 2 mixed, 4 failed */
    uint32_t kind, id, lane, reserved;
    uint64_t entered;
    struct {
        int32_t root, bytes;
        int64_t carried;
        uint16_t call, needs_all;
        uint32_t reserved;
    } recent[SPOOL_BASE_RECENT];
};
struct spool_base_epoch {   /* of a window towards one rank */
    struct spool_head head; /* b = bits: 1 in its post, 2 in its start */
    uint32_t win;
    int32_t rank;
    uint32_t posted, started, completed, reserved;
};
struct spool_base_lock {
    struct spool_head head; /* b = 1: exclusive */
    uint64_t win;           /* global */
    int32_t target, op_target, sure_target;
    uint32_t reserved;
};
struct spool_base_blocks {  /* known facts about the sides of one of a space's recent collectives */
    struct spool_head head; /* b: index in recent + SPOOL_BASE_RECENT times the kind of fact */
    uint32_t kind, id;
    uint64_t side[2];
};
struct spool_clock { /* ticks and the host's CLOCK_REALTIME read together; a = 0 at start, 1 at end
                      */
    struct spool_head head;
    uint64_t ticks;
    uint64_t realtime_ns;
};

enum spool_state { /* in the header: how the rank itself says it ended */
                   SPOOL_STATE_RUNNING = 0,
                   SPOOL_STATE_FINALIZED,
                   SPOOL_STATE_EXITED,   /* atexit without MPI_Finalize; code: its status, -1
                                            unknown */
                   SPOOL_STATE_ABORTED,  /* in MPI_Abort; code: its error code */
                   SPOOL_STATE_SIGNALLED /* a fatal signal arrived; code: its number */
};

enum spool_layer {
    SPOOL_LAYER_OFF,
    SPOOL_LAYER_ON,    /* the inside of all collectives */
    SPOOL_LAYER_SAMPLE /* the inside of some collectives, the same ones on all ranks */
};

enum spool_flag {
    SPOOL_FLAG_LAST = 1, /* keeps only the newest records: records that leave the ring are dropped,
                            and there is no .spool file. `drained` is the start of the oldest record
                            left. Definitions go to a lane of their own without this flag */
    SPOOL_FLAG_FILTERED = 2, /* calls were left out on purpose, so messages cannot be counted */
    SPOOL_FLAG_UNSEEN = 4,   /* unobserved callbacks may run and make calls that are not recorded:
                                nothing is known while the job runs */
    SPOOL_FLAG_LEFT = 8, /* set only by the reader: the rank had to leave the ring (invariant 5),
                            so its later calls are not in its file */
    SPOOL_FLAG_GENERALIZED = 16, /* in one lane of the rank: the rank made generalized requests,
                                    which any of its threads may complete, at any thread level */
    SPOOL_FLAG_SEVERAL = 32,     /* the world has ranks on other machines */
    SPOOL_FLAG_HANDLERS = 128,   /* own_signals follows changes of signal handlers */
    SPOOL_FLAG_UNTURNED = 64 /* in one lane of the job: a rank waited in vain for its place in the
                                schedule, and the job continued without the schedule's order */
};

enum { SPOOL_END_TEXT_BYTES = 256 };
#define SPOOL_NOTE_LEFT "its file system has no room left"
/* How the rank ended, in the lane of the thread that ended it (core/trace/exit_cause.h describes
 * the fields). It is a part of the header and no record, because it may be written at any
 * instruction. */
struct spool_end {
    _Atomic uint64_t realtime_ns; /* time by CLOCK_REALTIME; 0: nothing is known. Written last */
    uint64_t ticks;
    uint32_t kind; /* enum exit_cause_kind */
    int32_t code;
    int32_t detail;
    uint8_t inside, has_address, has_detail;
    uint8_t elsewhere; /* 1: the thread has no lane */
    uint64_t seq;
    uint64_t address;
    uint64_t buffer_seq;
    uint64_t buffer[EXIT_CAUSE_BUFFERS];
    uint32_t frame_count;
    uint32_t frame[EXIT_CAUSE_FRAMES_MAX]; /* DEF_SITE ids */
    char text[SPOOL_END_TEXT_BYTES];
};

struct spool_poll { /* invariant 10 */
    struct spool_event event;
    _Atomic uint64_t calls;
};

struct spool_compared {   /* compares the CLOCK_REALTIME of two machines by a message and its
                             answer */
    int64_t ahead_ns;     /* this machine's clock minus the launcher's */
    uint64_t error_ns;    /* at most */
    uint64_t realtime_ns; /* time by this machine's clock; 0: not compared */
};

struct spool_header { /* the first page of NAME.ring */
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t ring_bytes;
    int32_t rank; /* in MPI_COMM_WORLD */
    int32_t world_size;
    uint32_t lane;
    int32_t pid;
    int32_t tid;
    int32_t thread_level; /* provided by MPI_Init_thread: 0 single .. 3 multiple */
    struct core_machine machine;
    char job[64];
    char library[128]; /* first line of MPI_Get_library_version */
    uint64_t tick_hz;  /* ticks a second; 1000000000 when the clock is clock_gettime */
    uint64_t start_ticks;
    uint64_t start_realtime_ns;
    uint32_t layer;          /* enum spool_layer */
    uint32_t flags;          /* enum spool_flag */
    uint32_t bsend_overhead; /* MPI_BSEND_OVERHEAD */
    uint32_t starter;        /* the same number for all processes of one mpirun, in any world; 0:
                                unknown */
    _Atomic uint64_t committed;
    _Atomic uint64_t drained;
    _Atomic uint64_t lost;    /* total of events that were not recorded */
    _Atomic uint64_t unread;  /* calls whose data the process cannot read */
    _Atomic uint64_t moved;   /* counts completed calls and successful tests: grows while the lane
                                 makes progress */
    _Atomic uint32_t state;   /* enum spool_state */
    _Atomic int32_t code;     /* exit status, code of MPI_Abort or signal; after MPI_Finalize: the
                                 signal that the rank dies of, or 0 */
    _Atomic uint32_t stopped; /* recording ended early: errno, or 1 */
    _Atomic uint32_t depth;   /* open calls */
    char note[256];           /* why recording ended early; valid once stopped is set */
    struct spool_event open[SPOOL_DEPTH_MAX];
    _Atomic uint64_t next_seq; /* lane 0 only: the rank's last sequence number */
    struct spool_poll poll[SPOOL_POLLS_MAX];
    _Atomic uint32_t poll_count;
    uint32_t poll_again; /* open[0], while it runs, equals poll[poll_again - 1] and has its list; 0:
                            no such poll */
    _Atomic uint64_t polled;   /* total of folded calls: grows while the lane polls */
    _Atomic uint32_t callback; /* depth at which a callback of the application runs, whose calls are
                                  deeper; 0: none */
    struct spool_end end;
    struct spool_compared compared[2]; /* the first and the last comparison; only in spools that a
                                          relay copied */
    int32_t own[SPOOL_OWN_MAX]; /* threads that the MPI library started in MPI_Init; 0 ends the
                                   list */
    uint64_t own_signals;   /* of the process, in its first lane; bit 1 << (signal - 1): the signal
                               had no handler before MPI_Init and one after it, and with
                               SPOOL_FLAG_HANDLERS no handler was installed since */
    _Atomic uint64_t local; /* counts completed calls that `moved` does not count, except tests and
                               probes that found nothing */
    char program[256];      /* command line, cut to fit: words, each with a 0 after it; an empty one
                               ends it */
};
_Static_assert(sizeof(struct spool_header) <= SPOOL_HEADER_BYTES, "the header is one page");

/* Tells whether the lane's thread is inside a call, and not in a callback of the application that
 * the call runs. */
static inline bool spool_is_inside(const struct spool_header *header)
{
    return header->depth && header->depth != header->callback;
}
/* Returns the index in `open` of the application's own call that the lane is in. Requires depth >
 * 0. */
static inline uint32_t spool_innermost(const struct spool_header *header)
{
    uint32_t at = header->depth - 1;

    while (at && header->open[at].parent)
        at--;
    return at;
}

#endif
