# slow
# timeout: 400
# Under Slurm: a job that srun starts is recorded, and ended when it hangs, with PMIx and, for
# MPICH, with Slurm's own PMI; scancel and a time limit leave a trace and a report; mpirun in a
# batch script works as elsewhere, and the tasks of an array have traces of their own.
. "$SOURCE/tests/launch/lib.bash"
. "$SOURCE/tests/launch/slurm.bash"
slurm_start
circle=$BUILD/tests/launch/circle
bad=0
fail() { echo "$*"; bad=1; }
no_ranks() { wait_for '! pgrep -f "^$circle" >/dev/null'; }
batch_wait() { # until the batch job is over
    local i
    for i in $(seq 1500); do [ -z "$(squeue -h)" ] && return; sleep 0.1; done
    fail "the batch job does not end"
}
crosswait run -o a.db -- srun -n 4 "$BUILD/corpus/programs/stencil" 5 16 >out 2>err ||
    fail "srun: exit status $?: $(cat out err)"
grep -q "^verdict: clean" out || fail "srun: $(cat out)"
[ "$(ranks a.db | cut -d' ' -f2 | sort | uniq -c | tr -s ' ')" = " 4 finished" ] ||
    fail "srun: $(ranks a.db)"

crosswait run -o b.db -- srun -n 4 "$circle" hang >out 2>err
[ $? = 1 ] && grep -q "^error\[deadlock\]" out && grep -q "deadlock: rank 0 waits" err ||
    fail "a hang: $(cat out err)"
no_ranks

for bytes in 8 1000000; do # with so many it hangs
    crosswait run -o m.db -- srun --mpi=pmi2 -n 2 "$BUILD/mpich/programs/quiz" $bytes >out 2>err
    [ $? = 1 ] && grep -q "^error\[deadlock\]" out && [ "$(meta m.db rank_count)" = 2 ] &&
        [ "$(grep -c 'deadlock: rank 0 waits' err)" = $((bytes > 8)) ] ||
        fail "MPICH, $bytes bytes: $(cat out err)"
done

crosswait record -o c.db --no-watch -- srun -n 4 "$circle" hang >out 2>err &
job=$!
wait_for 'grep -qs met err'
scancel "$(squeue -h -o %i)"
wait $job
[ $? != 0 ] || fail "scancel: exit status 0"
[ "$(sqlite3 c.db 'select count(*) from event where call = "MPI_Recv" and t_leave is null')" = 4 ] \
    ||
    fail "scancel: the trace does not say where the ranks were"
no_ranks

cat >batch.sh <<B
#!/bin/bash
#SBATCH -n 4 -N 1
cd $PWD
$(command -v crosswait) run -o d.db -- mpirun -n 4 \
    "$BUILD/corpus/programs/stencil" 5 16 >d.out 2>d.err
echo "exit status \$?" >>d.out
B
sbatch -o batch.out batch.sh >/dev/null || fail "sbatch: exit status $?"
batch_wait
grep -q "^verdict: clean" d.out && grep -q "^exit status 0" d.out ||
    fail "mpirun in a batch job: $(cat d.out d.err batch.out)"

# Slurm starts no processes for MPI: the report says where they can be had.
cat >spawn.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm parent, child;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child,
                       MPI_ERRCODES_IGNORE);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o spawn spawn.c
crosswait run -o s.db -- srun -n 2 ./spawn >out 2>err
[ $? = 1 ] && grep -q "MPI_Comm_spawn .*raised an error" out &&
    grep -q "= srun started the job, and Slurm starts no processes for MPI" out ||
    fail "spawn: $(cat out err)"

# Several programs in one step.
printf '0-1 %s hang\n2-3 %s hang\n' "$circle" "$circle" >parts.conf
crosswait run -o p.db -- srun -n 4 --multi-prog parts.conf >out 2>err
[ $? = 1 ] && grep -q "^error\[deadlock\]" out && [ "$(meta p.db rank_count)" = 4 ] ||
    fail "--multi-prog: $(cat out err)"
no_ranks

cat >array.sh <<B
#!/bin/bash
#SBATCH -n 2 --array=1-2
cd $PWD
$(command -v crosswait) run -- srun -n 2 "$BUILD/corpus/programs/stencil" 5 16 \
    >array.\$SLURM_ARRAY_TASK_ID 2>&1
B
sbatch -o array.out array.sh >submitted || fail "sbatch --array: exit status $?"
batch_wait
for task in 1 2; do
    db=crosswait-$(tr -dc 0-9 <submitted)_$task.db
    grep -q "^verdict: clean" array.$task && [ "$(meta "$db" rank_count)" = 2 ] ||
        fail "an array, task $task: $(cat array.$task array.out)"
done

# The shortest limit is a minute: the command is ended before, so that there is time for the report.
cat >limit.sh <<B
#!/bin/bash
#SBATCH -n 4 -t 1
cd $PWD
$(command -v crosswait) run -o e.db --no-watch -- srun -n 4 "$circle" hang >e.out 2>e.err
echo "exit status \$?" >>e.out
B
sbatch -o limit.out limit.sh >/dev/null || fail "sbatch: exit status $?"
batch_wait
grep -q "^exit status [15]$" e.out && grep -q "its budget was spent" e.err && [ -s e.db ] ||
    fail "a time limit: $(cat e.out e.err limit.out)"
no_ranks
exit $bad
