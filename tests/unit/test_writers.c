/* Tests the writers of SARIF and JUnit: declared rules are used, limits hold, fingerprints stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "reports/junit.h"
#include "reports/sarif.h"

static const struct sarif_rule leak = {"leak", "it is freed", "free it", "misuse", "check"};
static const struct sarif_place program = {.path = "my prog.c", .line = 7};

static json_t *written(struct sarif *sarif)
{
    char *text;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    assert_int_equal(sarif_write(sarif, file), CORE_OK);
    fclose(file);
    sarif_free(sarif);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static json_t *run_of(json_t *root)
{
    return json_array_get(json_object_get(root, "runs"), 0);
}

static json_t *result_of(json_t *root, size_t index)
{
    return json_array_get(json_object_get(run_of(root), "results"), index);
}

static const char *fingerprint_of(json_t *root, size_t index)
{
    return json_string_value(json_object_get(
        json_object_get(result_of(root, index), "partialFingerprints"), "crosswait/v1"));
}

static const char *uri_of(json_t *root, size_t index)
{
    const char *uri = NULL;
    int line;

    assert_int_equal(json_unpack(result_of(root, index), "{s:[{s:{s:{s:s}, s:{s:i}}}]}",
                                 "locations", "physicalLocation", "artifactLocation", "uri", &uri,
                                 "region", "startLine", &line),
                     0);
    return uri;
}

static void add(struct sarif *sarif, const char *identity, int line)
{
    sarif_result_add(sarif, &(struct sarif_result){"leak", "error", "not \xff freed", identity});
    if (line)
        sarif_place_add(sarif, &(struct sarif_place){.path = "a.c", .line = line});
}

static void results_have_places_and_fingerprints(void **state)
{
    json_t *root[2];

    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        struct sarif *sarif = sarif_new(&program, NULL);
        sarif_rule_add(sarif, &leak);
        add(sarif, "MPI_Isend main a.c", 10 + moved);
        add(sarif, "MPI_Isend main a.c", 20 + moved);
        add(sarif, "MPI_Irecv main a.c", 0);
        root[moved] = written(sarif);
    }
    assert_string_equal(uri_of(root[0], 0), "a.c");
    assert_string_equal(uri_of(root[0], 2), "my%20prog.c");
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(fingerprint_of(root[0], i), fingerprint_of(root[1], i));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(fingerprint_of(root[0], i), fingerprint_of(root[0], j));
    }
    for (int i = 0; i < 2; i++)
        json_decref(root[i]);
}

static void results_and_places_have_limits(void **state)
{
    struct sarif *sarif = sarif_new(&program, NULL);

    (void)state;
    sarif_rule_add(sarif, &leak);
    for (int i = 0; i < SARIF_RESULTS_MAX + 3; i++)
        add(sarif, "MPI_Isend", 1);
    json_t *root = written(sarif), *notes;
    assert_int_equal(json_array_size(json_object_get(run_of(root), "results")), SARIF_RESULTS_MAX);
    assert_int_equal(json_unpack(run_of(root), "{s:[{s:o}]}", "invocations",
                                 "toolExecutionNotifications", &notes),
                     0);
    const char *text = NULL;
    assert_int_equal(json_unpack(notes, "[{s:{s:s}}]", "message", "text", &text), 0);
    assert_non_null(strstr(text, "3 more"));
    json_decref(root);

    sarif = sarif_new(&program, NULL);
    sarif_rule_add(sarif, &leak);
    for (int i = 0; i < SARIF_PLACES_MAX + 5; i++)
        if (i)
            sarif_place_add(sarif, &program);
        else
            add(sarif, "", 1);
    root = written(sarif);
    assert_int_equal(json_array_size(json_object_get(result_of(root, 0), "relatedLocations")) +
                         json_array_size(json_object_get(result_of(root, 0), "locations")),
                     SARIF_PLACES_MAX);
    assert_int_equal(json_unpack(run_of(root), "{s:[{s:[{s:{s:s}}]}]}", "invocations",
                                 "toolExecutionNotifications", "message", "text", &text),
                     0);
    assert_non_null(strstr(text, "5 more places"));
    json_decref(root);
}

/* Links lead to places besides the first; text in a sentence that looks like a link is none. */
static void messages_link_places_beside_the_first(void **state)
{
    struct sarif *sarif = sarif_new(&program, NULL);
    const char *text = NULL, *id = NULL;
    int column = 0;

    (void)state;
    sarif_rule_add(sarif, &leak);
    sarif_category_set(sarif, "crosswait/app-8/");
    sarif_result_add(sarif, &(struct sarif_result){"leak", "note", "x[0](1) left", "x"});
    sarif_place_add(sarif, &(struct sarif_place){
                               .path = "a.c", .line = 1, .column = 5, .end = 9, .link = "own"});
    sarif_place_add(sarif, &(struct sarif_place){.path = "a.c", .line = 2, .link = "b[1]"});
    sarif_place_add(sarif, &(struct sarif_place){.path = "a.c", .line = 3, .link = "c"});
    sarif_note_add(sarif, "leak", "not all was seen");
    json_t *root = written(sarif);
    assert_int_equal(json_unpack(result_of(root, 0), "{s:{s:s}, s:[{s:{s:{s:i}}}]}", "message",
                                 "text", &text, "locations", "physicalLocation", "region",
                                 "startColumn", &column),
                     0);
    assert_string_equal(text, "x\\[0\\](1) left; see [b\\[1\\]](1), [c](2)");
    assert_int_equal(column, 5);
    assert_int_equal(json_unpack(run_of(root), "{s:[{s:[{s:{s:s}}]}], s:{s:s}}", "invocations",
                                 "toolExecutionNotifications", "message", "text", &text,
                                 "automationDetails", "id", &id),
                     0);
    assert_string_equal(text, "not all was seen");
    assert_string_equal(id, "crosswait/app-8/");
    json_decref(root);
}

static void counts_are_those_of_the_cases(void **state)
{
    struct junit *junit = junit_new("a & b");
    char *text;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    (void)state;
    junit_property_add(junit, "command", "x \"y\"");
    struct junit_why failed[] = {{.type = "error", .message = "a < b", .text = "]]>\n"},
                                 {.message = "again"}};
    junit_case_add(junit, &(struct junit_case){.name = "one", .seconds = 1.5}, JUNIT_PASSED, NULL,
                   0);
    junit_case_add(junit, &(struct junit_case){.name = "two"}, JUNIT_FAILED, failed, 2);
    junit_case_add(junit, &(struct junit_case){.name = "three"}, JUNIT_SKIPPED,
                   &(struct junit_why){.message = "why"}, 1);
    junit_case_add(junit, &(struct junit_case){.name = "four"}, JUNIT_PASSED,
                   &(struct junit_why){.text = "a note"}, 1);
    assert_int_equal(junit_write(junit, file), CORE_OK);
    fclose(file);
    junit_free(junit);
    assert_string_equal(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites>\n"
        "  <testsuite name=\"a &#38; b\" tests=\"4\" failures=\"1\" errors=\"0\" "
        "skipped=\"1\" time=\"1.500\">\n"
        "    <properties>\n      <property name=\"command\" value=\"x &#34;y&#34;\"/>\n"
        "    </properties>\n"
        "    <testcase classname=\"a &#38; b\" name=\"one\" time=\"1.500\"/>\n"
        "    <testcase classname=\"a &#38; b\" name=\"two\" time=\"0.000\">\n"
        "      <failure type=\"error\" message=\"a &#60; b\">]]&#62;\n</failure>\n      <failure "
        "message=\"again\"></failure>\n    </testcase>\n"
        "    <testcase classname=\"a &#38; b\" name=\"three\" time=\"0.000\">\n"
        "      <skipped message=\"why\"></skipped>\n    </testcase>\n"
        "    <testcase classname=\"a &#38; b\" name=\"four\" time=\"0.000\">\n"
        "      <system-out>a note</system-out>\n    </testcase>\n"
        "  </testsuite>\n</testsuites>\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_places_and_fingerprints),
        cmocka_unit_test(results_and_places_have_limits),
        cmocka_unit_test(messages_link_places_beside_the_first),
        cmocka_unit_test(counts_are_those_of_the_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
