# A schedule of worlds on the real MPI library: the job does there what the world did; a deadlock
# that needs some buffers and not others hangs in truth. order=random chooses in a world, and says
# what.
# timeout: 120
for name in accumulate mixed iprobe; do
    mpicc -g -O1 -o $name "$SOURCE/tests/explore/programs/$name.c" || exit 1
done
live() { # without what mpirun says as it is ended, and that it had to be
    crosswait replay --live "$@" 2>errors.txt
    local status=$?
    grep '^crosswait: ' errors.txt | grep -v "^crosswait: 'mpirun' had not noticed"
    return $status
}
same=0
for schedule in order=explore:0.1=2 order=explore:0.1=3,0.2=2; do
    world=$(crosswait explore --again=$schedule -n 4 -- ./accumulate)
    [ "$(live --policy=$schedule -- mpirun -n 4 ./accumulate | grep -v :)" = "$world" ] &&
        same=$((same + 1))
done
echo "as in the world: $same"
live --policy='buffering=only:2.#1 order=explore:0.1=2' -- mpirun -n 4 ./mixed
echo "[$?]"
# What is chosen is written down: given again, it is the same run.
live --policy='order=random seed=5' -- mpirun -n 4 ./accumulate >random.txt
chosen=$(sed -n 's/^policy: //p' random.txt)
[ "$(live --policy="$chosen" -- mpirun -n 4 ./accumulate)" = "$(cat random.txt)" ] &&
    echo "the same again"
crosswait run -q -o random.db -- mpirun -n 4 ./accumulate >/dev/null 2>&1
live --policy='order=random seed=5' random.db -- mpirun -n 4 ./accumulate |
    sed -n 's/^policy: //p' | grep -cxF "$chosen"
# So is what a persistent receive takes.
mpicc -g -O1 -o persistent "$SOURCE/tests/explore/programs/persistent.c" || exit 1
for schedule in 0.1=2,0.2=1 0.1=1,0.2=2; do
    live --policy=order=explore:$schedule -- mpirun -n 3 ./persistent
    echo "[$?]"
done
# What polls find is given as well; what has no meaning is said.
live --policy='order=explore:0.1=0' -- mpirun -n 3 ./iprobe | head -1
for policy in order=explore:9.9=1 order=list:0.3=1 buffering=pool:2; do
    live --policy=$policy -- mpirun -n 4 ./accumulate
    echo "[$?]"
done
live --policy=order=random -- ./accumulate
echo "[$?]"
