/* Names of the kinds of misuse (misuse.h). Holds no state. */
#include "core/trace/misuse.h"

#include <stddef.h>
#include <string.h>

#include "core/check.h"

#define X(kind, text, rule) {text, MISUSE_RULE_##rule},
static const struct {
    const char *text;
    enum misuse_rule rule;
} kinds[] = {MISUSE_KINDS(X)};
#undef X
#define X(name, text) text,
static const char *const objects[] = {MISUSE_OBJECTS(X)};
#undef X

const char *misuse_kind_text(enum misuse_kind kind)
{
    return kind < MISUSE_KIND_COUNT ? kinds[kind].text : NULL;
}

enum misuse_kind misuse_kind_find(const char *text)
{
    unsigned kind = 0;

    while (kind < MISUSE_KIND_COUNT && strcmp(kinds[kind].text, text) != 0)
        kind++;
    return (enum misuse_kind)kind;
}

enum misuse_rule misuse_kind_rule(enum misuse_kind kind)
{
    CORE_CHECK(kind < MISUSE_KIND_COUNT);
    return kinds[kind].rule;
}

const char *misuse_object_text(enum misuse_object object)
{
    return object < MISUSE_OBJECT_COUNT ? objects[object] : NULL;
}

enum misuse_object misuse_object_find(const char *text)
{
    unsigned object = 0;

    while (object < MISUSE_OBJECT_COUNT && strcmp(objects[object], text) != 0)
        object++;
    return (enum misuse_object)object;
}
