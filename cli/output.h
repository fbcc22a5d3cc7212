/* Writes a command's output to a file that the user named. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "core/status.h"

/* Reports what went wrong itself, unless it is left in the file's error flag. */
typedef enum core_status (*output_write_fn)(const void *what, FILE *file);

/* The file appears under its name only when it is whole; a device or pipe is written to as it is.
 * CORE_IO, reported with file and reason: it could not be written. */
enum core_status output_file_write(const char *path, output_write_fn write, const void *what);

#endif
