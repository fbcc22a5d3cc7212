/* Errors that MPI raises where they are fatal, for Open MPI 4.1 and 5.0: the handler
 * MPI_ERRORS_ARE_FATAL is an object that holds a function for each kind of object. After MPI_Init
 * these are replaced by functions that keep what was raised (exit_record.h) and go on to the
 * library's own, which prints it and ends the job.
 *
 *  1. Nothing is replaced unless version, the object's size and its functions are what this file
 *     was compiled for. */
#define OMPI_SKIP_MPICXX 1
#include "interpose/recorder.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdarg.h>
#include <string.h>

#include "ompi_config.h"
#include "ompi/errhandler/errhandler.h"

#include "interpose/exit_record.h"
#include "interpose/layer/layer.h"

static struct {
    ompi_errhandler_t *handler; /* NULL: not replaced */
    MPI_Comm_errhandler_function *comm;
    MPI_File_errhandler_function *file;
    MPI_Win_errhandler_function *win;
} own;

/* The library gives a text behind the error, and nothing else. */
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
    ompi_predefined_errhandler_t *object = recorder_symbol("ompi_mpi_errors_are_fatal");
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    if (!layer_knows(version) || !object ||
        !dladdr1(object, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        symbol->st_size != sizeof *object)
        return;
    ompi_errhandler_t *handler = &object->eh;
    if ((void *)handler->eh_comm_fn != recorder_symbol("ompi_mpi_errors_are_fatal_comm_handler") ||
        (void *)handler->eh_file_fn != recorder_symbol("ompi_mpi_errors_are_fatal_file_handler") ||
        (void *)handler->eh_win_fn != recorder_symbol("ompi_mpi_errors_are_fatal_win_handler") ||
        !handler->eh_comm_fn || !handler->eh_file_fn || !handler->eh_win_fn)
        return;
    own.comm = handler->eh_comm_fn; /* invariant 1: all that was looked at is as it should be */
    own.file = handler->eh_file_fn;
    own.win = handler->eh_win_fn;
    own.handler = handler;
    handler->eh_comm_fn = (MPI_Comm_errhandler_function *)fatal_comm;
    handler->eh_file_fn = (MPI_File_errhandler_function *)fatal_file;
    handler->eh_win_fn = (MPI_Win_errhandler_function *)fatal_win;
}

void layer_errors_stop(void)
{
    if (!own.handler)
        return;
    own.handler->eh_comm_fn = own.comm;
    own.handler->eh_file_fn = own.file;
    own.handler->eh_win_fn = own.win;
    own.handler = NULL;
}
