/* crosswait recover: makes traces from the spools that a job left behind. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/record_options.h"
#include "core/trace/describe.h"
#include "core/spool/spool_read.h"
#include "store/store.h"
#include "core/trace/trace.h"

static const struct options_spec spec[] = {
    {"output", 'o', "FILE",
     "write the trace to FILE, and those of further jobs to FILE with -2, -3... (default DIR's "
     "name with .db)"},
    RECORD_TIMES_SPEC,
    {0},
};

static const struct options_command command = {
    .name = "recover",
    .usage = "crosswait recover DIR [-o T.db] [--times=WHICH]",
    .about = "Makes the trace from the spools of a job that died, or whose trace could not be "
             "written. DIR is the spool folder "
             "(T.db.spool), with a folder for each MPI job of the command, or one of these "
             "folders. recover only reads it.",
    .spec = spec,
    .more = "Exit status: 0 done, 2 usage, 3 no trace could be made.",
    .example = "crosswait recover ring.db.spool",
};

/* Makes "runs/T.db" of "runs/T.db.spool/", "runs/T.spool" or "runs/T". */
static char *output_from(const char *folder)
{
    size_t bytes = strlen(folder);
    char *name = malloc(bytes + 4);

    while (bytes > 1 && folder[bytes - 1] == '/')
        bytes--;
    if (bytes > 6 && memcmp(folder + bytes - 6, ".spool", 6) == 0)
        bytes -= 6;
    if (bytes > 3 && memcmp(folder + bytes - 3, ".db", 3) == 0)
        bytes -= 3;
    if (name)
        sprintf(name, "%.*s.db", (int)bytes, folder);
    return name;
}

/* Prints the new trace, and remarks on ranks. */
static enum core_status trace_tell(const char *path)
{
    struct trace trace;
    enum core_status status = trace_open(path, TRACE_READ, &trace);
    uint64_t calls = 0;
    char number[32];

    if (status != CORE_OK)
        return status;
    const char *totals = trace_meta(&trace, "totals"); /* the calls come first */
    if (!totals || sscanf(totals, "%" SCNu64, &calls) != 1)
        for (uint32_t r = 0; r < trace.rank_count; r++)
            calls += trace.rank[r].events;
    printf("%s: %s call%s of %" PRIu32 " rank%s\n", path,
           describe_number(calls, number, sizeof number), calls == 1 ? "" : "s", trace.rank_count,
           trace.rank_count == 1 ? "" : "s");
    for (uint32_t r = 0; r < trace.rank_count; r++)
        describe_rank_end(&trace, r, "  ", stdout);
    const char *notes = trace_meta(&trace, "notes");
    for (const char *at = notes; at && *at;) {
        int length = (int)strcspn(at, "\n");
        printf("  note: %.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
    trace_close(&trace);
    return CORE_OK;
}

static enum core_status job_recover(const char *job, const char *output, uint32_t number,
                                    bool times_all)
{
    struct store_options options = {.exit_code = -1, .times_all = times_all};
    char *path = store_trace_name(output, number);
    enum core_status status;

    if (!path)
        return core_report(CORE_NO_MEMORY, "out of memory");
    status = store_write(job, path, &options);
    if (status == CORE_OK)
        status = trace_tell(path);
    free(path);
    return status;
}

static enum core_status cmd_recover_body(const char *folder, const char *output, bool times_all)
{
    struct spool_lane_name *lane = NULL;
    char **job = NULL;
    uint32_t count = 0;
    enum core_status status = spool_lanes_list(folder, &lane, &count);

    free(lane);
    if (status != CORE_OK)
        return status;
    if (count) /* the folder of a single job */
        return job_recover(folder, output, 1, times_all);
    status = store_jobs(folder, &job, &count);
    if (status != CORE_OK)
        return status;
    if (!count)
        status = core_report(CORE_NOT_FOUND,
                             "the folder '%s' holds no spool: name T.db.spool, the folder "
                             "beside the trace T.db that was to be written",
                             folder);
    for (uint32_t i = 0; i < count; i++) {
        enum core_status one = job_recover(job[i], output, i + 1, times_all);
        status = one ? one : status;
        free(job[i]);
    }
    free(job);
    return status;
}

int cmd_recover(int argc, char **argv)
{
    const char *output = NULL;
    enum core_status status;
    bool times_all = false;
    struct options o;
    char *name;
    int which;

    options_begin(&o, &command, argc, argv);
    while ((which = options_next(&o)) >= 0)
        if (which == 0)
            output = o.value;
        else if (record_times_read(&o, &times_all) != CORE_OK)
            return CLI_USAGE;
    if (which != OPTIONS_END)
        return options_exit(which);
    if ((which = options_one(&o, "folder", false)) != CLI_CLEAN)
        return which;
    name = output ? strdup(output) : output_from(o.operand[0]);
    status = name ? cmd_recover_body(o.operand[0], name, times_all)
                  : core_report(CORE_NO_MEMORY, "out of memory");
    free(name);
    return cli_exit_of(status);
}
