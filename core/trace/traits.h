/* Traits say what a call means: the traits column of the call table (interpose/calls.table) is the
 * only place that decides it. A call has any number of traits, and at most one verb, which names
 * its operation within its family. Both are stored with the call, in the spool as numbers, in the
 * trace as the words below. Code asks for traits and verbs, never for a call's name.
 *
 * The words are those of the table: the generator (interpose/generate) reads them from this
 * file. */
#ifndef CORE_TRACE_TRAITS_H
#define CORE_TRACE_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

#define TRAITS(X)                                                                                  \
    X(LOCAL, "local")           /* its return does not depend on other ranks, and it informs       \
                                   none */                                                         \
    X(ANY_TIME, "any_time")     /* MPI allows it before MPI_Init and after MPI_Finalize */         \
    X(ANY_THREAD, "any_thread") /* MPI allows it in any thread at any thread level */              \
    X(DYNAMIC, "dynamic")       /* about processes that start, end or connect */                   \
    X(INNER, "inner")           /* inside the MPI library: no function of MPI */                   \
    /* messages */                                                                                 \
    X(SENDS, "sends")       /* a message to its peer on comm */                                    \
    X(RECEIVES, "receives") /* a message of comm; if the call sends as well: in its receive        \
                               half */                                                             \
    X(PROBES, "probes")     /* looks for a message of comm */                                      \
    X(MATCHED, "matched")   /* uses a message handle, which it makes or consumes */                \
    /* requests */                                                                                 \
    X(MAKES_REQUEST, "makes_request")                                                              \
    X(PERSISTENT, "persistent") /* the request does nothing until a call starts it */              \
    X(STARTS, "starts")                                                                            \
    X(COMPLETES_ONE, "completes_one") /* the request it names */                                   \
    X(COMPLETES_ANY, "completes_any") /* one request of a list */                                  \
    X(COMPLETES_SOME, "completes_some")                                                            \
    X(COMPLETES_ALL, "completes_all")                                                              \
    X(POLLS, "polls")                 /* returns at once, and tells whether it found something */  \
    X(KEEPS_REQUEST, "keeps_request") /* reports a complete request, and keeps it */               \
    X(FREES_REQUEST, "frees_request")                                                              \
    X(CANCELS, "cancels")                                                                          \
    /* collectives */                                                                              \
    X(COLLECTIVE, "collective") /* all members of comm, window or file call it, in the same        \
                                   order */                                                        \
    X(OVER_MADE, "over_made")   /* the members of the new comm call it, not all members of comm */ \
    X(EXPECTED_LOCAL, "expected_local") /* collective, but no known library lets it wait */        \
    X(FROM_ROOT, "from_root")           /* the root sends data or instructions to all */           \
    X(TO_ROOT, "to_root")                                                                          \
    X(PREFIX, "prefix")     /* each rank gets the combined values of lower ranks */                \
    X(NEIGHBOR, "neighbor") /* along the topology of comm */                                       \
    X(PER_RANK, "per_rank") /* one size per rank (the v forms) */                                  \
    X(PER_TYPE, "per_type") /* one datatype per rank (the w forms) */                              \
    X(REDUCES, "reduces")   /* combines values by an operation */                                  \
    X(TAKES_OP, "takes_op") /* the event's tag is the id of an operation */                        \
    /* objects that it makes (the event has their id after the call) or frees */                   \
    X(LENDS, "lends") /* the caller does not have to free the new object */                        \
    X(MAKES_MESSAGE, "makes_message")                                                              \
    X(MAKES_COMM, "makes_comm")                                                                    \
    X(FREES_COMM, "frees_comm")                                                                    \
    X(MAKES_GROUP, "makes_group")                                                                  \
    X(FREES_GROUP, "frees_group")                                                                  \
    X(MAKES_TYPE, "makes_type")                                                                    \
    X(FREES_TYPE, "frees_type")                                                                    \
    X(MAKES_OP, "makes_op")                                                                        \
    X(FREES_OP, "frees_op")                                                                        \
    X(MAKES_WIN, "makes_win")                                                                      \
    X(FREES_WIN, "frees_win")                                                                      \
    X(MAKES_FILE, "makes_file")                                                                    \
    X(FREES_FILE, "frees_file")                                                                    \
    X(MAKES_INFO, "makes_info")                                                                    \
    X(FREES_INFO, "frees_info")                                                                    \
    X(MAKES_ERRHANDLER, "makes_errhandler")                                                        \
    X(FREES_ERRHANDLER, "frees_errhandler")                                                        \
    X(MAKES_KEYVAL, "makes_keyval")                                                                \
    X(FREES_KEYVAL, "frees_keyval")                                                                \
    X(MAKES_MEMORY, "makes_memory")                                                                \
    X(FREES_MEMORY, "frees_memory")                                                                \
    /* one-sided communication and files */                                                        \
    X(WINDOW, "window")           /* on a window: the event's comm is the window's id */           \
    X(AT_ORIGIN, "at_origin")     /* completes at the origin, not at the target */                 \
    X(ALL_TARGETS, "all_targets") /* of the window, not only one */                                \
    X(FILE, "file")               /* on a file: the event's comm is the file's id */               \
    X(AT_OFFSET, "at_offset")     /* at an explicit offset, not at a file pointer */               \
    X(SHARED_POINTER, "shared_pointer")                                                            \
    X(ORDERED, "ordered") /* at the shared pointer, in the order of ranks */                       \
    X(BEGINS, "begins")   /* first half of a split access */                                       \
    X(ENDS, "ends")                                                                                \
    /* partitioned messages: a call that makes a request sends the message once all partitions are \
     * marked as ready; any other call marks some of them */                                       \
    X(PARTITIONED, "partitioned")

#define VERBS(X)                                                                     \
    X(NONE, "none")                                                                  \
    X(UNKNOWN, "unknown") /* unknown effect: checkers do not judge its rank */       \
    X(INIT, "init")                                                                  \
    X(FINALIZE, "finalize")                                                          \
    X(ABORT, "abort")                                                                \
    X(ATTACH_BUFFER, "attach_buffer")                                                \
    X(DETACH_BUFFER, "detach_buffer")                                                \
    X(ATTACH_OWN_BUFFER, "attach_own_buffer") /* a communicator's, or a session's */ \
    X(DETACH_OWN_BUFFER, "detach_own_buffer")                                        \
    X(FLUSH_BUFFER, "flush_buffer")                                                  \
    X(COMMIT_TYPE, "commit_type")                                                    \
    X(SET_NAME, "set_name")                                                          \
    X(BEGIN_GENERALIZED, "begin_generalized") /* a request */                        \
    X(TELL_COMPLETE, "tell_complete")                                                \
    X(FROM_FORTRAN, "from_fortran") /* a handle */                                   \
    X(TO_FORTRAN, "to_fortran")                                                      \
    /* collectives that move data, and the barrier */                                \
    X(BARRIER, "barrier")                                                            \
    X(BCAST, "bcast")                                                                \
    X(GATHER, "gather")                                                              \
    X(SCATTER, "scatter")                                                            \
    X(ALLGATHER, "allgather")                                                        \
    X(ALLTOALL, "alltoall")                                                          \
    X(REDUCE, "reduce")                                                              \
    X(ALLREDUCE, "allreduce")                                                        \
    X(REDUCE_SCATTER, "reduce_scatter")                                              \
    X(REDUCE_SCATTER_BLOCK, "reduce_scatter_block")                                  \
    X(SCAN, "scan")                                                                  \
    X(EXSCAN, "exscan")                                                              \
    /* communicators and their topologies */                                         \
    X(COMM_DUP, "comm_dup")                                                          \
    X(COMM_SPLIT, "comm_split")                                                      \
    X(COMM_CREATE, "comm_create")                                                    \
    X(COMM_CREATE_GROUP, "comm_create_group")                                        \
    X(INTERCOMM_CREATE, "intercomm_create")                                          \
    X(INTERCOMM_MERGE, "intercomm_merge")                                            \
    X(CART_CREATE, "cart_create")                                                    \
    X(CART_SUB, "cart_sub")                                                          \
    X(GRAPH_CREATE, "graph_create")                                                  \
    X(DIST_GRAPH_CREATE, "dist_graph_create")                                        \
    X(DIST_GRAPH_CREATE_ADJACENT, "dist_graph_create_adjacent")                      \
    /* windows: creation, accesses, epochs, memory */                                \
    X(WIN_CREATE, "win_create")                                                      \
    X(WIN_CREATE_DYNAMIC, "win_create_dynamic")                                      \
    X(WIN_ALLOCATE, "win_allocate")                                                  \
    X(WIN_ALLOCATE_SHARED, "win_allocate_shared")                                    \
    X(WIN_FREE, "win_free")                                                          \
    X(PUT, "put")                                                                    \
    X(GET, "get")                                                                    \
    X(ACCUMULATE, "accumulate")                                                      \
    X(GET_ACCUMULATE, "get_accumulate")                                              \
    X(FETCH_AND_OP, "fetch_and_op")                                                  \
    X(COMPARE_AND_SWAP, "compare_and_swap")                                          \
    X(FENCE, "fence")                                                                \
    X(POST, "post")                                                                  \
    X(START_EPOCH, "start_epoch")                                                    \
    X(COMPLETE_EPOCH, "complete_epoch")                                              \
    X(WAIT_EPOCH, "wait_epoch")                                                      \
    X(TEST_EPOCH, "test_epoch")                                                      \
    X(LOCK, "lock")                                                                  \
    X(UNLOCK, "unlock")                                                              \
    X(FLUSH, "flush")                                                                \
    X(SYNC_MEMORY, "sync_memory")                                                    \
    X(ATTACH_MEMORY, "attach_memory")                                                \
    X(DETACH_MEMORY, "detach_memory")                                                \
    /* files */                                                                      \
    X(OPEN_FILE, "open_file")                                                        \
    X(CLOSE_FILE, "close_file")                                                      \
    X(DELETE_FILE, "delete_file")                                                    \
    X(READ, "read")                                                                  \
    X(WRITE, "write")                                                                \
    X(SEEK, "seek")                                                                  \
    X(GET_POSITION, "get_position")                                                  \
    X(SET_VIEW, "set_view")                                                          \
    X(SET_SIZE, "set_size")                                                          \
    X(PREALLOCATE, "preallocate")                                                    \
    X(SET_ATOMICITY, "set_atomicity")                                                \
    X(SYNC_FILE, "sync_file")                                                        \
    X(ARRIVED, "arrived") /* tests a partition */                                    \
    X(BEGIN_SESSION, "begin_session")                                                \
    X(END_SESSION, "end_session")                                                    \
    X(EXPLAIN_ERROR, "explain_error") /* says what an error code means */            \
    X(SET_ERRHANDLER, "set_errhandler")                                              \
    X(START_PROCESSES, "start_processes") /* spawns processes */                     \
    X(PACK, "pack")                                                                  \
    X(UNPACK, "unpack")

enum trait {
#define X(name, text) TRAIT_##name,
    TRAITS(X)
#undef X
        TRAIT_COUNT
};
_Static_assert(TRAIT_COUNT <= 63, "a set of traits is a number that SQL keeps");

enum verb {
#define X(name, text) VERB_##name,
    VERBS(X)
#undef X
        VERB_COUNT
};
_Static_assert(VERB_COUNT <= 255, "a verb is kept in a byte");

/* A set of traits: TRAIT_BIT(SENDS) | TRAIT_BIT(MAKES_REQUEST). */
#define TRAIT_BIT(name) (UINT64_C(1) << TRAIT_##name)
#define TRAITS_COMPLETE                                                                \
    (TRAIT_BIT(COMPLETES_ONE) | TRAIT_BIT(COMPLETES_ANY) | TRAIT_BIT(COMPLETES_SOME) | \
     TRAIT_BIT(COMPLETES_ALL))

static inline bool trait_in(uint64_t traits, enum trait trait)
{
    return traits >> trait & 1;
}

/* Tells whether the call marks partitions of the request that it names. */
static inline bool traits_mark(uint64_t traits)
{
    return trait_in(traits, TRAIT_PARTITIONED) && !trait_in(traits, TRAIT_MAKES_REQUEST);
}

/* Tells whether the verb is a collective that moves data, or a barrier. */
static inline bool verb_is_coll(enum verb verb)
{
    return verb >= VERB_BARRIER && verb <= VERB_EXSCAN;
}

/* Tells whether the verb reads or writes the memory of a window's targets. */
static inline bool verb_accesses(enum verb verb)
{
    return verb >= VERB_PUT && verb <= VERB_COMPARE_AND_SWAP;
}

/* Return the table's words (NULL if out of range), and the verb of a word (VERB_COUNT if
 * unknown). */
const char *trait_text(enum trait trait);
const char *verb_text(enum verb verb);
enum verb verb_find(const char *text);

/* traits_write writes "sends,makes_request", or "" for none; TRAITS_TEXT_BYTES suffice for any set.
 * traits_read returns false if a word is no trait. */
enum { TRAITS_TEXT_BYTES = 1024 };
void traits_write(uint64_t traits, char text[TRAITS_TEXT_BYTES]);
bool traits_read(const char *text, uint64_t *out_traits);

#endif
