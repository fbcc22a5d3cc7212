/* Names of the kinds of exit causes (exit_cause.h). Holds no state. */
#include "core/trace/exit_cause.h"

#include <stddef.h>
#include <string.h>

#define X(name, text) text,
static const char *const kinds[] = {EXIT_CAUSE_KINDS(X)};
#undef X

const char *exit_cause_kind_text(enum exit_cause_kind kind)
{
    return kind < EXIT_CAUSE_KIND_COUNT ? kinds[kind] : NULL;
}

enum exit_cause_kind exit_cause_kind_find(const char *text)
{
    unsigned kind = 0;

    while (kind < EXIT_CAUSE_KIND_COUNT && strcmp(kinds[kind], text) != 0)
        kind++;
    return (enum exit_cause_kind)kind;
}
