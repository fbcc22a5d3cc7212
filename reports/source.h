/* Source lines of the program, as they stand on this machine now: for reports that a person reads
 * where the program is. A line is shown only where it cannot mislead: the file is older than the
 * recorded run, or the line holds the call's name; where the program's own file is not there, but
 * one below where one stands ends like its path, the line holds the name.
 *
 * Invariants
 *  1. A file is read once, and no more than SOURCE_FILE_BYTES_MAX of it. */
#ifndef REPORTS_SOURCE_H
#define REPORTS_SOURCE_H

#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace.h"

enum { SOURCE_FILE_BYTES_MAX = 16 << 20 };

struct source; /* where one stands, and the files that were read */

struct source_line {
    char *text;          /* without what is in front of it; NULL: it cannot be shown */
    uint32_t mark, size; /* columns of the call's name in it, or of all of it */
    uint32_t indent;     /* columns of what is in front of it in the file */
    bool named;          /* it holds the name */
};

/* started_ns: when the recorded run began, since 1970; 0 unknown. */
enum core_status source_open(uint64_t started_ns, struct source **out_source);
void source_close(struct source *source);

/* The line of the site; `name` is the call there, e.g. "MPI_Send". free() the text. */
struct source_line source_line_get(struct source *source, const struct trace_site *site,
                                   const char *name);

/* The path relative to the root where it lies below it, else as it is. root NULL: where one stands.
 */
const char *source_below(const struct source *source, const char *root, const char *path);

/* "src/hang.c:23", relative to where one stands for what lies there, else the file's own name;
 * "main+0x42 (hang)"; "?". Free with free(); NULL: out of memory. */
char *source_place(const struct source *source, const struct trace *trace, int32_t site);

#endif
