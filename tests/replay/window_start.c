/* One-sided epochs that hang, each beside its correct twin. Run with 2 ranks.
 *
 *   (none)    both ranks start an epoch before they post one: MPI_Win_start may wait for the post.
 *             right: in the right order
 *   complete  rank 0 completes an epoch that rank 1 posts only after a message behind it. complete
 *             right: the message comes first
 *   test      rank 0 polls MPI_Win_test before it sends what rank 1 needs to complete. test right:
 *             it sends first
 *   lock      rank 0 holds MPI_Win_lock_all until rank 1 says that it has had an exclusive lock.
 *             lock right: a shared one */
#include <mpi.h>
#include <string.h>

static int rank, other, value = 1, right;
static MPI_Win window;
static MPI_Group group;

static void tell(void)
{
    MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
}

static void listen(void)
{
    MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void put(void)
{
    MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, window);
}

static void both_start(void)
{
    if (right)
        MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    if (!right)
        MPI_Win_post(group, 0, window);
    put();
    MPI_Win_complete(window);
    MPI_Win_wait(window);
}

static void complete(void)
{
    if (rank == 0) {
        if (right)
            tell();
        MPI_Win_start(group, 0, window);
        put();
        MPI_Win_complete(window);
        if (!right)
            tell();
    } else {
        listen();
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    }
}

static void test(void)
{
    int flag = 0;
    if (rank == 0) {
        MPI_Win_post(group, 0, window);
        if (right)
            tell();
        while (!flag)
            MPI_Win_test(window, &flag);
        if (!right)
            tell();
    } else {
        MPI_Win_start(group, 0, window);
        put();
        listen();
        MPI_Win_complete(window);
    }
}

static void lock(void)
{
    if (rank == 0) {
        MPI_Win_lock_all(0, window);
        tell();
        listen();
        MPI_Win_unlock_all(window);
    } else {
        listen();
        MPI_Win_lock(right ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, other, 0, window);
        put();
        MPI_Win_unlock(other, window);
        tell();
    }
}

int main(int argc, char **argv)
{
    int *memory;
    MPI_Group world;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    right = !strcmp(argv[argc - 1], "right");
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    if (argc > 1 && !strcmp(argv[1], "complete"))
        complete();
    else if (argc > 1 && !strcmp(argv[1], "test"))
        test();
    else if (argc > 1 && !strcmp(argv[1], "lock"))
        lock();
    else
        both_start();
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
