/* Writes SARIF 2.1.0, for code scanning: one run of crosswait with its rules and its results. A
 * file holds several: SARIF_HEAD, what sarif_run_write writes of each with SARIF_BETWEEN between
 * two, SARIF_TAIL. Reports and the fuzzer's command both write through it.
 *
 * The message of a result links each of the places beside its own ("[rank 3 at a.c:7](1)"): code
 * scanning shows no others.
 *
 * Invariants
 *  1. Each result is of a rule that was declared.
 *  2. Each result has a place in a file: the first that was given, or the one of sarif_new.
 *  3. No two results have the same fingerprint, and none depends on a line's number: results of the
 *     same identity are counted in their order.
 *     Code scanning looks at primaryLocationLineHash only: it holds the same.
 *  4. No more than SARIF_RESULTS_MAX results, and SARIF_PLACES_MAX places of each, are written; how
 *     many are left out is said. A file of several traces has SARIF_RUNS_MAX runs at most. */
#ifndef REPORTS_SARIF_H
#define REPORTS_SARIF_H

#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

enum {
    SARIF_RUNS_MAX = 20,       /* what code scanning takes of a file */
    SARIF_RESULTS_MAX = 25000, /* of a run */
    SARIF_PLACES_MAX = 1000    /* and of places of a result */
};

struct sarif;

struct sarif_rule {
    const char *id;
    const char *says; /* one sentence: what is right where nothing is found */
    const char *help; /* usual remedy; NULL: there is none */
    const char *class;
    const char *manual; /* which page tells of it: "check" is crosswait-check(1) */
};
struct sarif_place {
    const char *path;     /* source file, absolute or relative to the root; NULL: not known */
    int line;             /* from 1; less: not known */
    uint32_t column, end; /* from 1, of the call in that line, and behind it, in characters; 0: not
                             known */
    const char *link;     /* what the message calls it: "rank 3 at a.c:7"; NULL: no link */
    const char *function; /* NULL: not known */
    const char *message;  /* what happens there; NULL: nothing to say */
};
struct sarif_result {
    const char *rule;
    const char *level; /* "error", "warning", "note" */
    const char *message;
    const char *identity; /* what stays the same when lines move: calls, functions, files */
};

/* fallback: where a result is that has no place of its own; it has a path. root: paths below it are
 * told relative to it; NULL: where one stands. NULL: out of memory (reported). */
struct sarif *sarif_new(const struct sarif_place *fallback, const char *root);
/* Sets the run's category: runs of the same one replace each other. It ends with "/". */
void sarif_category_set(struct sarif *sarif, const char *category);
void sarif_rule_add(struct sarif *sarif, const struct sarif_rule *rule);
/* Places and properties that follow are those of this result. */
void sarif_result_add(struct sarif *sarif, const struct sarif_result *result);
void sarif_place_add(struct sarif *sarif, const struct sarif_place *place);
/* value NULL: left out. */
void sarif_property_add(struct sarif *sarif, const char *name, const char *value);
/* Adds a note to the run, which is no result, of a rule that was declared. */
void sarif_note_add(struct sarif *sarif, const char *rule, const char *text);
/* The properties of the run, which become the report's; NULL: none. */
struct json_t;
void sarif_run_set(struct sarif *sarif, struct json_t *properties);

#define SARIF_HEAD                                                                          \
    "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": " \
    "\"2.1.0\",\n  \"runs\": [\n"
#define SARIF_BETWEEN ",\n"
#define SARIF_TAIL "\n  ]\n}\n"
/* CORE_IO, with errno and not reported: the file cannot be written, whose name the caller knows. */
enum core_status sarif_run_write(struct sarif *sarif, FILE *file);
/* Makes one run of the runs that text holds, with SARIF_BETWEEN between two, where they are more
 * than SARIF_RUNS_MAX; text is replaced. Its category is "NAME/jobs/", its messages name the job.
 */
enum core_status sarif_runs_fit(char **text, size_t *bytes);
/* A file that holds this run alone. */
enum core_status sarif_write(struct sarif *sarif, FILE *file);
void sarif_free(struct sarif *sarif);

#endif
