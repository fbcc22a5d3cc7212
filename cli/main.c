/* crosswait: finds the command and starts it. Relies on cli/commands.h; holds no state. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "core/text.h"
#include "core/spool/spool.h"
#include "core/trace/trace.h"
#include "core/version.h"
#include "core/progress.h"

struct command {
    const char *name;
    const char *line;
    int (*cmd)(int argc, char **argv);
};

static const struct command command[] = {
    {"run", "record a job, check it, report: the main command", cmd_run},
    {"record", "run a job with the library preloaded; leave one trace", cmd_record},
    {"replay", "execute a trace again under other conditions, or the job (--live)", cmd_replay},
    {"check", "run the checkers over a trace", cmd_check},
    {"report", "render a trace and its findings: text, html, json, sarif, junit...", cmd_report},
    {"diff", "compare two runs: calls, cost, waiting, findings; limits for CI", cmd_diff},
    {"explore", "run every behaviour that MPI allows of the program itself", cmd_explore},
    {"fuzz", "fuzz a collective in one process", cmd_fuzz},
    {"model", "what collectives must cost: rows, formulas, predictions, crossovers", cmd_model},
    {"snapshot", "say what a recorded job does now, and which ranks wait for which", cmd_snapshot},
    {"import", "make a trace of what another tool recorded (OTF2)", cmd_import},
    {"recover", "make the trace from the spools of a job that died", cmd_recover},
    {"dump", "events as text", cmd_dump},
    {"relay", "send the records of another machine to the launcher", cmd_relay},
};
enum { COMMAND_COUNT = sizeof command / sizeof *command };

static void main_help(FILE *out)
{
    fprintf(out, "usage: crosswait COMMAND [options] ...\n\n"
                 "Records what an MPI job did, executes it again under hostile but legal\n"
                 "conditions, and finds out what the job relied on: buffering, timing,\n"
                 "message order, results and cost of collectives.\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", command[i].name, command[i].line);
    fprintf(out, "\nStart with: crosswait run -- mpirun -n 4 ./app\n"
                 "More: crosswait COMMAND --help, man crosswait, crosswait --version\n\n"
                 "Exit status: 0 clean, 1 findings, 2 usage, 3 trace or tool trouble,\n"
                 "4 the job itself failed, 5 budget spent without a verdict, 128 + N\n"
                 "interrupted by signal N.\n");
}

static int main_start(const char *name, int argc, char **argv)
{
    const char *known[COMMAND_COUNT + 1];
    const char *near;

    for (int i = 0; i < COMMAND_COUNT; i++) {
        known[i] = command[i].name;
        if (!strcmp(command[i].name, name))
            return command[i].cmd(argc, argv);
    }
    known[COMMAND_COUNT] = "help";
    near = core_text_nearest(name, known, COMMAND_COUNT + 1);
    if (near)
        core_report(CORE_BAD_INPUT,
                    "unknown command '%s', did you mean '%s'; see 'crosswait --help'", name, near);
    else
        core_report(CORE_BAD_INPUT, "unknown command '%s'; see 'crosswait --help'", name);
    return CLI_USAGE;
}

int main(int argc, char **argv)
{
    if (isatty(STDERR_FILENO))
        core_progress_show(stderr);
    if (argc < 2) {
        main_help(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
        (!strcmp(argv[1], "help") && argc == 2)) {
        main_help(stdout);
        return CLI_CLEAN;
    }
    if (!strcmp(argv[1], "--complete")) {
        for (int i = 0; i < COMMAND_COUNT; i++)
            printf("%s\t%s\n", command[i].name, command[i].line);
        return CLI_CLEAN;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("crosswait %s (trace format %d, spool format %d)\n", CORE_VERSION,
               TRACE_SCHEMA_VERSION, SPOOL_VERSION);
        return CLI_CLEAN;
    }
    if (!strcmp(argv[1], "help")) {
        char *help_argv[] = {argv[2], "--help", NULL};

        return main_start(argv[2], 2, help_argv);
    }
    return main_start(argv[1], argc - 1, argv + 1);
}
