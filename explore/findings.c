/* See the header. All words about a world are made here, from the records of its decisions;
 * message_diff.c makes those about a message. */
#include "explore/findings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/decision/decision.h"
#include "core/text.h"
#include "explore/failure.h"
#include "explore/look.h"
#include "explore/outcome_lines.h"
#include "explore/source_pair.h"

enum { ANSWERS_TOLD = 8, LINE_SHOWN = 120 };

static enum core_status place_add(struct finding *finding, const struct explore_line *line,
                                  bool leads)
{
    enum core_status status =
        finding_place_add(finding, line->rank, line->call, line->site, line->path, line->says);
    if (status == CORE_OK)
        finding->call[finding->call_count - 1].leads = leads;
    return status;
}

/* Adds the places where ranks fail, then those of the answers that lead there. */
static enum core_status places_add(struct finding *finding, const struct explore_look *look)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < look->stands.count && status == CORE_OK; i++)
        status = place_add(finding, &look->stands.line[i], false);
    for (uint32_t i = 0; i < look->chosen.count && i < ANSWERS_TOLD && status == CORE_OK; i++)
        status = place_add(finding, &look->chosen.line[i], true);
    if (look->chosen.count > ANSWERS_TOLD)
        finding_fact(finding, "the schedule has %" PRIu32 " more such choices: --again shows them",
                     look->chosen.count - ANSWERS_TOLD);
    return status;
}

/* Names the ranks that wait for ever ("ranks 0-1 wait for ever"), as each has a place; otherwise
 * uses the world's text. */
static void failure_title(struct finding *finding, const struct explore_look *look)
{
    uint32_t *rank = NULL, count = look->stands.count;
    if (look->rule != WORLD_RULE_DEADLOCK || !count ||
        CORE_ARRAY_NEW(rank, count, "what was found") != CORE_OK) {
        finding_title(finding, "%s", look->failure);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        rank[i] = look->stands.line[i].rank;
    char *ranks = NULL;
    size_t bytes;
    FILE *file = open_memstream(&ranks, &bytes);
    if (file)
        wording_ranks(file, rank, count, " and ");
    if (core_text_close(file, &ranks))
        finding_title(finding, "%s wait%s for ever", ranks, count == 1 ? "s" : "");
    free(ranks);
    free(rank);
}

/* Adds the command that repeats the world, and the one for the real job if a job can show it. One
 * that uses a freed object need not fail, and its threads free at any time: no job decides whether
 * that failure is real. Nor does a job whose library cannot be made to follow the schedule. */
static void repeat_set(struct finding *finding, const struct explore_program *program,
                       const struct explore_look *look)
{
    char *words = explore_program_words(program);
    finding_schedule(finding, &look->schedule);
    char *schedule = core_text_shell_quoted(finding->schedule ? finding->schedule : "");
    finding_repeat(finding, "crosswait explore --again=%s %s", schedule ? schedule : "",
                   words ? words : "");
    const bool freed = look->rule == WORLD_RULE_FREED;
    char *job = program->worlds && !freed && !look->free ? explore_program_job(program) : NULL;
    if (job)
        finding_fact(finding, "on the real MPI library: crosswait replay --live --policy=%s -- %s",
                     schedule ? schedule : "", job);
    free(job);
    free(words);
    free(schedule);
    if (freed)
        finding_schedule(finding, NULL);
}

/* Tells whether the behaviours that were run are all there are. */
static bool is_all(const struct explore_search *s)
{
    return s->complete && !s->unless && !s->states;
}

static void count_say(struct finding *finding, const struct explore_search *search,
                      const struct explore_look *look)
{
    const struct explore_class *class = look->class;
    const char *all = is_all(search) ? "" : " that were tried";
    finding->once = class->count == 1;
    if (look->buffered)
        finding_fact(
            finding,
            "this happens if the MPI library buffers these sends and no others, as MPI allows: %s",
            look->buffered);
    else if (class->sends.wait)
        finding_fact(finding, "this happens if the MPI library buffers no sends%s, as MPI allows",
                     look->attached ? ", and keeps a message in the attached buffer until it is "
                                      "received"
                                    : "");
    if (search->behaviours == 1)
        finding_fact(finding, "in the one behaviour%s",
                     is_all(search) ? " that there is" : " that was tried");
    else if (class->count == search->behaviours)
        finding_fact(finding, "in each of the %" PRIu64 " behaviours%s", class->count, all);
    else
        finding_fact(finding, "in %" PRIu64 " of %" PRIu64 " behaviours%s", class->count,
                     search->behaviours, all);
}

static bool says_something(const char *line)
{
    for (; *line && *line != '\n'; line++)
        if (isalpha((unsigned char)*line))
            return true;
    return false;
}

static int line_shown(const char *line)
{
    size_t bytes = strcspn(line, "\n");
    return (int)(bytes < LINE_SHOWN ? bytes : LINE_SHOWN);
}

/* Returns what follows a line that is cut. */
static const char *line_rest(const char *line)
{
    return strcspn(line, "\n") > LINE_SHOWN ? ", and so on" : "";
}

/* Adds the first and the last line that the failed rank printed on standard error: a sanitizer's
 * report begins with its result, a traceback of Python ends with it. */
static void errors_say(struct finding *finding, const struct explore_look *look)
{
    const char *errors = look->failed >= 0 ? look->output.text[2 * look->failed + 1] : "";
    const char *first = NULL, *last = NULL;
    for (const char *line = errors; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (says_something(line)) {
            first = first ? first : line;
            last = line;
        }
    if (!first)
        return;
    finding_fact(finding, "rank %d prints '%.*s'%s", look->failed, line_shown(first), first,
                 line_rest(first));
    if (last != first)
        finding_fact(finding, "rank %d's last line is '%.*s'%s", look->failed, line_shown(last),
                     last, line_rest(last));
}

/* Returns the remedy for calls whose order the schedule changes; REMEDY_OF_RULE if it changes none,
 * or only which messages are received. */
static enum remedy remedy_of_order(const struct explore_look *look)
{
    bool decided[DECISION_FILE + 1] = {0};
    for (uint32_t i = 0; i < look->list.count; i++)
        decided[decision_kind_of(look->list.answer[i].number)] = true;
    return decided[DECISION_THREAD]   ? REMEDY_THREADS
           : look->shared             ? REMEDY_SHARED
           : decided[DECISION_MEMORY] ? REMEDY_SYNCHRONISE
           : decided[DECISION_FILE]   ? REMEDY_ORDER
                                      : REMEDY_OF_RULE;
}

static bool needs_lock(const struct explore_look *look)
{
    bool locks = false;
    for (uint32_t i = 0; i < look->list.count; i++)
        locks |= decision_kind_of(look->list.answer[i].number) == DECISION_LOCK;
    return locks;
}

/* Returns the remedy of a failure; one that happens with every answer is not mended by ordering
 * messages, and one without a wildcard not by naming the source. avoids: as of avoiding_of. */
static enum remedy remedy_of_failure(const struct explore_look *look,
                                     const struct explore_look *avoids)
{
    const struct explore_look *decided = avoids ? avoids : look;
    enum remedy order = remedy_of_order(decided);
    if (order == REMEDY_OF_RULE && decided->completes)
        order = REMEDY_FOUND;
    bool chosen = decided->list.count > 0;
    switch (look->rule) {
    case WORLD_RULE_CRASH:
        return REMEDY_CRASH;
    case WORLD_RULE_FREED:
        return REMEDY_OUTLIVE;
    case WORLD_RULE_THREAD_LEVEL:
        return REMEDY_LEVEL;
    case WORLD_RULE_ROOM:
        return REMEDY_ATTACH;
    case WORLD_RULE_COLLECTIVE_MISMATCH:
        return chosen ? order : REMEDY_ALL_MEMBERS;
    case WORLD_RULE_ERROR:
    case WORLD_RULE_TRUNCATION:
        return chosen ? order : REMEDY_ERROR;
    case WORLD_RULE_DEADLOCK:
        return needs_lock(look)          ? REMEDY_UNLOCK_FIRST
               : chosen                  ? order
               : look->class->sends.wait ? REMEDY_RECEIVE_FIRST
                                         : REMEDY_MATCH;
    default:
        return chosen ? order : REMEDY_NONE;
    }
}

/* Returns a behaviour that ends well by some choices, if the failing one needs no choice and no
 * unbuffered send: then these choices show on what the failure depends. NULL: there is none. */
static const struct explore_look *avoiding_of(const struct explore_look *look, uint32_t count,
                                              const struct explore_look *failing)
{
    for (uint32_t i = 0; i < count && !failing->list.count && !failing->class->sends.wait; i++)
        if (!look[i].failure && look[i].chosen.count && !look[i].class->sends.wait)
            return &look[i];
    return NULL;
}

static void avoiding_say(struct finding *finding, const struct explore_look *avoids)
{
    const struct explore_line *line = &avoids->chosen.line[0];
    char more[64] = "";

    if (avoids->chosen.count > 1)
        snprintf(more, sizeof more, ", and %" PRIu32 " more choice%s", avoids->chosen.count - 1,
                 avoids->chosen.count == 2 ? " differs" : "s differ");
    finding_fact(finding, "another behaviour ends well: in it rank %" PRIu32 "'s %s%s%s %s%s",
                 line->rank, line->call, line->site ? " at " : "", line->site ? line->site : "",
                 line->says, more);
}

static enum core_status failure_add(struct explore_program *program, struct explore_search *search,
                                    const struct explore_look *look,
                                    const struct explore_look *avoids, struct finding_list *list)
{
    struct finding *finding = finding_list_add(list, RULE_BEHAVIOUR, FINDING_ERROR);
    if (!finding)
        return CORE_NO_MEMORY;
    failure_title(finding, look);
    finding->remedy = remedy_of_failure(look, avoids);
    enum core_status status = places_add(finding, look);
    if (avoids)
        avoiding_say(finding, avoids);
    if (look->also)
        finding_fact(finding, "the job can also end like this: %s", look->also);
    errors_say(finding, look);
    count_say(finding, search, look);
    if (look->once)
        finding_fact(finding, "the program does not repeat itself: a second run with the same "
                              "choices gave another outcome");
    if (look->class->sampled)
        finding_fact(finding, "found by random sampling, seed %" PRIu64, search->options->seed);
    repeat_set(finding, program, look);
    return status;
}

/* Prints "MPI_Send at file.c:17", or as much of it as is known. */
static void call_say(struct explore_program *program, const struct explore_message *m, FILE *file)
{
    struct site_place place;
    fputs(m->call, file);
    if (explore_program_place(program, m->site, &place) && *place.file)
        fprintf(file, " at %s:%d", place.file, place.line);
}

/* Returns "rank 0 sends 2.5 to rank 1, tag 7, with MPI_Send at mw.c:17"; the caller frees it. */
static char *unlike_words(struct explore_program *program, const struct explore_unlike *unlike)
{
    const struct explore_message *m = explore_unlike_message(unlike);
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return NULL;
    fprintf(file, "rank %" PRId32 " ", m->key.from);
    explore_unlike_say(unlike, false, file);
    fputs(", with ", file);
    call_say(program, m, file);
    return core_text_close(file, &text);
}

/* Returns "rank 0 prints '3'", or "the ranks write out.txt (6 bytes: sum 3)". */
static char *difference_words(const struct explore_difference *d)
{
    static const char removed[] = " (removed)"; /* scratch_list */
    const char *line = d->line[0], *verb = d->errors ? "says" : "prints";
    const int kept = line ? (int)strlen(line) - (int)(sizeof removed - 1) : 0;
    char *words = NULL;
    int bytes;
    CORE_CHECK(d->line[0] || d->line[1]);
    if (d->rank >= 0 && line)
        bytes = asprintf(&words, "rank %d %s '%.*s'%s", d->rank, verb, line_shown(line), line,
                         line_rest(line));
    else if (d->rank >= 0)
        bytes = asprintf(&words, "rank %d %s no such line", d->rank, verb);
    else if (line && kept > 0 && !strcmp(line + kept, removed))
        bytes = asprintf(&words, "the ranks remove %.*s", kept, line);
    else if (line)
        bytes = asprintf(&words, "the ranks write %s", line);
    else
        bytes = asprintf(&words, "the ranks do not write the file '%.*s'",
                         (int)strcspn(d->line[1], " "), d->line[1]);
    return bytes < 0 ? NULL : words;
}

/* Returns what the first line of output that differs is, or what the first such message is. */
static char *outcome_words(struct explore_program *program, const struct explore_look *look,
                           const struct explore_look *other)
{
    struct explore_difference d;
    struct explore_unlike unlike;
    char *words = NULL;

    if (explore_output_differ(&look->output, &other->output, &program->allow, &d))
        words = difference_words(&d);
    else if (look->found || !message_diff_differ(&look->sent, &other->sent, &unlike))
        words = strdup(look->found ? look->found : "nothing is found");
    else
        words = unlike_words(program, &unlike);
    explore_difference_done(&d);
    return words;
}

/* Adds a line for each outcome that is not described, if its output is known. */
static enum core_status lines_of_others(struct explore_program *program,
                                        struct explore_search *search,
                                        const struct explore_look *base,
                                        struct outcome_lines *lines)
{
    enum core_status status = CORE_OK;
    uint32_t passing = 0;
    for (uint32_t i = 0; i < search->class_count && status == CORE_OK; i++) {
        struct explore_look look;
        bool there;
        passing += !search->class[i].failure;
        if (search->class[i].failure || passing <= EXPLORE_PASSING_TOLD)
            continue;
        if (passing > EXPLORE_PASSING_TOLD + EXPLORE_PASSING_COMPARED)
            break;
        status = explore_look_output(program, search, i, &look, &there);
        if (status != CORE_OK || !there)
            continue;
        status = outcome_lines_add(lines, outcome_words(program, &look, base), look.class->count);
        explore_look_done(&look);
    }
    return status;
}

/* Says how the base ends, and how each other outcome does. */
static enum core_status outcomes_say(struct explore_program *program, struct explore_search *search,
                                     const struct explore_look *look, uint32_t count,
                                     const struct explore_look *base,
                                     const struct explore_look *least, struct finding *finding)
{
    struct outcome_lines lines = {0};
    const uint32_t passing = explore_passing_before(search, search->class_count);
    enum core_status status =
        outcome_lines_add(&lines, outcome_words(program, base, least), base->class->count);

    for (uint32_t i = 0; i < count && status == CORE_OK; i++)
        if (!look[i].failure && &look[i] != base)
            status = outcome_lines_add(&lines, outcome_words(program, &look[i], base),
                                       look[i].class->count);
    if (status == CORE_OK)
        status = lines_of_others(program, search, base, &lines);
    uint32_t said = status == CORE_OK ? outcome_lines_say(&lines, finding) : passing;
    if (said < passing)
        finding_fact(finding, "%" PRIu32 " more outcome%s not shown", passing - said,
                     passing - said == 1 ? " is" : "s are");
    outcome_lines_done(&lines);
    return status;
}

/* Adds the place of the first message that differs from the base. */
static enum core_status tell_unlike(struct explore_program *program,
                                    const struct explore_look *base, struct explore_look *look)
{
    struct explore_unlike unlike;
    char *says = NULL;
    size_t bytes;
    if (!message_diff_differ(&look->sent, &base->sent, &unlike))
        return CORE_OK;
    const struct explore_message *m = explore_unlike_message(&unlike);
    FILE *file = open_memstream(&says, &bytes);
    if (file)
        explore_unlike_say(&unlike, true, file);
    return explore_look_line(program, (uint32_t)m->key.from, m->call, m->site,
                             core_text_close(file, &says), &look->stands);
}

/* Tells whether two worlds still differ: if a program does not repeat itself, its reruns may print
 * the same. */
static bool looks_differ(const struct explore_look *look, const struct explore_look *base,
                         const struct explore_allow *allow)
{
    struct explore_difference d;
    const char *found = look->found ? look->found : "", *other = base->found ? base->found : "";
    if (strcmp(found, other) != 0 || allow->messages)
        return true;
    bool differ = explore_output_differ(&look->output, &base->output, allow, &d);
    if (differ)
        explore_difference_done(&d);
    return differ;
}

/* Finds two outcomes to compare. *out_base: the first of those with the fewest answers; *out_least:
 * the one with the fewest answers that differs from it, NULL if none does. */
static void race_ends(struct explore_look *look, uint32_t count, const struct explore_allow *allow,
                      const struct explore_look **out_base, struct explore_look **out_least)
{
    *out_base = *out_least = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!look[i].failure && (!*out_base || look[i].list.count < (*out_base)->list.count))
            *out_base = &look[i];
    for (uint32_t i = 0; i < count; i++)
        if (!look[i].failure && &look[i] != *out_base &&
            (!*out_least || look[i].list.count < (*out_least)->list.count) &&
            looks_differ(&look[i], *out_base, allow))
            *out_least = &look[i];
}

/* Tells whether the two worlds differ only in the order of two accesses to the same bytes, and so
 * in outcome: then nothing orders the accesses, and MPI does not define what is read. A rank that
 * waits for a value is excluded, as it may load the value while another rank puts it. */
static bool is_conflict(const struct explore_look *base, const struct explore_look *least)
{
    return least->conflict.is && !base->unusual && least->unusual == 1 && !base->may_wait &&
           !least->may_wait;
}

static void conflict_title(struct finding *finding, int owner, int other, const char *call,
                           bool loads)
{
    finding->effect = FINDING_EFFECT_MEETS;
    finding_title(finding,
                  "conflicting accesses to rank %d's window: %s of rank %d and a %s by rank %d "
                  "itself, and no synchronisation orders the two",
                  owner, call, other, loads ? "load" : "store", owner);
}

static enum core_status conflict_say(struct finding *finding,
                                     const struct explore_conflict *conflict)
{
    char *result = finding->title;
    finding->title = NULL;
    conflict_title(finding, conflict->owner, conflict->other, conflict->call, conflict->loads);
    if (result)
        finding_fact(finding, "%s", result);
    free(result);
    return place_add(finding, conflict->rest.line, false);
}

static char *pair_place(struct explore_program *program, const struct explore_pair_call *call)
{
    struct site_place place;
    char *text = NULL;
    bool known = explore_program_place(program, call->site, &place) && *place.file;
    int bytes = known ? asprintf(&text, "%s (%s:%d)", call->call, place.file, place.line)
                      : asprintf(&text, "%s", call->call);
    return bytes < 0 ? NULL : text;
}

/* Makes the receive whose source was to be that of the one before it the finding's first place, and
 * offers the remedy that was tried. */
static enum core_status pair_add(struct explore_program *program, struct finding *finding,
                                 const struct explore_pair *pair)
{
    char *first = pair_place(program, &pair->first), *then = pair_place(program, &pair->then);
    char *says = NULL;
    struct explore_lines lines = {0};
    enum core_status status = CORE_NO_MEMORY;
    if (first && then &&
        asprintf(&says, "gets the message of rank %" PRId32 " after %s got that of rank %" PRId32,
                 pair->then.source, first, pair->first.source) >= 0 &&
        asprintf(&finding->tried,
                 "let %s receive from the rank whose message %s got (MPI_SOURCE of its status): "
                 "with that the result is the same in the %" PRIu32 " orders that were tried",
                 then, first, pair->orders) >= 0)
        status =
            explore_look_line(program, pair->rank, pair->then.call, pair->then.site, says, &lines);
    if (status == CORE_OK)
        status = place_add(finding, &lines.line[0], false);
    explore_lines_done(&lines);
    free(first);
    free(then);
    return status;
}

/* Tries the remedy, for TRY_S at least: a search whose time ended has found the race. */
static enum core_status pair_try(struct explore_program *program, const struct explore_look *look,
                                 uint32_t count, struct explore_pair *out_pair)
{
    enum { TRY_S = 1 };
    const double end_s = program->end_s, least_s = explore_clock_s() + TRY_S;
    if (end_s > 0 && end_s < least_s)
        program->end_s = least_s;
    enum core_status status = explore_pair_find(program, look, count, out_pair);
    program->end_s = end_s;
    return status;
}

/* Tells whether the schedule changes which messages are received, and nothing else. */
static bool is_of_messages(const struct explore_look *look)
{
    for (uint32_t i = 0; i < look->list.count; i++)
        if (decision_kind_of(look->list.answer[i].number) != DECISION_CHOICE)
            return false;
    return look->list.count > 0 && !look->sends.wait;
}

static enum core_status race_add(struct explore_program *program, struct explore_search *search,
                                 struct explore_look *look, uint32_t count, uint32_t passing,
                                 struct finding_list *list,
                                 const struct explore_conflict **out_told)
{
    const struct explore_look *base;
    struct explore_look *least;
    race_ends(look, count, &program->allow, &base, &least);
    if (!least)
        return CORE_OK;
    bool conflict = is_conflict(base, least);
    *out_told = conflict ? &least->conflict : NULL;
    struct finding *finding = conflict ? finding_list_add(list, RULE_RMA, FINDING_ERROR)
                                       : finding_list_add(list, RULE_RACE, FINDING_WARNING);
    if (!finding)
        return CORE_NO_MEMORY;
    finding_title(finding,
                  "the result depends on what comes first: %" PRIu32 " outcomes in %" PRIu64
                  " behaviours%s",
                  passing, search->behaviours, is_all(search) ? "" : " that were tried");
    if (!conflict)
        finding->remedy = remedy_of_order(least);
    struct explore_pair pair = {0};
    enum core_status status = tell_unlike(program, base, least);
    if (status == CORE_OK && is_of_messages(least))
        status = pair_try(program, look, count, &pair);
    if (status == CORE_OK && pair.is)
        status = pair_add(program, finding, &pair);
    if (status == CORE_OK)
        status = places_add(finding, least);
    if (status == CORE_OK && conflict)
        status = conflict_say(finding, &least->conflict);
    if (status == CORE_OK && !conflict && least->conflict.rest.count)
        status = place_add(finding, least->conflict.rest.line, false);
    if (status == CORE_OK)
        status = outcomes_say(program, search, look, count, base, least, finding);
    repeat_set(finding, program, least);
    return status;
}

static enum core_status store_places_add(struct explore_program *program, struct finding *finding,
                                         const struct explore_store *store)
{
    struct explore_lines lines = {0};
    enum core_status status = explore_look_line(
        program, (uint32_t)store->owner, WORLD_STORE, store->own_site,
        strdup(store->behind_site ? "stores in its window, and again before its next call"
                                  : "stores in its window"),
        &lines);
    if (status == CORE_OK)
        status = explore_look_other(program, store->other, store->owner, store->call,
                                    store->other_site, &lines);
    for (uint32_t i = 0; i < lines.count && status == CORE_OK; i++)
        status = place_add(finding, &lines.line[i], false);
    explore_lines_done(&lines);
    return status;
}

static bool is_told_as(const struct explore_store *store, const struct explore_conflict *reported)
{
    return reported && !reported->loads && reported->own_site == store->own_site &&
           reported->other_site == store->other_site && !strcmp(reported->call, store->call);
}

/* Adds a finding for a store and an operation that MPI never allows at the same time. */
static enum core_status store_add(struct explore_program *program,
                                  const struct explore_store *store, struct finding_list *list)
{
    struct finding *finding = finding_list_add(list, RULE_RMA, FINDING_ERROR);
    if (!finding)
        return CORE_NO_MEMORY;
    struct explore_look look = {0};
    conflict_title(finding, store->owner, store->other, store->call, false);
    enum core_status status = store_places_add(program, finding, store);
    if (status == CORE_OK)
        status = explore_list_copy(&store->list, store->list.count, &look.list);
    if (status == CORE_OK)
        status = explore_look_schedule(&look, true);
    if (store->others)
        finding_fact(finding, "other ranks do the same at these places");
    if (status == CORE_OK)
        repeat_set(finding, program, &look);
    explore_look_done(&look);
    return status;
}

/* Adds all such conflicts except the one that an outcome's finding reports already. */
static enum core_status stores_add(struct explore_program *program,
                                   const struct explore_search *search,
                                   const struct explore_conflict *reported,
                                   struct finding_list *list)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < search->stores.count && status == CORE_OK; i++)
        if (!is_told_as(&search->stores.store[i], reported))
            status = store_add(program, &search->stores.store[i], list);
    return status;
}

static enum core_status astray_add(struct explore_search *search, struct finding_list *list)
{
    bool chance = search->options->chance && search->limited; /* a job lacks some answers */
    if (!search->went_astray || chance)
        return CORE_OK;
    struct finding *finding = finding_list_add(list, RULE_RACE, FINDING_NOTE);
    if (!finding)
        return CORE_NO_MEMORY;
    finding_title(finding, "the program does not repeat itself: the same choices gave another "
                           "outcome");
    finding_fact(finding,
                 "something other than messages decides in it, such as the time, a process "
                 "id or an address");
    return CORE_OK;
}

enum core_status explore_findings_overdue(struct explore_program *program,
                                          const struct explore_search *search,
                                          struct finding_list *list)
{
    struct explore_look look = {.class = NULL};
    uint32_t count = search->overdue_count;
    if (!count)
        return CORE_OK;
    struct finding *finding = finding_list_reach(list, RULE_BEHAVIOUR);
    if (!finding)
        return CORE_NO_MEMORY;
    finding_title(finding, "%" PRIu32 " world%s exceeded %s and %s broken off", count,
                  count == 1 ? "" : "s",
                  *search->beyond ? "the limits of a world" : "the time limit of a world",
                  count == 1 ? "was" : "were");
    if (*search->beyond)
        finding_fact(finding, "%s", search->beyond);
    else
        finding_fact(finding,
                     "it is not known whether %s would have ended: the machine may be slow, or the "
                     "program may never end; --world-time=SECONDS gives a world more time",
                     count == 1 ? "it" : "they");
    enum core_status status = explore_item_list(&search->overdue[0], &look.list);
    if (status == CORE_OK)
        status = explore_look_schedule(&look, program->worlds && look.list.count);
    if (status == CORE_OK)
        repeat_set(finding, program, &look);
    explore_look_done(&look);
    return status;
}

/* Runs a class that only an earlier search met, whose state this search resumed from. It may take
 * any time, unless the limit is for everything. */
static enum core_status look_late(struct explore_program *program, struct explore_search *search,
                                  const struct explore_class *class, struct explore_look *out_look,
                                  bool *out_there)
{
    struct explore_look look = {.class = class};
    enum core_status status = explore_look_first(program, class, &look);
    program->end_s = 0;
    if (status == CORE_OK)
        status = explore_look_run(program, search, &look, out_there);
    return explore_look_give(status, *out_there, &look, out_look);
}

/* Describes a world that failed from what its class kept, if it cannot be run again. */
static enum core_status look_told(const struct explore_program *program,
                                  const struct explore_class *class, struct explore_look *out_look)
{
    struct explore_look look = {.class = class, .failed = -1};
    enum core_status status = explore_look_first(program, class, &look);
    if (status == CORE_OK)
        status = explore_look_schedule(&look, program->worlds && look.list.count);
    if (status == CORE_OK && !(look.failure = strdup(class->failure)))
        status = core_report(CORE_NO_MEMORY, "out of memory for what was found");
    if (status != CORE_OK)
        explore_look_done(&look);
    else
        *out_look = look;
    return status;
}

static enum core_status look_one(struct explore_program *program, struct explore_search *search,
                                 uint32_t place, struct explore_look *out_look, bool *out_there)
{
    const struct explore_class *class = &search->class[place];
    double end_s = program->end_s;
    bool over = search->interrupted || (end_s > 0 && explore_clock_s() >= end_s);
    bool astray = search->went_astray, once;
    enum core_status status = CORE_OK;
    *out_there = search->went_astray = false;
    if (!(over && program->runner.chance))
        status = explore_look_at(program, search, class, out_look, out_there);
    once = search->went_astray && class->failure;
    search->went_astray |= astray;
    if (status == CORE_OK && !*out_there)
        *out_there = explore_look_remember(program, search, place, out_look);
    if (status == CORE_OK && !*out_there && !search->interrupted && !once && !program->end_all_s)
        status = look_late(program, search, class, out_look, out_there);
    if (status == CORE_OK && *out_there && class->failure && !out_look->failure) {
        explore_look_done(out_look);
        *out_there = false;
    }
    if (status == CORE_OK && !*out_there && class->failure) {
        status = look_told(program, class, out_look);
        *out_there = status == CORE_OK;
    }
    if (*out_there)
        out_look->once = once;
    program->end_s = end_s;
    return status;
}

/* Describes each class that fails, and the first of those that do not. *out_looked: number of
 * descriptions. */
static enum core_status looks_take(struct explore_program *program, struct explore_search *search,
                                   struct explore_look *look, uint32_t *out_looked)
{
    enum core_status status = CORE_OK;
    uint32_t passing = 0;
    *out_looked = 0;
    for (uint32_t i = 0; i < search->class_count && status == CORE_OK; i++) {
        bool there;
        passing += !search->class[i].failure;
        if (!search->class[i].failure && passing > EXPLORE_PASSING_TOLD)
            continue;
        status = look_one(program, search, i, &look[*out_looked], &there);
        *out_looked += status == CORE_OK && there;
    }
    return status;
}

/* Tells whether a failure is reported already: a world that was to repeat a passing class may have
 * failed instead. */
static bool is_told(const struct explore_search *search, const struct explore_look *look)
{
    for (uint32_t i = 0; i < search->class_count && look->class->failure == NULL; i++)
        if (search->class[i].failure && search->class[i].key == look->key)
            return true;
    return false;
}

static bool stands_at(const struct explore_look *look, const struct explore_line *line)
{
    for (uint32_t i = 0; i < look->stands.count; i++) {
        const struct explore_line *other = &look->stands.line[i];
        if (other->site && line->site && !strcmp(other->site, line->site) &&
            !strcmp(other->call, line->call))
            return true;
    }
    return false;
}

static bool stands_within(const struct explore_look *look, const struct explore_look *other)
{
    for (uint32_t i = 0; i < look->stands.count; i++)
        if (!stands_at(other, &look->stands.line[i]))
            return false;
    return look->stands.count > 0;
}

/* Tells whether ranks use a freed object at the same places in both: then only the ranks differ. */
static bool is_alike(const struct explore_look *a, const struct explore_look *b)
{
    return a->failure && b->failure && a->rule == WORLD_RULE_FREED && b->rule == WORLD_RULE_FREED &&
           stands_within(a, b) && stands_within(b, a);
}

/* Returns the failure that stands for all alike: the one of the lowest rank. */
static uint32_t alike_first(const struct explore_look *look, uint32_t count, uint32_t of)
{
    uint32_t first = of;
    for (uint32_t i = 0; i < count; i++)
        if (is_alike(&look[i], &look[of]) && (look[i].failed < look[first].failed ||
                                              (look[i].failed == look[first].failed && i < first)))
            first = i;
    return first;
}

/* Adds a finding for each failure, one for all that are alike. */
static enum core_status failures_add(struct explore_program *program, struct explore_search *search,
                                     const struct explore_look *look, uint32_t count,
                                     struct finding_list *list)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        if (!look[i].failure || is_told(search, &look[i]) || alike_first(look, count, i) != i)
            continue;
        uint32_t at = list->count;
        status = failure_add(program, search, &look[i], avoiding_of(look, count, &look[i]), list);
        for (uint32_t k = 0; k < count && status == CORE_OK; k++)
            if (k != i && is_alike(&look[k], &look[i]))
                finding_fact(&list->finding[at], "also, in %" PRIu64 " more behaviour%s: %s",
                             look[k].class->count, look[k].class->count == 1 ? "" : "s",
                             look[k].failure);
    }
    return status;
}

enum { SHARE_LOOK = 10, LOOK_S = 1 };

enum core_status explore_findings(struct explore_program *program, struct explore_search *search,
                                  struct finding_list *list)
{
    struct explore_look *look = NULL;
    uint32_t looked = 0, passing = explore_passing_before(search, search->class_count);
    if (!search->behaviours && program->outcome.unsure)
        return explore_program_crowded();
    enum core_status status = CORE_ARRAY_NEW(look, search->class_count, "what was found");

    search->lacks = program->worlds ? 0 : program->runner.lacks(program->runner.context);
    if (program->end_s > 0 && program->worlds)
        program->end_s = explore_clock_s() + LOOK_S + search->options->time_s / SHARE_LOOK;
    if (program->end_all_s > 0 && program->end_s > program->end_all_s)
        program->end_s = program->end_all_s;
    if (status == CORE_OK)
        status = looks_take(program, search, look, &looked);
    if (status == CORE_OK)
        status = failures_add(program, search, look, looked, list);
    const struct explore_conflict *reported = NULL;
    if (passing > 1 && status == CORE_OK)
        status = race_add(program, search, look, looked, passing, list, &reported);
    if (status == CORE_OK)
        status = stores_add(program, search, reported, list);
    if (status == CORE_OK)
        status = astray_add(search, list);
    for (uint32_t i = 0; i < looked; i++)
        explore_look_done(&look[i]);
    free(look);
    return status;
}

/* Runs one of the two examples under a clock and keeps its messages; keeps none if the world is
 * broken off. */
static enum core_status sent_again(struct explore_program *program, const struct explore_list *list,
                                   uint32_t look_ns, struct message_diff *out_sent)
{
    bool ran;
    enum core_status status = explore_program_under(program, list, look_ns, false, &ran);

    *out_sent = (struct message_diff){0};
    if (status != CORE_OK || !ran)
        return status;
    const struct explore_events events = {program->outcome.event, program->outcome.event_count};
    return message_diff_keep(&events, out_sent);
}

static void sent_say(struct explore_program *program, const struct explore_unlike *unlike,
                     FILE *file)
{
    const struct explore_message *m = explore_unlike_message(unlike);
    fprintf(file, ": rank %" PRId32 "'s ", m->key.from);
    call_say(program, m, file);
    fputc(' ', file);
    explore_unlike_say(unlike, true, file);
}

char *explore_sent_words(struct explore_program *program, const struct explore_search *search)
{
    static const uint32_t other_ns = 15838;
    struct message_diff first = {0}, other = {0}, clocked = {0};
    struct explore_unlike unlike;
    char *text = NULL;
    size_t bytes;
    if (search->class_count != 1 || search->sent_kinds < 2 || search->worlds_before ||
        !program->worlds)
        return NULL;
    enum core_status status = sent_again(program, &search->sent_example[0], 0, &first);
    if (status == CORE_OK)
        status = sent_again(program, &search->sent_example[0], other_ns, &clocked);
    if (status == CORE_OK)
        status = sent_again(program, &search->sent_example[1], 0, &other);
    if (status == CORE_OK) /* times are sent, too */
        status = message_diff_mask(&other, &first, &clocked);
    if (status == CORE_OK)
        status = message_diff_mask(&first, &first, &clocked);
    if (status == CORE_OK && first.count && other.count && clocked.count &&
        message_diff_differ(&other, &first, &unlike)) {
        FILE *file = open_memstream(&text, &bytes);
        if (file) {
            fputs("not all send the same", file);
            sent_say(program, &unlike, file);
        }
        text = core_text_close(file, &text);
    }
    message_diff_done(&first);
    message_diff_done(&other);
    message_diff_done(&clocked);
    return text;
}
