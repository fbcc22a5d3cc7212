/* Records fatal errors of Open MPI 4.1 and 5.0. The handler MPI_ERRORS_ARE_FATAL is an object that
 * holds a function for each kind of object. After MPI_Init the layer replaces them by functions
 * that record the error (exit_record.h) and call the library's own, which prints it and ends the
 * job.
 *
 *  1. Nothing is replaced unless version, the object's size and its functions are what openmpi.h
 *     says. */
#include "interpose/layer/openmpi.h"

#include <stdarg.h>

#include "interpose/exit_record.h"
#include "interpose/layer/layer.h"

static struct openmpi_error_functions *functions, own; /* NULL: not replaced; own: the originals */

/* The library passes a text behind the error, and nothing else. */
#define FATAL(kind, type)                                   \
    static void fatal_##kind(type *object, int *error, ...) \
    {                                                       \
        va_list rest;                                       \
        va_start(rest, error);                              \
        char *message = va_arg(rest, char *);               \
        va_end(rest);                                       \
        if (error)                                          \
            exit_record_say_error(*error);                  \
        own.kind(object, error, message, NULL);             \
    }
FATAL(comm, MPI_Comm)
FATAL(file, MPI_File)
FATAL(win, MPI_Win)
#undef FATAL

void layer_errors_start(const char *version)
{
    char *object = openmpi_variable("ompi_mpi_errors_are_fatal", OPENMPI_ERROR_BYTES);
    void *comm = recorder_symbol("ompi_mpi_errors_are_fatal_comm_handler"),
         *file = recorder_symbol("ompi_mpi_errors_are_fatal_file_handler"),
         *win = recorder_symbol("ompi_mpi_errors_are_fatal_win_handler");

    if (!layer_knows(version) || !object || !comm || !file || !win)
        return;
    struct openmpi_error_functions *at = (void *)(object + OPENMPI_ERROR_FUNCTIONS);
    if ((void *)at->comm != comm || (void *)at->file != file || (void *)at->win != win)
        return;
    own = *at; /* invariant 1: all checks passed */
    functions = at;
    *at = (struct openmpi_error_functions){fatal_comm, fatal_file, fatal_win};
}

void layer_errors_stop(void)
{
    if (!functions)
        return;
    *functions = own;
    functions = NULL;
}
