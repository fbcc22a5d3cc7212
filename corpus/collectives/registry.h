/* The registry of collectives: those of corpus/collectives, of corpus/defects, or of a user's own
 * file.
 *
 * A file registers its function at its end,
 *
 *     COLLECTIVE(bcast, "bcast.binomial", cw_bcast_binomial)
 *
 * and a program that links the file finds it by collective_first and collective_next; there is no
 * central list. The first word is the MPI call whose signature the function has (the compiler
 * checks it), the second the row of the model whose cost it claims (or "" for none). Further fields
 * of struct collective may follow, as `.domain = ...`.
 *
 * The entries lie in a linker section, so an archive must be linked as a whole:
 * -Wl,--whole-archive libcollectives.a -Wl,--no-whole-archive.
 *
 * Relies on <mpi.h> alone.
 */
#ifndef CORPUS_COLLECTIVES_REGISTRY_H
#define CORPUS_COLLECTIVES_REGISTRY_H

#include <mpi.h>

/* The arguments of each call. If MPI has no such call (shift), or the row has a parameter (k), the
 * last argument is additional. */
#define COLLECTIVE_SEND_ARGUMENTS const void *sendbuf, int sendcount, MPI_Datatype sendtype
#define COLLECTIVE_RECV_ARGUMENTS void *recvbuf, int recvcount, MPI_Datatype recvtype
#define COLLECTIVE_RECVV_ARGUMENTS \
    void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype
#define COLLECTIVE_SENDV_ARGUMENTS \
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype
#define COLLECTIVE_REDUCE_ARGUMENTS \
    const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op
#define COLLECTIVE_ARGUMENTS_bcast \
    void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_bcast_k COLLECTIVE_ARGUMENTS_bcast, int k
#define COLLECTIVE_ARGUMENTS_reduce COLLECTIVE_REDUCE_ARGUMENTS, int root, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_scatter \
    COLLECTIVE_SEND_ARGUMENTS, COLLECTIVE_RECV_ARGUMENTS, int root, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_scatterv \
    COLLECTIVE_SENDV_ARGUMENTS, COLLECTIVE_RECV_ARGUMENTS, int root, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_gather COLLECTIVE_ARGUMENTS_scatter
#define COLLECTIVE_ARGUMENTS_gatherv \
    COLLECTIVE_SEND_ARGUMENTS, COLLECTIVE_RECVV_ARGUMENTS, int root, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_allgather \
    COLLECTIVE_SEND_ARGUMENTS, COLLECTIVE_RECV_ARGUMENTS, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_allgatherv \
    COLLECTIVE_SEND_ARGUMENTS, COLLECTIVE_RECVV_ARGUMENTS, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_reduce_scatter                                                   \
    const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op, \
        MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_reduce_scatter_block COLLECTIVE_REDUCE_ARGUMENTS, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_allreduce COLLECTIVE_REDUCE_ARGUMENTS, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_barrier MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_scan COLLECTIVE_REDUCE_ARGUMENTS, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_exscan COLLECTIVE_REDUCE_ARGUMENTS, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_alltoall COLLECTIVE_ARGUMENTS_allgather
#define COLLECTIVE_ARGUMENTS_alltoallv                                                      \
    COLLECTIVE_SENDV_ARGUMENTS, void *recvbuf, const int recvcounts[], const int rdispls[], \
        MPI_Datatype recvtype, MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_alltoallw                                         \
    const void *sendbuf, const int sendcounts[], const int sdispls[],          \
        const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], \
        const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm
#define COLLECTIVE_ARGUMENTS_neighbor_allgather COLLECTIVE_ARGUMENTS_allgather
#define COLLECTIVE_ARGUMENTS_neighbor_allgatherv COLLECTIVE_ARGUMENTS_allgatherv
#define COLLECTIVE_ARGUMENTS_neighbor_alltoall COLLECTIVE_ARGUMENTS_allgather
#define COLLECTIVE_ARGUMENTS_neighbor_alltoallv COLLECTIVE_ARGUMENTS_alltoallv
#define COLLECTIVE_ARGUMENTS_neighbor_alltoallw                                \
    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],     \
        const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], \
        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm
/* Moves the data of rank i to rank (i + s) mod P. */
#define COLLECTIVE_ARGUMENTS_shift \
    const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Comm comm, int s

enum collective_kind {
    collective_kind_bcast,
    collective_kind_bcast_k,
    collective_kind_reduce,
    collective_kind_scatter,
    collective_kind_scatterv,
    collective_kind_gather,
    collective_kind_gatherv,
    collective_kind_allgather,
    collective_kind_allgatherv,
    collective_kind_reduce_scatter,
    collective_kind_reduce_scatter_block,
    collective_kind_allreduce,
    collective_kind_barrier,
    collective_kind_scan,
    collective_kind_exscan,
    collective_kind_alltoall,
    collective_kind_alltoallv,
    collective_kind_alltoallw,
    /* On a Cartesian communicator, or on a distributed graph. */
    collective_kind_neighbor_allgather,
    collective_kind_neighbor_allgatherv,
    collective_kind_neighbor_alltoall,
    collective_kind_neighbor_alltoallv,
    collective_kind_neighbor_alltoallw,
    collective_kind_shift,
    collective_kind_custom, /* a collective that MPI lacks, with a reference of its own */
    COLLECTIVE_KINDS
};

/* How the function is called: blocking; non-blocking with a request (iallreduce); persistent
 * (allreduce_init), started twice; by two functions around a state of their own. */
enum collective_form {
    COLLECTIVE_BLOCKING,
    COLLECTIVE_NONBLOCKING,
    COLLECTIVE_PERSISTENT,
    COLLECTIVE_STATE
};
#define COLLECTIVE_CALL(call)                                    \
    enum {                                                       \
        collective_kind_i##call = collective_kind_##call,        \
        collective_kind_##call##_init = collective_kind_##call,  \
        collective_kind_##call##_start = collective_kind_##call, \
        collective_form_##call = COLLECTIVE_BLOCKING,            \
        collective_form_i##call = COLLECTIVE_NONBLOCKING,        \
        collective_form_##call##_init = COLLECTIVE_PERSISTENT,   \
        collective_form_##call##_start = COLLECTIVE_STATE        \
    };
COLLECTIVE_CALL(bcast)
COLLECTIVE_CALL(reduce)
COLLECTIVE_CALL(scatter)
COLLECTIVE_CALL(scatterv)
COLLECTIVE_CALL(gather)
COLLECTIVE_CALL(gatherv)
COLLECTIVE_CALL(allgather)
COLLECTIVE_CALL(allgatherv)
COLLECTIVE_CALL(reduce_scatter)
COLLECTIVE_CALL(reduce_scatter_block)
COLLECTIVE_CALL(allreduce)
COLLECTIVE_CALL(barrier)
COLLECTIVE_CALL(scan)
COLLECTIVE_CALL(exscan)
COLLECTIVE_CALL(alltoall)
COLLECTIVE_CALL(alltoallv)
COLLECTIVE_CALL(alltoallw)
COLLECTIVE_CALL(neighbor_allgather)
COLLECTIVE_CALL(neighbor_allgatherv)
COLLECTIVE_CALL(neighbor_alltoall)
COLLECTIVE_CALL(neighbor_alltoallv)
COLLECTIVE_CALL(neighbor_alltoallw)
enum {
    collective_form_bcast_k = COLLECTIVE_BLOCKING,
    collective_form_shift = COLLECTIVE_BLOCKING,
    collective_form_custom = COLLECTIVE_BLOCKING
};

/* A custom collective. .sends and .receives (functions of rank, size and count) give the numbers of
 * elements in its send and receive buffers; by default count for each rank. */
typedef int (*collective_custom_fn)(const void *sendbuf, void *recvbuf, int count,
                                    MPI_Datatype type, MPI_Comm comm);
typedef long (*collective_elements_fn)(int rank, int size, int count);
/* Computes what rank must have received: sent[i] is rank i's send buffer; *received holds the old
 * content of the receive buffer and gets the result. Elements are adjacent ints. */
typedef void (*collective_reference_fn)(const int *const sent[], int *received, int rank, int size,
                                        int count);

/* The numbers of ranks for which a function is defined. For others the function returns
 * MPI_ERR_COMM and sends nothing. */
enum collective_domain {
    COLLECTIVE_ANY,
    COLLECTIVE_POWER_OF_TWO,
    COLLECTIVE_SQUARE,
    COLLECTIVE_FULL_TREE /* 2^k - 1: a complete binary tree, ranks at all nodes */
};

/* Tells whether a claim of cost holds for these numbers of ranks and elements, and an operation
 * that commutes or not (1 if the collective has no operation). */
typedef int (*collective_when_fn)(int ranks, int count, int commutative);
int collective_when_commutative(int ranks, int count, int commutative);
int collective_when_always(int ranks, int count, int commutative);
#define COLLECTIVE_COMMUTATIVE collective_when_commutative
#define COLLECTIVE_ALWAYS collective_when_always

/* The topologies of a neighbourhood collective's communicators. */
enum collective_topology { COLLECTIVE_GRID, COLLECTIVE_GRAPH, COLLECTIVE_GRID_OR_GRAPH };

/* The kinds of communicators of a collective: of one group of ranks, or between two groups. */
enum collective_groups { COLLECTIVE_INTRA, COLLECTIVE_INTER, COLLECTIVE_INTRA_OR_INTER };

#define COLLECTIVE_FUNCTIONS(call)                                                         \
    int (*call)(COLLECTIVE_ARGUMENTS_##call);                                              \
    int (*i##call)(COLLECTIVE_ARGUMENTS_##call, MPI_Request * request);                    \
    int (*call##_init)(COLLECTIVE_ARGUMENTS_##call, MPI_Info info, MPI_Request * request); \
    int (*call##_start)(COLLECTIVE_ARGUMENTS_##call, void **out_state);

struct collective {
    const char *name; /* of the function */
    const char *row;  /* of the model; "" if none is claimed */
    int kind;         /* enum collective_kind */
    int form;         /* enum collective_form */
    union {
        int (*bcast_k)(COLLECTIVE_ARGUMENTS_bcast_k);
        int (*shift)(COLLECTIVE_ARGUMENTS_shift);
        collective_custom_fn custom;
        COLLECTIVE_FUNCTIONS(bcast)
        COLLECTIVE_FUNCTIONS(reduce)
        COLLECTIVE_FUNCTIONS(scatter)
        COLLECTIVE_FUNCTIONS(scatterv)
        COLLECTIVE_FUNCTIONS(gather)
        COLLECTIVE_FUNCTIONS(gatherv)
        COLLECTIVE_FUNCTIONS(allgather)
        COLLECTIVE_FUNCTIONS(allgatherv)
        COLLECTIVE_FUNCTIONS(reduce_scatter)
        COLLECTIVE_FUNCTIONS(reduce_scatter_block)
        COLLECTIVE_FUNCTIONS(allreduce)
        COLLECTIVE_FUNCTIONS(barrier)
        COLLECTIVE_FUNCTIONS(scan)
        COLLECTIVE_FUNCTIONS(exscan)
        COLLECTIVE_FUNCTIONS(alltoall)
        COLLECTIVE_FUNCTIONS(alltoallv)
        COLLECTIVE_FUNCTIONS(alltoallw)
        COLLECTIVE_FUNCTIONS(neighbor_allgather)
        COLLECTIVE_FUNCTIONS(neighbor_allgatherv)
        COLLECTIVE_FUNCTIONS(neighbor_alltoall)
        COLLECTIVE_FUNCTIONS(neighbor_alltoallv)
        COLLECTIVE_FUNCTIONS(neighbor_alltoallw)
    } function;
    int (*test)(void *state,
                int *out_done);        /* of COLLECTIVE_STATE; frees the state once it is done */
    collective_reference_fn reference; /* of a custom collective */
    collective_elements_fn sends, receives;
    const char *file;
    enum collective_domain domain;
    enum collective_topology topology;
    enum collective_groups communicators;
    /* Tells when the row or the bounds below are claimed; NULL: reductions as
     * COLLECTIVE_COMMUTATIVE, other collectives always. */
    collective_when_fn row_when;
    int root_zero_only; /* any other root gives MPI_ERR_ROOT */
    int no_in_place;    /* it does not take MPI_IN_PLACE */
    /* Bounds claimed if no row is named, for these numbers of ranks and elements: rounds, and
     * elements that are sent one after the other. */
    long (*rounds_most)(int ranks, int count);
    long (*elements_most)(int ranks, int count);
    int printed; /* as the textbook prints it: send, then receive; deadlocks if the library does
                    not buffer sends */

    /* For planted defects only. `expect` is NULL for a correct function; else "deadlock", "wrong
     * result", "disagreement" (of the ranks' results), "cost", "early exit" (of a barrier),
     * "wildcard", "truncation", "overrun" or "cross-talk". */
    const char *expect;
    const char *axis;   /* what the scenario must vary to trigger it */
    const char *origin; /* where it was seen */
    const char *twin;   /* name of the correct function */
};

/* Returns the name of a function without its C++ namespace. */
#ifdef __cplusplus
constexpr const char *collective_own_name(const char *name)
{
    const char *own = name;
    for (; *name; name++)
        if (*name == ':')
            own = name + 1;
    return own;
}
#else
#define collective_own_name(name) name
#endif

#define COLLECTIVE_ENTRY(number, call, row_id, fn, ...)                                           \
    static const struct collective collective_entry_##number = {.name = collective_own_name(#fn), \
                                                                .row = row_id,                    \
                                                                .kind = collective_kind_##call,   \
                                                                .form = collective_form_##call,   \
                                                                .function.call = fn,              \
                                                                .file = __FILE__,                 \
                                                                ##__VA_ARGS__};                   \
    static const struct collective *const collective_pointer_##number                             \
        __attribute__((section("crosswait_collectives"), used)) = &collective_entry_##number;
#define COLLECTIVE_NUMBERED(number, ...) COLLECTIVE_ENTRY(number, __VA_ARGS__)
#define COLLECTIVE(...) COLLECTIVE_NUMBERED(__COUNTER__, __VA_ARGS__)

/* Registers a non-blocking collective with a state of its own: start_fn takes the arguments of the
 * call and &state, test_fn tells whether it is complete. */
#define COLLECTIVE_STEPS(call, row_id, start_fn, test_fn, ...) \
    COLLECTIVE(call##_start, row_id, start_fn, .test = test_fn, ##__VA_ARGS__)

/* Registers a collective that MPI lacks, like a halo exchange or a transpose. */
#define COLLECTIVE_CUSTOM(name, run_fn, reference_fn, ...) \
    COLLECTIVE(custom, "", run_fn, .reference = reference_fn, ##__VA_ARGS__)

/* Registers a planted defect; the same file registers its correct twin. */
#define DEFECT(call, row_id, fn, twin_fn, ...) \
    COLLECTIVE(call, row_id, fn, .twin = #twin_fn, __VA_ARGS__)

/* Walk over all linked-in collectives; NULL at the end. The linker determines the order. */
const struct collective *collective_first(void);
const struct collective *collective_next(const struct collective *c);
const struct collective *collective_find(const char *name);

/* Tells whether the collective combines with an operation. */
int collective_reduces(enum collective_kind kind);
/* Returns "bcast", "allgather"... */
const char *collective_kind_name(enum collective_kind kind);
/* Tells whether MPI has this collective on intercommunicators. */
int collective_between_groups(enum collective_kind kind);
int collective_domain_holds(const struct collective *c, int ranks);

/* The arguments of all calls together. bcast uses the receive side; reductions and shift use
 * recvcount and recvtype. */
struct collective_arguments {
    const void *sendbuf;
    void *recvbuf;
    int sendcount, recvcount;
    MPI_Datatype sendtype, recvtype;
    const int *sendcounts, *sdispls, *recvcounts, *rdispls;
    const MPI_Datatype *sendtypes, *recvtypes;
    const MPI_Aint *saddresses, *raddresses; /* displacements of neighbor_alltoallw */
    MPI_Op op;
    int root;
    int parameter; /* k or s */
    MPI_Comm comm;
};

/* Calls the function with the arguments that it takes. */
int collective_call(const struct collective *c, const struct collective_arguments *a);
/* Starts a collective of another form: makes the request or the state. */
int collective_start(const struct collective *c, const struct collective_arguments *a,
                     MPI_Request *out_request, void **out_state);

#endif
