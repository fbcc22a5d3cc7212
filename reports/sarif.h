/* Writes SARIF 2.1.0, for code scanning: a run of crosswait with its rules and its results. A file
 * is SARIF_HEAD, the output of sarif_run_write for each run with SARIF_BETWEEN between two, and
 * SARIF_TAIL. Reports and the fuzzer's command write through it.
 *
 * The message of a result links each further place ("[rank 3 at a.c:7](1)"), since code scanning
 * shows no others.
 *
 * Invariants
 *  1. Each result belongs to a declared rule.
 *  2. Each result has a place in a file: its first one with a file, or the fallback of sarif_new.
 *  3. No two results have the same fingerprint, and no fingerprint depends on line numbers: results
 *     with the same identity are numbered in their order.
 *     Code scanning looks at primaryLocationLineHash only, which holds the same.
 *  4. At most SARIF_RESULTS_MAX results are written, each with at most SARIF_PLACES_MAX places, and
 *     the file says how many are left out. A file of several traces has at most SARIF_RUNS_MAX
 *     runs. */
#ifndef REPORTS_SARIF_H
#define REPORTS_SARIF_H

#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

enum {
    SARIF_RUNS_MAX = 20,       /* runs that code scanning accepts in a file */
    SARIF_RESULTS_MAX = 25000, /* results that it accepts in a run */
    SARIF_PLACES_MAX = 1000    /* places that it accepts in a result */
};

struct sarif;

struct sarif_rule {
    const char *id;
    const char *says; /* one sentence: what holds where nothing is found */
    const char *help; /* usual remedy; NULL: none */
    const char *class;
    const char *manual; /* manual page that describes it: "check" is crosswait-check(1) */
};
struct sarif_place {
    const char *path;     /* source file, absolute or relative to the root; NULL if unknown */
    int line;             /* from 1; less if unknown */
    uint32_t column, end; /* of the call in that line, in characters from 1; `end` is the column
                             behind it; 0 if unknown */
    const char *link;     /* name of the place in the message: "rank 3 at a.c:7"; NULL: no link */
    const char *function; /* NULL if unknown */
    const char *message;  /* what happens there; NULL: nothing to say */
};
struct sarif_result {
    const char *rule;
    const char *level; /* "error", "warning", "note" */
    const char *message;
    const char *identity; /* what survives when lines move: calls, functions, files */
};

/* Begins a run. fallback: the place of results without one; it has a path. root: paths below it are
 * written relative to it; NULL: the current directory. NULL: out of memory (reported). */
struct sarif *sarif_new(const struct sarif_place *fallback, const char *root);
/* Sets the run's category, which ends with "/": a run replaces earlier ones of its category. */
void sarif_category_set(struct sarif *sarif, const char *category);
void sarif_rule_add(struct sarif *sarif, const struct sarif_rule *rule);
/* Adds a result, to which the places and properties that follow belong. */
void sarif_result_add(struct sarif *sarif, const struct sarif_result *result);
void sarif_place_add(struct sarif *sarif, const struct sarif_place *place);
/* Adds the place if it has a path and no place of the result has one. */
void sarif_place_default(struct sarif *sarif, const struct sarif_place *place);
/* Adds a property; value NULL: adds nothing. */
void sarif_property_add(struct sarif *sarif, const char *name, const char *value);
/* Adds a note on a declared rule to the run itself; it is no result. */
void sarif_note_add(struct sarif *sarif, const char *rule, const char *text);
/* Sets the properties of the run and takes ownership; NULL: none. */
struct json_t;
void sarif_run_set(struct sarif *sarif, struct json_t *properties);

#define SARIF_HEAD                                                                          \
    "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": " \
    "\"2.1.0\",\n  \"runs\": [\n"
#define SARIF_BETWEEN ",\n"
#define SARIF_TAIL "\n  ]\n}\n"
/* Writes the run. Returns CORE_IO with errno, not reported, if it cannot be written: the caller
 * knows the file's name. */
enum core_status sarif_run_write(struct sarif *sarif, FILE *file);
/* Merges the runs in text (with SARIF_BETWEEN between two) into one if they are more than
 * SARIF_RUNS_MAX, and replaces text. Its category is "NAME/jobs/", its messages name the job. */
enum core_status sarif_runs_fit(char **text, size_t *bytes);
/* Writes a file that holds this run alone. */
enum core_status sarif_write(struct sarif *sarif, FILE *file);
void sarif_free(struct sarif *sarif);

#endif
