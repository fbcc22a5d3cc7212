/* Tests which finding causes which, by their calls; and which ranks are blocked in the same way as
 * the smallest set of ranks that wait for each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "checkers/cause.h"
#include "checkers/waiting.h"
#include "core/array.h"

/* Adds a finding with one call, of rank 1. */
static struct finding *add(struct finding_list *list, enum rule_id rule, uint64_t seq)
{
    struct finding *finding = finding_list_add(list, rule, FINDING_WARNING);

    assert_int_equal(finding_place_add(finding, 1, "MPI_Send", NULL, NULL, ""), CORE_OK);
    finding->call[0].seq = seq;
    return finding;
}

/* Returns the cause of a symptom if a finding of the rule and effect has the same call 5. */
static uint32_t cause_of_such(enum rule_id symptom, enum finding_effect symptom_effect,
                              enum rule_id rule, enum finding_effect effect)
{
    struct finding_list list = {0};

    add(&list, symptom, 5)->effect = symptom_effect;
    add(&list, rule, 4); /* of another call */
    list.finding[1].effect = effect;
    add(&list, rule, 5);
    list.finding[2].effect = effect;
    assert_int_equal(cause_find(&list), CORE_OK);
    assert_int_equal(list.finding[1].cause, 0);
    assert_int_equal(list.finding[2].cause, 0);
    uint32_t cause = list.finding[0].cause;
    finding_list_done(&list);
    return cause;
}

static uint32_t cause_of(enum rule_id symptom, enum rule_id rule, enum finding_effect effect)
{
    return cause_of_such(symptom, FINDING_EFFECT_OPEN, rule, effect);
}

/* If the rank died elsewhere, the call is not the cause. */
static void what_a_rank_dies_of_in_a_call_is_its_cause(void **state)
{
    const enum finding_effect open = FINDING_EFFECT_OPEN, fails = FINDING_EFFECT_FAILS;

    (void)state;
    assert_int_equal(cause_of_such(RULE_CRASH, fails, RULE_ARGUMENT, open), 3);
    assert_int_equal(cause_of_such(RULE_CRASH, open, RULE_ARGUMENT, open), 0);
    assert_int_equal(cause_of_such(RULE_CRASH, fails, RULE_REQUEST, open), 3);
    assert_int_equal(cause_of_such(RULE_CRASH, fails, RULE_COLLECTIVE, open), 3);
    assert_int_equal(cause_of_such(RULE_CRASH, fails, RULE_BUFFER, fails), 3);
    assert_int_equal(cause_of_such(RULE_CRASH, fails, RULE_BUFFER, open), 0);
    assert_int_equal(cause_of_such(RULE_CRASH, fails, RULE_LEAK, open), 0);
    assert_int_equal(cause_of_such(RULE_LIFECYCLE, fails, RULE_REQUEST, open), 3);
    assert_int_equal(cause_of_such(RULE_LIFECYCLE, open, RULE_REQUEST, open), 0);
    assert_int_equal(cause_of(RULE_DEADLOCK, RULE_REQUEST, FINDING_EFFECT_BLOCKS), 3);
    assert_int_equal(cause_of(RULE_DEADLOCK, RULE_REQUEST, open), 0);
}

/* A wait fails, or its rank ends in it, because of the call that started the operation, or because
 * of the rank that sent the message. */
static void what_a_wait_waits_for_is_its_cause(void **state)
{
    (void)state;
    for (uint64_t seq = 3; seq < 5; seq++) {
        struct finding_list list = {0};

        assert_int_equal(finding_link_add(add(&list, RULE_ERROR, 9), 1, 4), CORE_OK);
        struct finding *ended = add(&list, RULE_LIFECYCLE, 8);
        ended->effect = FINDING_EFFECT_FAILS;
        assert_int_equal(finding_link_add(ended, seq == 4 ? 1 : 2, 0), CORE_OK);
        add(&list, RULE_COLLECTIVE, seq);
        add(&list, RULE_REQUEST, 2);
        assert_int_equal(cause_find(&list), CORE_OK);
        assert_int_equal(list.finding[0].cause, seq == 4 ? 3 : 0);
        assert_int_equal(list.finding[1].cause, seq == 4 ? 4 : 0);
        finding_list_done(&list);
    }
}

/* A call that overwrites memory can kill its rank later; one that only reads too much cannot. */
static void memory_that_was_overwritten_is_the_cause_of_a_later_death(void **state)
{
    (void)state;
    for (uint32_t rank = 1; rank < 3; rank++)
        for (int reads = 0; reads < 2; reads++) {
            struct finding_list list = {0};
            add(&list, RULE_CRASH, 9);
            struct finding *finding = add(&list, RULE_BUFFER, 4);
            finding->effect = reads ? FINDING_EFFECT_FAILS : FINDING_EFFECT_SPOILS;
            finding->call[0].rank = rank;
            assert_int_equal(cause_find(&list), CORE_OK);
            assert_int_equal(list.finding[0].cause, rank == 1 && !reads ? 2 : 0);
            finding_list_done(&list);
        }
}

/* The program wrote to a buffer while an operation used it; the wait for the operation found it. */
static void a_wrong_result_follows_from_what_was_found_wrong_with_its_call_later(void **state)
{
    (void)state;
    for (uint64_t subject = 4; subject < 6; subject++) {
        struct finding_list list = {0};
        add(&list, RULE_RESULT, 5);
        add(&list, RULE_BUFFER, 8)->call[0].subject_seq = subject;
        assert_int_equal(cause_find(&list), CORE_OK);
        assert_int_equal(list.finding[0].cause, subject == 5 ? 2 : 0);
        finding_list_done(&list);
    }
}

/* An argument of a call for which nobody waits is not the cause. */
static void who_waits_for_a_rank_that_was_refused_suffers_from_it(void **state)
{
    (void)state;
    for (int refused = 0; refused < 2; refused++) {
        struct finding_list list = {0};
        add(&list, RULE_COLLECTIVE, 9)->effect = FINDING_EFFECT_LACKS;
        finding_call_await(&add(&list, RULE_DEADLOCK, 5)->call[0], 1, false);
        add(&list, RULE_ARGUMENT, 4)->effect =
            refused ? FINDING_EFFECT_REFUSED : FINDING_EFFECT_OPEN;
        assert_int_equal(cause_find(&list), CORE_OK);
        for (int i = 0; i < 2; i++)
            assert_int_equal(list.finding[i].cause, refused ? 3 : 0);
        finding_list_done(&list);
    }
}

static void what_blocks_or_fails_in_a_call_is_its_cause(void **state)
{
    (void)state;
    assert_int_equal(cause_of(RULE_DEADLOCK, RULE_MESSAGE, FINDING_EFFECT_BLOCKS), 3);
    assert_int_equal(cause_of(RULE_DEADLOCK, RULE_MESSAGE, FINDING_EFFECT_FAILS), 0);
    assert_int_equal(cause_of(RULE_DEADLOCK, RULE_MESSAGE, FINDING_EFFECT_OPEN), 0);
    assert_int_equal(cause_of(RULE_ERROR, RULE_MESSAGE, FINDING_EFFECT_FAILS), 3);
    assert_int_equal(cause_of(RULE_ERROR, RULE_MESSAGE, FINDING_EFFECT_OPEN), 0);
    assert_int_equal(cause_of(RULE_ERROR, RULE_ARGUMENT, FINDING_EFFECT_OPEN), 3);
    assert_int_equal(cause_of(RULE_DEADLOCK, RULE_COLLECTIVE, FINDING_EFFECT_OPEN), 3);
    assert_int_equal(cause_of(RULE_LEAK, RULE_COLLECTIVE, FINDING_EFFECT_OPEN), 0);
}

static void who_waits_for_a_rank_that_gave_up_suffers_from_it(void **state)
{
    (void)state;
    for (uint32_t awaited = 0; awaited < 3; awaited++) {
        struct finding_list list = {0};
        finding_call_await(&add(&list, RULE_DEADLOCK, 5)->call[0], awaited, false);
        add(&list, RULE_EXCEPTION, 0); /* of rank 1, in no call */
        assert_int_equal(cause_find(&list), CORE_OK);
        assert_int_equal(list.finding[0].cause, awaited == 1 ? 2 : 0);
        assert_int_equal(list.finding[1].cause, 0);
        finding_list_done(&list);
    }
}

/* A rank lacks a collective because it gave up; not if it made another one, or made this one and
 * gave up later. */
static void what_a_rank_lacks_follows_from_its_giving_up(void **state)
{
    static const struct {
        enum finding_effect effect;
        uint32_t rank; /* that gave up */
        uint32_t cause;
    } of[] = {{FINDING_EFFECT_LACKS, 1, 2},
              {FINDING_EFFECT_LACKS, 2, 0},
              {FINDING_EFFECT_LACKS, 3, 0},
              {FINDING_EFFECT_OPEN, 1, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct finding_list list = {0};
        struct finding *finding = add(&list, RULE_COLLECTIVE, 9);
        finding->effect = of[i].effect;
        assert_int_equal(finding_place_add(finding, 2, "MPI_Barrier", NULL, NULL, ""), CORE_OK);
        finding->call[1].seq = 5;
        add(&list, RULE_EXCEPTION, 0)->call[0].rank = of[i].rank;
        assert_int_equal(cause_find(&list), CORE_OK);
        assert_int_equal(list.finding[0].cause, of[i].cause);
        assert_int_equal(list.finding[1].cause, 0);
        finding_list_done(&list);
    }
}

/* Two operations that conflict in a window use one buffer; if only one uses it, nothing follows. */
static void what_conflicts_in_a_window_is_the_cause_of_what_meets_in_a_buffer(void **state)
{
    (void)state;
    for (uint64_t subject = 3; subject < 5; subject++) {
        struct finding_list list = {0};
        add(&list, RULE_BUFFER, 5)->call[0].subject_seq = subject;
        struct finding *finding = add(&list, RULE_RMA, 4);
        assert_int_equal(finding_place_add(finding, 1, "MPI_Put", NULL, NULL, ""), CORE_OK);
        finding->call[1].seq = 5;
        add(&list, RULE_RMA, 3); /* another one */
        assert_int_equal(cause_find(&list), CORE_OK);
        assert_int_equal(list.finding[0].cause, subject == 4 ? 2 : 0);
        finding_list_done(&list);
    }
}

static void a_symptom_of_a_symptom_follows_from_the_first_cause(void **state)
{
    struct finding_list list = {0};

    (void)state;
    add(&list, RULE_DEADLOCK, 5);
    finding_list_add(&list, RULE_BUFFER_NEED, FINDING_NOTE)->cause = 1;
    add(&list, RULE_MESSAGE, 5)->effect = FINDING_EFFECT_BLOCKS;
    assert_int_equal(cause_find(&list), CORE_OK);
    assert_int_equal(list.finding[0].cause, 3);
    assert_int_equal(list.finding[1].cause, 3);
    assert_int_equal(list.finding[2].cause, 0);
    finding_list_done(&list);
}

static void effects_and_causes_survive_their_json_form(void **state)
{
    struct finding_list list = {0}, back = {0};

    (void)state;
    struct finding *finding = add(&list, RULE_MESSAGE, 5);
    finding->effect = FINDING_EFFECT_BLOCKS;
    finding->ended_job = true;
    const char *help = finding_help(finding);
    assert_string_equal(help, remedy_table[REMEDY_RECEIVE].help);
    char *json = finding_json(finding);
    assert_int_equal(finding_list_read(&back, json), CORE_OK);
    assert_int_equal(back.finding[0].effect, FINDING_EFFECT_BLOCKS);
    assert_true(back.finding[0].ended_job);
    assert_ptr_equal(finding_help(&back.finding[0]), help);
    free(json);
    finding_list_done(&list);
    finding_list_done(&back);
}

/* --- ranks that are blocked the same way ------------------------------------------------------ */

/* Adds that the rank waits for each rank of a list, which a negative number ends. */
static void blocks(struct replay_waitfor *waitfor, uint32_t rank, enum replay_standing standing,
                   const int *peer)
{
    struct replay_blocked blocked = {
        .rank = rank, .node = rank, .standing = standing, .core = standing == REPLAY_IN_CORE};

    assert_int_equal(replay_waitfor_blocked(waitfor, &blocked), CORE_OK);
    for (; *peer >= 0; peer++) {
        assert_int_equal(replay_waitfor_clause(waitfor, 0, false), CORE_OK);
        assert_int_equal(replay_waitfor_peer(waitfor, (uint32_t)*peer), CORE_OK);
    }
}

static void who_holds_the_core_and_is_held_by_it_is_in_the_same_plight(void **state)
{
    const struct replay_program program = {.rank_count = 5};
    struct replay_waitfor waitfor = {0};
    bool *alike;

    (void)state;
    blocks(&waitfor, 0, REPLAY_IN_CORE, (int[]){1, 2, 4, -1}); /* in a barrier, say */
    blocks(&waitfor, 1, REPLAY_IN_CORE, (int[]){0, -1});
    blocks(&waitfor, 2, REPLAY_BEHIND, (int[]){0, -1}); /* as rank 1 does */
    blocks(&waitfor, 3, REPLAY_BEHIND, (int[]){0, -1}); /* nobody of the core waits for it */
    blocks(&waitfor, 4, REPLAY_BEHIND, (int[]){3, -1}); /* it waits for none of the core */
    assert_int_equal(waiting_alike(&program, &waitfor, &alike), CORE_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(alike[i], i == 2);
    free(alike);
    replay_waitfor_done(&waitfor);
}

/* Rank 0 waits in a collective for rank 1, which waits for rank 0; so do ranks 2 and 3 in the same
 * collective, and rank 4 in another one. */
static void who_waits_in_the_collective_of_the_core_is_in_the_same_plight(void **state)
{
    struct replay_op op[5] = {{.tag = 0}, {.tag = 0}, {.tag = 0}, {.tag = 0}, {.tag = 1}};
    struct replay_rank rank[5] = {{.op = NULL}};
    const struct replay_program program = {.rank_count = 5, .rank = rank};
    struct replay_waitfor waitfor = {0};
    bool *alike;

    (void)state;
    for (uint32_t r = 0; r < 5; r++) {
        rank[r].op = &op[r];
        rank[r].op_count = 1;
        blocks(&waitfor, r, r < 2 ? REPLAY_IN_CORE : REPLAY_BEHIND, (int[]){r != 1, -1});
        op[r].kind = waitfor.blocked[r].kind = r == 1 ? REPLAY_RECV : REPLAY_COLL;
    }
    assert_int_equal(waiting_alike(&program, &waitfor, &alike), CORE_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(alike[i], i == 2 || i == 3);
    free(alike);
    replay_waitfor_done(&waitfor);
}

/* Ranks 0 and 1 wait for rank 3, which has ended, rank 1 for rank 4 as well; rank 2 waits for rank
 * 4 alone. */
static void who_waits_for_the_same_rank_that_ended_is_in_the_same_plight(void **state)
{
    const struct replay_program program = {.rank_count = 5};
    struct replay_waitfor waitfor = {0};
    bool *alike;

    (void)state;
    blocks(&waitfor, 0, REPLAY_IN_CORE, (int[]){3, -1});
    blocks(&waitfor, 1, REPLAY_BEHIND, (int[]){4, 3, -1});
    blocks(&waitfor, 2, REPLAY_BEHIND, (int[]){4, -1});
    assert_int_equal(waiting_alike(&program, &waitfor, &alike), CORE_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(alike[i], i == 1);
    free(alike);
    replay_waitfor_done(&waitfor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_blocks_or_fails_in_a_call_is_its_cause),
        cmocka_unit_test(memory_that_was_overwritten_is_the_cause_of_a_later_death),
        cmocka_unit_test(a_wrong_result_follows_from_what_was_found_wrong_with_its_call_later),
        cmocka_unit_test(who_waits_for_a_rank_that_was_refused_suffers_from_it),
        cmocka_unit_test(what_a_rank_dies_of_in_a_call_is_its_cause),
        cmocka_unit_test(what_a_wait_waits_for_is_its_cause),
        cmocka_unit_test(who_waits_for_a_rank_that_gave_up_suffers_from_it),
        cmocka_unit_test(what_a_rank_lacks_follows_from_its_giving_up),
        cmocka_unit_test(what_conflicts_in_a_window_is_the_cause_of_what_meets_in_a_buffer),
        cmocka_unit_test(a_symptom_of_a_symptom_follows_from_the_first_cause),
        cmocka_unit_test(effects_and_causes_survive_their_json_form),
        cmocka_unit_test(who_holds_the_core_and_is_held_by_it_is_in_the_same_plight),
        cmocka_unit_test(who_waits_in_the_collective_of_the_core_is_in_the_same_plight),
        cmocka_unit_test(who_waits_for_the_same_rank_that_ended_is_in_the_same_plight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
