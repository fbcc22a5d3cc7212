/* Whether a program looks at what a call returned, from the code behind the call. */
#ifndef PROGRAM_RESULT_USE_X86_H
#define PROGRAM_RESULT_USE_X86_H

#include <stddef.h>

enum result_use {
    RESULT_USE_UNKNOWN =
        -1,             /* not a machine whose code is read here, or code that is not followed */
    RESULT_USE_DROPPED, /* it is overwritten, or kept where nobody reads it any more */
    RESULT_USE_READ     /* compared, computed with, or handed on */
};
/* code: what stands at the return address, and so many bytes of what follows. */
enum result_use result_use_find(const unsigned char *code, size_t bytes);

#endif
