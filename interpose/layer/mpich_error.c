/* Errors that MPI raises where they are fatal, for MPICH's family. The library raises an error by
 * one function for communicators and one for windows, which it shows (its own layers for files call
 * them) and calls as others' functions are called: these stand in front of them. Where the handler
 * of the object ends the job, the error is kept (exit_record.h) before the library does so, as its
 * launcher may kill the rank at once. A library that does not show the two raises as it does.
 *
 *  1. Each error goes on to the library's own function as it came.
 *  2. A library that several threads may call can raise an error while it holds its own lock, which
 *     it takes again to answer: it is then asked nothing, and the recorder goes by what handlers it
 *     saw the program set. */
#include "interpose/recorder.h"

#include "interpose/exit_record.h"
#include "interpose/layer/layer.h"
#include "interpose/library/library.h"
#include "interpose/objects/handles.h"

typedef int (*raise_fn)(void *object, const char *function, int error);

int MPIR_Err_return_comm(void *comm, const char *function, int error);
int MPIR_Err_return_win(void *win, const char *function, int error);

/* The handle of an object, which stands first in it. Behind the standard ABI the address is the
 * handle, but for predefined objects. */
#ifdef MPI_ABI_VERSION
static MPI_Comm comm_of(void *object)
{
    enum { WORLD = 0x44000000, SELF };

    switch (*(const int *)object) {
    case WORLD:
        return MPI_COMM_WORLD;
    case SELF:
        return MPI_COMM_SELF;
    default:
        return object;
    }
}

static MPI_Win win_of(void *object)
{
    return object;
}
#else
static MPI_Comm comm_of(void *object)
{
    return *(const MPI_Comm *)object;
}

static MPI_Win win_of(void *object)
{
    return *(const MPI_Win *)object;
}
#endif

/* An error that the library raises because of the recorder's question is an answer, and nobody's
 * error. */
static __thread bool asking;

static bool may_be_locked(void)
{
    return recorder.lanes && recorder.lanes->writer.header->thread_level == MPI_THREAD_MULTIPLE;
}

/* Whether the object has a handler that ends the job, as it has where the library does not say: a
 * world that is not there, without MPI_Init or within MPI_Finalize. */
static bool is_fatal_comm(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (may_be_locked())
        return handles_comm_fatal(comm); /* invariant 2 */

    asking = true;
    bool known = OWN(Comm_get_errhandler)(comm, &handler) == MPI_SUCCESS;
    asking = false;
    return !known || library_fatal(handler);
}

static bool is_fatal_win(MPI_Win win)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    if (may_be_locked())
        return handles_win_fatal(); /* invariant 2 */

    asking = true;
    bool known = OWN(Win_get_errhandler)(win, &handler) == MPI_SUCCESS;
    asking = false;
    return !known || library_fatal(handler);
}

void *real_MPIR_Err_return_comm, *real_MPIR_Err_return_win;

/* NULL: of no communicator, which is raised on one that the version decides. */
int MPIR_Err_return_comm(void *comm, const char *function, int error)
{
    if (asking)
        return error;
    if (recorder.on && (comm ? is_fatal_comm(comm_of(comm))
                             : is_fatal_comm(MPI_COMM_WORLD) && is_fatal_comm(MPI_COMM_SELF)))
        exit_record_say_error(error);
    return ((raise_fn)real_MPIR_Err_return_comm)(comm, function, error);
}

int MPIR_Err_return_win(void *win, const char *function, int error)
{
    if (asking)
        return error;
    if (recorder.on && win && is_fatal_win(win_of(win)))
        exit_record_say_error(error);
    return ((raise_fn)real_MPIR_Err_return_win)(win, function, error);
}

void layer_errors_start(const char *version)
{
    (void)version; /* what stands in front is always there */
}

void layer_errors_stop(void)
{
}
