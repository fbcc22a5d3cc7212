/* The vocabulary of a trace: the properties of one recorded call, shared by the spool
 * (core/spool/spool.h), the store (store/store.h) and the readers of traces. No MPI here: numbers
 * have the same meaning for every MPI library.
 *
 * Units: times in nanoseconds since the job's start (trace) or in clock ticks (spool); sizes in
 * bytes; ranks of peers are ranks of the call's communicator, unless a name says world. */
#ifndef CORE_TRACE_EVENT_H
#define CORE_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/matching/matching.h"

/* Values of peer and tag that are no rank and no tag. The recorder translates the library's
 * values. */
enum {
    EVENT_ANY = MATCHING_ANY, /* MPI_ANY_SOURCE, MPI_ANY_TAG */
    EVENT_PROC_NULL = -2,     /* MPI_PROC_NULL */
    EVENT_ROOT = -3,          /* MPI_ROOT, on intercommunicators */
    EVENT_NONE = -32768       /* the call has no such argument */
};

/* Constants of MPI that programs pass to calls. The recorder translates the library's values
 * (interpose/objects/constants.c); those of Open MPI are the same. */
/* The id of a file's place (interpose/recorder.h, struct recorder_named) holds the machine in the
 * bits from here on. */
enum { EVENT_PLACE_MACHINE_SHIFT = 32 };
enum { EVENT_LOCK_EXCLUSIVE = 1, EVENT_LOCK_SHARED = 2 };
enum { EVENT_SEEK_SET = 600, EVENT_SEEK_CUR = 602, EVENT_SEEK_END = 604 };
enum { EVENT_THREAD_SINGLE, EVENT_THREAD_FUNNELED, EVENT_THREAD_SERIALIZED, EVENT_THREAD_MULTIPLE };
enum { /* assertions of one-sided epochs: bits */
       EVENT_ASSERT_NOCHECK = 1,
       EVENT_ASSERT_NOPRECEDE = 2,
       EVENT_ASSERT_NOPUT = 4,
       EVENT_ASSERT_NOSTORE = 8,
       EVENT_ASSERT_NOSUCCEED = 16
};
enum { /* how a file is opened: bits */
       EVENT_AMODE_CREATE = 1,
       EVENT_AMODE_RDONLY = 2,
       EVENT_AMODE_WRONLY = 4,
       EVENT_AMODE_RDWR = 8,
       EVENT_AMODE_DELETE_ON_CLOSE = 16,
       EVENT_AMODE_UNIQUE_OPEN = 32,
       EVENT_AMODE_EXCL = 64,
       EVENT_AMODE_APPEND = 128,
       EVENT_AMODE_SEQUENTIAL = 256
};

/* Error classes with which a call or a completion ended; 0 for MPI_SUCCESS. */
// clang-format off
#define EVENT_ERRORS(X)                                                                          \
    X(BUFFER, 1) X(COUNT, 2) X(TYPE, 3) X(TAG, 4) X(COMM, 5) X(RANK, 6) X(REQUEST, 7) X(ROOT, 8) \
    X(GROUP, 9) X(OP, 10) X(TOPOLOGY, 11) X(DIMS, 12) X(ARG, 13) X(UNKNOWN, 14) X(TRUNCATE, 15)  \
    X(OTHER, 16) X(INTERN, 17) X(IN_STATUS, 18) X(PENDING, 19) X(ACCESS, 20) X(AMODE, 21)        \
    X(ASSERT, 22) X(BAD_FILE, 23) X(BASE, 24) X(CONVERSION, 25) X(DISP, 26) X(DUP_DATAREP, 27)   \
    X(FILE_EXISTS, 28) X(FILE_IN_USE, 29) X(FILE, 30) X(INFO_KEY, 31) X(INFO_NOKEY, 32)          \
    X(INFO_VALUE, 33) X(INFO, 34) X(IO, 35) X(KEYVAL, 36) X(LOCKTYPE, 37) X(NAME, 38)            \
    X(NO_MEM, 39) X(NOT_SAME, 40) X(NO_SPACE, 41) X(NO_SUCH_FILE, 42) X(PORT, 43) X(QUOTA, 44)   \
    X(READ_ONLY, 45) X(RMA_CONFLICT, 46) X(RMA_SYNC, 47) X(SERVICE, 48) X(SIZE, 49) X(SPAWN, 50) \
    X(UNSUPPORTED_DATAREP, 51) X(UNSUPPORTED_OPERATION, 52) X(WIN, 53) X(RMA_RANGE, 68)          \
    X(RMA_ATTACH, 69) X(RMA_FLAVOR, 70) X(RMA_SHARED, 71)
/* The constructors of datatypes. */
#define EVENT_COMBINERS(X)                                                                       \
    X(NAMED, 0) X(DUP, 1) X(CONTIGUOUS, 2) X(VECTOR, 3) X(HVECTOR, 5) X(INDEXED, 6)              \
    X(HINDEXED, 8) X(INDEXED_BLOCK, 9) X(STRUCT, 11) X(SUBARRAY, 12) X(DARRAY, 13)               \
    X(F90_REAL, 14) X(F90_COMPLEX, 15) X(F90_INTEGER, 16) X(RESIZED, 17) X(HINDEXED_BLOCK, 18)
// clang-format on
#define X(name, number) EVENT_ERROR_##name = number,
enum event_error {
    EVENT_ERRORS(X) EVENT_ERROR_LEFT = 65534 /* none: an error handler of the program left the call,
                                                which did not return */
};
#undef X
/* Returns the standard's name, "MPI_ERR_COMM"; NULL for an error class that MPI does not define. */
const char *event_error_text(int32_t error);
#define X(name, number) EVENT_COMBINER_##name = number,
enum event_combiner { EVENT_COMBINERS(X) };
#undef X

/* Classes say what replay does with a call: the class column of the call table
 * (interpose/calls.table). The text forms are stored in the trace (table call), the numbers only in
 * the spool. */
#define EVENT_CLASSES(X)                                                                          \
    X(OTHER, "other") /* no effect on communication, or not understood */                         \
    X(INIT, "init")   /* MPI_Init, MPI_Init_thread */                                             \
    X(FINALIZE, "finalize")                                                                       \
    X(ABORT, "abort")                                                                             \
    X(SEND, "send") /* blocking; the mode is in the call's row */                                 \
    X(ISEND, "isend")                                                                             \
    X(SEND_INIT, "send_init")                                                                     \
    X(RECV, "recv")                                                                               \
    X(IRECV, "irecv")                                                                             \
    X(RECV_INIT, "recv_init")                                                                     \
    X(SENDRECV, "sendrecv") /* send side in the event, receive side in its other half */          \
    X(START, "start")       /* one request or a list */                                           \
    X(WAIT, "wait")                                                                               \
    X(WAITALL, "waitall")                                                                         \
    X(WAITANY, "waitany")                                                                         \
    X(WAITSOME, "waitsome")                                                                       \
    X(TEST, "test")                                                                               \
    X(TESTALL, "testall")                                                                         \
    X(TESTANY, "testany")                                                                         \
    X(TESTSOME, "testsome")                                                                       \
    X(REQUEST_STATUS,                                                                             \
      "request_status") /* MPI_Request_get_status: a test that keeps the request */               \
    X(PROBE, "probe")                                                                             \
    X(IPROBE, "iprobe")                                                                           \
    X(MPROBE, "mprobe") /* request = id of the message */                                         \
    X(IMPROBE, "improbe")                                                                         \
    X(MRECV, "mrecv")   /* request = id of the message it receives */                             \
    X(IMRECV, "imrecv") /* request = its own; arg "message" = id of the message */                \
    X(CANCEL, "cancel")                                                                           \
    X(REQUEST_FREE, "request_free")                                                               \
    X(BUFFER, "buffer") /* MPI_Buffer_attach and _detach; bytes = size */                         \
    X(COLL, "coll")     /* blocking collective on comm; peer = root; tag = op id */               \
    X(ICOLL, "icoll")                                                                             \
    X(COLL_INIT, "coll_init")                                                                     \
    X(COMM_CREATE, "comm_create")   /* collective over comm; makes the comm in `made` */          \
    X(COMM_ICREATE, "comm_icreate") /* MPI_Comm_idup */                                           \
    X(COMM_FREE, "comm_free")                                                                     \
    X(COMM, "comm") /* queries and local calls on communicators */                                \
    X(GROUP, "group")                                                                             \
    X(TOPO, "topo") /* local calls on topologies */                                               \
    X(TYPE, "type")                                                                               \
    X(TYPE_FREE, "type_free")                                                                     \
    X(OP, "op")                                                                                   \
    X(OP_FREE, "op_free")                                                                         \
    X(GROUP_FREE, "group_free")                                                                   \
    X(WIN_CREATE, "win_create") /* collective */                                                  \
    X(WIN_FREE, "win_free")     /* collective */                                                  \
    X(RMA, "rma")               /* put, get, accumulate...; peer = target; comm = the window's */ \
    X(RMA_FENCE, "rma_fence")   /* collective */                                                  \
    X(RMA_POST, "rma_post")                                                                       \
    X(RMA_START, "rma_start")                                                                     \
    X(RMA_COMPLETE, "rma_complete")                                                               \
    X(RMA_WAIT, "rma_wait")                                                                       \
    X(RMA_TEST, "rma_test")                                                                       \
    X(RMA_LOCK, "rma_lock")                                                                       \
    X(RMA_UNLOCK, "rma_unlock")                                                                   \
    X(RMA_FLUSH, "rma_flush")                                                                     \
    X(WIN, "win")                                                                                 \
    X(FILE, "file")                                                                               \
    X(FILE_COLL, "file_coll") /* collective over the file's communicator */                       \
    X(SPAWN, "spawn")         /* dynamic processes */                                             \
    X(TOOL, "tool")           /* MPI_T, MPI_Pcontrol, info, error handlers, attributes */         \
    X(ISENDRECV, "isendrecv") /* as SENDRECV, with one request for both sides */                  \
    X(READY, "ready") /* marks partitions of a send; count = partitions that are not marked yet */

enum event_class {
#define X(name, text) EVENT_CLASS_##name,
    EVENT_CLASSES(X)
#undef X
        EVENT_CLASS_COUNT
};

/* Return "send", "waitall"... (NULL if out of range), and the class of a text (EVENT_CLASS_COUNT if
 * unknown). */
const char *event_class_text(enum event_class class);
enum event_class event_class_find(const char *text);

/* Tells whether the MPI library refused a call that returned `error`, for its arguments or its
 * state. A refused call sent, received, started and entered nothing: it is no communication. A call
 * that failed later is not refused: it has a completion (a truncated message), it completes
 * requests of other calls, or the whole group entered it (files). */
bool event_refused(enum event_class class, int32_t error, uint32_t completions);

enum event_mode {
    EVENT_MODE_NONE,
    EVENT_MODE_STANDARD,
    EVENT_MODE_BUFFERED,
    EVENT_MODE_SYNCHRONOUS,
    EVENT_MODE_READY
};

/* How a rank ended (table rank, column state; text forms by event_rank_state_text). */
enum event_rank_state {
    EVENT_RANK_MISSING,  /* no spool */
    EVENT_RANK_RUNNING,  /* the spool has no end: how the rank ended is unknown */
    EVENT_RANK_FINISHED, /* MPI_Finalize returned */
    EVENT_RANK_EXITED,   /* exit without MPI_Finalize */
    EVENT_RANK_ABORTED,  /* it called MPI_Abort */
    EVENT_RANK_CRASHED,  /* died of its own signal: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT */
    EVENT_RANK_KILLED,   /* died of SIGKILL or of a signal from outside, or vanished during the
                            run */
    EVENT_RANK_ENDED,    /* ended by the launcher (mpirun or crosswait) because of another rank */
    EVENT_RANK_STATE_COUNT
};
const char *event_rank_state_text(enum event_rank_state state);
enum event_rank_state event_rank_state_find(const char *text);

#endif
