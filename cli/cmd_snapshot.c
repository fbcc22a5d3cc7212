/* crosswait snapshot: shows a running job as it is now. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "store/store.h"
#include "core/spool/spool_read.h"
#include "launch/snapshot.h"

static const struct options_spec spec[] = {
    {"output", 'o', "FILE", "write the trace to FILE (default T.snapshot.db)"},
    {0},
};

static const struct options_command command = {
    .name = "snapshot",
    .usage = "crosswait snapshot T.db [-o FILE]",
    .about = "Says what each rank of a job that is being recorded to T.db does now, and which "
             "ranks wait for which, and writes a trace of the job so far. The job continues "
             "undisturbed. T.db may also be the "
             "spool folder (T.db.spool).\n"
             "On SIGUSR1 the crosswait that started the job writes the same trace.",
    .spec = spec,
    .more = "Exit status: 0 done, 2 usage, 3 there is no such job, or no trace could be made.",
    .example = "crosswait snapshot crosswait.db",
};

/* Finds the spool folder, and the trace that the job will leave; both NULL: out of memory. */
static void cmd_snapshot_find(const char *operand, char **out_folder, char **out_trace)
{
    struct stat status;
    size_t bytes = strlen(operand);

    while (bytes > 1 && operand[bytes - 1] == '/')
        bytes--;
    const bool named = bytes > 6 && !memcmp(operand + bytes - 6, ".spool", 6);
    const bool folder = named || (stat(operand, &status) == 0 && S_ISDIR(status.st_mode));
    *out_folder = malloc(bytes + sizeof ".spool");
    *out_trace = malloc(bytes + 1);
    if (!*out_folder || !*out_trace)
        return;
    sprintf(*out_folder, "%.*s%s", (int)bytes, operand, folder ? "" : ".spool");
    bytes -= named ? 6 : 0;
    sprintf(*out_trace, "%.*s", (int)bytes, operand);
}

static enum core_status cmd_snapshot_tell(char *trace)
{
    char name[] = "report", quick[] = "--no-check";
    char *arguments[] = {name, quick, trace, NULL};

    return cmd_report(3, arguments) == CLI_CLEAN ? CORE_OK : CORE_BAD_FORMAT;
}

static enum core_status cmd_snapshot_body(const char *folder, const char *output)
{
    struct stat there;
    char **job = NULL;
    uint32_t count = 0;
    enum core_status status =
        stat(folder, &there) < 0
            ? core_report(CORE_NOT_FOUND, "no job is recorded there now: there is no folder '%s'",
                          folder)
            : store_jobs(folder, &job, &count);

    if (status == CORE_OK && !count)
        status = core_report(CORE_NOT_FOUND,
                             "'%s' holds no records: no rank of its job has called MPI_Init yet, "
                             "or the folder is not a spool",
                             folder);
    for (uint32_t i = 0; i < count; i++) {
        char *trace = store_trace_name(output, i + 1);
        enum core_status one = trace ? snapshot_write(job[i], trace, NULL) : CORE_NO_MEMORY;

        one = one == CORE_OK ? cmd_snapshot_tell(trace) : one;
        status = one ? one : status;
        free(trace);
        free(job[i]);
    }
    free(job);
    return status;
}

int cmd_snapshot(int argc, char **argv)
{
    const char *output;
    char *folder, *trace, *name = NULL;
    enum core_status status;
    struct options o;
    int which = options_read_one(&o, &command, argc, argv, "trace", &output);

    if (which != OPTIONS_END)
        return which;
    cmd_snapshot_find(o.operand[0], &folder, &trace);
    if (folder && trace)
        name = output ? strdup(output) : snapshot_name(trace);
    status = name ? cmd_snapshot_body(folder, name) : core_report(CORE_NO_MEMORY, "out of memory");
    free(name);
    free(folder);
    free(trace);
    return cli_exit_of(status);
}
