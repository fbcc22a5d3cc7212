# `run` retries a failure that it found in a world in the real job, under the schedule of that
# world: confirmed if the job fails or hangs as well; a note if the job got all decisions of the
# world and finished; neither if the library cannot be given them. ALONE: the program fails only
# without mpirun.
# timeout: 200
cat >alone.c <<'END'
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, got[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (got[0] > got[1] && !getenv("PMIX_NAMESPACE"))
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Finalize();
    return 0;
}
END
cat >first.c <<'END'
/* Rank 0 takes the first number of any rank, and then rank 2's, which may have been that one. Each
 * of the ROUNDS does so with messages of its own: a defect each. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 2) /* comes second wherever rank 1 has no bad luck */
            MPI_Recv(&number, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank)
            MPI_Send(&number, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(&number, 1, MPI_INT, 2, 9, MPI_COMM_WORLD);
        for (int i = 0; i < 2 && !rank; i++)
            MPI_Recv(&number, 1, MPI_INT, i ? 2 : MPI_ANY_SOURCE, round, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
END
cat >kept.c <<'END'
/* If rank 2's message comes first, ranks 0 and 1 each wait in MPI_Buffer_detach until the other one
 * receives. No library can be made to keep a message in the buffer. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, number = 0, bytes = 1000 + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)bytes);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2) /* comes second wherever rank 1 has no bad luck */
        MPI_Recv(&number, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(&number, 1, MPI_INT, 2, 9, MPI_COMM_WORLD);
    for (int i = 0; i < 2 && !rank; i++)
        MPI_Recv(i ? &bytes : &number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    bytes = 1000 + MPI_BSEND_OVERHEAD;
    if (rank < 2) {
        MPI_Buffer_attach(buffer, bytes);
        MPI_Bsend(&number, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
        if (number == 2)
            MPI_Buffer_detach(&buffer, &bytes);
        MPI_Recv(&number, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (number == 1)
            MPI_Buffer_detach(&buffer, &bytes);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -o kept kept.c && mpicc -g -O1 -o alone alone.c &&
    mpicc -g -O1 -DROUNDS=1 -o first first.c &&
    mpicc -g -O1 -DROUNDS=2 -o both first.c || exit 1
for name in last three spins; do
    mpicc -g -O1 -o $name "$SOURCE/tests/explore/programs/$name.c" || exit 1
done
while read -r name ranks; do
    # In some orders the job itself fails, and then says so: until it does not.
    for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
        crosswait run -o $name.db -- mpirun -n "$ranks" ./$name </dev/null >$name.txt 2>&1
        status=$?
        grep -q '^explored' $name.txt && break
    done
    echo "$name: [$status]"
    grep -E '\[(behaviour|deadlock)\]|again under|^verdict' $name.txt
    # It is the same in the trace, and from then on.
    crosswait report $name.db | grep -c 'again under' || true
done <<END
last 4
three 4
spins 2
alone 3
first 3
both 3
kept 3
END
# No finding is both unproven and confirmed; none has the arguments of another call of its line.
grep -E 'unproven|tag=|rank 2, tag' first.txt
crosswait report --format=junit first.db | grep -c '<skipped' || true
