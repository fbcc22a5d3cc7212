/* Compares every fact of every small network with a search over its links, and every route with its
 * distance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "replay/timed/network.h"

enum { NODES_MAX = 64 };

/* Makes the network's matrix from its neighbour function alone. */
static void adjacency(const struct replay_topology *t, uint8_t joined[NODES_MAX][NODES_MAX])
{
    uint32_t next[REPLAY_NEIGHBOURS_MAX];
    memset(joined, 0, NODES_MAX * NODES_MAX);
    for (uint32_t a = 0; a < t->ranks; a++)
        for (uint32_t b = 0; b < t->ranks; b++) {
            uint32_t here = replay_topology_node(t, a), there = replay_topology_node(t, b);
            while (here != there) {
                uint32_t count = replay_topology_next(t, here, there, next);
                assert_true(count > 0);
                for (uint32_t i = 0; i < count; i++)
                    joined[here][next[i]] = joined[next[i]][here] = 1;
                here = next[0];
            }
        }
}

static uint64_t search_diameter(const struct replay_topology *t,
                                uint8_t joined[NODES_MAX][NODES_MAX])
{
    uint64_t far = 0;
    for (uint32_t a = 0; a < t->ranks; a++) {
        int32_t steps[NODES_MAX];
        uint32_t queue[NODES_MAX], head = 0, tail = 0;
        memset(steps, -1, sizeof steps);
        queue[tail++] = replay_topology_node(t, a);
        steps[queue[0]] = 0;
        for (; head < tail; head++)
            for (uint32_t n = 0; n < t->nodes; n++)
                if (joined[queue[head]][n] && steps[n] < 0) {
                    steps[n] = steps[queue[head]] + 1;
                    queue[tail++] = n;
                }
        for (uint32_t b = 0; b < t->ranks; b++) {
            uint32_t node = replay_topology_node(t, b);
            assert_int_equal(steps[node], replay_topology_distance(t, queue[0], node));
            assert_int_equal(steps[node], replay_topology_route(t, a, b, NULL, 0));
            if ((uint64_t)steps[node] > far)
                far = (uint64_t)steps[node];
        }
    }
    return far;
}

/* Returns the smallest cut between halves of the ranks, with switches on the cheaper side. At most
 * 16 nodes. */
static uint64_t search_bisection(const struct replay_topology *t,
                                 uint8_t joined[NODES_MAX][NODES_MAX], int halves)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t side = 1; side < (1u << t->nodes) - 1; side++) {
        uint32_t inside = 0;
        uint64_t cut = 0;
        for (uint32_t r = 0; r < t->ranks; r++)
            inside += side >> replay_topology_node(t, r) & 1;
        if (halves ? inside != t->ranks / 2 : inside == 0 || inside == t->ranks)
            continue;
        for (uint32_t a = 0; a < t->nodes; a++)
            for (uint32_t b = a + 1; b < t->nodes; b++)
                cut += joined[a][b] && (side >> a & 1) != (side >> b & 1);
        if (cut < best)
            best = cut;
    }
    return best;
}

static void check_against_search(const char *text)
{
    struct replay_topology t;
    struct replay_topology_facts facts;
    uint8_t joined[NODES_MAX][NODES_MAX];
    uint64_t links = 0, degree = 0;
    char again[REPLAY_TEXT_MAX];

    assert_int_equal(replay_topology_parse(text, 0, &t), CORE_OK);
    assert_string_equal(replay_topology_text(&t, again), text);
    replay_topology_facts(&t, &facts);
    adjacency(&t, joined);
    for (uint32_t a = 0; a < t.nodes; a++) {
        uint64_t here = 0;
        for (uint32_t b = 0; b < t.nodes; b++)
            here += joined[a][b];
        links += here;
        degree = here > degree ? here : degree;
    }
    assert_int_equal(facts.links, links / 2);
    assert_int_equal(facts.degree, degree);
    assert_int_equal(facts.diameter, search_diameter(&t, joined));
    if (t.nodes <= 16) {
        assert_int_equal(facts.bisection, search_bisection(&t, joined, 1));
        assert_int_equal(facts.connectivity, search_bisection(&t, joined, 0));
    }
}

static void test_facts_equal_a_search(void **state)
{
    static const char *const text[] = {
        "full:2",          "full:7",          "full:8",           "star:2",      "star:5",
        "star:8",          "line:2",          "line:7",           "line:8",      "ring:2",
        "ring:3",          "ring:7",          "ring:8",           "mesh:1x1x2",  "mesh:3x3",
        "mesh:4x4",        "mesh:2x5",        "mesh:3x5",         "mesh:2x3x2",  "mesh:5x3",
        "torus:3x3",       "torus:4x4",       "torus:2x2x2",      "torus:3x2",   "torus:3x5",
        "torus:4x3",       "torus:2x7",       "torus:2x2x3",      "hypercube:2", "hypercube:4",
        "hypercube:8",     "hypercube:16",    "tree:2",           "tree:4",      "tree:8",
        "complete-tree:3", "complete-tree:7", "complete-tree:15", "mesh:3x4x5",  "torus:5x4x3",
        "hypercube:64",    "tree:32",         "complete-tree:63", "pipeline:8"};
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        check_against_search(text[i]);
}

static void test_routes_are_the_stated_ones(void **state)
{
    struct replay_topology t;
    uint64_t link[8];
    (void)state;

    replay_topology_parse("mesh:3x3", 0, &t); /* along the row first: 0 1 2 5 8 */
    assert_int_equal(replay_topology_route(&t, 0, 8, link, 8), 4);
    assert_int_equal(link[0], replay_topology_link(&t, 0, 1));
    assert_int_equal(link[1], replay_topology_link(&t, 1, 2));
    assert_int_equal(link[2], replay_topology_link(&t, 2, 5));
    assert_int_equal(link[3], replay_topology_link(&t, 5, 8));
    replay_topology_parse("hypercube:8", 0, &t); /* lowest bit first: 5 4 6 2 */
    assert_int_equal(replay_topology_route(&t, 5, 2, link, 8), 3);
    assert_int_equal(link[0], replay_topology_link(&t, 5, 4));
    assert_int_equal(link[1], replay_topology_link(&t, 4, 6));
    assert_int_equal(link[2], replay_topology_link(&t, 6, 2));
    assert_int_not_equal(link[2], replay_topology_link(&t, 2, 6)); /* two directions, two links */
    replay_topology_parse("ring:8", 0, &t);
    assert_int_equal(replay_topology_route(&t, 6, 1, link, 8), 3);
    assert_int_equal(link[1], replay_topology_link(&t, 7, 0));
    replay_topology_parse("bus:8", 0, &t);
    assert_int_equal(replay_topology_route(&t, 6, 1, link, 8), 1);
    assert_int_equal(replay_topology_link(&t, 6, 1), replay_topology_link(&t, 2, 3));
}

static char message[512];

static void keep(enum core_status status, const char *text, void *context)
{
    (void)status, (void)context;
    snprintf(message, sizeof message, "%s", text);
}

static void test_impossible_networks_are_refused(void **state)
{
    static const struct {
        const char *text;
        uint32_t ranks;
        const char *says;
    } scene[] = {
        {"mesh", 7, "the nearest is 9"},      {"torus", 5, "the nearest is 4"},
        {"hypercube", 6, "the nearest is 4"}, {"hypercube", 7, "the nearest is 8"},
        {"tree", 12, "the nearest is 8"},     {"complete-tree", 8, "the nearest is 7"},
        {"mesh:4x4", 15, "has 16 ranks"},     {"mesh:4x", 0, "cannot read"},
        {"mesh:4x-1", 0, "cannot read"},      {"mesh:0x4", 0, "of 0 ranks"},
        {"ring", 0, "number of ranks"},       {"ring:2x2", 0, "one size"},
        {"moebius", 4, "unknown topology"},   {"mesh:4294967296", 0, "too large"},
        {"mesh:2000x2000", 0, "more than"},   {"complete-tree", 12, "the nearest is 15"},
        {"", 4, "unknown topology"},          {"ring:0", 0, "from 1 to"},
    };
    struct replay_topology t;
    (void)state;
    core_report_hook(keep, NULL);
    for (size_t i = 0; i < sizeof scene / sizeof *scene; i++) {
        message[0] = 0;
        assert_int_equal(replay_topology_parse(scene[i].text, scene[i].ranks, &t), CORE_BAD_INPUT);
        if (!strstr(message, scene[i].says))
            fail_msg("'%s' does not say '%s'", message, scene[i].says);
    }
    core_report_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts_equal_a_search),
        cmocka_unit_test(test_routes_are_the_stated_ones),
        cmocka_unit_test(test_impossible_networks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
