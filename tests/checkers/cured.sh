# expected
# The help of a collective mismatch names the change that mends it, if the recorded calls decide it:
# two calls in the other order, or another communicator. If the change would not mend it, or the
# program is right, the help does not name it.
cat >prog.c <<'END'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, x = 0, y = 0, z = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    const char *what = argv[1];
    int odd = !strcmp(what, "first") ? rank == 0 : !strcmp(what, "right") ? 0 : rank >= 2;
    if (!strcmp(what, "half") || !strcmp(what, "root") || !strcmp(what, "more")) {
        int root = !strcmp(what, "root");
        if (rank / 2 == root)
            MPI_Bcast(&x, 1, MPI_INT, 2 * root, MPI_COMM_WORLD);
        if (!strcmp(what, "more") && rank < 3)
            MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (!strcmp(what, "other")) {
        MPI_Comm_free(&half);
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
        if (rank < 2)
            MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (!strcmp(what, "inner") || !strcmp(what, "extra")) {
        if (rank < 2 + !strcmp(what, "extra"))
            MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(&y, 1, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (odd) {
        MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Bcast(&z, 1, MPI_INT, !strcmp(what, "unlike"), MPI_COMM_WORLD);
    } else {
        MPI_Bcast(&z, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o prog prog.c || exit 1
for what in last first unlike right half root more other inner extra; do
    echo "$what:"
    crosswait run -o $what.db -- mpirun -n 4 ./prog $what >out.txt 2>/dev/null
    [ $what = inner ] && grep 'deadlock. follows' out.txt
    awk '/^error.collective/ { print; help = 1 } help && /= help/ { print; help = 0 }' out.txt
done
exit 0
