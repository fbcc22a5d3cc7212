/* Translates the library's error codes into the error classes of core/trace/event.h.
 */
#include "core/trace/event.h"
#include "interpose/library/library.h"

uint16_t recorder_error_slow(int code)
{
#define X(name, number) {MPI_ERR_##name, number},
    static const struct {
        int class;
        uint16_t recorded;
    } errors[] = {EVENT_ERRORS(X)};
#undef X
    int class = library_error_class(code);

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].class == class)
            return errors[i].recorded;
    /* a class of the program's own keeps its number, as far as it fits */
    return (unsigned)class > UINT16_MAX ? UINT16_MAX : (uint16_t) class;
}

bool recorder_own_errhandler(MPI_Errhandler errhandler)
{
    return !library_predefined(OBJECT_ERRHANDLER, (const void *)(uintptr_t)errhandler);
}
