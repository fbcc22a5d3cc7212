# A header and a body are received from any source each: the report names the receive of the body,
# and the remedy that it tried. Where the order of the bodies itself decides, none is offered.
cat >bodies.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, head;
    double body, sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) {
        body = rank * 1.5;
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Send(&body, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
    }
    for (int i = 1; i < size && !rank; i++) {
        MPI_Recv(&head, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
#ifdef FIXED
        MPI_Recv(&body, 1, MPI_DOUBLE, status.MPI_SOURCE, 4, MPI_COMM_WORLD, &status);
#else
        MPI_Recv(&body, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
#endif
#ifdef ORDER
        sum = 2 * sum + body;
#else
        sum += head * body;
#endif
    }
    if (!rank)
        printf("%g\n", sum);
    return MPI_Finalize();
}
C
touch -d "1 hour ago" bodies.c # else the report takes it for changed since the run
for kind in RACE ORDER FIXED; do
    mpicc -g -D$kind -o bodies bodies.c
    echo "$kind"
    crosswait explore --time=60 -n 3 -- ./bodies
    echo "[$?]"
done
exit 0
