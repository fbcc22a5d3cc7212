/* Reads and writes files: every data access is one struct world_access. The call makes it; its data
 * moves at once, when its request is waited for, or when its split collective ends. */
#include "world/exchange/file.h"

enum pointer { AT, OWN, SHARED, ORDERED };
_Static_assert(AT < SHARED && OWN < SHARED && OWN < ORDERED, "a rank's own pointers come first");

struct world_access {
    struct world_deferred deferred;
    MPI_File file;
    bool write;
    MPI_Offset offset; /* in etypes */
    void *buffer;
    size_t count;
    MPI_Datatype type;
    const char *call;
    struct world_file_turn *turn; /* order=explore: set once it has begun */
    /* of accesses whose ranks meet in order */
    MPI_Offset etypes;
    bool placed;
};

/* --- moving ----------------------------------------------------------------------------------- */

static struct world_file_turn *begin_turn(const struct world_access *access)
{
    MPI_File file = access->file;
    CORE_CHECK(WORLD->explore && !access->turn);
    return world_file_begin(
        file, &(struct world_transfer){.write = access->write,
                                       .stream = access->offset * (MPI_Offset)file->etype->size,
                                       .buffer = access->buffer,
                                       .count = access->count,
                                       .type = access->type});
}

/* Ends an access; a write that is not atomic continues after its call. */
static int end_turn(struct world_access *access, size_t *out_done)
{
    uint8_t *packed;
    int code = MPI_SUCCESS;
    if (access->write)
        world_file_stage(access->turn);
    if (!access->write || access->file->atomic)
        code = world_file_finish(access->turn, &packed, out_done);
    if (!access->write && !code)
        world_type_unpack(access->buffer, access->count, access->type, packed, *out_done);
    return code;
}

static int file_io_move(struct world_access *access, MPI_Status *status)
{
    MPI_File file = access->file;
    if (!world_file_reaches(file, access->offset))
        return MPI_ERR_ARG;
    size_t bytes = access->count * access->type->size, done = bytes;
    uint8_t *packed = world_alloc(bytes + 1);
    MPI_Offset stream = access->offset * (MPI_Offset)file->etype->size;
    int code;
    if (UNLIKELY(WORLD->explore != NULL) && !access->turn) {
        if (access->write)
            access->turn = begin_turn(access);
        else
            world_file_read_turn(file, stream, bytes);
    }
    if (access->turn) {
        code = end_turn(access, &done);
    } else if (access->write) {
        world_type_pack(packed, bytes, access->buffer, access->count, access->type);
        code = world_file_write(file, stream, packed, bytes);
    } else {
        code = world_file_read(file, stream, packed, bytes, &done);
        if (!code)
            world_type_unpack(access->buffer, access->count, access->type, packed, done);
    }
    CORE_CHECK(done <= bytes);
    if (status)
        *status = (MPI_Status){.MPI_SOURCE = MPI_ANY_SOURCE,
                               .MPI_TAG = MPI_ANY_TAG,
                               .MPI_ERROR = status->MPI_ERROR,
                               ._ucount = code ? 0 : done};
    return code;
}

static void request_finish(struct ompi_request_t *request, struct world_deferred *self)
{
    struct world_access *access = (struct world_access *)self;
    request->error = handle_good(access->file, HANDLE_FILE) ? file_io_move(access, &request->status)
                                                            : MPI_ERR_FILE;
}

/* --- checks and places ------------------------------------------------------------------------ */

static int file_io_check(const struct world_access *access, enum pointer pointer)
{
    MPI_File file = access->file;
    int amode = file->shared->amode;
    CORE_CHECK(file->etype->size > 0); /* MPI_File_set_view refuses other types */
    if ((ptrdiff_t)access->count < 0)
        return FILE_ERROR(file, MPI_ERR_COUNT, "count %td", (ptrdiff_t)access->count);
    if (world_type_check(access->type, true))
        return FILE_ERROR(file, MPI_ERR_TYPE, "the datatype is null, freed or not committed");
    if (access->write && (amode & MPI_MODE_RDONLY))
        return FILE_ERROR(file, MPI_ERR_READ_ONLY, "the file was opened for reading only");
    if (!access->write && (amode & MPI_MODE_WRONLY))
        return FILE_ERROR(file, MPI_ERR_ACCESS, "the file was opened for writing only");
    if (pointer <= OWN && (amode & MPI_MODE_SEQUENTIAL))
        return FILE_ERROR(file, MPI_ERR_UNSUPPORTED_OPERATION, "the file is sequential");
    if (pointer == AT && access->offset < 0)
        return FILE_ERROR(file, MPI_ERR_ARG, "offset %lld", (long long)access->offset);
    if ((access->count * access->type->size) % file->etype->size)
        return FILE_ERROR(file, MPI_ERR_IO, "%zu bytes are not a whole number of elementary types",
                          access->count * access->type->size);
    return MPI_SUCCESS;
}

/* Computes where the access goes, and moves the pointers past it. */
static void file_io_place(struct world_access *access, enum pointer pointer)
{
    MPI_File file = access->file;
    CORE_CHECK(access->count * access->type->size % file->etype->size == 0); /* file_io_check() */
    access->etypes = (MPI_Offset)(access->count * access->type->size / file->etype->size);
    if (pointer == OWN) {
        access->offset = file->position;
        file->position += access->etypes;
    } else if (pointer == SHARED) {
        if (UNLIKELY(WORLD->explore != NULL))
            world_file_pointer_turn(file, true);
        access->offset = file->shared->position;
        file->shared->position += access->etypes;
    } else if (pointer == ORDERED) {
        struct world_access **all = (struct world_access **)world_meet(&file->comm, access)->slot;
        CORE_CHECK(all[file->comm.rank] == access);
        for (int i = 0; i < file->comm.size && !all[0]->placed; i++) {
            all[i]->offset = file->shared->position;
            file->shared->position += all[i]->etypes;
        }
        all[0]->placed = true;
    }
}

/* Moves the pointer back after a read that reached the end of the file, by what it did not get. */
static void step_back(const struct world_access *access, enum pointer pointer, size_t done)
{
    CORE_CHECK(done <= access->count * access->type->size);
    if (pointer == OWN && !access->write)
        access->file->position = access->offset + (MPI_Offset)(done / access->file->etype->size);
}

/* --- the shapes of calls ---------------------------------------------------------------------- */

static struct world_access *access_new(const char *call, MPI_File file, bool write,
                                       MPI_Offset offset, const void *buffer, int count,
                                       MPI_Datatype type)
{
    struct world_access *made = world_alloc(sizeof *made);
    *made = (struct world_access){.deferred.finish = request_finish,
                                  .file = file,
                                  .write = write,
                                  .offset = offset,
                                  .buffer = (void *)(uintptr_t)buffer,
                                  .count = (size_t)count,
                                  .type = type,
                                  .call = call};
    return made;
}

static int file_io_start(const char *call, MPI_File file, bool write, enum pointer pointer,
                         MPI_Offset offset, const void *buffer, int count, MPI_Datatype type,
                         struct world_access **out_access)
{
    ENTER(call);
    int code = world_file_check(file);
    if (code)
        return code;
    world_turn_uses(&file->comm);
    *out_access = access_new(call, file, write, offset, buffer, count, type);
    if ((code = file_io_check(*out_access, pointer)))
        return code;
    file_io_place(*out_access, pointer);
    return MPI_SUCCESS;
}

static int blocking(const char *call, MPI_File file, bool write, bool all, enum pointer pointer,
                    MPI_Offset offset, const void *buffer, int count, MPI_Datatype type,
                    MPI_Status *status)
{
    ALONE(call)
    struct world_access *access;
    int code = file_io_start(call, file, write, pointer, offset, buffer, count, type, &access);
    if (code)
        return code;
    MPI_Status mine = {.MPI_ERROR = status ? status->MPI_ERROR : 0};
    code = file_io_move(access, &mine);
    step_back(access, pointer, mine._ucount);
    if (all)
        world_meet(&file->comm, NULL);
    else if (!write)
        world_fiber_yield();
    if (status)
        *status = mine;
    return code ? FILE_ERROR(file, code, "the transfer failed") : MPI_SUCCESS;
}

static int nonblocking(const char *call, MPI_File file, bool write, enum pointer pointer,
                       MPI_Offset offset, const void *buffer, int count, MPI_Datatype type,
                       MPI_Request *request)
{
    ALONE(call)
    struct world_access *access;
    int code = file_io_start(call, file, write, pointer, offset, buffer, count, type, &access);
    if (!code && UNLIKELY(WORLD->explore != NULL) && world_file_reaches(file, access->offset))
        access->turn = begin_turn(access);
    if (!code)
        *request = world_request_deferred(&access->deferred);
    return code;
}

static int begin(const char *call, MPI_File file, bool write, enum pointer pointer,
                 MPI_Offset offset, const void *buffer, int count, MPI_Datatype type)
{
    ENTER(call);
    int code = world_file_check(file);
    if (code)
        return code;
    if (file->split)
        return FILE_ERROR(file, MPI_ERR_OTHER, "%s has not been ended", file->split->call);
    struct world_access *access;
    code = file_io_start(call, file, write, pointer, offset, buffer, count, type, &access);
    if (!code && UNLIKELY(WORLD->explore != NULL) && world_file_reaches(file, access->offset))
        access->turn = begin_turn(access);
    if (!code)
        file->split = access;
    return code;
}

static int end(const char *call, MPI_File file, const void *buffer, MPI_Status *status)
{
    ENTER(call);
    int code = world_file_check(file);
    if (code)
        return code;
    size_t length = strlen(call) - strlen("end");
    if (!file->split || strncmp(file->split->call, call, length))
        return FILE_ERROR(file, MPI_ERR_OTHER, "no such operation was begun");
    if (file->split->buffer != buffer)
        return FILE_ERROR(file, MPI_ERR_ARG, "not the buffer that it began with");
    CORE_CHECK(file->split->file == file);
    code = file_io_move(file->split, status);
    file->split = NULL;
    return code ? FILE_ERROR(file, code, "the transfer failed") : MPI_SUCCESS;
}

#define BUFFER(constant) constant void *buf, int count, MPI_Datatype datatype
#define UNWRAP(...) __VA_ARGS__

/* Define the four kinds of call for reading and writing: CONST is const for writing, PLACE the
 * offset's parameter with a comma after it or nothing, OFFSET its value. */
#define BLOCKING(Name, CONST, WRITES, ALL, POINTER, PLACE, OFFSET)                                 \
    int MPI_File_##Name(MPI_File fh, UNWRAP PLACE BUFFER(CONST), MPI_Status *status)               \
    {                                                                                              \
        return blocking("MPI_File_" #Name, fh, WRITES, ALL, POINTER, OFFSET, buf, count, datatype, \
                        status);                                                                   \
    }
#define NONBLOCKING(Name, CONST, WRITES, POINTER, PLACE, OFFSET)                                 \
    int MPI_File_##Name(MPI_File fh, UNWRAP PLACE BUFFER(CONST), MPI_Request *request)           \
    {                                                                                            \
        return nonblocking("MPI_File_" #Name, fh, WRITES, POINTER, OFFSET, buf, count, datatype, \
                           request);                                                             \
    }
#define SPLIT(Name, CONST, WRITES, POINTER, PLACE, OFFSET)                                \
    int MPI_File_##Name##_begin(MPI_File fh, UNWRAP PLACE BUFFER(CONST))                  \
    {                                                                                     \
        return begin("MPI_File_" #Name "_begin", fh, WRITES, POINTER, OFFSET, buf, count, \
                     datatype);                                                           \
    }                                                                                     \
    int MPI_File_##Name##_end(MPI_File fh, CONST void *buf, MPI_Status *status)           \
    {                                                                                     \
        return end("MPI_File_" #Name "_end", fh, buf, status);                            \
    }
#define FAMILY(verb, CONST, WRITES)                                                 \
    BLOCKING(verb##_at, CONST, WRITES, false, AT, (MPI_Offset offset, ), offset)    \
    BLOCKING(verb##_at_all, CONST, WRITES, true, AT, (MPI_Offset offset, ), offset) \
    BLOCKING(verb, CONST, WRITES, false, OWN, (), 0)                                \
    BLOCKING(verb##_all, CONST, WRITES, true, OWN, (), 0)                           \
    BLOCKING(verb##_shared, CONST, WRITES, false, SHARED, (), 0)                    \
    BLOCKING(verb##_ordered, CONST, WRITES, false, ORDERED, (), 0)                  \
    NONBLOCKING(i##verb##_at, CONST, WRITES, AT, (MPI_Offset offset, ), offset)     \
    NONBLOCKING(i##verb##_at_all, CONST, WRITES, AT, (MPI_Offset offset, ), offset) \
    NONBLOCKING(i##verb, CONST, WRITES, OWN, (), 0)                                 \
    NONBLOCKING(i##verb##_all, CONST, WRITES, OWN, (), 0)                           \
    NONBLOCKING(i##verb##_shared, CONST, WRITES, SHARED, (), 0)                     \
    SPLIT(verb##_at_all, CONST, WRITES, AT, (MPI_Offset offset, ), offset)          \
    SPLIT(verb##_all, CONST, WRITES, OWN, (), 0)                                    \
    SPLIT(verb##_ordered, CONST, WRITES, ORDERED, (), 0)
FAMILY(read, , false)
FAMILY(write, const, true)

/* --- pointers --------------------------------------------------------------------------------- */

static int file_io_seek(MPI_File file, MPI_Offset offset, int whence, MPI_Offset now,
                        MPI_Offset *out_to)
{
    if (whence != MPI_SEEK_SET && whence != MPI_SEEK_CUR && whence != MPI_SEEK_END)
        return FILE_ERROR(file, MPI_ERR_ARG, "whence %d", whence);
    if (UNLIKELY(WORLD->explore != NULL) && whence == MPI_SEEK_END)
        world_file_size_turn(file, false);
    MPI_Offset to = offset + (whence == MPI_SEEK_SET   ? 0
                              : whence == MPI_SEEK_CUR ? now
                                                       : world_file_end(file));
    if (to < 0)
        return FILE_ERROR(file, MPI_ERR_ARG, "position %lld", (long long)to);
    *out_to = to;
    return MPI_SUCCESS;
}

int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence)
{
    ENTER("MPI_File_seek");
    int code = world_file_check(file);
    if (!code && (file->shared->amode & MPI_MODE_SEQUENTIAL))
        return FILE_ERROR(file, MPI_ERR_UNSUPPORTED_OPERATION, "the file is sequential");
    return code ? code : file_io_seek(file, offset, whence, file->position, &file->position);
}

int MPI_File_get_position(MPI_File file, MPI_Offset *offset)
{
    ENTER("MPI_File_get_position");
    int code = world_file_check(file);
    if (!code)
        *offset = file->position;
    return code;
}

int MPI_File_seek_shared(MPI_File file, MPI_Offset offset, int whence)
{
    ENTER("MPI_File_seek_shared");
    int code = world_file_check(file);
    if (code)
        return code;
    MPI_Offset to = 0;
    world_meet(&file->comm, NULL);
    code = file_io_seek(file, offset, whence, file->shared->position, &to);
    world_meet(&file->comm, NULL);
    if (!code)
        file->shared->position = to;
    world_meet(&file->comm, NULL);
    return code;
}

int MPI_File_get_position_shared(MPI_File file, MPI_Offset *offset)
{
    ENTER("MPI_File_get_position_shared");
    int code = world_file_check(file);
    if (!code && UNLIKELY(WORLD->explore != NULL))
        world_file_pointer_turn(file, false);
    if (!code)
        *offset = file->shared->position;
    world_fiber_yield();
    return code;
}
