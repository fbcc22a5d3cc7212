/* See junit.h. Cases are first written into memory, because the counts precede them in the file. */
#include "reports/junit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/text.h"

struct junit {
    char *suite, *class;
    FILE *properties, *cases; /* write into the texts below */
    char *property_text, *case_text;
    size_t property_bytes, case_bytes;
    uint32_t outcome[JUNIT_SKIPPED + 1];
    double seconds;
    char **name;
    uint32_t name_count, name_room;
};

void junit_free(struct junit *junit)
{
    if (!junit)
        return;
    if (junit->properties)
        fclose(junit->properties);
    if (junit->cases)
        fclose(junit->cases);
    for (uint32_t i = 0; i < junit->name_count; i++)
        free(junit->name[i]);
    free(junit->name);
    free(junit->property_text);
    free(junit->case_text);
    free(junit->suite);
    free(junit->class);
    free(junit);
}

/* Returns a copy without dots, since readers take what precedes a class's last dot for its
 * package. */
static char *class_of(const char *suite)
{
    char *class = strdup(suite);

    for (char *at = class; at && (at = strchr(at, '.'));)
        *at = '_';
    return class;
}

struct junit *junit_new(const char *suite)
{
    struct junit *junit = calloc(1, sizeof *junit);

    if (junit) {
        junit->suite = strdup(suite);
        junit->class = class_of(suite);
        junit->properties = open_memstream(&junit->property_text, &junit->property_bytes);
        junit->cases = open_memstream(&junit->case_text, &junit->case_bytes);
    }
    if (!junit || !junit->suite || !junit->class || !junit->properties || !junit->cases) {
        core_report(CORE_NO_MEMORY, "out of memory for the JUnit report");
        junit_free(junit);
        return NULL;
    }
    return junit;
}

static void junit_attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    core_text_xml(value, file);
    fputc('"', file);
}

void junit_seconds_set(struct junit *junit, double seconds)
{
    junit->seconds = seconds;
}

void junit_property_add(struct junit *junit, const char *name, const char *value)
{
    fputs("      <property", junit->properties);
    junit_attribute(junit->properties, "name", name);
    junit_attribute(junit->properties, "value", value);
    fputs("/>\n", junit->properties);
}

static void name_keep(struct junit *junit, const char *name)
{
    char *copy = strdup(name);

    for (uint32_t i = 0; i < junit->name_count; i++)
        CORE_CHECK(strcmp(junit->name[i], name) != 0); /* invariant 2 */
    if (!copy || CORE_ARRAY_PUSH(junit->name, junit->name_count, junit->name_room,
                                 "the JUnit report", copy) != CORE_OK)
        free(copy);
}

void junit_case_add(struct junit *junit, const struct junit_case *of, enum junit_outcome outcome,
                    const struct junit_why *why, uint32_t count)
{
    static const char *const element[] = {
        [JUNIT_PASSED] = "system-out", [JUNIT_FAILED] = "failure", [JUNIT_SKIPPED] = "skipped"};
    FILE *file = junit->cases;

    CORE_CHECK(outcome == JUNIT_PASSED || count);
    name_keep(junit, of->name);
    junit->outcome[outcome]++;
    if (of->seconds > 0)
        junit->seconds += of->seconds;
    fputs("    <testcase", file);
    junit_attribute(file, "classname", junit->class);
    junit_attribute(file, "name", of->name);
    if (of->seconds >= 0)
        fprintf(file, " time=\"%.3f\"", of->seconds);
    fputs(count ? ">\n" : "/>\n", file);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "      <%s", element[outcome]);
        if (outcome != JUNIT_PASSED && why[i].type)
            junit_attribute(file, "type", why[i].type);
        if (outcome != JUNIT_PASSED)
            junit_attribute(file, "message", why[i].message);
        fputc('>', file);
        core_text_xml(why[i].text, file);
        fprintf(file, "</%s>\n", element[outcome]);
    }
    fputs(count ? "    </testcase>\n" : "", file);
}

enum core_status junit_suite_write(struct junit *junit, FILE *file)
{
    uint32_t tests = 0;

    if (fflush(junit->properties) != 0 || fflush(junit->cases) != 0)
        return core_report(CORE_NO_MEMORY, "out of memory for the JUnit report");
    for (int i = 0; i <= JUNIT_SKIPPED; i++)
        tests += junit->outcome[i];
    fputs("  <testsuite", file);
    junit_attribute(file, "name", junit->suite);
    fprintf(file,
            " tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"0\" skipped=\"%" PRIu32
            "\" time=\"%.3f\">\n",
            tests, junit->outcome[JUNIT_FAILED], junit->outcome[JUNIT_SKIPPED], junit->seconds);
    if (junit->property_bytes)
        fprintf(file, "    <properties>\n%s    </properties>\n", junit->property_text);
    fprintf(file, "%s  </testsuite>\n", junit->case_text);
    return ferror(file) ? core_report(CORE_IO, "cannot write the JUnit report: %s", strerror(errno))
                        : CORE_OK;
}

enum core_status junit_write(struct junit *junit, FILE *file)
{
    fputs(JUNIT_HEAD, file);
    enum core_status status = junit_suite_write(junit, file);

    fputs(JUNIT_TAIL, file);
    return status;
}
