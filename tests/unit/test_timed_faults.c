/* Tests the timed clock and the generators without memory: each allocation fails in turn, once or
 * from then on. They must report it, or manage without and give the same result; nothing may leak
 * (SAN=address shows it). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/fault.h"
#include "core/random.h"
#include "model/model.h"
#include "replay/timed/timed.h"

static int reports;

static void count_report(enum core_status status, const char *text, void *context)
{
    (void)text, (void)context;
    reports += status == CORE_NO_MEMORY;
}

static void fail_each_place(const struct replay_program *program,
                            const struct replay_timed_options *options)
{
    struct replay_timed_result whole, result;
    unsigned failed = 0;
    assert_int_equal(replay_timed_run(program, options, &whole), CORE_OK);
    core_report_hook(count_report, NULL);
    for (int for_good = 0; for_good < 2; for_good++)
        for (int64_t place = 0;; place++) {
            reports = 0;
            core_fault_set(place, for_good);
            enum core_status status = replay_timed_run(program, options, &result);
            int met = core_fault_places > (uint64_t)place;
            core_fault_set(-1, false);
            if (status == CORE_OK) {
                assert_int_equal(result.ticks, whole.ticks);
                for (uint32_t r = 0; r < whole.rank_count; r++) {
                    struct replay_timed_rank one = replay_timed_rank_at(&result, r),
                                             other = replay_timed_rank_at(&whole, r);
                    assert_int_equal(one.finish_ps, other.finish_ps);
                    assert_int_equal(one.transfer_ps, other.transfer_ps);
                    assert_int_equal(one.late_sender_ps, other.late_sender_ps);
                    assert_int_equal(one.op, other.op);
                }
                replay_timed_done(&result);
            } else {
                assert_int_equal(status, CORE_NO_MEMORY);
                assert_true(reports > 0);
                failed++;
            }
            if (!met)
                break;
        }
    core_report_hook(NULL, NULL);
    assert_true(failed > 10);
    replay_timed_done(&whole);
}

/* Makes a program with everything for which the clock allocates memory: many messages between few
 * ranks, work, wildcards, collectives. */
static void busy_program(struct replay_program *program, uint64_t seed)
{
    struct core_random random;
    int32_t request[6] = {0};
    core_random_init(&random, seed);
    assert_int_equal(replay_program_init(program, 6), CORE_OK);
    for (int i = 0; i < 90; i++) {
        uint32_t from = (uint32_t)core_random_below(&random, 6),
                 to = (uint32_t)core_random_below(&random, 6);
        replay_add_isend(program, from, (int32_t)to, 0, core_random_below(&random, 500),
                         request[from]++);
        replay_add_irecv(program, to, i % 5 ? (int32_t)from : REPLAY_ANY, i % 5 ? 0 : REPLAY_ANY,
                         500, request[to]++);
    }
    for (uint32_t r = 0; r < 6; r++) {
        replay_program_add(program, r,
                           &(struct replay_op){.kind = REPLAY_COMPUTE, .bytes = 100 * r});
        for (int32_t number = 0; number < 70; number++)
            replay_program_add(
                program, r,
                &(struct replay_op){
                    .kind = REPLAY_COLL, .mode = (uint8_t)(number % 4), .tag = number, .bytes = 8});
    }
    assert_int_equal(replay_program_check(program), CORE_OK);
}

static void test_each_place_fails(void **state)
{
    static const char *const network[] = {NULL, "mesh:2x3", "ring:6", "bus:6"};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int port = 0; port < 3; port++) {
            struct replay_timed_options options = replay_timed_defaults();
            struct replay_topology topology;
            struct replay_program program;
            busy_program(&program, i + 1);
            if (network[i]) {
                replay_topology_parse(network[i], 6, &topology);
                options.topology = &topology;
            }
            options.port = (enum replay_port)port;
            options.half_duplex = i == 2;
            options.routing = i == 1 ? REPLAY_ROUTING_BEST : REPLAY_ROUTING_FIXED;
            options.want_path = i != 3;
            options.eager_bytes = i == 3 ? 200 : -1;
            fail_each_place(&program, &options);
            replay_program_done(&program);
        }
}

static void test_generators_fail(void **state)
{
    const struct model_row *row;
    (void)state;
    core_report_hook(count_report, NULL);
    for (size_t i = 0; (row = model_row_at(i)); i++)
        for (int64_t place = 0;; place++) {
            uint32_t ranks = model_domain_nearest(row->domain, 8);
            struct model_generate_request request = {row->id, ranks, 0, row->parameter ? 3 : 0,
                                                     0,       10,    8};
            struct replay_program program;
            core_fault_set(place, false);
            enum core_status status = model_generate(&request, &program);
            int met = core_fault_places > (uint64_t)place;
            core_fault_set(-1, false);
            if (status == CORE_OK)
                replay_program_done(&program);
            else
                assert_int_equal(status, CORE_NO_MEMORY);
            if (!met)
                break;
        }
    core_report_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_place_fails),
        cmocka_unit_test(test_generators_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
