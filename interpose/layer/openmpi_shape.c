/* See openmpi.h. Finds out which Open MPI this is, and whether its tables and objects have the
 * layout described there. Uses the dynamic symbol table for sizes, and known values of predefined
 * objects. */
#include "interpose/layer/openmpi.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { POINTER = sizeof(void *) };

/* Offsets follow from the declarations of each version. 5.0 may be built with fault tolerance,
 * which adds a field to communicators. */
static const struct openmpi_shape shapes[] = {
    {.version = "Open MPI v4.1.",
     .table_bytes = 184,
     .del_comm = 5 * POINTER,
     .messages = 6 * POINTER,
     .comm_number = 224,
     .comm_rank = 228,
     .comm_tag = 344,
     .partner = 472,
     .tag_first = -27},
    {.version = "Open MPI v5.0.",
     .table_bytes = 192,
     .del_comm = 5 * POINTER,
     .messages = 7 * POINTER,
     .comm_number = 216,
     .comm_rank = 220,
     .comm_flags = 224,
     .comm_tag = 248,
     .partner = 488,
     .tag_first = -33},
    {.version = "Open MPI v5.0.",
     .table_bytes = 192,
     .del_comm = 5 * POINTER,
     .messages = 7 * POINTER,
     .comm_number = 216,
     .comm_rank = 220,
     .comm_flags = 224,
     .comm_tag = 240,
     .partner = 488,
     .tag_first = -33},
};

void *openmpi_variable(const char *name, size_t bytes)
{
    void *at = recorder_symbol(name);
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    return at && dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
                   symbol->st_size == bytes
               ? at
               : NULL;
}

static bool type_is(const char *name, size_t bytes)
{
    enum { BYTES = 512 };
    const struct openmpi_type *type = openmpi_variable(name, BYTES);

    return type && type->bytes == bytes && type->flags & OPENMPI_TYPE_PREDEFINED;
}

static bool requests_fit(void)
{
    enum { NULL_REQUEST = 5 };
    const struct openmpi_request *empty =
        openmpi_variable("ompi_request_empty", sizeof(struct openmpi_request));

    return empty && empty->complete == OPENMPI_IS_COMPLETE && empty->type == NULL_REQUEST &&
           !empty->completed;
}

static bool table_fits(const struct openmpi_shape *shape)
{
    const char *table = openmpi_variable("mca_pml", shape->table_bytes);
    const struct openmpi_waits *waits = openmpi_variable("ompi_request_functions", sizeof *waits);

    if (!table || !waits)
        return false;
    const struct openmpi_messages *m = (const void *)(table + shape->messages);
    return *(void *const *)(table + shape->del_comm) && m->irecv_init && m->irecv && m->recv &&
           m->isend_init && m->isend && m->send && m->start && waits->test && waits->test_all &&
           waits->wait && waits->wait_any && waits->wait_all && waits->wait_some;
}

static bool comm_fits(const struct openmpi_shape *shape, const void *comm, int number, int rank)
{
    int tag = openmpi_field(comm, shape->comm_tag);

    return openmpi_field(comm, shape->comm_number) == number &&
           openmpi_field(comm, shape->comm_rank) == rank && tag <= OPENMPI_TAG_FIRST_MAX &&
           tag >= OPENMPI_TAG_LAST;
}

static bool comms_fit(const struct openmpi_shape *shape)
{
    enum { BYTES = 512, SELF = 1 };

    if (recorder.by_session)
        return true;
    return openmpi_variable("ompi_mpi_comm_world", BYTES) &&
           openmpi_variable("ompi_mpi_comm_self", BYTES) &&
           comm_fits(shape, recorder_handle.comm_world, 0, recorder.world_rank) &&
           comm_fits(shape, recorder_handle.comm_self, SELF, 0);
}

const struct openmpi_shape *openmpi_shape(const char *version, const char **out_why)
{
    static struct openmpi_shape found;
    static char why[200];
    bool known = false;

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (strncmp(version, shapes[i].version, strlen(shapes[i].version)) != 0)
            continue;
        known = true;
        if (!table_fits(&shapes[i]) || !type_is("ompi_mpi_byte", 1) ||
            !type_is("ompi_mpi_long_long_int", sizeof(long long)) || !requests_fit() ||
            !comms_fit(&shapes[i]))
            continue;
        found = shapes[i];
        /* The first tag differs between releases; no collective was started on this communicator
         * yet. */
        if (!recorder.by_session && !recorder.late)
            found.tag_first = openmpi_field(recorder_handle.comm_self, found.comm_tag);
        return &found;
    }
    if (known)
        *out_why = "library layer off: the library's tables have an unknown layout";
    else
        snprintf(why, sizeof why,
                 "library layer off: it supports Open MPI 4.1 and 5.0, this is %.100s", version);
    if (!known)
        *out_why = why;
    return NULL;
}
