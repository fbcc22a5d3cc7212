/* Records misuse of MPI that a rank detected at its own call. The record goes from
 * interpose/misuse/ through the spool (SPOOL_MISUSE) and the trace (table misuse) to the checkers;
 * checkers/wording.h words each kind. */
#ifndef CORE_TRACE_MISUSE_H
#define CORE_TRACE_MISUSE_H

#include <stdint.h>

/* X(kind, text, rule): the trace holds the text. checkers/wording.c shows what the values and names
 * of each kind mean: names are those of arguments, operations and datatypes. */
#define MISUSE_KINDS(X)                                                                          \
    X(HANDLE_POINTER, "handle-null-pointer", ARGUMENT)                                           \
    X(HANDLE_NULL, "handle-null", ARGUMENT)                                                      \
    X(HANDLE_FREED, "handle-freed", ARGUMENT)                                                    \
    X(HANDLE_UNKNOWN, "handle-unknown", ARGUMENT)                                                \
    /* argument name 0 is the object (name 2) that name 1 should be; value 1: and name 1 is the  \
       number value 0 that name 0 should be; values 2, 3: the numbers of name 1 and name 0 */    \
    X(SWAPPED, "swapped", ARGUMENT)                                                              \
    X(HANDLE_PREDEFINED, "handle-predefined", ARGUMENT)                                          \
    X(OF_OTHERS, "of-others", ARGUMENT)                                                          \
    X(COMM_INCOMPLETE, "comm-incomplete", ARGUMENT)                                              \
    X(KEYVAL_PREDEFINED, "keyval-predefined", ARGUMENT)                                          \
    X(TYPE_UNCOMMITTED, "type-uncommitted", ARGUMENT)                                            \
    X(TYPE_OVERLAPS, "type-overlaps", ARGUMENT)                                                  \
    X(TARGET_OVERLAPS, "target-overlaps", ARGUMENT)                                              \
    X(PEER_RANGE, "peer-range", ARGUMENT)                                                        \
    X(PEER_ANY, "peer-any", ARGUMENT)                                                            \
    X(TARGET_RANGE, "target-range", ARGUMENT)                                                    \
    X(TAG_NEGATIVE, "tag-negative", ARGUMENT)                                                    \
    X(LEAST, "least", ARGUMENT)                                                                  \
    X(CUT, "cut", ARGUMENT) /* value 0 of a variable that has value 1 */                         \
    X(NEGATIVE, "negative", ARGUMENT)                                                            \
    X(NEGATIVE_ENTRY, "negative-entry", ARGUMENT)                                                \
    X(NULL_POINTER, "null-pointer", ARGUMENT)                                                    \
    X(OP_DERIVED, "op-derived", ARGUMENT)                                                        \
    X(OP_TYPE, "op-type", ARGUMENT)                                                              \
    X(OP_CUSTOM, "op-custom", ARGUMENT_CUSTOM)                                                   \
    X(OP_ONE_SIDED, "op-one-sided", ARGUMENT)                                                    \
    X(OP_FETCHES, "op-fetches", ARGUMENT)                                                        \
    X(OP_USER, "op-user", ARGUMENT)                                                              \
    X(OP_MIXED, "op-mixed", ARGUMENT)                                                            \
    X(SWAP_TYPE, "swap-type", ARGUMENT)                                                          \
    X(SWAP_DERIVED, "swap-derived", ARGUMENT)                                                    \
    X(DIMS_ENTRY, "dims-entry", ARGUMENT)                                                        \
    X(DIMS_PRODUCT, "dims-product", ARGUMENT)                                                    \
    X(DIMS_DIVIDE, "dims-divide", ARGUMENT)                                                      \
    X(TEXT_LONG, "text-long", ARGUMENT)                                                          \
    X(SUBARRAY, "subarray", ARGUMENT)                                                            \
    X(DARRAY_RANK, "darray-rank", ARGUMENT)                                                      \
    X(DARRAY_GRID, "darray-grid", ARGUMENT)                                                      \
    X(CONTENTS_BASIC, "contents-basic", ARGUMENT)                                                \
    X(GROUP_RANGE, "group-range", ARGUMENT)                                                      \
    X(NO_SUBGROUP, "no-subgroup", ARGUMENT)                                                      \
    X(EDGE_RANGE, "edge-range", ARGUMENT)                                                        \
    X(INDEX_FALLS, "index-falls", ARGUMENT)                                                      \
    X(RANK_TWICE, "rank-twice", ARGUMENT)                                                        \
    X(RANGE_OUTSIDE, "range-outside", ARGUMENT)                                                  \
    X(RANGE_STRIDE, "range-stride", ARGUMENT)                                                    \
    X(NO_INTER, "no-inter", ARGUMENT)                                                            \
    X(NO_INTRA, "no-intra", ARGUMENT)                                                            \
    X(DATAREP, "datarep", ARGUMENT)                                                              \
    X(NO_CART, "no-cart", ARGUMENT)                                                              \
    X(NO_GRAPH, "no-graph", ARGUMENT)                                                            \
    X(NO_DIST_GRAPH, "no-dist-graph", ARGUMENT)                                                  \
    X(NO_TOPOLOGY, "no-topology", ARGUMENT)                                                      \
    X(CART_COORDINATE, "cart-coordinate", ARGUMENT)                                              \
    X(CART_DIMENSION, "cart-dimension", ARGUMENT)                                                \
    X(CART_RANK, "cart-rank", ARGUMENT)                                                          \
    X(NONE_OF, "none-of", ARGUMENT)                                                              \
    X(ASSERTION, "assertion", ARGUMENT)                                                          \
    X(NO_DYNAMIC, "no-dynamic", ARGUMENT)                                                        \
    X(NO_SHARED, "no-shared", ARGUMENT)                                                          \
    X(PROMISED, "promised", ARGUMENT)                                                            \
    X(INEXACT, "inexact", ARGUMENT)                                                              \
    X(AMODE_ACCESS, "amode-access", ARGUMENT)                                                    \
    X(AMODE_CREATE, "amode-create", ARGUMENT)                                                    \
    X(AMODE_SEQUENTIAL, "amode-sequential", ARGUMENT)                                            \
    X(KEYVAL_FREED, "keyval-freed", ARGUMENT)                                                    \
    X(KEYVAL_UNKNOWN, "keyval-unknown", ARGUMENT)                                                \
    X(NOTHING_ATTACHED, "nothing-attached", ARGUMENT)                                            \
    X(ATTACHED_ALREADY, "attached-already", ARGUMENT)                                            \
    X(WINDOW_NO_MEMORY, "window-no-memory", ARGUMENT)                                            \
    X(REGION_TWICE, "region-twice", ARGUMENT)                                                    \
    X(REGION_UNKNOWN, "region-unknown", ARGUMENT)                                                \
    X(WINDOW_UNMAPPED, "window-unmapped", BUFFER)                                                \
    X(REGION_UNMAPPED, "region-unmapped", BUFFER)                                                \
    X(WINDOW_FREED, "window-freed", BUFFER)                                                      \
    X(REGION_FREED, "region-freed", BUFFER)                                                      \
    X(ATTACHED_FREED, "attached-freed", BUFFER)                                                  \
    X(ATTACHED_UNMAPPED, "attached-unmapped", BUFFER)                                            \
    X(ATTACHED_RETURNED, "attached-returned", BUFFER)                                            \
    X(WINDOW_RETURNED, "window-returned", BUFFER)                                                \
    X(REGION_RETURNED, "region-returned", BUFFER)                                                \
    X(ATTACHED_SMALL, "attached-small", ARGUMENT)                                                \
    X(PACK_PAST_END, "pack-past-end", ARGUMENT)                                                  \
    X(UNPACK_PAST_END, "unpack-past-end", ARGUMENT)                                              \
    X(NO_MESSAGE, "no-message", ARGUMENT)                                                        \
    X(IN_PLACE, "in-place", ARGUMENT)                                                            \
    X(NULL_SENT, "null-sent", ARGUMENT)                                                          \
    X(NULL_RECEIVED, "null-received", ARGUMENT)                                                  \
    X(ADDRESS_SENT, "address-sent", ARGUMENT)                                                    \
    X(ADDRESS_RECEIVED, "address-received", ARGUMENT)                                            \
    X(PARTS_OVERLAP, "parts-overlap", ARGUMENT)                                                  \
    X(BUFFERS_OVERLAP, "buffers-overlap", ARGUMENT)                                              \
    X(SPLIT_OTHER, "split-other", ARGUMENT)                                                      \
    X(BUFFER_OVERLAPS, "buffer-overlaps", BUFFER)                                                \
    X(BUFFER_BOTH_WRITTEN, "buffer-both-written", BUFFER)                                        \
    X(SEND_WRITTEN, "send-written", BUFFER)                                                      \
    X(SEND_UNMAPPED, "send-unmapped", BUFFER)                                                    \
    X(SEND_FREED, "send-freed", BUFFER)                                                          \
    X(SEND_RETURNED, "send-returned", BUFFER)                                                    \
    X(RECEIVE_WRITTEN, "receive-written", BUFFER)                                                \
    X(RECEIVE_UNMAPPED, "receive-unmapped", BUFFER)                                              \
    X(RECEIVE_FREED, "receive-freed", BUFFER)                                                    \
    X(RECEIVE_RETURNED, "receive-returned", BUFFER)                                              \
    X(ARRAY_WRITTEN, "array-written", BUFFER)                                                    \
    X(ARRAY_UNMAPPED, "array-unmapped", BUFFER)                                                  \
    X(ARRAY_FREED, "array-freed", BUFFER)                                                        \
    X(ARRAY_RETURNED, "array-returned", BUFFER)                                                  \
    X(RECEIVE_ACCESSED, "receive-accessed", LOAD)                                                \
    X(SEND_PAST_END, "send-past-end", MEMORY)                                                    \
    X(RECEIVE_PAST_END, "receive-past-end", MEMORY)                                              \
    X(SEND_FREED_MEMORY, "send-freed-memory", MEMORY)                                            \
    X(RECEIVE_FREED_MEMORY, "receive-freed-memory", MEMORY)                                      \
    X(READ_ARRAY_SHORT, "read-array-short", MEMORY)                                              \
    X(WRITE_ARRAY_SHORT, "write-array-short", MEMORY)                                            \
    /* element value 1 of an array with room for value 2 bytes */                                \
    X(STORED_BEHIND, "stored-behind", MEMORY)                                                    \
    X(READ_ARRAY_FREED, "read-array-freed", MEMORY)                                              \
    X(WRITE_ARRAY_FREED, "write-array-freed", MEMORY)                                            \
    X(SEND_POISONED, "send-poisoned", BUFFER)                                                    \
    X(RECEIVE_POISONED, "receive-poisoned", BUFFER)                                              \
    X(SEND_UNINITIALIZED, "send-uninitialized", UNINITIALIZED)                                   \
    X(SEND_BYTES_UNINITIALIZED, "send-bytes-uninitialized", UNINITIALIZED_BYTES)                 \
    X(SEND_TYPE, "send-type", TYPE)                                                              \
    X(RECEIVE_TYPE, "receive-type", TYPE)                                                        \
    X(SEND_NO_MEMBER, "send-no-member", TYPE)                                                    \
    X(RECEIVE_NO_MEMBER, "receive-no-member", TYPE)                                              \
    X(SEND_POINTER, "send-pointer", TYPE)                                                        \
    X(RECEIVE_POINTER, "receive-pointer", TYPE)                                                  \
    X(SEND_CHARACTERS, "send-characters", TYPE_LOOSE)                                            \
    X(RECEIVE_CHARACTERS, "receive-characters", TYPE_LOOSE)                                      \
    X(SEND_TEXT, "send-text", TYPE_LOOSE) /* larger elements, from a string */                   \
    X(RECEIVE_TEXT, "receive-text", TYPE_LOOSE)                                                  \
    /* an extent of value 2 in a row of structures of value 4 bytes */                           \
    X(SEND_EXTENT, "send-extent", TYPE)                                                          \
    X(RECEIVE_EXTENT, "receive-extent", TYPE)                                                    \
    X(SEND_OWNER, "send-owner", TYPE)                                                            \
    X(RECEIVE_OWNER, "receive-owner", TYPE)                                                      \
    X(SEND_ADDRESS, "send-address", TYPE_LOOSE) /* in the member name 2 of a structure */        \
    X(RECEIVE_ADDRESS, "receive-address", TYPE_LOOSE)                                            \
    X(SEND_UNFILLED, "send-unfilled", TYPE) /* value 2 bytes of elements in the vector */        \
    X(RECEIVE_UNFILLED, "receive-unfilled", TYPE)                                                \
    X(SEND_BEFORE, "send-before", MEMORY) /* value 4 bytes before it */                          \
    X(RECEIVE_BEFORE, "receive-before", MEMORY)                                                  \
    /* block value 0 lies value 1 elements on: value 2 bytes before, or value 3 behind memory of \
       value 4 bytes */                                                                          \
    X(SEND_DISPLACED, "send-displaced", MEMORY)                                                  \
    X(RECEIVE_DISPLACED, "receive-displaced", MEMORY)                                            \
    X(DISPLACED_TWICE, "displaced-twice", MEMORY)                                                \
    X(DISPLACED_ASTRAY, "displaced-astray", MEMORY) /* value 0 bytes from the buffer on */       \
    X(START_NULL, "start-null", REQUEST)                                                         \
    X(START_UNKNOWN, "start-unknown", REQUEST)                                                   \
    X(START_ONCE, "start-not-persistent", REQUEST)                                               \
    X(START_ACTIVE, "start-active", REQUEST)                                                     \
    X(MARK_UNKNOWN, "mark-unknown", REQUEST)                                                     \
    X(MARK_UNSTARTED, "mark-unstarted", REQUEST)                                                 \
    X(MARKED_TWICE, "marked-twice", REQUEST)                                                     \
    X(PARTITION_LEFT, "partition-left", REQUEST)                                                 \
    X(PARTITION_RANGE, "partition-range", ARGUMENT)                                              \
    X(ASKED_UNKNOWN, "asked-unknown", REQUEST)                                                   \
    X(WAIT_UNKNOWN, "wait-unknown", REQUEST)                                                     \
    X(WAITED_TWICE, "waited-twice", REQUEST)                                                     \
    X(OVERWRITTEN, "overwritten", REQUEST)                                                       \
    X(COMPLETE_NULL, "complete-null", REQUEST)                                                   \
    X(NOT_GENERALIZED, "not-generalized", REQUEST)                                               \
    X(CANCEL_NULL, "cancel-null", REQUEST)                                                       \
    X(CANCEL_OTHER, "cancel-other", REQUEST)                                                     \
    X(FREE_NULL, "free-null", REQUEST)                                                           \
    X(FREE_UNKNOWN, "free-unknown", REQUEST)                                                     \
    X(FREE_COLLECTIVE, "free-collective", REQUEST)                                               \
    X(FREE_RECEIVE, "free-receive", REQUEST_UNWISE)                                              \
    X(FREE_SEND, "free-send", REQUEST_ALLOWED)                                                   \
    X(NEVER_STARTED, "never-started", REQUEST_ALLOWED)                                           \
    X(NEVER_STARTED_ONE, "never-started-one", REQUEST_ALLOWED)                                   \
    X(MESSAGE_LEFT, "message-left", REQUEST)                                                     \
    X(REQUEST_LEFT, "request-left", REQUEST)                                                     \
    X(CANCELLED_LEFT, "cancelled-left", REQUEST) /* value 0: seq of the MPI_Cancel */            \
    X(OBJECT_LEFT, "object-left", LEAK)                                                          \
    X(BUFFER_LEFT, "buffer-left", LEAK_ALLOWED)                                                  \
    X(PERSISTENT_LEFT, "persistent-left", LEAK)                                                  \
    X(PERSISTENT_UNSTARTED, "persistent-unstarted", LEAK)                                        \
    X(INIT_TWICE, "init-twice", LIFECYCLE)                                                       \
    X(AFTER_FINALIZE, "after-finalize", LIFECYCLE)                                               \
    X(BEFORE_INIT, "before-init", LIFECYCLE)                                                     \
    /* a launcher of %a for value 0 processes, a library %b */                                   \
    X(SEPARATE, "separate", LAUNCH)                                                              \
    /* from here on: no misuse by itself, but an access to the rank's own window */              \
    X(WINDOW_READ, "window-read", WINDOW)       /* bytes [value 0, 1) of */                      \
    X(WINDOW_WRITTEN, "window-written", WINDOW) /* its window, made */                           \
    X(WINDOW_LOADED, "window-loaded", WINDOW)   /* by the other call: */                         \
    X(WINDOW_STORED, "window-stored", WINDOW)   /* no misuse by itself */                        \
    X(WINDOW_CHANGED, "window-changed", WINDOW)                                                  \
    /* no misuse either, but the circumstances of the call: */                                   \
    X(UNWINDING, "unwinding", CONTEXT) /* value 0 C++ exceptions look for a handler */           \
    X(CAUGHT, "caught", CONTEXT)       /* since the collective call before it; name 1: its type */
/* WINDOW_READ and WINDOW_WRITTEN: value 3 elements of the datatype value 4 (0: all bytes of the
 * span were accessed); the first element is at byte value 2. */

#define X(kind, text, rule) MISUSE_##kind,
enum misuse_kind { MISUSE_KINDS(X) MISUSE_KIND_COUNT };
#undef X

enum misuse_rule {
    MISUSE_RULE_ARGUMENT,
    MISUSE_RULE_ARGUMENT_CUSTOM, /* MPI does not define it, but libraries accept it */
    MISUSE_RULE_REQUEST,
    MISUSE_RULE_REQUEST_UNWISE,  /* allowed, but bad practice */
    MISUSE_RULE_REQUEST_ALLOWED, /* allowed */
    MISUSE_RULE_BUFFER,
    MISUSE_RULE_MEMORY,              /* a buffer is smaller than the call says, or freed */
    MISUSE_RULE_UNINITIALIZED,       /* a buffer is sent that was never written */
    MISUSE_RULE_UNINITIALIZED_BYTES, /* the same for a datatype of raw bytes */
    MISUSE_RULE_TYPE,                /* a buffer's variable has another type than the datatype */
    MISUSE_RULE_TYPE_LOOSE, /* the same by the letter of the standard; many programs do it */
    MISUSE_RULE_LOAD,       /* rests on an observed load from a buffer */
    MISUSE_RULE_LEAK,
    MISUSE_RULE_LEAK_ALLOWED, /* MPI_Finalize detaches it */
    MISUSE_RULE_LIFECYCLE,
    MISUSE_RULE_LAUNCH, /* the job was started in a wrong way */
    MISUSE_RULE_WINDOW, /* an access of the rank to its own window */
    MISUSE_RULE_CONTEXT /* explains other findings */
};

#define MISUSE_OBJECTS(X)       \
    X(NONE, "none")             \
    X(COMM, "comm")             \
    X(GROUP, "group")           \
    X(TYPE, "type")             \
    X(OP, "op")                 \
    X(WIN, "win")               \
    X(FILE, "file")             \
    X(INFO, "info")             \
    X(ERRHANDLER, "errhandler") \
    X(KEYVAL, "keyval")         \
    X(BUFFER, "buffer")         \
    X(MEMORY, "memory")         \
    X(VARIABLE, "variable")     \
    X(BLOCK, "block")           \
    X(FRAME, "frame")           \
    X(MAPPING, "mapping")
#define X(name, text) MISUSE_OBJECT_##name,
enum misuse_object { MISUSE_OBJECTS(X) MISUSE_OBJECT_COUNT };
#undef X

/* A variable of the program: a buffer, or a pointer to a block of memory. */
struct misuse_variable {
    const char *name, *type, *file; /* NULL: unknown */
    int64_t line;                   /* of its declaration; 0: unknown */
};

enum { MISUSE_VALUES = 5, MISUSE_NAMES = 3, MISUSE_KEPT_MAX = 500 /* of a rank, by itself */ };
struct misuse {
    enum misuse_kind kind;
    enum misuse_object object;
    uint64_t other; /* seq of the second call that the misuse concerns; 0: none */
    int32_t site;   /* of the instruction at fault; -1: the call's own site */
    int64_t value[MISUSE_VALUES];
    const char *name[MISUSE_NAMES];  /* the argument; another argument or an operation; a type.
                                        NULL: none */
    struct misuse_variable variable; /* only in the trace: spools hold no variables */
};

const char *misuse_kind_text(enum misuse_kind kind);
enum misuse_kind misuse_kind_find(const char *text); /* MISUSE_KIND_COUNT: unknown text */
enum misuse_rule misuse_kind_rule(enum misuse_kind kind);
const char *misuse_object_text(enum misuse_object object);
enum misuse_object misuse_object_find(const char *text);

#endif
