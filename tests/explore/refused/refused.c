/* What rank 0 does is wrong, `refused WAY`, unless what MPI may do in any order comes as it does in
 * the job: `refused all sound` is right in any order. With 3 ranks rank 0 receives from whoever
 * comes first, with 2 it probes for many messages before any is there: the right order is one of
 * very many. Rank 1 sleeps. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 24, PAUSE_US = 500000 };
static int rank, ranks, sound;
static const MPI_Comm world = MPI_COMM_WORLD;

static int receive(int source, int tag)
{
    int value;
    MPI_Status status;

    MPI_Recv(&value, 1, MPI_INT, source, tag, world, &status);
    return status.MPI_SOURCE;
}

static void send(int count)
{
    for (int tag = 0; tag < count; tag++)
        MPI_Send(&rank, 1, MPI_INT, 0, tag, world);
}

static int probe(void)
{
    int found = 0, flag;

    for (int tag = 0; tag < MESSAGES; tag++, found += flag)
        MPI_Iprobe(1, tag, world, &flag, MPI_STATUS_IGNORE);
    for (int tag = 0; tag < MESSAGES; tag++)
        receive(1, tag);
    return found == 0;
}

/* Whether it came as in the job. */
static int as_in_job(void)
{
    int is = 1, probes = ranks == 2;

    MPI_Barrier(world);
    if (rank == 1)
        usleep(PAUSE_US);
    if (rank > 0)
        send(probes ? MESSAGES : 1);
    else if (probes)
        is = probe();
    else
        is = (receive(MPI_ANY_SOURCE, 0) == 2) & (receive(MPI_ANY_SOURCE, 0) == 1);
    return is || sound;
}

/* A communicator that was freed. */
static void freed(void)
{
    MPI_Comm comm, used;

    MPI_Comm_dup(world, &comm);
    used = comm;
    int right = as_in_job();
    if (!right)
        MPI_Comm_free(&comm);
    MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, used);
    if (right)
        MPI_Comm_free(&comm);
}

static void root(void)
{
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, as_in_job() ? 1 : ranks, world);
}

static void other_root(void)
{
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, as_in_job() ? 1 : 0, world);
}

static void null(void)
{
    int value = 0;
    MPI_Send(&value, 1, as_in_job() ? MPI_INT : MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, world);
}

static void cut(void)
{
    int value[2] = {0}, right = as_in_job();
    if (rank == 1)
        MPI_Send(value, 2, MPI_INT, 0, MESSAGES, world);
    if (rank == 0)
        MPI_Recv(value, right ? 2 : 1, MPI_INT, 1, MESSAGES, world, MPI_STATUS_IGNORE);
}

static void stuck(void)
{
    if (!as_in_job())
        receive(1, MESSAGES);
}

/* MPI allows that, but a world refuses it: nothing is wrong. */
static void allowed(void)
{
    int value[4] = {0}, room[4] = {0};
    MPI_Datatype pairs;
    MPI_Win win;

    as_in_job();
    MPI_Type_contiguous(2, MPI_2INT, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Win_create(room, sizeof room, 1, MPI_INFO_NULL, world, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Accumulate(value, 1, pairs, 0, 0, 1, pairs, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Type_free(&pairs);
}

static const struct way {
    const char *name;
    void (*run)(void);
} way[] = {{"freed", freed}, {"root", root},   {"other_root", other_root}, {"null", null},
           {"cut", cut},     {"stuck", stuck}, {"allowed", allowed}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    sound = argc > 2;
    for (size_t i = 0; i < sizeof way / sizeof *way; i++)
        if (!strcmp(argv[1], way[i].name) || (!strcmp(argv[1], "all") && way[i].run != allowed))
            way[i].run();
    MPI_Finalize();
    return 0;
}
