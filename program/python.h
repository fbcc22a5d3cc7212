/* The Python frames that called a binding. */
#ifndef PROGRAM_PYTHON_H
#define PROGRAM_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

struct python_place {
    const char *file, *function; /* as long as the call goes on */
    void *code;                  /* with the offset: the place, as long as the code object lives */
    int64_t offset;
};
/* The innermost frames first, those of this thread; 0: it runs no Python, or how its frames lie is
 * not known. One thread at a time. */
unsigned python_places(struct python_place *place, unsigned most);
int python_line(const struct python_place *place);

/* Called in the main thread when an exception that nothing caught is about to be printed:
 * "TypeError: what it says", and where it came through, the innermost first. mpi_error: the code of
 * mpi4py's own exception, whose text MPI has; 0: it is another. */
typedef void (*python_exception_fn)(const char *text, int mpi_error,
                                    const struct python_place *place, unsigned count);
/* From now on, if this thread runs Python. */
void python_watch(python_exception_fn fn);
/* The interpreter is on its way out. */
bool python_ending(void);

#endif
