/* Writes JUnit XML: one suite of test cases, with their counts. A file is JUNIT_HEAD, suites,
 * JUNIT_TAIL. Reports and the fuzzer's command write through it. Only attributes of Jenkins's
 * schema (junit-10) are written.
 *
 * Invariants
 *  1. The counts of a suite are those of its cases.
 *  2. No two cases of a suite have the same name: CI systems compare a name with the run before. */
#ifndef REPORTS_JUNIT_H
#define REPORTS_JUNIT_H

#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

enum junit_outcome { JUNIT_PASSED, JUNIT_FAILED, JUNIT_SKIPPED };

struct junit;                               /* cases so far */
struct junit *junit_new(const char *suite); /* NULL: out of memory (reported) */
/* Sets the time of the whole suite, for suites whose cases have none. */
void junit_seconds_set(struct junit *junit, double seconds);
void junit_property_add(struct junit *junit, const char *name, const char *value);
struct junit_case {
    const char *name;
    double seconds; /* negative if unknown, and then not written */
};
struct junit_why {       /* why it failed or was skipped */
    const char *type;    /* "error", "warning"; NULL: none */
    const char *message; /* one line */
    char *text;          /* all details; NULL: none */
};
/* Adds a case. why has at least one entry unless the case passed; for a passed case the entries are
 * remarks. */
void junit_case_add(struct junit *junit, const struct junit_case *of, enum junit_outcome outcome,
                    const struct junit_why *why, uint32_t count);
#define JUNIT_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
#define JUNIT_TAIL "</testsuites>\n"
enum core_status junit_suite_write(struct junit *junit, FILE *file);
/* Writes a file that holds this suite alone. */
enum core_status junit_write(struct junit *junit, FILE *file);
void junit_free(struct junit *junit);

#endif
