/* Tests the meanings of calls: text forms of traits and verbs, and that every row of the call table
 * has a meaning that fits its class. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/trace/event.h"
#include "core/trace/traits.h"
#include "tests/unit/meaning.h"

static void words_go_there_and_back(void **state)
{
    char text[TRAITS_TEXT_BYTES];
    uint64_t all = (UINT64_C(1) << TRAIT_COUNT) - 1, set = 1;

    (void)state;
    for (int i = 0; i < TRAIT_COUNT; i++) {
        assert_true(traits_read(trait_text((enum trait)i), &set));
        assert_true(set == UINT64_C(1) << i);
        traits_write(set, text);
        assert_string_equal(text, trait_text((enum trait)i));
    }
    for (int i = 0; i < VERB_COUNT; i++)
        assert_int_equal(verb_find(verb_text((enum verb)i)), i);
    traits_write(all, text);
    assert_true(traits_read(text, &set) && set == all);
    traits_write(0, text);
    assert_true(traits_read(text, &set) && set == 0);
    assert_null(trait_text(TRAIT_COUNT));
    assert_null(verb_text(VERB_COUNT));
    assert_int_equal(verb_find("no such verb"), VERB_COUNT);
}

static void what_is_no_trait_is_refused(void **state)
{
    static const char *const bad[] = {"send", "sends,",         "sends,recv",
                                      ",",    "sends receives", "sends,,polls"};
    uint64_t set;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(traits_read(bad[i], &set));
}

static void every_call_has_a_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof call_meanings / sizeof *call_meanings; i++)
        if (!call_meanings[i].traits && call_meanings[i].verb == VERB_NONE)
            fail_msg("%s has neither traits nor a verb", call_meanings[i].name);
}

/* Some classes determine the traits of their calls. */
static void classes_and_traits_agree(void **state)
{
    static const struct {
        enum event_class class;
        uint64_t has, only; /* traits that all calls of the class have, and that no other has */
    } row[] = {
        {EVENT_CLASS_SEND, TRAIT_BIT(SENDS), 0},
        {EVENT_CLASS_ISEND, TRAIT_BIT(SENDS) | TRAIT_BIT(MAKES_REQUEST), 0},
        {EVENT_CLASS_SEND_INIT, TRAIT_BIT(SENDS) | TRAIT_BIT(PERSISTENT), 0},
        {EVENT_CLASS_RECV, TRAIT_BIT(RECEIVES), 0},
        {EVENT_CLASS_IRECV, TRAIT_BIT(RECEIVES) | TRAIT_BIT(MAKES_REQUEST), 0},
        {EVENT_CLASS_RECV_INIT, TRAIT_BIT(RECEIVES) | TRAIT_BIT(PERSISTENT), 0},
        {EVENT_CLASS_SENDRECV, TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES), 0},
        {EVENT_CLASS_ISENDRECV, TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES) | TRAIT_BIT(MAKES_REQUEST),
         TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES) | TRAIT_BIT(MAKES_REQUEST)},
        {EVENT_CLASS_READY, TRAIT_BIT(PARTITIONED), 0},
        {EVENT_CLASS_START, TRAIT_BIT(STARTS), TRAIT_BIT(STARTS)},
        {EVENT_CLASS_CANCEL, TRAIT_BIT(CANCELS), TRAIT_BIT(CANCELS)},
        {EVENT_CLASS_REQUEST_FREE, TRAIT_BIT(FREES_REQUEST), TRAIT_BIT(FREES_REQUEST)},
        {EVENT_CLASS_REQUEST_STATUS,
         TRAIT_BIT(POLLS) | TRAIT_BIT(KEEPS_REQUEST) | TRAIT_BIT(COMPLETES_ONE),
         TRAIT_BIT(KEEPS_REQUEST) | TRAIT_BIT(COMPLETES_ONE)},
        {EVENT_CLASS_TESTSOME, TRAIT_BIT(POLLS) | TRAIT_BIT(COMPLETES_SOME), 0},
        {EVENT_CLASS_MRECV, TRAIT_BIT(RECEIVES) | TRAIT_BIT(MATCHED), 0},
        {EVENT_CLASS_IMPROBE, TRAIT_BIT(PROBES) | TRAIT_BIT(MATCHED) | TRAIT_BIT(POLLS), 0},
        {EVENT_CLASS_COLL, TRAIT_BIT(COLLECTIVE), 0},
        {EVENT_CLASS_ICOLL, TRAIT_BIT(COLLECTIVE) | TRAIT_BIT(MAKES_REQUEST), 0},
        {EVENT_CLASS_COLL_INIT, TRAIT_BIT(COLLECTIVE) | TRAIT_BIT(PERSISTENT), 0},
        {EVENT_CLASS_COMM_CREATE, TRAIT_BIT(MAKES_COMM), 0},
        {EVENT_CLASS_COMM_FREE, TRAIT_BIT(FREES_COMM), TRAIT_BIT(FREES_COMM)},
        {EVENT_CLASS_WIN_CREATE, TRAIT_BIT(MAKES_WIN) | TRAIT_BIT(COLLECTIVE),
         TRAIT_BIT(MAKES_WIN)},
        {EVENT_CLASS_RMA, TRAIT_BIT(WINDOW), 0},
        {EVENT_CLASS_FILE_COLL, TRAIT_BIT(FILE) | TRAIT_BIT(COLLECTIVE),
         TRAIT_BIT(FILE) | TRAIT_BIT(COLLECTIVE)},
        {EVENT_CLASS_SPAWN, TRAIT_BIT(DYNAMIC), TRAIT_BIT(DYNAMIC)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof call_meanings / sizeof *call_meanings; i++)
        for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
            uint64_t traits = call_meanings[i].traits;
            bool is = call_meanings[i].class == row[k].class;
            if (is && (traits & row[k].has) != row[k].has)
                fail_msg("%s is of class %s, and has not its traits", call_meanings[i].name,
                         event_class_text(row[k].class));
            if (!is && row[k].only && (traits & row[k].only) == row[k].only)
                fail_msg("%s has the traits of class %s", call_meanings[i].name,
                         event_class_text(row[k].class));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_go_there_and_back),
        cmocka_unit_test(what_is_no_trait_is_refused),
        cmocka_unit_test(every_call_has_a_meaning),
        cmocka_unit_test(classes_and_traits_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
