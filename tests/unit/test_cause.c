/* What follows from what, by the calls of findings; and which ranks are in the same plight as the
 * smallest set that waits for itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "checkers/cause.h"
#include "checkers/waiting.h"
#include "core/array.h"

/* A finding with one call, of rank 1. */
static struct finding *add(struct finding_list *list, enum rule_id rule, uint64_t seq)
{
    struct finding *finding = finding_list_add(list, rule, FINDING_WARNING);

    assert_int_equal(finding_place_add(finding, 1, "MPI_Send", NULL, NULL, ""), CORE_OK);
    finding->call[0].seq = seq;
    return finding;
}

/* The cause of a symptom in the call 5, where a finding of the rule and effect is in it as well. */
static uint32_t cause_of(enum rule_id symptom, enum rule_id rule, enum finding_effect effect)
{
    struct finding_list list = {0};

    add(&list, symptom, 5);
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
    assert_string_equal(help, rule_table[RULE_MESSAGE].help_blocks);
    char *json = finding_json(finding);
    assert_int_equal(finding_list_read(&back, json), CORE_OK);
    assert_int_equal(back.finding[0].effect, FINDING_EFFECT_BLOCKS);
    assert_true(back.finding[0].ended_job);
    assert_ptr_equal(finding_help(&back.finding[0]), help);
    free(json);
    finding_list_done(&list);
    finding_list_done(&back);
}

/* --- the same plight -------------------------------------------------------------------------- */

/* The rank waits for each of those named, up to one that is negative. */
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
    struct replay_waitfor waitfor = {0};
    bool *alike;

    (void)state;
    blocks(&waitfor, 0, REPLAY_IN_CORE, (int[]){1, 2, 4, -1}); /* in a barrier, say */
    blocks(&waitfor, 1, REPLAY_IN_CORE, (int[]){0, -1});
    blocks(&waitfor, 2, REPLAY_BEHIND, (int[]){0, -1}); /* as rank 1 does */
    blocks(&waitfor, 3, REPLAY_BEHIND, (int[]){0, -1}); /* nobody of the core waits for it */
    blocks(&waitfor, 4, REPLAY_BEHIND, (int[]){3, -1}); /* it waits for none of the core */
    assert_int_equal(waiting_alike(&waitfor, 5, &alike), CORE_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(alike[i], i == 2);
    free(alike);
    replay_waitfor_done(&waitfor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_blocks_or_fails_in_a_call_is_its_cause),
        cmocka_unit_test(a_symptom_of_a_symptom_follows_from_the_first_cause),
        cmocka_unit_test(effects_and_causes_survive_their_json_form),
        cmocka_unit_test(who_holds_the_core_and_is_held_by_it_is_in_the_same_plight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
