# Forces a schedule of worlds on the real MPI library: the job does what the world did; a deadlock
# that needs some buffers and not others really hangs. order=random chooses in a world and prints
# its choices.
# timeout: 200
for name in accumulate mixed iprobe; do
    mpicc -g -O1 -o $name "$SOURCE/tests/explore/programs/$name.c" || exit 1
done
live() { # without what mpirun says as it is ended, and that it had to be
    # Who else cannot go on is told of those that have come to their calls by then.
    crosswait replay --live "$@" 2>errors.txt |
        sed 's/; ranks\? [0-9, and]* cannot continue either//'
    local status=${PIPESTATUS[0]}
    grep '^crosswait: ' errors.txt | grep -v "^crosswait: 'mpirun' still ran"
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
# Whose turn it is is given, too: what is done to a window and looked at, its locks, the calls of
# threads. Each ends as its world does, and its opposite as that one does.
for name in early ticket exclusive lockorder threads window; do
    mpicc -g -O1 -pthread -o $name "$SOURCE/tests/explore/programs/$name.c" || exit 1
    ranks=$(sed -n '1s/^.* \([0-9]*\) ranks.*/\1/p' "$SOURCE/tests/explore/programs/$name.c")
    crosswait explore mpirun -n $ranks ./$name >$name.txt
    schedule=$(sed -n "s/^ *= again: crosswait explore --again='\([^']*\)'.*/\1/p" $name.txt |
        head -1)
    live --policy="$schedule" -- mpirun -n $ranks ./$name 2>&1 | grep -v "^policy: \|^its trace"
    echo "$name: [${PIPESTATUS[0]}]"
done
live --policy=order=explore:0.3000001=1 -- mpirun -n 3 ./exclusive | head -2 | tail -1
live --policy=order=explore:1.3000001=1 -- mpirun -n 3 ./lockorder | sed -n 2p
for schedule in 0.2000001=0 0.2000001=1,0.2000002=0; do
    live --policy=order=explore:$schedule -- mpirun -n 4 ./ticket | sed -n 2p
done
# A job that polls for ever, as its world does, is not proven to.
mpicc -g -O1 -o spins "$SOURCE/tests/explore/programs/spins.c" || exit 1
live --policy=order=explore:0.1=0,0.4000000001=0 -- mpirun -n 2 ./spins | sed -n 2p
