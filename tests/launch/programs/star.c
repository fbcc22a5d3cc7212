/* usage: star work|hang. Rank 0 exchanges messages with each other rank, which exchange none with
 * each other, neither themselves nor through collectives: so there may be no way between them.
 *     work   and prints how many there were
 *     hang   but does not answer the last one */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, ranks, value, sum = 0, rounds = 100;
    int hang = argc > 1 && !strcmp(argv[1], "hang");

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < rounds; i++) {
        if (rank) {
            MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        for (int r = 1; r < ranks; r++) {
            MPI_Recv(&value, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
            if (hang && i == rounds - 1 && r == ranks - 1)
                MPI_Recv(&value, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, r, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
