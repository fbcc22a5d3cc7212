/* The registry of collectives: what is in corpus/collectives, in corpus/defects, or in a user's own
 * file.
 *
 * A file registers its function at its end,
 *
 *     COLLECTIVE(bcast, "bcast.binomial", cw_bcast_binomial)
 *
 * and whoever links it finds it through collective_first and collective_next; there is no central
 * list. The first word is the MPI call whose signature the function has (the compiler checks it),
 * the second the row of the model it claims to keep (or "" for none). Further fields of struct
 * collective may follow, as `.domain = ...`.
 *
 * The entries lie in a linker section, so objects that come out of an archive must be linked as a
 * whole: -Wl,--whole-archive libcollectives.a -Wl,--no-whole-archive.
 *
 * Relies on <mpi.h> alone.
 */
#ifndef CORPUS_COLLECTIVES_REGISTRY_H
#define CORPUS_COLLECTIVES_REGISTRY_H

#include <mpi.h>

/* The signatures. Where MPI has no such call (shift), or the row has a parameter (k), the last
 * argument is extra. */
typedef int (*collective_bcast_fn)(void *buffer, int count, MPI_Datatype type, int root,
                                   MPI_Comm comm);
typedef int (*collective_bcast_k_fn)(void *buffer, int count, MPI_Datatype type, int root,
                                     MPI_Comm comm, int k);
typedef int (*collective_reduce_fn)(const void *sendbuf, void *recvbuf, int count,
                                    MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
typedef int (*collective_scatter_fn)(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                     MPI_Comm comm);
typedef collective_scatter_fn collective_gather_fn;
typedef int (*collective_allgather_fn)(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm);
typedef collective_allgather_fn collective_alltoall_fn;
typedef collective_allgather_fn collective_neighbor_alltoall_fn;
typedef int (*collective_allgatherv_fn)(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void *recvbuf, const int recvcounts[], const int displs[],
                                        MPI_Datatype recvtype, MPI_Comm comm);
typedef int (*collective_alltoallv_fn)(const void *sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                                       const int recvcounts[], const int rdispls[],
                                       MPI_Datatype recvtype, MPI_Comm comm);
typedef int (*collective_reduce_scatter_fn)(const void *sendbuf, void *recvbuf,
                                            const int recvcounts[], MPI_Datatype type, MPI_Op op,
                                            MPI_Comm comm);
typedef int (*collective_allreduce_fn)(const void *sendbuf, void *recvbuf, int count,
                                       MPI_Datatype type, MPI_Op op, MPI_Comm comm);
typedef collective_allreduce_fn collective_scan_fn;
typedef int (*collective_barrier_fn)(MPI_Comm comm);
/* The data of rank i arrive on rank (i + s) mod P. */
typedef int (*collective_shift_fn)(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                   MPI_Comm comm, int s);

enum collective_kind {
    collective_kind_bcast,
    collective_kind_bcast_k,
    collective_kind_reduce,
    collective_kind_scatter,
    collective_kind_gather,
    collective_kind_allgather,
    collective_kind_allgatherv,
    collective_kind_reduce_scatter,
    collective_kind_allreduce,
    collective_kind_barrier,
    collective_kind_scan,
    collective_kind_alltoall,
    collective_kind_alltoallv,
    collective_kind_neighbor_alltoall, /* on a Cartesian communicator */
    collective_kind_shift,
    COLLECTIVE_KINDS
};

/* The numbers of ranks for which a function is defined; outside it returns MPI_ERR_COMM and sends
 * nothing. */
enum collective_domain {
    COLLECTIVE_ANY,
    COLLECTIVE_POWER_OF_TWO,
    COLLECTIVE_SQUARE,
    COLLECTIVE_FULL_TREE /* 2^k - 1: a complete binary tree, ranks at all nodes */
};

/* Whether a claim of cost holds for so many ranks and elements and such an operation (1 where there
 * is none). */
typedef int (*collective_when_fn)(int ranks, int count, int commutative);
int collective_when_commutative(int ranks, int count, int commutative);
int collective_when_always(int ranks, int count, int commutative);
#define COLLECTIVE_COMMUTATIVE collective_when_commutative
#define COLLECTIVE_ALWAYS collective_when_always

struct collective {
    const char *name; /* of the function */
    const char *row;  /* of the model, "" when none is claimed */
    enum collective_kind kind;
    union {
        collective_bcast_fn bcast;
        collective_bcast_k_fn bcast_k;
        collective_reduce_fn reduce;
        collective_scatter_fn scatter;
        collective_gather_fn gather;
        collective_allgather_fn allgather;
        collective_allgatherv_fn allgatherv;
        collective_reduce_scatter_fn reduce_scatter;
        collective_allreduce_fn allreduce;
        collective_barrier_fn barrier;
        collective_scan_fn scan;
        collective_alltoall_fn alltoall;
        collective_alltoallv_fn alltoallv;
        collective_neighbor_alltoall_fn neighbor_alltoall;
        collective_shift_fn shift;
    } function;
    const char *file;
    enum collective_domain domain;
    /* Where the row or the bounds below are claimed; NULL: for reductions as
     * COLLECTIVE_COMMUTATIVE, else everywhere. */
    collective_when_fn row_when;
    int root_zero_only; /* any other root gives MPI_ERR_ROOT */
    /* Bounds claimed where no row is named: rounds, and elements one after the other, for so many
     * ranks and elements. */
    long (*rounds_most)(int ranks, int count);
    long (*elements_most)(int ranks, int count);
    int printed; /* as the textbook prints it: send, then receive; deadlocks when sends do not
                    buffer */

    /* Planted defects only. `expect` is NULL for a correct function; else one of "deadlock", "wrong
     * result", "disagreement" (of the ranks' results), "cost", "early exit" (of a barrier),
     * "wildcard", "truncation", "overrun", "cross-talk". */
    const char *expect;
    const char *axis;   /* what the scenario must vary to trigger it */
    const char *origin; /* where it was seen */
    const char *twin;   /* name of the correct function beside it */
};

#define COLLECTIVE(call, row_id, fn, ...)                                                   \
    static const struct collective collective_entry_##fn = {.name = #fn,                    \
                                                            .row = row_id,                  \
                                                            .kind = collective_kind_##call, \
                                                            .function.call = fn,            \
                                                            .file = __FILE__,               \
                                                            ##__VA_ARGS__};                 \
    static const struct collective *const collective_pointer_##fn                           \
        __attribute__((section("crosswait_collectives"), used)) = &collective_entry_##fn;

/* A planted defect, with its correct twin registered in the same file. */
#define DEFECT(call, row_id, fn, twin_fn, ...) \
    COLLECTIVE(call, row_id, fn, .twin = #twin_fn, __VA_ARGS__)

/* Walks over everything that is linked in; NULL at the end. The order is the linker's. */
const struct collective *collective_first(void);
const struct collective *collective_next(const struct collective *c);
const struct collective *collective_find(const char *name);

/* Whether it combines with an operation. */
int collective_reduces(enum collective_kind kind);
/* "bcast", "allgather"... */
const char *collective_kind_name(enum collective_kind kind);
int collective_domain_holds(const struct collective *c, int ranks);

/* All that any of the calls takes. bcast uses the receive side; reductions and shift use recvcount
 * and recvtype. */
struct collective_arguments {
    const void *sendbuf;
    void *recvbuf;
    int sendcount, recvcount;
    MPI_Datatype sendtype, recvtype;
    const int *sendcounts, *sdispls, *recvcounts, *rdispls;
    MPI_Op op;
    int root;
    int parameter; /* k or s */
    MPI_Comm comm;
};

/* Calls the function with those of the arguments that it takes. */
int collective_call(const struct collective *c, const struct collective_arguments *a);

#endif
