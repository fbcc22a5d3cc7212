/* Reads findings back from the form in which the trace keeps them (finding_json). A trace may hold
 * anything: malformed text is refused. */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/finding.h"
#include "core/array.h"
#include "core/check.h"

struct reader {
    bool good;
    enum core_status status;
};

static char *text_take(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    char *copy;

    if (!value)
        return NULL;
    copy = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
    if (!copy && json_is_string(value))
        reader->status = core_report(CORE_NO_MEMORY, "out of memory for findings");
    reader->good &= json_is_string(value);
    return copy;
}

static uint64_t number_take(struct reader *reader, const json_t *object, const char *key,
                            uint64_t max)
{
    const json_t *value = json_object_get(object, key);

    if (!value)
        return 0;
    bool good = json_is_integer(value) && json_integer_value(value) >= 0 &&
                (uint64_t)json_integer_value(value) <= max;
    CORE_CHECK(max <= INT64_MAX); /* JSON numbers are signed */
    reader->good &= good;
    return good ? (uint64_t)json_integer_value(value) : 0;
}

static bool flag_take(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static void awaits_read(struct reader *reader, const json_t *list, struct finding_call *call)
{
    for (size_t i = 0; i < json_array_size(list) && reader->status == CORE_OK; i++) {
        const json_t *one = json_array_get(list, i);
        struct finding_await await = {
            .first = (uint32_t)number_take(reader, one, "first", UINT32_MAX),
            .last = (uint32_t)number_take(reader, one, "last", UINT32_MAX),
            .any = flag_take(one, "any")};
        reader->status = CORE_ARRAY_PUSH(call->await, call->await_count, call->await_room,
                                         "a finding's ranks", await);
    }
}

static void calls_read(struct reader *reader, const json_t *list, struct finding *finding)
{
    for (size_t i = 0; i < json_array_size(list) && reader->status == CORE_OK; i++) {
        const json_t *one = json_array_get(list, i);
        reader->status = CORE_ARRAY_PUSH(finding->call, finding->call_count, finding->call_room,
                                         "the calls of a finding", (struct finding_call){0});
        if (reader->status != CORE_OK)
            return;
        struct finding_call *call = &finding->call[finding->call_count - 1];
        call->rank = (uint32_t)number_take(reader, one, "rank", UINT32_MAX);
        call->seq = number_take(reader, one, "seq", INT64_MAX);
        call->call = text_take(reader, one, "call");
        call->site = text_take(reader, one, "site");
        call->subject_seq = number_take(reader, one, "subject_seq", INT64_MAX);
        call->subject = text_take(reader, one, "subject");
        call->subject_site = text_take(reader, one, "subject_site");
        call->path = text_take(reader, one, "path");
        call->waits_for = text_take(reader, one, "waits_for");
        call->note = text_take(reader, one, "note");
        call->core = flag_take(one, "core");
        call->leads = flag_take(one, "leads");
        call->found = flag_take(one, "found");
        awaits_read(reader, json_object_get(one, "awaits"), call);
    }
}

static void facts_read(struct reader *reader, const json_t *list, struct finding *finding)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *fact = json_string_value(json_array_get(list, i));
        if (fact)
            finding_fact(finding, "%s", fact);
        reader->good &= fact != NULL;
    }
}

static const struct rule *rule_of(const json_t *object)
{
    const char *id = json_string_value(json_object_get(object, "rule"));

    for (int i = 0; id && i < RULE_COUNT; i++)
        if (strcmp(rule_table[i].id, id) == 0)
            return &rule_table[i];
    return NULL;
}

static bool severity_read(const json_t *object, enum finding_severity *out_severity)
{
    const char *text = json_string_value(json_object_get(object, "severity"));

    for (int i = FINDING_NOTE; text && i <= FINDING_ERROR; i++)
        if (strcmp(finding_severity_text((enum finding_severity)i), text) == 0) {
            *out_severity = (enum finding_severity)i;
            return true;
        }
    return false;
}

static void confirmed_read(const json_t *object, struct finding *finding)
{
    const char *text = json_string_value(json_object_get(object, "live"));

    for (int i = FINDING_NOT_TRIED; text && i < FINDING_CONFIRMED_COUNT; i++)
        if (strcmp(finding_confirmed_text((enum finding_confirmed)i), text) == 0)
            finding->confirmed = (enum finding_confirmed)i;
}

static void effect_read(const json_t *object, struct finding *finding)
{
    const char *text = json_string_value(json_object_get(object, "effect"));

    for (int i = FINDING_EFFECT_OPEN; text && i < FINDING_EFFECT_COUNT; i++)
        if (strcmp(finding_effect_text((enum finding_effect)i), text) == 0)
            finding->effect = (enum finding_effect)i;
}

static void remedy_read(const json_t *object, struct finding *finding)
{
    const char *text = json_string_value(json_object_get(object, "remedy"));

    CORE_CHECK(finding->remedy == REMEDY_OF_RULE); /* unless the text names another */
    for (int i = REMEDY_OF_RULE; text && i < REMEDY_COUNT; i++)
        if (strcmp(remedy_table[i].id, text) == 0 &&
            remedy_table[i].rules & UINT32_C(1) << (finding->rule - rule_table))
            finding->remedy = (enum remedy)i;
}

static void move_read(struct reader *reader, json_t *object, struct finding_move *move)
{
    CORE_CHECK(!move->path);
    if (!object)
        return;
    move->path = text_take(reader, object, "path");
    move->call = text_take(reader, object, "call");
    move->line = (int)number_take(reader, object, "line", INT_MAX);
    move->before = (int)number_take(reader, object, "before", INT_MAX);
    move->completes = flag_take(object, "completes");
}

enum core_status finding_list_read(struct finding_list *list, const char *json)
{
    struct reader reader = {.good = true};
    json_t *object = json_loads(json, JSON_ALLOW_NUL, NULL);
    const struct rule *rule = rule_of(object);
    enum finding_severity severity;

    if (!rule || !severity_read(object, &severity)) {
        json_decref(object);
        return CORE_BAD_FORMAT;
    }
    struct finding *finding = finding_list_add(list, (enum rule_id)(rule - rule_table), severity);
    if (!finding) {
        json_decref(object);
        return CORE_NO_MEMORY;
    }
    CORE_CHECK(finding->id == list->count); /* the row must have the same id */
    finding->assumed = flag_take(object, "assumed");
    finding->undecided = flag_take(object, "undecided");
    finding->ended_job = flag_take(object, "ended_job");
    finding->reach = flag_take(object, "reach");
    finding->cause = (uint32_t)number_take(&reader, object, "cause", UINT32_MAX);
    finding->title = text_take(&reader, object, "title");
    finding->claim = text_take(&reader, object, "claim");
    finding->schedule = text_take(&reader, object, "schedule");
    finding->repeat = text_take(&reader, object, "repeat");
    finding->tried = text_take(&reader, object, "tried");
    move_read(&reader, json_object_get(object, "move"), &finding->move);
    confirmed_read(object, finding);
    effect_read(object, finding);
    remedy_read(object, finding);
    calls_read(&reader, json_object_get(object, "calls"), finding);
    facts_read(&reader, json_object_get(object, "facts"), finding);
    reader.good &= number_take(&reader, object, "id", UINT32_MAX) == finding->id;
    json_decref(object);
    return reader.status != CORE_OK ? reader.status : reader.good ? CORE_OK : CORE_BAD_FORMAT;
}
