/* Calls that are newer than MPI 3.1: prints the same in a world and on a library. For 4 ranks.
 * LARGE: the library has the large-count forms; MPI41, MPI50: the calls of those versions. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void say(const char *what, long value)
{
    printf("%d %s %ld\n", rank, what, value);
}

static long sum_of(const int *list, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 31 + list[i];
    return sum;
}

static void exchange(void)
{
    int out[3] = {rank, rank * 7, 3}, in[3] = {0}, right = (rank + 1) % size,
        left = (rank + size - 1) % size, count;
    MPI_Request request;
    MPI_Status status;
    MPI_Isendrecv(out, 3, MPI_INT, right, 5, in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                  MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    say("isendrecv", sum_of(in, 3));
#ifndef MPICH_NAME /* its status is not that of the receive */
    say("source", status.MPI_SOURCE == left && status.MPI_TAG == 5 && count == 3);
#endif
    MPI_Isendrecv_replace(out, 2, MPI_INT, right, 6, left, 6, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("replace", sum_of(out, 3));
    MPI_Isendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 0, in, 1, MPI_INT, MPI_PROC_NULL, 0,
                  MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
#ifndef MPICH_NAME
    say("null", status.MPI_SOURCE == MPI_PROC_NULL);
#endif
}

static void persistent(void)
{
    int one = rank, all[16] = {0}, sum = 0, counts[4], displs[4];
    MPI_Request request[5];
    MPI_Allgather_init(&one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request[0]);
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[2]);
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        displs[i] = 2 * i;
    }
    static int spread[16];
    MPI_Gatherv_init(&one, 1, MPI_INT, spread, counts, displs, MPI_INT, 1, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &request[3]);
    MPI_Bcast_init(&all[8], 2, MPI_INT, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request[4]);
    for (int round = 0; round < 3; round++) {
        one = rank + 10 * round;
        all[8] = rank == 2 ? round : -1;
        if (rank % 2)
            MPI_Startall(5, request);
        else /* starts may have another order on each rank */
            for (int i = 4; i >= 0; i--)
                MPI_Start(&request[i]);
        MPI_Waitall(5, request, MPI_STATUSES_IGNORE);
        say("allgather", sum_of(all, 9));
        say("allreduce", sum);
        say("gatherv", rank == 1 ? sum_of(spread, 8) : 0);
    }
    for (int i = 0; i < 5; i++)
        MPI_Request_free(&request[i]);
}

static void partitioned(void)
{
    enum { SENT = 6, GOT = 4, EACH = 2 };
    int out[SENT * EACH], in[SENT * EACH], flag;
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request request[2];
    MPI_Precv_init(in, GOT, SENT * EACH / GOT, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request[0]);
    MPI_Psend_init(out, SENT, EACH, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
    for (int round = 0; round < 2; round++) {
        memset(in, 0, sizeof in);
        MPI_Startall(2, request);
        for (int i = SENT - 1; i >= 0; i -= 2) {
            for (int k = 0; k < 2 * EACH; k++)
                out[(i - 1) * EACH + k] = rank * 100 + round * 50 + i * EACH + k;
            MPI_Pready_range(i - 1, i, request[1]);
        }
        for (int i = 0; i < GOT; i++)
            do
                MPI_Parrived(request[0], i, &flag);
            while (!flag);
        say("partitions", sum_of(in, SENT * EACH));
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void sessions(void)
{
    MPI_Session session;
    MPI_Info info;
    MPI_Group group;
    MPI_Comm comm;
    char name[256], value[64];
    int sets, length, flag, sum, there = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    for (int i = 0; i < sets; i++) {
        length = sizeof name;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        there += !strcmp(name, "mpi://WORLD") || !strcmp(name, "mpi://SELF");
    }
    say("psets", there);
    MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
    length = sizeof value;
    MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
    say("mpi_size", flag ? atoi(value) : -1);
    MPI_Info_free(&info);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "tests.newer", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    say("session", sum);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    say("finalized", session == MPI_SESSION_NULL);
}

static void others(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Info info, got;
    char value[64];
    int length = sizeof value, flag, compared;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &compared);
    say("idup", compared == MPI_CONGRUENT);
    MPI_Comm_free(&comm);
    MPI_Info_get_string(info, "mpi_assert_no_any_tag", &length, value, &flag);
    say("info", flag && length == 5 && !strcmp(value, "true"));
    MPI_Info_free(&info);
    MPI_Info_create_env(0, NULL, &got);
    MPI_Info_free(&got);
}

#ifdef LARGE
static void large(void)
{
    int out[8], in[8] = {0}, n = 0;
    MPI_Count counts[4], one, integers, addresses, larges, types, large[8];
    MPI_Aint displs[4];
    MPI_Datatype type, old[2];
    MPI_Status status;
    for (int i = 0; i < 8; i++)
        out[i] = rank * 10 + i;
    for (int i = 0; i < size; i++) {
        counts[i] = 2;
        displs[i] = 2 * (size - 1 - i);
    }
    MPI_Sendrecv_c(out, 3, MPI_INT, (rank + 1) % size, 0, in, 8, MPI_INT, MPI_ANY_SOURCE, 0,
                   MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_INT, &one);
    say("sendrecv_c", sum_of(in, 3) + (long)one);
    MPI_Alltoallv_c(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
    say("alltoallv_c", sum_of(in, 8));
    MPI_Scatterv_c(rank == 1 ? out : NULL, rank == 1 ? counts : NULL, rank == 1 ? displs : NULL,
                   MPI_INT, in, 2, MPI_INT, 1, MPI_COMM_WORLD);
    say("scatterv_c", sum_of(in, 2));
    MPI_Allreduce_c(MPI_IN_PLACE, out, 8, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    say("allreduce_c", sum_of(out, 8));
    MPI_Type_vector_c(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_size_c(type, &one);
    say("size_c", (long)one);
    MPI_Type_get_envelope_c(type, &integers, &addresses, &larges, &types, &n);
    say("envelope_c", (long)(integers * 1000 + addresses * 100 + larges * 10 + types));
    MPI_Type_get_contents_c(type, integers, addresses, larges, types, NULL, NULL, large, old);
    say("contents_c", (long)(large[0] * 100 + large[1] * 10 + large[2]));
    MPI_Type_free(&type);
    MPI_Type_contiguous_c((MPI_Count)3 << 31, MPI_INT, &type);
    MPI_Type_size_c(type, &one);
    say("large type", one == (MPI_Count)12 << 31);
    MPI_Type_free(&type);
}
#endif

#ifdef MPI41
static void newest(void)
{
    int in[2] = {0}, flag = 0, index = -1, indices[2], done = 0;
    MPI_Request request[2];
    MPI_Status status[2];
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &request[i]);
    MPI_Send(&size, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    while (!flag)
        MPI_Request_get_status_any(2, request, &index, &flag, status);
    say("status_any", index * 10 + status[0].MPI_TAG);
    MPI_Request_get_status_all(2, request, &flag, status);
    say("status_all", flag);
    MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    for (flag = 0; !flag;)
        MPI_Request_get_status_all(2, request, &flag, status);
    MPI_Request_get_status_some(2, request, &done, indices, status);
    say("status_some", indices[0] * 100 + indices[1] * 10 + status[1].MPI_TAG);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    say("received", in[0] * 10 + in[1]);
    MPI_Status_set_tag(status, 9);
    MPI_Status_get_tag(status, &index);
    MPI_Status_get_source(&status[1], &flag);
    say("status fields", index * 10 + (flag == rank));
    int class, code;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "mine");
    MPI_Remove_error_string(code);
    MPI_Remove_error_code(code);
    MPI_Remove_error_class(class);
    MPI_Datatype pair;
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
    say("pair", pair == MPI_DOUBLE_INT);
}
#endif

#ifdef MPI50
static void handles(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    say("handle", MPI_Comm_fromint(MPI_Comm_toint(comm)) == comm &&
                      MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT);
    MPI_Comm_free(&comm);
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange();
    persistent();
    partitioned();
    sessions();
    others();
#ifdef LARGE
    large();
#endif
#ifdef MPI41
    newest();
#endif
#ifdef MPI50
    handles();
#endif
    MPI_Finalize();
    return 0;
}
