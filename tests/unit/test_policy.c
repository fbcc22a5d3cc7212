/* Tests the text form of policies, and the source of random choices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/policy/choice.h"
#include "replay/policy/policy.h"

static char said[1000];

static void hear(enum core_status status, const char *message, void *context)
{
    (void)status;
    (void)context;
    strncpy(said, message, sizeof said - 1);
}

static void check_at(const char *text, enum replay_place place, const char *canonical)
{
    struct replay_policy policy, copy, again;
    assert_int_equal(replay_policy_parse(text, place, &policy), CORE_OK);
    char *printed = replay_policy_text(&policy);
    assert_string_equal(printed, canonical);
    assert_int_equal(replay_policy_copy(&policy, &copy), CORE_OK);
    assert_int_equal(replay_policy_parse(printed, place, &again), CORE_OK);
    char *twice = replay_policy_text(&again), *copied = replay_policy_text(&copy);
    assert_string_equal(twice, canonical);
    assert_string_equal(copied, canonical);
    free(printed);
    free(twice);
    free(copied);
    replay_policy_done(&policy);
    replay_policy_done(&copy);
    replay_policy_done(&again);
}

static void check(const char *text, const char *canonical)
{
    check_at(text, REPLAY_OFFLINE, canonical);
}

static void test_text(void **state)
{
    (void)state;
    check(NULL, "buffering=rendezvous");
    check("  seed=7\tcoll=relaxed ", "buffering=rendezvous coll=relaxed seed=7");
    check("buffering=eager:4K", "buffering=eager:4096");
    check("buffering=eager", "buffering=eager");
    check("buffering=credits:3 delay=heavy:200", "buffering=credits:3 delay=heavy:200 seed=1");
    check("buffering=pool:1M delay=slow-link:3-4", "buffering=pool:1048576 delay=slow-link:3-4");
    check("buffering=random:100 delay=swarm order=random",
          "buffering=random:100 delay=swarm order=random seed=1");
    check("buffering=list:1.5,0.17,0.3,1.5", "buffering=list:0.3,0.17,1.5");
    check("buffering=only:2.2", "buffering=only:2.2");
    check("buffering=list:", "buffering=list:");
    check("order=list:3.9=0,2.1=7 delay=slow-rank:5",
          "buffering=rendezvous delay=slow-rank:5 order=list:2.1=7,3.9=0");
    check("seed=18446744073709551615", "buffering=rendezvous "
                                       "seed=18446744073709551615");
    check_at(NULL, REPLAY_IN_PROCESS, "order=explore");
    check_at("loads=turns order=explore:1.2=3,0.1=0 buffering=eager", REPLAY_IN_PROCESS,
             "order=explore:0.1=0,1.2=3 loads=turns");
    check_at("buffering=only:0.#2", REPLAY_IN_PROCESS, "buffering=only:0.#2 order=explore");
    check_at("buffering=rendezvous order=random", REPLAY_IN_PROCESS,
             "buffering=rendezvous order=random seed=1");
}

static void test_bad_text(void **state)
{
    static const char *const bad[] = {
        "buffering",
        "buffering=",
        "buffering=eagerly",
        "buffering=eager:",
        "buffering=eager:x",
        "buffering=eager:-1",
        "buffering=eager:4Q",
        "buffering=rendezvous:1",
        "buffering=credits",
        "buffering=random:101",
        "buffering=list:1",
        "buffering=list:1.2,",
        "buffering=list:1.2=3",
        "order=list:1.2",
        "order=list:1.2=",
        "order=list:1.2=3x",
        "delay=slow-link:1",
        "delay=slow-link:1-",
        "delay=uniform",
        "coll=maybe",
        "seed=",
        "seed=1x",
        "seed=18446744073709551616",
        "colour=red",
        "seed=1 seed=2",
        "buffering=pool:99999999999999999999",
        "buffering=eager:99999999999999999G",
    };
    (void)state;
    core_report_hook(hear, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct replay_policy policy;
        said[0] = 0;
        if (replay_policy_parse(bad[i], REPLAY_OFFLINE, &policy) != CORE_BAD_INPUT)
            fail_msg("'%s' was not refused", bad[i]);
        assert_non_null(strstr(said, "policy: '"));
    }
    core_report_hook(NULL, NULL);
}

/* A value that a place does not support is refused by name; names of the other form are kept. */
static void test_places(void **state)
{
    static const struct {
        const char *text;
        enum replay_place place;
        const char *wrong; /* NULL: supported */
    } at[] = {
        {"buffering=credits:2", REPLAY_OFFLINE, NULL},
        {"buffering=credits:2", REPLAY_IN_PROCESS, NULL},
        {"buffering=credits:2", REPLAY_LIVE,
         "policy: 'buffering=credits' is not possible live; there buffering= takes: rendezvous, "
         "eager, "
         "eager:BYTES, random:P with P from 0 to 100, list:RANK.EVENT,..., only:RANK.EVENT,..."},
        {"buffering=pool:2", REPLAY_LIVE, "'buffering=pool' is not possible live"},
        {"buffering=list:0.1", REPLAY_IN_PROCESS, NULL},
        {"buffering=list:0.#1", REPLAY_LIVE, NULL},
        {"order=list:0.#1=2", REPLAY_LIVE, NULL},
        {"order=list:0.#1=2", REPLAY_OFFLINE, "'0.#1' names a call by its number"},
        {"order=random", REPLAY_LIVE, "'order=random' is not possible live"},
        {"delay=speeds:8K", REPLAY_OFFLINE, "'delay=speeds' is not possible offline"},
        {"delay=speeds:8K", REPLAY_IN_PROCESS, NULL},
        {"delay=recorded", REPLAY_IN_PROCESS, "'delay=recorded' is not possible in process"},
    };
    (void)state;
    core_report_hook(hear, NULL);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct replay_policy policy;
        said[0] = 0;
        replay_policy_init(&policy);
        assert_int_equal(replay_policy_read(&policy, at[i].text), CORE_OK);
        assert_int_equal(replay_policy_check(&policy, at[i].place),
                         at[i].wrong ? CORE_UNSUPPORTED : CORE_OK);
        if (at[i].wrong && !strstr(said, at[i].wrong))
            fail_msg("'%s' gives '%s'", at[i].text, said);
        char *text = replay_policy_text(&policy);
        if (!strstr(text, strchr(at[i].text, '#') ? at[i].text : "buffering="))
            fail_msg("'%s' prints as '%s'", at[i].text, text);
        free(text);
        replay_policy_done(&policy);
    }
    core_report_hook(NULL, NULL);
}

static void test_over(void **state)
{
    struct replay_policy policy;
    (void)state;
    replay_policy_init(&policy);
    policy.buffering = REPLAY_EAGER; /* other fields keep their values */
    assert_int_equal(replay_policy_read(&policy, "seed=3"), CORE_OK);
    assert_int_equal(policy.buffering, REPLAY_EAGER);
    assert_int_equal(policy.seed, 3);
    assert_int_equal(replay_policy_set(&policy, "buffering", "random:25"), CORE_OK);
    assert_int_equal(policy.buffering, REPLAY_RANDOM);
    assert_int_equal(policy.bytes, 25);
    replay_policy_done(&policy);
}

/* A quarter of the sends asks for one of four; none and all ask nothing. */
static void test_draw(void **state)
{
    struct replay_choice choice;
    (void)state;
    for (uint32_t answer = 0; answer < 4; answer++) {
        replay_choice_list(&choice, &answer, 1);
        assert_int_equal(replay_policy_draw(25, &choice), answer == 3);
        assert_int_equal(choice.at, 1);
    }
    assert_false(replay_policy_draw(0, &choice));
    assert_true(replay_policy_draw(100, &choice));
    assert_int_equal(choice.at, 1);
}

static void test_delay(void **state)
{
    struct replay_policy policy;
    uint64_t sum = 0, most = 0;
    (void)state;
    for (enum replay_delay delay = 0; delay <= REPLAY_DELAY_RECORDED; delay++) {
        policy =
            (struct replay_policy){.delay = delay, .delay_ns = 3, .link_from = 3, .link_to = 2};
        for (int i = 0; i < 1000; i++)
            assert_true(replay_policy_delay(&policy, 1, 3, i % 4 - 1, (uint64_t)i) <=
                        REPLAY_DELAY_NS_MAX);
    }
    policy = (struct replay_policy){.delay = REPLAY_DELAY_EXPONENTIAL, .delay_ns = 16000};
    for (uint64_t i = 0; i < 10000; i++) {
        uint64_t delay = replay_policy_delay(&policy, 1, 0, 1, i);
        sum += delay;
        most = delay > most ? delay : most;
    }
    assert_in_range(sum / 10000, 15500, 16500); /* its mean, and its tail */
    assert_in_range(most, 7 * 16000, 15 * 16000);
    policy.delay = REPLAY_DELAY_UNIFORM; /* as in scenarios of all versions */
    assert_int_equal(replay_policy_delay(&policy, 1000, 2, 1, 5), 8);
}

static void test_many_names(void **state)
{
    struct replay_policy policy;
    (void)state;
    replay_policy_init(&policy);
    for (uint32_t i = 1000; i-- > 0;)
        assert_int_equal(replay_policy_add_send(&policy, i % 7, i), CORE_OK);
    assert_int_equal(policy.send.count, 1000);
    for (uint32_t i = 1; i < 1000; i++)
        assert_true(policy.send.name[i - 1].rank < policy.send.name[i].rank ||
                    (policy.send.name[i - 1].rank == policy.send.name[i].rank &&
                     policy.send.name[i - 1].id < policy.send.name[i].id));
    replay_policy_done(&policy);
}

static void test_seed(void **state)
{
    struct replay_choice a, b;
    uint32_t seen = 0;
    (void)state;
    replay_choice_seed(&a, 42);
    replay_choice_seed(&b, 42);
    for (int i = 0; i < 1000; i++) {
        uint32_t answer = replay_choice_take(&a, 3, REPLAY_REASON_OTHER);
        assert_int_equal(answer, replay_choice_take(&b, 3, REPLAY_REASON_OTHER));
        assert_int_equal(replay_choice_take(&a, 1, REPLAY_REASON_OTHER), 0);
        seen |= 1u << answer;
    }
    assert_int_equal(seen, 7);
}

static void test_list(void **state)
{
    static const uint32_t answers[] = {2, 0, 1, 7};
    struct replay_choice list;
    (void)state;
    replay_choice_list(&list, answers, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(replay_choice_take(&list, 3, REPLAY_REASON_OTHER), answers[i] % 3);
    assert_int_equal(replay_choice_take(&list, 3, REPLAY_REASON_OTHER), 0);
}

/* The same question has the same answer, whatever was asked in between. */
static void test_keyed(void **state)
{
    struct replay_choice choice;
    uint32_t first[100], seen = 0;
    (void)state;
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 100; i++) {
            uint64_t number = round ? 99 - i : i;
            replay_choice_keyed(&choice, 7, 3, number);
            uint32_t answer = replay_choice_take(&choice, 5, REPLAY_REASON_BUFFER);
            if (round)
                assert_int_equal(answer, first[number]);
            first[number] = answer;
            seen |= 1u << answer;
        }
    assert_int_equal(seen, 31);
}

static void test_bytes(void **state)
{
    static const uint8_t bytes[] = {5, 255, 1, 2};
    struct replay_choice choice;
    (void)state;
    replay_choice_bytes(&choice, bytes, sizeof bytes);
    assert_int_equal(replay_choice_take(&choice, 4, REPLAY_REASON_OTHER), 1);
    assert_int_equal(replay_choice_take(&choice, 256, REPLAY_REASON_OTHER), 255);
    assert_int_equal(replay_choice_take(&choice, 1000, REPLAY_REASON_OTHER), 513);
    assert_int_equal(replay_choice_take(&choice, 10, REPLAY_REASON_OTHER), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),   cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_places), cmocka_unit_test(test_over),
        cmocka_unit_test(test_draw),   cmocka_unit_test(test_delay),
        cmocka_unit_test(test_keyed),  cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_seed),   cmocka_unit_test(test_list),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
