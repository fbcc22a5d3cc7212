/* Open MPI 4: handles are addresses of objects of the library. They are looked up by name at run
 * time, since this library is also loaded into processes that have no MPI; it has no references to
 * them. */
#include "interpose/library/library.h"

#include <stdlib.h>
#include <string.h>

void library_found(const struct body_entry *entry)
{
    (void)entry;
}

bool library_is_binding(const char *file)
{
    return strncmp(file, "libmpi_mpifh", 12) == 0 || strncmp(file, "libmpi_usempi", 13) == 0 ||
           strncmp(file, "libmpi_ignore", 13) == 0;
}

static const struct {
    void **at;
    const char *name;
} handle_symbols[] = {
    {(void **)&recorder_handle.comm_null, "ompi_mpi_comm_null"},
    {(void **)&recorder_handle.comm_world, "ompi_mpi_comm_world"},
    {(void **)&recorder_handle.comm_self, "ompi_mpi_comm_self"},
    {(void **)&recorder_handle.type_null, "ompi_mpi_datatype_null"},
    {(void **)&recorder_handle.type_byte, "ompi_mpi_byte"},
    {(void **)&recorder_handle.type_long_long, "ompi_mpi_long_long_int"},
    {(void **)&recorder_handle.request_null, "ompi_request_null"},
    {(void **)&recorder_handle.request_empty, "ompi_request_empty"},
    {(void **)&recorder_handle.group_null, "ompi_mpi_group_null"},
    {(void **)&recorder_handle.group_empty, "ompi_mpi_group_empty"},
    {(void **)&recorder_handle.op_null, "ompi_mpi_op_null"},
    {(void **)&recorder_handle.op_sum, "ompi_mpi_op_sum"},
    {(void **)&recorder_handle.op_no_op, "ompi_mpi_op_no_op"},
    {(void **)&recorder_handle.win_null, "ompi_mpi_win_null"},
    {(void **)&recorder_handle.file_null, "ompi_mpi_file_null"},
    {(void **)&recorder_handle.info_null, "ompi_mpi_info_null"},
    {(void **)&recorder_handle.errhandler_null, "ompi_mpi_errhandler_null"},
    {(void **)&recorder_handle.message_null,
     "ompi_mpi_message_null"}, /* a null pointer in some versions */
    {(void **)&recorder_handle.message_no_proc, "ompi_message_no_proc"},
    {&recorder_handle.in_place, "mpi_fortran_in_place_"},
};

bool library_handles(void)
{
    for (size_t i = 0; i < sizeof handle_symbols / sizeof *handle_symbols; i++)
        *handle_symbols[i].at = recorder_symbol(handle_symbols[i].name);
    recorder_handle.unweighted = MPI_UNWEIGHTED;
    recorder_handle.weights_empty = MPI_WEIGHTS_EMPTY;
    return recorder_handle.comm_world && recorder_handle.comm_null &&
           recorder_handle.request_null && recorder_handle.type_null;
}

const char *library_untested(const char *version)
{
    static const char *const tested[] = {"Open MPI v4.1.", "Open MPI v5.0."};

    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++)
        if (!strncmp(version, tested[i], strlen(tested[i])))
            return NULL;
    return "Open MPI 4.1 and 5.0";
}

/* --- what a handle is ------------------------------------------------------------------------- */

enum { PREDEFINED_MAX = 3 };
static const struct kind {
    const char *class, *base; /* base: class of static objects */
    const char *predefined[PREDEFINED_MAX];
} kinds[OBJECT_KINDS] = {
    [OBJECT_COMM] = {"ompi_communicator_t_class",
                     NULL,
                     {"ompi_mpi_comm_world", "ompi_mpi_comm_self", "ompi_mpi_comm_null"}},
    [OBJECT_GROUP] = {"ompi_group_t_class",
                      NULL,
                      {"ompi_mpi_group_empty", "ompi_mpi_group_null", NULL}},
    [OBJECT_TYPE] = {"ompi_datatype_t_class",
                     "opal_datatype_t_class",
                     {"ompi_mpi_datatype_null", NULL, NULL}},
    [OBJECT_OP] = {"ompi_op_t_class", NULL, {"ompi_mpi_op_null", NULL, NULL}},
    [OBJECT_WIN] = {"ompi_win_t_class", NULL, {"ompi_mpi_win_null", NULL, NULL}},
    [OBJECT_FILE] = {"ompi_file_t_class", NULL, {"ompi_mpi_file_null", NULL, NULL}},
    [OBJECT_INFO] = {"ompi_info_t_class", NULL, {"ompi_mpi_info_null", "ompi_mpi_info_env", NULL}},
    [OBJECT_ERRHANDLER] = {"ompi_errhandler_t_class",
                           NULL,
                           {"ompi_mpi_errhandler_null", "ompi_mpi_errors_are_fatal",
                            "ompi_mpi_errors_return"}},
};

/* Addresses of the library's symbols, looked up once. */
static struct symbols {
    bool known;
    const void *class, *base, *predefined[PREDEFINED_MAX];
} symbols[OBJECT_KINDS];

static const struct symbols *look_up(enum recorder_object kind)
{
    struct symbols *found = &symbols[kind];

    if (found->known)
        return found;
    found->class = kinds[kind].class ? recorder_symbol(kinds[kind].class) : NULL;
    found->base = kinds[kind].base ? recorder_symbol(kinds[kind].base) : NULL;
    for (size_t i = 0; i < PREDEFINED_MAX && kinds[kind].predefined[i]; i++)
        found->predefined[i] = recorder_symbol(kinds[kind].predefined[i]);
    found->known = true;
    return found;
}

bool library_predefined(enum recorder_object kind, const void *handle)
{
    const struct symbols *known = look_up(kind);

    for (size_t i = 0; i < PREDEFINED_MAX; i++)
        if (known->predefined[i] && known->predefined[i] == handle)
            return true;
    return kind == OBJECT_OP && library_op_name((MPI_Op)handle);
}

bool library_may_be(enum recorder_object kind, const void *handle)
{
    const struct symbols *known = look_up(kind);

    if (!known->class)
        return true; /* an unknown version */
    if ((uintptr_t)handle % sizeof(void *) || !memory_readable(handle, sizeof handle))
        return false;
    const void *own = *(const void *const *)handle;
    if (own == known->base && own)
        return true;
    for (int i = 0; i < 4 && own != known->class; i++) { /* struct opal_class_t begins with name,
                                                            parent */
        if ((uintptr_t)own % sizeof(void *) || !memory_readable(own, 2 * sizeof own))
            return false;
        own = ((const void *const *)own)[1];
    }
    return own == known->class;
}

static const struct {
    const char *symbol, *name;
} op_names[] = {
    {"ompi_mpi_op_max", "MPI_MAX"},         {"ompi_mpi_op_min", "MPI_MIN"},
    {"ompi_mpi_op_sum", "MPI_SUM"},         {"ompi_mpi_op_prod", "MPI_PROD"},
    {"ompi_mpi_op_land", "MPI_LAND"},       {"ompi_mpi_op_band", "MPI_BAND"},
    {"ompi_mpi_op_lor", "MPI_LOR"},         {"ompi_mpi_op_bor", "MPI_BOR"},
    {"ompi_mpi_op_lxor", "MPI_LXOR"},       {"ompi_mpi_op_bxor", "MPI_BXOR"},
    {"ompi_mpi_op_maxloc", "MPI_MAXLOC"},   {"ompi_mpi_op_minloc", "MPI_MINLOC"},
    {"ompi_mpi_op_replace", "MPI_REPLACE"}, {"ompi_mpi_op_no_op", "MPI_NO_OP"},
};

const char *library_op_name(MPI_Op op)
{
    static const void *symbol[sizeof op_names / sizeof *op_names];
    for (size_t i = 0; i < sizeof op_names / sizeof *op_names; i++) {
        if (!symbol[i])
            symbol[i] = recorder_symbol(op_names[i].symbol);
        if (symbol[i] == (const void *)op)
            return op_names[i].name;
    }
    return NULL;
}

void library_type_name(MPI_Datatype type, char *name)
{
    static const char prefix[] = "COMBINER "; /* of Fortran's kinds: "COMBINER MPI_FLOAT" */
    int length = 0;

    OWN(Type_get_name)(type, name, &length);
    name[length] = 0;
    if (!strncmp(name, prefix, sizeof prefix - 1))
        memmove(name, name + sizeof prefix - 1, strlen(name) - sizeof prefix + 2);
}

/* Returns mpirun's own name and address; in later versions those of PRRTE's daemon on this
 * machine. */
static const char *starter_uri(void)
{
    const char *uri = getenv("OMPI_MCA_orte_hnp_uri");

    return uri ? uri : getenv("PMIX_SERVER_URI4");
}

struct library_place library_place(void)
{
    struct library_place place = {.job = getenv("PMIX_NAMESPACE"),
                                  .rank = getenv("OMPI_COMM_WORLD_RANK"),
                                  .size = getenv("OMPI_COMM_WORLD_SIZE"),
                                  .local_rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK"),
                                  .local_size = getenv("OMPI_COMM_WORLD_LOCAL_SIZE"),
                                  .starter = starter_uri()};
    library_place_slurm(&place);
    return place;
}
