/* Errors that MPI raises where they are fatal, for MPICH's family. The library raises an error by
 * one function for communicators and one for windows, which it shows (its own layers for files call
 * them) and calls as others' functions are called: these stand in front of them. Where the handler
 * of the object ends the job, the error is kept (fate.h) before the library does so, as its
 * launcher may kill the rank at once. A library that does not show the two raises as it does.
 *
 *  1. What is raised goes on to the library's own function as it came. */
#include "interpose/recorder.h"

#include "interpose/fate.h"
#include "interpose/layer/layer.h"

typedef int (*raise_fn)(void *object, const char *function, int error);
typedef int (*handler_fn)(int object, MPI_Errhandler *handler);

int MPIR_Err_return_comm(void *comm, const char *function, int error);
int MPIR_Err_return_win(void *win, const char *function, int error);

/* What the library raises because of our question is an answer, and nobody's error. */
static __thread bool asking;

/* Whether the object has a handler that ends the job, as it has where the library does not say: a
 * world that is not there, without MPI_Init or within MPI_Finalize. The handle of an object stands
 * first in it. */
static bool is_fatal(handler_fn ask, int object)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    asking = true;
    bool known = ask(object, &handler) == MPI_SUCCESS;
    asking = false;
    return !known || handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
}

void *real_MPIR_Err_return_comm, *real_MPIR_Err_return_win;

/* NULL: of no communicator, which is raised on one that the version decides. */
int MPIR_Err_return_comm(void *comm, const char *function, int error)
{
    handler_fn ask = (handler_fn)OWN(Comm_get_errhandler);

    if (asking)
        return error;
    if (recorder.on && (comm ? is_fatal(ask, *(const int *)comm)
                             : is_fatal(ask, MPI_COMM_WORLD) && is_fatal(ask, MPI_COMM_SELF)))
        fate_say_error(error);
    return ((raise_fn)real_MPIR_Err_return_comm)(comm, function, error);
}

int MPIR_Err_return_win(void *win, const char *function, int error)
{
    if (asking)
        return error;
    if (recorder.on && win && is_fatal((handler_fn)OWN(Win_get_errhandler), *(const int *)win))
        fate_say_error(error);
    return ((raise_fn)real_MPIR_Err_return_win)(win, function, error);
}

void layer_errors_start(const char *version)
{
    (void)version; /* what stands in front is always there */
}

void layer_errors_stop(void)
{
}
