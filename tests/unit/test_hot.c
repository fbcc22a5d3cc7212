/* Tests that the assertions of inner steps (CORE_CHECK_HOT) are on in the engine that unit tests
 * run, and fire: in a process of its own, each plant damages private fields of a matcher. The twin
 * without damage stays silent. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/matching/queue.h"

static const struct matching_key from_any = {.to = 1, .from = -1, .tag = 7},
                                 message = {.to = 1, .from = 0, .tag = 7};

static void swap_orders(struct matching *match)
{
    uint32_t first = match->queue[1].wild_first, second = match->link[first].after;
    match->link[first].order = match->link[second].order + 1;
}

static void free_what_waits(struct matching *match)
{
    match->entry_free = match->queue[1].wild_first;
}

static const struct plant {
    void (*plant)(struct matching *match);
    const char *expression; /* part of it; NULL: no damage */
} plants[] = {
    {NULL, NULL},
    {swap_orders, "order < match->link"},           /* queue.h invariant 2 */
    {free_what_waits, "match->entry[at].key.to =="} /* a record in use is reused */
};

/* Posts two wildcard receives, damages the matcher, then posts a third and a message. */
static void run(const struct plant *plant)
{
    struct matching match;
    uint32_t entry;
    uint64_t who;
    int32_t from;

    if (matching_init(&match, 2, true, false) != CORE_OK)
        _exit(2);
    for (int i = 0; i < 2; i++)
        matching_receive(&match, &from_any, (uint64_t)i, &from, &who, &entry);
    if (plant->plant)
        plant->plant(&match);
    matching_receive(&match, &from_any, 2, &from, &who, &entry);
    bool taken = matching_send(&match, &message, 3, &who, &entry);
    matching_done(&match);
    _exit(taken && who == 0 ? 0 : 3);
}

static void each_fires(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        int pipes[2], status;
        char text[400];
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
            signal(SIGABRT, SIG_DFL);
            dup2(pipes[1], 2);
            run(&plants[i]);
        }
        close(pipes[1]);
        size_t length = 0;
        for (ssize_t got; (got = read(pipes[0], text + length, sizeof text - 1 - length)) > 0;)
            length += (size_t)got;
        text[length] = 0;
        close(pipes[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!plants[i].expression) {
            assert_int_equal(status, 0);
            assert_int_equal(length, 0);
            continue;
        }
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        if (!strstr(text, "crosswait: bug: core/matching/queue.c:") ||
            !strstr(text, plants[i].expression))
            fail_msg("%zu: %s", i, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_fires)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
