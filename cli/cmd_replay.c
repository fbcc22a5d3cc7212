/* crosswait replay: executes a trace again, offline, under other conditions; or the job itself
 * (--live). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "launch/force.h"
#include "checkers/waiting.h"
#include "checkers/wording.h"
#include "cli/options.h"
#include "core/array.h"
#include "core/text.h"
#include "explore/schedule_export.h"
#include "core/trace/describe.h"
#include "replay/search/explore.h"
#include "replay/search/shares.h"
#include "replay/program/lower.h"
#include "replay/search/need.h"
#include "replay/logical/run.h"
#include "replay/symbolic/refute.h"
#include "replay/symbolic/symbolic.h"

enum {
    OPTION_POLICY,
    OPTION_SEED,
    OPTION_RUNS,
    OPTION_DECIDE,
    OPTION_PROOF,
    OPTION_EXPLORE,
    OPTION_NEED,
    OPTION_JOBS,
    OPTION_SPREAD,
    OPTION_STATE,
    OPTION_BUDGET,
    OPTION_INSIDE,
    OPTION_LIVE,
    OPTION_OUTPUT,
    OPTION_TIME,
    OPTION_QUIET
};

enum { PROCESSES_MAX = 1024 };

static const struct options_spec spec[] = {
    {"policy", 'p', "TEXT", "conditions, e.g. 'buffering=eager:4096 order=random' (see below)"},
    {"seed", 0, "N", "seed of random choices, in place of the policy's seed"},
    {"runs", 'n', "N", "run N times, each time with the next seed (default 1)"},
    {"decide", 0, NULL,
     "decide every order of messages at once, and every buffering unless --policy names one"},
    {"proof", 0, "FILE",
     "with --decide: write the clauses to FILE.cnf and their refutation (DRAT) to FILE.drat"},
    {"explore", 'x', NULL,
     "run every schedule: matches of wildcards, and which sends are buffered unless --policy says "
     "it"},
    {"need", 0, NULL, "print how much buffering the trace needs"},
    {"jobs", 'j', "N",
     "with --explore: explore in N processes (default 1); the result does not depend on N"},
    {"spread", 0, "CMD",
     "with --explore: also in processes that CMD starts on other machines: 'srun -n 64'"},
    {"state", 0, "FILE", "with --explore: resume from FILE, and save there what is done"},
    {"budget", 0, "N",
     "let --explore try at most N schedules (default 100000; fewer if the job has over 200 "
     "operations)"},
    {"inside", 0, NULL,
     "replace collectives by the messages that the library sent for them, if the trace has them"},
    {"live", 0, NULL,
     "run CMD, the job itself, under the policy; without --policy under a schedule that hangs "
     "offline"},
    {"output", 'o', "FILE", "with --live: write the trace of that run to FILE (default T-live.db)"},
    {"time", 0, "SECONDS", "with --live: end the job after SECONDS (default 60)"},
    {"quiet", 'q', NULL, "print nothing; only return the exit status"},
    {0},
};
/* In "--policy=buffering=ea" bash takes what stands before the last "=" for the option. */
static void cmd_replay_values(const char *option)
{
    replay_policy_words(strcmp(option, "policy") ? option : NULL, stdout);
}

static const struct options_command command = {
    "replay",
    "crosswait replay [--policy=TEXT] [--seed=N] [--runs=N] [--inside] T.db\n"
    "crosswait replay --decide [--policy=TEXT] [--proof=FILE] T.db\n"
    "crosswait replay --explore [--policy=TEXT] [--budget=N] T.db\n"
    "crosswait replay --need [--policy=TEXT] T.db\n"
    "crosswait replay --live [--policy=TEXT] [-o LIVE.db] [--time=SECONDS] T.db -- CMD...\n"
    "crosswait replay --live --policy=TEXT [-o LIVE.db] [--time=SECONDS] -- CMD...",
    "Executes a trace again under other conditions that MPI allows, and says whether the job could "
    "have hung. --live runs the job itself again, and shows whether it hangs.",
    spec,
    "Policy, words in any order:\n"
    "  buffering=rendezvous | eager | eager:BYTES | credits:N | pool:BYTES | random:PERCENT | "
    "list:R.E,... | only:R.E,...\n"
    "  delay=none | uniform:NS | exponential:NS | heavy:NS | slow-rank:R | slow-link:A-B | "
    "recorded | swarm | speeds:NS\n"
    "  order=recorded | first | random | list:R.E=SOURCE,...\n"
    "  coll=synchronising | relaxed\n"
    "  threads=free | recorded\n"
    "  loads=free | turns (of a schedule in which a rank's own loads and stores count)\n"
    "  seed=N\n"
    "With --live, order=random takes the choices of a world (crosswait explore), and "
    "order=explore:... is a schedule that explore found.\n"
    "The same trace, policy and seed print the same bytes.\n"
    "Exit status: 0 it runs through, 1 deadlock, 2 usage, 3 trouble with the trace, 4 the live job "
    "failed, 5 no verdict.",
    0,
    .example = "crosswait replay T.db\n"
               "crosswait replay --policy='buffering=eager:4096 order=random' --runs=1000 T.db\n"
               "crosswait replay --decide T.db\n"
               "crosswait replay --explore T.db\n"
               "crosswait replay --live T.db -- mpirun -n 4 ./app",
    .values = cmd_replay_values,
};

struct replaying {
    struct trace trace;
    struct replay_program program;
    struct replay_lower_notes notes;
    struct replay_policy policy;
    const char *path;
    bool inside, has_policy;
    uint64_t runs, budget;
    int processes; /* for explore */
    struct search_group group;
    const char *force_output, *proof, *state;
    char **command;
    double force_s;
    uint32_t ranks;                                     /* of the command, if it gives them */
    enum { WORLD_NONE, WORLD_RAN, WORLD_FAILED } world; /* of the schedule, run before the job */
    FILE *out;
};

/* --- printing --------------------------------------------------------------------------------- */

static void print_event(struct replaying *r, uint32_t rank, uint64_t seq)
{
    struct trace_event event;
    char call[300], site[300];
    if (!seq || trace_event_get(&r->trace, rank, seq, &event) != CORE_OK) {
        fprintf(r->out, "an operation without an event");
        return;
    }
    fprintf(r->out, "%s", describe_call(&r->trace, &event, call, sizeof call));
    if (event.site)
        fprintf(r->out, " at %s", trace_site_text(&r->trace, event.site, site, sizeof site));
}

/* Lists the ranks that the call waits for, then those of each operation that it waits for. */
static void print_waits(struct replaying *r, const struct replay_waitfor *waitfor,
                        const struct replay_blocked *blocked)
{
    const struct replay_op *op = r->program.rank[blocked->rank].op;
    bool itself = true;
    struct ending waiting;

    if (waiting_record(&r->program, waitfor, blocked, &waiting) != CORE_OK)
        return;
    for (uint32_t c = 0; c < blocked->count; c++)
        itself &= op[waitfor->clause[blocked->first + c].op].event == blocked->event;
    if (itself)
        wording_waits(r->out, &waiting, &waiting.call[0]);
    for (uint32_t c = 0; c < blocked->count && !itself; c++) {
        uint64_t event = op[waitfor->clause[blocked->first + c].op].event;
        fprintf(r->out, c ? ", and " : "");
        wording_wait(r->out, &waiting, &waiting.wait[c]);
        fprintf(r->out, " (event %" PRIu64 ", ", event);
        print_event(r, blocked->rank, event);
        fputc(')', r->out);
    }
    ending_done(&waiting);
}

static void print_blocked(struct replaying *r, const struct replay_waitfor *waitfor,
                          const struct replay_blocked *blocked)
{
    fprintf(r->out, "  rank %" PRIu32 ": event %" PRIu64 ", ", blocked->rank, blocked->event);
    print_event(r, blocked->rank, blocked->event);
    fprintf(r->out, "\n    waits for ");
    print_waits(r, waitfor, blocked);
    if (blocked->round)
        fprintf(r->out, "; %" PRIu64 " round%s of the same calls completed before", blocked->round,
                blocked->round == 1 ? "" : "s");
    fputc('\n', r->out);
}

static void print_standing(struct replaying *r, const struct replay_waitfor *waitfor,
                           enum replay_standing standing, const char *title)
{
    bool titled = false;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        if (waitfor->blocked[i].standing != standing)
            continue;
        if (!titled)
            fprintf(r->out, "%s:\n", title);
        titled = true;
        print_blocked(r, waitfor, &waitfor->blocked[i]);
    }
}

static void print_errors(struct replaying *r, const struct replay_result *result)
{
    static const char *const text[] = {"ready send before its receive is posted",
                                       "buffered send without room in the attached buffer",
                                       "message longer than its receive",
                                       "ranks disagree on a collective"};
    _Static_assert(sizeof text / sizeof *text == REPLAY_ERROR_COUNT, "a text per error");
    for (uint32_t i = 0; i < result->error_listed && i < 16; i++) {
        const struct replay_error *error = &result->error[i];
        fprintf(r->out, "%s: rank %" PRIu32 ", event %" PRIu64 ", ", text[error->kind], error->rank,
                error->event);
        print_event(r, error->rank, error->event);
        fputc('\n', r->out);
    }
}

static void print_leftovers(struct replaying *r, const struct replay_result *result)
{
    for (uint32_t i = 0; i < result->leftover_listed && i < 16; i++) {
        const struct replay_leftover *left = &result->leftover[i];
        fprintf(r->out, "%s: rank %" PRIu32 ", event %" PRIu64 ", ",
                left->is_send ? "message never received" : "receive never matched", left->rank,
                left->event);
        print_event(r, left->rank, left->event);
        fputc('\n', r->out);
    }
    if (result->leftover_count > 16)
        fprintf(r->out, "... %" PRIu64 " left over in all\n", result->leftover_count);
}

/* Tells whether the program uses the source of a message: then a deadlock after another match
 * proves nothing. */
static bool goes_elsewhere(const struct replaying *r, const struct replay_result *result)
{
    return result->assumed && !result->by_threads &&
           replay_names_source(&r->program, result->assumed_rank, result->assumed_event);
}

static void print_result(struct replaying *r, const struct replay_result *result)
{
    print_standing(r, &result->waitfor, REPLAY_IN_CORE, "wait for each other");
    print_standing(r, &result->waitfor, REPLAY_BEHIND, "wait behind them");
    print_standing(r, &result->waitfor, REPLAY_MAYBE,
                   "wait, perhaps for calls that were not recorded");
    if (result->assumed && result->by_threads)
        fprintf(r->out,
                "unproven: the threads of a rank are assumed to make their calls in the recorded "
                "order%s\n",
                r->policy.threads == REPLAY_THREADS_FREE ? " where they compete for messages" : "");
    else if (result->assumed)
        fprintf(r->out,
                "unproven: rank %" PRIu32 " receives another message at event %" PRIu64
                " than in the recorded run, and is assumed to make the same calls after it\n",
                result->assumed_rank, result->assumed_event);
    if (result->outcome == REPLAY_DEADLOCK && goes_elsewhere(r, result))
        fprintf(r->out,
                "rank %" PRIu32 " would probably make other calls: its later ones name the source "
                "that it received from; replay --live tries it in the real job\n",
                result->assumed_rank);
    print_errors(r, result);
    if (result->outcome == REPLAY_FINISHED)
        print_leftovers(r, result);
}

static void print_repeat(struct replaying *r, bool explore, const char *policy)
{
    fprintf(r->out, "again: crosswait replay %s%s", explore ? "--explore " : "",
            r->inside ? "--inside " : "");
    if (policy)
        fprintf(r->out, "--policy='%s' ", policy);
    if (explore)
        fprintf(r->out, "--budget=%" PRIu64 " ", r->budget);
    core_text_shell(r->path, r->out);
    fputc('\n', r->out);
}

/* Returns the witness as text; NULL: none, or out of memory. */
static char *witness_text(const struct replay_exploration *found)
{
    return found->witness ? replay_policy_text(found->witness) : NULL;
}

static void print_notes(struct replaying *r)
{
    const struct replay_lower_notes *notes = &r->notes;
    char number[64];
    if (notes->ranks_unknown)
        fprintf(r->out,
                "note: the record of %" PRIu32
                " rank%s ends early; nothing is assumed about what came later\n",
                notes->ranks_unknown, notes->ranks_unknown == 1 ? "" : "s");
    if (notes->ranks_left_out)
        fprintf(r->out, "note: %" PRIu32 " ranks lost events during the run and are ignored\n",
                notes->ranks_left_out);
    if (notes->unsupported)
        fprintf(r->out, "note: %s cannot be modelled: the first is %s on rank %" PRIu32 "\n",
                describe_count(notes->unsupported, "call", number, sizeof number),
                r->trace.call[notes->unsupported_call].name, notes->unsupported_rank);
    if (r->trace.imported)
        fprintf(r->out, "note: %s\n", DESCRIBE_IMPORTED);
    if (r->program.overtaking)
        fprintf(
            r->out,
            "note: the info of a communicator lets messages overtake each other; here none does\n");
    if (notes->threads)
        fprintf(r->out, "note: several threads of a rank made calls; %s\n",
                r->policy.threads == REPLAY_THREADS_RECORDED
                    ? "they keep the recorded order"
                    : "they do not wait for each other (threads=free)");
}

/* --- the three ways --------------------------------------------------------------------------- */

static enum core_status cmd_replay_keep(struct replaying *r, const char *policy, uint64_t seed,
                                        const char *verdict, const char *detail)
{
    struct trace writable;
    if (access(r->path, W_OK) != 0) /* replays a trace that is not writable all the same */
        return CORE_OK;
    enum core_status status = trace_open(r->path, TRACE_WRITE, &writable);
    if (status != CORE_OK)
        return status;
    status = trace_run_add(&writable, policy, seed, verdict, detail);
    trace_close(&writable);
    return status;
}

struct marking { /* for findings of the trace that rest on one policy */
    const char *policy;
    int64_t *id;
    uint32_t count, room;
};

/* Marks a finding if it rests on the policy; both texts are canonical. */
static enum core_status mark_look(const struct trace_finding *finding, void *context)
{
    struct marking *marking = context;

    if (!finding->schedule || strcmp(finding->schedule, marking->policy) != 0)
        return CORE_OK;
    return CORE_ARRAY_PUSH(marking->id, marking->count, marking->room, "findings", finding->id);
}

/* Notes in the trace whether the real job confirmed the findings that rest on this policy. */
static enum core_status cmd_replay_mark(struct replaying *r, const char *policy, bool confirmed)
{
    struct marking marking = {.policy = policy};
    struct trace writable;

    if (access(r->path, W_OK) != 0)
        return CORE_OK;
    enum core_status status = trace_open(r->path, TRACE_WRITE, &writable);
    if (status != CORE_OK)
        return status;
    status = trace_findings_each(&writable, mark_look, &marking);
    for (uint32_t i = 0; i < marking.count && status == CORE_OK; i++)
        status = trace_finding_confirm(&writable, marking.id[i], confirmed);
    trace_close(&writable);
    CORE_ARRAY_DONE(marking.id, marking.count, marking.room);
    return status;
}

static int exit_of(enum replay_outcome outcome)
{
    return outcome == REPLAY_FINISHED   ? CLI_CLEAN
           : outcome == REPLAY_DEADLOCK ? CLI_FINDINGS
                                        : CLI_BUDGET;
}

/* Returns the proof that the job hung; NULL: none. The engine ignores what it does not model, and
 * mismatched calls of a collective: there the job's proof is better. Free with free(). */
static char *proof_text(const struct replaying *r)
{
    struct ending ending;
    char *text = NULL;

    if (trace_ending_get(&r->trace, &ending) != CORE_OK)
        return NULL;
    if (ending.reason == ENDING_DEADLOCK)
        text = wording_deadlock_text(&ending);
    ending_done(&ending);
    return text;
}

static enum core_status run_policies(struct replaying *r, int *out_exit)
{
    struct replay_run *run;
    uint64_t count[REPLAY_OUTCOME_COUNT] = {0};
    uint64_t worst_seed = r->policy.seed, first = r->policy.seed;
    enum replay_outcome worst = REPLAY_FINISHED, outcome;
    struct replay_result result = {0};
    char *text = NULL, *proof = NULL, summary[160], number[3][64];

    enum core_status status = replay_run_open(&r->program, &run);
    if (status != CORE_OK)
        return status;
    for (uint64_t i = 0; i < r->runs && status == CORE_OK; i++) {
        r->policy.seed = first + i;
        status = replay_run_all(run, &r->policy, NULL, &outcome, NULL);
        if (status != CORE_OK)
            break;
        count[outcome]++;
        if ((outcome == REPLAY_DEADLOCK && worst != REPLAY_DEADLOCK) ||
            (outcome != REPLAY_FINISHED && worst == REPLAY_FINISHED)) {
            worst = outcome;
            worst_seed = r->policy.seed;
        }
    }
    r->policy.seed = worst_seed;
    if (status == CORE_OK)
        status = replay_run_all(run, &r->policy, NULL, NULL, &result);
    if (status == CORE_OK && !(text = replay_policy_text(&r->policy)))
        status = core_report(CORE_NO_MEMORY, "out of memory for a policy");
    if (status != CORE_OK)
        goto done;
    if (result.outcome != REPLAY_DEADLOCK && !r->has_policy)
        proof = proof_text(r);
    if (proof)
        fprintf(r->out, "%s\nproven for the job itself, when crosswait ended it: %s\n",
                replay_outcome_text(REPLAY_DEADLOCK), proof);
    else
        fprintf(r->out, "%s\n", replay_outcome_text(result.outcome));
    fprintf(r->out, "policy: %s\n", text);
    snprintf(summary, sizeof summary,
             "%" PRIu64 " runs: %" PRIu64 " finished, %" PRIu64 " deadlocked, %" PRIu64
             " cannot say",
             r->runs, count[REPLAY_FINISHED], count[REPLAY_DEADLOCK], count[REPLAY_STALLED]);
    if (r->runs > 1)
        fprintf(r->out, "%s\n", summary);
    fprintf(r->out, "%s, %s executed, %s\n",
            describe_count(r->program.rank_count, "rank", number[0], sizeof number[0]),
            describe_count(result.ops, "operation", number[1], sizeof number[1]),
            describe_count(result.messages, "message", number[2], sizeof number[2]));
    print_result(r, &result);
    print_notes(r);
    print_repeat(r, false, text);
    status = cmd_replay_keep(r, text, r->policy.seed, replay_outcome_text(result.outcome), summary);
    *out_exit = proof ? CLI_FINDINGS : exit_of(result.outcome);
    if (*out_exit == CLI_FINDINGS && goes_elsewhere(r, &result))
        *out_exit = CLI_BUDGET;
done:
    free(proof);
    free(text);
    replay_result_done(&result);
    replay_run_close(run);
    return status;
}

/* Explores alone or with helpers. A process that helps another one returns with *out_speaks false;
 * it never fails, which would end the others of a job. */
static enum core_status explore_together(const struct replaying *r,
                                         const struct replay_explore_options *options,
                                         struct replay_exploration *out_found, bool *out_speaks)
{
    struct replay_shares shares = {.program = &r->program, .options = options, .state = r->state};
    enum core_status status = CORE_OK;

    *out_speaks = !r->group.helps;
    if (r->group.helps) {
        search_spread_join(&r->group, replay_shares_help, &shares);
        return CORE_OK;
    }
    if (!r->group.number && r->processes < 2 && !r->state)
        return replay_explore(&r->program, options, out_found);
    if (r->group.others || r->processes > 1)
        status = search_spread_open(r->processes > 1 ? r->processes - 1 : 0, &r->group,
                                    replay_shares_help, &shares, &shares.spread);
    if (status == CORE_OK)
        status = replay_shares_explore(&shares, out_found);
    search_spread_free(shares.spread);
    return status;
}

static enum core_status run_exploration(struct replaying *r, int *out_exit)
{
    struct replay_explore_options options = {
        .policy = r->policy, .sends = !r->has_policy, .runs_max = r->budget};
    struct replay_exploration found;
    char summary[240], number[3][64], *text = replay_policy_text(&r->policy);
    const char *verdict;
    bool speaks;

    if (!text)
        return core_report(CORE_NO_MEMORY, "out of memory for a policy");
    enum core_status status = explore_together(r, &options, &found, &speaks);
    if (status != CORE_OK || !speaks) {
        *out_exit = CLI_CLEAN;
        free(text);
        return status;
    }
    char *witness = witness_text(&found);
    verdict = replay_verdict_text(found.verdict);
    fprintf(r->out, "%s%s\n", verdict,
            found.verdict == REPLAY_VERDICT_DEADLOCK && found.assumed ? ", if an assumption holds"
                                                                      : "");
    snprintf(summary, sizeof summary, "%s run, %s pruned as equivalent to others, %s sampled; %s",
             describe_count(found.runs, "schedule", number[0], sizeof number[0]),
             describe_number(found.pruned, number[1], sizeof number[1]),
             describe_number(found.sampled, number[2], sizeof number[2]),
             search_rest_text(found.rest));
    fprintf(r->out, "%s\n", summary);
    if (found.reason)
        fprintf(r->out, "reason: %s\n", found.reason);
    if (witness) {
        fprintf(r->out, "needs %s and %s forced match%s\n",
                describe_count(found.unbuffered, "unbuffered send", number[0], sizeof number[0]),
                describe_number(found.forced, number[1], sizeof number[1]),
                found.forced == 1 ? "" : "es");
        print_result(r, &found.result);
    }
    print_notes(r);
    print_repeat(r, !witness, witness ? witness : r->has_policy ? text : NULL);
    status = cmd_replay_keep(r,
                             witness ? witness
                             : text  ? text
                                     : "",
                             r->policy.seed, verdict, summary);
    *out_exit = found.verdict == REPLAY_VERDICT_NONE ? CLI_CLEAN
                : found.verdict == REPLAY_VERDICT_DEADLOCK && !goes_elsewhere(r, &found.result)
                    ? CLI_FINDINGS
                    : CLI_BUDGET;
    free(text);
    free(witness);
    replay_exploration_done(&found);
    return status;
}

static void print_decision(struct replaying *r, const struct symbolic_decision *decision,
                           bool recorded)
{
    char number[3][64];

    if (decision->verdict == REPLAY_VERDICT_NONE)
        fprintf(r->out, "no deadlock in any order of messages%s of these calls%s\n",
                r->has_policy ? "" : " and any buffering",
                recorded
                    ? ", if each receive whose source later calls name takes the recorded source"
                    : "");
    else if (decision->verdict == REPLAY_VERDICT_DEADLOCK)
        fprintf(r->out, "deadlock%s\n", decision->found.assumed ? ", if an assumption holds" : "");
    else
        fprintf(r->out, "not decided: %s\n", decision->reason);
    if (decision->verdict == REPLAY_VERDICT_NONE && symbolic_assumption(decision))
        fprintf(r->out, "%s\n", symbolic_assumption(decision));
    if (!decision->variables)
        return;
    fprintf(r->out, "%s, %s of any source; ",
            describe_count(decision->receives, "receive", number[0], sizeof number[0]),
            describe_number(decision->wildcards, number[1], sizeof number[1]));
    if (decision->argument == SYMBOLIC_MATCHES && decision->verdict != REPLAY_VERDICT_CANNOT_SAY)
        fprintf(r->out, "in every order each run of them gets the same messages\n");
    else
        fprintf(r->out, "a formula of %s and %s, %s of the solver\n",
                describe_count(decision->variables, "variable", number[0], sizeof number[0]),
                describe_count(decision->clauses, "clause", number[1], sizeof number[1]),
                describe_count(decision->conflicts, "conflict", number[2], sizeof number[2]));
    if (decision->found.witness) {
        fprintf(r->out, "needs %s and %s forced match%s\n",
                describe_count(decision->found.unbuffered, "unbuffered send", number[0],
                               sizeof number[0]),
                describe_number(decision->found.forced, number[1], sizeof number[1]),
                decision->found.forced == 1 ? "" : "es");
        print_result(r, &decision->found.result);
        char *witness = witness_text(&decision->found);
        if (witness)
            print_repeat(r, false, witness);
        free(witness);
    }
}

/* Opens FILE.cnf and FILE.drat. */
static enum core_status open_proof(const struct replaying *r, struct symbolic_options *options)
{
    char *name[2] = {NULL, NULL};
    FILE **file[2] = {&options->formula, &options->proof};
    static const char *const end[2] = {"cnf", "drat"};
    enum core_status status = CORE_OK;

    for (int i = 0; r->proof && i < 2 && status == CORE_OK; i++) {
        if (asprintf(&name[i], "%s.%s", r->proof, end[i]) < 0)
            status = core_report(CORE_NO_MEMORY, "out of memory for a proof");
        else if (!(*file[i] = fopen(name[i], "w+")))
            status = core_report(CORE_IO, "cannot write '%s'", name[i]);
    }
    free(name[0]);
    free(name[1]);
    return status;
}

/* Checks the written proof before it is reported. */
static enum core_status check_proof(struct replaying *r, const struct symbolic_options *options)
{
    uint64_t line;
    bool refuted;

    rewind(options->formula);
    rewind(options->proof);
    enum core_status status = refute_check(options->formula, options->proof, &refuted, &line);
    if (status == CORE_OK && !refuted)
        status = core_report(CORE_BAD_FORMAT,
                             "the proof of the solver does not follow at its line %" PRIu64, line);
    if (status == CORE_OK)
        fprintf(r->out, "refuted by the solver, and checked: %s.cnf, %s.drat\n", r->proof,
                r->proof);
    return status;
}

/* Decides again without orders that depend on data: receives whose source the program uses keep
 * their recorded match. */
static enum core_status run_decision(struct replaying *r, int *out_exit)
{
    struct symbolic_options options = {.explore = {.policy = r->policy, .sends = !r->has_policy}};
    struct symbolic_decision decision, kept = {0};
    enum core_status status = open_proof(r, &options);

    if (status == CORE_OK)
        status = symbolic_decide(&r->program, &options, &decision);
    if (status != CORE_OK)
        goto done;
    print_decision(r, &decision, false);
    if (r->proof && decision.verdict == REPLAY_VERDICT_NONE &&
        decision.argument == SYMBOLIC_FORMULA)
        status = check_proof(r, &options);
    bool elsewhere =
        decision.verdict == REPLAY_VERDICT_DEADLOCK && goes_elsewhere(r, &decision.found.result);
    if (elsewhere) {
        options.recorded = true;
        status = symbolic_decide(&r->program, &options, &kept);
        if (status == CORE_OK)
            print_decision(r, &kept, true);
    }
    bool left_out = r->notes.unsupported || r->notes.unknown_requests;
    if (left_out && decision.verdict == REPLAY_VERDICT_NONE)
        fprintf(r->out, "calls that are not modelled are assumed to wait for nobody\n");
    print_notes(r);
    bool hangs = elsewhere ? kept.verdict == REPLAY_VERDICT_DEADLOCK &&
                                 !goes_elsewhere(r, &kept.found.result)
                           : decision.verdict == REPLAY_VERDICT_DEADLOCK;
    *out_exit = hangs                                                  ? CLI_FINDINGS
                : decision.verdict == REPLAY_VERDICT_NONE && !left_out ? CLI_CLEAN
                                                                       : CLI_BUDGET;
    symbolic_decision_done(&kept);
    symbolic_decision_done(&decision);
done:
    if (options.formula)
        fclose(options.formula);
    if (options.proof)
        fclose(options.proof);
    return status;
}

static enum core_status run_need(struct replaying *r, int *out_exit)
{
    struct replay_need need;
    char text[64];
    enum core_status status = replay_need_find(&r->program, &r->policy, NULL, &need);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < need.step_count; i++) {
        if (need.step[i].rendezvous)
            fprintf(r->out, "nothing buffered: %s\n", replay_outcome_text(need.step[i].outcome));
        else
            fprintf(r->out, "eager from %s: %s\n",
                    describe_bytes(need.step[i].bytes, text, sizeof text),
                    replay_outcome_text(need.step[i].outcome));
    }
    if (need.ever && !need.always)
        fprintf(r->out, "safe if the library buffers sends of up to %s\n",
                describe_bytes(need.safe_bytes, text, sizeof text));
    else
        fputs(need.always ? "safe without buffering\n" : "safe at no threshold\n", r->out);
    if (need.pool_bytes != UINT64_MAX && need.pool_bytes)
        fprintf(r->out, "each receiver must be able to hold %s\n",
                describe_bytes(need.pool_bytes, text, sizeof text));
    if (need.credits != UINT64_MAX && need.credits)
        fprintf(r->out, "each receiver must be able to hold %s\n",
                describe_count(need.credits, "message", text, sizeof text));
    if (need.blame_count)
        fprintf(r->out, "it is enough if these sends complete before they are received%s:\n",
                need.blame_minimal ? ", and none of them can be left out" : "");
    for (uint32_t i = 0; i < need.blame_count && i < 32; i++) {
        fprintf(r->out, "  rank %" PRIu32 ": event %" PRIu64 ", ", need.blame[i].rank,
                need.blame[i].event);
        print_event(r, need.blame[i].rank, need.blame[i].event);
        fputc('\n', r->out);
    }
    fprintf(r->out, "%s of sends, ", describe_count(need.thresholds, "size", text, sizeof text));
    fprintf(r->out, "%s run%s\n", describe_count(need.runs, "variant", text, sizeof text),
            need.exact ? "" : ", not all sizes tried");
    print_notes(r);
    *out_exit = need.always ? CLI_CLEAN : CLI_FINDINGS;
    replay_need_done(&need);
    return CORE_OK;
}

/* Finds a schedule that hangs: without buffering, or by exploration. *out_found: false if there is
 * none. */
static enum core_status find_schedule(struct replaying *r, bool *out_found)
{
    struct replay_explore_options options = {.policy = r->policy, .runs_max = r->budget};
    struct replay_exploration found;
    struct replay_result result;

    *out_found = true;
    if (r->has_policy)
        return CORE_OK;
    enum core_status status = replay_run_once(&r->program, &r->policy, &result);
    if (status != CORE_OK)
        return status;
    enum replay_outcome outcome = result.outcome;
    replay_result_done(&result);
    if (outcome == REPLAY_DEADLOCK)
        return CORE_OK;
    options.sends = true;
    status = replay_explore(&r->program, &options, &found);
    if (status != CORE_OK)
        return status;
    *out_found = found.witness != NULL;
    if (found.witness) {
        replay_policy_done(&r->policy);
        status = replay_policy_copy(found.witness, &r->policy);
    }
    replay_exploration_done(&found);
    return status;
}

/* Translates a schedule of a world into choices that the real library can be given. */
static enum core_status choose_in_world(struct replaying *r)
{
    struct explore_command job;
    struct replay_policy chosen;
    struct explore_lived lived;

    enum core_status status = explore_command_read(r->command, true, &job);
    if (status != CORE_OK)
        return status;
    r->ranks = (uint32_t)job.rank_count;
    if (r->policy.order != REPLAY_ORDER_EXPLORE && r->policy.order != REPLAY_ORDER_RANDOM) {
        explore_command_done(&job);
        return CORE_OK;
    }
    if (!job.rank_count)
        status = core_report(CORE_BAD_INPUT, "how many ranks? -- mpirun -n N %s", r->command[0]);
    if (status == CORE_OK)
        status = schedule_export(&job, &r->policy, r->force_s, &chosen, &lived);
    explore_command_done(&job);
    if (status != CORE_OK)
        return status;
    replay_policy_done(&r->policy);
    r->policy = chosen;
    r->world = lived.finished ? WORLD_RAN : WORLD_FAILED;
    if (lived.connections)
        fprintf(r->out, "the MPI library decides which connection MPI_Comm_accept takes: crosswait "
                        "cannot order connections\n");
    if (lived.files)
        fprintf(r->out,
                "the MPI library and the file system decide which rank reaches a file first\n");
    if (lived.cancels)
        fprintf(r->out, "the MPI library decides whether a receive is cancelled in time\n");
    if (lived.epochs)
        fprintf(r->out, "the MPI library decides when MPI_Win_test finds the end of an epoch\n");
    if (lived.attached)
        fprintf(r->out, "the MPI library decides how long messages stay in an attached buffer\n");
    if (lived.sends)
        fprintf(r->out,
                "the MPI library decides whether to buffer %" PRIu32 " send%s inside collectives\n",
                lived.sends, lived.sends == 1 ? "" : "s");
    return CORE_OK;
}

/* Time after which a job without progress ends, if its world failed. */
enum { STALL_S = 10 };

static const char *outcome_text(const struct replaying *r, const struct force_result *live)
{
    enum force_outcome outcome = live->outcome;
    if (r->world == WORLD_RAN && outcome == FORCE_ENDED)
        return "confirmed: the real job runs through, as the world of this schedule does";
    if (r->world == WORLD_FAILED && outcome == FORCE_FAILED)
        return "confirmed: the real job fails, as the world of this schedule does";
    if (r->world == WORLD_FAILED && outcome == FORCE_BUDGET && live->stalled)
        return "the real job makes no progress, as the world of this schedule does; a hang is not "
               "proven";
    return force_outcome_text(outcome);
}

/* Returns T-live.db; without a trace, live.db. NULL: out of memory. */
static char *live_path(const struct replaying *r)
{
    char *path = NULL;
    if (!r->path)
        return strdup("live.db");
    size_t length = strlen(r->path),
           stem = length > 3 && !strcmp(r->path + length - 3, ".db") ? length - 3 : length;
    return asprintf(&path, "%.*s-live.db", (int)stem, r->path) < 0 ? NULL : path;
}

static enum core_status run_live(struct replaying *r, int *out_exit)
{
    struct force_result live;
    bool found = true;
    char *output = NULL, *text = NULL;

    enum core_status status = r->path ? find_schedule(r, &found) : CORE_OK;
    if (status == CORE_OK && r->has_policy)
        status = choose_in_world(r);
    if (status != CORE_OK)
        return status;
    if (!found) {
        fprintf(r->out, "nothing to confirm: no schedule of the trace was found to hang\n");
        return CORE_OK;
    }
    output = live_path(r);
    text = replay_policy_text(&r->policy);
    if (!output || !text) {
        status = core_report(CORE_NO_MEMORY, "out of memory for a live run");
        goto done;
    }
    fprintf(r->out, "policy: %s\n", text);
    fflush(r->out);
    status = force_run(r->path ? &r->trace : NULL, r->ranks, &r->policy, r->command,
                       r->force_output ? r->force_output : output, r->force_s,
                       r->world == WORLD_FAILED ? STALL_S : 0, &live);
    if (status != CORE_OK)
        goto done;
    fprintf(r->out, "%s\n", outcome_text(r, &live));
    if (live.verdict)
        fprintf(r->out, "%s\n", live.verdict);
    if (live.trace)
        fprintf(r->out, "its trace: %s\n", live.trace);
    if (r->path)
        status = cmd_replay_keep(r, text, r->policy.seed, outcome_text(r, &live),
                                 live.verdict ? live.verdict : "");
    if (r->path && status == CORE_OK && (live.outcome == FORCE_HUNG || live.outcome == FORCE_ENDED))
        status = cmd_replay_mark(r, text, live.outcome == FORCE_HUNG);
    *out_exit = live.outcome == FORCE_HUNG     ? CLI_FINDINGS
                : live.outcome == FORCE_ENDED  ? CLI_CLEAN
                : live.outcome == FORCE_FAILED ? CLI_JOB
                                               : CLI_BUDGET;
    force_result_done(&live);
done:
    free(text);
    free(output);
    return status;
}

static int cmd_replay_body(struct replaying *r, bool decide, bool explore, bool need)
{
    struct replay_lower_options lower = {.inside = r->inside};
    int code = CLI_CLEAN;

    if (!r->path) {
        enum core_status lived = run_live(r, &code);
        return lived == CORE_OK ? code : cli_exit_of(lived);
    }
    enum core_status status = trace_open(r->path, TRACE_READ, &r->trace);
    if (status != CORE_OK)
        return cli_exit_of(status);
    status = replay_lower(&r->trace, &lower, &r->program, &r->notes);
    if (status == CORE_OK) {
        status = r->command ? run_live(r, &code)
                 : decide   ? run_decision(r, &code)
                 : explore  ? run_exploration(r, &code)
                 : need     ? run_need(r, &code)
                            : run_policies(r, &code);
        replay_program_done(&r->program);
    }
    trace_close(&r->trace);
    return status == CORE_OK ? code : cli_exit_of(status);
}

/* Reads a policy; in process if a world has to choose the live schedule. */
static enum core_status policy_read(const char *text, bool live, struct replay_policy *out_policy)
{
    struct replay_policy words = {0};
    enum core_status status = replay_policy_read(&words, text);
    bool chosen = words.order == REPLAY_ORDER_EXPLORE || words.order == REPLAY_ORDER_RANDOM;
    replay_policy_done(&words);
    return status != CORE_OK ? status
                             : replay_policy_parse(text,
                                                   !live    ? REPLAY_OFFLINE
                                                   : chosen ? REPLAY_IN_PROCESS
                                                            : REPLAY_LIVE,
                                                   out_policy);
}

int cmd_replay(int argc, char **argv)
{
    struct replaying r = {.runs = 1, .budget = REPLAY_EXPLORE_RUNS, .force_s = 60, .out = stdout};
    struct options o;
    const char *policy = NULL, *spread = NULL;
    bool decide = false, explore = false, need = false, live = false, quiet = false, seeded = false;
    int64_t number, seed = 1;
    int which;

    search_group_read(&r.group);
    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0) {
        switch (which) {
        case OPTION_POLICY:
            policy = o.value;
            break;
        case OPTION_SEED:
            if (options_integer(&o, 0, INT64_MAX, &seed) != CORE_OK)
                return CLI_USAGE;
            seeded = true;
            break;
        case OPTION_RUNS:
            if (options_integer(&o, 1, INT64_MAX, &number) != CORE_OK)
                return CLI_USAGE;
            r.runs = (uint64_t)number;
            break;
        case OPTION_DECIDE:
            decide = true;
            break;
        case OPTION_PROOF:
            r.proof = o.value;
            break;
        case OPTION_EXPLORE:
            explore = true;
            break;
        case OPTION_NEED:
            need = true;
            break;
        case OPTION_JOBS:
            if (options_integer(&o, 1, PROCESSES_MAX, &number) != CORE_OK)
                return CLI_USAGE;
            r.processes = (int)number;
            break;
        case OPTION_SPREAD:
            spread = o.value;
            break;
        case OPTION_STATE:
            r.state = o.value;
            break;
        case OPTION_BUDGET:
            if (options_integer(&o, 1, INT64_MAX, &number) != CORE_OK)
                return CLI_USAGE;
            r.budget = (uint64_t)number;
            break;
        case OPTION_INSIDE:
            r.inside = true;
            break;
        case OPTION_LIVE:
            live = true;
            break;
        case OPTION_OUTPUT:
            r.force_output = o.value;
            break;
        case OPTION_TIME:
            if (options_number(&o, &r.force_s) != CORE_OK)
                return CLI_USAGE;
            break;
        case OPTION_QUIET:
            quiet = true;
            break;
        }
    }
    if (which != OPTIONS_END)
        return options_exit(which);
    bool alone = live && policy && !o.operand_count;
    if (!alone && options_one(&o, "trace", true))
        return CLI_USAGE;
    if (decide + explore + need + live > 1)
        return options_wrong(
            &o, "--decide, --explore, --need and --live are different questions; ask one");
    if (r.proof && !decide)
        return options_wrong(&o, "--proof needs --decide");
    if ((r.state || spread || r.processes > 1) && !explore)
        return options_wrong(&o, "--jobs, --spread and --state need --explore");
    if (spread && search_group_new(spread, argv, &r.group) != CORE_OK)
        return CLI_USAGE;
    if (live && !o.rest_count)
        return options_wrong(&o,
                             "which command? --live runs the job itself: ... -- mpirun -n 4 ./app");
    if (!live && o.rest_count)
        return options_wrong(&o, "a command is run only with --live");
    r.command = live ? o.rest : NULL;
    r.path = alone ? NULL : o.operand[0];
    r.has_policy = policy != NULL;
    enum core_status status = policy_read(policy, live, &r.policy);
    if (status != CORE_OK)
        return status == CORE_BAD_INPUT ? CLI_USAGE : CLI_TROUBLE;
    if (seeded)
        r.policy.seed = (uint64_t)seed;
    if (quiet && !(r.out = fopen("/dev/null", "w")))
        r.out = stdout;
    int code = cmd_replay_body(&r, decide, explore, need);
    replay_policy_done(&r.policy);
    if (r.out != stdout)
        fclose(r.out);
    return code;
}
