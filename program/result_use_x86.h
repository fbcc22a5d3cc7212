/* Tells whether a program uses the result of a call, from the code behind the call. */
#ifndef PROGRAM_RESULT_USE_X86_H
#define PROGRAM_RESULT_USE_X86_H

#include <stddef.h>

enum result_use {
    RESULT_USE_UNKNOWN = -1, /* another machine, or code that is not followed */
    RESULT_USE_DROPPED,      /* overwritten, or stored where nothing reads it */
    RESULT_USE_READ          /* compared, used in a computation, or passed on */
};
/* code: the code at the return address, and the number of its bytes. */
enum result_use result_use_find(const unsigned char *code, size_t bytes);

#endif
