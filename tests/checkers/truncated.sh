# A message is longer than its non-blocking receive, and errors return: whichever call completes the
# receive returns the error, and the finding names that call. The receive is complete, so there is
# no other finding. With room for the message there is none. If the program then asks what an error
# code means, the finding is a note.
# timeout: 240
cat >truncated.c <<'P'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, room = argc > 2 ? 8 : 4, error = 0, done = 0, class, index[2], value[8] = {0};
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Send(value, 8, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv_init(value, room, MPI_INT, 0, 5, MPI_COMM_WORLD, &request[0]);
        if (!strstr(argv[1], "persistent")) {
            MPI_Request_free(&request[0]);
            MPI_Irecv(value, room, MPI_INT, 0, 5, MPI_COMM_WORLD, &request[0]);
        } else {
            MPI_Start(&request[0]);
        }
        if (!strcmp(argv[1], "wait"))
            MPI_Wait(&request[0], status);
        else if (!strcmp(argv[1], "wait, asked"))
            MPI_Error_class(MPI_Wait(&request[0], status), &class);
        else if (!strcmp(argv[1], "waitall"))
            MPI_Waitall(2, request, status);
        else if (!strcmp(argv[1], "waitall ignored"))
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        else if (strstr(argv[1], "waitany"))
            MPI_Waitany(2, request, index, status);
        else if (!strcmp(argv[1], "waitsome"))
            MPI_Waitsome(2, request, &done, index, status);
        while (!strncmp(argv[1], "test", 4) && !error && !done)
            error = !strcmp(argv[1], "test")      ? MPI_Test(&request[0], &done, status)
                    : !strcmp(argv[1], "testall") ? MPI_Testall(2, request, &done, status)
                    : !strcmp(argv[1], "testany") ? MPI_Testany(2, request, index, &done, status)
                                                  : MPI_Testsome(2, request, &done, index, status);
        if (request[0] != MPI_REQUEST_NULL)
            MPI_Request_free(&request[0]);
    }
    MPI_Finalize();
    return 0;
}
P
mpicc -g -o truncated truncated.c || exit 1
for how in wait "wait, asked" waitall "waitall ignored" waitany waitsome test testall testany \
    testsome "persistent waitany"; do
    for room in short enough; do
        rm -f T.db
        [ $room = enough ] && set -- enough || set --
        timeout 60 crosswait record -o T.db -- mpirun -n 2 ./truncated "$how" "$@" \
            >/dev/null 2>&1
        crosswait check T.db >said
        echo "$how, $room: $?"
        grep -E '^(error|warning|note)\[|to the program' said
    done
done
exit 0
