/* See the header. Every word about a world is made here, from the records of its decisions; those
 * about a message in message_diff.c. */
#include "explore/findings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/text.h"
#include "explore/ahead.h"
#include "explore/failure.h"
#include "explore/message_diff.h"

/* Outcomes of worlds that come to a good end are told up to PASSING_TOLD; each that fails is. */
enum { PASSING_TOLD = 8, ANSWERS_TOLD = 8, ALSO_TOLD = 4, LINE_SHOWN = 120 };

/* --- a class, looked at ----------------------------------------------------------------------- */

struct finding_dedup { /* one answer of a smallest schedule; or where a rank is */
    uint32_t rank;
    char *call, *site, *path, *says;
};
struct tolds {
    struct finding_dedup *told;
    uint32_t count, room;
};

struct conflict { /* of a rank's own load or store, and an access by a call to the same bytes */
    bool is, loads;
    int owner, other; /* ranks */
    char call[sizeof(((struct world_decision *)0)->call)];
    struct tolds own; /* where it loads or stores */
};

struct look {
    const struct explore_class *class;
    struct explore_list list;
    struct explore_sends sends;
    char *buffered; /* the sends that have one where others wait; NULL: none */
    char *schedule;
    char *failure; /* in words; NULL: it does not fail */
    int failed;    /* the rank of it, or -1 */
    char *found;   /* what else the world found; NULL: nothing */
    char *also;    /* how else it fails, where it does; NULL: not */
    struct explore_output output;
    struct message_diff sent;    /* where that is compared */
    struct tolds chosen, stands; /* of the schedule; of the ranks that fail */
    struct conflict conflict;    /* of the accesses whose order the schedule changes */
    bool may_wait;               /* a rank may load until it finds what others put there */
    bool waits;                  /* it fails because those wait for ever */
    bool freed;                  /* it fails because a thread uses what another one freed */
    bool same;                   /* as the first one of the class */
    bool once;                   /* its choices were taken again, and gave another outcome */
    uint64_t key;                /* of the world that was run */
};

static void tolds_done(struct tolds *tolds)
{
    for (uint32_t i = 0; i < tolds->count; i++) {
        free(tolds->told[i].call);
        free(tolds->told[i].site);
        free(tolds->told[i].path);
        free(tolds->told[i].says);
    }
    free(tolds->told);
}

static void look_done(struct look *look)
{
    explore_list_done(&look->list);
    explore_sends_done(&look->sends);
    free(look->buffered);
    explore_output_done(&look->output);
    message_diff_done(&look->sent);
    tolds_done(&look->chosen);
    tolds_done(&look->stands);
    tolds_done(&look->conflict.own);
    free(look->schedule);
    free(look->failure);
    free(look->found);
    free(look->also);
}

static const struct world_decision *decision_of(const struct world_decisions *told,
                                                const struct explore_answer *answer)
{
    for (uint32_t i = 0; i < told->decision_count; i++)
        if ((uint32_t)told->decision[i].rank == answer->rank &&
            told->decision[i].number == answer->number)
            return &told->decision[i];
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

/* The answer is whose turn it is at a file, or the window of d->rank. */
static bool is_memory(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_LOCK || d->reason == REPLAY_REASON_OTHER;
}

/* usual: what it is answered when nothing is asked for; -1: that world does not come to it. */
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
        if (replay_turn_is_file(d->number))
            fputs("reaches the file", file);
        else
            fprintf(file,
                    lock       ? "gets the lock of rank %d's window"
                    : looks    ? "looks at rank %d's window"
                    : loads    ? "loads from rank %d's window"
                    : d->touch ? "stores in rank %d's window"
                               : "reaches rank %d's window",
                    d->rank);
        if (usual >= 0 && usual != d->answer)
            fprintf(file, " before rank %d", usual % ranks);
    } else if (d->reason == REPLAY_REASON_THREAD) {
        fprintf(file, "of thread %d comes first", d->answer);
        if (usual >= 0 && usual != d->answer)
            fprintf(file, ", not that of thread %d", usual);
    } else if (d->reason == REPLAY_REASON_BUFFER) {
        fputs(d->answer ? "finds its send complete, which has a buffer"
                        : "finds its send not complete, which has no buffer",
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

/* A copy, for the next world overwrites what the last one says. Takes `says`. */
static enum core_status findings_tell(struct explore_program *program, uint32_t rank,
                                      const char *call, uint64_t site, char *says,
                                      struct tolds *tolds)
{
    struct finding_dedup told = {.rank = rank, .call = strdup(call), .says = says};
    struct site_place place;
    if (explore_program_place(program, site, &place) && *place.file &&
        asprintf(&told.site, "%s:%d", place.file, place.line) < 0)
        told.site = NULL;
    if (told.site && *place.path)
        told.path = strdup(place.path);
    enum core_status status =
        told.call && told.says
            ? CORE_ARRAY_PUSH(tolds->told, tolds->count, tolds->room, "what was found", told)
            : core_report(CORE_NO_MEMORY, "out of memory for what was found");
    if (status != CORE_OK) {
        free(told.call);
        free(told.site);
        free(told.path);
        free(told.says);
    }
    return status;
}

static bool is_window_turn(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_OTHER && !replay_turn_is_file(d->number);
}

/* The access of the answer `d` came before the one that is first without it: of these one may be a
 * rank's own, to bytes that the other one accesses. */
static enum core_status conflict_find(struct explore_program *program,
                                      const struct world_decision *d, int32_t first,
                                      struct conflict *out)
{
    const struct world_decisions *told = program->outcome.world.decisions;
    for (uint32_t i = 0; i < told->decision_count && first >= 0 && !out->is; i++) {
        const struct world_decision *e = &told->decision[i], *own = d->touch ? d : e,
                                    *other = d->touch ? e : d;
        if (!is_window_turn(e) || e->rank != d->rank || e->answer != first ||
            e->number / REPLAY_TURN_OBJECT != d->number / REPLAY_TURN_OBJECT || !own->touch ||
            other->touch || own->low >= other->high || other->low >= own->high)
            continue;
        out->is = true;
        out->loads = !strcmp(own->call, WORLD_LOAD);
        out->owner = own->rank;
        out->other = other->answer % program->command->rank_count;
        memcpy(out->call, other->call, sizeof out->call);
        return findings_tell(program, (uint32_t)own->rank, own->call, own->site,
                             strdup(out->loads ? "loads from its window" : "stores in its window"),
                             &out->own);
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

/* Whether a rank comes again to one of its loads, or calls MPI_Win_sync. */
static enum core_status may_wait_find(const struct world_decisions *told, bool *out_may)
{
    const struct world_decision **touch;
    uint32_t count = 0;
    enum core_status status = CORE_ARRAY_NEW(touch, told->decision_count + 1u, "what was found");
    for (uint32_t i = 0; i < told->decision_count && status == CORE_OK; i++) {
        const struct world_decision *d = &told->decision[i];
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

/* The last world's text about each answer of the list. */
static enum core_status tell_answers(struct explore_program *program,
                                     const struct explore_list *usual, struct look *look)
{
    const struct world_decisions *decisions = program->outcome.world.decisions;
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < look->list.count && status == CORE_OK; i++) {
        const struct world_decision *d = decision_of(decisions, &look->list.answer[i]);
        int32_t before = -1;
        if (!d)
            continue;
        for (uint32_t u = 0; u < usual->count; u++)
            if (usual->answer[u].rank == (uint32_t)d->rank && usual->answer[u].number == d->number)
                before = usual->answer[u].answer;
        if (program->runner.chance && before == d->answer)
            continue; /* the schedule names all, and shows what is not usual */
        int ranks = program->command->rank_count;
        status = findings_tell(program, (uint32_t)(is_memory(d) ? d->answer % ranks : d->rank),
                               d->call, d->site, answer_words(d, before, ranks), &look->chosen);
        if (status == CORE_OK && is_window_turn(d))
            status = conflict_find(program, d, before, &look->conflict);
    }
    return status == CORE_OK ? may_wait_find(decisions, &look->may_wait) : status;
}

/* Where those ranks of the last world are that fail. */
static enum core_status tell_stands(struct explore_program *program,
                                    const struct world_finding *failure, struct look *look)
{
    enum core_status status = CORE_OK;
    if (!failure)
        return CORE_OK;
    look->waits = !strcmp(failure->rule, "deadlock");
    look->freed = !strcmp(failure->rule, "freed");
    for (int r = 0; r < program->command->rank_count && status == CORE_OK; r++) {
        const struct world_rank_outcome *rank = &program->outcome.rank[r];
        if (explore_outcome_stands(&program->outcome, failure, r))
            status = findings_tell(program, (uint32_t)r, rank->call, rank->site,
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
        asprintf(&text, "%s: %s%s", outcome->finding[0].rule, outcome->finding[0].text, more) < 0)
        text = NULL;
    return text;
}

/* Each of several ranks may be the one that ends the job. */
static char *also_failed(const struct world_outcome *outcome, const struct world_finding *failure)
{
    char *text = NULL;
    size_t bytes;
    int also = 0;
    FILE *file = open_memstream(&text, &bytes);
    for (int i = 0; file && i < outcome->finding_count; i++)
        if (&outcome->finding[i] != failure && explore_failure_is(&outcome->finding[i]) &&
            also++ < ALSO_TOLD)
            fprintf(file, "%s%s", also > 1 ? "; " : "", outcome->finding[i].text);
    if (file && also > ALSO_TOLD)
        fprintf(file, "; and %d more", also - ALSO_TOLD);
    if (!core_text_close(file, &text) || also)
        return text;
    free(text);
    return NULL;
}

/* The argument of --again: the words of a policy over its own defaults. */
static char *schedule_text(const struct explore_list *list, const struct explore_sends *sends,
                           bool touched)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file)
        return NULL;
    if (sends->wait && !sends->kept.count)
        fputs("buffering=rendezvous ", file);
    for (uint32_t i = 0; i < sends->kept.count; i++)
        fprintf(file, "%s%" PRIu32 ".%s%" PRIu64,
                i ? "," : "buffering=only:", sends->kept.name[i].rank,
                sends->kept.name[i].by_number ? "#" : "", sends->kept.name[i].id);
    fprintf(file, "%s%sorder=explore", sends->kept.count ? " " : "", touched ? "loads=turns " : "");
    for (uint32_t i = 0; i < list->count; i++)
        fprintf(file, "%c%" PRIu32 ".%" PRIu32 "=%" PRId32, i ? ',' : ':', list->answer[i].rank,
                list->answer[i].number, list->answer[i].answer);
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* The calls of the sends that keep their buffers. */
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
        if (e->kind != WORLD_EVENT_SEND || !e->standard ||
            !replay_policy_find(&sends->kept, (uint32_t)e->rank, e->number != 0,
                                e->number ? e->number : (uint64_t)e->request))
            continue;
        fprintf(file, "%s%s of rank %d to rank %d", between, e->call, e->rank, e->peer);
        if (e->number)
            fprintf(file, ", tag %d", e->tag);
        between = "; ";
    }
    if (fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* The text of the world that was run last. */
static enum core_status look_fill(struct explore_program *program, const struct explore_list *usual,
                                  const struct explore_events *events, struct look *look)
{
    const struct world_finding *failure = explore_failure_of(&program->outcome.world);
    look->schedule =
        schedule_text(&look->list, &look->sends, program->outcome.world.decisions->touched);
    enum core_status status =
        explore_output_keep(&program->outcome, program->command->rank_count, &look->output);
    if (status == CORE_OK && program->allow.messages)
        status = message_diff_keep(events, &look->sent);
    if (status == CORE_OK)
        status = tell_answers(program, usual, look);
    if (status == CORE_OK)
        status = tell_stands(program, failure, look);
    if (status != CORE_OK)
        return status;
    look->failure = failure ? strdup(failure->text) : NULL;
    look->failed = failure ? failure->rank : -1;
    look->buffered = buffered_words(events, &look->sends);
    look->found = failure ? NULL : others_found(&program->outcome.world);
    look->also = failure ? also_failed(&program->outcome.world, failure) : NULL;
    return CORE_OK;
}

static const struct explore_list *usual_of(const struct explore_search *search)
{
    static const struct explore_list none;
    return search->class_count && !search->class[0].sends.wait ? &search->class[0].first : &none;
}

/* *out_there: false: it was broken off. */
static enum core_status look_run(struct explore_program *program, struct explore_search *search,
                                 struct look *look, bool *out_there)
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

static enum core_status look_at(struct explore_program *program, struct explore_search *search,
                                const struct explore_class *class, struct look *out_look,
                                bool *out_there)
{
    struct look look = {.class = class};
    enum core_status status = explore_shrink(search, class, &look.list, &look.sends);

    *out_there = false;
    if (status == CORE_OK)
        status = look_run(program, search, &look, out_there);
    *out_there &= look.same || !(program->runner.chance || class->failure);
    if (status != CORE_OK || !*out_there)
        look_done(&look);
    else
        *out_look = look;
    return status;
}

struct explore_seen { /* by the number of the class */
    struct look *look;
    bool *known;
    uint32_t count, room, known_room;
};

/* The number of classes before this one. */
static uint32_t passing_before(const struct explore_search *search, uint32_t class)
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
        seen->look[seen->count] = (struct look){0};
        seen->known[seen->count] = false;
    }
    return status;
}

/* The choices by which the class was met first. */
static enum core_status look_first(const struct explore_program *program,
                                   const struct explore_class *class, struct look *look)
{
    const struct explore_list *all = program->runner.chance ? &class->first : &class->asked;
    enum core_status status = explore_list_copy(all, all->count, &look->list);
    return status == CORE_OK ? explore_sends_copy(&class->sends, &look->sends) : status;
}

enum core_status explore_findings_met(void *context, const struct explore_search *search,
                                      uint32_t class)
{
    struct explore_program *program = context;
    enum core_status status = CORE_OK;
    if (!search->class[class].failure && passing_before(search, class) >= PASSING_TOLD)
        return CORE_OK;
    status = seen_room(program, class + 1);
    if (status != CORE_OK)
        return status;
    const struct explore_events events = {program->outcome.event, program->outcome.event_count};
    struct look *look = &program->seen->look[class];
    status = look_first(program, &search->class[class], look);
    if (status == CORE_OK)
        status = look_fill(program, usual_of(search), &events, look);
    program->seen->known[class] = status == CORE_OK;
    return status;
}

void explore_findings_forget(struct explore_program *program)
{
    for (uint32_t i = 0; program->seen && i < program->seen->count; i++)
        look_done(&program->seen->look[i]);
    if (program->seen) {
        free(program->seen->look);
        free(program->seen->known);
    }
    free(program->seen);
    program->seen = NULL;
}

enum core_status explore_findings_untime(struct explore_program *program,
                                         struct explore_search *search)
{
    uint32_t *place, count = search->class_count;
    enum core_status status = explore_program_untime(program, search, &place);
    struct explore_seen *seen = program->seen;
    for (uint32_t i = 0; place && seen && i < count && i < seen->count; i++) {
        if (place[i] == i || !seen->known[i])
            continue;
        struct look *to = &seen->look[place[i]];
        if (seen->known[place[i]])
            look_done(&seen->look[i]);
        else
            *to = seen->look[i];
        seen->known[place[i]] = true;
        seen->look[i] = (struct look){0};
        seen->known[i] = false;
    }
    free(place);
    return status;
}

/* False: nothing is known of the class. */
static bool look_remember(struct explore_program *program, const struct explore_search *search,
                          uint32_t class, struct look *out_look)
{
    if (!program->seen || class >= program->seen->count || !program->seen->known[class])
        return false;
    *out_look = program->seen->look[class];
    out_look->class = &search->class[class];
    program->seen->look[class] = (struct look){0};
    program->seen->known[class] = false;
    return true;
}

/* --- findings --------------------------------------------------------------------------------- */

static enum core_status place_add(struct finding *finding, const struct finding_dedup *told,
                                  bool leads)
{
    enum core_status status =
        finding_place_add(finding, told->rank, told->call, told->site, told->path, told->says);
    if (status == CORE_OK)
        finding->call[finding->call_count - 1].leads = leads;
    return status;
}

/* Where it fails, and then what leads there. */
static enum core_status places_add(struct finding *finding, const struct look *look)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < look->stands.count && status == CORE_OK; i++)
        status = place_add(finding, &look->stands.told[i], false);
    for (uint32_t i = 0; i < look->chosen.count && i < ANSWERS_TOLD && status == CORE_OK; i++)
        status = place_add(finding, &look->chosen.told[i], true);
    if (look->chosen.count > ANSWERS_TOLD)
        finding_fact(finding, "it takes %" PRIu32 " more such choices: --again shows them",
                     look->chosen.count - ANSWERS_TOLD);
    return status;
}

/* "ranks 0-1 wait for ever": of each the place is told; or what the world says. */
static void failure_title(struct finding *finding, const struct look *look)
{
    uint32_t *rank = NULL, count = look->stands.count;
    if (!look->waits || !count || CORE_ARRAY_NEW(rank, count, "what was found") != CORE_OK) {
        finding_title(finding, "%s", look->failure);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        rank[i] = look->stands.told[i].rank;
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

/* A job that uses what it has freed need not fail, and its threads free when they like: no job
 * decides whether it does. */
static void repeat_set(struct finding *finding, const struct explore_program *program,
                       const struct look *look)
{
    char *words = explore_program_words(program);
    char *schedule = core_text_shell_quoted(look->schedule ? look->schedule : "");
    if (!look->freed)
        finding_schedule(finding, "%s", look->schedule ? look->schedule : "");
    finding_repeat(finding, "crosswait explore --again=%s %s", schedule ? schedule : "",
                   words ? words : "");
    char *job = program->worlds ? explore_program_job(program) : NULL;
    if (program->worlds && !look->freed)
        finding_fact(finding, "on the real MPI library: crosswait replay --live --policy=%s -- %s",
                     schedule ? schedule : "", job ? job : "");
    free(job);
    free(words);
    free(schedule);
}

/* Whether what was run is all there is. */
static bool is_all(const struct explore_search *s)
{
    return s->complete && !s->unless;
}

static void count_say(struct finding *finding, const struct explore_search *search,
                      const struct look *look)
{
    const struct explore_class *class = look->class;
    const char *all = is_all(search) ? "" : " that were tried";
    if (look->buffered)
        finding_fact(finding, "if the library buffers these sends and no others, as it may: %s",
                     look->buffered);
    else if (class->sends.wait)
        finding_fact(finding, "if the library buffers no sends, as it may");
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

/* The text behind a line that is not shown whole. */
static const char *line_rest(const char *line)
{
    return strcspn(line, "\n") > LINE_SHOWN ? ", and so on" : "";
}

/* The first and the last line that the rank that failed says on standard error: a sanitizer's
 * report begins with what it found, Python's ends with it. */
static void errors_say(struct finding *finding, const struct look *look)
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
    finding_fact(finding, "rank %d says '%.*s'%s", look->failed, line_shown(first), first,
                 line_rest(first));
    if (last != first)
        finding_fact(finding, "and at last '%.*s'%s", line_shown(last), last, line_rest(last));
}

static enum core_status failure_add(struct explore_program *program, struct explore_search *search,
                                    const struct look *look, struct finding_list *list)
{
    struct finding *finding = finding_list_add(list, RULE_BEHAVIOUR, FINDING_ERROR);
    if (!finding)
        return CORE_NO_MEMORY;
    failure_title(finding, look);
    enum core_status status = places_add(finding, look);
    if (look->also)
        finding_fact(finding, "so may it end, too: %s", look->also);
    errors_say(finding, look);
    count_say(finding, search, look);
    if (look->once)
        finding_fact(finding, "it did not repeat itself: the same choices, taken again, gave "
                              "another outcome");
    if (look->class->sampled)
        finding_fact(finding, "found by chance, seed %" PRIu64, search->options->seed);
    repeat_set(finding, program, look);
    return status;
}

/* "MPI_Send at file.c:17", as far as it is known. */
static void call_say(struct explore_program *program, const struct explore_message *m, FILE *file)
{
    struct site_place place;
    fputs(m->call, file);
    if (explore_program_place(program, m->site, &place) && *place.file)
        fprintf(file, " at %s:%d", place.file, place.line);
}

/* "rank 0 sends 2.5 to rank 1, tag 7, with MPI_Send at mw.c:17"; free() it. */
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

static void outcome_say(struct explore_program *program, struct finding *finding,
                        const struct look *look, const struct look *other)
{
    struct explore_difference d;
    struct explore_unlike unlike;
    uint64_t count = look->class->count;
    const char *times = count == 1 ? "time" : "times";
    if (explore_output_differ(&look->output, &other->output, &program->allow, &d)) {
        const char *line = d.line[0];
        finding_fact(finding,
                     line ? "%" PRIu64 " %s: rank %d %s '%.*s'%s"
                          : "%" PRIu64 " %s: rank %d %s no such line",
                     count, times, d.rank, d.errors ? "says" : "prints",
                     line_shown(line ? line : ""), line ? line : "", line_rest(line ? line : ""));
    } else if (look->found || !message_diff_differ(&look->sent, &other->sent, &unlike)) {
        finding_fact(finding, "%" PRIu64 " %s: %s", count, times,
                     look->found ? look->found : "as otherwise");
    } else {
        char *words = unlike_words(program, &unlike);
        finding_fact(finding, "%" PRIu64 " %s: %s", count, times, words ? words : "");
        free(words);
    }
    explore_difference_done(&d);
}

/* The first message that is another than in the base is a place of what differs. */
static enum core_status tell_unlike(struct explore_program *program, const struct look *base,
                                    struct look *look)
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
    return findings_tell(program, (uint32_t)m->key.from, m->call, m->site,
                         core_text_close(file, &says), &look->stands);
}

/* Two worlds that differed once need not differ again: a program that does not repeat itself may
 * show the same when they are rerun. */
static bool tells_apart(const struct look *look, const struct look *base,
                        const struct explore_allow *allow)
{
    struct explore_difference d;
    bool apart = look->found || base->found || allow->messages ||
                 explore_output_differ(&look->output, &base->output, allow, &d);
    if (apart && !look->found && !base->found && !allow->messages)
        explore_difference_done(&d);
    return apart;
}

/* *out_base: what comes with the fewest answers, the first of equal ones; *out_least: what tells
 * another outcome apart with the fewest; NULL: nothing does. */
static void race_ends(struct look *look, uint32_t count, const struct explore_allow *allow,
                      const struct look **out_base, struct look **out_least)
{
    *out_base = *out_least = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!look[i].failure && (!*out_base || look[i].list.count < (*out_base)->list.count))
            *out_base = &look[i];
    for (uint32_t i = 0; i < count; i++)
        if (!look[i].failure && &look[i] != *out_base &&
            (!*out_least || look[i].list.count < (*out_least)->list.count) &&
            tells_apart(&look[i], *out_base, allow))
            *out_least = &look[i];
}

/* The two worlds differ in the order of two accesses to the same bytes, and in what comes of it: so
 * nothing orders the two, and MPI does not say what is read. A rank that waits for a value may load
 * it while it is put there. */
static bool is_conflict(const struct look *base, const struct look *least)
{
    return least->conflict.is && !base->list.count && least->list.count == 1 && !base->may_wait &&
           !least->may_wait;
}

static enum core_status conflict_say(struct finding *finding, const struct conflict *conflict)
{
    char *result = finding->title;
    finding->title = NULL;
    finding->effect = FINDING_EFFECT_MEETS;
    finding_title(finding,
                  "conflicting accesses to rank %d's window: %s of rank %d and a %s by rank %d "
                  "itself, with nothing in between that orders the two",
                  conflict->owner, conflict->call, conflict->other,
                  conflict->loads ? "load" : "store", conflict->owner);
    finding_fact(finding, "%s", result ? result : "");
    free(result);
    return place_add(finding, conflict->own.told, false);
}

static enum core_status race_add(struct explore_program *program, struct explore_search *search,
                                 struct look *look, uint32_t count, uint32_t passing,
                                 struct finding_list *list)
{
    const struct look *base;
    struct look *least;
    uint32_t passing_looked = 0;
    for (uint32_t i = 0; i < count; i++)
        passing_looked += !look[i].failure;
    race_ends(look, count, &program->allow, &base, &least);
    if (!least)
        return CORE_OK;
    bool conflict = is_conflict(base, least);
    struct finding *finding = conflict ? finding_list_add(list, RULE_RMA, FINDING_ERROR)
                                       : finding_list_add(list, RULE_RACE, FINDING_WARNING);
    if (!finding)
        return CORE_NO_MEMORY;
    finding_title(finding,
                  "the result depends on what comes first: %" PRIu32 " outcomes in %" PRIu64
                  " behaviours%s",
                  passing, search->behaviours, is_all(search) ? "" : " that were tried");
    enum core_status status = tell_unlike(program, base, least);
    if (status == CORE_OK)
        status = places_add(finding, least);
    if (status == CORE_OK && conflict)
        status = conflict_say(finding, &least->conflict);
    outcome_say(program, finding, base, least);
    for (uint32_t i = 0; i < count; i++)
        if (!look[i].failure && &look[i] != base)
            outcome_say(program, finding, &look[i], base);
    if (passing > passing_looked)
        finding_fact(finding, "%" PRIu32 " more outcomes are not shown", passing - passing_looked);
    repeat_set(finding, program, least);
    return status;
}

static enum core_status astray_add(struct explore_search *search, struct finding_list *list)
{
    bool chance = search->options->chance && search->limited; /* not all can be given to a job */
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
    struct look look = {.class = NULL};
    uint32_t count = search->overdue_count;
    if (!count)
        return CORE_OK;
    struct finding *finding = finding_list_reach(list, RULE_BEHAVIOUR);
    if (!finding)
        return CORE_NO_MEMORY;
    finding_title(finding, "%" PRIu32 " world%s %s than a world may, and %s broken off", count,
                  count == 1 ? "" : "s",
                  *search->beyond ? "took longer, or needed more," : "took longer",
                  count == 1 ? "was" : "were");
    if (*search->beyond)
        finding_fact(finding, "%s", search->beyond);
    else
        finding_fact(finding,
                     "whether %s would have ended is not known: the machine may be slow, or "
                     "the program goes on for ever; --world-time=SECONDS gives a world longer",
                     count == 1 ? "it" : "they");
    enum core_status status = explore_item_list(&search->overdue[0], &look.list);
    if (status != CORE_OK)
        return status;
    look.schedule = schedule_text(&look.list, &look.sends, program->worlds && look.list.count);
    repeat_set(finding, program, &look);
    look_done(&look);
    return CORE_OK;
}

/* A class that only an earlier search has seen, whose state this one went on from: what comes of it
 * is shown, however long it takes, unless the time is for all. */
static enum core_status look_late(struct explore_program *program, struct explore_search *search,
                                  const struct explore_class *class, struct look *out_look,
                                  bool *out_there)
{
    struct look look = {.class = class};
    enum core_status status = look_first(program, class, &look);
    program->end_s = 0;
    if (status == CORE_OK)
        status = look_run(program, search, &look, out_there);
    if (status != CORE_OK || !*out_there)
        look_done(&look);
    else
        *out_look = look;
    return status;
}

/* A world that failed is told, though it cannot be seen again. */
static enum core_status look_told(const struct explore_program *program,
                                  const struct explore_class *class, struct look *out_look)
{
    struct look look = {.class = class, .failed = -1};
    enum core_status status = look_first(program, class, &look);
    look.schedule = schedule_text(&look.list, &look.sends, program->worlds && look.list.count);
    if (status == CORE_OK && !(look.failure = strdup(class->failure)))
        status = core_report(CORE_NO_MEMORY, "out of memory for what was found");
    if (status != CORE_OK)
        look_done(&look);
    else
        *out_look = look;
    return status;
}

static enum core_status look_one(struct explore_program *program, struct explore_search *search,
                                 uint32_t place, struct look *out_look, bool *out_there)
{
    const struct explore_class *class = &search->class[place];
    double end_s = program->end_s;
    bool over = search->interrupted || (end_s > 0 && explore_program_now_s() >= end_s);
    bool astray = search->went_astray, once;
    enum core_status status = CORE_OK;
    *out_there = search->went_astray = false;
    if (!(over && program->runner.chance))
        status = look_at(program, search, class, out_look, out_there);
    once = search->went_astray && class->failure;
    search->went_astray |= astray;
    if (status == CORE_OK && !*out_there)
        *out_there = look_remember(program, search, place, out_look);
    if (status == CORE_OK && !*out_there && !search->interrupted && !once && !program->end_all_s)
        status = look_late(program, search, class, out_look, out_there);
    if (status == CORE_OK && *out_there && class->failure && !out_look->failure) {
        look_done(out_look);
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

/* Each that fails, and the first of those that do not. *out_looked: so many. */
static enum core_status looks_take(struct explore_program *program, struct explore_search *search,
                                   struct look *look, uint32_t *out_looked)
{
    enum core_status status = CORE_OK;
    uint32_t passing = 0;
    *out_looked = 0;
    for (uint32_t i = 0; i < search->class_count && status == CORE_OK; i++) {
        bool there;
        passing += !search->class[i].failure;
        if (!search->class[i].failure && passing > PASSING_TOLD)
            continue;
        status = look_one(program, search, i, &look[*out_looked], &there);
        *out_looked += status == CORE_OK && there;
    }
    return status;
}

/* A world that was to be like one that passed may have failed: that failure is told, unless it is
 * one that is told already. */
static bool is_told(const struct explore_search *search, const struct look *look)
{
    for (uint32_t i = 0; i < search->class_count && look->class->failure == NULL; i++)
        if (search->class[i].failure && search->class[i].key == look->key)
            return true;
    return false;
}

enum { SHARE_LOOK = 10, LOOK_S = 1 };

enum core_status explore_findings(struct explore_program *program, struct explore_search *search,
                                  struct finding_list *list)
{
    struct look *look = NULL;
    uint32_t looked = 0, passing = passing_before(search, search->class_count);
    if (!search->behaviours && program->outcome.unsure)
        return explore_program_crowded();
    enum core_status status = CORE_ARRAY_NEW(look, search->class_count, "what was found");

    search->lacks = program->worlds ? 0 : program->runner.lacks(program->runner.context);
    if (program->end_s > 0 && program->worlds)
        program->end_s = explore_program_now_s() + LOOK_S + search->options->time_s / SHARE_LOOK;
    if (program->end_all_s > 0 && program->end_s > program->end_all_s)
        program->end_s = program->end_all_s;
    if (status == CORE_OK)
        status = looks_take(program, search, look, &looked);
    for (uint32_t i = 0; i < looked && status == CORE_OK; i++)
        if (look[i].failure && !is_told(search, &look[i]))
            status = failure_add(program, search, &look[i], list);
    if (passing > 1 && status == CORE_OK)
        status = race_add(program, search, look, looked, passing, list);
    if (status == CORE_OK)
        status = astray_add(search, list);
    for (uint32_t i = 0; i < looked; i++)
        look_done(&look[i]);
    free(look);
    return status;
}

/* The message of one of the two examples; none, where it is broken off. */
static enum core_status sent_again(struct explore_program *program, const struct explore_list *list,
                                   struct message_diff *out_sent)
{
    static const struct explore_sends all_buffered;
    struct replay_policy policy;
    const struct world_outcome *outcome;
    struct explore_events events;
    uint64_t key;
    enum core_status status = explore_policy(list, &all_buffered, &policy);

    *out_sent = (struct message_diff){0};
    if (status != CORE_OK)
        return status;
    status =
        explore_program_run(program, &policy, &(struct replay_choice){0}, &outcome, &key, &events);
    replay_policy_done(&policy);
    return status == CORE_OK && !outcome->decisions->unfinished
               ? message_diff_keep(&events, out_sent)
               : status;
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
    struct message_diff first = {0}, other = {0};
    struct explore_unlike unlike;
    char *text = NULL;
    size_t bytes;
    if (search->class_count != 1 || search->sent_kinds < 2 || search->worlds_before ||
        !program->worlds)
        return NULL;
    enum core_status status = sent_again(program, &search->sent_example[0], &first);
    if (status == CORE_OK)
        status = sent_again(program, &search->sent_example[1], &other);
    FILE *file = open_memstream(&text, &bytes);
    if (file) {
        fputs("not all send the same", file);
        if (status == CORE_OK && first.count && other.count &&
            message_diff_differ(&other, &first, &unlike))
            sent_say(program, &unlike, file);
    }
    message_diff_done(&first);
    message_diff_done(&other);
    return core_text_close(file, &text);
}
