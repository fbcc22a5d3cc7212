/* See sarif.h. */
#include "reports/sarif.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/text.h"
#include "core/version.h"
#include "reports/identity.h"

struct sarif {
    char *root; /* absolute, without a slash at its end; NULL if unknown */
    char *docs; /* address of the documentation; NULL if unknown */
    json_t *rules, *results, *fallback;
    json_t *index;   /* of a rule, by its id */
    json_t *seen;    /* number of results by identity */
    json_t *run;     /* properties of the run; NULL: none */
    json_t *notes;   /* notes of the run */
    json_t *current; /* current result, not owned; NULL: beyond the limit */
    char *category;  /* NULL: none */
    uint32_t left_out, places_left_out;
};

void sarif_free(struct sarif *sarif)
{
    if (!sarif)
        return;
    free(sarif->root);
    free(sarif->docs);
    json_decref(sarif->rules);
    json_decref(sarif->results);
    json_decref(sarif->fallback);
    json_decref(sarif->index);
    json_decref(sarif->seen);
    json_decref(sarif->run);
    json_decref(sarif->notes);
    free(sarif->category);
    free(sarif);
}

/* Makes a string; a job's name need not be UTF-8. */
static json_t *sarif_string(const char *text)
{
    char *copy = core_text_utf8(text);
    json_t *value = copy ? json_string(copy) : NULL;

    free(copy);
    return value;
}

static json_t *sarif_message(const char *text)
{
    return json_pack("{s:o}", "text", sarif_string(text));
}

/* --- places ----------------------------------------------------------------------------------- */

/* Returns the path relative to the root if it lies below it, else the path. */
static const char *below_root(const struct sarif *sarif, const char *path)
{
    size_t bytes = sarif->root ? strlen(sarif->root) : 0;

    return bytes && !strncmp(path, sarif->root, bytes) && path[bytes] == '/' ? path + bytes + 1
                                                                             : path;
}

/* Makes a physical location; code scanning demands a region in each. */
static json_t *sarif_physical(const struct sarif *sarif, const struct sarif_place *place)
{
    const char *path = below_root(sarif, place->path);
    char *uri = core_text_uri(path);
    json_t *object = json_pack("{s:{s:s}, s:{s:i}}", "artifactLocation", "uri", uri ? uri : "",
                               "region", "startLine", place->line > 0 ? place->line : 1);

    if (place->column && place->end > place->column) {
        json_t *region = json_object_get(object, "region");
        json_object_set_new(region, "startColumn", json_integer(place->column));
        json_object_set_new(region, "endColumn", json_integer(place->end));
    }
    if (*path != '/')
        json_object_set_new(json_object_get(object, "artifactLocation"), "uriBaseId",
                            json_string("SRCROOT"));
    free(uri);
    return object;
}

static json_t *sarif_location(const struct sarif *sarif, const struct sarif_place *place)
{
    json_t *object = json_object();

    if (place->path)
        json_object_set_new(object, "physicalLocation", sarif_physical(sarif, place));
    if (place->function)
        json_object_set_new(
            object, "logicalLocations",
            json_pack("[{s:o, s:s}]", "name", sarif_string(place->function), "kind", "function"));
    if (place->message)
        json_object_set_new(object, "message", sarif_message(place->message));
    return object;
}

/* Returns the address of the published docs/, from CROSSWAIT_DOCS_URL, without a final "/"; free()
 * it. NULL if unset: the documentation has no address of its own. */
static char *docs_url(void)
{
    const char *url = getenv("CROSSWAIT_DOCS_URL");

    if (!url || !*url)
        return NULL;
    if (strncmp(url, "https://", strlen("https://")) != 0 || strpbrk(url, " \"<>\\^`{|}#")) {
        core_report(
            CORE_BAD_INPUT,
            "CROSSWAIT_DOCS_URL is not an address that begins with https://: '%s'; the SARIF "
            "report has no links",
            url);
        return NULL;
    }
    size_t bytes = strlen(url);
    return strndup(url, bytes - (url[bytes - 1] == '/'));
}

struct sarif *sarif_new(const struct sarif_place *fallback, const char *root)
{
    struct sarif *sarif = calloc(1, sizeof *sarif);

    CORE_CHECK(fallback->path); /* invariant 2 */
    if (sarif) {
        sarif->root = realpath(root ? root : ".", NULL);
        sarif->docs = docs_url();
        sarif->rules = json_array();
        sarif->results = json_array();
        sarif->index = json_object();
        sarif->seen = json_object();
        sarif->notes = json_array();
        sarif->fallback = sarif_location(sarif, fallback);
    }
    if (!sarif || !sarif->rules || !sarif->results || !sarif->index || !sarif->seen ||
        !sarif->notes || !sarif->fallback) {
        core_report(CORE_NO_MEMORY, "out of memory for the SARIF report");
        sarif_free(sarif);
        return NULL;
    }
    return sarif;
}

enum { LINKS_MAX = 20 }; /* links in a message; a reader does not follow more */

/* Appends "; see [rank 3 at a.c:7](1)" to the result's message. Brackets in a link's text are
 * escaped (SARIF 2.1.0, 3.11.6). */
static void link_add(json_t *result, const char *text, size_t id)
{
    char *whole = NULL;
    size_t bytes;
    json_t *of = json_object_get(result, "message");
    FILE *file = open_memstream(&whole, &bytes);

    if (!file)
        return;
    fprintf(file, "%s%s[", json_string_value(json_object_get(of, "text")),
            id == 1 ? "; see " : ", ");
    for (; *text; text++)
        fprintf(file, "%s%c", strchr("[]\\", *text) ? "\\" : "", *text);
    fprintf(file, "](%zu)", id);
    if (core_text_close(file, &whole))
        json_object_set_new(of, "text", sarif_string(whole));
    free(whole);
}

/* Adds the first place as the result's own; the others are related, as code scanning shows one. */
void sarif_place_add(struct sarif *sarif, const struct sarif_place *place)
{
    if (!sarif->current)
        return;
    json_t *own = json_object_get(sarif->current, "locations"),
           *related = json_object_get(sarif->current, "relatedLocations");
    if (place->path && json_array_size(own) == 0) {
        json_array_append_new(own, sarif_location(sarif, place));
        return;
    }
    if (json_array_size(related) >= SARIF_PLACES_MAX - 1) {
        sarif->places_left_out++;
        return;
    }
    json_t *object = sarif_location(sarif, place);
    size_t id = json_array_size(related) + 1;
    json_object_set_new(object, "id", json_integer((json_int_t)id));
    json_array_append_new(related, object);
    if (place->link && id <= LINKS_MAX)
        link_add(sarif->current, place->link, id);
}

void sarif_place_default(struct sarif *sarif, const struct sarif_place *place)
{
    if (sarif->current && place->path &&
        json_array_size(json_object_get(sarif->current, "locations")) == 0)
        sarif_place_add(sarif, place);
}

/* --- rules and results ------------------------------------------------------------------------ */

/* Makes the help text: the remedy and, in the markdown that code scanning shows, its manual
 * page. */
static json_t *sarif_help(const struct sarif_rule *rule)
{
    const char *text = rule->help ? rule->help : rule->says;
    char *markdown = NULL;

    if (asprintf(&markdown, "%s\n\nMore: `man crosswait-%s`, rule **%s**", text, rule->manual,
                 rule->id) < 0)
        return NULL;
    json_t *object =
        json_pack("{s:o, s:o}", "text", sarif_string(text), "markdown", sarif_string(markdown));
    free(markdown);
    return object;
}

/* Makes "MpiBufferNeed" from "buffer-need": SARIF (2.1.0, 3.49.7) wants no name equal to the id, in
 * whatever case, and viewers show it. */
static void name_make(const char *id, char *name, size_t room)
{
    bool begins = true;
    size_t used = strlen(strcpy(name, "Mpi"));

    for (; *id && used + 1 < room; id++) {
        if (*id != '-')
            name[used++] = begins ? (char)toupper((unsigned char)*id) : *id;
        begins = *id == '-';
    }
    name[used] = 0;
}

void sarif_rule_add(struct sarif *sarif, const struct sarif_rule *rule)
{
    char name[64];

    name_make(rule->id, name, sizeof name);
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:{s:[s], s:s}}", "id", rule->id, "name", name,
        "shortDescription", sarif_message(rule->says), "fullDescription", sarif_message(rule->says),
        "help", sarif_help(rule), "properties", "tags", rule->class, "precision", "high");

    char *uri = NULL;
    if (sarif->docs && asprintf(&uri, "%s/rules.md#%s", sarif->docs, rule->id) >= 0)
        json_object_set_new(object, "helpUri", json_string(uri));
    free(uri);
    json_object_set_new(sarif->index, rule->id,
                        json_integer((json_int_t)json_array_size(sarif->rules)));
    json_array_append_new(sarif->rules, object);
}

static json_t *sarif_fingerprint(struct sarif *sarif, const struct sarif_result *result)
{
    char mark[IDENTITY_MARK_BYTES], text[40];

    identity_mark(result->rule, result->identity, mark);
    json_int_t number = json_integer_value(json_object_get(sarif->seen, mark)) + 1;
    json_object_set_new(sarif->seen, mark, json_integer(number));
    snprintf(text, sizeof text, "%s:%" PRIu64, mark, (uint64_t)number);
    return json_pack("{s:s, s:s}", "primaryLocationLineHash", text, "crosswait/v1", text);
}

/* Makes a message and escapes what looks like a link, since sentences contain none. */
static json_t *message_plain(const char *text)
{
    char *whole = NULL;
    size_t bytes;
    FILE *file = strstr(text, "](") ? open_memstream(&whole, &bytes) : NULL;

    if (!file)
        return sarif_message(text);
    for (; *text; text++)
        fprintf(file, "%s%c", *text == '[' || *text == ']' ? "\\" : "", *text);
    core_text_close(file, &whole);
    json_t *object = sarif_message(whole ? whole : "");
    free(whole);
    return object;
}

void sarif_result_add(struct sarif *sarif, const struct sarif_result *result)
{
    json_t *rule = json_object_get(sarif->index, result->rule);

    CORE_CHECK(rule); /* invariant 1 */
    sarif->current = NULL;
    if (json_array_size(sarif->results) >= SARIF_RESULTS_MAX) {
        sarif->left_out++;
        return;
    }
    json_t *object = json_pack(
        "{s:s, s:O, s:s, s:o, s:[], s:[], s:o, s:{}}", "ruleId", result->rule, "ruleIndex", rule,
        "level", result->level, "message", message_plain(result->message), "locations",
        "relatedLocations", "partialFingerprints", sarif_fingerprint(sarif, result), "properties");
    if (json_array_append_new(sarif->results, object) == 0)
        sarif->current = object;
}

void sarif_note_add(struct sarif *sarif, const char *rule, const char *text)
{
    json_t *index = json_object_get(sarif->index, rule);

    CORE_CHECK(index); /* invariant 1 */
    json_array_append_new(sarif->notes, json_pack("{s:s, s:o, s:{s:s, s:O}}", "level", "note",
                                                  "message", sarif_message(text), "associatedRule",
                                                  "id", rule, "index", index));
}

void sarif_category_set(struct sarif *sarif, const char *category)
{
    free(sarif->category);
    sarif->category = core_text_utf8(category);
}

void sarif_property_add(struct sarif *sarif, const char *name, const char *value)
{
    if (sarif->current && value)
        json_object_set_new(json_object_get(sarif->current, "properties"), name,
                            sarif_string(value));
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Gives results without a place the fallback (invariant 2). */
static void places_complete(struct sarif *sarif)
{
    json_t *result;
    size_t i;

    json_array_foreach(sarif->results, i, result)
    {
        json_t *own = json_object_get(result, "locations");
        if (json_array_size(own) == 0)
            json_array_append(own, sarif->fallback);
    }
}

void sarif_run_set(struct sarif *sarif, json_t *properties)
{
    json_decref(sarif->run);
    sarif->run = properties;
}

static void sarif_notify(json_t *notifications, uint32_t left_out, const char *what, int most)
{
    char text[128];

    if (!left_out)
        return;
    snprintf(text, sizeof text, "%" PRIu32 " more %s %d", left_out, what, most);
    json_array_append_new(
        notifications, json_pack("{s:s, s:o}", "level", "warning", "message", sarif_message(text)));
}

/* Makes the run's notifications: notes, and how much is left out (invariant 4). */
static json_t *sarif_invocation(const struct sarif *sarif)
{
    json_t *object = json_pack("{s:b}", "executionSuccessful", 1),
           *notifications = json_copy(sarif->notes);

    sarif_notify(notifications, sarif->left_out, "results are left out: a run holds",
                 SARIF_RESULTS_MAX);
    sarif_notify(notifications, sarif->places_left_out, "places are left out: a result holds",
                 SARIF_PLACES_MAX);
    if (json_array_size(notifications))
        json_object_set(object, "toolExecutionNotifications", notifications);
    json_decref(notifications);
    return object;
}

static json_t *run_make(struct sarif *sarif)
{
    char *base = NULL;
    char *root_uri = sarif->root ? core_text_uri(sarif->root) : NULL;
    json_t *driver = json_pack("{s:s, s:s, s:s, s:O}", "name", "crosswait", "version", CORE_VERSION,
                               "semanticVersion", CORE_VERSION, "rules", sarif->rules);

    if (sarif->docs)
        json_object_set_new(driver, "informationUri", json_string(sarif->docs));
    if (root_uri && asprintf(&base, "%s/", root_uri) < 0)
        base = NULL;
    free(root_uri);
    json_t *run =
        json_pack("{s:{s:o}, s:{s:{s:s}}, s:s, s:[o], s:O, s:O*}", "tool", "driver", driver,
                  "originalUriBaseIds", "SRCROOT", "uri", base ? base : "file:///", "columnKind",
                  "unicodeCodePoints", "invocations", sarif_invocation(sarif), "results",
                  sarif->results, "properties", sarif->run);
    if (run && sarif->category)
        json_object_set_new(run, "automationDetails", json_pack("{s:s}", "id", sarif->category));
    free(base);
    return run;
}

/* Writes text indented for the file's array; no JSON string contains a line end. */
static int sarif_indented(const char *text, size_t bytes, void *file)
{
    for (size_t i = 0; i < bytes; i++)
        if (fputc(text[i], file) == EOF || (text[i] == '\n' && fputs("    ", file) == EOF))
            return -1;
    return 0;
}

static enum core_status run_print(const json_t *run, FILE *file)
{
    if (!run)
        return core_report(CORE_NO_MEMORY, "out of memory for the SARIF report");
    if (fputs("    ", file) == EOF ||
        json_dump_callback(run, sarif_indented, file, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0)
        return CORE_IO;
    return CORE_OK;
}

enum core_status sarif_run_write(struct sarif *sarif, FILE *file)
{
    places_complete(sarif);
    json_t *run = run_make(sarif);
    enum core_status status = run_print(run, file);

    json_decref(run);
    return status;
}

/* --- more runs than code scanning accepts in a file ------------------------------------------- */

static const char *run_category(const json_t *run)
{
    return json_string_value(json_object_get(json_object_get(run, "automationDetails"), "id"));
}

/* Returns "app-4" for the category "crosswait/app-4/"; free() it. */
static char *run_job(const json_t *run)
{
    const char *category = run_category(run), *slash = category ? strchr(category, '/') : NULL;

    return slash && slash[1] ? strndup(slash + 1, strlen(slash + 1) - 1) : strdup("job");
}

static json_t *run_notifications(const json_t *run)
{
    return json_object_get(json_array_get(json_object_get(run, "invocations"), 0),
                           "toolExecutionNotifications");
}

/* Moves a result into the merged run: its message names the job, and its fingerprints differ from
 * those of the same finding in other jobs. */
static void result_move(json_t *result, const char *job, json_t *into)
{
    json_t *message = json_object_get(result, "message"),
           *marks = json_object_get(result, "partialFingerprints");
    const char *was = json_string_value(json_object_get(marks, "crosswait/v1"));
    char mark[IDENTITY_MARK_BYTES], text[40], *says = NULL;

    identity_mark(job, was ? was : "", mark);
    snprintf(text, sizeof text, "%s:1", mark);
    json_object_set_new(marks, "primaryLocationLineHash", json_string(text));
    json_object_set_new(marks, "crosswait/v1", json_string(text));
    if (asprintf(&says, "%s: %s", job, json_string_value(json_object_get(message, "text"))) >= 0)
        json_object_set_new(message, "text", json_string(says));
    free(says);
    json_array_append(into, result);
}

/* Merges the results and notes of all runs into the first one. */
static json_t *runs_merge(const json_t *runs)
{
    json_t *whole = json_copy(json_array_get(runs, 0)), *results = json_array(),
           *notes = json_array(), *jobs = json_object(), *run, *result;
    const char *category = run_category(whole);
    char *shared = NULL;
    uint32_t left_out = 0;
    size_t i, k;

    json_array_foreach(runs, i, run)
    {
        char *job = run_job(run);
        json_array_foreach(json_object_get(run, "results"), k, result)
        {
            if (json_array_size(results) < SARIF_RESULTS_MAX)
                result_move(result, job ? job : "job", results);
            else
                left_out++;
        }
        json_array_extend(notes, run_notifications(run));
        json_object_set(jobs, job ? job : "job", json_object_get(run, "properties"));
        free(job);
    }
    sarif_notify(notes, left_out, "results are left out: a run holds", SARIF_RESULTS_MAX);
    json_object_set_new(
        whole, "invocations",
        json_pack("[{s:b, s:o}]", "executionSuccessful", 1, "toolExecutionNotifications", notes));
    json_object_set_new(whole, "results", results);
    json_object_set_new(whole, "properties", json_pack("{s:o}", "jobs", jobs));
    if (category && asprintf(&shared, "%.*s/jobs/", (int)strcspn(category, "/"), category) >= 0)
        json_object_set_new(whole, "automationDetails", json_pack("{s:s}", "id", shared));
    free(shared);
    return whole;
}

enum core_status sarif_runs_fit(char **text, size_t *bytes)
{
    char *list = NULL, *made = NULL;
    size_t made_bytes;

    if (asprintf(&list, "[%s]", *text) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for the SARIF report");
    json_t *runs = json_loads(list, 0, NULL);
    free(list);
    enum core_status status = CORE_OK;
    if (!runs)
        status = core_report(CORE_NO_MEMORY, "out of memory for the SARIF report");
    else if (json_array_size(runs) > SARIF_RUNS_MAX) {
        FILE *file = open_memstream(&made, &made_bytes);
        json_t *whole = runs_merge(runs);
        status = file ? run_print(whole, file)
                      : core_report(CORE_NO_MEMORY, "out of memory for the SARIF report");
        json_decref(whole);
        if (core_text_close(file, &made) && status == CORE_OK) {
            free(*text);
            *text = made;
            *bytes = made_bytes;
        } else
            free(made);
    }
    json_decref(runs);
    return status;
}

enum core_status sarif_write(struct sarif *sarif, FILE *file)
{
    fputs(SARIF_HEAD, file);
    enum core_status status = sarif_run_write(sarif, file);

    return status == CORE_OK && fputs(SARIF_TAIL, file) == EOF ? CORE_IO : status;
}
