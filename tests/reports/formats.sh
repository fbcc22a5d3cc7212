# expected
# Compares reports for other tools with the trace: SARIF, JUnit, Perfetto, GOAL and DOT of a job
# with findings and of jobs without. Holds checkers invariant 3; reports invariants 1, 2 and 3;
# reports/junit.h invariant 1; reports/sarif.h invariant 3.
P=$BUILD/corpus/programs
formats() { # name ranks program...
    echo "== $1"
    crosswait run --confirm=0 -o $1.db -- mpirun -n "${@:2}" >/dev/null 2>&1
    for format in sarif junit perfetto goal dot; do
        crosswait report --format=$format -o $1.$format $1.db
    done
    /usr/bin/python3 "$SOURCE/tests/reports/formats.py" $1.db $1.sarif $1.junit $1.perfetto $1.goal
}
formats quiz 2 $P/quiz
grep -c -- '->' quiz.dot
formats quiz_fixed 2 $P/quiz_fixed
grep -o 'skipped message="[^"]*' quiz_fixed.junit
formats stencil 4 $P/stencil
formats farm 4 $P/farm
formats matvec 4 $P/matvec
formats tree_sum 4 $P/tree_sum
formats polling 1 $BUILD/tests/interpose/polling count mixed 2000
# The same trace, the same bytes.
for format in sarif junit perfetto goal dot; do
    crosswait report --format=$format quiz.db | cmp - quiz.$format
done
# A hang of which the finding says something else than who waits: the graph is that of the proof,
# for everybody who draws one.
echo "== proven"
cat > apart.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, all[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o apart apart.c &&
    crosswait run --stack=4 -o apart.db -- mpirun -n 4 ./apart 2>/dev/null |
    sed 's/since.*/since when/; s/ended the job [0-9.]* s after/ended the job N s after/'
crosswait report --format=dot apart.db | grep -- '->'
crosswait report --format=html apart.db | grep -c 'class="ring"'
crosswait report --format=json apart.db | grep -c '"awaits"'
crosswait replay apart.db | head -2
echo "[${PIPESTATUS[0]}]"
# Colours where they are asked for.
NO_COLOR=1 crosswait check --color=always --only=collective apart.db | head -1 | cat -v
crosswait check --color=sometimes apart.db
echo "[$?]"
echo "== wrong"
crosswait report --format=pdf quiz.db
echo "[$?]"
