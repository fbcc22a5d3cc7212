# Decides all orders and all buffering at once: finds a deadlock in an order that was not recorded,
# like --explore; finds none although there are more orders than can be tried, with a proof if a
# formula was needed; names what it could not decide, and what the answer covers.
# timeout: 120
set -eu
mpicc -g -o decide "$SOURCE/tests/replay/decide.c"
mpicc -g -o decide_probe "$SOURCE/tests/replay/decide_probe.c"
mpicc -g -o every_way "$SOURCE/tests/replay/every_way.c"
crosswait record -o order.db -- timeout 60 mpirun -n 3 "$BUILD/corpus/programs/wildcard_order" \
    >/dev/null
crosswait record -o decide.db -- timeout 60 mpirun -n 8 ./decide
crosswait record -o probe.db -- timeout 60 mpirun -n 2 ./decide_probe
crosswait record -o every.db -- timeout 60 mpirun -n 4 ./every_way
decide() {
    code=0
    crosswait replay --decide "$@" || code=$?
    echo "exit status $code"
}
decide order.db
crosswait replay --explore order.db >explored || [ $? = 1 ]
crosswait replay --decide order.db | grep again: | cmp - <(grep again: explored)
decide --proof=proof decide.db | sed 's/a formula of .*/a formula/'
decide --policy='coll=relaxed buffering=eager' decide.db | sed 's/a formula of .*/a formula/'
decide probe.db
decide every.db | grep -v '^note' | sed 's/event [0-9]*/event N/'
# A rank that ends before its first message.
cat >ends.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
mpicc -o ends ends.c
crosswait record -o ends.db -- mpirun -n 2 ./ends >/dev/null 2>&1 || echo "the job: $?"
decide ends.db
crosswait replay --decide --explore decide.db 2>&1 || echo "exit status $?"
crosswait replay --proof=x decide.db 2>&1 || echo "exit status $?"
# A rank whose next call depends on which of several requests is complete.
cat >any.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, got[2], first;
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 && rank == 0; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &request[i]);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Waitany(argc, request, &first, MPI_STATUS_IGNORE);
    if (rank == 0 && argc == 1)
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    else if (rank == 0)
        MPI_Wait(&request[1 - first], MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
C
mpicc -o any any.c
for of in '' two; do # requests
    crosswait record -o any.db -- mpirun -n 3 ./any $of
    decide any.db
done
