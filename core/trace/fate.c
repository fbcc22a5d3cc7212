/* Names of the kinds of fates (fate.h). Holds no state. */
#include "core/trace/fate.h"

#include <stddef.h>
#include <string.h>

#define X(name, text) text,
static const char *const kinds[] = {FATE_KINDS(X)};
#undef X

const char *fate_kind_text(enum fate_kind kind)
{
    return kind < FATE_KIND_COUNT ? kinds[kind] : NULL;
}

enum fate_kind fate_kind_find(const char *text)
{
    unsigned kind = 0;

    while (kind < FATE_KIND_COUNT && strcmp(kinds[kind], text) != 0)
        kind++;
    return (enum fate_kind)kind;
}
