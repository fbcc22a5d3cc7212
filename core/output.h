/* Files that the user names for crosswait to write into: reports, states, pictures. */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* A new file, in place of one that was there, that nobody else can read; links, and files that
 * others have put there, are not written to. To what is written to as it is, more is added. NULL:
 * errno tells. */
FILE *core_output_open(const char *path);
/* Devices and pipes, and what has a name in /dev or /proc: /dev/stdout may lead to a plain file,
 * and that must not take its place. */
bool core_output_as_is(const char *path);

#endif
