/* Callbacks of attributes communicate, and hang because two ranks receive from each other. In the
 * twin ("fixed") the callback of rank 0 sleeps, then sends what rank 1 receives outside of any
 * callback. The first argument selects what calls the callback: freeing or copying a communicator,
 * deleting the attribute, or MPI_Finalize.
 *
 * TEST: ranks=2 args=free job=hangs verdict=deadlock
 * TEST: ranks=2 args=free fixed job=0 verdict=clean
 * TEST: ranks=2 args=copy job=hangs verdict=deadlock
 * TEST: ranks=2 args=copy fixed job=0 verdict=clean
 * TEST: ranks=2 args=delete job=hangs verdict=deadlock
 * TEST: ranks=2 args=delete fixed job=0 verdict=clean
 * TEST: ranks=2 args=finalize job=hangs verdict=deadlock
 * TEST: ranks=2 args=finalize fixed job=0 verdict=clean
 * INPROC: no, it has no callbacks of attributes
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;
static bool fixed;

static void communicate(const int *number)
{
    int got;

    if (!fixed) {
        MPI_Recv(&got, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    sleep(3);
    MPI_Send(number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
}

static int when_deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval;
    if (extra == &fixed && value != &fixed)
        communicate(value);
    return MPI_SUCCESS;
}

static int when_copied(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval;
    if (extra == &fixed)
        communicate(in);
    *(void **)out = &fixed;
    *flag = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *when = argc > 1 ? argv[1] : "free";
    bool mine, copy = !strcmp(when, "copy"), last = !strcmp(when, "finalize");
    int keyval, got = 0;
    MPI_Comm first, second;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fixed = argc > 2 && !strcmp(argv[2], "fixed");
    mine = rank == 0 || !fixed;
    MPI_Comm_create_keyval(copy ? when_copied : MPI_COMM_NULL_COPY_FN,
                           copy ? MPI_COMM_NULL_DELETE_FN : when_deleted, &keyval, &fixed);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    if (mine)
        MPI_Comm_set_attr(last ? MPI_COMM_SELF : first, keyval, &rank);
    if (!mine && !last)
        MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (copy) {
        MPI_Comm_dup(first, &second);
        MPI_Comm_free(&second);
    }
    if (!strcmp(when, "delete") && mine)
        MPI_Comm_delete_attr(first, keyval);
    MPI_Comm_free(&first);
    MPI_Comm_free_keyval(&keyval);
    if (!mine && last)
        MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
