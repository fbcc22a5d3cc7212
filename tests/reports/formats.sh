# expected
# Reports for other tools, checked against the trace: SARIF, JUnit, Perfetto, GOAL and DOT of a job with findings and of jobs without.
# Holds checkers invariant 3; reports invariants 1, 2 and 3;
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
formats stencil 4 $P/stencil
formats farm 4 $P/farm
formats matvec 4 $P/matvec
formats tree_sum 4 $P/tree_sum
formats polling 1 $BUILD/tests/interpose/polling count mixed 2000
# The same trace, the same bytes.
for format in sarif junit perfetto goal dot; do
    crosswait report --format=$format quiz.db | cmp - quiz.$format
done
echo "== wrong"
crosswait report --format=pdf quiz.db
echo "[$?]"
