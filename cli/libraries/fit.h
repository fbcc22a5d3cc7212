/* Fits a job to an MPI library: replaces the command's launcher by the library's, and {} in words
 * by the library's name, and sets the environment so that the loader and Python find the library.
 * Gives the reason if the program's file or its Python shows that it cannot run with the
 * library. */
#ifndef CLI_LIBRARIES_FIT_H
#define CLI_LIBRARIES_FIT_H

#include "cli/libraries/library.h"
#include "core/status.h"

enum { FIT_VARIABLES = 3 }; /* PATH, LD_LIBRARY_PATH, MPI4PY_LIBMPI */
struct fit {
    char **command;             /* NULL-terminated; owned */
    char *value[FIT_VARIABLES]; /* NULL: unchanged */
    char *before[FIT_VARIABLES];
    char *reason; /* why the library cannot run the program; NULL: no reason known */
};

/* Tells whether a word names a launcher of MPI jobs: mpirun and its other names. */
bool fit_is_launcher(const char *word);

/* Prepares the command for the library. folder: a folder for this library, which gets the files
 * that the job needs. libraries: all libraries found. */
enum core_status fit_make(const struct library *library, const struct library_list *libraries,
                          char *const *command, const char *folder, struct fit *out_fit);
/* Give this process, and so its children, the job's environment, until fit_leave. */
void fit_enter(struct fit *fit);
void fit_leave(struct fit *fit);
void fit_done(struct fit *fit);

#endif
