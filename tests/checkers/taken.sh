# expected
# A receive waits for a rank whose message an earlier wildcard receive has taken: the finding names
# that receive, by whatever call it was made, but only if tags and communicators match. It also
# names near misses: a message with another tag, communicator or destination, or a persistent send
# that was not started in one round.
cat > hint_stolen_message.c <<'C'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, x, how = atoi(argv[1]);
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && how == 1) {
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 0 && how == 2) {
        MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    } else if (rank == 0) { /* from the one it means */
        MPI_Recv(&x, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&x, 1, MPI_INT, 1, how == 4 ? 6 : 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -w -o taken hint_stolen_message.c
for how in 1 2 3 4; do
    crosswait run --confirm=0 -o T.db -- mpirun -n 2 ./taken $how >out 2>/dev/null
    grep -h '^error' out
    grep -h 'race:\|that receive' out || echo 'no race'
done
cat > hint_near_miss.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x = 0, fits;
    MPI_Comm comm;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    fits = argc > 1;
    MPI_Comm to = fits ? MPI_COMM_WORLD : comm;
    if (rank == 1)
        MPI_Send(&x, 1, MPI_INT, 0, fits ? 5 : 6, MPI_COMM_WORLD);
    if (rank == 3)
        MPI_Send(&x, 1, MPI_INT, 2, 5, to);
    if (rank == 5)
        MPI_Send(&x, 1, MPI_INT, fits ? 4 : 3, 5, MPI_COMM_WORLD);
    if (rank == 7) {
        MPI_Send_init(&x, 1, MPI_INT, 6, 5, MPI_COMM_WORLD, &q);
        for (int i = 0; i < 3; i++) {
            if (fits || i != 1)
                MPI_Start(&q);
            MPI_Wait(&q, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&q);
    }
    for (int i = 0; rank % 2 == 0 && i < (rank == 6 ? 3 : 1); i++)
        MPI_Recv(&x, 1, MPI_INT, rank + 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -w -o near hint_near_miss.c
crosswait run --confirm=0 -o T.db -- mpirun -n 8 ./near >out 2>/dev/null
grep -h 'a message of\|had not started' out
crosswait run --confirm=0 -o T.db -- mpirun -n 8 ./near right 2>/dev/null | grep verdict
