/* crosswait explore: finds every behaviour of the program itself, in worlds of processes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/jobs.h"
#include "cli/judge.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/random.h"
#include "core/text.h"
#include "core/output.h"
#include "explore/failure.h"
#include "explore/files.h"
#include "explore/input.h"
#include "explore/findings.h"
#include "explore/output.h"
#include "explore/program.h"
#include "explore/spread.h"

enum {
    OPTION_RANKS,
    OPTION_TIME,
    OPTION_WORLDS,
    OPTION_SEED,
    OPTION_JOBS,
    OPTION_SPREAD,
    OPTION_STATE,
    OPTION_ALLOW,
    OPTION_COMPARE,
    OPTION_AGAIN,
    OPTION_GDB,
    OPTION_WORLD,
    OPTION_WORLD_TIME,
    OPTION_HTML,
    OPTION_JSON,
    OPTION_SARIF,
    OPTION_JUNIT,
    OPTION_ROOT,
    OPTION_COLOUR,
    OPTION_QUIET
};

/* BEGIN_S: extra time for a program to reach the start of its ranks. */
enum { TIME_S = 60, BEGIN_S = 5, WORLD_S = 10, JOB_S = 30 };

static const struct options_spec spec[] = {
    {"ranks", 'n', "N", "number of ranks, if CMD is the program itself"},
    {"time", 0, "SECONDS", "stop after SECONDS (default 60; 0: never)"},
    {"worlds", 0, "N", "stop after N worlds"},
    {"seed", 0, "N",
     "seed of random samples, if the budget does not suffice for all worlds (default 1)"},
    {"jobs", 'j', "N", "run worlds in N processes (default 1); the result does not depend on N"},
    {"spread", 0, "CMD",
     "also run worlds in processes that CMD starts on other machines: 'srun -n 64', 'ssh node7'"},
    {"state", 0, "FILE", "resume from FILE, and save there what remains to be done"},
    {"allow", 0, "WHAT",
     "ignore differences in this: output, the number of a rank, or a pattern of lines"},
    {"compare", 0, "WHAT", "compare output (default), or messages: also what ranks send"},
    {"again", 0, "SCHEDULE", "run only this world, and show its output"},
    {"gdb", 0, "RANK", "with --again: run this rank under gdb, from the end of its MPI_Init"},
    {"world", 0, "KIND",
     "processes (default), or mpirun: each world is the job itself, on its MPI library"},
    {"world-time", 0, "SECONDS",
     "break off a world that takes longer, without a verdict (default 10; with --world=mpirun 30)"},
    {"html", 0, "FILE", "also write the findings as an HTML page"},
    {"json", 0, "[FILE]", "write the result as JSON"},
    {"sarif", 0, "FILE", "also write the findings as SARIF"},
    {"junit", 0, "FILE", "also write the result as JUnit XML"},
    {"source-root", 0, "DIR", "source paths are relative to DIR (the current directory)"},
    {"color", 0, "WHEN", "auto (default: on a terminal, unless NO_COLOR is set), always, never"},
    {"quiet", 'q', NULL, "print nothing; only return the exit status"},
    {0},
};

static void cmd_explore_values(const char *option)
{
    if (!strcmp(option, "world"))
        puts("processes\nmpirun");
}

static const struct options_command command = {
    .name = "explore",
    .usage = "crosswait explore [options] [--] mpirun -n N PROGRAM...\n"
             "crosswait explore [options] -n N -- PROGRAM...\n"
             "crosswait explore --world=mpirun [options] [--] mpirun -n N PROGRAM...\n"
             "crosswait explore --again=SCHEDULE -n N -- PROGRAM...",
    .about = "Runs the program again and again on crosswait's own MPI (each run is a world), until "
             "it has run every behaviour that MPI allows: which message a wildcard receive takes, "
             "what MPI_Waitany and MPI_Test "
             "report, which sends are "
             "buffered. Reports how the program fails and where its results differ, with the "
             "fewest choices that lead there.",
    .spec = spec,
    .more = "Rank 0 of each world reads the standard input of explore.\nIf a test or probe fails "
            "and the program repeats it, it waits until it succeeds, or until no other rank can "
            "continue. explore does not try behaviours in which it fails twice in a row, and says "
            "so if there are any.\nWith --world=mpirun each world is the job itself, on its own "
            "MPI library, recorded and run under a schedule: for programs that crosswait's own MPI "
            "cannot run. It takes longer. If threads that call MPI wait for each other outside of "
            "MPI, explore reports only what it met.\n"
            "Exit status: 0 clean, 1 findings, 2 usage, 3 the program cannot be run by explore, 5 "
            "budget spent and nothing found, 128 + N interrupted by signal N (130: Ctrl-C) and "
            "nothing found.",
    .values = cmd_explore_values,
    .flags = OPTIONS_STOP,
    .example = "crosswait explore mpirun -n 4 ./app\n"
               "crosswait explore --time=600 --state=app.explored -n 4 -- ./app",
};

struct settings {
    struct explore_options search;
    struct explore_allow allow;
    int input; /* struct explore_start */
    const char *again, *command, *html, *json, *sarif, *junit, *source_root;
    enum judge_colour colour;
    bool json_out, quiet, jobs;
    int ranks, processes;
    int gdb; /* a rank; -1: none */
    double world_s;
};

/* --- while it runs ---------------------------------------------------------------------------- */

static volatile int stop; /* the signal that asks for the end; 0: none */

static void on_signal(int number)
{
    stop = number;
}

/* Catches signals: the first one ends the search after the current world or job, the next one at
 * once. */
static void signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

struct progress {
    double started, shown;
};

static void cmd_explore_progress(void *context, uint64_t worlds, uint64_t ahead)
{
    struct progress *p = context;
    double now = explore_clock_s();
    if (now - p->shown < 0.25)
        return;
    p->shown = now;
    fprintf(stderr, "\r\33[Kcrosswait: %llu worlds, %.0f a second, %llu known and not yet run",
            (unsigned long long)worlds, (double)worlds / (now - p->started),
            (unsigned long long)ahead);
}

/* --- under gdb -------------------------------------------------------------------------------- */

struct debugger {
    int rank;
    bool missing;
};

/* Runs gdb in the foreground, while the rank waits. Signals of the terminal are for gdb. */
static void gdb_run(void *context, int process)
{
    struct debugger *debugger = context;
    int status = 0;
    char number[16];
    snprintf(number, sizeof number, "%d", process);
    fprintf(stderr, "crosswait: rank %d waits for gdb; 'continue' lets it run\n", debugger->rank);
    fflush(NULL);
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        execlp("gdb", "gdb", "-q", "-p", number, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, before);
    debugger->missing = child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

/* --- repeating one world ---------------------------------------------------------------------- */

static void show_output(const struct world_process_outcome *outcome, int rank_count)
{
    for (int r = 0; r < rank_count; r++) {
        const struct world_rank_outcome *rank = &outcome->rank[r];
        fwrite(rank->output, 1, rank->output_bytes, stdout);
        fflush(stdout);
        fwrite(rank->errors, 1, rank->errors_bytes, stderr);
        fflush(stderr);
    }
}

static int cmd_explore_again(struct explore_program *program, const struct settings *settings)
{
    struct replay_policy policy = {0};
    const struct world_outcome *outcome;
    struct explore_events events;
    uint64_t key;
    struct debugger debugger = {.rank = settings->gdb};

    if (settings->gdb >= 0)
        world_processes_debug(program->worlds, settings->gdb, gdb_run, &debugger);
    enum core_status status = replay_policy_parse(settings->again, REPLAY_IN_PROCESS, &policy);
    if (status == CORE_OK)
        status = explore_program_run(program, &policy, &(struct replay_choice){0}, &outcome, &key,
                                     &events);
    if (status == CORE_OK && debugger.missing)
        status = core_report(CORE_UNSUPPORTED, "cannot find gdb on the PATH");
    if (status == CORE_OK) {
        show_output(&program->outcome, program->command->rank_count);
        for (int i = 0; i < outcome->finding_count; i++)
            fprintf(stderr, "crosswait: %s: %s\n", world_rule_row(outcome->finding[i].rule)->id,
                    outcome->finding[i].text);
        if (!outcome->decisions->unfinished)
            status = explore_program_followed(program, &policy);
    }
    replay_policy_done(&policy);
    if (status != CORE_OK)
        return cli_exit_of(status);
    return program->outcome.world.decisions->unfinished  ? CLI_BUDGET
           : explore_failure_of(&program->outcome.world) ? CLI_FINDINGS
                                                         : CLI_CLEAN;
}

/* --- the search ------------------------------------------------------------------------------- */

struct rendering {
    const struct explore_result *result;
    explore_output_fn write;
};

static enum core_status cmd_explore_render(const void *what, FILE *file)
{
    const struct rendering *rendering = what;

    return rendering->write(rendering->result, file);
}

static enum core_status write_to(const char *path, explore_output_fn write,
                                 const struct explore_result *result)
{
    return path ? output_file_write(path, cmd_explore_render, &(struct rendering){result, write})
                : CORE_OK;
}

static enum core_status write_all(const struct settings *settings,
                                  const struct explore_result *result)
{
    enum core_status status = CORE_OK;
    if (settings->json_out && !settings->json)
        status = explore_output_json(result, stdout);
    else if (!settings->quiet)
        status = explore_output_text(result, stdout);
    if (status == CORE_OK)
        status = write_to(settings->html, explore_output_html, result);
    if (status == CORE_OK)
        status = write_to(settings->json, explore_output_json, result);
    if (status == CORE_OK)
        status = write_to(settings->sarif, explore_output_sarif, result);
    if (status == CORE_OK)
        status = write_to(settings->junit, explore_output_junit, result);
    if (status == CORE_OK && fflush(stdout) != 0)
        status = core_report(CORE_IO, "cannot write the report");
    return status;
}

static uint64_t program_hash(const struct explore_command *c, bool jobs)
{
    uint64_t hash = (uint64_t)c->rank_count << 1 | jobs;
    for (char **word = c->argv; *word; word++)
        for (const char *at = *word;; at++) {
            hash = core_random_mix(hash ^ (uint8_t)*at);
            if (!*at)
                break;
        }
    return hash;
}

/* Starts the time limit. */
static void time_begin(struct explore_program *program, const struct settings *s)
{
    double time_s = s->again ? 0 : s->search.time_s;
    program->end_s = time_s > 0 ? explore_clock_s() + time_s : 0;
}

static int cmd_explore_search(struct explore_program *program, struct settings *settings)
{
    struct explore_search found = {0};
    struct finding_list list = {0};
    struct progress shown = {explore_clock_s(), 0};
    struct source *source = NULL;
    bool terminal = isatty(STDERR_FILENO);
    char *words = explore_program_words(program);
    uint64_t started_ns = (uint64_t)time(NULL) * 1000000000;
    int code = CLI_CLEAN;

    signals_catch();
    settings->search.stop = &stop;
    settings->search.program = program_hash(program->command, settings->jobs);
    settings->search.chance = program->runner.chance;
    /* Equal states may have been reached by different messages. */
    settings->search.states =
        program->worlds && !settings->allow.messages ? explore_program_states : NULL;
    settings->search.met = explore_findings_met;
    settings->search.met_context = program;
    if (terminal) {
        settings->search.progress = cmd_explore_progress;
        settings->search.progress_context = &shown;
    }
    time_begin(program, settings);
    bool ran;
    enum core_status status = explore_program_times(program, NULL, &ran);
    if (status == CORE_OK)
        status = explore_search(explore_program_run, program, program->command->rank_count,
                                &settings->search, &found);
    if (terminal)
        fprintf(stderr, "\r\33[K");
    settings->search.progress = NULL;
    if (status == CORE_OK)
        status = explore_findings_untime(program, &found);
    if (status == CORE_OK)
        status = source_open(started_ns, &source);
    if (status == CORE_OK)
        source_root_set(source, settings->source_root);
    if (status == CORE_OK)
        status = explore_findings(program, &found, &list);
    if (status == CORE_OK)
        status = explore_findings_overdue(program, &found, &list);
    char *sent = status == CORE_OK ? explore_sent_words(program, &found) : NULL;
    const struct explore_result result = {.command = words ? words : "",
                                          .program = program->command->argv[0],
                                          .search = &found,
                                          .sent = sent,
                                          .findings = &list,
                                          .source = source,
                                          .source_root = settings->source_root,
                                          .style.colour = judge_coloured(settings->colour, stdout)};
    if (status == CORE_OK)
        status = write_all(settings, &result);
    if (status != CORE_OK)
        code = cli_exit_of(status);
    else if (finding_list_fails(&list))
        code = CLI_FINDINGS;
    else if (found.interrupted)
        code = 128 + stop;
    else if (!found.complete)
        code = CLI_BUDGET;
    finding_list_done(&list);
    explore_search_done(&found);
    source_close(source);
    free(sent);
    free(words);
    return code;
}

/* Names files that worlds left behind, and the reason. */
static void files_tell(const struct explore_program *program, const struct explore_files *before)
{
    const char *why = world_processes_scratch(program->worlds);
    char *written = why ? explore_files_changed(before, NULL) : NULL;
    if (written)
        fprintf(
            stderr,
            "crosswait: explored runs wrote to real files (%s): they could not be isolated: %s\n",
            written, why);
    free(written);
}

static int option_set(struct settings *s, const struct options *o, int which)
{
    int64_t number;
    enum core_status status = CORE_OK;
    switch (which) {
    case OPTION_RANKS:
        if (!(status = options_integer(o, 1, 4096, &number)))
            s->ranks = (int)number;
        break;
    case OPTION_TIME:
        status = options_number(o, &s->search.time_s);
        break;
    case OPTION_WORLDS:
        if (!(status = options_integer(o, 1, INT64_MAX, &number)))
            s->search.worlds_max = (uint64_t)number;
        break;
    case OPTION_SEED:
        if (!(status = options_integer(o, 0, INT64_MAX, &number)))
            s->search.seed = (uint64_t)number;
        break;
    case OPTION_JOBS:
        if (!(status = options_integer(o, 1, 256, &number)))
            s->processes = (int)number;
        break;
    case OPTION_SPREAD:
        s->command = o->value;
        break;
    case OPTION_STATE:
        s->search.state = o->value;
        break;
    case OPTION_ALLOW:
        status = explore_allow_add(&s->allow, (char *)(uintptr_t)o->value);
        break;
    case OPTION_COMPARE:
        s->allow.messages = !strcmp(o->value, "messages");
        if (!s->allow.messages && strcmp(o->value, "output"))
            return options_wrong(o, "--compare takes output or messages, not '%.60s'", o->value);
        break;
    case OPTION_AGAIN:
        s->again = o->value;
        break;
    case OPTION_GDB:
        if (!(status = options_integer(o, 0, 4095, &number)))
            s->gdb = (int)number;
        break;
    case OPTION_WORLD:
        s->jobs = !strcmp(o->value, "mpirun");
        if (!s->jobs && strcmp(o->value, "processes"))
            return options_wrong(o, "--world takes processes or mpirun, not '%.60s'", o->value);
        break;
    case OPTION_WORLD_TIME:
        status = options_number(o, &s->world_s);
        break;
    case OPTION_HTML:
        s->html = o->value;
        break;
    case OPTION_JSON:
        s->json_out = true;
        s->json = o->value;
        break;
    case OPTION_SARIF:
        s->sarif = o->value;
        break;
    case OPTION_JUNIT:
        s->junit = o->value;
        break;
    case OPTION_ROOT:
        s->source_root = o->value;
        break;
    case OPTION_COLOUR:
        status = judge_colour_read(o, &s->colour);
        break;
    case OPTION_QUIET:
        s->quiet = true;
        break;
    }
    return status == CORE_OK ? CLI_CLEAN : CLI_USAGE;
}

/* Checks a schedule before anything is started. */
static int again_check(const struct options *o, const char *schedule)
{
    struct replay_policy policy = {0};
    char *why = NULL;
    core_report_keep(&why);
    enum core_status status = replay_policy_parse(schedule, REPLAY_IN_PROCESS, &policy);
    core_report_hook(NULL, NULL);
    replay_policy_done(&policy);
    int code = status == CORE_OK
                   ? CLI_CLEAN
                   : options_wrong(o,
                                   "--again takes a schedule as explore prints it, such as "
                                   "'order=explore:0.1=2', not '%.60s' (%.200s)",
                                   schedule, why ? why : "it cannot be read");
    free(why);
    return code;
}

/* Returns the exit status for contradictory options; 0: none. */
static int settings_check(const struct options *o, const struct settings *s, int rank_count)
{
    if (!rank_count)
        return options_wrong(o, "the number of ranks is missing: -n N");
    if (s->gdb >= 0 && !s->again)
        return options_wrong(o, "--gdb needs --again=SCHEDULE");
    if (s->gdb >= rank_count)
        return options_wrong(o, "--gdb=%d: the ranks are 0 to %d", s->gdb, rank_count - 1);
    if (s->jobs && s->gdb >= 0)
        return options_wrong(o, "--gdb needs --world=processes");
    if (s->jobs && s->allow.messages)
        return options_wrong(o, "--compare=messages needs --world=processes");
    return s->again ? again_check(o, s->again) : CLI_CLEAN;
}

struct starting { /* arguments for starting worlds of either kind, here or in a helper */
    const struct explore_command *typed;
    struct settings *settings;
    struct jobs *jobs; /* NULL: worlds of processes */
};

static enum core_status program_start(struct starting *starting, struct explore_program *program)
{
    const struct settings *s = starting->settings;
    double world_s = s->world_s > 0 ? s->world_s : s->jobs ? JOB_S : WORLD_S;
    double begin_s = s->again || s->search.time_s > TIME_S ? 0 : s->search.time_s;
    const struct explore_start how = {.start_ms_max =
                                          begin_s > 0 ? (uint32_t)((begin_s + BEGIN_S) * 1000) : 0,
                                      .world_ms_max = (uint32_t)(world_s * 1000),
                                      .real_files = s->gdb >= 0,
                                      .input = s->input};
    enum core_status status = s->jobs ? jobs_new(starting->typed, world_s, &stop, &starting->jobs)
                                      : explore_program_start(starting->typed, &how, program);
    if (status != CORE_OK)
        return status;
    if (s->jobs) {
        const struct explore_runner runner = jobs_runner(starting->jobs);
        explore_program_of(starting->typed, &runner, program);
    }
    program->allow = s->allow;
    time_begin(program, s);
    return CORE_OK;
}

static void program_end(struct starting *starting, struct explore_program *program)
{
    program->allow = (struct explore_allow){0}; /* owned by the settings */
    explore_findings_forget(program);
    explore_program_end(program);
    jobs_free(starting->jobs);
}

static void cmd_explore_help(void *context, struct search_helper *helper)
{
    struct starting own = *(const struct starting *)context;
    struct explore_program program;
    if (own.settings->jobs)
        signals_catch();
    if (program_start(&own, &program) != CORE_OK)
        return;
    explore_spread_serve(helper, explore_program_run, &program);
    program_end(&own, &program);
}

/* Starts our own helpers, and accepts the other processes of the group. */
static enum core_status spread_start(struct starting *starting, const struct search_group *group,
                                     struct explore_spread **out_spread)
{
    int helpers = starting->settings->processes - 1;
    struct search_spread *spread = NULL;
    *out_spread = NULL;
    if ((helpers < 1 && !group->others) || starting->settings->again)
        return CORE_OK;
    enum core_status status =
        search_spread_open(helpers > 0 ? helpers : 0, group, cmd_explore_help, starting, &spread);
    return status == CORE_OK ? explore_spread_new(spread, out_spread) : status;
}

/* Runs worlds for the first process of the group. Prints nothing, and never fails, which would end
 * the others of a job. */
static int help_group(const struct search_group *group, const struct explore_command *typed,
                      struct settings *settings)
{
    struct starting starting = {.typed = typed, .settings = settings};
    if (!settings->again)
        search_spread_join(group, cmd_explore_help, &starting);
    return CLI_CLEAN;
}

/* Reports if standard input has bytes: helpers on other machines do not get them. */
static bool input_none(void)
{
    int file = explore_input_take();
    bool none = file <= 0 || lseek(file, 0, SEEK_END) <= 0;
    if (!none)
        core_report(CORE_BAD_INPUT, "--spread: helpers on other machines do not get what is on "
                                    "standard input; let the program read a file, and add "
                                    "</dev/null");
    if (file > 0)
        close(file);
    return none;
}

static int cmd_explore_body(const struct explore_command *typed, const struct search_group *group,
                            struct settings *settings)
{
    struct starting starting = {.typed = typed, .settings = settings};
    struct explore_program program;
    struct explore_files before;
    int code = CLI_TROUBLE;

    explore_files_look(&before);
    if (group->command && !input_none())
        return CLI_USAGE;
    if (!group->others && settings->gdb < 0 && !settings->jobs)
        settings->input = explore_input_take();
    settings->input = settings->input ? settings->input : -1;
    if (spread_start(&starting, group, &settings->search.spread) != CORE_OK)
        return CLI_TROUBLE;
    enum core_status status = program_start(&starting, &program);
    if (status == CORE_OK) {
        code = settings->again ? cmd_explore_again(&program, settings)
                               : cmd_explore_search(&program, settings);
        if (program.worlds && settings->gdb < 0 && !settings->quiet)
            files_tell(&program, &before);
        program_end(&starting, &program);
    } else if (!settings->jobs && status != CORE_NOT_FOUND) {
        fprintf(stderr, "crosswait: explore --world=mpirun runs the job itself instead\n");
    }
    explore_spread_free(settings->search.spread);
    return code;
}

static void cmd_explore_silence(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0)
        return;
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
}

int cmd_explore(int argc, char **argv)
{
    struct settings settings = {.search = {.time_s = TIME_S, .seed = 1}, .gdb = -1};
    struct explore_command typed;
    struct options o;
    struct search_group group;
    int which, code = CLI_CLEAN;

    search_group_read(&group);
    if (group.others) /* a launcher may give it a terminal, but formats the output itself */
        settings.colour = JUDGE_COLOUR_NEVER;
    if (group.helps)
        cmd_explore_silence();
    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0 && code == CLI_CLEAN)
        code = option_set(&settings, &o, which);
    if (code != CLI_CLEAN)
        return code;
    if (which != OPTIONS_END)
        return options_exit(which);
    if (!o.rest_count)
        return options_wrong(&o, "no command to run");
    if (explore_command_read(o.rest, settings.jobs, &typed) != CORE_OK)
        return CLI_USAGE;
    if (settings.ranks)
        typed.rank_count = settings.ranks;
    code = settings_check(&o, &settings, typed.rank_count);
    if (code == CLI_CLEAN && settings.command &&
        search_group_new(settings.command, argv, &group) != CORE_OK)
        code = CLI_USAGE;
    if (code == CLI_CLEAN)
        code = group.helps ? help_group(&group, &typed, &settings)
                           : cmd_explore_body(&typed, &group, &settings);
    free(settings.allow.pattern);
    explore_command_done(&typed);
    return code;
}
