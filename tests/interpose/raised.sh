# Errors that MPICH raises with MPI_THREAD_MULTIPLE, when it may hold its own lock: those that
# return do so, and those that end the job end it as without crosswait; the report says which. A
# communicator has the handler of the one from which it was made.
command -v mpicc.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
cat >raised.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
static void cut(MPI_Comm comm, int rank)
{
    int x[4] = {0}, error = 0;
    if (rank)
        error = MPI_Recv(x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(x, 4, MPI_INT, 1, 0, comm);
    printf("%d: %d\n", rank, error != MPI_SUCCESS);
    fflush(stdout);
}
int main(int argc, char **argv)
{
    int provided, rank, on_copy = !strcmp(argv[1], "copy"), *base;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Win window;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(comm, &rank);
    if (!strcmp(argv[2], "returns"))
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (on_copy)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (!strcmp(argv[1], "window")) {
        MPI_Win_allocate(4, 4, MPI_INFO_NULL, comm, &base, &window);
        if (!strcmp(argv[2], "returns"))
            MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
        printf("%d: %d\n", rank, MPI_Win_unlock(0, window) != MPI_SUCCESS);
        fflush(stdout);
        MPI_Win_free(&window);
    } else {
        cut(comm, rank);
    }
    if (on_copy)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
C
mpicc.mpich -g -o raised raised.c || exit 1
bad=0
# Since 4.1 mpiexec may end with 0 although a rank ended with an error (launch/hydra.sh).
exact=yes
mpichversion | grep -q '^MPICH Version:.*4\.0' || exact=no
for where in world copy window; do
    for how in returns ends; do
        timeout 60 mpiexec.mpich -n 2 ./raised $where $how >plain 2>/dev/null; expected=$?
        timeout 60 crosswait record -o job.db -- mpiexec.mpich -n 2 ./raised $where $how >out 2>err
        status=$?
        crosswait report job.db >report 2>/dev/null
        said=$(grep -c 'raised an error, and errors are fatal' report)
        [ $how-$exact = ends-no ] && expected=$status
        [ $status = $expected ] && ! grep -q Assertion err && [ $said -le 1 ] &&
            if [ $how = returns ]; then
                [ $status = 0 ] && [ $said = 0 ] && cmp -s <(sort plain) <(sort out)
            else
                [ $status$exact != 0yes ] && [ $said = 1 ]
            fi ||
            { echo "$where $how: $status, not $expected; told $said times"; cat err report; bad=1; }
    done
done
exit $bad
