/* A wildcard receive of rank 0 takes the message of rank 2, so rank 1's blocking send never
 * returns: rank 0 would post the receive for it only after a reduction of all ranks. "fixed": rank
 * 0 posts that receive before the reduction. "own": rank 2 sends after the reduction, so that the
 * wildcard receive takes rank 1's message. "slow": rank 0 sleeps for some seconds before the
 * reduction. "isend": rank 1 waits for a non-blocking send; "all": for a non-blocking send and a
 * receive; "both": rank 1 calls MPI_Sendrecv.
 *
 * TEST: ranks=3 args= job=hangs verdict=deadlock-unbuffered
 * TEST: ranks=3 args=slow job=hangs verdict=deadlock-unbuffered
 * TEST: ranks=3 args=isend job=hangs verdict=deadlock-unbuffered
 * TEST: ranks=3 args=all job=hangs verdict=deadlock-unbuffered
 * TEST: ranks=3 args=both job=hangs verdict=deadlock-unbuffered
 * TEST: ranks=3 args=fixed isend job=0 verdict=clean
 * TEST: ranks=3 args=fixed all slow job=0 verdict=clean
 * TEST: ranks=3 args=fixed both job=0 verdict=clean
 * TEST: ranks=3 args=fixed job=0 verdict=clean
 * TEST: ranks=3 args=fixed slow job=0 verdict=clean
 * TEST: ranks=3 args=own job=0 verdict=clean
 * TEST: ranks=3 args=own slow job=0 verdict=clean
 */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 4590, TAG = 5, GO = 6, SECONDS = 3 };

static char first[BYTES], second[BYTES], go;

/* Sends rank 1's message by a call other than MPI_Send. */
static void send_wait(const char *how)
{
    MPI_Request request[2];

    if (!strcmp(how, "both")) {
        MPI_Sendrecv(first, BYTES, MPI_BYTE, 0, TAG, &go, 1, MPI_BYTE, 0, GO, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        return;
    }
    MPI_Isend(first, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &request[0]);
    if (!strcmp(how, "all")) {
        MPI_Irecv(&go, 1, MPI_BYTE, 0, GO, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    } else {
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool fixed = false, own = false, slow = false;
    const char *how = "send";
    int rank, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc; i++) {
        fixed |= !strcmp(argv[i], "fixed");
        own |= !strcmp(argv[i], "own");
        slow |= !strcmp(argv[i], "slow");
        if (!strcmp(argv[i], "isend") || !strcmp(argv[i], "all") || !strcmp(argv[i], "both"))
            how = argv[i];
    }
    if (rank == 0) {
        MPI_Irecv(first, BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[0]);
        if (fixed)
            MPI_Irecv(second, BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[1]);
        if (!own)
            MPI_Recv(&go, 1, MPI_BYTE, 2, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&go, 1, MPI_BYTE, 1, GO, MPI_COMM_WORLD);
        if (!strcmp(how, "all") || !strcmp(how, "both"))
            MPI_Send(&go, 1, MPI_BYTE, 1, GO, MPI_COMM_WORLD);
        if (slow)
            sleep(SECONDS);
    } else if (rank == 1) {
        MPI_Recv(&go, 1, MPI_BYTE, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!strcmp(how, "send"))
            MPI_Send(first, BYTES, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        else
            send_wait(how);
    } else if (!own) {
        MPI_Send(first, 16, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        MPI_Send(&go, 1, MPI_BYTE, 0, GO, MPI_COMM_WORLD);
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 2 && own)
        MPI_Send(first, 16, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    if (rank == 0 && !fixed)
        MPI_Recv(second, BYTES, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
