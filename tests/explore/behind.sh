# A send whose receive comes after another blocking call of its destination blocks without a buffer,
# whatever that call is. If the receive comes first, it does not.
# timeout: 200
cat >behind.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rank, got, *flag;
static MPI_Win win;
static const char *what;
static int is(const char *name)
{
    return !strcmp(what, name);
}
static void make(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Group all, other;
    MPI_File file;
    if (is("barrier"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("ibarrier"))
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (is("dup"))
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (is("idup"))
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    if (is("split"))
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    if (is("fence"))
        MPI_Win_fence(0, win);
    if (is("open")) {
        MPI_File_open(MPI_COMM_WORLD, "behind.data", MPI_MODE_CREATE | MPI_MODE_WRONLY,
                      MPI_INFO_NULL, &file);
        MPI_File_close(&file);
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){!rank}, &other);
    if ((is("post") && rank == 0) || (is("complete") && rank))
        MPI_Win_post(other, 0, win);
    else if (is("post") || is("complete"))
        MPI_Win_start(other, 0, win);
    if ((is("post") && rank == 0) || (is("complete") && rank))
        MPI_Win_wait(win);
    else if (is("post") || is("complete"))
        MPI_Win_complete(win);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    if (is("flag")) {
        int one = 1;
        MPI_Win_lock_all(0, win);
        if (rank == 0)
            MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        while (rank && !got) {
            MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, 0, MPI_NO_OP, win);
            MPI_Win_flush(0, win);
        }
        MPI_Win_unlock_all(win);
    }
}
int main(int argc, char **argv)
{
    int value = 1, correct = argc > 2;
    what = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &flag, &win);
    *flag = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    int kind = is("shared") && rank ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    if (!correct && (is("shared") || is("exclusive")))
        MPI_Win_lock(kind, 0, 0, win);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (!correct && (is("shared") || is("exclusive")))
        MPI_Win_unlock(0, win);
    if (rank == 0 || !correct)
        make();
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank && correct)
        make();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -o behind behind.c || exit 1
for name in barrier ibarrier dup idup split fence open post complete flag shared exclusive; do
    for correct in "" correct; do
        crosswait explore -n 2 -- ./behind $name $correct >out 2>&1
        echo "$name${correct:+, $correct}: [$?] $(grep -E '^error|^crosswait' out | tail -1)"
    done
done
