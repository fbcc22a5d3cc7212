/* Handles as Fortran knows them: numbers. One table for all kinds; a handle keeps the number it
 * got. */
#include "world/exchange/file.h"
#include "world/exchange/rma.h"
#include "world/state.h"

static MPI_Fint number_of(void *handle)
{
    struct world_extra *extra = world_extra();
    for (int i = extra->fortran_count - 1; i >= 0; i--)
        if (extra->fortran[i] == handle)
            return i;
    if (extra->fortran_count == extra->fortran_room) {
        int room = extra->fortran_room ? 2 * extra->fortran_room : 16;
        void **bigger = world_alloc((size_t)room * sizeof *bigger);
        if (extra->fortran_count)
            memcpy(bigger, extra->fortran, (size_t)extra->fortran_count * sizeof *bigger);
        extra->fortran = bigger;
        extra->fortran_room = room;
    }
    extra->fortran[extra->fortran_count] = handle;
    return extra->fortran_count++;
}

static void *handle_of(MPI_Fint number, void *null)
{
    const struct world_extra *extra = world_extra();
    return number >= 0 && number < extra->fortran_count ? extra->fortran[number] : null;
}

#define BOTH(Name, Type, null)             \
    MPI_Fint MPI_##Name##_c2f(Type handle) \
    {                                      \
        ENTER("MPI_" #Name "_c2f");        \
        return number_of(handle);          \
    }                                      \
    Type MPI_##Name##_f2c(MPI_Fint number) \
    {                                      \
        ENTER("MPI_" #Name "_f2c");        \
        return handle_of(number, null);    \
    }
BOTH(Comm, MPI_Comm, MPI_COMM_NULL)
BOTH(Group, MPI_Group, MPI_GROUP_NULL)
BOTH(Type, MPI_Datatype, MPI_DATATYPE_NULL)
BOTH(Op, MPI_Op, MPI_OP_NULL)
BOTH(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL)
BOTH(Info, MPI_Info, MPI_INFO_NULL)
BOTH(Request, MPI_Request, MPI_REQUEST_NULL)
BOTH(Message, MPI_Message, MPI_MESSAGE_NULL)
BOTH(Win, MPI_Win, MPI_WIN_NULL)
BOTH(File, MPI_File, MPI_FILE_NULL)

MPI_Fint *MPI_F_STATUS_IGNORE = NULL;
MPI_Fint *MPI_F_STATUSES_IGNORE = NULL;

int MPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
    ENTER("MPI_Status_c2f");
    if (!c_status || !f_status)
        return world_error(NULL, MPI_ERR_ARG, "NULL status");
    memcpy(f_status, c_status, sizeof *c_status);
    return MPI_SUCCESS;
}

int MPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
    ENTER("MPI_Status_f2c");
    if (!c_status || !f_status)
        return world_error(NULL, MPI_ERR_ARG, "NULL status");
    memcpy(c_status, f_status, sizeof *c_status);
    return MPI_SUCCESS;
}
