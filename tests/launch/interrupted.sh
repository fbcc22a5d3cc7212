# expected
# A run that Ctrl-C ends says so and exits with 128 + the signal; a finding takes precedence. The
# user's umask decides who can read traces and reports.
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
# A signal that comes when the job is over, or that the job takes no notice of. The tags count up:
# such a loop does not fold, and storing it takes a second.
(trap - INT; exec crosswait run -o over.db -- \
    mpirun -n 2 "$BUILD/tests/bench/jobs/families" flood_tags 400000) >over.out 2>&1 &
wait_for "test -e over.db.partial"
kill -INT $!
wait $!; echo "over: [$?] left: $(echo over.db*)"
cat >deaf.c <<'END'
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, got;
    signal(SIGINT, SIG_IGN);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; !rank && i < 2; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (!rank)
        kill(atoi(argv[1]), SIGUSR2);
    sleep(1);
    MPI_Finalize();
    return 0;
}
END
sed -i 's/#include <unistd.h>/#include <stdlib.h>\n&/' deaf.c
mpicc -g -o deaf deaf.c || exit 1
echo 'trap "" USR2; mpirun -n 3 ./deaf $PPID' >deaf.sh
crosswait run -o deaf.db -- sh deaf.sh >deaf.out 2>&1
echo "deaf: [$?]"
grep '^verdict\|^explored\|^not explored\|^crosswait: the job' deaf.out
umask 027
crosswait run -q -o mask.db --json=mask.json --html=mask.html -- \
    mpirun -n 2 "$BUILD/corpus/programs/quiz_fixed" >/dev/null
stat -c '%a %n' mask.db mask.json mask.html
