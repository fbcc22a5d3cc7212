/* Opens, closes and queries files. file_io.c moves data. */
#include "world/exchange/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct ompi_predefined_file_t ompi_mpi_file_null = {{.handle = {.magic = HANDLE_DEAD}}};

int world_file_check(MPI_File file)
{
    if (handle_good(file, HANDLE_FILE))
        return MPI_SUCCESS;
    return world_error_on(world_extra()->file_errhandler, &(MPI_File){MPI_FILE_NULL}, MPI_ERR_FILE,
                          "the file is null, closed or not one");
}

/* --- open and close --------------------------------------------------------------------------- */

static int amode_check(int amode)
{
    int access = amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY);
    if (access != MPI_MODE_RDONLY && access != MPI_MODE_RDWR && access != MPI_MODE_WRONLY)
        return MPI_ERR_AMODE;
    if (access == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
        return MPI_ERR_AMODE;
    if (access == MPI_MODE_RDWR && (amode & MPI_MODE_SEQUENTIAL))
        return MPI_ERR_AMODE;
    return MPI_SUCCESS;
}

static int open_flags(int amode)
{
    return amode & MPI_MODE_RDWR ? O_RDWR : amode & MPI_MODE_WRONLY ? O_WRONLY : O_RDONLY;
}

/* Opens the file once for all members; the first one to continue does it. */
static void open_once(struct world_file_shared **slot, int size)
{
    struct world_file_shared *shared = slot[0];
    CORE_CHECK(size > 0 && shared->users >= 0);
    if (shared->tried)
        return;
    shared->tried = true;
    shared->fd = -1;
    for (int i = 1; i < size; i++)
        if (slot[i]->amode != shared->amode) {
            shared->code = MPI_ERR_NOT_SAME;
            return;
        }
    int amode = shared->amode;
    int flags = (amode & MPI_MODE_CREATE ? O_CREAT : 0) | (amode & MPI_MODE_EXCL ? O_EXCL : 0);
    if (WORLD_PROCESSES && !(amode & MPI_MODE_RDONLY))
        world_process_changes(shared->name);
    shared->fd = open(shared->name, open_flags(amode) | flags | O_CLOEXEC, 0666);
    if (shared->fd < 0) {
        shared->code = world_file_error(errno);
        return;
    }
    shared->opener = ME->rank;
    shared->users = size;
    shared->next = WORLD->file;
    WORLD->file = shared;
}

/* Opens the file in its turn; always the same member does it. */
static void open_in_turn(struct world_file_shared **slot, MPI_Comm comm)
{
    int amode = slot[0]->amode;
    if (comm->rank == 0) {
        world_file_named(slot[0], !(amode & MPI_MODE_CREATE) ? FILE_FINDS
                                  : amode & MPI_MODE_EXCL    ? FILE_CREATES_NEW
                                                             : FILE_CREATES);
        open_once(slot, comm->size);
        if (!slot[0]->code)
            world_file_opened(slot[0]);
    }
    world_meet(comm, NULL);
}

int MPI_File_open(MPI_Comm handle, const char *filename, int amode, MPI_Info info,
                  MPI_File *out_file)
{
    ENTER("MPI_File_open");
    MPI_Comm comm;
    MPI_Errhandler nobody = world_extra()->file_errhandler;
    MPI_File none = MPI_FILE_NULL;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (comm->remote_size)
        return world_error(comm, MPI_ERR_COMM, "an intercommunicator");
    if (!filename)
        return world_error_on(nobody, &none, MPI_ERR_ARG, "the name is NULL");
    if ((code = amode_check(amode)))
        return world_error_on(nobody, &none, code, "access mode %#x", (unsigned)amode);
    struct world_file_shared *mine = world_zalloc(sizeof *mine);
    mine->name = world_strdup(filename);
    mine->amode = amode;
    const struct world_meeting *meeting = world_meet(comm, mine);
    struct world_file_shared **slot = (struct world_file_shared **)meeting->slot;
    if (UNLIKELY(WORLD->explore != NULL))
        open_in_turn(slot, comm);
    open_once(slot, comm->size);
    if (slot[0]->code)
        return world_error_on(nobody, &none, slot[0]->code, "'%s' cannot be opened", filename);
    CORE_CHECK(slot[0]->tried && slot[0]->users > 0);
    int fd = slot[0]->fd;
    if (WORLD_PROCESSES && slot[0]->opener != ME->rank)
        fd = open(slot[0]->name, open_flags(amode) | O_CLOEXEC);
    MPI_File file = world_handle_new(HANDLE_FILE, sizeof *file);
    file->shared = slot[0];
    file->fd = fd;
    file->comm = (struct ompi_communicator_t){.context = meeting->context,
                                              .rank = comm->rank,
                                              .size = comm->size,
                                              .member = comm->member,
                                              .errhandler = MPI_ERRORS_RETURN};
    file->errhandler = nobody;
    file->etype = file->filetype = MPI_BYTE;
    file->datarep = "native";
    file->late_end = &file->late;
    file->sure = file->shared->size;
    file->info = world_info_keep(info);
    if (UNLIKELY(WORLD->explore != NULL) && (amode & MPI_MODE_APPEND))
        world_file_size_turn(file, false);
    if (amode & MPI_MODE_APPEND)
        file->position = file->shared->position = world_file_end(file);
    *out_file = file;
    return MPI_SUCCESS;
}

static void close_last(struct world_file_shared *shared)
{
    struct world_file_shared **link = &WORLD->file;
    CORE_CHECK(shared->tried && shared->fd >= 0); /* a failed open adds no entry */
    while (*link != shared) {
        link = &(*link)->next;
        CORE_CHECK(*link); /* open files are in the list */
    }
    *link = shared->next;
    if (!WORLD_PROCESSES)
        close(shared->fd);
}

int MPI_File_close(MPI_File *handle)
{
    ENTER("MPI_File_close");
    int code = world_file_check(*handle);
    if (code)
        return code;
    MPI_File file = *handle;
    if (file->split)
        return FILE_ERROR(file, MPI_ERR_OTHER, "a split collective has not been ended");
    world_turn_frees(&file->comm, "file");
    code = world_file_flush(file);
    world_meet(&file->comm, NULL);
    if (WORLD_PROCESSES)
        close(file->fd);
    CORE_CHECK(file->shared->users > 0 && !file->late);
    if (--file->shared->users == 0) {
        close_last(file->shared);
        if (file->shared->amode & MPI_MODE_DELETE_ON_CLOSE) {
            world_file_gone(file->shared);
            unlink(file->shared->name);
        }
    }
    world_handle_kill(&file->handle);
    *handle = MPI_FILE_NULL;
    return code ? FILE_ERROR(file, code, "writing failed") : MPI_SUCCESS;
}

void world_files_close(void)
{
    while (WORLD->file)
        close_last(WORLD->file);
}

int MPI_File_delete(const char *filename, MPI_Info info)
{
    ENTER("MPI_File_delete");
    (void)info;
    if (UNLIKELY(WORLD->explore != NULL)) {
        struct world_file_shared *named = world_zalloc(sizeof *named);
        named->name = world_strdup(filename);
        world_file_named(named, FILE_DELETES);
    }
    if (WORLD_PROCESSES)
        world_process_changes(filename);
    if (unlink(filename) == 0)
        return MPI_SUCCESS;
    return world_error_on(world_extra()->file_errhandler, &(MPI_File){MPI_FILE_NULL},
                          world_file_error(errno), "'%s' cannot be deleted", filename);
}

/* --- size ------------------------------------------------------------------------------------- */

/* Changes the size: all members meet, all written data reaches the file, one member changes the
 * size, and all continue. */
static int file_resize(const char *call, MPI_File file, MPI_Offset size, bool shrink)
{
    ENTER(call);
    int code = world_file_check(file);
    if (code)
        return code;
    if (size < 0)
        return FILE_ERROR(file, MPI_ERR_ARG, "size %lld", (long long)size);
    if (file->shared->amode & MPI_MODE_RDONLY)
        return FILE_ERROR(file, MPI_ERR_READ_ONLY, "the file was opened for reading only");
    code = world_file_flush(file);
    CORE_CHECK(!file->late);
    world_meet(&file->comm, NULL);
    if (UNLIKELY(WORLD->explore != NULL)) {
        if (file->comm.rank == 0)
            world_file_size_turn(file, true);
        world_meet(&file->comm, NULL);
        file->sure = shrink ? size : size > file->sure ? size : file->sure;
    }
    if (!code && (shrink || world_file_size(file) < size) && ftruncate(file->fd, size) != 0)
        code = world_file_error(errno);
    world_meet(&file->comm, NULL);
    return code ? FILE_ERROR(file, code, "the size cannot be changed") : MPI_SUCCESS;
}

int MPI_File_set_size(MPI_File file, MPI_Offset size)
{
    return file_resize("MPI_File_set_size", file, size, true);
}

int MPI_File_preallocate(MPI_File file, MPI_Offset size)
{
    return file_resize("MPI_File_preallocate", file, size, false);
}

int MPI_File_get_size(MPI_File file, MPI_Offset *size)
{
    ENTER("MPI_File_get_size");
    int code = world_file_check(file);
    if (!code && UNLIKELY(WORLD->explore != NULL))
        world_file_size_turn(file, false);
    if (!code)
        *size = world_file_size(file);
    world_fiber_yield(); /* others may be about to change it */
    return code;
}

int MPI_File_sync(MPI_File file)
{
    ENTER("MPI_File_sync");
    int code = world_file_check(file);
    if (code)
        return code;
    code = world_file_flush(file);
    if (UNLIKELY(WORLD->explore != NULL))
        world_file_meet(file);
    else
        world_meet(&file->comm, NULL);
    return code ? FILE_ERROR(file, code, "writing failed") : MPI_SUCCESS;
}

int MPI_File_set_atomicity(MPI_File file, int flag)
{
    ENTER("MPI_File_set_atomicity");
    int code = world_file_check(file);
    if (code)
        return code;
    file->atomic = flag != 0;
    code = world_file_flush(file);
    world_meet(&file->comm, NULL);
    return code ? FILE_ERROR(file, code, "writing failed") : MPI_SUCCESS;
}

int MPI_File_get_atomicity(MPI_File file, int *flag)
{
    ENTER("MPI_File_get_atomicity");
    int code = world_file_check(file);
    if (!code)
        *flag = file->atomic;
    return code;
}

/* --- what they tell --------------------------------------------------------------------------- */

int MPI_File_get_group(MPI_File file, MPI_Group *group)
{
    ENTER("MPI_File_get_group");
    int code = world_file_check(file);
    if (!code)
        *group = world_group_new(file->comm.member, file->comm.size);
    return code;
}

int MPI_File_get_amode(MPI_File file, int *amode)
{
    ENTER("MPI_File_get_amode");
    int code = world_file_check(file);
    if (!code)
        *amode = file->shared->amode;
    return code;
}

int MPI_File_set_info(MPI_File file, MPI_Info info)
{
    ENTER("MPI_File_set_info");
    int code = world_file_check(file);
    if (!code)
        file->info = world_info_keep(info);
    return code;
}

int MPI_File_get_info(MPI_File file, MPI_Info *info)
{
    ENTER("MPI_File_get_info");
    int code = world_file_check(file);
    if (!code)
        *info = world_info_new(file->info);
    return code;
}

int MPI_File_get_type_extent(MPI_File file, MPI_Datatype datatype, MPI_Aint *extent)
{
    ENTER("MPI_File_get_type_extent");
    int code = world_file_check(file);
    if (code)
        return code;
    if (world_type_check(datatype, false))
        return FILE_ERROR(file, MPI_ERR_TYPE, "the datatype is null or freed");
    *extent = type_extent(datatype);
    return MPI_SUCCESS;
}

/* --- views ------------------------------------------------------------------------------------ */

int MPI_File_set_view(MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char *datarep, MPI_Info info)
{
    ENTER("MPI_File_set_view");
    int code = world_file_check(file);
    if (code)
        return code;
    if (world_type_check(etype, true) || world_type_check(filetype, true))
        return FILE_ERROR(file, MPI_ERR_TYPE, "a datatype is null, freed or not committed");
    if (!datarep || (strcmp(datarep, "native") && strcmp(datarep, "internal")))
        return FILE_ERROR(file, MPI_ERR_UNSUPPORTED_DATAREP, "data representation '%s'",
                          datarep ? datarep : "");
    bool here = disp == MPI_DISPLACEMENT_CURRENT && (file->shared->amode & MPI_MODE_SEQUENTIAL);
    if (here && !world_file_reaches(file, file->shared->position))
        return FILE_ERROR(file, MPI_ERR_ARG, "the shared file pointer overflows");
    if (here)
        disp = world_file_place(file, file->shared->position * (MPI_Offset)file->etype->size);
    if (disp < 0)
        return FILE_ERROR(file, MPI_ERR_ARG, "displacement %lld", (long long)disp);
    if (etype->size == 0 || filetype->size % etype->size)
        return FILE_ERROR(file, MPI_ERR_ARG, "the file type is not made of the elementary type");
    if (filetype->size > 0 && type_extent(filetype) <= 0)
        return FILE_ERROR(file, MPI_ERR_ARG, "the file type has no extent");
    file->disp = disp;
    file->etype = etype;
    file->filetype = filetype;
    file->datarep = world_strdup(datarep);
    if (info != MPI_INFO_NULL)
        file->info = world_info_keep(info);
    world_meet(&file->comm, NULL);
    file->position = file->shared->position = 0;
    world_meet(&file->comm, NULL);
    return MPI_SUCCESS;
}

int MPI_File_get_view(MPI_File file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                      char *datarep)
{
    ENTER("MPI_File_get_view");
    int code = world_file_check(file);
    if (code)
        return code;
    *disp = file->disp;
    *etype = world_type_again(file->etype);
    *filetype = world_type_again(file->filetype);
    CORE_CHECK(strlen(file->datarep) < MPI_MAX_DATAREP_STRING);
    strcpy(datarep, file->datarep);
    return MPI_SUCCESS;
}

int MPI_File_get_byte_offset(MPI_File file, MPI_Offset offset, MPI_Offset *disp)
{
    ENTER("MPI_File_get_byte_offset");
    int code = world_file_check(file);
    if (code)
        return code;
    if (!world_file_reaches(file, offset))
        return FILE_ERROR(file, MPI_ERR_ARG, "offset %lld", (long long)offset);
    *disp = world_file_place(file, offset * (MPI_Offset)file->etype->size);
    return MPI_SUCCESS;
}

/* Accepts any name, as only representations that need no conversion exist. */
int MPI_Register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_fn,
                         MPI_Datarep_conversion_function *write_fn,
                         MPI_Datarep_extent_function *extent_fn, void *extra_state)
{
    ENTER("MPI_Register_datarep");
    (void)read_fn, (void)write_fn, (void)extent_fn, (void)extra_state;
    return world_error_on(world_extra()->file_errhandler, &(MPI_File){MPI_FILE_NULL},
                          MPI_ERR_UNSUPPORTED_OPERATION, "data representation '%s'", datarep);
}
