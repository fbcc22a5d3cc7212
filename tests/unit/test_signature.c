/* Signatures: equal for repetitions of one sequence, different otherwise; against a naive search for the period. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "core/signature.h"

static uint64_t I, D;

static void named_cases(void **state)
{
    (void)state;
    struct signature_run one[] = {{I, 1}}, hundred[] = {{I, 100}}, pieces[] = {{I, 50}, {I, 0}, {I, 7}}, pair[] = {{I, 1}, {D, 1}},
                         pairs[] = {{I, 1}, {D, 1}, {I, 1}, {D, 1}, {I, 1}, {D, 1}}, turned[] = {{D, 1}, {I, 1}},
                         joined[] = {{I, 1}, {D, 1}, {I, 2}, {D, 1}, {I, 1}}, once[] = {{I, 1}, {D, 1}, {I, 1}};
    assert_true(signature_hash(one, 1) == signature_hash(hundred, 1));
    assert_true(signature_hash(one, 1) == signature_hash(pieces, 3));
    assert_true(signature_hash(pair, 2) == signature_hash(pairs, 6));
    assert_true(signature_hash(pair, 2) != signature_hash(turned, 2));
    assert_true(signature_hash(pair, 2) != signature_hash(one, 1));
    assert_true(signature_hash(once, 3) == signature_hash(joined, 5)); /* i d i | i d i: the run in the middle is two pieces' */
    assert_true(signature_hash(once, 3) != signature_hash(pair, 2));
    assert_true(signature_hash(one, 0) == 0 && signature_basic("MPI_INT") != signature_basic("MPI_LONG"));
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
        size_t unit = 1 + core_random_below(&random, 4), times = 1 + core_random_below(&random, 6), length = unit * times, runs = 0;
        for (size_t i = 0; i < length; i++)
            text[n][i] = i < unit ? (char)core_random_below(&random, 3) : text[n][i - unit];
        text[n][length] = 9;
        for (size_t i = 0; i < length; i++) {
            if (i && text[n][i] == text[n][i - 1] && core_random_below(&random, 2))
                run[runs - 1].count++;
            else
                run[runs++] = (struct signature_run){letter[(int)text[n][i]], 1};
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

int main(void)
{
    I = signature_basic("MPI_INT");
    D = signature_basic("MPI_DOUBLE");
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_cases), cmocka_unit_test(random_sequences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
