# More programs of explore/threads_jobs. If threads agree on an order without calls of MPI, the
# explorer does not claim that these are all.
# timeout: 600
# slow
. "$SOURCE/tests/explore/threads_jobs.bash"
for mode in 'same 3' 'twice 2' 'late 2' 'tags 3' 'beside 2'; do
    both 3 ./threads $mode
done
both 3 ./program '0:r*0' '1:s20r*0s00' 2:s10i10
both 2 ./queue
both 2 ./queue_correct
both 3 ./modes crowded
both 2 ./threads_duplex
both 2 ./program 0: 0:s11s11 '1:i*1r*1' '1:p*1'
both 3 ./program 0:s10S20s10 0:s20 '1:r*0m00w00' 2: 2:i00r00
both 3 ./program 0: 0: '0:r*0' '1:s20r*0s00' 1: 2:s10i10
for mode in 'order 3' 'spins 2'; do
    crosswait explore --world=mpirun --world-time=300 -n 3 -- ./threads $mode 2>&1 |
        grep -E '^(error|warning|note|crosswait)'
    echo "$mode: [${PIPESTATUS[0]}]"
done
schedule=order=explore:0.1004501=3,0.1004502=1,0.1004503=2
crosswait explore --world=mpirun --world-time=300 --again=$schedule -n 3 -- ./threads same 3
