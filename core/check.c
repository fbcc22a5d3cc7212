/* Ends the program on a failed assertion. */
#include "core/check.h"

#include <stdio.h>
#include <stdlib.h>

void (*core_check_told)(const char *text);

void core_check_failed(const char *file, int line, const char *expression)
{
    char text[512];
    snprintf(text, sizeof text, "%s:%d: check failed: %s", file, line, expression);
    fprintf(stderr, "crosswait: bug: %s\n", text);
    if (core_check_told)
        core_check_told(text);
    abort();
}
