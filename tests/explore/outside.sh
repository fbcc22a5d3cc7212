# Choices of messages do not cover what else a program sees: each rank of each world has its own
# offset in the files that were open when the ranks were forked, and printed times are no outcome;
# what depends on messages besides them is one.
# timeout: 120
cat >outside.c <<'P'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv)
{
    int rank, size, x, flag, first = -1, sum = 0, most = 0, read = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (scanf("%d", &read) != 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    clock_t start = clock(), half = 0;
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; !rank && i < size; i++) {
        MPI_Request q;
        MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &q);
        for (flag = 0; !flag; most = clock() - start)
            MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
        half = i == 1 ? most : half;
        first = first < 0 ? x : first;
        sum += x;
    }
    if (!rank)
        printf("read %d, the sum is %d\nit took %.6f s\n1024,%d,%.6f\n%.2f %% of it\n", read,
               strcmp(argv[1], "race") ? sum : first, (double)most / CLOCKS_PER_SEC, size,
               (double)most / CLOCKS_PER_SEC, 100.0 * half / most);
    return MPI_Finalize();
}
P
mpicc -o outside outside.c && echo 7 >number || exit 1
for what in right race; do
    crosswait explore -n 3 -- sh -c "exec ./outside $what <number" >out 2>&1
    echo "$what: [$?] $(grep -o "^[a-z]*\[.*\|crosswait: .*" out)"
    crosswait run -o T.db -- mpirun -n 3 sh -c "exec ./outside $what <number" >out 2>&1
    echo "$what: [$?] $(grep -o "^[a-z]*\[.*\|^explored.*" out)"
    grep -o 'prints .*' out | sed 's/[0-9.]* s.$/T s/'
done
# Where a program calls what worlds do not have, that is said: it is not explored, nor is it clean.
cat >spawns.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    if (argc > 1)
        MPI_Barrier(MPI_COMM_WORLD);
    if (other == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&other);
    return MPI_Finalize();
}
P
mpicc -o spawns spawns.c || exit 1
crosswait explore -n 2 -- ./spawns
echo "[$?]"
crosswait explore -n 2 -- ./spawns late
echo "[$?]"
# What a program wrote that has no world stays what the job wrote, once a rank; explore shows it.
cat >early.c <<'P'
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *idle(void *unused)
{
    return pause(), unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    int rank, got;
    pthread_create(&thread, NULL, idle, NULL);
    puts("begins");
    fputs("begins, too\n", stderr);
    fflush(stdout);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; !rank && i < 2; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
P
mpicc -o early early.c -pthread || exit 1
crosswait run -o T.db -- mpirun -n 3 ./early >out 2>err
echo "[$?] $(grep -c begins out) $(grep -c begins err) $(grep -o '^not explored.*' out)"
crosswait explore -n 3 -- ./early >out 2>err
echo "[$?] $(grep -c begins out) $(grep -c begins err)"
# That a send is cancelled is not tried, and said.
cat >message_diff.c <<'P'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, got;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
P
mpicc -o sent message_diff.c && crosswait explore -n 2 -- ./sent
exit 0
