/* Contents of calls with many buffers, windows and files: each rank gives and gets what the test
 * can compare. Two ranks. */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5 /* has them as extensions */
#include <mpi-ext.h>
#else
#define MPIX_Alltoallv_init MPI_Alltoallv_init
#endif
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int me, out[64], in[64], *shared;
    MPI_Comm w = MPI_COMM_WORLD, ring;
    MPI_Request r;
    MPI_Win win;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(w, &me);
    for (int i = 0; i < 64; i++)
        out[i] = 100 * me + i;
    /* rank 0 gives itself 2 and the other 3; rank 1 gives 5 and 7 */
    int give[2][2] = {{2, 3}, {5, 7}}, get[2] = {give[0][me], give[1][me]}, at[2] = {4, 20},
        to[2] = {30, 9};
    MPI_Alltoallv(out, give[me], at, MPI_INT, in, get, to, MPI_INT, w);
    MPI_Ialltoallv(out, give[me], at, MPI_INT, in, get, to, MPI_INT, w, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPIX_Alltoallv_init(out, give[me], at, MPI_INT, in, get, to, MPI_INT, w, MPI_INFO_NULL, &r);
    for (int i = 0; i < 2; i++) {
        out[4] = -i;
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    MPI_Gatherv(out, 3 + me, MPI_INT, in, (int[]){3, 4}, (int[]){40, 10}, MPI_INT, 0, w);
    MPI_Scatterv(out, (int[]){3, 4}, (int[]){40, 10}, MPI_INT, in, 3 + me, MPI_INT, 0, w);
    MPI_Allgatherv(out, 3 + me, MPI_INT, in, (int[]){3, 4}, (int[]){40, 10}, MPI_INT, w);
    MPI_Reduce_scatter(out, in, (int[]){3, 4}, MPI_INT, MPI_SUM, w);
    int other = 1 - me;
    MPI_Dist_graph_create_adjacent(w, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, ring);
    MPI_Neighbor_alltoallw(out, (int[]){2}, (MPI_Aint[]){8}, (MPI_Datatype[]){MPI_INT}, in,
                           (int[]){2}, (MPI_Aint[]){12}, (MPI_Datatype[]){MPI_INT}, ring);
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, w, &shared, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, 5, MPI_INT, other, 0, 5, MPI_INT, win);
    MPI_Put(out + 10, 5, MPI_INT, other, 8, 5, MPI_INT, win);
    out[12] = -7; /* a mistake, if not one that this library minds */
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
    MPI_Get(in, 5, MPI_INT, other, 0, 5, MPI_INT, win);
    MPI_Get_accumulate(NULL, 1, MPI_INT, in + 20, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_unlock(other, win);
    MPI_Win_free(&win);
    char name[100];
    snprintf(name, sizeof name, "file.%d", me);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 0, out, 20, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, in, 50, MPI_INT, MPI_STATUS_IGNORE); /* there are 20 */
    MPI_File_iwrite_at(file, 0, out + 1, 20, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    unlink(name);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
