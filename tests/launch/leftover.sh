# If mpirun cannot clean up, because the job hangs or a forwarded signal ends it, the launcher
# removes the shared memory of its ranks, and nothing of others.
. $SOURCE/tests/launch/lib.bash
unset OMPI_MCA_btl_vader_backing_directory # where it is for every job, and not the runner's
# The deadlock begins when the test says so: on a loaded machine it would be over otherwise before
# the test has seen its ranks. The launcher knows them once MPI_Init has returned in both.
cat >late.c <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, token;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    close(creat(rank ? "begun1" : "begun0", 0600));
    while (access("go", F_OK))
        usleep(10000);
    MPI_Recv(&token, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
mpicc -o cw.late late.c || exit 1
foreign=/dev/shm/vader_segment.test.0.1.$$; echo >$foreign; trap 'rm -f $foreign' EXIT
rank_of() { # its process number
    local p
    for p in $(grep -lsz "^CROSSWAIT_SPOOL=$PWD/T.db.spool\$" /proc/[0-9]*/environ |
        cut -d/ -f3); do
        [ "$(readlink /proc/$p/exe)" = "$PWD/cw.late" ] && echo $p && return
    done
}
segments() { grep -o "/dev/shm/vader_segment[^ ]*" /proc/$1/maps | sort -u; }
start() { # crosswait record's arguments: the job, its rank, its starter and their files
    rm -f T.db begun?
    env --default-signal=INT,QUIT crosswait record -o T.db "$@" -- \
        mpirun -n 2 ./cw.late >out 2>err &
    job=$!
    wait_for '[ -e begun0 ] && [ -e begun1 ]'
    rank=$(rank_of)
    files=$(segments $rank) starter=$(cut -d' ' -f4 /proc/$rank/stat)
}
gone() { for f in $files; do [ -e $f ] && echo "$1: left: $f"; done; }
start
kill -STOP $starter
touch go
wait $job
grep -o '^crosswait: deadlock' err
gone hang
rm go
for signals in QUIT "TERM TERM" "INT INT"; do # a second one, as mpirun is still at work
    start --no-watch
    for signal in $signals; do kill -$signal $job; sleep 0.02; done
    wait $job
    gone "$signals"
done
[ -e $foreign ] || echo "another's file was removed"
echo "left behind: $(left cw.late)"
exit 0
