# Mistakes that hang a job are reported with their cause and a help that fits, on one mistake each;
# the right twins are clean.
cat >kinds.c <<'P'
#include <mpi.h>
#include <stdlib.h>
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
/* A function for the lower half reduces over all ranks. */
static void comm(void)
{
    int one = 1, sum;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
    if (rank < 2) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, bad ? MPI_COMM_WORLD : half);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&half);
}
/* The group of MPI_Win_start lacks a rank whose MPI_Win_post names this one. */
static void posts(void)
{
    int data[2] = {0}, zero = 0, others[2] = {1, 2};
    MPI_Group world, some;
    MPI_Win window;
    if (size < 3) return;
    MPI_Win_create(data, sizeof data, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, rank ? 1 : bad ? 1 : 2, rank ? &zero : others, &some);
    if (!rank) {
        MPI_Win_start(some, 0, window);
        MPI_Win_complete(window);
    } else if (rank < 3) {
        MPI_Win_post(some, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}
/* A rank gives up. */
static void gives_up(void)
{
    if (bad && rank == 1) exit(3);
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    struct { const char *name; void (*make)(void); } all[] = {
        {"itself", itself}, {"inter", inter}, {"file", file}, {"group", group}, {"rounds", rounds},
        {"comm", comm}, {"posts", posts}, {"gives_up", gives_up}};
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
try() { # RANKS ARGUMENT...
    echo "# ${*:2}"
    crosswait run --confirm=0 -o T.db -- mpirun -n $1 ./kinds "${@:2}" >said 2>&1
    grep -E '^(error|warning|note)\[|^ *= help|sends to itself|members of|^verdict' said
}
for mistake in itself group rounds gives_up; do try 2 $mistake bad; done
for mistake in file comm posts; do try 3 $mistake bad; done
try 4 inter bad
try 4 right
# A string is given in place of its characters; a vector grows under a pending receive, which the
# watchpoint sees where the kernel allows one.
cat >kinds.cc <<'P'
#include <mpi.h>
#include <string>
#include <vector>
int main(int argc, char **argv)
{
    int rank, bad = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string text(48, 'x');
    if (bad) MPI_Bcast(&text, 48, MPI_CHAR, 0, MPI_COMM_SELF);
    else MPI_Bcast(&text[0], 48, MPI_CHAR, 0, MPI_COMM_SELF);
    std::vector<int> list(10), out(10);
    MPI_Request request;
    if (!bad) list.reserve(2000);
    MPI_Irecv(list.data(), 10, MPI_INT, !rank, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 1000; i++) list.push_back(i);
    MPI_Send(out.data(), 10, MPI_INT, !rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
P
mpicxx -g -O0 -o kinds_cc kinds.cc || exit 1
for mistake in bad ""; do
    echo "# C++ $mistake"
    crosswait run --confirm=0 -o T.db -- mpirun -n 2 ./kinds_cc $mistake >said 2>&1
    grep -E '^error.*string|^ *= .text. holds' said
    grep -q 'done at stl_' said && ! grep -q 'a container that grows .push_back' said && cat said
done
exit 0
