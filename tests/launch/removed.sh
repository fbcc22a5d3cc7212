# expected
# The spool folder is removed while the job runs: no record is lost, because the launcher holds the
# files open. Holds launch_inside.h invariant 2.
. $SOURCE/tests/launch/lib.bash
crosswait record -o T.db -- mpirun -n 2 $P/slow 2 >out 2>err &
wait_for "standing T.db 'outside of MPI, after MPI_Comm_size' 'in MPI_Ssend'"
rm -rf T.db.spool
wait $!; echo "[$?]"
cat out
sed "s,'.*T.db.spool/[^']*',SPOOL," err
sqlite3 T.db "select rank, count(*) from event where parent is null group by rank"
ranks T.db
ls
