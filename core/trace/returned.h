/* Whether a program looks at what a call returned, from the code behind the call. */
#ifndef CORE_TRACE_RETURNED_H
#define CORE_TRACE_RETURNED_H

#include <stddef.h>

enum returned {
    RETURNED_UNKNOWN = -1, /* not a machine whose code is read here, or code that is not followed */
    RETURNED_DROPPED,      /* it is overwritten, or kept where nobody reads it any more */
    RETURNED_READ          /* compared, computed with, or handed on */
};
/* code: what stands at the return address, and so many bytes of what follows. */
enum returned returned_find(const unsigned char *code, size_t bytes);

#endif
