/* Hangs without a missing message: the ranks make calls on communicators, windows, files and locks
 * in different orders. The first argument selects the case, "fixed" its correct twin. Ranks: 2 or
 * 3, as in the TEST lines.
 *
 * TEST: ranks=3 args=communicators job=hangs verdict=deadlock
 * TEST: ranks=3 args=communicators fixed job=0 verdict=clean
 * TEST: ranks=3 args=blocking job=hangs verdict=misuse
 * TEST: ranks=3 args=blocking fixed job=0 verdict=clean
 * TEST: ranks=3 args=collectives job=hangs verdict=misuse
 * TEST: ranks=3 args=collectives fixed job=0 verdict=clean
 * TEST: ranks=3 args=freed job=hangs verdict=misuse
 * TEST: ranks=2 args=epochs job=hangs verdict=deadlock
 * TEST: ranks=2 args=epochs fixed job=0 verdict=clean
 * TEST: ranks=2 args=locks job=hangs verdict=deadlock
 * TEST: ranks=2 args=locks fixed job=0 verdict=clean
 * TEST: ranks=2 args=shared job=hangs verdict=deadlock
 * TEST: ranks=2 args=shared fixed job=0 verdict=clean
 * TEST: ranks=2 args=file job=hangs verdict=deadlock
 * TEST: ranks=2 args=file fixed job=0 verdict=clean
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static bool fixed;

/* All ranks except 0 make a communicator that does not concern rank 0. Then rank 0 enters two
 * barriers in the other order. */
static void communicators(void)
{
    MPI_Comm copy, part;
    MPI_Group world, others;
    int zero = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &zero, &others);
    if (rank) {
        MPI_Comm_create_group(MPI_COMM_WORLD, others, 3, &part);
        MPI_Comm_free(&part);
    }
    MPI_Group_free(&others);
    MPI_Group_free(&world);
    MPI_Barrier(rank || fixed ? copy : MPI_COMM_WORLD);
    MPI_Barrier(rank || fixed ? MPI_COMM_WORLD : copy);
    MPI_Comm_free(&copy);
}

/* Rank 1 enters a blocking barrier, which does not match the non-blocking one of the others. */
static void blocking(void)
{
    MPI_Request request[2];
    int mine = rank, sum;

    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    if (rank == 1 && !fixed) {
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void collectives(void)
{
    int mine = rank, sum = 0;

    if (rank == 1 && !fixed)
        MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank != 1 || fixed)
        MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Rank 1 enters a barrier while the others free the communicator. */
static void freed(void)
{
    MPI_Comm copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 1)
        MPI_Barrier(copy);
    MPI_Comm_free(&copy);
}

/* Each rank completes its access epoch before it posts its exposure epoch; both wait for a post. */
static void epochs(void)
{
    MPI_Group world, other;
    MPI_Win window;
    int *memory, peer = 1 - rank;

    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    if (fixed)
        MPI_Win_post(other, 0, window);
    MPI_Win_start(other, 0, window);
    MPI_Put(&rank, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    if (!fixed)
        MPI_Win_post(other, 0, window);
    MPI_Win_wait(window);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}

/* The ranks take two locks in different orders. */
static void locks(void)
{
    MPI_Win window[2];
    int *memory, one = 1, first = fixed ? 0 : rank;

    for (int w = 0; w < 2; w++)
        MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                         &window[w]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window[first]);
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window[first]);
    MPI_Win_flush(0, window[first]);
    if (!fixed)
        MPI_Barrier(MPI_COMM_WORLD); /* both ranks hold their first lock */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window[1 - first]);
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window[1 - first]);
    MPI_Win_unlock(0, window[1 - first]);
    MPI_Win_unlock(0, window[first]);
    for (int w = 0; w < 2; w++)
        MPI_Win_free(&window[w]);
}

/* Rank 0 holds shared locks at all targets and keeps rank 1 out, which needs an exclusive one. */
static void shared(void)
{
    MPI_Win window;
    int *memory, number = rank;

    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    if (rank == 0)
        MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && fixed)
        MPI_Win_unlock_all(window);
    if (rank == 0)
        MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Win_unlock(0, window);
        MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && !fixed)
        MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Rank 0 enters a barrier before it closes the file, rank 1 after. Non-blocking file collectives
 * block no rank at their start. */
static void file(void)
{
    char name[] = "/tmp/hangs.XXXXXX";
    int number = rank, other = 0;
    MPI_Request request;
    MPI_File handle;

    if (rank == 0)
        close(mkstemp(name));
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &handle);
    if (rank == 1)
        MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at_all(handle, rank * (MPI_Offset)sizeof number, &number, 1, MPI_INT, &request);
    if (rank == 0)
        MPI_Send(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0 && !fixed) {
        unlink(name); /* the job hangs, so no close deletes the file */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&handle);
    if (rank == 1 && !fixed)
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } way[] = {{"communicators", communicators},
               {"blocking", blocking},
               {"collectives", collectives},
               {"freed", freed},
               {"epochs", epochs},
               {"locks", locks},
               {"shared", shared},
               {"file", file}};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fixed = argc > 2 && !strcmp(argv[2], "fixed");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++)
        if (argc > 1 && !strcmp(argv[1], way[i].name))
            way[i].run();
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
