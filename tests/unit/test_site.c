/* Tests source lines: compiles a program in several ways; it prints its own return addresses, and
 * the line of each must be found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/site.h"

static char base[256];

/* where() prints its return address relative to the load bias of the module that holds it, and that
 * module's path. */
static const char where_c[] =
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n#include <link.h>\n#include <stdio.h>\n"
    "__attribute__((noinline)) void where(const char *what)\n{\n"
    "    Dl_info info; struct link_map *map;\n"
    "    char *at = __builtin_return_address(0);\n"
    "    dladdr1(at, &info, (void **)&map, RTLD_DL_LINKMAP);\n"
    "    printf(\"%s %lx\\n\", what, (unsigned long)(at - (char *)map->l_addr));\n}\n";
static const char part_c[] = "void where(const char *what);\n"
                             "static inline __attribute__((always_inline)) void inner(void)\n{\n"
                             "    where(\"inner\");\n" /* line 4 */
                             "    __asm__ volatile(\"\");\n}\n"
                             "void part(void)\n{\n"
                             "    where(\"plain\");\n" /* line 9 */
                             "    inner();\n"
                             "    __asm__ volatile(\"\");\n}\n";
static const char main_c[] = "void part(void);\nint main(void)\n{\n    part();\n    return 0;\n}\n";

static void file_write(const char *name, const char *text)
{
    char path[320];

    snprintf(path, sizeof path, "%s/%s", base, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void shell(const char *command)
{
    char whole[1024];

    snprintf(whole, sizeof whole, "cd '%s' && { %s; }", base, command);
    assert_int_equal(system(whole), 0);
}

static uint64_t address_of(const char *program, const char *what)
{
    char command[512], word[64];
    uint64_t address, found = 0;

    snprintf(command, sizeof command, "cd '%s' && LD_LIBRARY_PATH=. ./%s", base, program);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fscanf(pipe, "%63s %" SCNx64, word, &address) == 2)
        if (strcmp(word, what) == 0)
            found = address;
    assert_int_equal(pclose(pipe), 0);
    assert_true(found != 0);
    return found;
}

static enum core_status look(const char *program, const char *module, const char *what,
                             struct site_place *place)
{
    struct site_resolver *resolver;
    char path[320];
    enum core_status status;

    snprintf(path, sizeof path, "%s/%s", base, module);
    assert_int_equal(site_resolver_new(&resolver), CORE_OK);
    status = site_resolve(resolver, path, NULL, 0, address_of(program, what), false, place);
    site_resolver_free(resolver);
    return status;
}

static void expect_lines(const char *program, const char *module)
{
    struct site_place place;

    assert_int_equal(look(program, module, "plain", &place), CORE_OK);
    assert_string_equal(place.file, "part.c");
    assert_int_equal(place.line, 9);
    assert_string_equal(place.function, "part");
    assert_string_equal(place.inlined, "");
    assert_int_equal(look(program, module, "inner", &place), CORE_OK);
    assert_int_equal(place.line, 4);
    assert_string_equal(place.function, "part");
    assert_string_equal(place.inlined, "inner");
}

/* site.c invariant 2 */
static void test_plain(void **state)
{
    (void)state;
    shell("gcc -g -O1 -no-pie -o fixed main.c part.c where.c");
    expect_lines("fixed", "fixed");
}

static void test_pie(void **state)
{
    (void)state;
    shell("gcc -g -O1 -fPIE -pie -o pie main.c part.c where.c");
    expect_lines("pie", "pie");
}

static void test_shared(void **state)
{
    (void)state;
    shell(
        "gcc -g -O1 -shared -fPIC -o libpart.so part.c where.c && gcc -o shared main.c -L. -lpart");
    expect_lines("shared", "libpart.so");
}

static void test_debuglink(void **state)
{
    (void)state;
    shell("gcc -g -O1 -Wl,--build-id=none -o linked main.c part.c where.c && objcopy "
          "--only-keep-debug linked linked.debug && "
          "objcopy --strip-debug --add-gnu-debuglink=linked.debug linked");
    expect_lines("linked", "linked");
}

static void expect_path(const char *program, const char *wanted)
{
    struct site_place place;
    char path[512];

    assert_int_equal(look(program, program, "plain", &place), CORE_OK);
    snprintf(path, sizeof path, "%s/%s", base, wanted);
    assert_string_equal(place.path, *wanted == '/' ? wanted : path);
    assert_string_equal(place.file, "part.c");
    assert_int_equal(place.line, 9);
}

/* The path is that of the file, however the compiler got it, and in whatever folder we run. */
static void test_folders(void **state)
{
    (void)state;
    shell("mkdir -p src/deep out && cp main.c part.c where.c src/deep && ln -sfn src link");
    shell("gcc -g -O1 -o below src/deep/main.c src/deep/part.c src/deep/where.c");
    expect_path("below", "src/deep/part.c");
    shell("cd out && gcc -g -O1 -o ../beside ../src/./deep/main.c ../src/./deep/part.c "
          "../src/./deep/where.c");
    expect_path("beside", "src/deep/part.c");
    shell("cd link && gcc -g -O1 -o ../linked_folder deep/main.c deep/part.c deep/where.c");
    expect_path("linked_folder", "src/deep/part.c");
    shell("gcc -g -gdwarf-4 -O1 -o older src/deep/main.c src/deep/part.c src/deep/where.c");
    expect_path("older", "src/deep/part.c");
    shell("rm src/deep/part.c");
    expect_path("beside", "src/deep/part.c"); /* the file is gone */
    shell("cp part.c src/deep && cd out && gcc -g -O1 -ffile-prefix-map=$PWD/=/none/ "
          "-ffile-prefix-map=$PWD=/none -o ../mapped ../src/deep/main.c ../src/deep/part.c "
          "../src/deep/where.c");
    expect_path("mapped", "/src/deep/part.c");
}

static void test_no_debug(void **state)
{
    struct site_place place;

    (void)state;
    shell("gcc -O1 -o bare main.c part.c where.c");
    assert_int_equal(look("bare", "bare", "plain", &place), CORE_OK);
    assert_string_equal(place.file, "");
    assert_string_equal(place.symbol, "part");
    assert_true(place.offset > 0 && place.offset < 64);
    shell("strip bare");
    assert_int_equal(look("bare", "bare", "plain", &place), CORE_NOT_FOUND);
}

static void test_rebuilt(void **state)
{
    struct site_resolver *resolver;
    struct site_place place;
    char path[320];
    unsigned char other[20] = {1, 2, 3};

    (void)state;
    shell("gcc -g -O1 -Wl,--build-id=sha1 -o built main.c part.c where.c");
    snprintf(path, sizeof path, "%s/built", base);
    assert_int_equal(site_resolver_new(&resolver), CORE_OK);
    uint64_t address = address_of("built", "plain");
    assert_int_equal(site_resolve(resolver, path, other, sizeof other, address, false, &place),
                     CORE_NOT_FOUND);
    assert_int_equal(site_resolve(resolver, path, NULL, 0, address, false, &place), CORE_OK);
    assert_int_equal(site_resolve(resolver, path, NULL, 0, 0, false, &place), CORE_NOT_FOUND);
    assert_int_equal(site_resolve(resolver, path, NULL, 0, UINT64_MAX, false, &place),
                     CORE_NOT_FOUND);
    assert_int_equal(site_resolve(resolver, "/no/such/file", NULL, 0, address, false, &place),
                     CORE_NOT_FOUND);
    snprintf(path, sizeof path, "%s/main.c", base);
    assert_int_equal(site_resolve(resolver, path, NULL, 0, address, false, &place), CORE_NOT_FOUND);
    site_resolver_free(resolver);
}

static int setup(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(base, sizeof base, "%s/site.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(base))
        return -1;
    file_write("where.c", where_c);
    file_write("part.c", part_c);
    file_write("main.c", main_c);
    return 0;
}

static int teardown(void **state)
{
    char command[320];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),   cmocka_unit_test(test_pie),
        cmocka_unit_test(test_shared),  cmocka_unit_test(test_debuglink),
        cmocka_unit_test(test_folders), cmocka_unit_test(test_no_debug),
        cmocka_unit_test(test_rebuilt),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
