/* Opens the files that the user names for crosswait's output: reports, states, pictures. */
#ifndef CORE_OUTPUT_H
#define CORE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Opens a new file that replaces an existing one of that name. Does not write through links or into
 * files that other users put there. Appends to devices and pipes (core_output_as_is). Returns NULL
 * on failure; errno says why. */
FILE *core_output_open(const char *path);
/* Tells whether output goes to the path as it is: devices, pipes, and names in /dev or /proc (not
 * /dev/shm). /dev/stdout may lead to a regular file, which must not be replaced. So is the file
 * that GITHUB_STEP_SUMMARY names: all commands of a step of a workflow append to it. */
bool core_output_as_is(const char *path);

#endif
