# expected
# A ready send for which no receive need be posted fails, whichever rank runs first, and also if
# another message can take the receive that is posted. Any order by MPI makes it right.
cat >prog.c <<'END'
#include <mpi.h>
#include <string.h>
static int x, y, rank, size;
static MPI_Comm world;
static void to(int mode, int peer)
{
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) =
        mode == 'r' ? MPI_Rsend : mode == 's' ? MPI_Ssend : MPI_Send;
    send(&x, 1, MPI_INT, peer, mode, world);
}
static void from(int mode, int peer)
{
    MPI_Recv(&y, 1, MPI_INT, peer, mode, world, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, p;
    const char *how = argv[1];
    int found = 0, *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
#define IS(name) (!strcmp(how, name))
    const int wild = IS("wild") || IS("both");
    const int source = wild ? MPI_ANY_SOURCE : IS("ring") ? (rank + size - 1) % size : 1;
    if (IS("before"))
        MPI_Barrier(world);
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (strncmp(how, "start", 5) && (rank == 0 || IS("ring")))
        MPI_Irecv(&x, 1, MPI_INT, source, wild ? MPI_ANY_TAG : 'r', world, r);
    if (IS("both") && rank == 0)
        MPI_Irecv(&x, 1, MPI_INT, source, MPI_ANY_TAG, world, r + 1);
    if (IS("barrier") || wild)
        MPI_Barrier(world);
    if (IS("fence"))
        MPI_Win_fence(0, win);
    if ((IS("message") || IS("probe")) && rank == 0)
        to('g', 1);
    while (IS("probe") && rank == 1 && !found)
        MPI_Iprobe(0, 'g', world, &found, MPI_STATUS_IGNORE);
    if ((IS("message") || IS("probe")) && rank == 1)
        from('g', 0);
    if (IS("complete") && rank == 1)
        to('s', 0);
    if (IS("complete") && rank == 0)
        from('s', 1);
    for (int i = 0; !strncmp(how, "start", 5) && i < 3; i++) { /* persistent requests */
        if (i == 0 && rank == 0)
            MPI_Recv_init(&x, 1, MPI_INT, 1, 0, world, &p);
        if (i == 0 && rank == 1)
            MPI_Rsend_init(&x, 1, MPI_INT, 0, 0, world, &p);
        if (rank == 0)
            MPI_Start(&p);
        if (i != 1 || IS("starts"))
            MPI_Barrier(world);
        if (rank == 1)
            MPI_Start(&p);
        if (rank < 2)
            MPI_Wait(&p, MPI_STATUS_IGNORE);
    }
    if (!strncmp(how, "start", 5) && rank < 2)
        MPI_Request_free(&p);
    else if (rank == 1 || IS("ring"))
        to('r', IS("ring") ? (rank + 1) % size : 0);
    if (wild && rank == 2)
        to('o', 0);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (IS("wild") && rank == 0)
        MPI_Recv(&x, 1, MPI_INT, source, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o prog prog.c || exit 1
for how in before ring wild start barrier fence message probe complete both starts; do
    echo "$how: $(crosswait explore -n 3 -- ./prog $how | grep '^error\|^crosswait')"
done
