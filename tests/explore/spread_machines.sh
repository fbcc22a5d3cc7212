# slow
# timeout: 300
# Helpers on another machine, which a command or Slurm starts there, give the same result as none;
# so they do when their machine is lost in the middle of a search.
. "$SOURCE/tests/launch/lib.bash"
. "$SOURCE/tests/launch/machines.bash"
. "$SOURCE/tests/launch/slurm.bash"
machines 1
slurm_start
bad=0
fail() { echo "$*"; bad=1; }
mpicc -g -O1 -o many "$SOURCE/tests/explore/programs/accumulate.c" || exit 1
search() { # NAME OPTIONS...
    crosswait explore --time=0 --compare=messages --json="$1.json" "${@:2}" -n 7 -- ./many \
        >"$1.text" 2>"$1.errors" </dev/null
    [ $? = 1 ] || fail "$1: exit status $?: $(cat "$1.errors")"
    cmp alone.json "$1.json" && cmp alone.text "$1.text" || fail "$1: another result"
}
met() { # how many helpers are connected from there
    local port=$(head -n 1 .crosswait-explore-* 2>/dev/null | cut -d' ' -f2)
    ip netns exec cw$machine_id.1 ss -Htn state established |
        awk '{ print $4 }' | grep -c "^$net.1:$port$"
}
crosswait explore --time=0 --compare=messages --json=alone.json -n 7 -- ./many >alone.text
[ $? = 1 ] || fail "alone: exit status $?"
search agent "--spread=$PWD/agent $net.2" &
wait_for '[ "$(met)" = 1 ]'
wait $! || bad=1
search slurm "--spread=srun -N 2 -n 2" &
wait_for '[ "$(met)" = 1 ]'
wait $! || bad=1
cat agent.errors slurm.errors
cat >batch.sh <<B
#!/bin/bash
#SBATCH -N 2 -n 2
cd $PWD
PATH=$PATH
crosswait explore --time=0 --compare=messages --spread=srun -n 7 -- ./many >batch.text 2>&1
echo "exit status \$?" >>batch.text
B
sbatch -o batch.out batch.sh >/dev/null || fail "sbatch: exit status $?"
wait_for '[ -z "$(squeue -h)" ]'
cmp <(cat alone.text; echo "exit status 1") batch.text || fail "a batch job: $(cat batch.out)"
search lost "--spread=$PWD/agent $net.2" &
wait_for '[ "$(met)" = 1 ]'
ip -n cw$machine_id.1 link set neta down
wait $! || bad=1
cat lost.errors
ls -A | grep '^\.crosswait' && bad=1
exit $bad
