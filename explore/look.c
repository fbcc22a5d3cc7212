/* See the header. The words come from the records of a world's decisions. */
#include "explore/look.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/text.h"
#include "explore/failure.h"
#include "explore/findings.h"
#include "explore/schedule_export.h"

enum { ALSO_TOLD = 4 };

void explore_lines_done(struct explore_lines *lines)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        free(lines->line[i].call);
        free(lines->line[i].site);
        free(lines->line[i].path);
        free(lines->line[i].says);
    }
    free(lines->line);
}

void explore_look_done(struct explore_look *look)
{
    explore_list_done(&look->list);
    explore_sends_done(&look->sends);
    free(look->buffered);
    explore_output_done(&look->output);
    message_diff_done(&look->sent);
    explore_lines_done(&look->chosen);
    explore_lines_done(&look->stands);
    explore_lines_done(&look->conflict.rest);
    replay_policy_done(&look->schedule);
    free(look->failure);
    free(look->found);
    free(look->also);
}

enum core_status explore_look_give(enum core_status status, bool there, struct explore_look *look,
                                   struct explore_look *out_look)
{
    CORE_CHECK(look != out_look);
    if (status != CORE_OK || !there)
        explore_look_done(look);
    else
        *out_look = *look;
    return status;
}

static const struct world_decision *look_decision_of(const struct world_decisions *decisions,
                                                     const struct explore_answer *answer)
{
    for (uint32_t i = 0; i < decisions->decision_count; i++)
        if ((uint32_t)decisions->decision[i].rank == answer->rank &&
            decisions->decision[i].number == answer->number)
            return &decisions->decision[i];
    return NULL;
}

static void bits_say(uint32_t bits, FILE *file)
{
    const char *between = "";
    for (int i = 0; i < 31; i++)
        if (bits >> i & 1) {
            fprintf(file, "%s%d", between, i);
            between = ", ";
        }
}

/* Tells whether the answer is the rank that accesses a file, or the window of d->rank, next. */
static bool is_memory(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_LOCK || d->reason == REPLAY_REASON_OTHER;
}

static const char *common_words(const struct world_decision *d)
{
    return strcmp(d->call, WORLD_LOAD) ? "stores in the shared window"
                                       : "loads from the shared window";
}

/* Describes the answer. usual: the answer if nothing is asked for; -1: that world has no such
 * decision. */
static char *answer_words(const struct world_decision *d, int32_t usual, int ranks)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return NULL;
    if (d->poll && d->answer == 0)
        fprintf(file, "finds nothing yet");
    else if (d->reason == REPLAY_REASON_MATCH) {
        const char *what = !strcmp(d->call, "MPI_Comm_accept") ? "connection" : "message";
        if (d->answer - d->poll == ranks)
            fputs("gets no message, and is cancelled", file);
        else
            fprintf(file, "%s the %s of rank %d", d->poll ? "finds" : "gets", what,
                    d->answer - d->poll);
        if (usual - d->poll == ranks)
            fputs(", and is not cancelled", file);
        else if (usual >= d->poll && usual != d->answer)
            fprintf(file, ", not that of rank %d", usual - d->poll);
    } else if (is_memory(d)) {
        bool lock = d->reason == REPLAY_REASON_LOCK, looks = !strcmp(d->call, "MPI_Win_sync");
        bool loads = d->touch && !strcmp(d->call, WORLD_LOAD);
        bool own = false; /* the other rank accesses its own window */
        if (decision_kind_of(d->number) == DECISION_FILE)
            fputs("accesses the file", file);
        else if (d->common)
            fputs(common_words(d), file);
        else
            fprintf(file,
                    lock       ? "gets the lock of rank %d's window"
                    : looks    ? "looks at rank %d's window"
                    : loads    ? "loads from rank %d's window"
                    : d->touch ? "stores in rank %d's window"
                               : "accesses rank %d's window",
                    d->rank);
        own = decision_kind_of(d->number) != DECISION_FILE && !lock && !d->common &&
              usual % ranks == d->rank;
        if (usual >= 0 && usual != d->answer)
            fprintf(file, " before rank %d%s %s it", usual % ranks, own ? " itself" : "",
                    lock ? "gets" : "accesses");
    } else if (d->reason == REPLAY_REASON_THREAD) {
        fprintf(file, "of thread %d comes first", d->answer);
        if (usual >= 0 && usual != d->answer)
            fprintf(file, ", not that of thread %d", usual);
    } else if (d->reason == REPLAY_REASON_BUFFER) {
        fputs(d->answer ? "finds its send complete, as it is buffered"
                        : "finds its send not complete, as it is not buffered",
              file);
    } else if (d->set) {
        fputs(d->answer & (d->answer - 1) ? "reports requests " : "reports request ", file);
        bits_say((uint32_t)d->answer, file);
        fprintf(file, " alone");
    } else {
        fprintf(file, d->poll ? "finds request %d complete" : "reports request %d",
                d->answer - d->poll);
        if (!d->poll && usual >= 0 && usual != d->answer)
            fprintf(file, ", not request %d", usual);
    }
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Adds a copy, as the next world overwrites the original. Takes over `says`. */
enum core_status explore_look_line(struct explore_program *program, uint32_t rank, const char *call,
                                   uint64_t site, char *says, struct explore_lines *lines)
{
    struct explore_line line = {.rank = rank, .call = strdup(call), .says = says};
    struct site_place place;
    if (explore_program_place(program, site, &place) && *place.file &&
        asprintf(&line.site, "%s:%d", place.file, place.line) < 0)
        line.site = NULL;
    if (line.site && *place.path)
        line.path = strdup(place.path);
    enum core_status status =
        line.call && line.says
            ? CORE_ARRAY_PUSH(lines->line, lines->count, lines->room, "what was found", line)
            : core_report(CORE_NO_MEMORY, "out of memory for what was found");
    if (status != CORE_OK) {
        free(line.call);
        free(line.site);
        free(line.path);
        free(line.says);
    }
    return status;
}

static bool is_window_turn(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_OTHER && decision_kind_of(d->number) != DECISION_FILE;
}

/* Adds the place where a rank itself accesses its window. */
static enum core_status own_line(struct explore_program *program, const struct world_decision *d,
                                 struct explore_lines *lines)
{
    const char *says =
        strcmp(d->call, WORLD_LOAD) ? "stores in its window" : "loads from its window";
    return explore_look_line(program, (uint32_t)d->rank, d->call, d->site, strdup(says), lines);
}

enum core_status explore_look_other(struct explore_program *program, int rank, int owner,
                                    const char *call, uint64_t site, struct explore_lines *lines)
{
    char *accesses = NULL;
    if (asprintf(&accesses, "accesses rank %d's window", owner) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for what was found");
    return explore_look_line(program, (uint32_t)rank, call, site, accesses, lines);
}

/* Adds the place of a load or store in a shared window that has no synchronisation before `d`. */
static enum core_status common_line(struct explore_program *program, const struct world_decision *e,
                                    struct explore_lines *lines)
{
    int rank = e->answer % program->command->rank_count;
    return explore_look_line(program, (uint32_t)rank, e->call, e->site, strdup(common_words(e)),
                             lines);
}

/* Finds the access that the answer of `d` moved back: without the schedule it comes first. Reports
 * a conflict if one of the two accesses is a rank's own and both touch the same bytes. Of two own
 * accesses in a shared window it reports the other place. */
static enum core_status conflict_find(struct explore_program *program,
                                      const struct world_decision *d, int32_t first,
                                      struct explore_conflict *out)
{
    const struct world_decisions *decisions = program->outcome.world.decisions;
    for (uint32_t i = 0; i < decisions->decision_count && first >= 0 && !out->is; i++) {
        const struct world_decision *e = &decisions->decision[i], *own = d->touch ? d : e,
                                    *other = d->touch ? e : d;
        if (!is_window_turn(e) || e->rank != d->rank || e->answer != first ||
            decision_object_of(e->number) != decision_object_of(d->number))
            continue;
        if (d->common && e->common)
            return out->rest.count ? CORE_OK : common_line(program, e, &out->rest);
        if (!own->touch || other->touch || own->low >= other->high || other->low >= own->high)
            continue;
        out->is = true;
        out->loads = !strcmp(own->call, WORLD_LOAD);
        out->owner = own->rank;
        out->other = other->answer % program->command->rank_count;
        memcpy(out->call, other->call, sizeof out->call);
        out->own_site = own->site;
        out->other_site = other->site;
        return own == e
                   ? own_line(program, e, &out->rest)
                   : explore_look_other(program, out->other, e->rank, e->call, e->site, &out->rest);
    }
    return CORE_OK;
}

static int compare_touches(const void *a, const void *b)
{
    const struct world_decision *const *x = a, *const *y = b;
    if ((*x)->rank != (*y)->rank)
        return (*x)->rank < (*y)->rank ? -1 : 1;
    return ((*x)->site > (*y)->site) - ((*x)->site < (*y)->site);
}

/* Tells whether a rank repeats one of its loads or calls MPI_Win_sync. */
static enum core_status may_wait_find(const struct world_decisions *decisions, bool *out_may)
{
    const struct world_decision **touch;
    uint32_t count = 0;
    enum core_status status =
        CORE_ARRAY_NEW(touch, decisions->decision_count + 1u, "what was found");
    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++) {
        const struct world_decision *d = &decisions->decision[i];
        *out_may |= is_window_turn(d) && !strcmp(d->call, "MPI_Win_sync");
        if (d->touch && !strcmp(d->call, WORLD_LOAD))
            touch[count++] = d;
    }
    if (count)
        qsort(touch, count, sizeof *touch, compare_touches);
    for (uint32_t i = 1; i < count; i++)
        *out_may |= !compare_touches(&touch[i - 1], &touch[i]);
    free(touch);
    return status;
}

/* Describes each answer of the list in the last world. */
static enum core_status tell_answers(struct explore_program *program,
                                     const struct explore_list *usual, struct explore_look *look)
{
    const struct world_decisions *decisions = program->outcome.world.decisions;
    enum core_status status = CORE_OK;
    bool finds = false, takes = false;
    for (uint32_t i = 0; i < look->list.count && status == CORE_OK; i++) {
        const struct world_decision *d = look_decision_of(decisions, &look->list.answer[i]);
        int32_t before = -1;
        if (!d)
            continue;
        if (decision_kind_of(d->number) == DECISION_CHOICE)
            *(d->receive && !d->poll ? &takes : &finds) = true;
        for (uint32_t u = 0; u < usual->count; u++)
            if (usual->answer[u].rank == (uint32_t)d->rank && usual->answer[u].number == d->number)
                before = usual->answer[u].answer;
        look->unusual += before != d->answer;
        if ((program->runner.chance || look->met) && before == d->answer)
            continue; /* the schedule names all decisions; show the unusual ones */
        int ranks = program->command->rank_count;
        status = explore_look_line(program, (uint32_t)(is_memory(d) ? d->answer % ranks : d->rank),
                                   d->call, d->site, answer_words(d, before, ranks), &look->chosen);
        look->shared |= d->common;
        if (status == CORE_OK && is_window_turn(d))
            status = conflict_find(program, d, before, &look->conflict);
        look->free |= schedule_export_lacks(d, ranks) || look->conflict.is;
    }
    look->completes = finds && !takes;
    return status == CORE_OK ? may_wait_find(decisions, &look->may_wait) : status;
}

/* Adds where the ranks are that fail in the last world. */
static enum core_status tell_stands(struct explore_program *program,
                                    const struct world_finding *failure, struct explore_look *look)
{
    enum core_status status = CORE_OK;
    if (!failure)
        return CORE_OK;
    look->rule = failure->rule;
    for (int r = 0; r < program->command->rank_count && status == CORE_OK; r++) {
        const struct world_rank_outcome *rank = &program->outcome.rank[r];
        if (explore_outcome_stands(&program->outcome, failure, r))
            status = explore_look_line(program, (uint32_t)r, rank->call, rank->site,
                                       strdup(rank->why ? rank->why : ""), &look->stands);
    }
    return status;
}

static char *others_found(const struct world_outcome *outcome)
{
    char *text = NULL, more[32] = "";
    int others = outcome->finding_count - 1 + outcome->finding_dropped;
    if (others > 0)
        snprintf(more, sizeof more, "; and %d more", others);
    if (outcome->finding_count &&
        asprintf(&text, "%s: %s%s", world_rule_row(outcome->finding[0].rule)->id,
                 outcome->finding[0].text, more) < 0)
        text = NULL;
    return text;
}

/* Tells whether it is another failure, and says what no failure before it says. */
static bool also_is(const struct world_outcome *outcome, int i, const struct world_finding *failure)
{
    const struct world_finding *other = &outcome->finding[i];
    if (other == failure || !explore_failure_is(other) || !strcmp(other->text, failure->text))
        return false;
    for (int k = 0; k < i; k++)
        if (explore_failure_is(&outcome->finding[k]) &&
            !strcmp(outcome->finding[k].text, other->text))
            return false;
    return true;
}

/* Lists the world's other failures: each of several ranks may be the one that ends the job. */
static char *also_failed(const struct world_outcome *outcome, const struct world_finding *failure)
{
    char *text = NULL;
    size_t bytes;
    int also = 0;
    FILE *file = open_memstream(&text, &bytes);
    for (int i = 0; file && i < outcome->finding_count; i++)
        if (also_is(outcome, i, failure) && also++ < ALSO_TOLD)
            fprintf(file, "%s%s", also > 1 ? "; " : "", outcome->finding[i].text);
    if (file && also > ALSO_TOLD)
        fprintf(file, "; and %d more", also - ALSO_TOLD);
    if (!core_text_close(file, &text) || also)
        return text;
    free(text);
    return NULL;
}

enum core_status explore_look_schedule(struct explore_look *look, bool touched)
{
    enum core_status status = explore_policy(&look->list, &look->sends, &look->schedule);
    if (!touched)
        look->schedule.loads = REPLAY_LOADS_FREE;
    return status;
}

/* Lists the calls of the sends that keep their buffers. */
static char *buffered_words(const struct explore_events *events, const struct explore_sends *sends)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = sends->kept.count ? open_memstream(&text, &bytes) : NULL;
    const char *between = "";
    if (!file)
        return NULL;
    for (size_t i = 0; i < events->count; i++) {
        const struct world_event *e = &events->event[i];
        if (e->kind != WORLD_EVENT_SEND || !(e->standard || e->attached) ||
            !replay_policy_find(&sends->kept, (uint32_t)e->rank, e->number != 0,
                                e->number ? e->number : (uint64_t)e->request))
            continue;
        fprintf(file, "%s%s of rank %d to rank %d", between, e->call, e->rank, e->peer);
        if (e->number || e->attached)
            fprintf(file, ", tag %d", e->tag);
        between = "; ";
    }
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Keeps what the last world did that others may do differently. */
static enum core_status look_keep(struct explore_program *program,
                                  const struct explore_events *events, struct explore_look *look)
{
    enum core_status status =
        explore_output_keep(&program->outcome, program->command->rank_count, &look->output);
    look->rest = program->rest;
    if (status == CORE_OK && program->allow.messages)
        status = message_diff_keep(events, &look->sent);
    if (status == CORE_OK && !explore_failure_of(&program->outcome.world))
        look->found = others_found(&program->outcome.world);
    return status;
}

/* Describes the world that was run last. */
static enum core_status look_fill(struct explore_program *program, const struct explore_list *usual,
                                  const struct explore_events *events, struct explore_look *look)
{
    const struct world_finding *failure = explore_failure_of(&program->outcome.world);
    enum core_status status =
        explore_look_schedule(look, program->outcome.world.decisions->touched);
    if (status == CORE_OK)
        status = look_keep(program, events, look);
    if (status == CORE_OK)
        status = tell_answers(program, usual, look);
    if (status == CORE_OK)
        status = tell_stands(program, failure, look);
    look->free |= schedule_export_attached(&program->outcome, program->command->rank_count) > 0;
    if (status != CORE_OK)
        return status;
    look->failure = failure ? strdup(failure->text) : NULL;
    look->failed = failure ? failure->rank : -1;
    look->buffered = buffered_words(events, &look->sends);
    for (size_t i = 0; i < events->count && !look->attached; i++)
        look->attached = events->event[i].attached;
    look->also = failure ? also_failed(&program->outcome.world, failure) : NULL;
    return CORE_OK;
}

static const struct explore_list *usual_of(const struct explore_search *search)
{
    static const struct explore_list none;
    return search->class_count && !search->class[0].sends.wait ? &search->class[0].first : &none;
}

/* Runs the class's answers. *out_there: false if the world was broken off. */
enum core_status explore_look_run(struct explore_program *program, struct explore_search *search,
                                  struct explore_look *look, bool *out_there)
{
    struct replay_policy policy;
    const struct world_outcome *outcome;
    struct explore_events events;
    uint64_t key;
    enum core_status status = explore_policy(&look->list, &look->sends, &policy);

    *out_there = false;
    if (status != CORE_OK)
        return status;
    status =
        explore_program_run(program, &policy, &(struct replay_choice){0}, &outcome, &key, &events);
    replay_policy_done(&policy);
    bool kept = status != CORE_OK || !program->runner.chance || !outcome->decisions->cut;
    if (status != CORE_OK || outcome->decisions->unfinished || !kept)
        return status; /* a job that did not keep its schedule is no world of it */
    look->same = key == look->class->key;
    look->key = key;
    if (!look->same)
        explore_search_astray(search);
    *out_there = true;
    return look_fill(program, usual_of(search), &events, look);
}

enum core_status explore_look_at(struct explore_program *program, struct explore_search *search,
                                 const struct explore_class *class, struct explore_look *out_look,
                                 bool *out_there)
{
    struct explore_look look = {.class = class};
    enum core_status status = explore_shrink(search, class, &look.list, &look.sends);

    *out_there = false;
    if (status == CORE_OK)
        status = explore_look_run(program, search, &look, out_there);
    *out_there &= look.same || !(program->runner.chance || class->failure);
    return explore_look_give(status, *out_there, &look, out_look);
}

struct explore_seen { /* indexed by the number of the class */
    struct explore_look *look;
    bool *known;
    uint32_t count, room, known_room;
};

/* Counts the classes before this one that do not fail. */
uint32_t explore_passing_before(const struct explore_search *search, uint32_t class)
{
    uint32_t passing = 0;
    for (uint32_t i = 0; i < class; i++)
        passing += !search->class[i].failure;
    return passing;
}

static enum core_status seen_room(struct explore_program *program, uint32_t count)
{
    enum core_status status = CORE_OK;
    if (!program->seen)
        status = CORE_ARRAY_NEW(program->seen, 1, "what was found");
    struct explore_seen *seen = program->seen;
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(seen->look, seen->room, count, "what was found");
    if (status == CORE_OK)
        status = CORE_ARRAY_ROOM(seen->known, seen->known_room, count, "what was found");
    for (; status == CORE_OK && seen->count < count; seen->count++) {
        seen->look[seen->count] = (struct explore_look){0};
        seen->known[seen->count] = false;
    }
    return status;
}

/* Copies the answers by which the class was first met. */
enum core_status explore_look_first(const struct explore_program *program,
                                    const struct explore_class *class, struct explore_look *look)
{
    const struct explore_list *all = program->runner.chance ? &class->first : &class->asked;
    enum core_status status = explore_list_copy(all, all->count, &look->list);
    look->met = true;
    return status == CORE_OK ? explore_sends_copy(&class->sends, &look->sends) : status;
}

enum core_status explore_findings_met(void *context, const struct explore_search *search,
                                      uint32_t class)
{
    struct explore_program *program = context;
    enum core_status status = CORE_OK;
    uint32_t passing = search->class[class].failure ? 0 : explore_passing_before(search, class);
    if (passing >= EXPLORE_PASSING_TOLD + EXPLORE_PASSING_COMPARED)
        return CORE_OK;
    status = seen_room(program, class + 1);
    if (status != CORE_OK)
        return status;
    const struct explore_events events = {program->outcome.event, program->outcome.event_count};
    struct explore_look *look = &program->seen->look[class];
    if (passing < EXPLORE_PASSING_TOLD)
        status = explore_look_first(program, &search->class[class], look);
    if (status == CORE_OK)
        status = passing < EXPLORE_PASSING_TOLD
                     ? look_fill(program, usual_of(search), &events, look)
                     : look_keep(program, &events, look);
    program->seen->known[class] = status == CORE_OK;
    return status;
}

void explore_findings_forget(struct explore_program *program)
{
    for (uint32_t i = 0; program->seen && i < program->seen->count; i++)
        explore_look_done(&program->seen->look[i]);
    if (program->seen) {
        free(program->seen->look);
        free(program->seen->known);
    }
    free(program->seen);
    program->seen = NULL;
}

/* Merges the classes that the program's patterns no longer distinguish, and what is known of them.
 */
static enum core_status looks_join(struct explore_program *program, struct explore_search *search)
{
    struct explore_seen *seen = program->seen;
    uint32_t *place = NULL, count = search->class_count;
    uint64_t *key;
    enum core_status status = CORE_ARRAY_NEW(key, count + 1u, "outcomes");
    for (uint32_t i = 0; i < count && status == CORE_OK; i++)
        if (!search->class[i].failure && seen && i < seen->count && seen->known[i])
            key[i] = explore_output_key(seen->look[i].rest, &seen->look[i].output, &program->allow);
    if (status == CORE_OK)
        status = explore_search_join(search, key, &place);
    free(key);
    for (uint32_t i = 0; place && seen && i < count && i < seen->count; i++) {
        if (place[i] == i || !seen->known[i])
            continue;
        struct explore_look *to = &seen->look[place[i]];
        if (seen->known[place[i]])
            explore_look_done(&seen->look[i]);
        else
            *to = seen->look[i];
        seen->known[place[i]] = true;
        seen->look[i] = (struct explore_look){0};
        seen->known[i] = false;
    }
    free(place);
    return status;
}

/* Takes numbers that differ for times, as no time was left to learn which are. */
static enum core_status numbers_join(struct explore_program *program, struct explore_search *search)
{
    const struct explore_seen *seen = program->seen;
    const struct explore_output *first = NULL;
    const int known = program->allow.pattern_count;
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; seen && i < search->class_count && i < seen->count; i++) {
        if (search->class[i].failure || !seen->known[i] || status != CORE_OK)
            continue;
        if (first)
            status = explore_allow_numbers(&program->allow, first, &seen->look[i].output);
        else
            first = &seen->look[i].output;
    }
    search->untimed = program->allow.pattern_count > known;
    return status == CORE_OK && search->untimed ? looks_join(program, search) : status;
}

enum { TIMED_MAX = 8 };

/* Learns times in worlds of one class after the other, while there are several. */
static enum core_status looks_untime(struct explore_program *program, struct explore_search *search)
{
    enum core_status status = CORE_OK;
    bool ran = true;
    uint32_t timed = 0;
    for (uint32_t i = 0; i < search->class_count && status == CORE_OK; i++) {
        const int known = program->allow.pattern_count;
        if (search->class[i].failure)
            continue;
        if (timed++ == TIMED_MAX || explore_passing_before(search, search->class_count) < 2)
            break;
        status = explore_program_times(program, &search->class[i].asked, &ran);
        if (status == CORE_OK && program->allow.pattern_count > known)
            status = looks_join(program, search);
        if (!ran && timed == 1 && status == CORE_OK && program->worlds && !program->allow.output)
            status = numbers_join(program, search);
        if (!ran)
            break;
    }
    return status;
}

enum core_status explore_findings_untime(struct explore_program *program,
                                         struct explore_search *search)
{
    enum core_status status = looks_untime(program, search);
    return status == CORE_OK ? explore_program_chance(program, search) : status;
}

/* Returns false if nothing is known of the class. */
bool explore_look_remember(struct explore_program *program, const struct explore_search *search,
                           uint32_t class, struct explore_look *out_look)
{
    if (!program->seen || class >= program->seen->count || !program->seen->known[class])
        return false;
    *out_look = program->seen->look[class];
    out_look->class = &search->class[class];
    program->seen->look[class] = (struct explore_look){0};
    program->seen->known[class] = false;
    return true;
}

enum core_status explore_look_output(struct explore_program *program, struct explore_search *search,
                                     uint32_t class, struct explore_look *out_look, bool *out_there)
{
    struct explore_look look = {.class = &search->class[class], .failed = -1};
    const double end_s = program->end_s;
    bool over =
        search->interrupted || program->runner.chance || (end_s > 0 && explore_clock_s() >= end_s);

    *out_there = explore_look_remember(program, search, class, out_look);
    if (*out_there || over)
        return CORE_OK;
    enum core_status status = explore_look_first(program, look.class, &look);
    if (status == CORE_OK)
        status = explore_look_run(program, search, &look, out_there);
    *out_there &= look.same;
    return explore_look_give(status, *out_there, &look, out_look);
}
