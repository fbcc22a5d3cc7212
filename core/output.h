/* Files that the user names for crosswait to write into: reports, states, pictures. */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include <stdio.h>

/* A new file, in place of one that was there, that nobody else can read; links, and files that
 * others have put there, are not written to. Devices and pipes (/dev/stdout) are written to as they
 * are. NULL: errno tells. */
FILE *core_output_open(const char *path);

#endif
