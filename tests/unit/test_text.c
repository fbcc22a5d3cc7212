/* Tests text in notations of other formats: reading it gives the original text. */
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

static void utf8(void **state)
{
    static const struct {
        const char *text, *copy;
    } cases[] = {{"plain", "plain"},
                 {"\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                  "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
                 {"\xe9t\xe9", "\xef\xbf\xbdt\xef\xbf\xbd"},
                 {"\xc3", "\xef\xbf\xbd"},
                 {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *copy = core_text_utf8(cases[i].text);
        assert_string_equal(copy, cases[i].copy);
        assert_string_equal(written(core_text_xml, cases[i].text), cases[i].copy);
        json_t *value = json_string(copy);
        assert_non_null(value);
        json_decref(value);
        free(copy);
    }
}

static void uri(void **state)
{
    char *relative = core_text_uri("src/a b%.c"), *absolute = core_text_uri("/tmp/x.c");

    (void)state;
    assert_string_equal(relative, "src/a%20b%25.c");
    assert_string_equal(absolute, "file:///tmp/x.c");
    free(relative);
    free(absolute);
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
        cmocka_unit_test(xml),   cmocka_unit_test(utf8),    cmocka_unit_test(uri),
        cmocka_unit_test(shell), cmocka_unit_test(nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
