/* Error handlers of communicators, windows and files. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include "world/exchange/file.h"
#include "world/exchange/rma.h"
#include "world/state.h"
#include "world_newer.h"

#define PREDEFINED_HANDLER(symbol, number)                               \
    struct ompi_predefined_errhandler_t ompi_mpi_##symbol = {            \
        {.handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_ERRHANDLER, \
                    .references = 1,                                     \
                    .made_by = "MPI_Init"},                              \
         .kind = number}};
PREDEFINED_HANDLER(errors_are_fatal, 0)
PREDEFINED_HANDLER(errors_abort, 0) /* of Open MPI 5: also ends all ranks of a world */
PREDEFINED_HANDLER(errors_return, 1)
struct ompi_predefined_errhandler_t ompi_mpi_errhandler_null = {{.handle = {.magic = HANDLE_DEAD}}};

static int handler_new(void *function, MPI_Errhandler *out_handler)
{
    if (!function)
        return world_error(NULL, MPI_ERR_ARG, "NULL function");
    MPI_Errhandler made = world_handle_new(HANDLE_ERRHANDLER, sizeof *made);
    made->kind = 2;
    memcpy(&made->function, &function, sizeof function);
    *out_handler = made;
    return MPI_SUCCESS;
}

/* Returns another handle, which must be freed too; it stays valid after the program's first one is
 * freed. */
static MPI_Errhandler handler_again(MPI_Errhandler handler)
{
    CORE_CHECK(handler->kind <= 2);
    if (handler->kind != 2)
        return handler;
    CORE_CHECK(!handle_good(handler, HANDLE_ERRHANDLER) || handler->handle.references > 0);
    handler->handle.references =
        handle_good(handler, HANDLE_ERRHANDLER) ? handler->handle.references + 1 : 1;
    handler->handle.magic = (uint32_t)HANDLE_MAGIC + HANDLE_ERRHANDLER;
    return handler;
}

/* Returns where the object stores its handler. */
static int of_comm(MPI_Comm handle, MPI_Errhandler **out_place)
{
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code == MPI_SUCCESS)
        *out_place = &comm->errhandler;
    return code;
}

static int of_win(MPI_Win win, MPI_Errhandler **out_place)
{
    int code = world_win_check(win);
    if (code == MPI_SUCCESS)
        *out_place = &win->errhandler;
    return code;
}

static int of_file(MPI_File file, MPI_Errhandler **out_place)
{
    if (file == MPI_FILE_NULL) {
        *out_place = &world_extra()->file_errhandler;
        return MPI_SUCCESS;
    }
    int code = world_file_check(file);
    if (code == MPI_SUCCESS)
        *out_place = &file->errhandler;
    return code;
}

static int of_session(MPI_Session session, MPI_Errhandler **out_place)
{
    if (!handle_good(session, HANDLE_SESSION))
        return world_error(NULL, MPI_ERR_SESSION, "the session is null or finalized");
    *out_place = &session->errhandler;
    return MPI_SUCCESS;
}

#define CALLS(Name, Object, of_object)                                             \
    int MPI_##Name##_create_errhandler(MPI_##Name##_errhandler_function *function, \
                                       MPI_Errhandler *errhandler)                 \
    {                                                                              \
        ENTER_ANY_TIME("MPI_" #Name "_create_errhandler");                         \
        return handler_new((void *)(uintptr_t)function, errhandler);               \
    }                                                                              \
    int MPI_##Name##_set_errhandler(Object object, MPI_Errhandler errhandler)      \
    {                                                                              \
        ENTER_LOCAL("MPI_" #Name "_set_errhandler");                               \
        MPI_Errhandler *place = NULL;                                              \
        int code = of_object(object, &place);                                      \
        if (!code && !handle_good(errhandler, HANDLE_ERRHANDLER))                  \
            return world_error_on(*place, &object, MPI_ERR_ARG,                    \
                                  "the error handler is null or freed");           \
        if (!code)                                                                 \
            *place = errhandler;                                                   \
        return code;                                                               \
    }                                                                              \
    int MPI_##Name##_get_errhandler(Object object, MPI_Errhandler *errhandler)     \
    {                                                                              \
        ENTER_LOCAL("MPI_" #Name "_get_errhandler");                               \
        MPI_Errhandler *place = NULL;                                              \
        int code = of_object(object, &place);                                      \
        if (!code)                                                                 \
            *errhandler = handler_again(*place);                                   \
        return code;                                                               \
    }                                                                              \
    int MPI_##Name##_call_errhandler(Object object, int errorcode)                 \
    {                                                                              \
        ENTER_LOCAL("MPI_" #Name "_call_errhandler");                              \
        MPI_Errhandler *place = NULL;                                              \
        int code = of_object(object, &place);                                      \
        if (!code && errorcode)                                                    \
            world_error_on(*place, &object, errorcode, "the program's own call");  \
        return code;                                                               \
    }
CALLS(Comm, MPI_Comm, of_comm)
CALLS(Win, MPI_Win, of_win)
CALLS(File, MPI_File, of_file)
CALLS(Session, MPI_Session, of_session)

int MPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    ENTER_ANY_TIME("MPI_Errhandler_free");
    if (!errhandler || !*errhandler || (*errhandler)->kind > 2 ||
        *errhandler == MPI_ERRHANDLER_NULL)
        return world_error(NULL, MPI_ERR_ARG, "the error handler is null");
    if ((*errhandler)->kind == 2 && handle_good(*errhandler, HANDLE_ERRHANDLER) &&
        --(*errhandler)->handle.references == 0)
        world_handle_kill(&(*errhandler)->handle);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

/* Functions that MPI 2 replaced. */
int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler)
{
    return MPI_Comm_create_errhandler(function, errhandler);
}

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return MPI_Comm_set_errhandler(comm, errhandler);
}

int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    return MPI_Comm_get_errhandler(comm, errhandler);
}
