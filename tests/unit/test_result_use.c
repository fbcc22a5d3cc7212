/* Tests the analysis of what a function does with the result of its only call: compiles functions
 * in several ways and reads the code after the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/result_use_x86.h"

#if defined(__x86_64__)

/* A function that keeps eax, and the code after its call, in a line of assembler. */
static const struct sample {
    const char *what;
    unsigned char code[40];
    size_t bytes;
    enum result_use is;
} sample[] = {
#define SAMPLE(what, is, ...)                                                        \
    {                                                                                \
        what, {__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__}), RESULT_USE_##is \
    }
    SAMPLE("add rsp; mov eax to -4(rbp); cmp -4(rbp) with 0", READ, 0x48, 0x83, 0xc4, 0x10, 0x89,
           0x45, 0xfc, 0x83, 0x7d, 0xfc, 0x00),
    SAMPLE("stored; another call; then loaded", READ, 0x89, 0x45, 0xfc, 0x48, 0x89, 0xc7, 0xe8, 0,
           0, 0, 0, 0x8b, 0x55, 0xfc),
    SAMPLE("stored; another call's result in its place", DROPPED, 0x89, 0x45, 0xfc, 0xe8, 0, 0, 0,
           0, 0x89, 0x45, 0xfc, 0x83, 0x7d, 0xfc, 0x00),
    SAMPLE("stored; another variable is compared", DROPPED, 0x89, 0x45, 0xfc, 0x83, 0x7d, 0xf8,
           0x00, 0xc9, 0xc3),
    SAMPLE("stored with a large frame; compared", READ, 0x89, 0x85, 0x6c, 0xff, 0xff, 0xff, 0x83,
           0xbd, 0x6c, 0xff, 0xff, 0xff, 0x00),
    SAMPLE("stored through rsp; compared", READ, 0x89, 0x44, 0x24, 0x08, 0x83, 0x7c, 0x24, 0x08,
           0x00),
    SAMPLE("pop rdx; pop rcx; test eax", READ, 0x5a, 0x59, 0x85, 0xc0),
    SAMPLE("lea rdi; mov eax to ebx", READ, 0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x89, 0xc3),
    SAMPLE("mov eax to r12d", READ, 0x41, 0x89, 0xc4),
    SAMPLE("mov r8d to r9d; xor of eax with itself", DROPPED, 0x45, 0x89, 0xc1, 0x31, 0xc0),
    SAMPLE("mov edx from memory; or edx to eax", READ, 0x8b, 0x15, 0, 0, 0, 0, 0x09, 0xd0),
    SAMPLE("mov eax from memory", DROPPED, 0x8b, 0x05, 0, 0, 0, 0, 0x83, 0xc0, 0x01),
    SAMPLE("mov r8d from memory; cmp eax with a constant", READ, 0x44, 0x8b, 0x45, 0xfc, 0x3d, 1, 0,
           0, 0),
    SAMPLE("another call", DROPPED, 0xbf, 0, 0, 0, 0, 0xe8, 0, 0, 0, 0),
    SAMPLE("mov r8 constant; mov eax constant", DROPPED, 0x41, 0xb8, 0, 0, 0, 0, 0xb8, 1, 0, 0, 0),
    SAMPLE("stored in a global", UNKNOWN, 0x89, 0x05, 0, 0, 0, 0, 0xc9, 0xc3),
    SAMPLE("a jump; test eax", READ, 0xeb, 0x01, 0xc3, 0x85, 0xc0),
    SAMPLE("a jump back", UNKNOWN, 0xeb, 0xf0, 0x85, 0xc0),
    SAMPLE("a jump beyond the code", UNKNOWN, 0xeb, 0x10, 0x85, 0xc0),
    SAMPLE("the end of the code", UNKNOWN, 0x48, 0x83),
    SAMPLE("nothing behind", UNKNOWN, 0x89),
};

static void samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++)
        if (result_use_find(sample[i].code, sample[i].bytes) != sample[i].is)
            fail_msg("%s", sample[i].what);
}

/* Each function calls f() once; the beginning of its name says what it does with the result. */
static const char text[] =
    "int f(int *, int, void *, int, int, void *, void *); void g(int); extern int all;\n"
    "#define CALL(a) f(a, 1, 0, 2, 3, 0, 0)\n"
    "void read_compare(int *a) { int e = CALL(a); if (e == 0) all++; }\n"
    "void read_other(int *a) { if (CALL(a) != 7) all++; }\n"
    "void read_count(int *a) { for (int i = 0; i < 3; i++) all += CALL(a) == 0; }\n"
    "void read_hand(int *a) { g(CALL(a)); }\n"
    "void read_keep(int *a) { int e = CALL(a); all++; g(3); if (e) all++; }\n"
    "void drop_all(int *a) { CALL(a); all++; g(1); }\n"
    "void drop_kept(int *a) { int e = CALL(a); g(all); e = all; g(2); }\n";

static void compiled(const char *compiler, const char *flags)
{
    char command[512], line[256], name[64] = "";
    unsigned char code[64];
    size_t bytes = 0;
    bool behind = false;
    int seen = 0;
    enum result_use want = RESULT_USE_UNKNOWN;
    FILE *file = fopen("returned.c", "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command,
             "%s %s -w -c returned.c -o returned.o && objdump -d -w returned.o", compiler, flags);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (true) {
        bool more = fgets(line, sizeof line, pipe) != NULL;
        char *open = more ? strchr(line, '<') : NULL;
        bool begins = open && strstr(open, ">:");
        if ((!more || begins) && behind) {
            enum result_use is = result_use_find(code, bytes);
            if (is != want && (is == RESULT_USE_READ || want == RESULT_USE_READ))
                fail_msg("%s %s: %s", compiler, flags, name);
            seen++;
        }
        if (!more)
            break;
        if (begins) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(open + 1, ">"), open + 1);
            want = strncmp(name, "read", 4) ? RESULT_USE_DROPPED : RESULT_USE_READ;
            behind = false;
            bytes = 0;
            continue;
        }
        char *at = strchr(line, '\t');
        char *stop = at ? strchr(at + 1, '\t') : NULL;
        while (behind && at && at < stop && bytes < sizeof code) {
            char *end;
            unsigned long value = strtoul(at, &end, 16);
            if (end == at || end > stop)
                break;
            code[bytes++] = (unsigned char)value;
            at = end;
        }
        behind |= stop && strstr(stop, "call");
    }
    assert_int_equal(pclose(pipe), 0);
    assert_true(seen >= 6);
}

static void compilers(void **state)
{
    char folder[] = "/tmp/returned.XXXXXX", before[4096];

    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    compiled("gcc", "-O0");
    compiled("gcc", "-O0 -fomit-frame-pointer");
    compiled("gcc", "-O1");
    compiled("gcc", "-O2");
    compiled("clang", "-O0");
    compiled("clang", "-O2");
    unlink("returned.c");
    unlink("returned.o");
    assert_int_equal(chdir(before), 0);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples), cmocka_unit_test(compilers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
