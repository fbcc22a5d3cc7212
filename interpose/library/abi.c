/* The standard ABI of MPI 5.0 (libmpi_abi.so.1), for any library behind it. Predefined handles are
 * constants below 4096 that contain their kind. Only the library knows other handles, and the
 * fields of its statuses besides the three public ones. */
#include "interpose/library/handle_constants.h"

#include <string.h>

enum { PREDEFINED_END = 4096, DRAFT_SEEK_SET = 401 };
#define DRAFT_ERRORS_RETURN MPI_ERRORS_ABORT

/* Libraries that were built from a draft of the standard number a few constants differently. */
static bool draft;

bool library_is_binding(const char *file)
{
    return strncmp(file, "libmpifort", 10) == 0 || strncmp(file, "libmpichfort", 12) == 0;
}

bool library_handles(void)
{
    MPI_Errhandler returning = MPI_ERRHANDLER_NULL;
    int major = 0, minor = 0;

    if (OWN(Abi_get_version)(&major, &minor) != MPI_SUCCESS || major != MPI_ABI_VERSION)
        return false;
    /* Files start with a handler that returns errors. */
    if (OWN(File_get_errhandler)(MPI_FILE_NULL, &returning) == MPI_SUCCESS)
        draft = returning == DRAFT_ERRORS_RETURN;
    recorder_handle = library_handle_constants(MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY);
    return true;
}

const char *library_untested(const char *version)
{
    (void)version;
    return NULL; /* this build follows the ABI itself */
}

bool library_predefined(enum recorder_object kind, const void *handle)
{
    static const struct {
        uint16_t first, last;
    } range[OBJECT_KINDS] = {
        [OBJECT_OP] = {0x20, 0x3f},           [OBJECT_COMM] = {0x100, 0x107},
        [OBJECT_GROUP] = {0x108, 0x10f},      [OBJECT_WIN] = {0x110, 0x117},
        [OBJECT_FILE] = {0x118, 0x11f},       [OBJECT_INFO] = {0x130, 0x137},
        [OBJECT_ERRHANDLER] = {0x140, 0x147}, [OBJECT_TYPE] = {0x200, 0x2ff},
    };
    uintptr_t value = (uintptr_t)handle;

    return value && value >= range[kind].first && value <= range[kind].last;
}

/* Handles of MPICH and Intel MPI are 32-bit numbers behind the ABI, too; those of others are
 * addresses. */
bool library_may_be(enum recorder_object kind, const void *handle)
{
    uintptr_t value = (uintptr_t)handle;

    if (value < PREDEFINED_END)
        return library_predefined(kind, handle);
    return value >> 32 == 0 || memory_readable(handle, sizeof handle);
}

bool library_fatal(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL ||
           handler == (draft ? MPI_ERRORS_RETURN : MPI_ERRORS_ABORT);
}

int library_whence(int value)
{
    static const int meant[] = {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END};
    unsigned at = (unsigned)value - DRAFT_SEEK_SET;

    return draft && at < sizeof meant / sizeof *meant ? meant[at] : value;
}

/* --- statuses, errors ------------------------------------------------------------------------- */

bool library_status_cancelled(const MPI_Status *status)
{
    int cancelled = 0;

    return OWN(Test_cancelled)(status, &cancelled) == MPI_SUCCESS && cancelled;
}

uint64_t library_status_bytes(const MPI_Status *status)
{
    MPI_Count bytes = 0;

    if (OWN(Get_count_c)(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
        return UINT64_MAX;
    return (uint64_t)bytes;
}

int library_error_class(int code)
{
    int class = code;

    return OWN(Error_class)(code, &class) == MPI_SUCCESS ? class : code;
}
