/* Building and running what `crosswait fuzz` fuzzes. */
#ifndef CLI_FUZZ_FUZZ_JOB_H
#define CLI_FUZZ_FUZZ_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/status.h"

enum { FUZZ_PATH_MAX = 4096 };

struct fuzz_job {
    char share[FUZZ_PATH_MAX];  /* headers, sources and libraries of the harness */
    char folder[FUZZ_PATH_MAX]; /* where everything goes */
    bool folder_usual;          /* it is the one that goes without saying */
    char **file;                /* the user's sources */
    int file_count;
    const char *cflags; /* NULL: none */
    const char *target; /* NULL: all that the files register */
};

/* $CROSSWAIT_SHARE, or beside the program (build tree), or ../lib/crosswait/fuzz of it (installed).
 */
enum core_status fuzz_share_find(char share[FUZZ_PATH_MAX]);
/* Builds folder/fuzz ("fuzz") or folder/real ("real") unless it is newer than everything it is made
 * of. What is wrong with the user's files is reported: CORE_BAD_INPUT. */
enum core_status fuzz_build(const struct fuzz_job *job, const char *kind,
                            char program[FUZZ_PATH_MAX]);
/* Runs argv (NULL-terminated) with standard output and error into files (NULL: as they are).
 * *out_status is the exit status, 128 + the signal if one ended it. */
enum core_status fuzz_spawn(char *const argv[], const char *output, const char *errors,
                            int *out_status);
/* The same of libFuzzer, with progress on a terminal, from the last "#..." line of its log: so many
 * seconds of `seconds` (0: not known), worlds, worlds a second, branches seen. Lines that begin
 * with FUZZ_FOUND are shown as they come. `output` may be `log`. A signal that fuzz_hear hears ends
 * it alone. */
#define FUZZ_FOUND "crosswait: found "
enum core_status fuzz_spawn_watched(char *const argv[], const char *output, const char *log,
                                    double seconds, int *out_status);
/* From now on an interrupt, or SIGTERM, ends the child that runs, and not the command, which tells
 * what was found; the second one ends the command as well. */
void fuzz_hear(void);
/* The exit status that says so: 128 + the signal; 0: none came. */
enum { FUZZ_TERMINATED = 143 };
int fuzz_interrupted(void);
enum core_status fuzz_folder_make(const char *path);
void fuzz_show(const char *path, FILE *out);
/* Copies the part from `start` on of the first line that has it; empty: no line has. */
void fuzz_line(const char *path, const char *start, char line[512]);

/* Runs one scenario or crash input on real ranks and says what was found there; the command's exit
 * status. program is what "fuzz" built. */
int fuzz_real(const struct fuzz_job *job, const char *program, const char *path);

#endif
