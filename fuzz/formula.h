/* Reads the formula of an exhaustive run from its text alone: the scenarios that it covers. Shares
 * no code with the formula's writer (exhaust_set.c). */
#ifndef FUZZ_FORMULA_H
#define FUZZ_FORMULA_H

#include <stdbool.h>

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"

enum { FORMULA_KEYS_MAX = 24, FORMULA_VALUES_MAX = 1024, FORMULA_WORD = 24 };

/* "for all P in 1..3, count in 0..3, ..." for one P: keys with their values, as words. */
struct formula {
    int ranks, keys;
    struct formula_key {
        char key[32];
        int values;
        char value[FORMULA_VALUES_MAX][FORMULA_WORD];
    } key[FORMULA_KEYS_MAX];
};

/* Reads a line. False: it does not cover so many ranks, or (*out_wrong) is no formula. */
bool formula_read(const char *line, int ranks, struct formula *out, bool *out_wrong);
/* Goes to the next places among the values; false after the last ones. */
bool formula_next(const struct formula *formula, int at[FORMULA_KEYS_MAX]);
/* Makes the scenario at these places. False: MPI or the collective does not allow it, or it repeats
 * another one. */
bool formula_scenario(const struct formula *formula, const struct collective *collective,
                      const int at[FORMULA_KEYS_MAX], struct scenario *out);

#endif
