/* See fuzz_output.h. State: the two files, open between fuzz_output_open and _close. */
#include "cli/fuzz/fuzz_output.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct {
    const char *junit_path, *sarif_path;
    FILE *junit, *sarif;
    json_t *results, *rules;
} output;

static enum core_status open_one(const char *path, FILE **out_file)
{
    if (path && !(*out_file = fopen(path, "w")))
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    return CORE_OK;
}

enum core_status fuzz_output_open(const char *junit, const char *sarif)
{
    output.junit_path = junit;
    output.sarif_path = sarif;
    enum core_status status = open_one(junit, &output.junit);
    if (status == CORE_OK)
        status = open_one(sarif, &output.sarif);
    if (output.junit)
        fputs("<?xml version=\"1.0\"?>\n<testsuite name=\"crosswait fuzz\">\n", output.junit);
    output.results = json_array();
    output.rules = json_array();
    return status;
}

/* --- JUnit: one test case a finding, or one that passed --------------------------------------- */

static void xml_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
}

static void junit_case(FILE *out, const char *file, const char *input, const char *finding,
                       const char *again)
{
    fputs("  <testcase classname=\"crosswait fuzz\" name=\"", out);
    xml_escaped(out, file);
    fprintf(out, "%s%s\">", *input ? " " : "", input);
    if (finding) {
        fputs("<failure message=\"", out);
        xml_escaped(out, finding);
        fputs("\">", out);
        xml_escaped(out, again);
        fputs("</failure>", out);
    }
    fputs("</testcase>\n", out);
}

/* --- SARIF 2.1.0: a result a finding, at the source file -------------------------------------- */

/* "finding: deadlock: 2 of 2..." -> "deadlock"; what a sanitizer or libFuzzer says is a crash. */
static void rule_of(const char *finding, char rule[64])
{
    const char *start = strncmp(finding, "finding: ", 9) ? finding : finding + 9;
    size_t length = strspn(start, "abcdefghijklmnopqrstuvwxyz-");
    if (start[length] == ':' && length > 0 && length < 64)
        snprintf(rule, 64, "%.*s", (int)length, start);
    else
        strcpy(rule, "crash");
}

static void sarif_case(const char *file, const char *input, const char *finding, const char *again)
{
    char rule[64];
    bool known = false;
    size_t i;
    json_t *each;
    rule_of(finding, rule);
    json_array_foreach(output.rules, i, each) known |=
        !strcmp(json_string_value(json_object_get(each, "id")), rule);
    if (!known)
        json_array_append_new(output.rules, json_pack("{s:s}", "id", rule));
    json_array_append_new(output.results,
                          json_pack("{s:s, s:s, s:{s:s}, s:[{s:{s:{s:s}, s:{s:i}}}], s:{s:s, s:s}}",
                                    "ruleId", rule, "level", "error", "message", "text", finding,
                                    "locations", "physicalLocation", "artifactLocation", "uri",
                                    file, "region", "startLine", 1, "properties", "input", input,
                                    "repeat", again));
}

static enum core_status sarif_write(void)
{
    json_t *root = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:O}}, s:O}]}", "$schema",
                             "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                             "runs", "tool", "driver", "name", "crosswait", "rules", output.rules,
                             "results", output.results);
    int failed = !root || json_dumpf(root, output.sarif, JSON_INDENT(2) | JSON_PRESERVE_ORDER) ||
                 fputc('\n', output.sarif) == EOF;
    json_decref(root);
    return failed ? core_report(CORE_IO, "cannot write '%s'", output.sarif_path) : CORE_OK;
}

/* --- both ------------------------------------------------------------------------------------- */

void fuzz_output_case(const char *file, const char *input, const char *finding, const char *again)
{
    if (output.junit)
        junit_case(output.junit, file, input, finding, again);
    if (output.sarif && finding)
        sarif_case(file, input, finding, again);
}

static enum core_status close_one(const char *path, FILE **file)
{
    bool bad = *file && ferror(*file);
    bad |= *file && fclose(*file) != 0;
    *file = NULL;
    return bad ? core_report(CORE_IO, "cannot write '%s'", path) : CORE_OK;
}

enum core_status fuzz_output_close(void)
{
    enum core_status status = CORE_OK, closed;
    if (output.junit)
        fputs("</testsuite>\n", output.junit);
    if (output.sarif)
        status = sarif_write();
    closed = close_one(output.junit_path, &output.junit);
    status = status == CORE_OK ? closed : status;
    closed = close_one(output.sarif_path, &output.sarif);
    json_decref(output.results);
    json_decref(output.rules);
    return status == CORE_OK ? closed : status;
}
