/* Tells whether a program writes real files, in the current folder or below it. */
#ifndef EXPLORE_FILES_H
#define EXPLORE_FILES_H

#include <stdbool.h>
#include <time.h>

/* Returns the name of a file that was written after `since` and is not our own output; NULL if
 * there is none. The caller frees it. */
char *explore_file_written(struct timespec since);

#endif
