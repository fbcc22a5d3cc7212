/* Calls that return an error, one kind a mode (`returned MODE`), and the program goes on: what such
 * a call did and did not do is what the reports must rest on. `returned sound` makes each kind
 * rightly. Ranks: 2. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { LARGE = 100000 };
static int rank, other, value[LARGE];
static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_Status status[4];

/* --- receives that cut their message: the message is gone ------------------------------------- */

/* A second message shows which receive gets which. */
static void messages_send(void)
{
    MPI_Send(value, 2, MPI_INT, 1, 1, world);
    MPI_Send(value, 3, MPI_INT, 1, 1, world);
}

static void rest_receive(void)
{
    MPI_Recv(value, 3, MPI_INT, 0, 1, world, status);
}

static void recv_cut(int wrong)
{
    if (rank == 0) {
        messages_send();
    } else {
        MPI_Recv(value, 2 - wrong, MPI_INT, 0, 1, world, status);
        rest_receive();
    }
}

static void irecv_cut(int wrong)
{
    MPI_Request request;
    if (rank == 0) {
        messages_send();
    } else {
        MPI_Irecv(value, 2 - wrong, MPI_INT, 0, 1, world, &request);
        MPI_Wait(&request, status);
        rest_receive();
    }
}

static void mrecv_cut(int wrong)
{
    MPI_Message message;
    if (rank == 0) {
        messages_send();
    } else {
        MPI_Mprobe(0, 1, world, &message, status);
        MPI_Mrecv(value, 2 - wrong, MPI_INT, &message, status);
        rest_receive();
    }
}

static void imrecv_cut(int wrong)
{
    MPI_Message message;
    MPI_Request request;
    if (rank == 0) {
        messages_send();
    } else {
        MPI_Mprobe(0, 1, world, &message, status);
        MPI_Imrecv(value, 2 - wrong, MPI_INT, &message, &request);
        MPI_Wait(&request, status);
        rest_receive();
    }
}

static void sendrecv_cut(int wrong)
{
    int in[4];
    MPI_Sendrecv(value, 2, MPI_INT, other, 1, in, rank ? 2 - wrong : 2, MPI_INT, other, 1, world,
                 status);
    MPI_Sendrecv(value, 3, MPI_INT, other, 1, in, 3, MPI_INT, other, 1, world, status);
}

static void replace_cut(int wrong)
{
    MPI_Sendrecv_replace(value, rank ? 2 - wrong : 2, MPI_INT, other, 1, other, 1, world, status);
    MPI_Sendrecv_replace(value, 3, MPI_INT, other, 1, other, 1, world, status);
}

static void persistent_cut(int wrong)
{
    MPI_Request request;
    if (rank == 0) {
        messages_send();
    } else {
        MPI_Recv_init(value, 2 - wrong, MPI_INT, 0, 1, world, &request);
        MPI_Start(&request);
        MPI_Wait(&request, status);
        rest_receive();
        MPI_Request_free(&request);
    }
}

/* --- completions of several: some have an error, some none, one may be pending ---------------- */

static void receives_begin(int wrong, MPI_Request request[3])
{
    for (int i = 0; i < 3; i++)
        MPI_Irecv(value + 8 * i, i == 0 ? 2 - wrong : 2, MPI_INT, 0, i, world, &request[i]);
}

/* The last one only when it is asked for. */
static void parts_send(int asked)
{
    for (int i = 0; i < 3; i++) {
        if (i == 2 && asked)
            MPI_Recv(value + 32, 1, MPI_INT, 1, 9, world, status);
        MPI_Send(value, 2, MPI_INT, 1, i, world);
    }
}

static void last_ask(void)
{
    MPI_Send(value + 32, 1, MPI_INT, 0, 9, world);
}

static void waitall_some(int wrong)
{
    MPI_Request request[3];
    if (rank == 0) {
        parts_send(0);
    } else {
        receives_begin(wrong, request);
        MPI_Waitall(3, request, status);
        MPI_Waitall(3, request, status);
    }
}

static void waitsome_some(int wrong)
{
    MPI_Request request[3];
    if (rank == 0) {
        parts_send(1);
    } else {
        receives_begin(wrong, request);
        for (int done = 0; done < 2;) {
            int count, index[3];
            MPI_Waitsome(3, request, &count, index, status);
            done += count;
        }
        last_ask();
        MPI_Wait(&request[2], status);
    }
}

static void testsome_some(int wrong)
{
    MPI_Request request[3];
    if (rank == 0) {
        parts_send(1);
    } else {
        receives_begin(wrong, request);
        for (int done = 0; done < 2;) {
            int count, index[3];
            MPI_Testsome(3, request, &count, index, status);
            done += count;
        }
        last_ask();
        MPI_Wait(&request[2], status);
    }
}

static void testall_some(int wrong)
{
    MPI_Request request[3];
    int flag = 0;
    if (rank == 0) {
        parts_send(1);
    } else {
        receives_begin(wrong, request);
        MPI_Testall(3, request, &flag, status);
        last_ask();
        for (int i = 0; i < 1000 && !flag; i++)
            MPI_Testall(3, request, &flag, status);
        MPI_Waitall(3, request,
                    status); /* MPICH may leave some pending beside the one cut short. */
        MPI_Waitall(3, request, status);
    }
}

static void waitany_some(int wrong)
{
    MPI_Request request[3];
    if (rank == 0) {
        parts_send(1);
    } else {
        int index;
        receives_begin(wrong, request);
        MPI_Waitany(3, request, &index, status);
        MPI_Waitany(3, request, &index, status);
        last_ask();
        MPI_Waitany(3, request, &index, status);
    }
}

/* --- frees that are refused: the object is as it was ------------------------------------------ */

static int refuse;

static int comm_deleted(MPI_Comm comm, int key, void *attribute, void *state)
{
    (void)comm, (void)key, (void)attribute, (void)state;
    return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int type_deleted(MPI_Datatype type, int key, void *attribute, void *state)
{
    (void)type, (void)key, (void)attribute, (void)state;
    return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int win_deleted(MPI_Win win, int key, void *attribute, void *state)
{
    (void)win, (void)key, (void)attribute, (void)state;
    return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void comm_free(int wrong)
{
    MPI_Comm comm;
    int key;
    MPI_Comm_dup(world, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_deleted, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    refuse = wrong;
    if (!wrong || MPI_Comm_free(&comm) != MPI_SUCCESS) {
        refuse = 0;
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_free_keyval(&key);
}

static void type_free(int wrong)
{
    MPI_Datatype type;
    int key;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_deleted, &key, NULL);
    MPI_Type_set_attr(type, key, NULL);
    refuse = wrong;
    if (!wrong || MPI_Type_free(&type) != MPI_SUCCESS) {
        refuse = 0;
        MPI_Sendrecv(value, 1, type, rank, 1, value + 8, 1, type, rank, 1, world, status);
        MPI_Type_free(&type);
    }
    MPI_Type_free_keyval(&key);
}

static void win_free(int wrong)
{
    MPI_Win win;
    int key;
    MPI_Win_create(value, sizeof value, 4, MPI_INFO_NULL, world, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, win_deleted, &key, NULL);
    MPI_Win_set_attr(win, key, NULL);
    refuse = wrong;
    if (!wrong || MPI_Win_free(&win) != MPI_SUCCESS) {
        refuse = 0;
        MPI_Win_fence(0, win);
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
    }
    MPI_Win_free_keyval(&key);
}

static void predefined_free(int wrong)
{
    MPI_Datatype type = MPI_INT;
    MPI_Comm comm = world;
    if (wrong) {
        MPI_Type_free(&type);
        MPI_Comm_free(&comm);
    }
    MPI_Sendrecv(value, 1, MPI_INT, other, 1, value + 8, 1, MPI_INT, other, 1, world, status);
}

static void null_free(int wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_File file = MPI_FILE_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (wrong) {
        MPI_Request_free(&request);
        MPI_Comm_free(&comm);
        MPI_Group_free(&group);
        MPI_File_close(&file);
        MPI_Win_free(&win);
        MPI_Type_free(&type);
    }
    MPI_Barrier(world);
}

/* --- collectives with an error on one rank, or all -------------------------------------------- */

static void bcast_cut(int wrong)
{
    MPI_Bcast(value, rank ? 2 - wrong : 2, MPI_INT, 0, world);
    MPI_Bcast(value, 3, MPI_INT, 0, world);
    MPI_Barrier(world);
}

/* Only the root looks at the count that it receives: the others made their part. */
static void gather_root(int wrong)
{
    MPI_Gather(value, 1, MPI_INT, value + 8, rank ? 1 : 1 - 2 * wrong, MPI_INT, 0, world);
    MPI_Barrier(world);
}

/* The refused one is repeated: all made one. */
static void gather_again(int wrong)
{
    if (wrong && rank == 0)
        MPI_Gather(value, 1, MPI_INT, value + 8, -1, MPI_INT, 0, world);
    MPI_Gather(value, 1, MPI_INT, value + 8, 1, MPI_INT, 0, world);
    MPI_Barrier(world);
}

/* Refused twice on one rank, with others between. */
static void gather_twice(int wrong)
{
    for (int i = 0; i < 2; i++) {
        MPI_Gather(value, 1, MPI_INT, value + 8, rank ? 1 : 1 - 2 * wrong, MPI_INT, 0, world);
        MPI_Allreduce(value, value + 8, 1, MPI_INT, MPI_SUM, world);
        MPI_Gather(value, 1, MPI_INT, value + 8, rank ? 1 : 1 - 2 * wrong, MPI_INT, 0, world);
    }
}

/* More often than anything that is looked at a few times. */
static void gather_many(int wrong)
{
    for (int i = 0; i < 200; i++)
        MPI_Gather(value, 1, MPI_INT, value + 8, rank ? 1 : 1 - 2 * wrong, MPI_INT, 0, world);
    MPI_Bcast(value, 1, MPI_INT, 0, world);
}

/* Each rank has one refused where it is the root. */
static void gather_rounds(int wrong)
{
    for (int root = 0; root < 2; root++)
        MPI_Gather(value, 1, MPI_INT, value + 8, rank == root ? 1 - 2 * wrong : 1, MPI_INT, root,
                   world);
    MPI_Barrier(world);
}

static void igather_root(int wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Igather(value, 1, MPI_INT, value + 8, rank ? 1 : 1 - 2 * wrong, MPI_INT, 0, world,
                &request);
    MPI_Wait(&request, status);
    MPI_Barrier(world);
}

static void coll_all(int wrong)
{
    MPI_Allreduce(value, value + 8, 1, MPI_INT, wrong ? MPI_OP_NULL : MPI_SUM, world);
    MPI_Bcast(value, 1, MPI_INT, wrong ? 2 : 1, world);
    MPI_Barrier(world);
}

static void icoll(int wrong)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Ibcast(value, 1, MPI_INT, wrong ? 2 : 1, world, &request[0]);
    MPI_Iallreduce(value + 4, value + 8, 1, MPI_INT, wrong ? MPI_OP_NULL : MPI_SUM, world,
                   &request[1]);
    if (!wrong)
        MPI_Waitall(2, request, status);
    MPI_Barrier(world);
}

/* --- one-sided calls that are refused: nothing moves ------------------------------------------ */

static void rma(int wrong)
{
    MPI_Win win;
    int *base;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, world, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    MPI_Put(value, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
    if (wrong && rank == 0) {
        MPI_Accumulate(value, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_OP_NULL, win);
        MPI_Put(value, 1, MPI_INT, 0, 1, 1, MPI_DATATYPE_NULL, win);
        MPI_Get(value, 1, MPI_INT, 2, 1, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void rma_request(int wrong)
{
    MPI_Win win;
    int *base;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, world, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    MPI_Rput(value, 1, MPI_INT, 0, rank, 1, wrong ? MPI_DATATYPE_NULL : MPI_INT, win, &request);
    if (!wrong)
        MPI_Wait(&request, status);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* --- requests --------------------------------------------------------------------------------- */

static void start_twice(int wrong)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Send(value, 1, MPI_INT, 1, 1, world);
    } else {
        MPI_Recv_init(value, 1, MPI_INT, 0, 1, world, &request);
        MPI_Start(&request);
        if (wrong)
            MPI_Start(&request);
        MPI_Wait(&request, status);
        MPI_Request_free(&request);
    }
    MPI_Barrier(world);
}

static void start_null(int wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (!wrong)
        MPI_Send_init(value, 1, MPI_INT, MPI_PROC_NULL, 1, world, &request);
    MPI_Start(&request);
    if (!wrong) {
        MPI_Wait(&request, status);
        MPI_Request_free(&request);
    }
}

static void refused_requests(int wrong)
{
    MPI_Request request[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                              MPI_REQUEST_NULL};
    MPI_Isend(value, 1, MPI_INT, wrong ? 2 : other, 1, world, &request[0]);
    MPI_Irecv(value + 8, 1, MPI_INT, other, wrong ? -7 : 1, world, &request[1]);
    MPI_Issend(value, 1 - 2 * wrong, MPI_INT, other, 1, world, &request[2]);
    MPI_Recv_init(value + 16, 1, MPI_INT, wrong ? 2 : other, 1, world, &request[3]);
    if (!wrong) {
        MPI_Start(&request[3]);
        MPI_Waitall(4, request, status);
        MPI_Request_free(&request[3]);
    }
}

static void cancel_null(int wrong)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (!wrong)
        MPI_Irecv(value, 1, MPI_INT, other, 3, world, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, status);
}

static void mrecv_refused(int wrong)
{
    MPI_Message message;
    if (rank == 0) {
        MPI_Send(value, 1, MPI_INT, 1, 1, world);
        return;
    }
    MPI_Mprobe(0, 1, world, &message, status);
    if (wrong) /* the message is still there */
        MPI_Mrecv(value, -1, MPI_INT, &message, status);
    if (message != MPI_MESSAGE_NULL)
        MPI_Mrecv(value, 1, MPI_INT, &message, status);
}

static void bsend_full(int wrong)
{
    static char buffer[64 + MPI_BSEND_OVERHEAD];
    int bytes = sizeof buffer;
    void *detached;
    MPI_Buffer_attach(buffer, bytes);
    if (rank == 0) {
        if (wrong)
            MPI_Bsend(value, LARGE, MPI_INT, 1, 1, world);
        MPI_Bsend(value, 1, MPI_INT, 1, 1, world);
    } else {
        MPI_Recv(value, 1, MPI_INT, 0, 1, world, status);
    }
    MPI_Buffer_detach(&detached, &bytes);
}

/* --- calls that would have made an object: there is none to free ------------------------------ */

static void made_none(int wrong)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Group all, group = MPI_GROUP_NULL;
    int ranks[] = {wrong ? 2 : 0};
    MPI_Comm_group(world, &all);
    MPI_Comm_create(world, wrong ? MPI_GROUP_NULL : all, &comm);
    MPI_Type_contiguous(wrong ? -1 : 1, MPI_INT, &type);
    MPI_Win_create(value, wrong ? -1 : 4, 1, MPI_INFO_NULL, world, &win);
    MPI_Group_incl(all, 1, ranks, &group);
    if (!wrong) {
        MPI_Comm_free(&comm);
        MPI_Type_free(&type);
        MPI_Win_free(&win);
        MPI_Group_free(&group);
    }
    MPI_Group_free(&all);
    MPI_Barrier(world);
}

static void file_none(int wrong)
{
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(world, wrong ? "no/such" : "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);
    if (!wrong)
        MPI_File_close(&file);
    MPI_Barrier(world);
}

/* Reads the file while the other is refused to write it. */
static void file_refused(int wrong)
{
    MPI_File file;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File_open(world, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 4 * rank, value, 1, MPI_INT, status);
    MPI_File_close(&file);
    MPI_File_open(world, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    if (wrong && rank == 0) {
        MPI_File_write_at(file, 4, value, 1, MPI_INT, status);
        MPI_File_iwrite_at(file, 4, value, 1, MPI_INT, &request);
    } else {
        MPI_File_read_at(file, 4 * rank, value, 1, MPI_INT, status);
    }
    MPI_File_close(&file);
}

static const struct mode {
    const char *name;
    void (*run)(int wrong);
} mode[] = {
    {"recv_cut", recv_cut},
    {"irecv_cut", irecv_cut},
    {"mrecv_cut", mrecv_cut},
    {"imrecv_cut", imrecv_cut},
    {"sendrecv_cut", sendrecv_cut},
    {"replace_cut", replace_cut},
    {"persistent_cut", persistent_cut},
    {"waitall_some", waitall_some},
    {"waitsome_some", waitsome_some},
    {"testsome_some", testsome_some},
    {"testall_some", testall_some},
    {"waitany_some", waitany_some},
    {"comm_free", comm_free},
    {"type_free", type_free},
    {"win_free", win_free},
    {"predefined_free", predefined_free},
    {"null_free", null_free},
    {"bcast_cut", bcast_cut},
    {"gather_root", gather_root},
    {"gather_again", gather_again},
    {"gather_twice", gather_twice},
    {"gather_many", gather_many},
    {"gather_rounds", gather_rounds},
    {"igather_root", igather_root},
    {"coll_all", coll_all},
    {"icoll", icoll},
    {"rma", rma},
    {"rma_request", rma_request},
    {"start_twice", start_twice},
    {"start_null", start_null},
    {"refused_requests", refused_requests},
    {"cancel_null", cancel_null},
    {"mrecv_refused", mrecv_refused},
    {"bsend_full", bsend_full},
    {"made_none", made_none},
    {"file_none", file_none},
    {"file_refused", file_refused},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    other = 1 - rank;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    for (size_t i = 0; argc > 1 && i < sizeof mode / sizeof *mode; i++)
        if (!strcmp(argv[1], "sound") || !strcmp(argv[1], mode[i].name)) {
            mode[i].run(strcmp(argv[1], "sound") != 0);
            MPI_Barrier(world);
        }
    MPI_Finalize();
    return 0;
}
