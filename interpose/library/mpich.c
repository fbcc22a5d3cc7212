/* MPICH and libraries with its binary interface (Intel MPI, Cray MPICH, MVAPICH). Handles are
 * numbers that contain two bits for the storage (builtin, direct, indirect) and four for the kind
 * of object. The values of mpi.h are part of the interface. */
#include "interpose/library/handle_constants.h"

#include <string.h>

enum {
    KEPT_SHIFT = 30,
    KEPT_BUILTIN = 1,
    KEPT_DIRECT = 2,
    KIND_SHIFT = 26,
    KIND_MASK = 15,
    INDEX_MASK = 0x3ffffff,
    DIRECT_MAX = 4096 /* more than any library has; MPICH 4.0 has at most 16 */
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

    if (!unweighted || !weights_empty) /* variables in MPICH, constants elsewhere */
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

/* Returns the bits of a kind, from a predefined handle; 0: unknown. */
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
    /* The library uses the index of a direct object without checking it, and there are few of
     * these. */
    return (value >> KIND_SHIFT & KIND_MASK) == kind_of(kind) && value >> KEPT_SHIFT != 0 &&
           (value >> KEPT_SHIFT != KEPT_DIRECT || (value & INDEX_MASK) < DIRECT_MAX);
}
