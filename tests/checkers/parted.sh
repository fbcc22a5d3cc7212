# expected
# A finding on mismatching collectives says where the ranks diverged before: a call that one rank
# left out or made alone, or a loop that one left early; and that the root alone has the result of
# the reduction before. If the ranks make the same collectives at different places, only the
# mismatch is reported.
cat >prog.c <<'END'
#include <mpi.h>
static int rank, x;
static void all(void) { MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD); }
#ifdef LEFT_OUT
static int tune(void)
{
    if (rank == 0)
        return 1;
    return MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
static void work(void) { tune(); all(); }
#elif defined ALONE
static void work(void)
{
    all();
    if (rank == 2)
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    all();
    MPI_Barrier(MPI_COMM_WORLD);
}
#elif defined LOOP
static void work(void)
{
    int sum;
    for (int round = 0; round < (rank == 1 ? 3 : 5); round++)
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
#elif defined RESULT || defined RESULT_OF_ALL
static void work(void)
{
    int high = 9;
    for (int round = 0; round < 9 && high > 5; round++) {
        x = 8 - 2 * round - rank;
#ifdef RESULT
        MPI_Reduce(&x, &high, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
#else /* the root leaves for another reason */
        MPI_Allreduce(&x, &high, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        high = rank ? 9 : high;
#endif
    }
    MPI_Barrier(MPI_COMM_WORLD);
}
#else /* BRANCHES */
static void work(void)
{
    for (int round = 0; round < 3; round++) {
        if (rank == 0)
            MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        else
            MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
}
#endif
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work();
    MPI_Finalize();
    return 0;
}
END
for how in LEFT_OUT ALONE LOOP RESULT RESULT_OF_ALL BRANCHES; do
    mpicc -g -w -D$how -o prog prog.c || exit 1
    crosswait run --confirm=0 -o T.db -- mpirun -n 3 ./prog >said 2>/dev/null </dev/null
    echo "$how: $?"
    grep -E '^(error|warning)\[|^   = (the ranks diverged|only rank)' said
done
exit 0
