/* Handles the inputs that a run of the fuzzer left in its folder of crashes: shrinks each one,
 * explains it, names it by its cause, and shows it. */
#ifndef CLI_FUZZ_FUZZ_FOUND_H
#define CLI_FUZZ_FUZZ_FOUND_H

#include <stdbool.h>
#include <time.h>

#include "cli/fuzz/fuzz_job.h"

struct fuzz_wanted {
    bool shrunk;         /* shrink scenarios */
    bool keep_going;     /* report all findings, one for each cause */
    const char *ignored; /* a file of known causes; or NULL */
};

/* Handles inputs written since then. Returns how many are not ignored; *out_ignored, which the
 * caller sets to 0, counts the others. */
int fuzz_found_present(const struct fuzz_job *job, const char *program, const char *crashes,
                       const char *log, struct timespec since, const struct fuzz_wanted *wanted,
                       int *out_ignored);

/* Finds the first line of the job's own sources that the sanitizer's report names, "FILE:LINE".
 * Returns false if there is none. */
bool fuzz_place(const struct fuzz_job *job, const char *report, char place[512]);
/* Reads a sanitizer's report in the file, without addresses. Returns false if there is none. */
bool fuzz_sanitizer_line(const char *report, char line[512]);

#endif
