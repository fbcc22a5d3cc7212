# MPI_THREAD_MULTIPLE: who asks for it and has one thread in MPI at a time is explored, and told
# that other orders of threads may be more; where a thread waits for another one of its rank, that
# is said, and is no deadlock.
mpicc -g -O1 -pthread -o modes "$SOURCE/tests/world/processes/modes.c" || exit 1
for mode in multiple turns crowded; do
    crosswait explore -n 3 -- ./modes $mode
    echo "$mode: [$?]"
done
