/* Tests where a source mentions a variable, between its declaration and a call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "program/source_mention.h"

/* Returns the place of the first occurrence of a text in another. */
static struct source_mention_place place(const char *text, const char *part)
{
    struct source_mention_place place = {1, 1};

    for (const char *end = strstr(text, part); text < end; text++) {
        place.column = *text == '\n' ? 1 : place.column + 1;
        place.line += *text == '\n';
    }
    return place;
}

/* `x` is declared where it is first written, the call is MPI_Send. */
static void mentions(void **state)
{
    static const struct {
        bool is, fortran;
        const char *text;
    } cases[] = {
        {true, false, "int x = 0;\nMPI_Send(&y);"},
        {true, false, "int x[2] = {0};\nMPI_Send(y);"},
        {true, false, "thing x(3), y;\nMPI_Send(y);"},
        {true, false, "int x;\nx = 3;\nMPI_Send(y);"},
        {true, false, "int x;\nMPI_Send(&x, 1,\n z);"},
        {true, false, "int x;\nMPI_Send(3,\n &x);"},
        {true, false, "int x __attribute__((aligned(8))) = 3;\nMPI_Send(y);"},
        {true, false, "int x[2]; f(x); MPI_Send(y); "},
        {true, false, "int x;\nMPI_Send([&] { return; }, x);"},
        {false, false, "int x;\nMPI_Send(y); x = 3;"},
        {false, false, "int x[f(y)];\nMPI_Send(y);\nf(x);"},
        {false, false, "int x, y = 3;\nMPI_Send(y);\nf(x);"},
        {false, false, "int x __attribute__((aligned(8)));\nMPI_Send(y);\nf(x);"},
        {false, false, "int x; // x\n/* x\n x */ f(\"x\");\nMPI_Send(y);\nf(x);"},
        {false, false, "int x;\na.x = b->x = xx;\nMPI_Send(y);\nf(x);"},
        {false, false, "int x;\nif (MPI_Send(y) != 0) {\nf(x); }"},
        {true, true, "integer :: x(3)\nX = 3\ncall MPI_Send(y)\n"},
        {true, true, "integer :: x(3)\ncall MPI_Send(y, &\n  & x)\n"},
        {false, true, "integer :: x(3) ! x\n! x\ncall MPI_Send(y)\nx = 3\n"},
        {false, true, "integer :: x(3)\na%x = 'x'\ncall MPI_Send(y); x = 3\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        struct source_mention_span span = {place(text, "x"), place(text, "MPI_Send"),
                                           cases[i].fortran};
        if (source_mention_find(text, "x", &span) != cases[i].is)
            fail_msg("%s", text);
        span.from.column = 0;
        if (source_mention_find(text, "x", &span) != cases[i].is)
            fail_msg("without columns: %s", text);
    }
}

/* The declaration is not where it should be, or follows the call. */
static void elsewhere(void **state)
{
    struct source_mention_span span = {{2, 1}, {3, 1}, false};
    (void)state;
    assert_false(source_mention_find("int x = 3;\nint y;\nf(x);", "x", &span));
    assert_false(source_mention_find("int x = 3;", "x", &span));
    span.from.line = 4;
    assert_false(source_mention_find("\n\nf(y);\nint x = 3;", "x", &span));
    span.from.line = 0;
    assert_false(source_mention_find("int x = 3;\n\nf(x);", "x", &span));
}

static void words(void **state)
{
    static const char text[] = "f() {\n { int x; }\n { int y;\n  MPI_Send(y); }\n}\n";
    struct source_mention_place from = place(text, "x"), to = place(text, "MPI_Send");
    char word[16];

    (void)state;
    assert_true(source_mention_word(text, &to, false, word, sizeof word));
    assert_string_equal(word, "MPI_Send");
    assert_false(source_mention_word(text, &to, false, word, 8));
    assert_false(source_mention_in_block(text, "MPI_Send", &from, false));
    from = place(text, "y");
    assert_true(source_mention_in_block(text, "MPI_Send", &from, false));
    to.line = 9;
    assert_false(source_mention_word(text, &to, false, word, sizeof word));
}

/* `x` is the second argument of a call in the second line. */
static void arguments(void **state)
{
    static const struct {
        bool is, fortran;
        const char *text;
    } cases[] = {
        {true, false, "\nMPI_Send(y, x, z);"},
        {true, false, "\nif (MPI_Send(y, (int)x) != 0)"},
        {true, false, "\nf(3); MPI_Send(y, static_cast<int>(x), z);"},
        {true, false, "MPI_Send(y,\n         x, z);"},
        {true, false, "\nMPI_Send(f(a, b), x);"},
        {false, false, "\nMPI_Send(x, y, x);"},
        {false, false, "\nMPI_Send(y, x & 255);"},
        {false, false, "\nMPI_Send(y, x - z);"},
        {false, false, "\nMPI_Send(y, min(x, z), x);"},
        {false, false, "\nMPI_Send(y, a.x);"},
        {false, false, "\nMPI_Send(y, x[0]);"},
        {false, false, "\nSEND(y, x);"},
        {false, false, "MPI_Send(y, x);\nf();\nMPI_Send(y, x);"},
        {true, true, "\nif (a) call mpi_send(y, X, z)\n"},
        {true, true, "call MPI_Send(y, &\n  x, z)\n"},
        {true, true, "\ncall MPI_Send(y, int(x))\n"},
        {false, true, "\ncall MPI_Send(y, x%n)\n"},
        {false, true, "\ncall MPI_Send(y, int(mod(x, 7)))\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (source_mention_is_argument(cases[i].text, "x", 2, 2, cases[i].fortran) != cases[i].is)
            fail_msg("%s", cases[i].text);
}

static void files(void **state)
{
    (void)state;
    assert_null(source_mention_read("/"));
    assert_null(source_mention_read("no such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mentions), cmocka_unit_test(elsewhere),
                                       cmocka_unit_test(words), cmocka_unit_test(arguments),
                                       cmocka_unit_test(files)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
