# expected
# Attaching or detaching memory of a dynamic window without an order against another rank's access
# is an error, however the run went. Checkers report nothing if messages or barriers order the two,
# and a note if one-sided operations may.
cat >attached.c <<'C'
#include <mpi.h>
#include <string.h>
static int memory[8];
int main(int argc, char **argv)
{
    int rank, x = 5;
    MPI_Win window;
    MPI_Aint at = 0;
    MPI_Init(&argc, &argv);
    const char *how = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Get_address(memory, &at);
    if (rank == 0 && strcmp(how, "late"))
        MPI_Win_attach(window, memory, sizeof memory);
    MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    if (rank == 0 && !strcmp(how, "late"))
        MPI_Win_attach(window, memory, sizeof memory);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        for (int i = 0; i < 3; i++)
            MPI_Put(&x, 1, MPI_INT, 0, MPI_Aint_add(at, 8 + 4 * i), 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    if (rank == 1 && !strcmp(how, "flag")) { /* rank 0 may look at it */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&x, 1, MPI_INT, 0, MPI_Aint_add(at, 4), 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    if (strcmp(how, "early") && strcmp(how, "flag"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && !strcmp(how, "flag")) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Win_unlock(0, window);
    }
    if (rank == 0)
        MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o attached attached.c || exit 1
for how in late early ordered flag; do
    crosswait record -o $how.db -- timeout 30 mpirun -n 2 ./attached $how >/dev/null 2>&1
    crosswait check --only=rma $how.db >out 2>&1
    echo "$how: $?"
    grep -E '^(error|warning|note)\[|MPI_Win_(at|de)tach\(' out
done
exit 0
