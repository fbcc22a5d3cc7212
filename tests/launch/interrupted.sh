# expected
# A run that Ctrl-C ends says so and exits with 128 + the signal; a finding counts for more. Traces
# and reports can be read by whom the user's umask lets read them.
. $SOURCE/tests/launch/lib.bash
own slow cw.slow
for signal in INT TERM; do
    (trap - INT; exec crosswait run -o $signal.db --json=$signal.json -- mpirun -n 2 ./cw.slow 30) \
        >$signal.out 2>err &
    wait_for "standing $signal.db 'outside of MPI, after MPI_Comm_size' 'in MPI_Ssend'"
    kill -$signal $!
    wait $!; echo "$signal: [$?] left behind $(left cw.slow)"
    grep '^crosswait: the job\|^verdict: ' $signal.out
    crosswait report --format=json $signal.db >again.json
    sed -n 's/^ *\("interrupted": .*\|"says": .*\)/\1/p' again.json
done
umask 027
crosswait run -q -o mask.db --json=mask.json --html=mask.html -- \
    mpirun -n 2 "$BUILD/corpus/programs/quiz_fixed" >/dev/null
stat -c '%a %n' mask.db mask.json mask.html
