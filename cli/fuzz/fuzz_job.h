/* Builds and runs the target of `crosswait fuzz`. */
#ifndef CLI_FUZZ_FUZZ_JOB_H
#define CLI_FUZZ_FUZZ_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/status.h"

enum { FUZZ_PATH_MAX = 4096 };

struct fuzz_job {
    char share[FUZZ_PATH_MAX];  /* headers, sources and libraries of the harness */
    char folder[FUZZ_PATH_MAX]; /* for all files */
    bool folder_usual;          /* it is the default folder */
    char **file;                /* the user's sources */
    int file_count;
    const char *cflags; /* NULL: none */
    const char *target; /* NULL: all that the files register */
};

/* Finds the harness: $CROSSWAIT_SHARE, or beside the program (build tree), or in
 * ../lib/crosswait/fuzz (installed). */
enum core_status fuzz_share_find(char share[FUZZ_PATH_MAX]);
/* Builds folder/fuzz ("fuzz") or folder/real ("real") unless it is newer than all its sources.
 * Reports errors of the user's files: CORE_BAD_INPUT. */
enum core_status fuzz_build(const struct fuzz_job *job, const char *kind,
                            char program[FUZZ_PATH_MAX]);
/* Runs argv (NULL-terminated) with standard output and error redirected to files (NULL: unchanged).
 * *out_status is the exit status, or 128 + the signal that ended it. */
enum core_status fuzz_spawn(char *const argv[], const char *output, const char *errors,
                            int *out_status);
/* Ends the running child when `ends` returns true; it is called every few milliseconds. */
struct fuzz_watch {
    bool (*ends)(void *context);
    void *context;
};
/* Runs libFuzzer, and shows its progress on a terminal, from the last "#..." line of its log:
 * elapsed of `seconds` (0: unknown), worlds, worlds a second, branches. Prints lines that begin
 * with FUZZ_FOUND at once. `output` may be `log`. watch: NULL for none. After fuzz_hear a signal
 * ends only the child. */
#define FUZZ_FOUND "crosswait: found "
enum core_status fuzz_spawn_watched(char *const argv[], const char *output, const char *log,
                                    double seconds, const struct fuzz_watch *watch,
                                    int *out_status);
/* From now on an interrupt or SIGTERM ends the running child, but not the command, which then
 * reports its findings; a second one ends the command as well. */
void fuzz_hear(void);
/* Returns the exit status for such a signal, 128 + the signal; 0: none came. */
enum { FUZZ_TERMINATED = 143 };
int fuzz_interrupted(void);
enum core_status fuzz_folder_make(const char *path);
void fuzz_show(const char *path, FILE *out);
/* Copies the first line that contains `start`, from there on; empty: no such line. */
void fuzz_line(const char *path, const char *start, char line[512]);

/* Runs one scenario or crash input on real ranks and reports the findings. Returns the command's
 * exit status. program: built by "fuzz". */
int fuzz_real(const struct fuzz_job *job, const char *program, const char *path);

#endif
