/* Shows the progress of work that takes longer than a second on a terminal: one line with the
 * stage, the part that is done, and the time left; the line is removed at the end. Silent unless a
 * command called core_progress_show, which it does when standard error is a terminal. Stages nest:
 * the innermost is shown.
 *
 * Only that line depends on the clock: callers stay deterministic. */
#ifndef CORE_PROGRESS_H
#define CORE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CORE_PROGRESS_BYTES = 96 };

/* Shows progress in this file from now on; NULL: nowhere. Returns the previous file. */
FILE *core_progress_show(FILE *file);

/* Begins a stage. `stage` names it ("checking deadlock") and must outlive it; total: its number of
 * steps, 0 if unknown. */
void core_progress_begin(const char *stage, uint64_t total);
/* Notes that `done` steps are done. core_progress_at is cheap: it looks at the clock once in 64
 * calls; core_progress_tell does each time, for long steps. */
void core_progress_at(uint64_t done);
void core_progress_tell(uint64_t done);
void core_progress_end(void);

/* Writes the progress line after elapsed_ns into buffer, which it returns. */
const char *core_progress_line(const char *stage, uint64_t done, uint64_t total,
                               uint64_t elapsed_ns, char buffer[CORE_PROGRESS_BYTES]);

#endif
