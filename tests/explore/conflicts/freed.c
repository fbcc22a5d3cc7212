/* Two threads of each rank: one uses a communicator, a window, a file or the attached buffer
 * (OBJECT), the other one frees or detaches it. HOW: apart; or kept in order by the end of the
 * parallel region (joined), a barrier of OpenMP (barrier), or a message (message). */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm;
static MPI_Win win;
static MPI_File file;
static char object, buffer[2 * (MPI_BSEND_OVERHEAD + sizeof(int))];
static int rank;

static void make(const char *name)
{
    int *cell;
    if (object == 'c')
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else if (object == 'b')
        MPI_Buffer_attach(buffer, sizeof buffer);
    else if (object == 'w')
        MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    else
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

static void use(void)
{
    int a = rank, b;
    if (object == 'c') {
        MPI_Sendrecv(&a, 1, MPI_INT, 1 - rank, 0, &b, 1, MPI_INT, 1 - rank, 0, comm,
                     MPI_STATUS_IGNORE);
    } else if (object == 'b') {
        MPI_Bsend(&a, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Recv(&b, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (object == 'w') {
        MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
        MPI_Put(&a, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1 - rank, win);
    } else {
        MPI_File_write_at(file, rank * 4, &a, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
}

static void release(void)
{
    void *back;
    int bytes;
    if (object == 'c')
        MPI_Comm_free(&comm);
    else if (object == 'b')
        MPI_Buffer_detach(&back, &bytes);
    else if (object == 'w')
        MPI_Win_free(&win);
    else
        MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    const char *how = argv[2];
    int level;
    object = argv[1][0];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make("file.bin");
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        {
            use();
            if (!strcmp(how, "message"))
                MPI_Send(NULL, 0, MPI_INT, rank, 5, MPI_COMM_WORLD);
        }
        if (!strcmp(how, "barrier")) {
#pragma omp barrier
        }
#pragma omp single nowait
        {}
#pragma omp critical
        {
        }
        extern int omp_get_thread_num(void);
        if (omp_get_thread_num() == 1 && strcmp(how, "joined")) {
            if (!strcmp(how, "message"))
                MPI_Recv(NULL, 0, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (!strcmp(how, "apart"))
                usleep(100000);
            release();
        }
    }
    if (!strcmp(how, "joined"))
        release();
    MPI_Finalize();
    return 0;
}
