/* Symbols of libmpi that Open MPI's Fortran libraries (libmpi_mpifh.so.40 and those above it) need
 * besides the C functions. Fortran functions that would access Open MPI's own objects are defined
 * here instead: as they are preloaded, they come first.
 *
 * A Fortran string is passed with its length; a logical is 1 if true, as in gfortran. */
#include <stdio.h>
#include <stdlib.h>

#include "world/ranks/ranks.h"

/* The common blocks of mpif.h, unless the program has them. */
MPI_Fint mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_unweighted_,
    mpi_fortran_weights_empty_, mpi_fortran_errcodes_ignore_;
double mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_;
char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
#if WORLD_PROCESSES /* fibers: local/fortran.c has some */
MPI_Fint *MPI_F_STATUS_IGNORE = (MPI_Fint *)&mpi_fortran_status_ignore_;
MPI_Fint *MPI_F_STATUSES_IGNORE = (MPI_Fint *)&mpi_fortran_statuses_ignore_;
#endif

/* --- internals -------------------------------------------------------------------------------- */

int ompi_mpi_state = 2;      /* initialized; the calls themselves check for other states */
int ompi_instance_count = 1; /* the same in Open MPI 5 */
char ompi_mpi_param_check;
int ompi_errcode_intern_lastused;
void *ompi_errcodes_intern[15], *ompi_registered_datareps[8];
MPI_Status ompi_status_empty = {.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};

int ompi_fortran_string_f2c(const char *text, int length, char **out);
int ompi_fortran_string_f2c(const char *text, int length, char **out)
{
    int from = 0;
    while (from < length && text[from] == ' ')
        from++;
    while (length > from && text[length - 1] == ' ')
        length--;
    char *made = malloc((size_t)(length - from) + 1);
    if (!made)
        return -2;
    memcpy(made, text + from, (size_t)(length - from));
    made[length - from] = 0;
    *out = made;
    return 0;
}

int ompi_fortran_string_c2f(const char *text, char *out, int length);
int ompi_fortran_string_c2f(const char *text, char *out, int length)
{
    size_t bytes = strnlen(text, (size_t)length);
    memset(out, ' ', (size_t)length);
    memcpy(out, text, bytes);
    return 0;
}

/* Copies a key; name has room for MPI_MAX_INFO_KEY + 1 bytes. */
static void fortran_key(const char *key, int bytes, char *name)
{
    while (bytes > 0 && *key == ' ') {
        key++;
        bytes--;
    }
    while (bytes > 0 && key[bytes - 1] == ' ')
        bytes--;
    snprintf(name, MPI_MAX_INFO_KEY + 1, "%.*s", bytes, key);
    CORE_CHECK(strlen(name) <= MPI_MAX_INFO_KEY);
}

MPI_Datatype ompi_datatype_match_size(int size, uint16_t kind, uint16_t language);
MPI_Datatype ompi_datatype_match_size(int size, uint16_t kind, uint16_t language)
{
    enum { DATA_INT = 0x1000, DATA_FLOAT = 0x2000, DATA_COMPLEX = 0x3000 }; /* its type flags */
    int typeclass = kind == DATA_INT       ? MPI_TYPECLASS_INTEGER
                    : kind == DATA_FLOAT   ? MPI_TYPECLASS_REAL
                    : kind == DATA_COMPLEX ? MPI_TYPECLASS_COMPLEX
                                           : kind;
    MPI_Datatype found = MPI_DATATYPE_NULL;
    (void)language;
    (void)MPI_Type_match_size(typeclass, size, &found);
    return found;
}

int ompi_errhandler_invoke(void *handler, void *object, int type, int code, const char *call);
int ompi_errhandler_invoke(void *handler, void *object, int type, int code, const char *call)
{
    (void)handler, (void)object, (void)type;
    return world_error(NULL, code, "in %s", call ? call : "Fortran");
}

int ompi_mpi_errors_are_fatal_comm_handler(MPI_Comm *comm, int *code, ...);
int ompi_mpi_errors_are_fatal_comm_handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    return world_error(NULL, *code, "in Fortran");
}

void mpi_conversion_fn_null_(void);
void mpi_conversion_fn_null_(void)
{
}

/* --- error handlers --------------------------------------------------------------------------- */

static MPI_Fint comm_number(void *object)
{
    return MPI_Comm_c2f(*(MPI_Comm *)object);
}
static MPI_Fint win_number(void *object)
{
    return MPI_Win_c2f(*(MPI_Win *)object);
}
static MPI_Fint file_number(void *object)
{
    return MPI_File_c2f(*(MPI_File *)object);
}

MPI_Errhandler ompi_errhandler_create(int object, void *function, int language);
MPI_Errhandler ompi_errhandler_create(int object, void *function, int language)
{
    enum { COMM = 1, WIN, FILE_KIND };
    static MPI_Fint (*const number[])(void *) = {
        [COMM] = comm_number, [WIN] = win_number, [FILE_KIND] = file_number};
    enum { FORTRAN = 2 };
    (void)language;
    MPI_Errhandler made = world_handle_new(HANDLE_ERRHANDLER, sizeof *made);
    made->kind = 2;
    memcpy(&made->function, &function, sizeof function);
    if (language == FORTRAN && object >= COMM && object <= FILE_KIND)
        made->number = number[object];
    return made;
}

/* --- what would reach into objects ------------------------------------------------------------ */

/* Defines both names of a function: the one for programs and the one for the libraries above. */
#define NAMES(name, ...)                                                         \
    void ompi_##name##_f(__VA_ARGS__);                                           \
    void mpi_##name##_(__VA_ARGS__) __attribute__((alias("ompi_" #name "_f")));  \
    void pmpi_##name##_(__VA_ARGS__) __attribute__((alias("ompi_" #name "_f"))); \
    void ompi_##name##_f(__VA_ARGS__)

NAMES(op_create, void *function, MPI_Fint *commutes, MPI_Fint *op, MPI_Fint *code)
{
    MPI_User_function *kept;
    MPI_Op made;
    memcpy(&kept, &function, sizeof kept);
    int done = MPI_Op_create(kept, *commutes != 0, &made);
    if (!done) {
        made->fortran = true;
        *op = MPI_Op_c2f(made);
    }
    if (code)
        *code = done;
}

NAMES(grequest_start, void *query, void *release, void *cancel, MPI_Aint *state, MPI_Fint *request,
      MPI_Fint *code)
{
    MPI_Request made;
    int done = MPI_Grequest_start(NULL, NULL, NULL, (void *)*state, &made);
    if (!done) {
        memcpy(&made->general->query, &query, sizeof query);
        memcpy(&made->general->free, &release, sizeof release);
        memcpy(&made->general->cancel, &cancel, sizeof cancel);
        made->general->fortran = true;
        *request = MPI_Request_c2f(made);
    }
    if (code)
        *code = done;
}

/* Removes the blanks around keys and values; cuts what does not fit. */
NAMES(info_get, MPI_Fint *info, char *key, MPI_Fint *room, char *value, MPI_Fint *flag,
      MPI_Fint *code, int key_bytes, int value_bytes)
{
    char name[MPI_MAX_INFO_KEY + 1], text[MPI_MAX_INFO_VAL + 1];
    int most = *room < MPI_MAX_INFO_VAL ? *room : MPI_MAX_INFO_VAL;
    fortran_key(key, key_bytes, name);
    int done = MPI_Info_get(MPI_Info_f2c(*info), name, most, text, flag);
    if (!done && *flag)
        ompi_fortran_string_c2f(text, value, value_bytes);
    if (code)
        *code = done;
}

NAMES(info_get_valuelen, MPI_Fint *info, char *key, MPI_Fint *bytes, MPI_Fint *flag, MPI_Fint *code,
      int key_bytes)
{
    char name[MPI_MAX_INFO_KEY + 1];
    fortran_key(key, key_bytes, name);
    int done = MPI_Info_get_valuelen(MPI_Info_f2c(*info), name, bytes, flag);
    if (code)
        *code = done;
}

NAMES(info_get_nthkey, MPI_Fint *info, MPI_Fint *n, char *key, MPI_Fint *code, int key_bytes)
{
    char name[MPI_MAX_INFO_KEY + 1];
    int done = MPI_Info_get_nthkey(MPI_Info_f2c(*info), *n, name);
    if (!done)
        ompi_fortran_string_c2f(name, key, key_bytes);
    if (code)
        *code = done;
}

#define ATTRIBUTES(name, Name, KIND)                                                         \
    NAMES(name##_create_keyval, void *copy, void *drop, MPI_Fint *key, MPI_Aint *extra,      \
          MPI_Fint *code)                                                                    \
    {                                                                                        \
        int done = world_keyval_fortran(KIND, copy, drop, *extra, true, key);                \
        if (code)                                                                            \
            *code = done;                                                                    \
    }                                                                                        \
    NAMES(name##_set_attr, MPI_Fint *object, MPI_Fint *key, MPI_Aint *value, MPI_Fint *code) \
    {                                                                                        \
        int done = MPI_##Name##_set_attr(MPI_##Name##_f2c(*object), *key, (void *)*value);   \
        if (code)                                                                            \
            *code = done;                                                                    \
    }                                                                                        \
    NAMES(name##_get_attr, MPI_Fint *object, MPI_Fint *key, MPI_Aint *value, MPI_Fint *flag, \
          MPI_Fint *code)                                                                    \
    {                                                                                        \
        void *found;                                                                         \
        int done = MPI_##Name##_get_attr(MPI_##Name##_f2c(*object), *key, &found, flag);     \
        if (!done && *flag)                                                                  \
            *value = world_attribute_number(*key, found);                                    \
        if (code)                                                                            \
            *code = done;                                                                    \
    }
ATTRIBUTES(comm, Comm, OF_COMM)
ATTRIBUTES(type, Type, OF_TYPE)
ATTRIBUTES(win, Win, OF_WIN)

/* MPI's predefined callbacks; those that copy return the given value. */
#define CALLBACKS(prefix, VALUE)                                                                \
    NAMES(prefix##null_copy_fn, MPI_Fint *object, MPI_Fint *key, VALUE *extra, VALUE *in,       \
          VALUE *out, MPI_Fint *flag, MPI_Fint *code)                                           \
    {                                                                                           \
        (void)object, (void)key, (void)extra, (void)in, (void)out;                              \
        *flag = 0;                                                                              \
        *code = MPI_SUCCESS;                                                                    \
    }                                                                                           \
    NAMES(prefix##dup_fn, MPI_Fint *object, MPI_Fint *key, VALUE *extra, VALUE *in, VALUE *out, \
          MPI_Fint *flag, MPI_Fint *code)                                                       \
    {                                                                                           \
        (void)object, (void)key, (void)extra;                                                   \
        *out = *in;                                                                             \
        *flag = 1;                                                                              \
        *code = MPI_SUCCESS;                                                                    \
    }                                                                                           \
    NAMES(prefix##null_delete_fn, MPI_Fint *object, MPI_Fint *key, VALUE *value, VALUE *extra,  \
          MPI_Fint *code)                                                                       \
    {                                                                                           \
        (void)object, (void)key, (void)value, (void)extra;                                      \
        *code = MPI_SUCCESS;                                                                    \
    }
CALLBACKS(comm_, MPI_Aint)
CALLBACKS(type_, MPI_Aint)
CALLBACKS(win_, MPI_Aint)
CALLBACKS(, MPI_Fint)

NAMES(keyval_create, void *copy, void *drop, MPI_Fint *key, MPI_Fint *extra, MPI_Fint *code)
{
    int done = world_keyval_fortran(OF_COMM, copy, drop, *extra, false, key);
    if (code)
        *code = done;
}

NAMES(attr_put, MPI_Fint *comm, MPI_Fint *key, MPI_Fint *value, MPI_Fint *code)
{
    int done = MPI_Comm_set_attr(MPI_Comm_f2c(*comm), *key, (void *)(MPI_Aint)*value);
    if (code)
        *code = done;
}

NAMES(attr_get, MPI_Fint *comm, MPI_Fint *key, MPI_Fint *value, MPI_Fint *flag, MPI_Fint *code)
{
    void *found;
    int done = MPI_Comm_get_attr(MPI_Comm_f2c(*comm), *key, &found, flag);
    if (!done && *flag)
        *value = (MPI_Fint)world_attribute_number(*key, found);
    if (code)
        *code = done;
}
