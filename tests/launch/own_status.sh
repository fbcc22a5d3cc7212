# The reported exit status of a rank that ends without MPI_Finalize is its own, whichever process
# waits for it: here a shell, which ends with another status. A rank that leaves no status is
# reported so.
cat >leaves.c <<'C'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        argv[1][0] == '_' ? _exit(0) : exit(atoi(argv[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o leaves leaves.c || exit 1
bad=0
for code in 0 5 _; do
    timeout 60 crosswait run -o job.db -- mpirun -n 2 sh -c "./leaves $code; exit 7" >out 2>err
    grep -q '^error\[lifecycle\]: rank 1 exits without MPI_Finalize' out &&
        ! grep -q 'with exit status 7' out &&
        case $code in
        _) ! grep -q 'with exit status [^0]' out ;; # it may be gone before its own, 0, is seen
        *) grep -q "^  rank 1 .*exited (exit status $code, without MPI_Finalize)" out ;;
        esac || { echo "exit $code:"; cat out err; bad=1; }
done
exit $bad
