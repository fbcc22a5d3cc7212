/* Makes the other calls: info objects, attributes, memory, time, names, handles for Fortran,
 * queries of the thread level, MPI_T. Each rank prints how often it made each call.
 *
 * Does not count MPI_Initialized before MPI_Init and MPI_Finalized after MPI_Finalize, as no rank
 * is recorded then.
 *
 * Arguments: none. Ranks: any number.
 *
 * TEST: ranks=1 args= job=0 verdict=clean
 * TEST: ranks=2 args= job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

static int rank, size;

static void infos(void)
{
    MPI_Info info, copy;
    char value[16], key[MPI_MAX_INFO_KEY];
    int flag, n;
    CALL(MPI_Info_create, &info);
    CALL(MPI_Info_set, info, "colour", "blue");
    CALL(MPI_Info_get, info, "colour", 15, value, &flag);
    EXPECT(flag && !strcmp(value, "blue"));
    CALL(MPI_Info_get_valuelen, info, "colour", &n, &flag);
    CALL(MPI_Info_get_nkeys, info, &n);
    EXPECT(n == 1);
    CALL(MPI_Info_get_nthkey, info, 0, key);
    CALL(MPI_Info_dup, info, &copy);
    CALL(MPI_Info_delete, copy, "colour");
    EXPECT(CALL(MPI_Info_f2c, CALL(MPI_Info_c2f, info)) == info);
    CALL(MPI_Info_free, &copy);
    CALL(MPI_Info_free, &info);
}

static void attributes(void)
{
    int key, number = 3, *found, flag;
    CALL(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    CALL(MPI_Comm_set_attr, MPI_COMM_WORLD, key, &number);
    CALL(MPI_Comm_get_attr, MPI_COMM_WORLD, key, &found, &flag);
    EXPECT(flag && *found == 3);
    CALL(MPI_Comm_delete_attr, MPI_COMM_WORLD, key);
    CALL(MPI_Comm_free_keyval, &key);
    CALL(MPI_Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, &found, &flag);
    EXPECT(flag && *found >= 32767);
}

static void environment(void)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int version, subversion, length, flag;
    void *memory;
    CALL(MPI_Initialized, &flag);
    EXPECT(flag);
    CALL(MPI_Finalized, &flag);
    EXPECT(!flag);
    CALL(MPI_Query_thread, &version);
    CALL(MPI_Is_thread_main, &flag);
    EXPECT(flag);
    CALL(MPI_Get_version, &version, &subversion);
    CALL(MPI_Get_library_version, name, &length);
    CALL(MPI_Get_processor_name, name, &length);
    EXPECT(CALL0(MPI_Wtime) >= 0);
    EXPECT(CALL0(MPI_Wtick) > 0);
    CALL(MPI_Pcontrol, 1);
    CALL(MPI_Alloc_mem, 1000, MPI_INFO_NULL, &memory);
    CALL(MPI_Free_mem, memory);
}

static void handles(void)
{
    MPI_Op op = MPI_SUM;
    MPI_Errhandler errors = MPI_ERRORS_RETURN;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    MPI_Status status, back;
    MPI_Fint fortran[64];
    int number = 1, got = 0;
    EXPECT(CALL(MPI_Op_f2c, CALL(MPI_Op_c2f, op)) == op);
    EXPECT(CALL(MPI_Errhandler_f2c, CALL(MPI_Errhandler_c2f, errors)) == errors);
    EXPECT(CALL(MPI_Request_f2c, CALL(MPI_Request_c2f, request)) == request);
    CALL(MPI_Isend, &number, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
    CALL(MPI_Mprobe, rank, 1, MPI_COMM_WORLD, &message, &status);
    message = CALL(MPI_Message_f2c, CALL(MPI_Message_c2f, message));
    CALL(MPI_Mrecv, &got, 1, MPI_INT, &message, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Status_c2f, &status, fortran);
    CALL(MPI_Status_f2c, fortran, &back);
    EXPECT(back.MPI_SOURCE == rank && back.MPI_TAG == 1);
}

/* Reads and writes the first control variable that is an int bound to no object, if any. */
static void control_variables(int n)
{
    for (int i = 0; i < n; i++) {
        char name[256], text[256];
        int name_length = sizeof(name), text_length = sizeof(text), verbosity, bind, scope, count,
            number, index;
        MPI_Datatype type;
        MPI_T_enum values;
        MPI_T_cvar_handle handle;
        if (CALL(MPI_T_cvar_get_info, i, name, &name_length, &verbosity, &type, &values, text,
                 &text_length, &bind, &scope) != MPI_SUCCESS ||
            type != MPI_INT || bind != MPI_T_BIND_NO_OBJECT)
            continue;
        CALL(MPI_T_cvar_get_index, name, &index);
        EXPECT(index == i);
        CALL(MPI_T_cvar_handle_alloc, i, NULL, &handle, &count);
        CALL(MPI_T_cvar_read, handle, &number);
        CALL(MPI_T_cvar_write, handle,
             &number); /* the value that it has; an error if it is read-only */
        CALL(MPI_T_cvar_handle_free, &handle);
        return;
    }
}

static void performance_variables(int n)
{
    MPI_T_pvar_session session;
    CALL(MPI_T_pvar_session_create, &session);
    for (int i = 0; i < n; i++) {
        char name[256], text[256], value[4096];
        int name_length = sizeof(name), text_length = sizeof(text), verbosity, class, bind,
            readonly, continuous;
        int atomic, count, index;
        MPI_Datatype type;
        MPI_T_enum values;
        MPI_T_pvar_handle handle;
        if (CALL(MPI_T_pvar_get_info, i, name, &name_length, &verbosity, &class, &type, &values,
                 text, &text_length, &bind, &readonly, &continuous, &atomic) != MPI_SUCCESS ||
            bind != MPI_T_BIND_NO_OBJECT)
            continue;
        CALL(MPI_T_pvar_get_index, name, class, &index);
        if (CALL(MPI_T_pvar_handle_alloc, session, i, NULL, &handle, &count) != MPI_SUCCESS)
            continue;
        EXPECT(count <= 64);
        /* The library may refuse any of these if the variable always runs or is read-only. */
        CALL(MPI_T_pvar_start, session, handle);
        CALL(MPI_T_pvar_read, session, handle, value);
        CALL(MPI_T_pvar_write, session, handle, value);
        CALL(MPI_T_pvar_reset, session, handle);
        CALL(MPI_T_pvar_readreset, session, handle, value);
        CALL(MPI_T_pvar_stop, session, handle);
        CALL(MPI_T_pvar_handle_free, session, &handle);
        break;
    }
    CALL(MPI_T_pvar_session_free, &session);
}

static void categories(int n)
{
    char name[256], text[256];
    int name_length = sizeof(name), text_length = sizeof(text), controls, counters, inside, stamp,
        index, one[1];
    CALL(MPI_T_category_changed, &stamp);
    if (!n)
        return;
    CALL(MPI_T_category_get_info, 0, name, &name_length, text, &text_length, &controls, &counters,
         &inside);
    CALL(MPI_T_category_get_index, name, &index);
    EXPECT(index == 0);
    CALL(MPI_T_category_get_cvars, 0, 1, one);
    CALL(MPI_T_category_get_pvars, 0, 1, one);
    CALL(MPI_T_category_get_categories, 0, 1, one);
}

static void tools(void)
{
    int provided, n;
    CALL(MPI_T_init_thread, MPI_THREAD_SINGLE, &provided);
    CALL(MPI_T_cvar_get_num, &n);
    control_variables(n);
    CALL(MPI_T_pvar_get_num, &n);
    performance_variables(n);
    CALL(MPI_T_category_get_num, &n);
    categories(n);
    CALL0(MPI_T_finalize);
}

static void on_file_error(MPI_File *file, int *code, ...)
{
    (void)file;
    (void)code;
}

static void file_errors(void)
{
    MPI_Errhandler handler;
    CALL(MPI_File_create_errhandler, on_file_error, &handler);
    CALL(MPI_Errhandler_free, &handler);
}

int main(int argc, char **argv)
{
    int provided, flag;
    MPI_Initialized(&flag);
    EXPECT(!flag);
    CALL(MPI_Init_thread, &argc, &argv, MPI_THREAD_FUNNELED, &provided);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size, MPI_COMM_WORLD, &size);
    infos();
    attributes();
    environment();
    handles();
    tools();
    file_errors();
    CALL0(MPI_Finalize);
    MPI_Finalized(&flag);
    EXPECT(flag);
    counted_print(rank);
    return 0;
}
