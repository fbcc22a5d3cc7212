/* Reads source lines of the program as they are on this machine now, for reports that a person
 * reads there. A line is shown only if it cannot mislead: the file is older than the recorded run,
 * or the line holds the call's name. If the program's own file is missing, a file below the current
 * directory whose path ends alike is used, and then the line must hold the name.
 *
 * Invariants
 *  1. A file is read once, and no more than SOURCE_FILE_BYTES_MAX of it. */
#ifndef REPORTS_SOURCE_H
#define REPORTS_SOURCE_H

#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace.h"

enum { SOURCE_FILE_BYTES_MAX = 16 << 20 };

struct source; /* the current directory, and the files read so far */

struct source_line {
    char *text;          /* without leading white space; NULL: it cannot be shown */
    uint32_t mark, size; /* columns of the call's name in text, or of all of text */
    uint32_t indent;     /* columns of the leading white space */
    bool named;          /* the line holds the name */
};

/* started_ns: start of the recorded run, since 1970; 0 if unknown. */
enum core_status source_open(uint64_t started_ns, struct source **out_source);
void source_close(struct source *source);

/* Returns the line of the site; `name` is the call there, e.g. "MPI_Send". Free the text with
 * free(). */
struct source_line source_line_get(struct source *source, const struct trace_site *site,
                                   const char *name);

/* Returns the whole text of a source file, or NULL if it cannot be read, is newer than the recorded
 * run, or is only a file with the same name. */
const char *source_text(struct source *source, const char *path);

/* Sets the root of the sources; NULL: the current directory. */
void source_root_set(struct source *source, const char *root);

/* Returns the path relative to the root if it lies below it, else unchanged. */
const char *source_below(const struct source *source, const char *path);

/* Returns "src/hang.c:23" (relative to the root if below it, else the file's name),
 * "main+0x42 (hang)" or "an unknown place". Free with free(); NULL: out of memory. */
char *source_place(const struct source *source, const struct trace *trace, int32_t site);

#endif
