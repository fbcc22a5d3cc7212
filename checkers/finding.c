/* Manages findings: growing lists of text that they own. */
#include "checkers/finding.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/text.h"
#include "core/trace/describe.h"

const char *finding_severity_text(enum finding_severity severity)
{
    static const char *const text[] = {
        [FINDING_NOTE] = "note", [FINDING_WARNING] = "warning", [FINDING_ERROR] = "error"};

    CORE_CHECK((size_t)severity < sizeof text / sizeof *text);
    return text[severity];
}

const char *finding_effect_text(enum finding_effect effect)
{
    static const char *const text[] = {
        [FINDING_EFFECT_OPEN] = "open",   [FINDING_EFFECT_BLOCKS] = "blocks",
        [FINDING_EFFECT_FAILS] = "fails", [FINDING_EFFECT_LACKS] = "lacks",
        [FINDING_EFFECT_MEETS] = "meets", [FINDING_EFFECT_SPOILS] = "spoils",
        [FINDING_EFFECT_PARTS] = "parts", [FINDING_EFFECT_REFUSED] = "refused"};

    _Static_assert(sizeof text / sizeof *text == FINDING_EFFECT_COUNT, "words for each");
    CORE_CHECK((size_t)effect < sizeof text / sizeof *text);
    return text[effect];
}

const char *finding_confirmed_text(enum finding_confirmed confirmed)
{
    static const char *const text[] = {
        [FINDING_NOT_TRIED] = "not tried",           [FINDING_CONFIRMED] = "confirmed",
        [FINDING_REFUTED] = "not reproduced",        [FINDING_RULED_OUT] = "ruled out",
        [FINDING_UNPROVEN] = "tried, not confirmed", [FINDING_FAILS] = "confirmed, failed",
        [FINDING_MADE] = "confirmed, not refused"};

    _Static_assert(sizeof text / sizeof *text == FINDING_CONFIRMED_COUNT, "words for each");
    CORE_CHECK((size_t)confirmed < sizeof text / sizeof *text);
    return text[confirmed];
}

static void finding_done(struct finding *finding)
{
    for (uint32_t i = 0; i < finding->call_count; i++) {
        free(finding->call[i].call);
        free(finding->call[i].site);
        free(finding->call[i].path);
        free(finding->call[i].subject);
        free(finding->call[i].subject_site);
        free(finding->call[i].waits_for);
        free(finding->call[i].await);
        free(finding->call[i].note);
        free(finding->call[i].found_site);
    }
    for (uint32_t i = 0; i < finding->fact_count; i++)
        free(finding->fact[i]);
    free(finding->call);
    free(finding->fact);
    free(finding->link);
    free(finding->title);
    free(finding->claim);
    free(finding->schedule);
    free(finding->repeat);
    free(finding->tried);
    free(finding->move.path);
    free(finding->move.call);
}

void finding_list_done(struct finding_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        finding_done(&list->finding[i]);
    free(list->finding);
    free(list->only);
    free(list->ignored);
    *list = (struct finding_list){0};
}

struct finding *finding_list_add(struct finding_list *list, enum rule_id rule,
                                 enum finding_severity severity)
{
    CORE_CHECK(rule < RULE_COUNT);
    CORE_CHECK(rule_table[rule].id); /* each rule has its row */
    if (CORE_ARRAY_ROOM(list->finding, list->room, list->count + 1, "findings"))
        return NULL;
    struct finding *finding = &list->finding[list->count++];
    *finding = (struct finding){.id = list->count, .rule = &rule_table[rule], .severity = severity};
    return finding;
}

struct finding *finding_list_reach(struct finding_list *list, enum rule_id rule)
{
    struct finding *finding = finding_list_add(list, rule, FINDING_NOTE);

    if (finding)
        finding->reach = true;
    return finding;
}

void finding_list_keep(struct finding_list *list, uint32_t first, const bool wanted[RULE_COUNT])
{
    uint32_t kept = first;

    for (uint32_t i = first; i < list->count; i++) {
        CORE_CHECK(list->finding[i].id ==
                   i + 1); /* ids are indexes + 1: findings are confirmed by them */
        if (!wanted[list->finding[i].rule - rule_table]) {
            finding_done(&list->finding[i]);
            continue;
        }
        list->finding[kept] = list->finding[i];
        list->finding[kept].id = kept + 1;
        kept++;
    }
    CORE_CHECK(kept >= first);
    CORE_CHECK(kept <= list->count);
    list->count = kept;
}

void finding_list_drop(struct finding_list *list, uint32_t index)
{
    CORE_CHECK(index < list->count);
    finding_done(&list->finding[index]);
    list->count--;
    for (uint32_t i = index; i < list->count; i++) {
        list->finding[i] = list->finding[i + 1];
        list->finding[i].id = i + 1;
    }
}

static char *format_text(const char *format, va_list args)
{
    char *text = NULL;

    if (vasprintf(&text, format, args) < 0) {
        core_report(CORE_NO_MEMORY, "out of memory for the text of a finding");
        return NULL;
    }
    return text;
}

#define REPLACE_TEXT(field)                     \
    do {                                        \
        va_list args;                           \
        va_start(args, format);                 \
        char *text = format_text(format, args); \
        va_end(args);                           \
        free(field);                            \
        (field) = text;                         \
    } while (0)

void finding_title(struct finding *finding, const char *format, ...)
{
    REPLACE_TEXT(finding->title);
}

void finding_schedule(struct finding *finding, const struct replay_policy *schedule)
{
    free(finding->schedule);
    finding->schedule = schedule ? replay_policy_text(schedule) : NULL;
}

const struct replay_policy check_unbuffered = {.buffering = REPLAY_RENDEZVOUS, .seed = 1},
                           check_buffered = {.buffering = REPLAY_EAGER, .seed = 1};

bool finding_is_under(const struct finding *finding, const struct replay_policy *schedule)
{
    char *text = finding->schedule ? replay_policy_text(schedule) : NULL;
    bool same = text && !strcmp(finding->schedule, text);
    free(text);
    return same;
}

void finding_repeat(struct finding *finding, const char *format, ...)
{
    REPLACE_TEXT(finding->repeat);
}

void finding_repeat_check(struct finding *finding, const struct trace *trace)
{
    char *path = core_text_shell_quoted(trace->path);

    finding_repeat(finding, "crosswait check --only=%s %s", finding->rule->id, path ? path : "");
    free(path);
}

void finding_fact(struct finding *finding, const char *format, ...)
{
    char *fact = NULL;

    REPLACE_TEXT(fact);
    if (!fact || CORE_ARRAY_PUSH(finding->fact, finding->fact_count, finding->fact_room,
                                 "the facts of a finding", fact))
        free(fact);
}

void finding_place(struct finding *finding, const struct trace *trace, const char *what,
                   int32_t site)
{
    char place[512];

    if (site >= 0 && (uint32_t)site < trace->site_count)
        finding_fact(finding, "%s at %s", what, trace_site_text(trace, site, place, sizeof place));
}

void finding_of_load(struct finding *finding, const struct trace *trace, int32_t site)
{
    if (site >= 0 && (uint32_t)site < trace->site_count && trace->site[site].optimized == 0)
        return;
    finding->severity = FINDING_NOTE;
    finding_fact(finding, "the compiler may have loaded a value that the program does not use: "
                          "compile with -O0 -g to be certain");
}

static void describe_event(struct trace *trace, uint32_t rank, uint64_t seq, char **out_call,
                           char **out_site)
{
    struct trace_event event;
    char buffer[512];

    if (!seq || trace_event_get(trace, rank, seq, &event) != CORE_OK)
        return;
    *out_call = strdup(describe_call_said(trace, &event, buffer, sizeof buffer));
    *out_site = strdup(trace_site_text(trace, event.site, buffer, sizeof buffer));
}

/* Returns the call that made the persistent request which this call starts; 0: it starts none, or
 * several. */
static uint64_t made_by(struct trace *trace, uint32_t rank, uint64_t seq)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    uint64_t id, made = 0;
    bool more;

    if (!seq || trace_event_get(trace, rank, seq, &event) != CORE_OK ||
        !(trait_in(event.traits, TRAIT_STARTS) || traits_mark(event.traits)) || !event.request ||
        trace_cursor_open(trace, rank, &cursor) != CORE_OK)
        return 0;
    id = event.request;
    trace_cursor_only(cursor, TRAIT_BIT(PERSISTENT));
    while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more && event.seq < seq)
        if (event.request == id && trait_in(event.traits, TRAIT_PERSISTENT))
            made = event.seq;
    trace_cursor_close(cursor);
    CORE_CHECK(made < seq); /* a request is made before it is started */
    return made;
}

struct finding_call *finding_call_add(struct finding *finding, struct trace *trace, uint32_t rank,
                                      uint64_t seq)
{
    if (CORE_ARRAY_PUSH(finding->call, finding->call_count, finding->call_room,
                        "the calls of a finding", (struct finding_call){.rank = rank, .seq = seq}))
        return NULL;
    struct finding_call *call = &finding->call[finding->call_count - 1];
    describe_event(trace, rank, seq, &call->call, &call->site);
    if (made_by(trace, rank, seq))
        finding_call_subject(call, trace, seq);
    return call;
}

struct finding_call *finding_core_add(struct finding *finding, struct trace *trace, uint32_t rank,
                                      uint64_t seq)
{
    struct finding_call *call = finding_call_add(finding, trace, rank, seq);

    if (call)
        call->core = true;
    return call;
}

enum core_status finding_place_add(struct finding *finding, uint32_t rank, const char *call,
                                   const char *site, const char *path, const char *note)
{
    struct finding_call made = {.rank = rank,
                                .core = true,
                                .call = strdup(call),
                                .site = site ? strdup(site) : NULL,
                                .path = path ? strdup(path) : NULL,
                                .note = strdup(note)};
    enum core_status status = CORE_OK;
    if (!made.call || !made.note || (site && !made.site) || (path && !made.path))
        status = core_report(CORE_NO_MEMORY, "out of memory for the calls of a finding");
    if (status == CORE_OK)
        status = CORE_ARRAY_PUSH(finding->call, finding->call_count, finding->call_room,
                                 "the calls of a finding", made);
    if (status != CORE_OK) {
        free(made.call);
        free(made.site);
        free(made.path);
        free(made.note);
    }
    return status;
}

void finding_call_subject(struct finding_call *call, struct trace *trace, uint64_t seq)
{
    uint64_t made = made_by(trace, call->rank, seq);

    free(call->subject);
    free(call->subject_site);
    call->subject = call->subject_site = NULL;
    seq = made ? made : seq;
    call->subject_seq = seq;
    describe_event(trace, call->rank, seq, &call->subject, &call->subject_site);
}

/* Returns the index of the first span that ends at the rank or after it. */
static uint32_t await_find(const struct finding_call *call, uint32_t rank)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, call->await_count, call->await[at].last < rank);
    CORE_CHECK(low == 0 || call->await[low - 1].last < rank);
    CORE_CHECK(low == call->await_count || call->await[low].last >= rank);
    return low;
}

static void await_insert(struct finding_call *call, uint32_t at, uint32_t rank, bool any)
{
    if (CORE_ARRAY_ROOM(call->await, call->await_room, (uint64_t)call->await_count + 1,
                        "a finding's ranks") != CORE_OK)
        return;
    memmove(call->await + at + 1, call->await + at, (call->await_count - at) * sizeof *call->await);
    call->await[at] = (struct finding_await){.first = rank, .last = rank, .any = any};
    call->await_count++;
    CORE_CHECK(at == 0 || call->await[at - 1].last < rank); /* finding.h: in order, none twice */
    CORE_CHECK(at + 1 == call->await_count || call->await[at + 1].first > rank);
}

void finding_call_await(struct finding_call *call, uint32_t rank, bool any)
{
    uint32_t at = await_find(call, rank);
    struct finding_await *before = at ? &call->await[at - 1] : NULL,
                         *next = at < call->await_count ? &call->await[at] : NULL;

    if (next && next->first <= rank)
        return;
    bool joins = before && before->any == any && before->last + 1 == rank;
    bool meets = next && next->any == any && next->first == rank + 1;
    if (joins && meets) {
        before->last = next->last;
        memmove(next, next + 1, (call->await_count - at - 1) * sizeof *next);
        call->await_count--;
        CORE_CHECK(before->first < before->last);
    } else if (joins) {
        before->last = rank;
    } else if (meets) {
        next->first = rank;
    } else {
        await_insert(call, at, rank, any);
    }
}

/* Tells whether a rank that the call waits for is blocked itself. A call that waits for any of
 * several ranks does not count as waiting for its own rank. */
static bool awaits_waiting(const struct finding *finding, const struct finding_call *call)
{
    for (uint32_t i = 0; i < finding->call_count; i++) {
        const struct finding_call *other = &finding->call[i];
        for (uint32_t k = 0; other->core && other->await_count && k < call->await_count; k++)
            if (call->await[k].first <= other->rank && other->rank <= call->await[k].last &&
                !(other == call && call->await[k].any))
                return true;
    }
    return false;
}

static bool awaits_only(const struct finding_call *call, uint32_t rank)
{
    return call->core && call->await_count == 1 && call->await->first == rank &&
           call->await->last == rank;
}

/* Tells whether all ranks of the core but one wait for that one, and are several. */
static bool awaits_odd_one(const struct finding *finding)
{
    uint32_t tried = 0;

    for (uint32_t i = 0; i < finding->call_count && tried < 2; i++) {
        const struct finding_call *call = &finding->call[i];
        uint32_t core = 0, waiting = 0;
        if (!call->core)
            continue;
        tried++; /* at least one of two calls is not by that rank */
        for (uint32_t k = 0; call->await_count && k < finding->call_count; k++) {
            core += finding->call[k].core;
            waiting += awaits_only(&finding->call[k], call->await->first);
        }
        if (waiting > 1 && waiting + 1 == core)
            return true;
    }
    return false;
}

enum core_status finding_link_add(struct finding *finding, uint32_t rank, uint64_t seq)
{
    CORE_CHECK(finding->rule); /* finding_list_add set it */
    return CORE_ARRAY_PUSH(finding->link, finding->link_count, finding->link_room,
                           "what a finding is linked to", (struct finding_link){rank, seq});
}

/* Tells whether no awaited rank waits itself, or several ranks wait for one. */
static bool is_alone(const struct finding *finding)
{
    bool alone = true, awaits = false;

    for (uint32_t i = 0; alone && i < finding->call_count; i++) {
        awaits |= finding->call[i].await_count > 0;
        alone = !finding->call[i].core || !awaits_waiting(finding, &finding->call[i]);
    }
    return (alone && awaits) ||
           (finding_is_under(finding, &check_buffered) && awaits_odd_one(finding));
}

static bool is_of_operation(const struct finding *finding)
{
    for (uint32_t i = 0; i < finding->call_count; i++)
        if (finding->call[i].subject_seq)
            return true;
    return false;
}

static enum remedy remedy_of(const struct finding *finding)
{
    const struct rule *rule = finding->rule;

    if (finding->remedy)
        return finding->remedy;
    if (finding->effect == FINDING_EFFECT_BLOCKS && rule->blocks)
        return rule->blocks;
    if (finding->effect == FINDING_EFFECT_FAILS && rule->fails)
        return rule->fails;
    if (finding->effect == FINDING_EFFECT_MEETS && rule->meets)
        return rule->meets;
    if (rule->subject && is_of_operation(finding))
        return rule->subject;
    return rule->alone && is_alone(finding) ? rule->alone : REMEDY_OF_RULE;
}

const char *finding_help(const struct finding *finding)
{
    enum remedy remedy = remedy_of(finding);

    CORE_CHECK(remedy < REMEDY_COUNT);
    CORE_CHECK(remedy_table[remedy].rules & UINT32_C(1) << (finding->rule - rule_table));
    return finding->tried ? finding->tried
           : remedy       ? remedy_table[remedy].help
                          : finding->rule->help;
}

enum core_status finding_title_ranks(struct finding *finding)
{
    uint32_t *rank = NULL;
    enum core_status status =
        CORE_ARRAY_NEW(rank, finding->call_count, "the ranks that made a mistake");

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < finding->call_count; i++)
        rank[i] = finding->call[i].rank;
    char *ranks = wording_ranks_short(rank, finding->call_count),
         *title = finding->title ? strdup(finding->title) : NULL;
    if (ranks && title)
        finding_title(finding, "%s (%s)", title, ranks);
    else
        status = core_report(CORE_NO_MEMORY, "out of memory for what ranks did wrong");
    free(title);
    free(ranks);
    free(rank);
    return status;
}

void finding_title_possible(struct finding *finding)
{
    CORE_CHECK(!finding->claim);
    finding->claim = finding->title;
    finding->title = NULL;
    finding_title(finding, "possibly %s", finding->claim ? finding->claim : finding->rule->id);
}

const char *finding_says(const struct finding *finding)
{
    return finding->title ? finding->title : finding->rule->id;
}

static void title_proven(struct finding *finding)
{
    if (!finding->claim)
        return;
    free(finding->title);
    finding->title = finding->claim;
    finding->claim = NULL;
}

/* Drops what the proof lacked: the job that hung supplied it. */
static void unproven_drop(struct finding *finding)
{
    static const char word[] = "unproven: ";
    uint32_t kept = 0;

    for (uint32_t i = 0; i < finding->fact_count; i++)
        if (!strncmp(finding->fact[i], word, sizeof word - 1))
            free(finding->fact[i]);
        else
            finding->fact[kept++] = finding->fact[i];
    finding->fact_count = kept;
}

void finding_confirm(struct finding *finding, enum finding_confirmed how)
{
    static const char *const fact[] = {
        [FINDING_CONFIRMED] = "confirmed: the job was run again under this schedule, and hung",
        [FINDING_REFUTED] = "refuted: the job was run again under this schedule, and finished",
        [FINDING_RULED_OUT] = "refuted: all behaviours of the program were run, and none fails",
        [FINDING_UNPROVEN] =
            "not confirmed: the job was run again under this schedule, which proved nothing",
        [FINDING_FAILS] = "confirmed: the job was run again under this schedule, and failed",
        [FINDING_MADE] = "confirmed: the job was run again under this schedule, and made the "
                         "call, which its library did not refuse"};

    CORE_CHECK(how > FINDING_NOT_TRIED && how < FINDING_CONFIRMED_COUNT);
    finding->undecided &= how == FINDING_UNPROVEN;
    finding->confirmed = how;
    if (how == FINDING_CONFIRMED) {
        finding->severity = FINDING_ERROR;
        title_proven(finding);
        unproven_drop(finding);
    }
    if (how == FINDING_REFUTED && !finding->assumed)
        finding->severity = FINDING_NOTE; /* it failed in a world only */
    finding_fact(finding, "%s", fact[how]);
}

bool finding_is_refuted(const struct finding *finding)
{
    return finding->confirmed == FINDING_REFUTED || finding->confirmed == FINDING_RULED_OUT;
}

bool finding_is_faint(const struct finding *finding)
{
    return finding->assumed && !finding->undecided && finding->severity == FINDING_NOTE &&
           finding->confirmed != FINDING_NOT_TRIED && finding->confirmed != FINDING_CONFIRMED;
}

bool finding_is_of_program(const struct finding *finding)
{
    return !finding->reach && !finding_is_faint(finding);
}

bool finding_list_fails(const struct finding_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->finding[i].severity != FINDING_NOTE)
            return true;
    return false;
}

bool finding_list_undecided(const struct finding_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->finding[i].undecided)
            return true;
    return false;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    char *copy = text ? core_text_utf8(text) : NULL;

    if (copy)
        json_object_set_new(object, key, json_string(copy));
    free(copy);
}

static json_t *call_json(const struct finding_call *call)
{
    json_t *object = json_object(), *awaits = json_array();

    json_object_set_new(object, "rank", json_integer(call->rank));
    if (call->seq)
        json_object_set_new(object, "seq", json_integer((json_int_t)call->seq));
    set_text(object, "call", call->call);
    set_text(object, "site", call->site);
    if (!call->seq) /* no trace knows its source path */
        set_text(object, "path", call->path);
    if (call->subject_seq)
        json_object_set_new(object, "subject_seq", json_integer((json_int_t)call->subject_seq));
    set_text(object, "subject", call->subject);
    set_text(object, "subject_site", call->subject_site);
    set_text(object, "waits_for", call->waits_for);
    for (uint32_t i = 0; i < call->await_count; i++)
        json_array_append_new(
            awaits, json_pack("{s:i, s:i, s:b}", "first", (int)call->await[i].first, "last",
                              (int)call->await[i].last, "any", (int)call->await[i].any));
    if (call->await_count)
        json_object_set(object, "awaits", awaits);
    json_decref(awaits);
    set_text(object, "note", call->note);
    json_object_set_new(object, "core", json_boolean(call->core));
    if (call->leads)
        json_object_set_new(object, "leads", json_true());
    if (call->found)
        json_object_set_new(object, "found", json_true());
    return object;
}

char *finding_json(const struct finding *finding)
{
    json_t *object = json_object(), *calls = json_array(), *facts = json_array();

    json_object_set_new(object, "id", json_integer(finding->id));
    set_text(object, "checker", finding->rule->checker);
    set_text(object, "rule", finding->rule->id);
    set_text(object, "class", finding->rule->class);
    set_text(object, "severity", finding_severity_text(finding->severity));
    set_text(object, "title", finding->title);
    if (finding->claim)
        set_text(object, "claim", finding->claim);
    for (uint32_t i = 0; i < finding->call_count; i++)
        json_array_append_new(calls, call_json(&finding->call[i]));
    json_object_set_new(object, "calls", calls);
    for (uint32_t i = 0; i < finding->fact_count; i++)
        json_array_append_new(facts, json_string(finding->fact[i]));
    json_object_set_new(object, "facts", facts);
    set_text(object, "schedule", finding->schedule);
    set_text(object, "repeat", finding->repeat);
    if (finding->tried)
        set_text(object, "tried", finding->tried);
    if (finding->move.path)
        json_object_set_new(object, "move",
                            json_pack("{s:s?, s:s?, s:i, s:i, s:b}", "path", finding->move.path,
                                      "call", finding->move.call, "line", finding->move.line,
                                      "before", finding->move.before, "completes",
                                      finding->move.completes));
    if (finding->cause)
        json_object_set_new(object, "cause", json_integer(finding->cause));
    json_object_set_new(object, "assumed", json_boolean(finding->assumed));
    if (finding->undecided)
        json_object_set_new(object, "undecided", json_true());
    if (finding->ended_job)
        json_object_set_new(object, "ended_job", json_true());
    if (finding->reach)
        json_object_set_new(object, "reach", json_true());
    if (finding->effect != FINDING_EFFECT_OPEN)
        set_text(object, "effect", finding_effect_text(finding->effect));
    if (finding->remedy)
        set_text(object, "remedy", remedy_table[finding->remedy].id);
    set_text(object, "live", finding_confirmed_text(finding->confirmed));
    char *text = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(object);
    return text;
}
