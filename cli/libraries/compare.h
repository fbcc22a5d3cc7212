/* Compares the outcomes of a job with several MPI libraries. Only behaviour that a library repeats
 * counts: what varies between runs of one library is no difference between libraries. */
#ifndef CLI_LIBRARIES_COMPARE_H
#define CLI_LIBRARIES_COMPARE_H

#include "cli/judge.h"
#include "cli/libraries/fit.h"
#include "cli/libraries/library.h"
#include "cli/libraries/outcome.h"

enum { MEMBER_RUNS_MAX = 3 };
struct member { /* a library, and the job's outcomes with it */
    const struct library *library;
    struct fit fit;
    char folder[PATH_MAX + 16]; /* of its own, for temporary files */
    char trace[PATH_MAX];       /* of its first run */
    char again[PATH_MAX];       /* of its second run, a temporary one; "": there is none */
    struct outcome run[MEMBER_RUNS_MAX];
    uint32_t runs;
    struct judged *judged; /* traces of the first run, in the order of jobs */
    uint32_t judged_count;
    char verdict[REPORT_VERDICT_MAX]; /* on the first trace; "" */
};
struct comparison {
    struct member *member;
    uint32_t count;
    bool clock;   /* the program can read a clock: numbers that it prints may be times */
    char *repeat; /* the command that compares again */
};

/* Tells whether the job ran with the library, was not interrupted, and left a trace. */
bool member_counts(const struct member *member);
/* Returns how often each library should run, according to the differences: 1 if there are none. */
uint32_t compare_runs(const struct comparison *comparison);
/* Adds findings of rule `library` to the list of the library that shows the difference. */
enum core_status compare_add(struct comparison *comparison);
/* Returns how many of these findings are not notes. */
uint32_t compare_warnings(const struct comparison *comparison);
/* Returns the names of the marked libraries: "Open MPI 5.0.11, MPICH 5.0.2 and Intel MPI 2021.18".
 * Free with free(). */
char *compare_names(const struct comparison *comparison, const bool *mine);

#endif
