# A hanging job whose mpirun cannot clean up: what its ranks had in shared memory goes with it,
# what others have stays.
. $SOURCE/tests/launch/lib.bash
unset OMPI_MCA_btl_vader_backing_directory # where it is for every job, and not the runner's
own quiz cw.quiz
foreign=/dev/shm/vader_segment.test.0.1.$$; echo >$foreign; trap 'rm -f $foreign' EXIT
crosswait record -o T.db -- mpirun -n 2 ./cw.quiz 1048576 >out 2>err &
job=$!
rank_of() { # its process number
    local p
    for p in $(grep -lsz "^CROSSWAIT_SPOOL=$PWD/T.db.spool\$" /proc/[0-9]*/environ |
        cut -d/ -f3); do
        [ "$(readlink /proc/$p/exe)" = "$PWD/cw.quiz" ] && echo $p && return
    done
}
segments() { grep -o "/dev/shm/vader_segment[^ ]*" /proc/$1/maps | sort -u; }
wait_for 'rank=$(rank_of); [ -n "$rank" ] && [ "$(segments $rank | wc -l)" = 2 ]'
[ -n "$rank" ] || exit 1
files=$(segments $rank) starter=$(cut -d' ' -f4 /proc/$rank/stat)
kill -STOP $starter
wait $job
grep -o '^crosswait: deadlock' err
for f in $files; do [ -e $f ] && echo "left: $f"; done
[ -e $foreign ] || echo "another's file was removed"
echo "left behind: $(left cw.quiz)"
exit 0
