/* Whether a program can read a clock, so that numbers that it prints may be times. */
#ifndef CLI_LIBRARIES_CLOCK_H
#define CLI_LIBRARIES_CLOCK_H

#include <stdbool.h>

/* Looks at the words of a command: programs that import a function of that kind, scripts and code
 * that name one. */
bool clock_is_read(char *const *command);

#endif
