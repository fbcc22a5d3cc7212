/* Shows the progress of work that takes longer than a second, on a terminal: the stage, how much of
 * it is done, and what is left, in one line that is removed again. Silent unless core_progress_show
 * was called, which a command does where standard error is a terminal. Stages may lie in each
 * other: the innermost with a known end is told.
 *
 * Nothing depends on it but that line: who calls it stays deterministic. */
#ifndef CORE_PROGRESS_H
#define CORE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CORE_PROGRESS_BYTES = 96 };

/* From now on, to this file; NULL: no more. Returns where it was shown before. */
FILE *core_progress_show(FILE *file);

/* A stage begins: `stage` in words ("checking deadlock", must outlive it), total: steps that it
 * has, 0 if that is not known. */
void core_progress_begin(const char *stage, uint64_t total);
/* So many of them are done. Cheap: looks at the clock now and then; core_progress_tell each time,
 * where steps are long. */
void core_progress_at(uint64_t done);
void core_progress_tell(uint64_t done);
void core_progress_end(void);

/* The line after so many nanoseconds; written into buffer, which is returned. */
const char *core_progress_line(const char *stage, uint64_t done, uint64_t total,
                               uint64_t elapsed_ns, char buffer[CORE_PROGRESS_BYTES]);

#endif
