/* Tests which refused collectives the other ranks entered. A rank's calls are letters, each
 * followed by its root if it has one, by `!` if MPI refused it, by `?` if it is pending. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/trace/collective_met.h"

enum { CALLS_MAX = 64 };

/* Ranks are separated by blanks; *out_met: a character for each refused call, in the same order. */
static void settle(const char *ranks, char *out_met)
{
    struct collective_made made[CALLS_MAX];
    uint32_t count = 0, rank = 0, met = 0;

    for (const char *c = ranks; *c; c++) {
        if (*c == ' ') {
            rank++;
        } else if (*c == '!') {
            made[count - 1].refused = true;
            made[count - 1].over = false;
        } else if (*c == '?') {
            made[count - 1].over = false;
        } else if (*c >= '0' && *c <= '9') {
            made[count - 1].root = *c - '0';
        } else {
            made[count++] = (struct collective_made){
                .rank = rank, .call = *c, .root = -1, .seq = count, .over = true};
        }
    }
    assert_int_equal(collective_met_settle(made, count), CORE_OK);
    for (uint32_t i = 0; i < count; i++)
        if (made[i].refused)
            out_met[met++] = made[i].met ? '1' : '0';
    out_met[met] = 0;
}

static void test_which_are_met(void **state)
{
    static const char *const row[][2] = {
        {"GB GB", ""},
        {"G!B GB", "1"},
        {"G!GB GB", "0"},    /* repeated */
        {"G!GB GGB", "1"},   /* not repeated */
        {"G!B G!B", "00"},   /* refused on all */
        {"G!GB G!GB", "00"}, /* and repeated */
        {"G! G", "1"},
        {"G!A!GA GAGA", "11"},
        {"G!A!GA GA", "00"},
        {"G!AG! GAG", "11"},
        {"G!GAG!GA GGAGGA", "11"},
        {"G!GAG!GA GAGA", "00"},
        {"G!GAG!GA GGAGA", "10"},              /* one of each */
        {"G0!G1G2A G0G1!G2A G0G1G2!A", "111"}, /* the root goes round */
        {"G7!A G0A", "1"},                     /* with a root that does not exist */
        {"G7!G0A G0A", "0"},
        {"G!GGA GG!GA GGA", "00"}, /* each rank repeated one */
        {"G!G? G?", "0"},          /* the rank that waits met nobody */
        {"G!B GB GB", "1"},
        {"G!B G!B GB", "11"},
        {"X!GB GB", "0"}, /* another call than the others' */
        {"X!Y!GB GB", "00"},
        {"G!", "0"},
    };
    char met[CALLS_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        settle(row[i][0], met);
        if (strcmp(met, row[i][1]))
            fail_msg("%s: %s, not %s", row[i][0], met, row[i][1]);
    }
}

/* The time grows linearly with the calls, equal ones and ones that differ at the end. */
static void many(bool alike)
{
    enum { MANY = 1000000 };
    struct collective_made *made = calloc(2 * MANY, sizeof *made);

    assert_non_null(made);
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        uint32_t rank = i / MANY, at = i % MANY;
        bool refused = rank == 0 && at % 2;
        made[i] = (struct collective_made){.rank = rank,
                                           .call = 'A' + (int32_t)(at % 3),
                                           .root = -1,
                                           .seq = at,
                                           .refused = refused,
                                           .over = !refused};
    }
    if (!alike)
        made[MANY].call = 'D';
    assert_int_equal(collective_met_settle(made, 2 * MANY), CORE_OK);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(made[i].met, made[i].refused);
    free(made);
}

static void test_many(void **state)
{
    (void)state;
    many(true);
    many(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_are_met),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
