/* Lets each allocation of the engine fail, once or from then on: it must report an error, leak
 * nothing, and give no wrong verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/search/explore.h"
#include "replay/search/need.h"

#if defined(__SANITIZE_ADDRESS__) /* its own allocator cannot be made to fail like this: \
                                     everything runs, once, without faults */
static long fail_at = -1, asked, live;
static int fail_on;
#else
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static long fail_at = -1, asked, live; /* fail_at < 0: nothing is counted */
static int fail_on;                    /* all further ones too */

static int fails(void)
{
    if (fail_at < 0)
        return 0;
    asked++;
    return asked == fail_at || (fail_on && asked > fail_at && fail_at > 0);
}

void *malloc(size_t bytes)
{
    void *made = fails() ? NULL : __libc_malloc(bytes);
    live += fail_at >= 0 && made;
    return made;
}

void *calloc(size_t count, size_t bytes)
{
    void *made = fails() ? NULL : __libc_calloc(count, bytes);
    live += fail_at >= 0 && made;
    return made;
}

void *realloc(void *old, size_t bytes)
{
    if (fails())
        return NULL;
    void *made = __libc_realloc(old, bytes);
    live += fail_at >= 0 && made && !old;
    return made;
}

void free(void *old)
{
    live -= fail_at >= 0 && old;
    __libc_free(old);
}
#endif

static void quiet(enum core_status status, const char *message, void *context)
{
    (void)status;
    (void)message;
    (void)context;
}

static enum core_status add(struct replay_program *program, uint32_t rank, enum replay_op_kind kind,
                            int peer, int tag, int request, int mode)
{
    struct replay_op op = {.kind = (uint8_t)kind,
                           .mode = (uint8_t)mode,
                           .peer = peer,
                           .tag = tag,
                           .bytes = 8,
                           .request = request,
                           .matched = REPLAY_ANY};
    return replay_program_add(program, rank, &op);
}

/* Makes a program with a bit of everything, on five ranks; it hangs if sends do not buffer. */
static enum core_status make(struct replay_program *program)
{
    enum core_status status = replay_program_init(program, 5);
    if (status != CORE_OK)
        return status;
    for (uint32_t rank = 0; rank < 5 && status == CORE_OK; rank++) {
        int left = (int)(rank + 4) % 5, right = (int)(rank + 1) % 5;
        const enum core_status each[] = {
            add(program, rank, REPLAY_COLL, 0, 0, 0, REPLAY_COLL_PREFIX),
            add(program, rank, REPLAY_ICOLL, 0, 1, 0, REPLAY_COLL_FROM_ROOT),
            add(program, rank, REPLAY_ISEND, right, 1, 1, REPLAY_STANDARD),
            add(program, rank, REPLAY_WAIT, 0, 0, 1, 0),
            add(program, rank, REPLAY_IRECV, rank % 2 ? REPLAY_ANY : left, 1, 2, 0),
            add(program, rank, REPLAY_WAIT, 0, 0, 0, 0),
            add(program, rank, REPLAY_WAIT, 0, 0, 2, 0),
            add(program, rank, REPLAY_LOCK, 0, 0, 0, REPLAY_LOCK_EXCLUSIVE),
            add(program, rank, REPLAY_UNLOCK, 0, 0, 0, 0),
            add(program, rank, REPLAY_SEND, right, 2, 0, REPLAY_STANDARD),
            add(program, rank, REPLAY_MPROBE, left, 2, 3, 0),
            add(program, rank, REPLAY_MRECV, 0, 0, 3, 0),
        };
        for (size_t i = 0; i < sizeof each / sizeof *each; i++)
            if (each[i] != CORE_OK)
                status = each[i];
    }
    if (status == CORE_OK)
        status = replay_program_check(program);
    if (status != CORE_OK)
        replay_program_done(program);
    return status;
}

/* Runs everything once; the verdicts must be right unless it returns an error. */
static enum core_status everything(void)
{
    struct replay_program program;
    struct replay_explore_options options = {.sends = true, .runs_max = 200, .keep_going = true};
    struct replay_exploration found;
    struct replay_policy policy;
    struct replay_result result;
    struct replay_need need;

    enum core_status status = make(&program);
    if (status != CORE_OK)
        return status;
    status = replay_policy_parse("buffering=eager order=random coll=relaxed delay=uniform:1",
                                 REPLAY_OFFLINE, &policy);
    if (status == CORE_OK) {
        status = replay_run_once(&program, &policy, &result);
        if (status == CORE_OK) {
            assert_int_equal(result.outcome, REPLAY_FINISHED);
            replay_result_done(&result);
        }
        replay_policy_done(&policy);
    }
    if (status == CORE_OK && (status = replay_need_find(&program, NULL, NULL, &need)) == CORE_OK) {
        assert_true(need.ever && !need.always && need.safe_bytes == 8);
        replay_need_done(&need);
    }
    if (status == CORE_OK &&
        (status = replay_policy_parse("", REPLAY_OFFLINE, &options.policy)) == CORE_OK) {
        status = replay_explore(&program, &options, &found);
        if (status == CORE_OK) {
            assert_int_equal(found.verdict, REPLAY_VERDICT_DEADLOCK);
            assert_non_null(found.witness);
            replay_exploration_done(&found);
        }
        replay_policy_done(&options.policy);
    }
    replay_program_done(&program);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    core_report_hook(quiet, NULL);
    for (fail_on = 0; fail_on < 2; fail_on++) {
        long step = 1;
        enum core_status status;
        fail_at = 0;
        asked = 0;
        status = everything(); /* counts */
        long count = asked;
        fail_at = -1;
        assert_int_equal(status, CORE_OK);
#if !defined(__SANITIZE_ADDRESS__)
        assert_true(count > 100);
#endif
        for (long at = 1; at <= count; at += step) {
            if (at > 400) /* the first ones one by one, then samples of the many that explorations
                             make */
                step = 7;
            asked = live = 0;
            fail_at = at;
            status = everything();
            fail_at = -1;
            assert_true(status == CORE_OK || status == CORE_NO_MEMORY);
            if (fail_on)
                assert_int_equal(status, CORE_NO_MEMORY);
            if (live != 0)
                fail_msg("%ld allocations left after failing the %ldth", live, at);
        }
    }
    core_report_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
