# Programs with several threads in a rank have the same behaviours and outcomes in jobs
# (--world=mpirun) as in worlds of processes. threads_jobs_more.sh has more of them.
# slow
# timeout: 400
. "$SOURCE/tests/explore/threads_jobs.bash"
both 3 ./threads ranks 2
both 3 ./threads communicators 3
both 3 ./modes multiple
both 2 ./thread_levels funneled
both 2 ./threads_pairs
both 2 ./threads_pairs fixed
both 2 ./threads_duplex joined
# Drawn ones (explore/threads). One with one thread a rank is in threads_jobs_more.sh: a job of it
# says now and then that it does not repeat itself, and so claims less than the world.
both 2 ./program 0: '0:i*0' '0:m*0' 1:s00S00 1:
both 2 ./program '0:r*0s10' 0:w00 0:s10 '1:s00r00w00r*0'
