/* Makes communicators from an intercommunicator: duplicates it, creates one from a group of each
 * side, and splits it. Uses each for collectives and for messages between the sides. Even ranks are
 * one side, odd ranks the other.
 *
 *     TEST: ranks=4 args= job=0 verdict=clean
 *     INPROC: no, MPI_Comm_create and MPI_Comm_split of intercommunicators
 */
#include <mpi.h>
#include <stdio.h>

static void use(MPI_Comm inter, const char *what)
{
    int rank, remote, value, got = -1, world, sum = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &remote);
    value = 10 * world;
    if (rank < remote)
        MPI_Sendrecv(&value, 1, MPI_INT, rank, 1, &got, 1, MPI_INT, rank, 1, inter,
                     MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter);
    MPI_Barrier(inter);
    printf("rank %d, %s: %d from the other side, %d in all\n", world, what, got, sum);
}

int main(int argc, char **argv)
{
    int rank, side_rank, first = 0;
    MPI_Comm side, inter, copy, part, split;
    MPI_Group group, one;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    MPI_Comm_dup(inter, &copy);
    use(copy, "duplicate");
    MPI_Comm_group(inter, &group);
    MPI_Group_incl(group, 1, &first, &one);
    MPI_Comm_create(copy, one, &part);
    if (part != MPI_COMM_NULL) {
        use(part, "created");
        MPI_Comm_free(&part);
    }
    MPI_Comm_rank(inter, &side_rank);
    MPI_Comm_split(inter, side_rank % 2, rank, &split);
    use(split, "split");
    MPI_Comm_free(&split);
    MPI_Group_free(&one);
    MPI_Group_free(&group);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
    MPI_Finalize();
    return 0;
}
