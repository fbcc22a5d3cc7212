/* Messages whose contents the test knows: contiguous, strided to contiguous, a type freed while in
 * flight, a shorter message than the buffer, a persistent send twice, and a send buffer that is
 * written to while it is in flight (tag 66). Two ranks. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int me, a[100], b[100], in[100];
    MPI_Request r;
    MPI_Status s;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 100; i++)
        a[i] = i * i + 1;
    MPI_Datatype strided;
    MPI_Type_vector(10, 1, 3, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    if (me == 0) {
        MPI_Send(a, 20, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(a, 2, strided, 1, 2, MPI_COMM_WORLD);
        MPI_Isend(a, 1, strided, 1, 3, MPI_COMM_WORLD, &r);
        MPI_Type_free(&strided);
        MPI_Wait(&r, &s);
        MPI_Send_init(a, 5, MPI_INT, 1, 4, MPI_COMM_WORLD, &r);
        for (int k = 0; k < 2; k++) {
            a[0] = k;
            MPI_Start(&r);
            MPI_Wait(&r, &s);
        }
        MPI_Request_free(&r);
        MPI_Issend(a, 50, MPI_INT, 1, 66, MPI_COMM_WORLD, &r);
        a[7] = -1;
        MPI_Wait(&r, &s);
    } else {
        MPI_Recv(in, 100, MPI_INT, 0, 1, MPI_COMM_WORLD, &s);
        MPI_Recv(b, 20, MPI_INT, 0, 2, MPI_COMM_WORLD, &s);
        memset(in, 0, sizeof in);
        MPI_Irecv(in, 1, strided, 0, 3, MPI_COMM_WORLD, &r);
        MPI_Type_free(&strided);
        MPI_Wait(&r, &s);
        for (int k = 0; k < 2; k++)
            MPI_Recv(in, 100, MPI_INT, 0, 4, MPI_COMM_WORLD, &s);
        MPI_Recv(in, 100, MPI_INT, 0, 66, MPI_COMM_WORLD, &s);
    }
    for (int i = 0; i < 100; i++)
        a[i] = me + i;
    MPI_Bcast(a, 10, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Allreduce(a, b, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(a, 3, MPI_INT, b, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, b, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
