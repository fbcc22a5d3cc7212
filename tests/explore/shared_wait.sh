# expected
# If two threads complete one request at the same time, a world refuses the second and does not
# crash; there is no finding if a thread completes a request of another one, or one after the other
# looks.
cat >shared_wait.c <<'C'
#include <mpi.h>
#include <pthread.h>
#include <string.h>
static MPI_Request request;
static const char *how;
static void *complete(void *unused)
{
    int done = 0;
    if (!strcmp(how, "tests"))
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    else if (!strcmp(how, "any"))
        MPI_Waitany(1, &request, &done, MPI_STATUS_IGNORE);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return unused;
}
int main(int argc, char **argv)
{
    int provided, rank, x = 3;
    pthread_t thread;
    how = argv[1];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        pthread_create(&thread, NULL, complete, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        if (!strcmp(how, "joined"))
            pthread_join(thread, NULL);
        if (strcmp(how, "other"))
            MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        if (strcmp(how, "joined"))
            pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
C
mpicc -g -pthread -o shared_wait shared_wait.c || exit 1
for how in both any tests joined other; do
    timeout 60 crosswait explore -n 2 -- ./shared_wait $how >out 2>&1
    echo "$how: $?"
    grep '^error' out | sort -u
done
exit 0
