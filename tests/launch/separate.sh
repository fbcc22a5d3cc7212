# timeout: 120
# Processes that one launcher started and that do not find each other are jobs of one rank each.
# Every one is recorded and judged, and where the program was built for another MPI library than the
# launcher's, a warning says so. Silent are the right launcher, and a program that a rank starts.
. "$SOURCE/tests/launch/lib.bash"
command -v mpirun.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
cat >alone.c <<'C'
#include <mpi.h>
/* Any argument: rank 0 sends, to a rank that may not be there. */
int main(int argc, char **argv)
{
    int rank, x = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
mpicc.openmpi -g -o of_openmpi alone.c && mpicc.mpich -g -o of_mpich alone.c || exit 1
told() { # what the user reads of each job
    echo "$ $*"
    crosswait run -o T.db -- "$@" >out 2>err </dev/null
    echo "[$?]"
    grep -E "^(error|warning|verdict)" out | sed "s/ (rank .*//" | sort
    rm -f T*.db
}
told mpirun.mpich -n 2 ./of_openmpi
told mpirun.mpich -n 2 sh -c './of_openmpi send; :'
told mpirun.openmpi -n 2 ./of_mpich
told mpirun.openmpi -n 2 ./of_openmpi send
told mpirun.mpich -n 1 ./of_openmpi
told mpirun.openmpi -n 2 python3 -c 'import subprocess; subprocess.run("./of_mpich")'
echo "# without a launcher, at the same time"
told sh -c './of_mpich & ./of_mpich send & wait'
