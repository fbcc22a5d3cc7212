# expected
# A rank that is stopped (SIGSTOP) inside MPI is no deadlock, whichever rank waits for it: the job
# continues when the rank does.
. $SOURCE/tests/launch/lib.bash
crosswait record -o T.db -- mpirun -n 2 $P/slow 8 >out 2>err &
wait_for "standing T.db 'outside of MPI, after MPI_Comm_size' 'in MPI_Ssend'"
for rank in $(pgrep -P $(pgrep -P $! 'mpirun|prterun')); do
    grep -qz '^OMPI_COMM_WORLD_RANK=1$' /proc/$rank/environ && break
done
kill -STOP $rank
wait_for "standing T.db 'in MPI_[RF]' 'in MPI_Ssend'" # MPI_Recv or MPI_Finalize
sleep 1.5 # much longer than the launcher waits before it tries a proof
kill -CONT $rank
wait $!; echo "[$?]"
cat err
ranks T.db
