# expected
# A request that was cancelled and never completed is reported with the places of both calls. A
# request that is waited for or freed after its MPI_Cancel is correct.
cat >prog.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int x;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&request);
#ifdef WAITED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#elif defined FREED
    MPI_Request_free(&request);
#endif
    MPI_Finalize();
    return 0;
}
END
for how in LEFT WAITED FREED; do
    mpicc -g -D$how -o prog prog.c || exit 1
    crosswait run --confirm=0 -o T.db -- mpirun -n 2 ./prog >said 2>/dev/null </dev/null
    echo "$how: $?"
    grep -E '^(error|warning|note)\[|^ -->' said
done
exit 0
