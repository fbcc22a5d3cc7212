/* Tests signatures: equal for repetitions of one sequence, different otherwise; compares them with
 * a naive search for the period. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "core/spool/signature.h"

static uint64_t I, D;

static void named_cases(void **state)
{
    (void)state;
#define R(basic, count)    \
    {                      \
        basic, count, NULL \
    }
    struct signature_run one[] = {R(I, 1)}, hundred[] = {R(I, 100)},
                         pieces[] = {R(I, 50), R(I, 0), R(I, 7)}, pair[] = {R(I, 1), R(D, 1)},
                         pairs[] = {R(I, 1), R(D, 1), R(I, 1), R(D, 1), R(I, 1), R(D, 1)},
                         turned[] = {R(D, 1), R(I, 1)},
                         joined[] = {R(I, 1), R(D, 1), R(I, 2), R(D, 1), R(I, 1)},
                         once[] = {R(I, 1), R(D, 1), R(I, 1)};
    assert_true(signature_hash(one, 1) == signature_hash(hundred, 1));
    assert_true(signature_hash(one, 1) == signature_hash(pieces, 3));
    assert_true(signature_hash(pair, 2) == signature_hash(pairs, 6));
    assert_true(signature_hash(pair, 2) != signature_hash(turned, 2));
    assert_true(signature_hash(pair, 2) != signature_hash(one, 1));
    assert_true(
        signature_hash(once, 3) ==
        signature_hash(joined, 5)); /* i d i | i d i: the run in the middle is two pieces' */
    assert_true(signature_hash(once, 3) != signature_hash(pair, 2));
    assert_true(signature_hash(one, 0) == 0 &&
                signature_basic("MPI_INT") != signature_basic("MPI_LONG"));
}

/* A short sequence of up to three letters, its naive root, and the same as runs. */
static void random_sequences(void **state)
{
    (void)state;
    struct core_random random;
    const uint64_t letter[3] = {signature_basic("a"), signature_basic("b"), signature_basic("c")};
    uint64_t hash[400];
    char text[400][25];
    size_t root[400];
    core_random_init(&random, 5);
    for (int n = 0; n < 400; n++) {
        struct signature_run run[25];
        size_t unit = 1 + core_random_below(&random, 4), times = 1 + core_random_below(&random, 6),
               length = unit * times, runs = 0;
        for (size_t i = 0; i < length; i++)
            text[n][i] = i < unit ? (char)core_random_below(&random, 3) : text[n][i - unit];
        text[n][length] = 9;
        for (size_t i = 0; i < length; i++) {
            if (i && text[n][i] == text[n][i - 1] && core_random_below(&random, 2))
                run[runs - 1].count++;
            else
                run[runs++] = (struct signature_run){letter[(int)text[n][i]], 1, NULL};
        }
        hash[n] = signature_hash(run, runs);
        for (root[n] = 1; root[n] < length; root[n]++) {
            size_t i = root[n];
            while (length % root[n] == 0 && i < length && text[n][i] == text[n][i - root[n]])
                i++;
            if (length % root[n] == 0 && i == length)
                break;
        }
    }
    for (int a = 0; a < 400; a++)
        for (int b = 0; b < a; b++) {
            int same = root[a] == root[b];
            for (size_t i = 0; same && i < root[a]; i++)
                same = text[a][i] == text[b][i];
            assert_int_equal(hash[a] == hash[b], same);
        }
}

/* Sequences of sequences: the same number as their expansion has. */
static void nested(void **state)
{
    (void)state;
    struct core_random random;
    core_random_init(&random, 9);
    for (int n = 0; n < 3000; n++) {
        struct signature_run run[3][3], flat[4000];
        struct signature_sequence sequence[3];
        size_t flats = 0;
        for (int level = 0; level < 3; level++) {
            sequence[level] = (struct signature_sequence){
                .run = run[level], .count = 1 + core_random_below(&random, 3)};
            for (size_t i = 0; i < sequence[level].count; i++)
                run[level][i] = (struct signature_run){
                    core_random_below(&random, 2) ? I : D, core_random_below(&random, 4),
                    level && core_random_below(&random, 2) ? &sequence[level - 1] : NULL};
            assert_int_equal(signature_close(&sequence[level]), 0);
        }
        /* expand, level by level, from the outside in */
        struct {
            const struct signature_sequence *s;
            size_t run;
            uint64_t turn;
        } stack[4] = {{&sequence[2], 0, 0}};
        for (int depth = 0; depth >= 0;) {
            const struct signature_sequence *s = stack[depth].s;
            if (stack[depth].run == s->count) {
                depth--;
                continue;
            }
            const struct signature_run *r = &s->run[stack[depth].run];
            if (stack[depth].turn == r->count) {
                stack[depth].run++;
                stack[depth].turn = 0;
            } else if (r->inner) {
                stack[depth].turn++;
                depth++;
                stack[depth].s = r->inner;
                stack[depth].run = 0;
                stack[depth].turn = 0;
            } else {
                stack[depth].turn++;
                assert_true(flats < 4000);
                flat[flats++] = (struct signature_run){r->basic, 1, NULL};
            }
        }
        assert_int_equal(sequence[2].elements, flats);
        assert_true(signature_hash(run[2], sequence[2].count) == signature_hash(flat, flats));
    }
    struct signature_run pair[] = {R(I, 1), R(D, 1)};
    struct signature_sequence inner = {pair, 2, 0, 0};
    assert_int_equal(signature_close(&inner), 0);
    struct signature_run many[] = {{0, (uint64_t)1 << 40, &inner}};
    assert_true(signature_hash(many, 1) ==
                signature_hash(pair, 2)); /* without going through them */
    many[0].count = (uint64_t)1 << 62;
    assert_int_not_equal(signature_close(&(struct signature_sequence){many, 1, 0, 0}), 0);
}

int main(void)
{
    I = signature_basic("MPI_INT");
    D = signature_basic("MPI_DOUBLE");
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_cases),
                                       cmocka_unit_test(random_sequences),
                                       cmocka_unit_test(nested)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
