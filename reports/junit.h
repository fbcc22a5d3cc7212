/* Writes JUnit XML: one suite of test cases, with their counts; a file is JUNIT_HEAD, suites,
 * JUNIT_TAIL. Reports and the fuzzer's command both write through it. No attribute but those that
 * the schema of Jenkins (junit-10) knows.
 *
 * Invariants
 *  1. The counts of a suite are those of its cases.
 *  2. A name is given once: who reads it in a CI system compares it with that of the run before. */
#ifndef REPORTS_JUNIT_H
#define REPORTS_JUNIT_H

#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

enum junit_outcome { JUNIT_PASSED, JUNIT_FAILED, JUNIT_SKIPPED };

struct junit;                               /* cases so far */
struct junit *junit_new(const char *suite); /* NULL: out of memory (reported) */
/* Time of the whole suite, where the cases have none. */
void junit_seconds_set(struct junit *junit, double seconds);
void junit_property_add(struct junit *junit, const char *name, const char *value);
struct junit_case {
    const char *name;
    double seconds; /* less than 0: not known, and not told */
};
struct junit_why {       /* it failed, or was skipped */
    const char *type;    /* "error", "warning"; NULL: nothing to tell */
    const char *message; /* one line */
    char *text;          /* all there is to say; NULL: nothing */
};
/* why[0..count): of an outcome other than passed, one at least; of one that passed, what there is
 * to say. */
void junit_case_add(struct junit *junit, const struct junit_case *of, enum junit_outcome outcome,
                    const struct junit_why *why, uint32_t count);
#define JUNIT_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
#define JUNIT_TAIL "</testsuites>\n"
enum core_status junit_suite_write(struct junit *junit, FILE *file);
/* A file that holds this suite alone. */
enum core_status junit_write(struct junit *junit, FILE *file);
void junit_free(struct junit *junit);

#endif
