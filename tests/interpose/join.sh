# MPI_Comm_join makes an intercommunicator of one and one from two processes that are connected by a
# socket; its messages are matched and judged like any others.
# timeout: 120
. "$SOURCE/tests/interpose/lib.bash"
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo
cat >join.c <<'P'
#include <mpi.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
/* Rank 0 waits for rank 1; the socket has its name once it can be connected to. */
static int connected(int rank)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "join.socket"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (rank == 0)
        return bind(fd, (void *)&name, sizeof name) || listen(fd, 1) ? -1 : accept(fd, NULL, NULL);
    while (connect(fd, (void *)&name, sizeof name))
        usleep(1000);
    return fd;
}
int main(int argc, char **argv)
{
    int rank, remote, x[4] = {1, 2, 3, 4};
    MPI_Comm c;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_join(connected(rank), &c);
    MPI_Comm_remote_size(c, &remote);
    if (remote != 1)
        MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(x, 4, MPI_INT, 0, 5, c);
    else
        MPI_Recv(x, strcmp(argv[1], "short") ? 4 : 2, MPI_INT, 0, 5, c, MPI_STATUS_IGNORE);
    MPI_Barrier(c);
    if (!strcmp(argv[1], "hangs"))
        MPI_Recv(x, 4, MPI_INT, 0, 9, c, MPI_STATUS_IGNORE);
    if (strcmp(argv[1], "left"))
        MPI_Comm_disconnect(&c);
    return MPI_Finalize();
}
P
mpicc -g -w -o join join.c || exit 1
for how in right short hangs left; do
    rm -f join.socket T.db
    echo "$ $how"
    crosswait run -o T.db -- mpirun -n 2 ./join $how >out 2>&1
    echo "[$?]"
    grep -o '^\(error\|warning\|verdict\).*' out
done
exit 0
