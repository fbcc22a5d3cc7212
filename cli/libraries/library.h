/* The MPI libraries of this machine that a job can run with: those in the PATH, in the variable
 * CROSSWAIT_MPI and in folders that the user names. A library identifies itself
 * (MPI_Get_library_version); its launcher is in bin/ of the folder whose lib/ holds it. */
#ifndef CLI_LIBRARIES_LIBRARY_H
#define CLI_LIBRARIES_LIBRARY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

enum library_family {                  /* families by binary interface, which fixes their file
                                          names */
                      LIBRARY_OPENMPI, /* libmpi.so.40 */
                      LIBRARY_MPICH    /* libmpi.so.12, libmpich.so.12, libmpi_abi.so.1 */
};

enum { LIBRARY_WORDS = 128 };
struct library {
    char name[LIBRARY_WORDS];  /* "openmpi-5.0.11": names its trace, and replaces {} */
    char title[LIBRARY_WORDS]; /* "Open MPI 5.0.11" */
    enum library_family family;
    char launcher[PATH_MAX]; /* absolute */
    char bin[PATH_MAX];      /* folder of the launcher */
    char lib[PATH_MAX];      /* folder of libmpi.so */
    char file[PATH_MAX];     /* libmpi.so itself */
};

struct library_list {
    struct library *library;
    uint32_t count, room;
};

/* Finds libraries. words: comma-separated, "all" (those in the PATH and in CROSSWAIT_MPI) or
 * folders. Reports a folder without a library or its launcher (CORE_BAD_INPUT), and if there is no
 * library at all (CORE_NOT_FOUND). */
enum core_status libraries_find(const char *words, struct library_list *out_list);
void libraries_done(struct library_list *list);

/* Makes "Open MPI 5.0.11" of the first line of MPI_Get_library_version. */
void library_title(const char *version, char title[LIBRARY_WORDS]);

#endif
