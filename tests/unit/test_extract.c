/* Tests that a part cut out of a program runs alone with the measures that it had inside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/extract.h"
#include "replay/timed/timed.h"

enum { INNER_TAG = 7 };

/* Ranks 1 and 3 of four exchange messages within the part. Other messages precede and follow; one
 * wait is for one of these together with messages of the part. */
static void build(struct replay_program *program)
{
    int32_t all[] = {0, 1, 2};

    assert_int_equal(replay_program_init(program, 4), CORE_OK);
    for (uint32_t rank = 1; rank <= 3; rank += 2) {
        int32_t other = rank == 1 ? 3 : 1;
        assert_int_equal(replay_add_isend(program, rank, other, 1, 80, 0), CORE_OK);
        assert_int_equal(replay_add_isend(program, rank, other, INNER_TAG, 8, 1), CORE_OK);
        assert_int_equal(replay_add_irecv(program, rank, other, INNER_TAG, 8, 2), CORE_OK);
        assert_int_equal(replay_add_wait_all(program, rank, all, 3), CORE_OK);
        assert_int_equal(replay_add_irecv(program, rank, other, 1, 80, 3), CORE_OK);
        assert_int_equal(replay_add_wait_all(program, rank, (int32_t[]){3}, 1), CORE_OK);
    }
}

static bool inner(void *context, uint32_t rank, uint32_t index, const struct replay_op *op)
{
    (void)context;
    (void)rank;
    return op->tag == INNER_TAG || (op->kind == REPLAY_WAIT_ALL && index == 3);
}

static bool inner_without_waits(void *context, uint32_t rank, uint32_t index,
                                const struct replay_op *op)
{
    (void)context;
    (void)rank;
    (void)index;
    return op->tag == INNER_TAG;
}

static void a_part_is_a_program(void **state)
{
    struct replay_program whole, part;
    const struct extract_range all[4] = {{0, 0}, {0, 6}, {0, 0}, {0, 6}};
    struct extractor *extractor;
    struct replay_measure measure;
    bool missing;

    (void)state;
    build(&whole);
    assert_int_equal(extractor_new(&whole, &extractor), CORE_OK);
    for (int again = 0; again < 2;
         again++) { /* the second cut finds the maps as the first one did */
        if (again)
            replay_program_done(&part);
        assert_int_equal(extractor_cut(extractor, all, inner, NULL, &part, &missing), CORE_OK);
    }
    assert_false(missing);
    assert_int_equal(part.rank[1].op_count, 3);
    assert_int_equal(part.rank[0].op_count, 0);
    assert_int_equal(part.rank[1].set[0].count, 2);
    assert_int_equal(replay_program_check(&part), CORE_OK);
    assert_int_equal(part.rank_count, 4);
    assert_int_equal(part.rank[1].op[0].peer, 3);
    assert_int_equal(replay_timed_measure(&part, NULL, &measure), CORE_OK);
    assert_int_equal(measure.rounds, 1);
    assert_int_equal(measure.words_bytes, 8);
    assert_int_equal(measure.messages, 2);
    replay_program_done(&part);
    extractor_free(extractor);
    replay_program_done(&whole);
}

static void missing_waits_are_said(void **state)
{
    struct replay_program whole, part;
    const struct extract_range all[4] = {{0, 0}, {0, 6}, {0, 0}, {0, 6}};
    struct extractor *extractor;
    bool missing = false;

    (void)state;
    build(&whole);
    assert_int_equal(extractor_new(&whole, &extractor), CORE_OK);
    assert_int_equal(extractor_cut(extractor, all, inner_without_waits, NULL, &part, &missing),
                     CORE_OK);
    assert_true(missing);
    replay_program_done(&part);
    extractor_free(extractor);
    replay_program_done(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_a_program),
        cmocka_unit_test(missing_waits_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
