# timeout: 60
# Collectives may use functions that are newer than the installed mpi.h: each mistake is found, the
# correct ones have no finding. The names of the file and of its folder have spaces.
set -u
mkdir "a folder" && cd "a folder" && cp "$SOURCE/tests/fuzz/newer.c" "newer ones.c" || exit 1
for target in chain persistent large session; do
    crosswait fuzz "newer ones.c" --target=wrong_$target -runs=600 -seed=1 >out.txt 2>&1
    echo "wrong_$target: exit $?, $(sed -n 's/^newer ones.c: \([a-z-]*\).*/\1/p' out.txt)"
    crosswait fuzz "newer ones.c" --target=right_$target -runs=600 -seed=1 >out.txt 2>&1
    echo "right_$target: exit $?, $(grep -c "nothing found in 600 executions" out.txt)"
done
cat >verified.c <<'END'
#include <mpi.h>
static int chain(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank;
    MPI_Request request;
    MPI_Comm_rank(comm, &rank);
#ifdef PARTITIONED
    MPI_Psend_init(buffer, 1, count, type, MPI_PROC_NULL, 0, comm, MPI_INFO_NULL, &request);
    MPI_Request_free(&request);
#endif
    MPI_Bcast_init_c(buffer, count, type, root, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return code ? code : MPI_Request_free(&request);
}
COLLECTIVE(bcast, "", chain)
END
for flag in "" -DPARTITIONED; do
    CFLAGS=$flag crosswait fuzz verified.c --exhaustive=2 --only=count=1 --only=type=int \
        --only=type-send=int 2>&1 | grep 'verified\|check it again\|finding'
done
