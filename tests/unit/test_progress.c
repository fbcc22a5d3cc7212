/* Tests the progress messages of a long stage, and that none is printed unless asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/progress.h"

static void words(void **state)
{
    char line[CORE_PROGRESS_BYTES];

    (void)state;
    assert_string_equal(core_progress_line("checking", 0, 0, 1500000000, line), "checking: 2 s");
    assert_string_equal(core_progress_line("checking", 1, 4, 2000000000, line),
                        "checking: 25 %, about 6 s left");
    assert_string_equal(core_progress_line("checking", 9, 4, 2000000000, line),
                        "checking: 100 %, about 0 s left");
}

static void quiet(void **state)
{
    char *text = NULL;
    size_t bytes = 0;

    (void)state;
    FILE *file = open_memstream(&text, &bytes);
    for (int shown = 0; shown < 2; shown++) { /* to nobody; then, but over in less than a second */
        core_progress_show(shown ? file : NULL);
        core_progress_begin("checking", 10);
        for (uint64_t i = 0; i < 10; i++) {
            core_progress_begin("within", 0);
            core_progress_at(i);
            core_progress_end();
            core_progress_at(i);
        }
        core_progress_end();
    }
    core_progress_show(NULL);
    fclose(file);
    assert_int_equal(bytes, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(quiet)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
