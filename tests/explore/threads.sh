# MPI_THREAD_MULTIPLE: the order of two threads' calls is a choice if it has effects; if threads
# agree on an order, or do not interact, there is one. If a thread waits for something outside of
# MPI, the explorer says so and reports no deadlock.
mpicc -g -O1 -pthread -o modes "$SOURCE/tests/world/processes/modes.c" &&
    mpicc -g -O1 -pthread -o threads "$SOURCE/tests/world/processes/threads.c" &&
    mpicc -g -O1 -pthread -o apart "$SOURCE/tests/world/processes/apart.c" &&
    mpicc -g -O1 -pthread -o inthread "$SOURCE/tests/world/processes/inthread.c" || exit 1
for program in apart inthread; do
    crosswait explore --time=20 -n 3 -- ./$program
    echo "$program: [$?]"
done
for mode in multiple crowded; do
    crosswait explore -n 3 -- ./modes $mode
    echo "$mode: [$?]"
done
for mode in 'same 3' 'twice 2' 'late 2' 'ranks 2' 'communicators 3' 'tags 3' 'beside 2' 'order 3' \
    'mutex 2' 'pauses 2' 'shares 2' 'reads 2' 'joined 2 serialized' \
    'mutex 2 serialized' 'asks 2 serialized' 'asks 2 funneled'; do # 'spins': threads_spins.sh
    crosswait explore -n 3 -- ./threads $mode 2>&1 | grep -E '^(error|warning|note|crosswait)'
    echo "$mode: [${PIPESTATUS[0]}]"
done
for mode in 'same 2 serialized' 'same 2 funneled'; do # the level does not allow these calls
    crosswait explore -n 3 -- ./threads $mode
    echo "$mode: [$?]"
done
crosswait explore -n 3 -- ./threads same 2
crosswait explore --again='order=explore:0.1004501=2' -n 3 -- ./threads same 2
# A world that is run once more to show it, and is broken off, says nothing of what there may be.
sed -e 's/^#include <unistd.h>/&\n#include <sys\/shm.h>/' \
    -e 's/.*mode = argv.*/&\n    volatile int *starts = shmat(atoi(argv[3]), NULL, 0);/' \
    -e 's/.*MPI_Comm_rank(.*/&\n    while (rank == 0 \&\& ++*starts == 2)\n        pause();/' \
    -e 's/argc <= 3/argc > 0/' "$SOURCE/tests/world/processes/threads.c" >shown.c
mpicc -g -O1 -pthread -o shown shown.c || exit 1
shared=$(ipcmk -M 64 | sed 's/.*: //')
trap 'ipcrm -m "$shared"' EXIT
crosswait explore -j 1 --allow=output --time=100000 --world-time=1 -n 3 -- ./shown mutex 2 "$shared"
echo "[$?]"
