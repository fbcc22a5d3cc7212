/* See fuzz_output.h. State: the two files, open between fuzz_output_open and _close, and the
 * findings. One test case per rule, one result per finding. */
#include "cli/fuzz/fuzz_output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/array.h"
#include "core/output.h"
#include "reports/junit.h"
#include "reports/sarif.h"

struct found {
    enum world_rule rule;
    char *input, *text, *place, *again;
};
static struct {
    const char *junit_path, *sarif_path, *source;
    FILE *junit, *sarif;
    struct found *found;
    uint32_t count, room;
    bool judged;
    struct timespec opened;
} output;

static enum core_status open_one(const char *path, FILE **out_file)
{
    if (path && !(*out_file = core_output_open(path)))
        return core_report(CORE_IO, "cannot write '%s': %s", path, strerror(errno));
    return CORE_OK;
}

enum core_status fuzz_output_open(const char *junit, const char *sarif, const char *source)
{
    output.junit_path = junit;
    output.sarif_path = sarif;
    output.source = source;
    clock_gettime(CLOCK_MONOTONIC, &output.opened);
    enum core_status status = open_one(junit, &output.junit);
    return status == CORE_OK ? open_one(sarif, &output.sarif) : status;
}

static void found_done(struct found *found)
{
    free(found->input);
    free(found->text);
    free(found->place);
    free(found->again);
}

void fuzz_output_finding(enum world_rule rule, const char *input, const char *finding,
                         const char *place, const char *again)
{
    struct found found = {rule, strdup(input), strdup(finding), strdup(place), strdup(again)};
    enum core_status status =
        found.input && found.text && found.place && found.again
            ? CORE_ARRAY_PUSH(output.found, output.count, output.room, "what was found", found)
            : core_report(CORE_NO_MEMORY, "out of memory for what was found");

    if (status != CORE_OK)
        found_done(&found);
    output.judged = true;
}

void fuzz_output_judged(void)
{
    output.judged = true;
}

/* --- JUnit ------------------------------------------------------------------------------------ */

static enum core_status junit_rule(struct junit *junit, enum world_rule rule)
{
    const struct found *first = NULL;
    char *text = NULL, name[64];
    size_t bytes;
    FILE *body = open_memstream(&text, &bytes);

    for (uint32_t i = 0; body && i < output.count; i++) {
        const struct found *found = &output.found[i];
        if (found->rule != rule)
            continue;
        first = first ? first : found;
        fprintf(body, "%s\n  input  %s\n  again  %s\n", found->text, found->input, found->again);
    }
    if (!body || fclose(body) != 0)
        return core_report(CORE_NO_MEMORY, "out of memory for '%s'", output.junit_path);
    snprintf(name, sizeof name, "crosswait.%s", world_rule_row(rule)->id);
    junit_case_add(junit, &(struct junit_case){.name = name, .seconds = -1},
                   first ? JUNIT_FAILED : JUNIT_PASSED,
                   &(struct junit_why){.message = first ? first->text : NULL, .text = text},
                   first != NULL);
    free(text);
    return CORE_OK;
}

static enum core_status junit_all(void)
{
    char suite[256];
    enum core_status status = CORE_OK;

    snprintf(suite, sizeof suite, "crosswait fuzz %s", output.source);
    struct junit *junit = junit_new(suite);
    if (!junit)
        return CORE_NO_MEMORY;
    for (enum world_rule rule = WORLD_RULE_NONE + 1;
         output.judged && rule < WORLD_RULE_COUNT && status == CORE_OK; rule++)
        if (!world_rule_is(rule, WORLD_OF_RANKS))
            status = junit_rule(junit, rule);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    junit_seconds_set(junit, (double)(now.tv_sec - output.opened.tv_sec) +
                                 1e-9 * (double)(now.tv_nsec - output.opened.tv_nsec));
    if (status == CORE_OK)
        status = junit_write(junit, output.junit);
    junit_free(junit);
    return status;
}

/* --- SARIF ------------------------------------------------------------------------------------ */

/* Returns the line that registers the collective: findings without a place are shown there. */
static int registered_line(const char *path)
{
    FILE *file = fopen(path, "r");
    char text[1024];
    int line = 0, found = 0;

    for (bool begins = true; file && !found && fgets(text, sizeof text, file);
         begins = strchr(text, '\n')) {
        line += begins;
        found = strstr(text, "COLLECTIVE(") ? line : 0;
    }
    if (file)
        fclose(file);
    return found ? found : 1;
}

/* Adds the place "FILE:LINE", if it is known. */
static void sarif_place_of(struct sarif *sarif, const char *place)
{
    const char *colon = strrchr(place, ':');
    char *path = colon ? strndup(place, (size_t)(colon - place)) : NULL;

    if (path)
        sarif_place_add(sarif, &(struct sarif_place){.path = path, .line = atoi(colon + 1)});
    free(path);
}

static enum core_status sarif_all(void)
{
    const struct sarif_place place = {.path = output.source,
                                      .line = registered_line(output.source)};
    struct sarif *sarif = sarif_new(&place, NULL);

    if (!sarif)
        return CORE_NO_MEMORY;
    for (enum world_rule rule = WORLD_RULE_NONE + 1; rule < WORLD_RULE_COUNT; rule++) {
        const struct world_rule_row *row = world_rule_row(rule);
        if (!world_rule_is(rule, WORLD_OF_RANKS))
            sarif_rule_add(sarif,
                           &(struct sarif_rule){row->id, row->says, row->help, "fuzz", "fuzz"});
    }
    for (uint32_t i = 0; i < output.count; i++) {
        const struct found *found = &output.found[i];
        sarif_result_add(sarif, &(struct sarif_result){world_rule_row(found->rule)->id, "error",
                                                       found->text, output.source});
        sarif_place_of(sarif, found->place);
        sarif_property_add(sarif, "input", found->input);
        sarif_property_add(sarif, "repeat", found->again);
    }
    enum core_status status = sarif_write(sarif, output.sarif);
    if (status == CORE_IO)
        core_report(CORE_IO, "cannot write '%s': %s", output.sarif_path, strerror(errno));
    sarif_free(sarif);
    return status;
}

/* --- both ------------------------------------------------------------------------------------- */

static enum core_status close_one(const char *path, FILE **file, enum core_status status)
{
    bool bad = *file && fclose(*file) != 0;

    *file = NULL;
    return status != CORE_OK ? status
           : bad             ? core_report(CORE_IO, "cannot write '%s'", path)
                             : CORE_OK;
}

enum core_status fuzz_output_close(void)
{
    enum core_status status = output.junit ? junit_all() : CORE_OK;

    if (output.sarif && status == CORE_OK)
        status = sarif_all();
    status = close_one(output.junit_path, &output.junit, status);
    status = close_one(output.sarif_path, &output.sarif, status);
    for (uint32_t i = 0; i < output.count; i++)
        found_done(&output.found[i]);
    CORE_ARRAY_DONE(output.found, output.count, output.room);
    return status;
}
