/* The policy's text form, and the source of chance. */
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

static void check(const char *text, const char *canonical)
{
    struct replay_policy policy, copy, again;
    assert_int_equal(replay_policy_parse(text, &policy), CORE_OK);
    char *printed = replay_policy_text(&policy);
    assert_string_equal(printed, canonical);
    assert_int_equal(replay_policy_copy(&policy, &copy), CORE_OK);
    assert_int_equal(replay_policy_parse(printed, &again), CORE_OK);
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

static void test_text(void **state)
{
    (void)state;
    check(NULL, "buffering=rendezvous delay=none order=recorded coll=synchronising seed=1");
    check("  seed=7\tcoll=relaxed ",
          "buffering=rendezvous delay=none order=recorded coll=relaxed seed=7");
    check("buffering=eager:4K",
          "buffering=eager:4096 delay=none order=recorded coll=synchronising seed=1");
    check("buffering=eager", "buffering=eager delay=none order=recorded coll=synchronising seed=1");
    check("buffering=credits:3 delay=heavy:200",
          "buffering=credits:3 delay=heavy:200 order=recorded coll=synchronising seed=1");
    check("buffering=pool:1M delay=slow-link:3-4",
          "buffering=pool:1048576 delay=slow-link:3-4 order=recorded coll=synchronising seed=1");
    check("buffering=random:100 delay=swarm order=random",
          "buffering=random:100 delay=swarm order=random coll=synchronising seed=1");
    check("buffering=list:1.5,0.17,0.3,1.5",
          "buffering=list:0.3,0.17,1.5 delay=none order=recorded coll=synchronising seed=1");
    check("buffering=only:2.2",
          "buffering=only:2.2 delay=none order=recorded coll=synchronising seed=1");
    check("buffering=list:", "buffering=list: delay=none order=recorded coll=synchronising seed=1");
    check(
        "order=list:3.9=0,2.1=7 delay=slow-rank:5",
        "buffering=rendezvous delay=slow-rank:5 order=list:2.1=7,3.9=0 coll=synchronising seed=1");
    check("seed=18446744073709551615", "buffering=rendezvous delay=none order=recorded "
                                       "coll=synchronising seed=18446744073709551615");
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
        if (replay_policy_parse(bad[i], &policy) != CORE_BAD_INPUT)
            fail_msg("'%s' was not refused", bad[i]);
        assert_non_null(strstr(said, "policy: '"));
    }
    core_report_hook(NULL, NULL);
}

static void test_many_names(void **state)
{
    struct replay_policy policy;
    (void)state;
    replay_policy_init(&policy);
    for (uint32_t i = 1000; i-- > 0;)
        assert_int_equal(replay_policy_add_send(&policy, i % 7, i), CORE_OK);
    assert_int_equal(policy.send_count, 1000);
    for (uint32_t i = 1; i < 1000; i++)
        assert_true(policy.send[i - 1].rank < policy.send[i].rank ||
                    (policy.send[i - 1].rank == policy.send[i].rank &&
                     policy.send[i - 1].id < policy.send[i].id));
    replay_policy_done(&policy);
}

static void test_seed(void **state)
{
    struct replay_choice a, b;
    uint32_t seen = 0;
    (void)state;
    replay_choice_seed(&a, 42);
    replay_choice_seed(&b, 42);
    replay_choice_keep(&a);
    for (int i = 0; i < 1000; i++) {
        uint32_t answer = replay_choice_take(&a, 3, REPLAY_REASON_OTHER);
        assert_int_equal(answer, replay_choice_take(&b, 3, REPLAY_REASON_OTHER));
        assert_int_equal(replay_choice_take(&a, 1, REPLAY_REASON_OTHER), 0);
        seen |= 1u << answer;
    }
    assert_int_equal(seen, 7);
    assert_int_equal(a.depth, 1000);
    struct replay_choice list; /* what was kept repeats the run */
    replay_choice_list(&list, a.answer, a.depth);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(replay_choice_take(&list, 3, REPLAY_REASON_OTHER), a.answer[i]);
    assert_int_equal(replay_choice_take(&list, 3, REPLAY_REASON_OTHER), 0);
    replay_choice_done(&a);
    replay_choice_done(&b);
    replay_choice_done(&list);
}

/* A tree whose shape depends on the answers: every leaf once, in order. */
static void test_tree(void **state)
{
    struct replay_choice choice;
    uint32_t leaves = 0, before = 0;
    (void)state;
    replay_choice_tree(&choice);
    do {
        uint32_t first = replay_choice_take(&choice, 3, REPLAY_REASON_OTHER), leaf = first * 100;
        for (uint32_t i = 0; i < first; i++)
            leaf = leaf + replay_choice_take(&choice, 2, REPLAY_REASON_OTHER) * (i ? 1 : 10) + 1;
        assert_true(leaves == 0 || leaf > before);
        before = leaf;
        leaves++;
    } while (replay_choice_next(&choice));
    assert_int_equal(leaves, 1 + 2 + 4);
    replay_choice_done(&choice);
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
    replay_choice_done(&choice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),       cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_many_names), cmocka_unit_test(test_seed),
        cmocka_unit_test(test_tree),       cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
