/* Finds MPI functions by name. See foreign/meaning.h; the table is generated from
 * interpose/calls.table. */
#include "foreign/meaning.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/check.h"

#include "call_meanings.h"

enum { COUNT = sizeof call_meanings / sizeof *call_meanings };

uint32_t meaning_count(void)
{
    return COUNT;
}

/* Returns the length of the name without "()", and without the suffix of Fortran compilers. */
static size_t name_length(const char *region)
{
    size_t length = strlen(region);

    if (length > 2 && !strcmp(region + length - 2, "()"))
        length -= 2;
    while (length && (region[length - 1] == '_' || isspace((unsigned char)region[length - 1])))
        length--;
    return length;
}

uint32_t meaning_find(const char *region)
{
    size_t length;

    while (isspace((unsigned char)*region))
        region++;
    if (*region == 'P' || *region == 'p')
        region++;
    if (strncasecmp(region, "MPI_", 4) != 0)
        return UINT32_MAX;
    length = name_length(region);
    for (uint32_t i = 0; i < COUNT; i++)
        if (strlen(call_meanings[i].name) == length &&
            !strncasecmp(call_meanings[i].name, region, length))
            return i;
    return UINT32_MAX;
}

struct meaning meaning_at(uint32_t index)
{
    CORE_CHECK(index < COUNT);
    return (struct meaning){call_meanings[index].name, (enum event_class)call_meanings[index].class,
                            (enum event_mode)call_meanings[index].mode,
                            (enum verb)call_meanings[index].verb, call_meanings[index].traits};
}
