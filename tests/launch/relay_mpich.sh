# slow
# timeout: 240
# A job of MPICH over four machines, whose mpiexec tells ranks no name of the job: the ranks are one
# job also where a script stands between, what they record is here, and a hang is proven and ended.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
. "$SOURCE/tests/launch/lib.bash"
. "$SOURCE/tests/launch/machines.bash"
machines 3
mpicc.mpich -o circle "$SOURCE/tests/launch/programs/circle.c" || exit 1
printf '#!/bin/sh\n./circle "$@"\nexit $?\n' >script.sh
chmod +x script.sh
failed=0
for program in ./circle ./script.sh; do
    rm -f T.db
    UCX_TLS=tcp,self,sm timeout -k 5 100 crosswait record --mpi=mpich -o T.db -- mpiexec.mpich \
        -launcher ssh -launcher-exec "$PWD/agent" -hosts "${hosts//:1/}" -localhost "$net.1" \
        -n 4 $program hang >out 2>err </dev/null
    grep -q 'deadlock: rank 0 waits in MPI_Recv for rank 1, .*, rank 3 waits in MPI_Recv' err &&
        [ "$(ranks T.db | wc -l)" = 4 ] && [ "$(ls T*.db)" = T.db ] &&
        [ "$(sqlite3 T.db 'select count(distinct host) from rank')" = 4 ] ||
        { echo "$program:"; cat out err; ls; failed=1; }
    wait_for '! pgrep -f "crosswait relay $PWD/T.db" >/dev/null'
done
exit $failed
