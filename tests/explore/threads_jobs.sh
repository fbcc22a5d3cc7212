# Threads both ways: what several threads of a rank do has in jobs (--world=mpirun) the behaviours
# and outcomes that it has in worlds of processes. Where threads agree on an order by something that
# is no call of MPI, it is not said that these are all.
# timeout: 600
# idle
both() { # ranks, command
    local ranks=$1
    shift
    crosswait explore --json=worlds -q --time=0 -n "$ranks" -- "$@" >/dev/null
    echo "$*: [$?]"
    crosswait explore --world=mpirun --world-time=300 --json=jobs -q --time=0 -n "$ranks" -- "$@" \
        >/dev/null
    echo "    [$?]"
    /usr/bin/python3 "$SOURCE/tests/explore/same.py" worlds jobs
}
mpicc -g -O1 -pthread -o threads "$SOURCE/tests/world/processes/threads.c" &&
    mpicc -g -O1 -pthread -o modes "$SOURCE/tests/world/processes/modes.c" &&
    mpicc -g -O1 -pthread -o queue "$SOURCE/tests/explore/programs/threads.c" &&
    mpicc -g -O1 -pthread -DCORRECT -o queue_correct "$SOURCE/tests/explore/programs/threads.c" &&
    mpicc -g -O1 -pthread -o program "$SOURCE/tests/explore/orders/program.c" || exit 1
for mode in 'same 3' 'twice 2' 'late 2' 'ranks 2' 'communicators 3' 'tags 3' 'beside 2'; do
    both 3 ./threads $mode
done
both 2 ./queue
both 2 ./queue_correct
both 3 ./modes multiple
both 3 ./modes crowded
for program in thread_levels threads_pairs threads_duplex; do
    mpicc -g -O1 -pthread -I "$SOURCE" -o $program "$SOURCE/corpus/programs/$program.c" || exit 1
done
both 2 ./thread_levels funneled
both 2 ./threads_pairs
both 2 ./threads_pairs fixed
both 2 ./threads_duplex
both 2 ./threads_duplex joined
# Drawn ones (explore/threads); the last has one thread a rank.
both 2 ./program 0: '0:i*0' '0:m*0' 1:s00S00 1:
both 2 ./program '0:r*0s10' 0:w00 0:s10 '1:s00r00w00r*0'
both 2 ./program 0: 0:s11s11 '1:i*1r*1' '1:p*1'
both 3 ./program 0:s10S20s10 0:s20 '1:r*0m00w00' 2: 2:i00r00
both 3 ./program 0: 0: '0:r*0' '1:s20r*0s00' 1: 2:s10i10
both 3 ./program '0:r*0' '1:s20r*0s00' 2:s10i10
for mode in 'order 3' 'spins 2'; do
    crosswait explore --world=mpirun --world-time=300 -n 3 -- ./threads $mode 2>&1 |
        grep -E '^(error|warning|note|crosswait)'
    echo "$mode: [${PIPESTATUS[0]}]"
done
schedule=order=explore:0.1004501=3,0.1004502=1,0.1004503=2
crosswait explore --world=mpirun --world-time=300 --again=$schedule -n 3 -- ./threads same 3
