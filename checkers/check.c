/* Holds the table of checkers and runs them over one trace. */
#include "checkers/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/cause.h"
#include "checkers/check_rules.h"
#include "checkers/hint_destructor.h"
#include "checkers/remedy_wait.h"
#include "core/check.h"
#include "core/progress.h"
#include "core/text.h"
#include "core/trace/trace_rounds.h"
#include "core/version.h"
#include "replay/program/lower.h"

const struct checker check_table[] = {
    {"crash", "checking: crash",
     "no rank dies of a signal, of an error that MPI raised, or by MPI_Abort", check_crash,
     CHECK_CALLS},
    {"deadlock", "checking: deadlock",
     "no legal buffering or message order makes ranks wait for each other for ever", check_deadlock,
     CHECK_PROGRAM},
    {"buffer-need", "checking: buffer-need",
     "how much buffering the program needs to be safe, and which sends need it", check_buffer_need,
     CHECK_PROGRAM},
    {"collective", "checking: collective",
     "all members of a communicator make the same collective calls, with the same root, operation "
     "and size",
     check_collective, CHECK_CALLS},
    {"message", "checking: message",
     "messages fit their receives in length and type, buffered and ready sends are safe, and "
     "every message is received",
     check_message, CHECK_PROGRAM},
    {"rma", "checking: rma",
     "one-sided accesses lie in epochs and in their windows, and do not conflict", check_rma,
     CHECK_CALLS},
    {"file", "checking: file",
     "files are accessed as their mode and view allow, by all ranks in the same order, without "
     "conflicts",
     check_file, CHECK_CALLS},
    {"thread", "checking: thread",
     "threads call as the thread level allows, and not into the same collective or request at the "
     "same time",
     check_thread, CHECK_CALLS},
    {"usage", "checking: usage",
     "arguments, handles, requests and buffers are used as MPI allows, and objects are freed",
     check_usage, CHECK_CALLS},
    {"result", "checking: result",
     "ranks receive from a collective what MPI defines (run keeps a sample)", check_result,
     CHECK_CALLS},
    {"agreement", "checking: agreement",
     "ranks that share the result of a collective have the same bits (record with "
     "--payload=digest)",
     check_agreement, CHECK_CALLS},
    {"cost", "checking: cost",
     "collectives that claim a row of the model keep its rounds and words", check_cost,
     CHECK_PROGRAM},
    {"hang", "checking: hang",
     "the job did not hang for a reason that the other checkers do not cover", check_hang,
     CHECK_CALLS},
    {"explore", "checking: explore",
     "whether the program ends well and with the same result in every order of messages (run and "
     "crosswait explore execute it for that)",
     check_explore, CHECK_CALLS},
    {"library", "checking: library",
     "the program does the same with each MPI library (run --mpi runs it with several)",
     check_libraries, CHECK_CALLS},
    {NULL, NULL, NULL, NULL, CHECK_CALLS},
};

/* --- which of them ---------------------------------------------------------------------------- */

static bool is_name(const char *id, const char *at, size_t length)
{
    return strlen(id) == length && strncmp(id, at, length) == 0;
}

static bool check_finds(const struct rule *rule, const char *at, size_t length)
{
    bool found = is_name(rule->checker, at, length);

    for (size_t i = 0; i < sizeof rule->also / sizeof *rule->also && rule->also[i]; i++)
        found |= is_name(rule->also[i], at, length);
    return found;
}

/* Marks the rule of that name, and all rules of the checker of that name. */
static bool name_mark(const char *at, size_t length, bool marked[RULE_COUNT])
{
    bool known = false;

    for (int i = 0; i < RULE_COUNT; i++)
        if (is_name(rule_table[i].id, at, length) || check_finds(&rule_table[i], at, length))
            known = marked[i] = true;
    return known;
}

int check_names(const char *name[CHECK_NAMES_MAX])
{
    int count = 0;

    for (int i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rule_table[i];
        bool first = i == 0 || strcmp(rule->checker, rule_table[i - 1].checker) != 0;
        if (first && strcmp(rule->checker, rule->id) != 0)
            name[count++] = rule->checker;
        CORE_CHECK(count < CHECK_NAMES_MAX - 1);
        CORE_CHECK(rule->id); /* each rule has its row */
        name[count++] = rule->id;
    }
    CORE_CHECK(count > RULE_COUNT); /* more than the rules: some checkers have other names */
    return count;
}

static enum core_status name_refuse(const char *at, size_t length)
{
    const char *name[CHECK_NAMES_MAX];
    char word[64], list[CHECK_NAMES_MAX * 24] = "";
    int count = check_names(name);
    size_t used = 0;

    snprintf(word, sizeof word, "%.*s", (int)length, at);
    const char *near = core_text_nearest(word, name, count);
    for (int i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", name[i]);
    return core_report(CORE_BAD_INPUT, "there is no checker or rule '%s'%s%s%s; there are: %s",
                       word, near ? ", did you mean '" : "", near ? near : "", near ? "'" : "",
                       list);
}

static enum core_status names_parse(const char *names, bool out_marked[RULE_COUNT])
{
    for (const char *at = names; at;) {
        size_t length = strcspn(at, ",");
        if (!name_mark(at, length, out_marked))
            return name_refuse(at, length);
        at = at[length] ? at + length + 1 : NULL;
    }
    return CORE_OK;
}

enum core_status check_names_parse(const char *only, const char *ignore,
                                   bool out_wanted[RULE_COUNT])
{
    bool wanted[RULE_COUNT] = {false}, ignored[RULE_COUNT] = {false};
    enum core_status status = names_parse(only, wanted);

    if (status == CORE_OK)
        status = names_parse(ignore, ignored);
    for (int i = 0; i < RULE_COUNT && status == CORE_OK; i++)
        out_wanted[i] = (!only || wanted[i]) && !ignored[i];
    return status;
}

static bool is_wanted(const struct checker *checker, const bool wanted[RULE_COUNT])
{
    for (int i = 0; i < RULE_COUNT; i++)
        if (wanted[i] && check_finds(&rule_table[i], checker->id, strlen(checker->id)))
            return true;
    return false;
}

/* --- findings in the trace -------------------------------------------------------------------- */

/* Lists all ranks of the finding, in its order: "0,1,17". */
static char *ranks_list(const struct finding *finding)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (!file)
        return NULL;
    for (uint32_t i = 0; i < finding->call_count; i++)
        fprintf(file, "%s%" PRIu32, i ? "," : "", finding->call[i].rank);
    return core_text_close(file, &text);
}

enum core_status check_keep_one(struct trace *trace, const struct finding *finding)
{
    CORE_CHECK(finding->id > 0); /* trials find a finding by its id */
    CORE_CHECK(finding->rule);
    char *json = finding_json(finding), *ranks = ranks_list(finding);
    enum core_status status =
        json && ranks ? trace_finding_put(trace,
                                          &(struct trace_finding){
                                              .id = finding->id,
                                              .checker = finding->rule->checker,
                                              .rule = finding->rule->id,
                                              .class = finding->rule->class,
                                              .severity = finding_severity_text(finding->severity),
                                              .title = finding_says(finding),
                                              .ranks = ranks,
                                              .schedule = finding->schedule,
                                              .repeat = finding->repeat,
                                              .json = json,
                                              .confirmed = (int)finding->confirmed})
                      : core_report(CORE_NO_MEMORY, "out of memory for keeping findings");

    free(json);
    free(ranks);
    return status;
}

/* Returns the name of a complete check, as kept in meta; free(). NULL: out of memory, or the user
 * chose only some rules. */
static char *checked_text(const struct trace *trace, const struct check_options *options,
                          bool budget_spent)
{
    char *text = NULL;

    if (options->only || options->claims ||
        asprintf(&text, "%s seed=%" PRIu64 " budget=%" PRIu64 " spent=%d %s", CORE_VERSION,
                 options->seed, options->budget_schedules, budget_spent, trace->path) < 0)
        return NULL;
    return text;
}

enum core_status check_keep(struct trace *trace, const struct check_options *options,
                            enum core_status checked, const struct finding_list *list)
{
    char *text = checked_text(trace, options, checked == CORE_BUDGET), verified[32], tried[32];
    enum core_status status = trace_batch_begin(trace);

    if (status == CORE_OK) {
        status = trace_findings_clear(trace);
        for (uint32_t i = 0; i < list->count && status == CORE_OK; i++) {
            CORE_CHECK(list->finding[i].id == i + 1); /* else a row would overwrite another one */
            status = check_keep_one(trace, &list->finding[i]);
        }
        snprintf(verified, sizeof verified, "%" PRIu64, list->verified);
        if (status == CORE_OK)
            status = trace_meta_put(trace, "verified", verified);
        snprintf(tried, sizeof tried, "%" PRIu64, list->orders.tried);
        if (status == CORE_OK)
            status = trace_meta_put(trace, "orders", orders_extent_name(list->orders.extent));
        if (status == CORE_OK)
            status = trace_meta_put(trace, "orders_tried", tried);
        if (status == CORE_OK)
            status = trace_meta_put(trace, "ignored", list->ignored);
        if (status == CORE_OK)
            status = trace_meta_put(trace, "checked", text);
        status = trace_batch_end(trace, status);
    }
    free(text);
    return status;
}

/* Tells whether the kept findings are those of this check. The commands in findings name the trace,
 * so its name must be the same, or an absolute path to the same file. */
static bool is_same_check(const char *kept, const char *text, const char *path)
{
    size_t before = strlen(text) - strlen(path);

    if (strcmp(kept, text) == 0)
        return true;
    if (strncmp(kept, text, before) != 0 || kept[before] != '/')
        return false;
    char *was = realpath(kept + before, NULL), *is = realpath(path, NULL);
    bool same = was && is && strcmp(was, is) == 0;
    free(was);
    free(is);
    return same;
}

static enum core_status words_copy(const char *words, char **out_copy)
{
    *out_copy = words ? strdup(words) : NULL;
    return !words || *out_copy ? CORE_OK
                               : core_report(CORE_NO_MEMORY, "out of memory for the findings");
}

static enum core_status recall_add(const struct trace_finding *kept, void *context)
{
    return finding_list_read(context, kept->json);
}

enum core_status check_recall(struct trace *trace, const struct check_options *options,
                              struct finding_list *list, enum core_status *out_checked)
{
    const char *kept = trace_meta(trace, "checked");
    enum core_status status = CORE_NOT_FOUND;

    CORE_CHECK(!list->count); /* the kept findings are a whole list */
    for (int spent = 0; kept && spent < 2 && status == CORE_NOT_FOUND; spent++) {
        char *text = checked_text(trace, options, spent);
        if (text && is_same_check(kept, text, trace->path)) {
            status = CORE_OK;
            *out_checked = spent ? CORE_BUDGET : CORE_OK;
        }
        free(text);
    }
    const char *ignored = trace_meta(trace, "ignored");
    if (status == CORE_OK)
        status = words_copy(ignored, &list->ignored);
    if (status == CORE_OK)
        status = trace_findings_each(trace, recall_add, list);
    const char *verified = trace_meta(trace, "verified");
    const char *tried = trace_meta(trace, "orders_tried");
    list->verified = verified ? strtoull(verified, NULL, 10) : 0;
    list->orders = (struct orders){orders_extent_named(trace_meta(trace, "orders")),
                                   tried ? strtoull(tried, NULL, 10) : 0};
    list->spent = status == CORE_OK && *out_checked == CORE_BUDGET;
    if (status == CORE_BAD_FORMAT)
        status = CORE_NOT_FOUND; /* another version wrote them */
    if (status != CORE_OK) {
        finding_list_done(list);
        *list = (struct finding_list){0};
    }
    return status;
}

/* Copies the outcome of an earlier trial, so that the finding need not be tried again. The finding
 * is the same if its rule and its schedule are. */
static enum core_status recall_one(const struct trace_finding *kept, void *context)
{
    const struct finding_list *list = context;

    if (kept->confirmed <= FINDING_NOT_TRIED || kept->confirmed >= FINDING_CONFIRMED_COUNT)
        return CORE_OK;
    for (uint32_t i = 0; i < list->count; i++) {
        struct finding *finding = &list->finding[i];
        if (finding->assumed && finding->confirmed == FINDING_NOT_TRIED && finding->schedule &&
            kept->schedule && strcmp(finding->schedule, kept->schedule) == 0 &&
            strcmp(finding->rule->id, kept->rule) == 0)
            finding_confirm(finding, (enum finding_confirmed)kept->confirmed);
    }
    return CORE_OK;
}

/* --- running them ----------------------------------------------------------------------------- */

enum core_status check_worlds(const struct check_input *input,
                              const struct replay_worlds **out_worlds)
{
    struct check_shared *shared = input->shared;
    enum core_status status =
        shared->has_worlds ? CORE_OK : replay_worlds_run(input->program, NULL, &shared->worlds);

    if (status != CORE_OK)
        return status;
    shared->has_worlds = true;
    CORE_CHECK(shared->worlds.rank_count == input->program->rank_count);
    *out_worlds = &shared->worlds;
    return CORE_OK;
}

enum core_status check_need(const struct check_input *input, const struct replay_need **out_need)
{
    struct check_shared *shared = input->shared;
    const struct replay_worlds *worlds = NULL;
    enum core_status status = shared->has_need ? CORE_OK : check_worlds(input, &worlds);

    if (status == CORE_OK && !shared->has_need)
        status = replay_need_find(input->program, NULL, worlds, &shared->need);
    if (status != CORE_OK)
        return status;
    shared->has_need = true;
    CORE_CHECK(shared->need.rank_count == input->program->rank_count);
    *out_need = &shared->need;
    return CORE_OK;
}

enum core_status check_collectives(const struct check_input *input,
                                   const struct collective_list **out_list)
{
    struct check_shared *shared = input->shared;
    enum core_status status = shared->has_collectives
                                  ? CORE_OK
                                  : collective_list_load(input->trace, &shared->collectives);

    if (status != CORE_OK)
        return status;
    shared->has_collectives = true;
    *out_list = &shared->collectives;
    return CORE_OK;
}

struct judging { /* the input of checkers */
    struct replay_program program;
    struct replay_lower_notes notes;
    struct check_shared shared;
    struct check_input input;
    bool begun;
};
struct judgings {
    struct judging few, all; /* few: without the rounds left out; all: filled when needed */
};

static enum core_status judging_begin(struct judging *judging, struct trace *trace,
                                      const struct check_options *options)
{
    *judging = (struct judging){.input = {.trace = trace,
                                          .shared = &judging->shared,
                                          .notes = &judging->notes,
                                          .claims = options->claims,
                                          .seed = options->seed,
                                          .budget_schedules = options->budget_schedules}};
    enum core_status status =
        replay_lower(trace, &(struct replay_lower_options){0}, &judging->program, &judging->notes);

    CORE_CHECK(status != CORE_OK || /* checkers index both by rank */
               judging->program.rank_count == trace->rank_count);
    judging->begun = status == CORE_OK;
    return status;
}

/* Drops the paired collectives: they are pairs of other calls. */
static void judging_unpair(struct judging *judging)
{
    if (judging->shared.has_collectives)
        collective_list_done(&judging->shared.collectives);
    judging->shared.has_collectives = false;
}

static void judging_done(struct judging *judging)
{
    if (judging->shared.has_worlds)
        replay_worlds_done(&judging->shared.worlds);
    if (judging->shared.has_need)
        replay_need_done(&judging->shared.need);
    judging_unpair(judging);
    if (judging->begun)
        replay_program_done(&judging->program);
}

static enum core_status judging_run(struct judging *judging, const struct checker *checker,
                                    struct finding_list *list)
{
    uint32_t before = list->count;

    judging->input.program = checker->reads == CHECK_PROGRAM ? &judging->program : NULL;
    CORE_CHECK(judging->begun);
    CORE_CHECK(checker->reads == CHECK_PROGRAM ||
               !judging->input.program); /* checkers invariant 7 */
    enum core_status status = checker->run(&judging->input, list);
    CORE_CHECK(list->count >= before); /* checkers only add findings */
    return status;
}

/* Tells whether a finding counts or names calls. */
static bool names_calls(const struct finding_list *list, uint32_t before)
{
    bool names = false;

    CORE_CHECK(before <= list->count);
    for (uint32_t i = before; i < list->count; i++)
        names |= !list->finding[i].beyond;
    return names;
}

/* Runs one checker. If it finds something while rounds of loops are left out, it runs again on all
 * calls: the report must count and place all of them. */
static enum core_status checker_run(const struct checker *checker, struct judgings *judgings,
                                    const struct check_options *options, struct finding_list *list)
{
    static const bool none[RULE_COUNT];
    struct judging *judging = &judgings->few;
    uint32_t before = list->count;
    uint64_t verified = list->verified;
    struct trace *trace = judging->input.trace;
    enum core_status status = judging_run(judging, checker, list);

    if ((status == CORE_OK && !names_calls(list, before)) || !trace_rounds_left(trace) ||
        (status != CORE_OK && status != CORE_BUDGET))
        return status;
    finding_list_keep(list, before, none);
    list->verified = verified;
    trace_rounds_show(trace, true);
    if (checker->reads == CHECK_PROGRAM) {
        judging = &judgings->all;
        status = judging->begun ? CORE_OK : judging_begin(judging, trace, options);
    } else {
        judging_unpair(judging);
        status = CORE_OK;
    }
    if (status == CORE_OK)
        status = judging_run(judging, checker, list);
    judging_unpair(judging);
    trace_rounds_show(trace, false);
    return status;
}

/* Tries remedies for buffers that were used too early, with the program of all calls. */
static enum core_status waits_try(struct judgings *judgings, const struct check_options *options,
                                  struct finding_list *list)
{
    struct trace *trace = judgings->few.input.trace;
    bool left = trace_rounds_left(trace) > 0;
    struct judging *judging = left ? &judgings->all : &judgings->few;
    enum core_status status = CORE_OK;

    if (left)
        trace_rounds_show(trace, true);
    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++) {
        if (!remedy_wait_fits(&list->finding[i]))
            continue;
        if (!judging->begun)
            status = judging_begin(judging, trace, options);
        judging->input.program = &judging->program;
        if (status == CORE_OK)
            status = remedy_try_wait(&judging->input, &list->finding[i]);
    }
    if (left)
        trace_rounds_show(trace, false);
    return status;
}

static enum core_status check_held(struct trace *trace, const struct check_options *options,
                                   struct finding_list *list)
{
    struct judgings judgings = {0};
    bool budget_spent = false, wanted[RULE_COUNT];
    enum core_status status = check_names_parse(options->only, options->ignore, wanted);

    if (status == CORE_OK && !list->only)
        status = words_copy(options->only, &list->only);
    if (status == CORE_OK && !list->ignored)
        status = words_copy(options->ignore, &list->ignored);
    if (status == CORE_OK)
        status = check_cost_claims(options->claims);
    if (status == CORE_OK && !options->claims) /* claims count the rounds and words of each call */
        status = trace_rounds_leave(trace);
    if (status == CORE_OK)
        status = judging_begin(&judgings.few, trace, options);
    if (status != CORE_OK)
        return status;
    for (const struct checker *checker = check_table; checker->id && status == CORE_OK; checker++) {
        uint32_t before = list->count;
        if (!is_wanted(checker, wanted))
            continue;
        core_progress_begin(checker->stage, 0);
        status = checker_run(checker, &judgings, options, list);
        core_progress_end();
        for (uint32_t i = before; i < list->count; i++) {
            /* otherwise --only=RULE would not run the checker */
            CORE_CHECK(check_finds(list->finding[i].rule, checker->id, strlen(checker->id)));
            if (!list->finding[i].repeat)
                finding_repeat_check(&list->finding[i], trace);
        }
        finding_list_keep(list, before, wanted);
        if (status == CORE_BUDGET) {
            budget_spent = true;
            status = CORE_OK;
        }
    }
    if (status == CORE_OK)
        status = waits_try(&judgings, options, list);
    trace_rounds_restore(trace);
    judging_done(&judgings.few);
    judging_done(&judgings.all);
    if (status == CORE_OK)
        status = hint_destructor_add(trace, list);
    if (status == CORE_OK)
        status = cause_find(list);
    if (status == CORE_OK)
        status = trace_findings_each(trace, recall_one, list);
    list->orders.extent = orders_are_open(trace) ? ORDERS_OPEN : ORDERS_ONE;
    list->spent = status == CORE_OK && budget_spent && !finding_list_fails(list);
    return list->spent ? CORE_BUDGET : status;
}

enum core_status check_all(struct trace *trace, const struct check_options *options,
                           struct finding_list *list)
{
    enum core_status status = trace_hold(trace);

    if (status != CORE_OK)
        return status;
    core_progress_begin("checking: reading the trace", 0);
    status = check_held(trace, options, list);
    trace_rounds_restore(trace);
    core_progress_end();
    trace_release(trace);
    return status;
}
