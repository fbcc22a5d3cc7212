/* Where a failed assertion ends the program. */
#include "core/check.h"

#include <stdio.h>
#include <stdlib.h>

void core_check_failed(const char *file, int line, const char *expression)
{
    fprintf(stderr, "crosswait: bug: %s:%d: check failed: %s\n", file, line, expression);
    abort();
}
