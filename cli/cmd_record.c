/* crosswait record: runs a command with the library preloaded and leaves one trace. The exit status
 * is that of the command. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "launch/launch.h"
#include "cli/options.h"
#include "cli/record_options.h"

static const struct options_spec spec[] = {
    RECORD_JOB_SPECS,
    RECORD_OPTION_SPECS,
    {0},
};

static const struct options_command command = {
    .name = "record",
    .usage = "crosswait record [-o T.db] [options] [--] CMD...",
    .about = "Runs CMD, e.g. 'mpirun -n 4 ./app', with the recording library preloaded, and leaves "
             "one trace for each MPI "
             "job that CMD starts: T.db, T-2.db... crosswait watches the job, and ends it if it "
             "proves a hang.",
    .spec = spec,
    .more = "Exit status: CMD's own (128 + its signal when killed; 126 or 127 when it cannot be "
            "started); "
            "2 for a mistake in the command line; 3 when CMD ended with 0 and its trace could not "
            "be written.",
    .flags = OPTIONS_STOP,
    .values = record_option_values,
    .example =
        "crosswait record -o ring.db -- mpirun -n 8 ./ring\n"
        "crosswait record --ranks=0,4-7 --calls=p2p -- mpirun -n 8 ./ring\n"
        "sqlite3 ring.db 'select source, dest, count(*), sum(bytes) from message group by 1, 2'",
};

int cmd_record(int argc, char **argv)
{
    struct launch_options launch = {.output = launch_batch_output(), .watch = true};
    struct launch_result result;
    enum core_status status;
    struct options o;
    int which, code;

    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0)
        if (which < RECORD_JOB_COUNT ? record_job_set(&launch, &o, which)
                                     : record_option_set(&launch, &o, which - RECORD_JOB_COUNT))
            return CLI_USAGE;
    if (which != OPTIONS_END)
        return options_exit(which);
    if (!o.rest_count)
        return options_wrong(&o, "no command to record");
    launch.command = o.rest;
    status = launch_job(&launch, &result);
    code = result.status;
    if (!result.started && !code)
        code = cli_exit_of(status);
    else if (status && !code)
        code = CLI_TROUBLE;
    if (result.verdict)
        launch_verdict_report(&result);
    if (isatty(STDERR_FILENO))
        for (uint32_t i = 0; i < result.trace_count; i++)
            fprintf(stderr, "crosswait: wrote %s\n", result.trace[i]);
    launch_result_done(&result);
    return code;
}
