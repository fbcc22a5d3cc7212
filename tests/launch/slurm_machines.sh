# slow
# timeout: 300
# Under Slurm on two machines, whose ranks srun starts: all records arrive here, and a hang across
# both is proven and ended, for Open MPI with PMIx and for MPICH with Slurm's own PMI. Each rank
# knows from Slurm which other ranks its machine has, and clocks are compared.
. "$SOURCE/tests/launch/lib.bash"
. "$SOURCE/tests/launch/machines.bash"
. "$SOURCE/tests/launch/slurm.bash"
machines 1
slurm_start
export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=$net.0/24
bad=0
fail() { echo "$*"; bad=1; }
mpicc.mpich -o circle_mpich "$SOURCE/tests/launch/programs/circle.c" || exit 1
job() { # MODE, srun's arguments
    rm -f T.db
    timeout -k 5 100 crosswait record -o T.db -- srun -N 2 -n 4 "${@:2}" "$1" >out 2>err </dev/null
}
for started in "$BUILD/tests/launch/circle" "--mpi=pmi2 ./circle_mpich"; do
    job late $started || fail "$started, late: exit status $?: $(cat out err)"
    [ "$(ranks T.db | cut -d' ' -f2 | uniq)" = finished ] || fail "$started, late: $(ranks T.db)"
    [ "$(sqlite3 T.db 'select count(distinct host) from rank')" = 2 ] ||
        fail "$started: $(sqlite3 T.db 'select rank, host from rank')"
    [ "$(sqlite3 T.db 'select count(*) from rank where offset_ns')" -gt 0 ] ||
        fail "$started: clocks were not compared"
    job hang $started
    grep -q 'deadlock: rank 0 waits in MPI_Recv for rank 1, .*, rank 3 waits in MPI_Recv' err ||
        fail "$started, hang: $(cat out err)"
    wait_for '! pgrep -f "crosswait relay $PWD/T.db" >/dev/null'
done
exit $bad
