/* Ranks of one job connect over a port: rank 0 opens and publishes a port; the others look it up
 * and connect, as one group. They send over the connection and merge it. Then rank 0 unpublishes
 * the name and closes the port, and rank 1 looks the name up in vain.
 *
 * TEST: ranks=3 args= job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "", name[64];
    int rank, size, remote, sum, number;
    MPI_Comm group, other, merged;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &group);
    snprintf(name, sizeof name, "corpus.ports");
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name(name, MPI_INFO_NULL, port);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Lookup_name(name, MPI_INFO_NULL, port);
    if (rank == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, group, &other);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, group, &other);
    MPI_Comm_remote_size(other, &remote);
    MPI_Comm_size(other, &size);
    number = rank + 10;
    if (rank)
        MPI_Send(&number, 1, MPI_INT, 0, 3, other);
    for (int i = 0; rank == 0 && i < remote; i++) {
        MPI_Recv(&number, 1, MPI_INT, i, 3, other, MPI_STATUS_IGNORE);
        printf("%d from rank %d of the other side\n", number, i);
    }
    MPI_Intercomm_merge(other, rank > 0, &merged);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    printf("rank %d: %d here, %d there, %d in all\n", rank, size, remote, sum);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&other);
    MPI_Comm_free(&group);
    if (rank == 0) {
        MPI_Unpublish_name(name, MPI_INFO_NULL, port);
        MPI_Close_port(port);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) {
        int code = MPI_Lookup_name(name, MPI_INFO_NULL, port), class = -1;
        MPI_Error_class(code, &class);
        printf("%s\n", class == MPI_ERR_NAME ? "no such name" : "another error");
    }
    MPI_Finalize();
    return 0;
}
