/* Objects, windows, files and types, used as they should be ("right"), or with a communicator that
 * is never freed ("leak"), or a datatype that was not committed ("wrong"), at which the job ends. 2
 * ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int wrong = argc > 1 && !strcmp(argv[1], "wrong"), me, size, data[8] = {0}, got[8], flag;
    MPI_Comm comm;
    MPI_Group all, some;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Status status;
    MPI_Info info;
    MPI_File file;
    MPI_Win win;
    char name[64];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &me, &some);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    if (!wrong)
        MPI_Type_commit(&type);
    MPI_Send(data, 1, type, MPI_PROC_NULL, 0, comm);
    MPI_Type_free(&type);
    MPI_Irecv(got, 8, MPI_INT, 1 - me, 1, comm, &request);
    MPI_Send(data, 4, MPI_INT, 1 - me, 1, comm);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &size);
    MPI_Test_cancelled(&status, &flag);
    if (size != 4 || flag)
        printf("count %d, cancelled %d\n", size, flag);
    char *room = malloc(sizeof data + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(room, sizeof data + MPI_BSEND_OVERHEAD);
    MPI_Bsend(data, 8, MPI_INT, 1 - me, 2, comm);
    MPI_Recv(got, 8, MPI_INT, 1 - me, 2, comm, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&room, &size);
    free(room);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Win_create(data, sizeof data, sizeof *data, info, comm, &win);
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    MPI_Put(&me, 1, MPI_INT, 1 - me, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    sprintf(name, "file.%d", getpid());
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write(file, data, 8, MPI_INT, &status);
    MPI_File_close(&file);
    if (argc < 2 || strcmp(argv[1], "leak"))
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
