/* Fits a job to an MPI library: its launcher takes the place of the one that the command names, {}
 * in a word that of the library's name, and the environment lets the loader and Python find the
 * library. Says why a program cannot run with a library, where its file or its Python says so. */
#ifndef CLI_LIBRARIES_FIT_H
#define CLI_LIBRARIES_FIT_H

#include "cli/libraries/library.h"
#include "core/status.h"

enum { FIT_VARIABLES = 3 }; /* PATH, LD_LIBRARY_PATH, MPI4PY_LIBMPI */
struct fit {
    char **command;             /* NULL-terminated; owned */
    char *value[FIT_VARIABLES]; /* NULL: as it is */
    char *before[FIT_VARIABLES];
    char *reason; /* why the library cannot run the program; NULL: nothing speaks against it */
};

/* Tells whether a word names a launcher of MPI jobs: mpirun and its other names. */
bool fit_is_launcher(const char *word);

/* Prepares the command for the library. folder: a folder for this library, which gets the files
 * that the job needs. libraries: all libraries found. */
enum core_status fit_make(const struct library *library, const struct library_list *libraries,
                          char *const *command, const char *folder, struct fit *out_fit);
/* Between the two calls this process, and so its children, have the job's environment. */
void fit_enter(struct fit *fit);
void fit_leave(struct fit *fit);
void fit_done(struct fit *fit);

#endif
