/* Names of functions and variables that a program or library imports or exports. */
#ifndef CLI_LIBRARIES_SYMBOLS_H
#define CLI_LIBRARIES_SYMBOLS_H

#include <stdbool.h>

/* Calls fn with each name that the file imports, or exports, until fn returns false. Returns false
 * without any call if the file is not a loadable ELF file. */
typedef bool (*symbols_fn)(const char *name, void *context);
bool symbols_each(const char *path, bool exports, symbols_fn fn, void *context);

#endif
