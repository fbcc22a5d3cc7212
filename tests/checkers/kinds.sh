# Mistakes that hang a job are reported with their cause and a help that fits, on one mistake each;
# the right twins are clean.
cat >kinds.c <<'P'
#include <mpi.h>
#include <string.h>
static int rank, size, bad;
/* A loop over all ranks sends to the rank itself, too. */
static void itself(void)
{
    int out = rank, in;
    for (int to = 0; to < size; to++) {
        if (to == rank && !bad) continue;
        if (rank <= to) MPI_Ssend(&out, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_INT, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > to) MPI_Ssend(&out, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    }
}
/* A rank of the root's group that is not the root gives a root of the other group. */
static void inter(void)
{
    int low = rank < 2, value = 0;
    MPI_Comm half, both;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? 2 : 0, 9, &both);
    MPI_Bcast(&value, 1, MPI_INT, !low || (rank == 1 && bad) ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT,
              both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}
/* A rank without data leaves a collective write out. */
static void file(void)
{
    int value = 0, count = rank == 2 ? 0 : 1;
    MPI_File all;
    MPI_File_open(MPI_COMM_WORLD, "kinds.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &all);
    if (count || !bad)
        MPI_File_write_at_all(all, 4 * rank, &value, count, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&all);
}
/* Only the members of a group make its communicator. */
static void group(void)
{
    int first = 0;
    MPI_Group world, some;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &first, &some);
    if (!rank || !bad) MPI_Comm_create(MPI_COMM_WORLD, some, &made);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    MPI_Barrier(MPI_COMM_WORLD);
}
/* One receive of several rounds is left, and its buffer changes: one mistake. */
static void rounds(void)
{
    static int in[8];
    int out[8] = {0}, peer = rank ^ 1;
    MPI_Request request;
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(in, 8, MPI_INT, peer, 0, MPI_COMM_WORLD, &request);
        MPI_Send(out, 8, MPI_INT, peer, 0, MPI_COMM_WORLD);
        if (!bad) MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int k = 0; k < 8; k++) in[k]++;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    struct { const char *name; void (*make)(void); } all[] = {
        {"itself", itself}, {"inter", inter}, {"file", file}, {"group", group}, {"rounds", rounds}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bad = argc > 2;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(argv[1], all[i].name) || !strcmp(argv[1], "right")) all[i].make();
    return MPI_Finalize();
}
P
mpicc -g -o kinds kinds.c || exit 1
try() { # ARGUMENT...
    echo "# $*"
    crosswait run --confirm=0 -o T.db -- mpirun -n 4 ./kinds "$@" >said 2>&1
    grep -E '^(error|warning|note)\[|^ *= help|sends to itself|^verdict' said
}
for mistake in itself inter file group rounds; do
    try $mistake bad
done
try right
