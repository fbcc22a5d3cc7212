/* Every way to communicate that the engine models, used correctly: no legal world may stop it. Run
 * with 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static char attached[4096];

static void modes(void)
{
    int value = rank, got = -1, left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Request request[2];

    MPI_Buffer_attach(attached, sizeof attached);
    MPI_Bsend(&value, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    void *address;
    int bytes;
    MPI_Buffer_detach(&address, &bytes);
    MPI_Irecv(&got, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request[0]);
    MPI_Ssend(&value, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Irecv(&got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&value, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, right, 4, &got, 1, MPI_INT, left, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 5, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    int value = rank, got, left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Request request[2];

    MPI_Recv_init(&got, 1, MPI_INT, left, 10, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(&value, 1, MPI_INT, right, 10, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&request[0]);
    MPI_Start(&request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void waits(void)
{
    int got[8], indices[8], count, flag, index, value = rank;
    MPI_Request request[8];
    MPI_Status status[8];

    for (int round = 0; round < 4; round++) {
        int n = 0;
        for (int from = 0; from < size; from++)
            if (from != rank)
                MPI_Irecv(&got[n], 1, MPI_INT, from, 20 + round, MPI_COMM_WORLD, &request[n]), n++;
        for (int to = 0; to < size; to++)
            if (to != rank)
                MPI_Isend(&value, 1, MPI_INT, to, 20 + round, MPI_COMM_WORLD, &request[n]), n++;
        switch (round) {
        case 0:
            for (int i = 0; i < n; i++)
                MPI_Waitany(n, request, &index, status);
            break;
        case 1:
            for (int done = 0; done < n; done += count)
                MPI_Waitsome(n, request, &count, indices, status);
            break;
        case 2:
            do
                MPI_Testall(n, request, &flag, status);
            while (!flag);
            break;
        default:
            for (int done = 0; done < n;) {
                MPI_Testany(n, request, &index, &flag, status);
                done += flag && index != MPI_UNDEFINED;
                if (done < n) {
                    MPI_Testsome(n, request, &count, indices, status);
                    done += count == MPI_UNDEFINED ? 0 : count;
                }
            }
        }
    }
}

static void probes(void)
{
    int value = rank, got, flag = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;

    if (rank) {
        for (int tag = 30; tag < 34; tag++)
            MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    } else {
        for (int i = 1; i < size; i++) {
            MPI_Probe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &status);
            MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (int i = 1; i < size; i++) {
            MPI_Mprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &message, &status);
            MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        for (int i = 1; i < size; i++) {
            for (flag = 0; !flag;)
                MPI_Improbe(i, 32, MPI_COMM_WORLD, &flag, &message, &status);
            MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        for (int i = 1; i < size; i++) {
            for (flag = 0; !flag;)
                MPI_Iprobe(MPI_ANY_SOURCE, 33, MPI_COMM_WORLD, &flag, &status);
            MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 33, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 39, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    if (!flag)
        printf("not cancelled\n");
}

static void collectives(void)
{
    int value = rank, sum, all[16];
    MPI_Request request[3];
    MPI_Comm dup, half, group_comm, inter, merged, grid, idup;
    MPI_Group world, lower;

    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
    MPI_Iallgather(&value, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request[2]);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_idup(dup, &idup, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, idup);
    MPI_Comm_split(dup, rank % 2, 0, &half);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, (int[]){0, 1, 2}, &lower);
    if (rank < 3) {
        MPI_Comm_create_group(MPI_COMM_WORLD, lower, 7, &group_comm);
        MPI_Barrier(group_comm);
        MPI_Comm_free(&group_comm);
    }
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 8, &inter);
    MPI_Bcast(&value, 1, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    MPI_Barrier(inter);
    int peer; /* of the same rank in the other group */
    MPI_Comm_rank(half, &peer);
    MPI_Sendrecv(&value, 1, MPI_INT, peer, 9, &sum, 1, MPI_INT, peer, 9, inter, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    MPI_Barrier(merged);
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, size / 2}, (int[]){1, 1}, 0, &grid);
    MPI_Neighbor_allgather(&value, 1, MPI_INT, all, 1, MPI_INT, grid);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Comm_free(&idup);
    MPI_Comm_free(&dup);
    MPI_Group_free(&lower);
    MPI_Group_free(&world);
}

static void one_sided(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Group world, to, from;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(0, window);
    MPI_Win_unlock(0, window);
    MPI_Win_lock_all(0, window);
    MPI_Get(&memory[3], 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_unlock_all(window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Group_incl(world, 1, &next, &to);
    MPI_Group_incl(world, 1, &before, &from);
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(&value, 1, MPI_INT, next, 4, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_free(&window);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    modes();
    persistent();
    waits();
    probes();
    collectives();
    if (argc < 2)
        one_sided();
    MPI_Finalize();
    return 0;
}
