# expected
# A hang that the launcher has proven is a finding of its own only if no other checker explains it.
job() { crosswait record -o $1$2.db -- mpirun -n 2 $BUILD/corpus/programs/hangs $1 $2 >/dev/null \
    2>err; }
show() { grep -v '= again\|^$' | sed 's/ < main$//'; } # as far as stacks could be read
job epochs
crosswait check --only=hang epochs.db >out; echo "[$?]"
show <out
crosswait check epochs.db >out; echo "[$?]"
grep -c '^error.hang' out
job epochs fixed
crosswait check --only=hang epochsfixed.db >out; echo "[$?]"
# A job that was ended while it stood still, and is not proven to hang: where each rank has been,
# and for how long, is told first.
cat >still.c <<'P'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && argc == 1)
        for (;;) pause();
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
P
mpicc -g -o still still.c || exit 1
for end in stall=4 budget=15; do
    crosswait run --$end -o still.db -- mpirun -n 3 ./still >still.out 2>&1
    echo "$end: $?"
    sed -n '/^note.hang/,/again/p' still.out | sed -E 's/for [0-9]+ s/for N s/' | show
    grep -c "completed only because\|and finished" still.out
done
crosswait run --stall=20 -o still.db -- mpirun -n 3 ./still goes >still.out 2>&1
echo "goes on: $?, $(grep -c 'note.hang' still.out)"
exit 0
