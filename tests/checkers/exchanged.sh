# expected
# Two arguments of a call that are exchanged are one mistake, with the call to write instead:
# handles and numbers, two handles, and ranks and tags, if the other side's call shows that.
cat >exchanged.c <<'P'
#include <mpi.h>
#ifdef WRONG
#define TWO(a, b) b, a
#else
#define TWO(a, b) a, b
#endif
static int rank, size, value[4], other[4];
static void refused(void)
{
    MPI_Win win;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_create(value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(TWO(0, win));
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef WRONG
    MPI_Reduce(value, &other[0], (4), MPI_SUM, MPI_INT, 0, MPI_COMM_WORLD);
#else
    MPI_Reduce(value, &other[0], (4), MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
#endif
    if (rank == 1) MPI_Send(value, 4, MPI_INT, 0, 99, MPI_COMM_WORLD);
    if (rank == 0)
#ifdef WRONG
        MPI_Recv(other, 4, MPI_INT, 99, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
        MPI_Recv(other, 4, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    MPI_Win_free(&win);
}
static void count(void) { MPI_Bcast(value, TWO(4, MPI_INT), 0, MPI_COMM_WORLD); }
static void source(void)
{
    if (rank == 1) MPI_Ssend(value, 4, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(other, 4, MPI_INT, TWO(1, 2), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void dest(void)
{
    for (int i = 1; i < size && rank == 0; i++)
        MPI_Send(value, 4, MPI_INT, TWO(i, 0), MPI_COMM_WORLD);
    if (rank) MPI_Recv(other, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (char *what = argv[1]; *what; what++)
        switch (*what) {
        case 'r': refused(); break;
        case 'c': count(); break;
        case 's': source(); break;
        case 'd': dest(); break;
        }
    MPI_Finalize();
    return 0;
}
P
# The C compiler of Debian 13 takes these mistakes for errors.
mpicc -g -w -Wno-int-conversion -Wno-incompatible-pointer-types -DWRONG -o wrong exchanged.c &&
    mpicc -g -o right exchanged.c || exit 1
for case in r c s d; do
    echo "# $case"
    crosswait run --confirm=0 -o T.db -- mpirun -n 3 ./wrong $case >said 2>&1 </dev/null
    # MPI may refuse the count or crash, and end a rank before it makes its call.
    grep -E '^error\[(argument|deadlock|hang)\]|^ *= (write|help|.* exchanged:)' said |
        sed -E 's/ \(ranks? [^)]*\)$//'
done
crosswait run --confirm=0 -o T.db -- mpirun -n 3 ./right rcsd 2>&1 </dev/null | grep ^verdict
exit 0
