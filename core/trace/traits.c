/* Text forms of traits and verbs. */
#include "core/trace/traits.h"

#include <stddef.h>
#include <string.h>

#include "core/check.h"

static const char *const traits[] = {
#define X(name, text) text,
    TRAITS(X)
#undef X
};

static const char *const verbs[] = {
#define X(name, text) text,
    VERBS(X)
#undef X
};

const char *trait_text(enum trait trait)
{
    return (unsigned)trait < TRAIT_COUNT ? traits[trait] : NULL;
}

const char *verb_text(enum verb verb)
{
    return (unsigned)verb < VERB_COUNT ? verbs[verb] : NULL;
}

enum verb verb_find(const char *text)
{
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i], text) == 0)
            return (enum verb)i;
    return VERB_COUNT;
}

void traits_write(uint64_t set, char text[TRAITS_TEXT_BYTES])
{
    size_t used = 0;

    for (int i = 0; i < TRAIT_COUNT; i++) {
        size_t bytes = strlen(traits[i]);
        if (!trait_in(set, (enum trait)i))
            continue;
        CORE_CHECK(used + bytes + 2 <= TRAITS_TEXT_BYTES);
        if (used)
            text[used++] = ',';
        memcpy(text + used, traits[i], bytes);
        used += bytes;
    }
    CORE_CHECK(used < TRAITS_TEXT_BYTES);
    text[used] = '\0';
}

static int traits_find(const char *word, size_t bytes)
{
    for (int i = 0; i < TRAIT_COUNT; i++)
        if (strlen(traits[i]) == bytes && memcmp(traits[i], word, bytes) == 0)
            return i;
    return TRAIT_COUNT;
}

bool traits_read(const char *text, uint64_t *out_traits)
{
    uint64_t set = 0;

    while (*text) {
        size_t bytes = strcspn(text, ",");
        int trait = traits_find(text, bytes);
        if (trait == TRAIT_COUNT)
            return false;
        set |= UINT64_C(1) << trait;
        text += bytes;
        if (*text == ',' && *++text == '\0')
            return false;
    }
    CORE_CHECK(set >> TRAIT_COUNT == 0);
    *out_traits = set;
    return true;
}
