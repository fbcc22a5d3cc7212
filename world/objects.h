/* The objects behind mpi.h's opaque handles: datatypes, operations, groups, error handlers, info,
 * communicators, messages, requests. The sizes and offsets that programs of Open MPI were linked
 * with are asserted here. world/state.h has the invariants of handles. */
#ifndef WORLD_OBJECTS_H
#define WORLD_OBJECTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/world.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* 1: the ranks are processes, and these files are compiled for the library that is preloaded into
 * them (ranks/). The variables marked WORLD_SHARED and the memory of the arena are then shared:
 * every rank maps them at the same address. */
#ifndef WORLD_PROCESSES
#define WORLD_PROCESSES 0
#endif
#if WORLD_PROCESSES
#define WORLD_SHARED __attribute__((section("world_shared")))
#else
#define WORLD_SHARED
#endif

enum world_handle_kind {
    HANDLE_COMM = 1,
    HANDLE_GROUP,
    HANDLE_TYPE,
    HANDLE_OP,
    HANDLE_ERRHANDLER,
    HANDLE_INFO,
    HANDLE_REQUEST,
    HANDLE_MESSAGE,
    HANDLE_WIN,
    HANDLE_FILE,
    HANDLE_SESSION,
    HANDLE_KIND_COUNT
};

enum { HANDLE_MAGIC = 0x43570000, HANDLE_DEAD = 0x44440000 };
_Static_assert((HANDLE_MAGIC & 0xffff) == 0 && (HANDLE_DEAD & 0xffff) == 0 &&
                   HANDLE_KIND_COUNT <= 0xffff,
               "the low half of a magic number is the kind");

/* The size of Open MPI's predefined objects is part of programs that were linked with it, as a copy
 * of each object may be in the program. */
#define PREDEFINED(bytes) __attribute__((aligned(bytes)))

struct world_handle {
    uint32_t magic; /* HANDLE_MAGIC or HANDLE_DEAD, plus kind */
    int32_t references;
    struct world_handle *next; /* handles of the same rank */
    const char *made_by;       /* the call that made it */
#ifdef WORLD_SHIM
    MPI_Fint number; /* for the program (shims/); 0: none yet, or MPICH's file */
#endif
};

/* --- datatypes -------------------------------------------------------------------------------- */

enum world_basic {
    BASIC_NONE,
    BASIC_BYTE,
    BASIC_PACKED,
    BASIC_CHAR,
    BASIC_WCHAR,
    BASIC_BOOL,
    BASIC_I8,
    BASIC_I16,
    BASIC_I32,
    BASIC_I64,
    BASIC_U8,
    BASIC_U16,
    BASIC_U32,
    BASIC_U64,
    BASIC_F32,
    BASIC_F64,
    BASIC_F80,
    BASIC_C32,
    BASIC_C64,
    BASIC_C80,
    BASIC_F16,
    BASIC_I128,
    BASIC_COUNT
};

_Static_assert(BASIC_COUNT <= UINT8_MAX, "a byte of a datatype holds one");

struct world_run { /* count basics next to each other, from disp */
    ptrdiff_t disp;
    size_t count;
    uint32_t basic;
    uint32_t size; /* of one basic */
};

struct world_envelope {
    int combiner;
    int integer_count, address_count, type_count;
    int *integer;
    MPI_Aint *address;
    MPI_Datatype *type;
    MPI_Count count; /* of MPI_Type_contiguous */
    bool wide;       /* a large-count form made the type */
};

struct ompi_datatype_t {
    struct world_handle handle;
    bool predefined, committed, dense; /* dense: element i is size bytes at i*size */
    bool uniform;                      /* all runs are of one basic type */
    bool lb_given, ub_given;           /* set by a resize, which overrides the bounds of the data */
    uint16_t align;
    uint8_t pair; /* MINLOC and MAXLOC types: enum world_basic of the value */
    size_t size;
    ptrdiff_t lb, ub, true_lb, true_ub;
    struct world_run *run;
    size_t run_count;
    size_t basic_count;    /* in one element */
    MPI_Datatype large_of; /* it stands for large_count elements of this one; or NULL */
    size_t large_count;
    struct world_envelope *envelope;
    const char *name;
    struct world_attribute *attribute;
};
struct PREDEFINED(512) ompi_predefined_datatype_t {
    struct ompi_datatype_t type;
};

static inline ptrdiff_t type_extent(const struct ompi_datatype_t *type)
{
    return type->ub - type->lb;
}

/* Copy to and from packed bytes, at most `room` of them. Return the number of bytes moved. */
size_t world_type_pack(void *packed, size_t room, const void *buffer, size_t count,
                       MPI_Datatype type);
size_t world_type_unpack(void *buffer, size_t count, MPI_Datatype type, const void *packed,
                         size_t bytes);
/* Copies from one typed buffer to another: at most what fits both. */
size_t world_type_copy(void *to, size_t to_count, MPI_Datatype to_type, const void *from,
                       size_t from_count, MPI_Datatype from_type);
uint64_t world_type_checksum(const void *buffer, size_t count, MPI_Datatype type);
/* Returns how many basic elements `bytes` of packed data hold; -1 if the last one is incomplete. */
ptrdiff_t world_type_elements(MPI_Datatype type, size_t bytes);
/* The worst difference between the basics that the first bytes of both types describe. */
enum world_types {
    WORLD_TYPES_ALIKE,
    WORLD_TYPES_NAMED, /* integers of one size */
    WORLD_TYPES_DIFFER
};
enum world_types world_type_compare(MPI_Datatype a, MPI_Datatype b, size_t bytes);
int world_type_check(MPI_Datatype type, bool committed);
/* Returns where count elements begin and end, relative to the buffer's address. */
void world_type_reach(MPI_Datatype type, size_t count, ptrdiff_t *out_low, ptrdiff_t *out_high);
MPI_Datatype world_type_again(MPI_Datatype type); /* another handle, which the caller frees */
/* datatype.c, for constructors in other files: a new type is opened, filled and closed. */
MPI_Datatype world_type_open(void);
int world_type_contiguous(MPI_Count count, MPI_Datatype old, MPI_Datatype *out_type);
void world_type_append(MPI_Datatype type, ptrdiff_t at, size_t count, MPI_Datatype old);
void world_type_close(MPI_Datatype type);
struct world_envelope *world_type_envelope(MPI_Datatype type, int combiner, int integers,
                                           int addresses, int types);

/* --- operations, groups, error handlers, info ------------------------------------------------- */

struct ompi_op_t {
    struct world_handle handle;
    MPI_User_function *function; /* NULL: predefined */
    bool fortran;                /* it is called with the number of the type */
    bool wide;                   /* it takes the count as an MPI_Count */
    uint8_t builtin;
    bool commutative;
};
struct PREDEFINED(2048) ompi_predefined_op_t {
    struct ompi_op_t op;
};
/* Computes b = a op b, element by element. */
int world_op_apply(MPI_Op op, const void *a, void *b, int count, MPI_Datatype type);
int world_op_check(MPI_Op op, MPI_Datatype type);
const char *world_op_name(MPI_Op op); /* "MPI_SUM"; NULL: the program made it */

struct ompi_group_t {
    struct world_handle handle;
    MPI_Fint fortran; /* its number in Fortran, which Open MPI's Fortran library reads here */
    int size;
    const int *member; /* world ranks */
};
struct PREDEFINED(256) ompi_predefined_group_t {
    struct ompi_group_t group;
};

struct ompi_errhandler_t {
    struct world_handle handle;
    uint8_t kind;                                   /* 0 fatal, 1 return, 2 function */
    void (*function)(void *object, int *code, ...); /* of a communicator, a window or a file */
    MPI_Fint (*number)(void *object);               /* for a function in Fortran: its argument */
};
struct PREDEFINED(1024) ompi_predefined_errhandler_t {
    struct ompi_errhandler_t errhandler;
};

struct world_info_entry {
    struct world_info_entry *next;
    char *key, *value;
};
struct ompi_info_t {
    struct world_handle handle;
    struct world_info_entry *first;
};
struct PREDEFINED(256) ompi_predefined_info_t {
    struct ompi_info_t info;
};

struct ompi_instance_t { /* a session */
    struct world_handle handle;
    MPI_Errhandler errhandler;
    int level; /* MPI_THREAD_... */
};

/* --- communicators ---------------------------------------------------------------------------- */

struct world_topology {
    int kind; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    int dimension_count;
    int *dims, *periods, *coords;
    int *index, *edges;      /* graph */
    int in_count, out_count; /* distributed graph */
    int *in, *out, *in_weight, *out_weight;
};

struct world_attribute {
    struct world_attribute *next;
    int keyval;
    void *value;
};

struct ompi_communicator_t {
    struct world_handle handle;
    uint32_t context; /* even; +1 for collectives */
    int rank, size;
    const int *member; /* world ranks */
    int remote_size;   /* 0: not an intercommunicator */
    const int *remote;
    uint32_t meeting_count;    /* collective calls so far: the same on every member */
    uint32_t collective_count; /* for the tags of built-in collectives */
    MPI_Errhandler errhandler;
    struct world_topology *topology;
    struct world_attribute *attribute;
    const char *name;
    struct world_info_entry *info;
    bool overtaking;                 /* by its info, messages may overtake each other */
    struct world_overtaking *met[2]; /* the sends and receives on it (explore_report.c) */
    struct world_part **turns;       /* of the rank's threads; NULL: none so far */
    uint32_t object;                 /* names it in turns (replay/policy/policy.h) */
    const char *freed; /* what a thread frees with it (explore_threads.c); NULL: not yet */
    const struct world_fiber *freed_by;
};
struct PREDEFINED(512) ompi_predefined_communicator_t {
    struct ompi_communicator_t comm;
};

/* --- messages and requests -------------------------------------------------------------------- */

enum { MESSAGE_SMALL = 64 };

struct world_delayed { /* a pending message, or a fiber that sleeps */
    struct world_delayed *next;
    uint64_t due;            /* the tick */
    struct world_rank *dest; /* of a message; NULL for a fiber */
};
struct world_delayed_list {
    struct world_delayed *first, **end;
};
enum { WORLD_DELAY_LEVELS = 63 }; /* bits that a tick has at most */

struct world_message { /* sent, not yet received */
    struct world_message *next;
    uint32_t context;
    int32_t source; /* in the communicator */
    int32_t tag;
    int32_t world; /* the sender's world rank */
    size_t bytes;
    const struct world_causes *causes; /* order=explore: decisions that it depends on */
    struct ompi_request_t *send;       /* waits for the match; NULL: buffered */
    uint32_t number;                   /* of the send: R.#N of a policy; else 0 */
    int32_t id;                        /* of the request that sent it */
    uint32_t place;                    /* number of the message in the world */
    uint8_t *packed;   /* the data; NULL: still in the sender's buffer, but never for processes */
    MPI_Datatype type; /* of the sender, for signatures; may be NULL */
    uint64_t start[2];
    const char *call;
    size_t room;       /* bytes in its sender's attached buffer; 0: it uses none */
    uint32_t attached; /* number of that buffer */
    bool stays;        /* it leaves that buffer only when its receive takes it */
    bool trusts;       /* a ready send, for which some receive was posted */
    struct world_delayed delayed;
    uint8_t small[MESSAGE_SMALL];
};

struct ompi_message_t {
    struct world_handle handle;
    struct world_message *message;
    MPI_Comm comm;
};
struct PREDEFINED(256) ompi_predefined_message_t {
    struct ompi_message_t message;
};

enum world_request_kind {
    REQUEST_NONE,
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_COLL,
    REQUEST_GENERAL,
    REQUEST_EPOCH,   /* no handle: the end of an exposure epoch */
    REQUEST_DEFERRED /* complete from the start; see world_deferred */
};
_Static_assert(REQUEST_SEND < REQUEST_COLL && REQUEST_RECV < REQUEST_COLL,
               "what exchanges a message comes first");

struct world_deferred { /* work that is done when it is waited for; first member of the data that
                           the request's maker keeps */
    void (*finish)(struct ompi_request_t *request, struct world_deferred *self);
};
enum world_mode { MODE_STANDARD, MODE_BUFFERED, MODE_SYNCHRONOUS, MODE_READY };

struct world_helped {             /* what a fiber of its own completes */
    const char *waits;            /* what it waits for, if that is no collective; or NULL */
    struct world_coll *coll;      /* a collective */
    struct ompi_request_t **part; /* requests that it consists of; NULL: none */
    int part_count;
    struct world_partitions *partitions; /* a partitioned send or receive */
};

struct ompi_request_t {
    struct world_handle handle;
    uint8_t kind, mode;
    bool persistent, active, complete, freed, cancelled, checked;
    struct world_rank *owner;
    struct ompi_request_t *next; /* in a queue of posted receives */
    struct world_fiber *waiter;
    void *buffer;
    size_t count;
    MPI_Datatype type;
    MPI_Comm comm;
    uint32_t context;
    int32_t peer, tag;
    int32_t id;
    MPI_Fint
        fortran; /* its number in Fortran, if any, which Open MPI's Fortran library reads here */
    uint32_t number; /* of a standard send or a receive of the application (policy.h: R.#N), or 0 */
    int error;
    uint8_t *late; /* data that arrived and is copied at completion; never NULL if deferred */
    size_t late_bytes;
    MPI_Status status;
    uint64_t checksum;
    uint64_t post[2], done[2];
    uint32_t posted_at; /* of a receive: messages that were sent before it was posted */
    /* order=explore: number of its posting among all, and among its rank's; causes of its posting
     * and of its completion; the decision about a wildcard; whether a poll for it failed */
    uint32_t serial, order;
    uint32_t asked_at; /* position in the array that a call asked for last */
    const struct world_causes *causes, *done_causes;
    struct world_decider *decider;
    bool polled;
    bool cancelling, refuses;       /* its answer is being decided; it will get no message */
    int32_t got_world;              /* sender of its message */
    uint32_t got_place, got_before; /* got_before: decisions made before it got the message */
    bool certain;                   /* its rank knows that its message is there */
    bool settled;                   /* a send: whether it has a buffer was decided separately */
    bool seen;       /* a call told the program that it is complete, without completing it */
    uint32_t listed; /* number of the latest list of requests that named it */
    bool masked;     /* a hash of its rank's memory omitted its buffer (ranks/states.c) */
    struct world_general *general;
    struct world_helped *helped; /* of REQUEST_COLL */
    struct world_deferred *deferred;
    struct world_fiber *completing; /* the thread whose call completes it */
};
struct PREDEFINED(256) ompi_predefined_request_t { /* only its address counts */
    struct {
        struct world_handle handle;
    } request;
};

#ifndef WORLD_SHIM
_Static_assert(offsetof(struct ompi_request_t, fortran) == 0x68, "where Open MPI has it");
_Static_assert(offsetof(struct ompi_group_t, fortran) == 0x18, "where Open MPI has it");
#endif
/* Each is an object of the program, too, which was linked with Open MPI. */
_Static_assert(sizeof(struct ompi_predefined_datatype_t) == 512, "as large as Open MPI's");
_Static_assert(sizeof(struct ompi_predefined_op_t) == 2048, "as large as Open MPI's");
_Static_assert(sizeof(struct ompi_predefined_group_t) == 256, "as large as Open MPI's");
_Static_assert(sizeof(struct ompi_predefined_errhandler_t) == 1024, "as large as Open MPI's");
_Static_assert(sizeof(struct ompi_predefined_info_t) == 256, "as large as Open MPI's");
_Static_assert(sizeof(struct ompi_predefined_communicator_t) == 512, "as large as Open MPI's");
_Static_assert(sizeof(struct ompi_predefined_message_t) == 256, "as large as Open MPI's");
_Static_assert(sizeof(struct ompi_predefined_request_t) == 256, "as large as Open MPI's");

#endif
