/* Writes a command's output to a file that the user named. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "core/status.h"

/* Writes `what`. Reports errors itself, except those that the file's error flag shows. */
typedef enum core_status (*output_write_fn)(const void *what, FILE *file);

/* Writes a file that gets its name only when it is complete; writes to a device or pipe directly.
 * Returns CORE_IO on failure, after a report with file and reason. */
enum core_status output_file_write(const char *path, output_write_fn write, const void *what);

#endif
