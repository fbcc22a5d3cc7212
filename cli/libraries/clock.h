/* Tells whether a program can read a clock, so that numbers that it prints may be times. */
#ifndef CLI_LIBRARIES_CLOCK_H
#define CLI_LIBRARIES_CLOCK_H

#include <stdbool.h>

/* Examines the words of a command: programs that import a clock function, and scripts and code that
 * name one. */
bool clock_is_read(char *const *command);

#endif
