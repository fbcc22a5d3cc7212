# Another preloaded tool, which counts sends by PMPI: it and the recorder both see the job, whoever
# preloads the tool, and in whatever way; the same if the program has such functions itself. Of two
# recorders, as under a crosswait within another installation's, only the inner one is preloaded.
. "$SOURCE/tests/launch/lib.bash"
failed=0
cat >tool.c <<'C'
#include <mpi.h>
#include <stdio.h>
static int sends;
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sends++;
    return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}
int MPI_Finalize(void)
{
    int all = 0, me;
    PMPI_Reduce(&sends, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0)
        printf("%d sends\n", all);
    return PMPI_Finalize();
}
C
quiz=$SOURCE/corpus/programs/quiz.c
mpicc -shared -fPIC -o tool.so tool.c && mpicc -g -o quiz "$quiz" &&
    mpicc -g -o own "$quiz" tool.c ||
    exit 1
mpirun -n 2 -x LD_PRELOAD="$PWD/tool.so" ./quiz 2>&1 | sort >expected
try() { # COMMAND...
    rm -rf T.db*
    "$@" >out 2>err </dev/null
    sort out | diff expected - && [ "$(ranks T.db | wc -l)" = 2 ] &&
        crosswait check T.db | grep -q '^verdict: 1 error' && return
    echo "$*:"
    cat err
    failed=1
}
record="crosswait record -o T.db --"
try env LD_PRELOAD="$PWD/tool.so" $record mpirun -n 2 ./quiz
try $record mpirun -n 2 -x LD_PRELOAD="$PWD/tool.so" ./quiz
try $record env LD_PRELOAD="$PWD/tool.so" mpirun -n 2 ./quiz
try $record mpirun -n 2 env LD_PRELOAD="$PWD/tool.so" ./quiz
try $record mpirun -n 2 ./own
mkdir other && cp "$BUILD"/libcrosswait*.so "$BUILD/crosswait" other &&
    try crosswait run -q --sarif=T.sarif -o outer.db -- other/$record mpirun -n 2 ./own
if command -v mpiexec.mpich >/dev/null; then
    mpicc.mpich -shared -fPIC -o tool.mpich.so tool.c && mpicc.mpich -g -o quiz.mpich "$quiz" ||
        exit 1
    try $record mpiexec.mpich -n 2 -env LD_PRELOAD "$PWD/tool.mpich.so" ./quiz.mpich
    try $record mpiexec.mpich -genv LD_PRELOAD "$PWD/tool.mpich.so" -n 2 ./quiz.mpich
fi
exit $failed
