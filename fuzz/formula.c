/* See formula.h. */
#include "fuzz/formula.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/scenario/execute.h"
#include "fuzz/scenario/shape.h"

/* --- values ----------------------------------------------------------------------------------- */

static bool value_add(struct formula_key *key, const char *word, size_t length)
{
    if (key->values == FORMULA_VALUES_MAX || length == 0 || length >= FORMULA_WORD)
        return false;
    snprintf(key->value[key->values++], FORMULA_WORD, "%.*s", (int)length, word);
    return true;
}

/* Counts the lists of so many sizes with a sum of at most `left`. */
static long lists_within(int sizes, int left)
{
    long lists = 0;
    if (sizes == 0)
        return 1;
    for (int size = 0; size <= left; size++)
        lists += lists_within(sizes - 1, left - size);
    return lists;
}

/* Reads a number, P-1 or 2P-1. */
static int bound_of(const char *text, int ranks)
{
    if (!strcmp(text, "P-1"))
        return ranks - 1;
    if (!strcmp(text, "2P-1"))
        return 2 * ranks - 1;
    return atoi(text);
}

static bool values_between(struct formula_key *key, int low, long high)
{
    char word[FORMULA_WORD];
    for (long value = low; value <= high; value++) {
        int length = snprintf(word, sizeof word, "%ld", value);
        if (!value_add(key, word, (size_t)length))
            return false;
    }
    return key->values > 0;
}

static int formula_count(const struct formula *f)
{
    for (int i = 0; i < f->keys; i++)
        if (!strcmp(f->key[i].key, "count") && f->key[i].values == 1)
            return atoi(f->key[i].value[0]);
    return -1;
}

/* Reads "3", "0..P-1", "{int, strided}", "{0..count}^P with sum <= count". */
static bool values_read(const struct formula *f, struct formula_key *key, const char *text)
{
    const char *dots = strstr(text, "..");
    static const char lists[] = "{0..count}^", sum[] = " with sum <= count";
    if (!strncmp(text, lists, sizeof lists - 1)) {
        const bool pairs = !strncmp(text + sizeof lists - 1, "(P*P)", 5);
        const char *rest = text + sizeof lists - 1 + (pairs ? 5 : 1);
        const int most = formula_count(f);
        return most >= 0 && !strcmp(rest, sum) &&
               values_between(key, 1, lists_within(pairs ? f->ranks * f->ranks : f->ranks, most));
    }
    if (*text != '{')
        return dots ? values_between(key, atoi(text), bound_of(dots + 2, f->ranks))
                    : value_add(key, text, strlen(text));
    for (text++; *text && *text != '}'; text += strspn(text, ", ")) {
        size_t length = strcspn(text, ",}");
        if (!value_add(key, text, length))
            return false;
        text += length;
    }
    return *text == '}' && key->values > 0;
}

/* --- a line ----------------------------------------------------------------------------------- */

/* Takes the next item, "KEY in SET" or "KEY = VALUE", which commas within braces do not end. */
static const char *item_take(const char *at, char item[256])
{
    size_t length = 0;
    int depth = 0;
    for (; at[length] && at[length] != '\n' && (depth || at[length] != ','); length++)
        depth += (at[length] == '{') - (at[length] == '}');
    snprintf(item, 256, "%.*s", (int)(length < 255 ? length : 255), at);
    at += length;
    return at + strspn(at, ", ");
}

/* Keeps only the values that are also in the other set. */
static bool values_keep(const struct formula *f, struct formula_key *key, const char *set)
{
    static struct formula_key other;
    int kept = 0;
    other.values = 0;
    if (!values_read(f, &other, set))
        return false;
    for (int i = 0; i < key->values; i++)
        for (int k = 0; k < other.values; k++)
            if (!strcmp(key->value[i], other.value[k])) {
                memmove(key->value[kept++], key->value[i], FORMULA_WORD);
                break;
            }
    key->values = kept;
    return true;
}

static bool item_read(const struct formula *f, char *item, struct formula_key *key)
{
    const size_t length = strcspn(item, " ");
    const char *set = item + length;
    static const char both[] = " and in ";
    char *more = strstr(item, both);
    *key = (struct formula_key){0};
    if (length == 0 || length >= sizeof key->key)
        return false;
    memcpy(key->key, item, length);
    set += !strncmp(set, " in ", 4) ? 4 : !strncmp(set, " = ", 3) ? 3 : strlen(set);
    if (more)
        *more = 0;
    return values_read(f, key, set) && (!more || values_keep(f, key, more + sizeof both - 1));
}

bool formula_read(const char *line, int ranks, struct formula *out, bool *out_wrong)
{
    static struct formula_key of_ranks;
    char item[256], word[FORMULA_WORD];
    bool speaks = false;
    *out_wrong = true;
    out->ranks = ranks;
    out->keys = 0;
    line += strspn(line, " ");
    line += !strncmp(line, "for all ", 8) ? 8 : !strncmp(line, "for ", 4) ? 4 : 0;
    line = item_take(line, item);
    if (!item_read(out, item, &of_ranks) || strcmp(of_ranks.key, "P"))
        return false;
    snprintf(word, sizeof word, "%d", ranks);
    for (int i = 0; i < of_ranks.values; i++)
        speaks |= !strcmp(of_ranks.value[i], word);
    while (speaks && *line && *line != '\n') {
        line = item_take(line, item);
        if (out->keys == FORMULA_KEYS_MAX || !item_read(out, item, &out->key[out->keys]))
            return false;
        out->keys++;
    }
    *out_wrong = false;
    return speaks;
}

/* --- scenarios -------------------------------------------------------------------------------- */

bool formula_next(const struct formula *f, int at[FORMULA_KEYS_MAX])
{
    for (int i = 0; i < f->keys; i++) {
        if (++at[i] < f->key[i].values)
            return true;
        at[i] = 0;
    }
    return false;
}

/* Tells whether a seed, or a step from root to root, has no effect. */
static bool says_nothing(const struct collective *c, const struct scenario *s)
{
    const bool by_seed = s->graph || (shape_has_blocks_of_sizes(c->kind) &&
                                      (s->sizes != SIZES_EVEN || s->places != PLACES_PACKED));
    return (s->sizes_seed && !by_seed) || (s->root_step && s->calls < 2) ||
           (s->root_bend && s->calls < 3);
}

bool formula_scenario(const struct formula *f, const struct collective *c,
                      const int at[FORMULA_KEYS_MAX], struct scenario *out)
{
    static char text[SCENARIO_TEXT_MAX];
    char message[256], other[128], target[128], word[32];
    int used = snprintf(text, sizeof text, "crosswait scenario 1\ncollective %s\nranks %d\n",
                        c->name, f->ranks);
    for (int i = 0; i < f->keys; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s\n", f->key[i].key,
                         f->key[i].value[at[i]]);
    if (scenario_parse(text, out, target, other, message) || !execute_adapt(c, out) ||
        out->ranks != f->ranks)
        return false;
    for (int i = 0; i < f->keys; i++) { /* unchanged by the adaptation */
        scenario_word(out, f->key[i].key, word);
        if (strcmp(word, f->key[i].value[at[i]]))
            return false;
    }
    return !says_nothing(c, out);
}
