# timeout: 200
# If the machine pauses, the collective is not blamed: the time limit of an input counts CPU time.
# One that sleeps for ever is still found, by the clock. Holds fuzz/time_limit.c invariant 1.
CROSSWAIT_FUZZ_TARGET=cw_bcast_binomial "$BUILD/fuzz/corpus" -seed=1 -timeout=2 -max_total_time=9 \
    >log 2>&1 &
fuzzer=$!
for _ in 1 2; do
    sleep 0.5; kill -STOP $fuzzer; sleep 3.5; kill -CONT $fuzzer
done
wait $fuzzer || { tail -20 log; exit 1; }
cat >sleeps.c <<'END'
#include <mpi.h>
#include <unistd.h>
static int sleeps(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    for (;;)
        sleep(1);
    return MPI_Bcast(buffer, count, type, root, comm);
}
COLLECTIVE(bcast, "", sleeps)
END
crosswait fuzz sleeps.c -runs=10 -timeout=1 --no-shrink >out 2>&1
status=$?
[ $status = 1 ] && grep -q "no end" out || { echo "[$status]"; cat out; exit 1; }
