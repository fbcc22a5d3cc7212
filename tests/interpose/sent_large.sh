# expected
# A store into a send buffer is seen before its request is complete, also far from the buffer's
# beginning; the twin stores after the wait, and is clean.
cat >prog.c <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, bytes = atoi(argv[1]), at = atoi(argv[2]);
    char *data = calloc((size_t)bytes, 1);
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Isend(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        if (argc == 3)
            data[at] = 7;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        data[at] = 7;
    }
    free(data);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o prog prog.c || exit 1
for how in '1000 999' '4000 2000' '60000 59999' '100000 50000' '4000 2000 behind'; do
    crosswait run -- mpirun -n 2 ./prog $how >out 2>&1
    echo "$how: [$?] $(grep -E '^(error|warning|verdict)' out | head -1)"
done
