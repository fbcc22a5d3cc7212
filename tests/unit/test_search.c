/* Tests how searches shorten lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/search/shrink.h"

/* A list whose execution ends as before as long as it has all needed entries. */
struct list {
    uint32_t entry[64], count;
    uint64_t needed; /* a bit for each entry */
    uint32_t trials, trials_max;
};

static uint64_t entries_of(const struct list *list)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < list->count; i++)
        entries |= UINT64_C(1) << list->entry[i];
    return entries;
}

static enum core_status try_list(void *context, enum search_trial *out_trial)
{
    struct list *list = context;
    *out_trial = SEARCH_TRIAL_OVER;
    if (list->trials == list->trials_max)
        return CORE_OK;
    list->trials++;
    *out_trial =
        (entries_of(list) & list->needed) == list->needed ? SEARCH_TRIAL_SAME : SEARCH_TRIAL_OTHER;
    return CORE_OK;
}

static enum core_status shrink(struct list *list)
{
    return search_shrink(list->entry, sizeof *list->entry, &list->count, try_list, list);
}

static struct list list_of(uint32_t count, uint64_t needed)
{
    struct list list = {.count = count, .needed = needed, .trials_max = UINT32_MAX};
    for (uint32_t i = 0; i < count; i++)
        list.entry[i] = i;
    return list;
}

/* For every set of needed entries of every short list, exactly these remain. */
static void only_what_is_needed_is_left(void **state)
{
    (void)state;
    for (uint32_t count = 0; count <= 9; count++)
        for (uint64_t needed = 0; needed < UINT64_C(1) << count; needed++) {
            struct list list = list_of(count, needed);
            assert_int_equal(shrink(&list), CORE_OK);
            assert_int_equal(entries_of(&list), needed);
        }
}

static void one_of_many_takes_few_trials(void **state)
{
    struct list list = list_of(64, UINT64_C(1) << 37);
    (void)state;
    assert_int_equal(shrink(&list), CORE_OK);
    assert_int_equal(list.count, 1);
    assert_in_range(list.trials, 7, 20);
}

/* The result is a list that was executed, whenever the trials end. */
static void an_end_of_trials_keeps_the_list(void **state)
{
    (void)state;
    for (uint32_t most = 0; most < 30; most++) {
        struct list list = list_of(16, 0x8421);
        list.trials_max = most;
        assert_int_equal(shrink(&list), CORE_OK);
        assert_int_equal(entries_of(&list) & 0x8421, 0x8421);
        assert_true(list.trials <= most);
    }
}

static enum core_status fails_at_once(void *context, enum search_trial *out_trial)
{
    (void)context;
    *out_trial = SEARCH_TRIAL_SAME;
    return CORE_NO_MEMORY;
}

/* The list is whole afterwards. */
static void a_failed_trial_ends_it(void **state)
{
    struct list list = list_of(3, 0);
    (void)state;
    assert_int_equal(
        search_shrink(list.entry, sizeof *list.entry, &list.count, fails_at_once, NULL),
        CORE_NO_MEMORY);
    assert_int_equal(entries_of(&list), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_needed_is_left),
        cmocka_unit_test(one_of_many_takes_few_trials),
        cmocka_unit_test(an_end_of_trials_keeps_the_list),
        cmocka_unit_test(a_failed_trial_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
