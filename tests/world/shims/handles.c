/* What a program gives and gets as handles, and what its callbacks get: with each ABI the same
 * lines. For 2 ranks. `handles bad N`: one call with a handle that is none, which MPI answers with
 * an error class. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
#define TYPE_AGAIN(type) MPI_Type_fromint(MPI_Type_toint(type))
#define COMM_AGAIN(comm) MPI_Comm_fromint(MPI_Comm_toint(comm))
#else
#define TYPE_AGAIN(type) MPI_Type_f2c(MPI_Type_c2f(type))
#define COMM_AGAIN(comm) MPI_Comm_f2c(MPI_Comm_c2f(comm))
#endif

static int rank;
static MPI_Comm expected_comm;
static MPI_Datatype expected_type;
static MPI_Win expected_win;

#define SAY(what) printf("%d %s: %s\n", rank, #what, (what) ? "yes" : "no")

static void op_looks(void *in, void *inout, int *count, MPI_Datatype *type)
{
    SAY(*type == expected_type);
    for (int i = 0; i < 2 * *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int copy_looks(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)key;
    SAY(comm == expected_comm && extra == (void *)&rank);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_looks(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    SAY(comm == expected_comm);
    return MPI_SUCCESS;
}

static void comm_fails(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    SAY(*comm == expected_comm && class == MPI_ERR_RANK);
}

static void win_fails(MPI_Win *win, int *code, ...)
{
    (void)code;
    SAY(*win == expected_win);
}

static void callbacks(void)
{
    int data[4] = {1, 2, 3, 4}, sum[4], key, flag, *value;
    MPI_Op op;
    MPI_Comm other;
    MPI_Errhandler handler, got;
    MPI_Type_contiguous(2, MPI_INT, &expected_type);
    MPI_Type_commit(&expected_type);
    MPI_Op_create(op_looks, 1, &op);
    MPI_Allreduce(data, sum, 2, expected_type, op, MPI_COMM_WORLD);
    SAY(sum[3] == 8);
    MPI_Op_free(&op);
    SAY(op == MPI_OP_NULL);
    MPI_Comm_create_keyval(copy_looks, delete_looks, &key, &rank);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, data);
    expected_comm = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_get_attr(other, key, &value, &flag);
    SAY(flag && value == data);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    expected_comm = other;
    MPI_Comm_create_errhandler(comm_fails, &handler);
    MPI_Comm_set_errhandler(other, handler);
    MPI_Comm_get_errhandler(other, &got);
    SAY(got == handler);
    MPI_Errhandler_free(&got);
    MPI_Send(data, 1, MPI_INT, 77, 0, other);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&other);
    SAY(other == MPI_COMM_NULL);
    MPI_Comm_free_keyval(&key);
    SAY(key == MPI_KEYVAL_INVALID);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, data);
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    MPI_Comm_get_attr(other, key, &value, &flag);
    SAY(flag && value == data);
    MPI_Comm_free(&other);
    MPI_Comm_free_keyval(&key);
    MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &expected_win);
    MPI_Win_create_errhandler(win_fails, &handler);
    MPI_Win_set_errhandler(expected_win, handler);
    MPI_Errhandler_free(&handler);
    MPI_Put(data, 1, MPI_INT, 77, 0, 1, MPI_INT, expected_win);
    MPI_Win_free(&expected_win);
    SAY(expected_win == MPI_WIN_NULL);
    MPI_Type_free(&expected_type);
}

static void types(void)
{
    int lengths[2] = {1, 2}, ints, addresses, types, combiner, integer[4];
    MPI_Aint places[2] = {0, 8}, address[4];
    MPI_Datatype made, parts[2] = {MPI_CHAR, MPI_DOUBLE}, got[2], pair;
    MPI_Type_contiguous(3, MPI_SHORT, &pair);
    parts[1] = pair;
    MPI_Type_create_struct(2, lengths, places, parts, &made);
    SAY(parts[0] == MPI_CHAR && parts[1] == pair);
    MPI_Type_get_envelope(made, &ints, &addresses, &types, &combiner);
    SAY(combiner == MPI_COMBINER_STRUCT && types == 2);
    MPI_Type_get_contents(made, 3, 2, 2, integer, address, got);
    SAY(got[0] == MPI_CHAR && got[1] != MPI_CHAR);
    MPI_Type_get_envelope(got[1], &ints, &addresses, &types, &combiner);
    SAY(combiner == MPI_COMBINER_CONTIGUOUS);
    MPI_Type_free(&got[1]);
    MPI_Type_get_envelope(MPI_LONG_LONG_INT, &ints, &addresses, &types, &combiner);
    SAY(combiner == MPI_COMBINER_NAMED);
    SAY(MPI_Aint_diff(MPI_Aint_add(places[1], 5), places[1]) == 5);
    SAY(TYPE_AGAIN(made) == made);
    SAY(COMM_AGAIN(MPI_COMM_WORLD) == MPI_COMM_WORLD);
    MPI_Type_free(&made);
    MPI_Type_free(&pair);
    SAY(made == MPI_DATATYPE_NULL);
}

static void exchanges(void)
{
    int mine[2] = {10 * rank, 10 * rank + 1}, got[2] = {-1, -1}, ones[2] = {1, 1};
    int places[2] = {0, sizeof(int)}, other = 1 - rank, flag, index, in, out, weighted;
    MPI_Datatype kinds[2] = {MPI_INT, MPI_UNSIGNED};
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[3];
    MPI_Message message;
    MPI_Comm graph;
    MPI_Ialltoallw(mine, ones, places, kinds, got, ones, places, kinds, MPI_COMM_WORLD, requests);
    kinds[0] = kinds[0];
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    SAY(got[0] == rank && got[1] == 10 + rank && requests[0] == MPI_REQUEST_NULL);
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, got, ones, places, kinds, MPI_COMM_WORLD);
    MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&got[1], 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(mine, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, statuses);
    SAY(statuses[1].MPI_SOURCE == other && statuses[1].MPI_TAG == 5);
    SAY(statuses[2].MPI_SOURCE == MPI_PROC_NULL && statuses[2].MPI_TAG == MPI_ANY_TAG);
    MPI_Get_count(&statuses[1], MPI_INT, &in);
    MPI_Test_cancelled(&statuses[1], &flag);
    SAY(in == 1 && !flag);
    MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
    SAY(flag && index == MPI_UNDEFINED);
    MPI_Send(mine, 1, MPI_INT, other, 6, MPI_COMM_WORLD);
    MPI_Mprobe(other, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(got, 1, MPI_INT, &message, statuses);
    SAY(message == MPI_MESSAGE_NULL && got[0] == 10 * other);
    MPI_Mprobe(MPI_PROC_NULL, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    SAY(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(NULL, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    SAY(in == 1 && out == 1 && !weighted);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL,
                                   MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    SAY(in == 0 && out == 0 && weighted);
    MPI_Comm_free(&graph);
}

static void objects(void)
{
    MPI_Info info, again;
    MPI_Group group, none;
    MPI_File file;
    MPI_Comm alone;
    int result, size, amode;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Info_dup(info, &again);
    MPI_Info_get_nkeys(again, &size);
    SAY(size == 1 && again != info);
    MPI_Info_free(&info);
    MPI_Info_free(&again);
    SAY(info == MPI_INFO_NULL);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_difference(group, group, &none);
    SAY(none == MPI_GROUP_EMPTY);
    MPI_Group_compare(group, none, &result);
    SAY(result == MPI_UNEQUAL);
    MPI_Group_free(&group);
    SAY(group == MPI_GROUP_NULL);
    MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &alone);
    SAY((alone == MPI_COMM_NULL) == (rank == 1));
    if (!rank)
        MPI_Comm_free(&alone);
    MPI_File_open(MPI_COMM_SELF, rank ? "one" : "zero",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_get_amode(file, &amode);
    SAY(amode & MPI_MODE_DELETE_ON_CLOSE);
    MPI_File_close(&file);
    SAY(file == MPI_FILE_NULL);
}

#ifdef ONE_WORD /* handles of this ABI are words that need not be objects */
static int bad(int which)
{
    int data = 0;
    long word = which % 3 == 0 ? 0 : which % 3 == 1 ? 0x12345678 : -7;
    void *anything = (void *)word;
    MPI_Request request = (MPI_Request)word;
    MPI_Info info = (MPI_Info)word;
    MPI_Group group = (MPI_Group)word;
    MPI_Message message = (MPI_Message)word;
    MPI_Win win = (MPI_Win)word;
    MPI_File file = anything;
    switch (which / 3) {
    case 0:
        return MPI_Send(&data, 1, MPI_INT, 0, 0, (MPI_Comm)word);
    case 1:
        return MPI_Send(&data, 1, (MPI_Datatype)word, 0, 0, MPI_COMM_WORLD);
    case 2:
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
    case 3:
        return MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    case 4:
        return MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, (MPI_Op)word, MPI_COMM_WORLD);
    case 5:
        return MPI_Info_free(&info);
    case 6:
        return MPI_Group_free(&group);
    case 7:
        return MPI_Mrecv(&data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    case 8:
        return MPI_Win_fence(0, win);
    case 9:
        return MPI_File_close(&file);
    case 10:
        return MPI_Comm_set_errhandler(MPI_COMM_WORLD, (MPI_Errhandler)word);
    case 11:
        return MPI_Type_contiguous(1, (MPI_Datatype)word, &(MPI_Datatype){0});
    case 12:
        return MPI_Alltoallw(&data, &data, &data, (MPI_Datatype[]){(MPI_Datatype)word}, &data,
                             &data, &data, (MPI_Datatype[]){(MPI_Datatype)word}, MPI_COMM_SELF);
    case 13:
        return MPI_Comm_create(MPI_COMM_WORLD, group, &(MPI_Comm){0});
    default:
        return -1;
    }
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef ONE_WORD
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0, code, class; argc > 1 && (code = bad(i)) >= 0; i++) {
        MPI_Error_class(code, &class);
        if (class == MPI_SUCCESS)
            printf("%d: no error\n", i);
    }
#endif
    if (argc == 1) {
        callbacks();
        types();
        exchanges();
        objects();
    }
    printf("%d done\n", rank);
    MPI_Finalize();
    return 0;
}
