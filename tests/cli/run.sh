# expected
# timeout: 120
# crosswait run: the verdict and the exit status, job by job.
P=$BUILD/corpus/programs
run() { # options and command
    crosswait run -o T.db "$@" >out 2>err
    echo "[$?] $(basename "${*: -1}")"
    grep -E '^(error|warning|verdict|crosswait:)' out err |
        sed 's/^[a-z]*://; s/; the job was ended.*//; s/, [0-9]* notes*$//'
    rm -rf T.db*
}
run -- mpirun -n 2 $P/quiz
run -- mpirun -n 2 $P/quiz_fixed
mkdir -p "t/it's" && cp $P/quiz_fixed "t/it's/ri ng" # a name is kept whole
run --junit=suite.xml -- mpirun -n 2 "t/it's/ri ng"
grep -o 'testsuite name="[^"]*"' suite.xml
run mpirun -n 2 $P/quiz_blocking 1048576
run -- mpirun -n 2 $P/crash_segv
run --budget=8 -- mpirun -n 2 $P/slow
run -- nonesuch
run -- true
run -- false
run --only=deadlock,nonesuch -- true
run --only=leak,bufer -- true
run --budget=soon -- true
# Inside of another crosswait, which has the usual name.
crosswait run -q --markdown=all.md -- bash -c "for program in quiz quiz_fixed; do
    crosswait run -q -- mpirun -n 2 $P/\$program; done" 2>&1 >/dev/null
echo "[$?] $(grep '^###' all.md | xargs) $(echo *.db)"
rm *.db
# What was left out is not called clean; report leaves it out, too.
crosswait run -o T.db --ignore=deadlock,buffer-need -- mpirun -n 2 $P/quiz | grep ^verdict
crosswait report T.db | grep ^verdict
crosswait report --recheck T.db | grep ^verdict
crosswait check --only=leak T.db | tail -n 1
rm T.db
# What the job prints stands before the report, untouched.
crosswait run -- mpirun -n 1 sh -c 'printf "no newline"' 2>/dev/null | head -c 10; echo
exit 0
