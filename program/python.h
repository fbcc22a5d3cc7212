/* Finds the Python frames that called a binding. */
#ifndef PROGRAM_PYTHON_H
#define PROGRAM_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

struct python_place {
    const char *file, *function; /* valid during the call */
    void *code;                  /* with the offset identifies the place, as long as the code object
                                    lives; NULL: the interpreter itself */
    int64_t offset;
};
/* Returns the frames of this thread, innermost first; 0: it runs no Python, or the layout of frames
 * is unknown. Call it from one thread at a time. */
unsigned python_places(struct python_place *place, unsigned most);
int python_line(const struct python_place *place);

/* Called in the main thread before an uncaught exception is printed, with "TypeError: its message"
 * and its traceback, innermost first. mpi_error: the code of mpi4py's own exception, whose text MPI
 * knows; 0: another exception. */
typedef void (*python_exception_fn)(const char *text, int mpi_error,
                                    const struct python_place *place, unsigned count);
/* Watches exceptions from now on, if this thread runs Python. */
void python_watch(python_exception_fn fn);
/* Tells whether the interpreter is shutting down. */
bool python_ending(void);

#endif
