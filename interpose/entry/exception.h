/* Notes that the program catches a C++ exception: a rank that does so alone skips calls that the
 * others make. The recorder tells it at the rank's next collective call (usage_caught).
 *
 * Follows the C++ ABI (Itanium) as GNU's library implements it: before the header of an exception
 * that the unwinder knows lies what the language adds. Other exceptions are not noted. */
#ifndef INTERPOSE_ENTRY_EXCEPTION_H
#define INTERPOSE_ENTRY_EXCEPTION_H

#include <stdint.h>

#include "interpose/entry/body.h"

/* Called before __cxa_begin_catch (redirect_before). */
void *exception_caught(const uint64_t *arguments, void *function);
extern struct body_caught exception_last;

#endif
