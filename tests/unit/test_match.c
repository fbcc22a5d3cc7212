/* Compares the matcher with a naive one that follows MPI's rules word for word, on random programs.
 * An argument sets the number of programs of each kind; the default is a few thousand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "core/matching/queue.h"

enum { ENTRIES_MAX = 400 };
static uint64_t programs = 4000;

struct naive_entry {
    struct matching_key key;
    uint64_t who;
};
struct naive { /* in the order of posting */
    struct naive_entry receive[ENTRIES_MAX], message[ENTRIES_MAX];
    uint32_t receives, messages;
};

static bool accepts(const struct matching_key *receive, const struct matching_key *message)
{
    return receive->to == message->to && receive->comm == message->comm &&
           (receive->from == -1 || receive->from == message->from) &&
           (receive->tag == -1 || receive->tag == message->tag);
}

static void drop(struct naive_entry *list, uint32_t *count, uint32_t at)
{
    memmove(list + at, list + at + 1, (*count - at - 1) * sizeof *list);
    --*count;
}

/* Returns the receive that matches message m by the rules, the first posted one that accepts it:
 * index + 1; 0: none. */
static uint32_t owner(const struct naive *n, uint32_t m)
{
    for (uint32_t r = 0; r < n->receives; r++)
        if (accepts(&n->receive[r].key, &n->message[m].key))
            return r + 1;
    return 0;
}

/* Tells whether receive r can match message m now: m belongs to it, and is the first message of its
 * source that r accepts. */
static bool can_take(const struct naive *n, uint32_t r, uint32_t m)
{
    if (owner(n, m) != r + 1)
        return false;
    for (uint32_t k = 0; k < m; k++)
        if (n->message[k].key.from == n->message[m].key.from &&
            accepts(&n->receive[r].key, &n->message[k].key))
            return false;
    return true;
}

static void random_key(struct core_random *random, uint32_t ranks, uint32_t tags, bool receive,
                       uint32_t wild, struct matching_key *key)
{
    key->to = (uint32_t)core_random_below(random, ranks);
    key->comm = (uint32_t)core_random_below(random, 2);
    key->from = (int32_t)core_random_below(random, ranks);
    key->tag = (int32_t)core_random_below(random, tags);
    if (receive && core_random_below(random, 100) < wild)
        key->from = -1;
    if (receive && core_random_below(random, 100) < wild)
        key->tag = -1;
}

/* Tests the matcher's immediate choice: messages by arrival, receives by posting. */
static void run_immediate(struct core_random *random, uint32_t wild)
{
    struct matching match;
    static struct naive n;
    uint32_t ranks = 1 + (uint32_t)core_random_below(random, 4),
             tags = 1 + (uint32_t)core_random_below(random, 3);
    uint32_t length = 1 + (uint32_t)core_random_below(random, ENTRIES_MAX - 1);

    n.receives = n.messages = 0;
    assert_int_equal(matching_init(&match, ranks, wild > 0, false), CORE_OK);
    for (uint32_t who = 0; who < length; who++) {
        struct matching_key key;
        uint64_t other = 0, expected = UINT64_MAX;
        uint32_t entry;
        int32_t from = -1;
        bool is_receive = core_random_below(random, 2), got;
        random_key(random, ranks, tags, is_receive, wild, &key);
        if (core_random_below(random, 20) == 0 && n.receives) { /* cancel */
            uint32_t at = (uint32_t)core_random_below(random, n.receives);
            entry = matching_find(&match, &n.receive[at].key, true, n.receive[at].who);
            assert_int_not_equal(entry, MATCHING_NONE);
            matching_remove(&match, entry);
            drop(n.receive, &n.receives, at);
        }
        if (is_receive) {
            uint32_t m = 0;
            while (m < n.messages && !accepts(&key, &n.message[m].key))
                m++;
            if (wild) { /* probe sees the same message and changes nothing */
                uint32_t probed = matching_probe(&match, &key);
                assert_int_equal(probed != MATCHING_NONE, m < n.messages);
            }
            got = matching_receive(&match, &key, who, &from, &other, &entry);
            assert_int_equal(got, m < n.messages);
            if (got) {
                expected = n.message[m].who;
                assert_int_equal(from, n.message[m].key.from);
                drop(n.message, &n.messages, m);
            } else
                n.receive[n.receives++] = (struct naive_entry){key, who};
        } else {
            uint32_t r = 0;
            while (r < n.receives && !accepts(&n.receive[r].key, &key))
                r++;
            got = matching_send(&match, &key, who, &other, &entry);
            assert_int_equal(got, r < n.receives);
            if (got) {
                expected = n.receive[r].who;
                drop(n.receive, &n.receives, r);
            } else
                n.message[n.messages++] = (struct naive_entry){key, who};
        }
        if (got)
            assert_int_equal(other, expected);
        assert_int_equal(matching_count(&match), n.receives + n.messages);
        if (core_random_below(random, 200) == 0) {
            matching_reset(&match);
            n.receives = n.messages = 0;
        }
    }
    matching_done(&match);
}

static void naive_take(struct naive *n, uint64_t send, uint64_t receive)
{
    uint32_t m = 0, r = 0;
    while (n->message[m].who != send)
        m++;
    while (n->receive[r].who != receive)
        r++;
    assert_true(m < n->messages && r < n->receives);
    drop(n->message, &n->messages, m);
    drop(n->receive, &n->receives, r);
}

/* No receive with a named source that can match may remain; each pair of the matcher must be right.
 */
static uint32_t settle(struct matching *match, struct naive *n, uint32_t to)
{
    struct matching_pair pair;
    uint32_t pairs = 0;
    for (; matching_settle(match, to, &pair); pairs++) {
        uint32_t m = 0, r = 0;
        while (m < n->messages && n->message[m].who != pair.send)
            m++;
        while (r < n->receives && n->receive[r].who != pair.receive)
            r++;
        assert_true(m < n->messages && r < n->receives);
        assert_true(can_take(n, r, m) && n->receive[r].key.from >= 0);
        naive_take(n, pair.send, pair.receive);
    }
    for (uint32_t m = 0; m < n->messages; m++)
        for (uint32_t r = 0; r < n->receives; r++)
            assert_false(n->receive[r].key.from >= 0 && can_take(n, r, m));
    return pairs;
}

/* Tells whether a receive is the first pending one with its key. */
static bool is_first_of_key(const struct naive *n, uint32_t r)
{
    for (uint32_t i = 0; i < r; i++)
        if (memcmp(&n->receive[i].key, &n->receive[r].key, sizeof n->receive[r].key) == 0)
            return false;
    return true;
}

/* Checks that every pending wildcard has exactly the candidates that the rules allow; a later one
 * of the same key has none. */
static void check_candidates(struct matching *match, const struct naive *n, uint32_t to)
{
    uint32_t found[16], waiting = 0, expected_waiting = 0, before = 0, offers = 0;
    for (uint32_t r = 0; r < n->receives; r++) {
        if (n->receive[r].key.to != to || n->receive[r].key.from >= 0)
            continue;
        expected_waiting += is_first_of_key(n, r);
        for (uint32_t m = 0; m < n->messages; m++)
            assert_true(is_first_of_key(n, r) || !can_take(n, r, m));
    }
    for (uint32_t at = matching_wild(match, to, MATCHING_NONE); at;
         at = matching_wild(match, to, at)) {
        struct matching_key key, message;
        uint64_t who, send;
        uint32_t r = 0, expected = 0;
        matching_get(match, at, &key, &who);
        if (key.from >= 0)
            continue;
        waiting++;
        while (n->receive[r].who != who)
            r++;
        assert_true(r >= before); /* in post order */
        before = r + 1;
        uint32_t count = matching_candidates(match, at, found, 16);
        for (uint32_t m = 0; m < n->messages; m++)
            expected += can_take(n, r, m);
        assert_int_equal(count, expected);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t m = 0;
            matching_get(match, found[i], &message, &send);
            while (n->message[m].who != send)
                m++;
            assert_true(can_take(n, r, m));
            assert_int_equal(matching_candidate(match, at, message.from), found[i]);
            assert_int_equal(matching_taker(match, found[i]), at);
            offers++;
        }
    }
    assert_int_equal(waiting, expected_waiting);
    for (uint32_t at = matching_message(match, to, MATCHING_NONE); at;
         at = matching_message(match, to, at))
        offers -= matching_taker(match, at) != MATCHING_NONE;
    assert_int_equal(offers, 0); /* the same pairs from the messages' side */
}

static void run_deferred(struct core_random *random)
{
    struct matching match;
    static struct naive n;
    uint32_t ranks = 1 + (uint32_t)core_random_below(random, 4),
             tags = 1 + (uint32_t)core_random_below(random, 3);
    uint32_t length = 1 + (uint32_t)core_random_below(random, 60);

    n.receives = n.messages = 0;
    assert_int_equal(matching_init(&match, ranks, true, true), CORE_OK);
    for (uint32_t who = 0; who < length; who++) {
        struct matching_key key, message;
        uint64_t other, send;
        uint32_t entry, found[16];
        int32_t from;
        bool is_receive = core_random_below(random, 2);
        random_key(random, ranks, tags, is_receive, 40, &key);
        if (is_receive) {
            n.receive[n.receives++] = (struct naive_entry){key, who};
            if (matching_receive(&match, &key, who, &from, &other, &entry)) {
                uint32_t m = 0;
                while (n.message[m].who != other)
                    m++;
                assert_true(key.from >= 0 && can_take(&n, n.receives - 1, m));
                naive_take(&n, other, who);
            }
        } else {
            n.message[n.messages++] = (struct naive_entry){key, who};
            if (matching_send(&match, &key, who, &other, &entry)) {
                uint32_t r = 0;
                while (n.receive[r].who != other)
                    r++;
                assert_true(n.receive[r].key.from >= 0 && can_take(&n, r, n.messages - 1));
                naive_take(&n, who, other);
            }
        }
        assert_int_equal(settle(&match, &n, key.to), 0); /* posting settles itself */
        check_candidates(&match, &n, key.to);
        uint32_t at = matching_wild(&match, key.to, MATCHING_NONE);
        if (!at || core_random_below(random, 3))
            continue;
        matching_get(&match, at, &message, &other);
        uint32_t count = message.from < 0 ? matching_candidates(&match, at, found, 16) : 0;
        if (!count)
            continue;
        uint32_t chosen = found[core_random_below(random, count)];
        matching_get(&match, chosen, &message, &send);
        matching_take(&match, at, chosen);
        naive_take(&n, send, other);
        settle(&match, &n, key.to);
        check_candidates(&match, &n, key.to);
    }
    matching_done(&match);
}

static void test_exact(void **state)
{
    struct core_random random;
    (void)state;
    core_random_init(&random, 1);
    for (uint64_t i = 0; i < programs; i++)
        run_immediate(&random, 0);
}

/* core/matching/queue.h invariants 1 and 2 */
static void test_wild(void **state)
{
    struct core_random random;
    (void)state;
    core_random_init(&random, 2);
    for (uint64_t i = 0; i < programs; i++)
        run_immediate(&random, (uint32_t)core_random_below(&random, 60) + 1);
}

/* core/matching/queue.h invariant 3 */
static void test_deferred(void **state)
{
    struct core_random random;
    (void)state;
    core_random_init(&random, 3);
    for (uint64_t i = 0; i < programs; i++)
        run_deferred(&random);
}

/* Any number of pre-posted receives with one source and tag must keep their order. */
static void test_order_of_many(void **state)
{
    struct matching match;
    struct matching_key key = {.to = 0, .from = 1, .tag = 7};
    uint64_t other;
    uint32_t entry;
    int32_t from;
    (void)state;
    assert_int_equal(matching_init(&match, 2, false, false), CORE_OK);
    for (uint32_t i = 0; i < 100000; i++)
        assert_false(matching_receive(&match, &key, i, &from, &other, &entry));
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(matching_send(&match, &key, i, &other, &entry));
        assert_int_equal(other, i);
    }
    matching_done(&match);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_wild),
        cmocka_unit_test(test_deferred),
        cmocka_unit_test(test_order_of_many),
    };
    if (argc > 1)
        programs = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
