/* Four mistakes, each of a rule of its own, by every rank at the same place: a negative tag, a send
 * buffer that is changed before the send is complete, a request that is never completed, a datatype
 * that is never freed. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, sent = 1, received, again = 2;
    MPI_Request request[2];
    MPI_Datatype kept;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;

    MPI_Send(&sent, 1, MPI_INT, right, -5, MPI_COMM_WORLD); /* argument */

    MPI_Irecv(&received, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&sent, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &request[1]);
    sent = again; /* buffer */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);

    MPI_Isend(&again, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &request[0]); /* request */
    MPI_Recv(&received, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Type_contiguous(2, MPI_INT, &kept); /* leak */
    MPI_Finalize();
    return 0;
}
