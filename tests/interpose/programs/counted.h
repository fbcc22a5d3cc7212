/* The counted sequence of calls, in C and C++. tests/interpose/counted.py says what must be
 * recorded of it. */
static void counted(MPI_Comm world, int me)
{
    int a[4] = {me}, b[4];
    for (int i = 1; i <= 5; i++) {
        MPI_Request req[2];
        MPI_Irecv(b, 4, MPI_INT, 1 - me, i, world, &req[0]);
        MPI_Isend(a, 4, MPI_INT, 1 - me, i, world, &req[1]);
        MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
    }
    MPI_Sendrecv(a, 4, MPI_INT, 1 - me, 9, b, 4, MPI_INT, 1 - me, 9, world, MPI_STATUS_IGNORE);
    MPI_Bcast(a, 4, MPI_INT, 0, world);
    MPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, world);
    MPI_Comm comm2;
    MPI_Comm_dup(world, &comm2);
    MPI_Barrier(comm2);
    MPI_Comm_free(&comm2);
}
