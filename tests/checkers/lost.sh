# A message that nobody receives is one finding, with its consequences; ranks that are blocked the
# same way are reported together; and findings do not mention the end of a record if a crash
# explains it.
# timeout: 120
say() { sed -n '/^[a-z]*\[/,/^where/p' | sed '/^where/d; /^recorded:/d'; }
cat >lost.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) {
        MPI_Isend(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
P
cat >rank.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 7, 9, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
P
# Rank 0 receives from each rank in turn, and rank 1 sends nothing: that the others' messages wait
# says nothing. The one message of a wrong rank is a hint.
cat >turn.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 1)
        MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    for (int i = 1; !rank && i < size; i++)
        MPI_Recv(&value, 1, MPI_INT, i, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
P
mpicc -g -o lost lost.c && mpicc -g -o rank rank.c && mpicc -g -o turn turn.c || exit 1
crosswait run -o lost.db -- mpirun -n 3 ./lost >out.txt; echo "$?"
say <out.txt
crosswait report --verbose lost.db | sed -n '/^error\[deadlock/,/^$/p'
crosswait run -o rank.db -- mpirun -n 2 ./rank >out.txt 2>err.txt; echo "$?"
say <out.txt
for ranks in 4 3; do
    crosswait run -o T.db -- mpirun -n $ranks ./turn 2>err.txt | grep -E '^error|no receive|help'
done
crosswait report rank.db | say | cmp - <(say <out.txt) || echo "report and run differ"
exit 0
