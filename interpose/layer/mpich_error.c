/* Records fatal errors of MPICH's family. The library raises an error by one function for
 * communicators and one for windows. It exports both (its own layers for files call them) and calls
 * them like functions of another object: the functions here precede them. If the object's handler
 * ends the job, the error is recorded (exit_record.h) before the library raises it, as its launcher
 * may kill the rank at once. A library that does not export the two is not observed.
 *
 *  1. Each error is passed on unchanged to the library's own function.
 *  2. A thread-safe library can raise an error while it holds its own lock, which it takes again to
 *     answer a question: then it is not asked, and the recorder relies on the handlers that it saw
 *     the program set. */
#include "interpose/recorder.h"

#include "interpose/exit_record.h"
#include "interpose/layer/layer.h"
#include "interpose/library/library.h"
#include "interpose/objects/handles.h"

typedef int (*raise_fn)(void *object, const char *function, int error);

int MPIR_Err_return_comm(void *comm, const char *function, int error);
int MPIR_Err_return_win(void *win, const char *function, int error);

/* Returns the handle of an object, which is its first field. Behind the standard ABI the address is
 * the handle, except for predefined objects. */
#ifdef STANDARD_ABI
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

/* True while the recorder asks the library: an error is then an answer, not an error of the
 * program. */
static __thread bool asking;

static bool may_be_locked(void)
{
    return recorder.lanes && recorder.lanes->writer.header->thread_level == MPI_THREAD_MULTIPLE;
}

/* Tells whether the object has a handler that ends the job. Also true if the library does not
 * answer: the world does not exist, without MPI_Init or within MPI_Finalize. */
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

/* comm NULL: an error without a communicator, which the library raises on one that depends on its
 * version. */
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
    (void)version; /* the functions above always precede the library's */
}

void layer_errors_stop(void)
{
}
