# expected
# The spool folder is removed while the job runs: what was recorded is kept, because the launcher
# holds the files. Holds launch_inside.h invariant 2.
. $SOURCE/tests/launch/lib.bash
crosswait record -o T.db -- mpirun -n 2 $P/slow 2 >out 2>err &
wait_for '[ "$(ls T.db.spool/*/*.ring 2>/dev/null | wc -l)" = 2 ]'
sleep 0.5
rm -rf T.db.spool
wait $!; echo "[$?]"
cat out
sed "s,'.*T.db.spool/[^']*',SPOOL," err
sqlite3 T.db "select rank, count(*) from event where parent is null group by rank"
ranks T.db
ls
