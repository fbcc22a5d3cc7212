/* Whether a program writes files: real ones, where one stands or below. */
#ifndef EXPLORE_FILES_H
#define EXPLORE_FILES_H

#include <stdbool.h>
#include <time.h>

/* The name of one that was written since and is not of ours; NULL: there is none. free() it. */
char *explore_file_written(struct timespec since);

#endif
