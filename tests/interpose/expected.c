/* Calls that a program expects an error of, and goes on, as tests of error handling and tools that
 * ask what there is do: `expected KIND`, or `expected all`. It looks at what each returns; a
 * library may do what another one refuses. Ranks: 2. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, other, value[64], in[64];
static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_Status status;

#ifdef HANDLER /* of the program's own: it does not look at what a call returns */
static int met;

static void comm_handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    met = 1;
}

static void win_handler(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
    met = 1;
}

static void file_handler(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
    met = 1;
}

static void win_handle(MPI_Win win)
{
    MPI_Errhandler handler;
    MPI_Win_create_errhandler(win_handler, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Errhandler_free(&handler);
}

static void handle(void)
{
    MPI_Errhandler of_comm, of_file;
    MPI_Comm_create_errhandler(comm_handler, &of_comm);
    MPI_Comm_set_errhandler(world, of_comm);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, of_comm);
    MPI_Errhandler_free(&of_comm);
    MPI_File_create_errhandler(file_handler, &of_file);
    MPI_File_set_errhandler(MPI_FILE_NULL, of_file);
    MPI_Errhandler_free(&of_file);
}
#define is_refused(call) (met = 0, (call), met)
#else
static void win_handle(MPI_Win win)
{
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static void handle(void)
{
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

static int is_refused(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class != MPI_SUCCESS;
}
#endif

static void file_missing(void)
{
    MPI_File file;
    if (!is_refused(MPI_File_open(world, "missing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)))
        MPI_File_close(&file);
    if (!is_refused(MPI_File_open(MPI_COMM_SELF, "no/such", MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                  MPI_INFO_NULL, &file)))
        MPI_File_close(&file);
    MPI_Barrier(world);
    is_refused(MPI_File_delete(rank ? "missing1" : "missing0", MPI_INFO_NULL));
}

static void file_made(const char *name)
{
    MPI_File file;
    if (rank == 0) {
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        MPI_File_write(file, value, 4, MPI_INT, &status);
        MPI_File_close(&file);
    }
    MPI_Barrier(world);
}

static void file_exists(void)
{
    MPI_File file;
    file_made("exists");
    if (!is_refused(MPI_File_open(world, "exists", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                                  MPI_INFO_NULL, &file)))
        MPI_File_close(&file);
}

static void file_end(void)
{
    MPI_File file;
    int count = 1;
    file_made("end");
    MPI_File_open(world, "end", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    while (count) {
        MPI_File_read(file, in, 3, MPI_INT, &status);
        MPI_Get_count(&status, MPI_INT, &count);
    }
    MPI_File_read_at(file, 4096, in, 4, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_File_read_at_all(file, 8, in, 4, MPI_INT, &status);
    MPI_File_close(&file);
}

static void file_mode(void)
{
    MPI_File file;
    file_made("mode");
    MPI_File_open(world, "mode", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    is_refused(MPI_File_write(file, value, 1, MPI_INT, &status));
    is_refused(MPI_File_set_size(file, 100));
    is_refused(MPI_File_seek(file, -8, MPI_SEEK_SET));
    is_refused(MPI_File_read(file, in, -1, MPI_INT, &status));
    is_refused(MPI_File_read(file, in, 1, MPI_DATATYPE_NULL, &status));
    is_refused(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no such", MPI_INFO_NULL));
    is_refused(MPI_File_open(world, "mode", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL,
                             &(MPI_File){MPI_FILE_NULL}));
    MPI_File_read_at(file, 0, in, 1, MPI_INT, &status);
    MPI_File_close(&file);
}

static void win_calls(void)
{
    MPI_Win win;
    int *base, size = 0;
    MPI_Aint bytes;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, world, &base, &win);
    win_handle(win);
    is_refused(MPI_Put(value, 1, MPI_INT, other, 0, 1, MPI_INT, win));
    is_refused(MPI_Win_unlock(other, win));
    is_refused(MPI_Win_flush(other, win));
    MPI_Win_fence(0, win);
    is_refused(MPI_Put(value, 1, MPI_INT, 2, 0, 1, MPI_INT, win));
    is_refused(MPI_Put(value, 1, MPI_INT, other, 0, -1, MPI_INT, win));
    is_refused(MPI_Accumulate(value, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_OP_NULL, win));
    MPI_Win_fence(0, win);
    is_refused(MPI_Win_shared_query(win, rank, &bytes, &size, &base));
    MPI_Win_free(&win);
    is_refused(MPI_Win_create(value, -4, 4, MPI_INFO_NULL, world, &win));
    is_refused(MPI_Win_create(value, 4, -4, MPI_INFO_NULL, world, &win));
}

static void infos(void)
{
    MPI_Info info;
    char key[MPI_MAX_INFO_KEY + 2], text[16];
    int there;
    MPI_Info_create(&info);
    MPI_Info_get(info, "missing", 15, text, &there);
    is_refused(MPI_Info_delete(info, "missing"));
    memset(key, 'k', sizeof key);
    key[sizeof key - 1] = 0;
    is_refused(MPI_Info_set(info, key, "value"));
    is_refused(MPI_Info_set(info, "", "value"));
    is_refused(MPI_Info_get_nthkey(info, 7, key));
    MPI_Info_free(&info);
    is_refused(MPI_Info_free(&info));
}

static void names(void)
{
    char port[MPI_MAX_PORT_NAME];
    is_refused(MPI_Lookup_name("no such service", MPI_INFO_NULL, port));
    is_refused(MPI_Unpublish_name("no such service", MPI_INFO_NULL, "no port"));
}

static void ports(void)
{
    MPI_Comm comm;
    if (rank == 0 &&
        !is_refused(MPI_Comm_connect("no such port", MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm)))
        MPI_Comm_disconnect(&comm);
    MPI_Barrier(world);
}

static void spawn(void)
{
    MPI_Comm comm;
    int code = 0;
    if (!is_refused(MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, world,
                                   &comm, &code)))
        MPI_Comm_disconnect(&comm);
}

static void datatypes(void)
{
    MPI_Datatype type = MPI_DATATYPE_NULL, part = MPI_DATATYPE_NULL;
    int one[] = {1}, ints[1];
    MPI_Aint zero[] = {0}, places[1];
    is_refused(MPI_Type_vector(-1, 1, 1, MPI_INT, &type));
    is_refused(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type));
    is_refused(MPI_Type_create_struct(1, one, zero, &part, &type));
    is_refused(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type));
    is_refused(MPI_Type_create_f90_real(1000, 1000, &type));
    MPI_Type_contiguous(2, MPI_INT, &type);
    is_refused(MPI_Send(value, 1, type, MPI_PROC_NULL, 0, world));
    is_refused(MPI_Type_get_contents(MPI_INT, 1, 1, 1, ints, places, &part));
    MPI_Type_free(&type);
    is_refused(MPI_Type_free(&type));
    type = MPI_INT;
    is_refused(MPI_Type_free(&type));
}

static void topologies(void)
{
    MPI_Comm grid, none = MPI_COMM_NULL;
    int dims[] = {64}, all[] = {2}, periods[] = {0}, coords[] = {9}, at, next, odd[] = {3};
    is_refused(MPI_Cart_create(world, 1, dims, periods, 0, &none));
    is_refused(MPI_Dims_create(2, 1, odd));
    is_refused(MPI_Cart_coords(world, 0, 1, coords));
    is_refused(MPI_Cartdim_get(world, &at));
    is_refused(MPI_Graphdims_get(world, &at, &next));
    is_refused(MPI_Graph_neighbors_count(world, 0, &at));
    is_refused(MPI_Dist_graph_neighbors_count(world, &at, &next, &next));
    MPI_Cart_create(world, 1, all, periods, 0, &grid);
    is_refused(MPI_Cart_rank(grid, coords, &at));
    is_refused(MPI_Cart_coords(grid, 7, 1, coords));
    MPI_Comm_free(&grid);
}

static void groups(void)
{
    MPI_Group all, some = MPI_GROUP_NULL;
    int far[] = {5}, at;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_group(world, &all);
    is_refused(MPI_Group_incl(all, 1, far, &some));
    is_refused(MPI_Group_excl(all, 1, far, &some));
    is_refused(MPI_Comm_create(world, MPI_GROUP_NULL, &comm));
    is_refused(MPI_Comm_size(MPI_COMM_NULL, &at));
    MPI_Group_free(&all);
    is_refused(MPI_Group_free(&all));
}

static int copy_refused(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)from, (void)to;
    *flag = 0;
    return MPI_ERR_OTHER;
}

static void attributes(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int key, there, *found, bad = MPI_KEYVAL_INVALID;
    is_refused(MPI_Comm_set_attr(world, MPI_KEYVAL_INVALID, NULL));
    is_refused(MPI_Comm_get_attr(world, MPI_KEYVAL_INVALID, &found, &there));
    is_refused(MPI_Comm_free_keyval(&bad));
    is_refused(MPI_Comm_set_attr(world, MPI_TAG_UB, NULL));
    MPI_Comm_create_keyval(copy_refused, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    if (!is_refused(MPI_Comm_dup(MPI_COMM_SELF, &comm)))
        MPI_Comm_free(&comm);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    is_refused(MPI_Comm_delete_attr(MPI_COMM_SELF, key));
    MPI_Comm_free_keyval(&key);
}

static void messages(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    is_refused(MPI_Send(value, 1, MPI_INT, 2, 0, world));
    is_refused(MPI_Send(value, -1, MPI_INT, other, 0, world));
    is_refused(MPI_Send(value, 1, MPI_DATATYPE_NULL, other, 0, world));
    is_refused(MPI_Send(value, 1, MPI_INT, other, -5, world));
    is_refused(MPI_Send(value, 1, MPI_INT, other, 0, MPI_COMM_NULL));
    is_refused(MPI_Isend(value, 1, MPI_INT, 7, 0, world, &request));
    is_refused(MPI_Irecv(in, 1, MPI_INT, 7, 0, world, &request));
    is_refused(MPI_Probe(7, 0, world, &status));
    is_refused(MPI_Sendrecv(value, 1, MPI_INT, 7, 0, in, 1, MPI_INT, 7, 0, world, &status));
    MPI_Sendrecv(value, 1, MPI_INT, other, 0, in, 1, MPI_INT, other, 0, world, &status);
}

static void truncated(void)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status each[2];
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Send(value, 8, MPI_INT, 1, i, world);
    } else {
        is_refused(MPI_Recv(in, 1, MPI_INT, 0, 0, world, &status));
        MPI_Irecv(in, 1, MPI_INT, 0, 1, world, &request[0]);
        MPI_Irecv(in + 16, 8, MPI_INT, 0, 2, world, &request[1]);
        for (int i = 0; i < 2 && is_refused(MPI_Waitall(2, request, each)); i++)
            continue;
    }
}

static void buffered(void)
{
    static char space[4096], more[4096];
    void *at;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    is_refused(MPI_Buffer_attach(more, sizeof more));
    MPI_Buffer_detach(&at, &bytes);
    is_refused(MPI_Buffer_detach(&at, &bytes));
}

static void requests(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int flag;
    is_refused(MPI_Start(&request));
    is_refused(MPI_Cancel(&request));
    is_refused(MPI_Request_free(&request));
    MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    MPI_Request_free(&request);
    MPI_Irecv(in, 1, MPI_INT, other, 0, world, &request);
    is_refused(MPI_Start(&request));
    is_refused(MPI_Grequest_complete(request));
    MPI_Request_get_status(request, &flag, &status);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
}

static void collectives(void)
{
    MPI_Op op = MPI_SUM;
    MPI_Request request = MPI_REQUEST_NULL;
    is_refused(MPI_Bcast(value, 1, MPI_INT, 7, world));
    is_refused(MPI_Bcast(value, -1, MPI_INT, 0, world));
    is_refused(MPI_Allreduce(value, in, 1, MPI_INT, MPI_OP_NULL, world));
    is_refused(MPI_Allreduce(value, in, 1, MPI_DOUBLE, MPI_BAND, world));
    is_refused(MPI_Reduce(value, in, 1, MPI_INT, MPI_SUM, 9, world));
    is_refused(MPI_Ibcast(value, 1, MPI_INT, 7, world, &request));
    is_refused(MPI_Barrier(MPI_COMM_NULL));
    is_refused(MPI_Op_free(&op));
    op = MPI_OP_NULL;
    is_refused(MPI_Op_free(&op));
    MPI_Barrier(world);
}

static void collective_one(void)
{
    is_refused(MPI_Gather(value, 1, MPI_INT, in, rank ? 1 : -1, MPI_INT, 0, world));
    MPI_Barrier(world);
}

/* What the root sends is longer: the others are told. */
static void collective_cut(void)
{
    is_refused(MPI_Bcast(value, rank ? 1 : 2, MPI_INT, 0, world));
    MPI_Barrier(world);
}

static void completions(void)
{
    MPI_Request request[3];
    MPI_Status each[3];
    int count, index[3], flag = 0;
    for (int way = 0; way < 4; way++) {
        for (int i = 0; i < 3; i++)
            if (rank == 0)
                MPI_Isend(value, 2, MPI_INT, 1, i, world, &request[i]);
            else
                MPI_Irecv(in + 4 * i, i == 1 ? 1 : 2, MPI_INT, 0, i, world, &request[i]);
        for (int left = 3; left > 0;) {
            if (way == 0) {
                is_refused(MPI_Waitany(3, request, index, each));
                count = 1;
            } else if (way == 1) {
                is_refused(MPI_Waitsome(3, request, &count, index, each));
            } else if (way == 2) {
                is_refused(MPI_Testany(3, request, index, &flag, each));
                count = flag;
            } else {
                is_refused(MPI_Testsome(3, request, &count, index, each));
            }
            left -= count == MPI_UNDEFINED ? left : count;
        }
    }
}

static void dup_refused(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int key;
    MPI_Comm_create_keyval(copy_refused, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(world, key, NULL);
    if (!is_refused(MPI_Comm_dup(world, &comm)))
        MPI_Comm_free(&comm);
    MPI_Comm_delete_attr(world, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_dup(world, &comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

/* Asks for what there may not be. */
static void tools(void)
{
    int level, index, count, length = 8, verbosity, binding, scope;
    char name[8];
    MPI_Datatype type;
    MPI_T_enum of;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    if (MPI_T_cvar_get_index("no such variable", &index) == MPI_SUCCESS)
        MPI_Barrier(MPI_COMM_SELF);
    MPI_T_cvar_get_num(&count);
    if (MPI_T_cvar_get_info(count + 5, name, &length, &verbosity, &type, &of, NULL, NULL, &binding,
                            &scope) == MPI_SUCCESS)
        MPI_Barrier(MPI_COMM_SELF);
    MPI_T_finalize();
}

static void handlers(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int class, code, length;
    char text[MPI_MAX_ERROR_STRING];
    is_refused(MPI_Comm_set_errhandler(world, MPI_ERRHANDLER_NULL));
    is_refused(MPI_Errhandler_free(&handler));
    is_refused(MPI_Error_string(-77, text, &length));
    is_refused(MPI_Error_class(-77, &class));
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "ours");
    MPI_Error_string(code, text, &length);
    is_refused(MPI_Comm_call_errhandler(world, code));
}

static const struct kind {
    const char *name;
    void (*run)(void);
} kind[] = {
    {"file_missing", file_missing},
    {"file_exists", file_exists},
    {"file_end", file_end},
    {"file_mode", file_mode},
    {"win_calls", win_calls},
    {"infos", infos},
    {"names", names},
    {"ports", ports},
    {"spawn", spawn},
    {"datatypes", datatypes},
    {"topologies", topologies},
    {"groups", groups},
    {"attributes", attributes},
    {"messages", messages},
    {"truncated", truncated},
    {"buffered", buffered},
    {"requests", requests},
    {"collectives", collectives},
    {"collective_one", collective_one},
    {"collective_cut", collective_cut},
    {"completions", completions},
    {"dup_refused", dup_refused},
    {"tools", tools},
    {"handlers", handlers},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    other = 1 - rank;
    handle();
    for (size_t i = 0; argc > 1 && i < sizeof kind / sizeof *kind; i++)
        if (!strcmp(argv[1], kind[i].name))
            kind[i].run();
    MPI_Barrier(world);
    MPI_Finalize();
    return 0;
}
