/* Text in the notation of others: whoever reads it reads back what was said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "core/text.h"

static char buffer[512];

static const char *written(void (*write)(const char *, FILE *), const char *text)
{
    FILE *file = fmemopen(buffer, sizeof buffer, "w");

    assert_non_null(file);
    write(text, file);
    fputc('\0', file);
    fclose(file);
    return buffer;
}

static void xml(void **state)
{
    (void)state;
    assert_string_equal(written(core_text_xml, "a<b> & \"c\" 'd'\n\t\x01\x1b"),
                        "a&#60;b&#62; &#38; &#34;c&#34; &#39;d&#39;\n\t");
    assert_string_equal(written(core_text_xml, NULL), "");
}

static void json(void **state)
{
    const char *text = "a \"quoted\" \\ and\n\x01 end";

    (void)state;
    json_t *value = json_loads(written(core_text_json, text), JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    assert_string_equal(json_string_value(value), text);
    json_decref(value);
}

static void shell(void **state)
{
    static const char *const word[] = {"",      "plain-word_1.db", "two words", "it's", "'",
                                       "$HOME", "`x`; rm \"y\"",   "a\nb",      "~",    "!!",
                                       "{a,b}", "back\\slash",     "*?[a]",     "#no",  "a=b",
                                       "'\\''", "a'b'c",           "-x"};

    (void)state;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        for (int always = 0; always < 2; always++) {
            char command[600], back[300] = "";
            char *quoted = core_text_shell_quoted(word[i]);
            assert_non_null(quoted);
            snprintf(command, sizeof command, "printf %%s. %s",
                     always ? quoted : written(core_text_shell, word[i]));
            FILE *run = popen(command, "r");
            assert_non_null(run);
            back[fread(back, 1, sizeof back - 1, run)] = 0;
            assert_int_equal(pclose(run), 0);
            assert_int_equal(strlen(back), strlen(word[i]) + 1);
            assert_memory_equal(back, word[i], strlen(word[i]));
            free(quoted);
        }
    assert_string_equal(written(core_text_shell, "a=b/c.db"), "a=b/c.db");
}

static void nearest(void **state)
{
    static const char *const known[] = {"deadlock", "buffer", "buffer-need"};

    (void)state;
    assert_string_equal(core_text_nearest("bufer", known, 3), "buffer");
    assert_string_equal(core_text_nearest("dead", known, 3), "deadlock");
    assert_null(core_text_nearest("nonesuch", known, 3));
    assert_null(core_text_nearest("", known, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xml),
        cmocka_unit_test(json),
        cmocka_unit_test(shell),
        cmocka_unit_test(nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
