/* Each rank has two threads, each of which makes calls that take several steps on a communicator of
 * its own: threads.sh. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static MPI_Comm own[2];
static int rank, size;

static void windows(MPI_Comm comm)
{
    int cells[4] = {0}, *memory;
    MPI_Win win;
    MPI_Win_allocate(sizeof(cells), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Win_create(cells, sizeof(cells), sizeof(int), MPI_INFO_NULL, comm, &win);
    MPI_Win_free(&win);
    MPI_Win_allocate_shared(sizeof(cells), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
    MPI_Win_free(&win);
}

static void files(MPI_Comm comm, int which)
{
    char name[] = "apart0";
    int value = rank, got = -1;
    MPI_File file;
    MPI_Request request;
    name[5] = (char)('0' + which);
    MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * (int)sizeof(int), &value, sizeof(int), MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, rank * (int)sizeof(int), &got, sizeof(int), MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (got != rank)
        abort();
    MPI_File_close(&file);
}

static void messages(MPI_Comm comm)
{
    int value = rank, got = -1;
    MPI_Comm made;
    MPI_Message message;
    MPI_Request request;
    MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made);
    MPI_Isend(&value, 1, MPI_INT, (rank + 1) % size, 0, made, &request);
    MPI_Mprobe((rank + size - 1) % size, 0, made, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (got != (rank + size - 1) % size)
        abort();
    MPI_Comm_free(&made);
}

static void *work(void *number)
{
    int which = *(int *)number;
    for (int i = 0; i < 3; i++) {
        windows(own[which]);
        messages(own[which]);
    }
    files(own[which], which);
    return NULL;
}

int main(int argc, char **argv)
{
    int level, number[2] = {0, 1};
    pthread_t other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    pthread_create(&other, NULL, work, &number[1]);
    work(&number[0]);
    pthread_join(other, NULL);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&own[i]);
    MPI_Finalize();
    return level != MPI_THREAD_MULTIPLE;
}
