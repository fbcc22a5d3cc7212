# expected
# The launcher does not end a job that only looks stuck: a rank sleeps or computes while the others
# wait for it inside MPI. Holds history/history.h invariant 2.
. $SOURCE/tests/launch/lib.bash
for arguments in "5 sleep" "4 compute"; do
    crosswait record -o T.db -- mpirun -n 3 $P/slow $arguments 2>err; echo "[$?]"
    cat err
    ranks T.db
    sqlite3 T.db "select * from ended"
done
# As often as it is asked: the same with the twins of programs that hang.
for i in 1 2 3; do
    crosswait record -o T.db -- mpirun -n 2 $P/quiz_fixed 4000000 2>err | sort
    echo "[${PIPESTATUS[0]}]"; cat err
done
