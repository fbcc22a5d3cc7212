/* MPICH and what shares its binary interface (Intel MPI, Cray MPICH, MVAPICH): handles are numbers
 * in which the kind of object stands: two bits for how it is kept (builtin, direct, indirect), four
 * for what it is. The values of mpi.h are part of the interface. */
#include "interpose/library/handle_constants.h"

#include <string.h>

enum {
    KEPT_SHIFT = 30,
    KEPT_BUILTIN = 1,
    KEPT_DIRECT = 2,
    KIND_SHIFT = 26,
    KIND_MASK = 15,
    INDEX_MASK = 0x3ffffff,
    DIRECT_MAX = 4096 /* more than any library keeps so, MPICH 4.0 no more than 16 */
};

bool library_is_binding(const char *file)
{
    return strncmp(file, "libmpichfort", 12) == 0 || strncmp(file, "libmpifort", 10) == 0 ||
           strncmp(file, "libmpichf90", 11) == 0;
}

bool library_handles(void)
{
    int *const *unweighted = recorder_symbol("MPI_UNWEIGHTED");
    int *const *weights_empty = recorder_symbol("MPI_WEIGHTS_EMPTY");

    if (!unweighted || !weights_empty) /* variables of MPICH's, constants of others */
        return false;
    recorder_handle = library_handle_constants(*unweighted, *weights_empty);
    return true;
}

const char *library_untested(const char *version)
{
    static const char *const tested[] = {"MPICH Version: 4.0", "MPICH Version: 4.2",
                                         "MPICH Version: 5.0", "Intel(R) MPI Library 2021.18"};

    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++) {
        const char *at = version, *of = tested[i];
        while (*of && (*at == *of || (*of == ' ' && *at == '\t'))) {
            bool space = *of == ' ';
            at++, of++;
            while (space && (*at == ' ' || *at == '\t'))
                at++;
        }
        if (!*of)
            return NULL;
    }
    return "MPICH 4.0, 4.2 and 5.0, and Intel MPI 2021.18";
}

/* The kind that stands in a handle: that of a predefined one. 0: not told. */
static unsigned kind_of(enum recorder_object kind)
{
    static const unsigned example[OBJECT_KINDS] = {
        [OBJECT_COMM] = (unsigned)MPI_COMM_WORLD,
        [OBJECT_GROUP] = (unsigned)MPI_GROUP_EMPTY,
        [OBJECT_TYPE] = (unsigned)MPI_BYTE,
        [OBJECT_OP] = (unsigned)MPI_SUM,
        [OBJECT_WIN] = (unsigned)MPI_WIN_NULL,
        [OBJECT_INFO] = (unsigned)MPI_INFO_NULL,
        [OBJECT_ERRHANDLER] = (unsigned)MPI_ERRORS_RETURN,
    };
    return example[kind] >> KIND_SHIFT & KIND_MASK;
}

bool library_predefined(enum recorder_object kind, const void *handle)
{
    unsigned value = (unsigned)(uintptr_t)handle;

    if (kind == OBJECT_FILE)
        return handle == HANDLE(recorder_handle.file_null);
    return kind_of(kind) && (value >> KIND_SHIFT & KIND_MASK) == kind_of(kind) &&
           value >> KEPT_SHIFT <= KEPT_BUILTIN;
}

bool library_may_be(enum recorder_object kind, const void *handle)
{
    unsigned value = (unsigned)(uintptr_t)handle;

    if (kind == OBJECT_FILE)
        return memory_readable(handle, sizeof handle);
    if (!kind_of(kind))
        return true;
    /* The library looks up a direct object by its index, and few have one: it holds the index
     * against nothing before it reads the object. */
    return (value >> KIND_SHIFT & KIND_MASK) == kind_of(kind) && value >> KEPT_SHIFT != 0 &&
           (value >> KEPT_SHIFT != KEPT_DIRECT || (value & INDEX_MASK) < DIRECT_MAX);
}
