/* Compares the hash table with a list that is searched from the front, for keys of several sizes,
 * and while each allocation fails in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/fault.h"
#include "core/random.h"
#include "core/table.h"

struct place {
    uint32_t x, y, z;
};

struct port {
    uint64_t address;
    uint32_t uses;
};

struct square {
    struct place place;
    uint32_t uses;
};

static void quiet(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
}

/* Checks table.h invariants 1, 2 and 3 from outside. */
static void check_whole(const struct core_table *table)
{
    uint32_t full = 0;

    for (uint32_t i = 0; i < table->slot_count; i++)
        full += table->slot[i] != 0;
    assert_int_equal(full, table->count);
    assert_true(table->count * 2 <= table->slot_count);
    for (uint32_t i = 0; i < table->count; i++)
        assert_ptr_equal(core_table_find(table, core_table_at(table, i)), core_table_at(table, i));
}

static void numbers_are_found_as_in_a_list(void **state)
{
    enum { KEYS = 700, STEPS = 3000 };
    struct core_table table = CORE_TABLE(struct port, address);
    struct port list[KEYS], *port;
    uint32_t count = 0;
    struct core_random random;

    (void)state;
    core_random_init(&random, 5);
    assert_null(core_table_find(&table, &(uint64_t){1}));
    for (int step = 0; step < STEPS; step++) {
        uint64_t key = core_random_below(&random, KEYS) << 33;
        uint32_t at = 0;
        while (at < count && list[at].address != key)
            at++;
        port = core_table_find(&table, &key);
        assert_int_equal(port != NULL, at < count);
        assert_int_equal(core_table_put(&table, &key, "ports", &port), CORE_OK);
        if (at == count)
            list[count++] = (struct port){.address = key};
        assert_true(port->address == key && port->uses == list[at].uses);
        port->uses = ++list[at].uses;
    }
    assert_int_equal(table.count, count);
    for (uint32_t i = 0; i < count; i++) {
        port = core_table_at(&table, i);
        assert_true(port->address == list[i].address && port->uses == list[i].uses);
    }
    check_whole(&table);
    core_table_clear(&table);
    assert_int_equal(table.count, 0);
    assert_null(core_table_find(&table, &list[0].address));
    assert_int_equal(core_table_put(&table, &list[7].address, "ports", &port), CORE_OK);
    assert_true(table.count == 1 && port->uses == 0);
    core_table_done(&table);
    core_table_done(&table);
}

/* Uses keys that share slots, like the ids of active requests. */
static void removed_ones_are_gone(void **state)
{
    enum { KEYS = 60, STEPS = 20000 };
    struct core_table table = CORE_TABLE(struct port, address);
    uint32_t uses[KEYS] = {0}, count = 0; /* 0: not there */
    struct core_random random;
    struct port *port;

    (void)state;
    core_random_init(&random, 11);
    for (uint32_t step = 1; step <= STEPS; step++) {
        uint64_t key = core_random_below(&random, KEYS);
        port = core_table_find(&table, &key);
        assert_int_equal(port ? port->uses : 0, uses[key]);
        if (port) {
            core_table_remove(&table, port);
            uses[key] = 0;
            count--;
        } else {
            assert_int_equal(core_table_put(&table, &key, "ports", &port), CORE_OK);
            port->uses = uses[key] = step;
            count++;
        }
        assert_int_equal(table.count, count);
        if (step % 100 == 0)
            check_whole(&table);
    }
    for (uint64_t key = 0; key < KEYS; key++) {
        port = core_table_find(&table, &key);
        assert_int_equal(port ? port->uses : 0, uses[key]);
    }
    core_table_done(&table);
}

static void structs_are_keys(void **state)
{
    struct core_table table = CORE_TABLE(struct square, place);
    struct square *square;

    (void)state;
    for (uint32_t turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < 1000; i++) {
            struct place place = {i % 10, i / 10 % 10, i / 100};
            assert_int_equal(core_table_put(&table, &place, "squares", &square), CORE_OK);
            assert_int_equal(square->uses++, turn);
        }
    assert_int_equal(table.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        square = core_table_at(&table, i);
        assert_true(square->place.x == i % 10 && square->place.z == i / 100);
    }
    assert_null(core_table_find(&table, &(struct place){10, 0, 0}));
    check_whole(&table);
    core_table_done(&table);
}

static void a_failed_put_leaves_the_table(void **state)
{
    (void)state;
    core_report_hook(quiet, NULL);
    for (int64_t left = 0;; left++) {
        struct core_table table = CORE_TABLE(struct port, address);
        struct port *port = NULL;
        enum core_status status = CORE_OK;
        core_fault_set(left, false);
        for (uint64_t i = 0; i < 300 && !status; i++)
            status = core_table_put(&table, &i, "ports", &port);
        bool failed = core_fault_left < 0;
        core_fault_set(-1, false);
        assert_int_equal(status, failed ? CORE_NO_MEMORY : CORE_OK);
        check_whole(&table);
        for (uint64_t i = table.count; i < 300; i++)
            assert_int_equal(core_table_put(&table, &i, "ports", &port), CORE_OK);
        assert_int_equal(table.count, 300);
        check_whole(&table);
        core_table_done(&table);
        if (!failed)
            break;
    }
    core_report_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_as_in_a_list),
        cmocka_unit_test(removed_ones_are_gone),
        cmocka_unit_test(structs_are_keys),
        cmocka_unit_test(a_failed_put_leaves_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
