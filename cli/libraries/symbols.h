/* Names of functions and variables that a program or library imports or exports. */
#ifndef CLI_LIBRARIES_SYMBOLS_H
#define CLI_LIBRARIES_SYMBOLS_H

#include <stdbool.h>

/* Calls fn with each name that the file imports, or exports, until it returns false. False: the
 * file is none that is loaded (an ELF file), and fn was not called. */
typedef bool (*symbols_fn)(const char *name, void *context);
bool symbols_each(const char *path, bool exports, symbols_fn fn, void *context);

#endif
