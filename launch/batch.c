/* Asks the batch system how long this job may run, and which task of an array it is. See launch.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "launch/launch.h"

/* Reads Slurm's forms: seconds, minutes:seconds, hours:minutes:seconds, and the latter after days-.
 */
bool launch_batch_time_read(const char *text, double *out_seconds)
{
    unsigned days = 0, value = 0;
    int end = 0, colons = 0;
    double seconds = 0;

    if (strchr(text, '-')) {
        if (sscanf(text, "%u-%n", &days, &end) != 1 || !end)
            return false;
        text += end;
    }
    for (;; text++) {
        if (*text < '0' || *text > '9' || sscanf(text, "%u%n", &value, &end) != 1)
            return false;
        seconds = 60 * seconds + value;
        text += end;
        if (*text != ':' || colons++ == 2)
            break;
    }
    if (*text && *text != '\n')
        return false;
    *out_seconds = seconds + days * 86400.0;
    return true;
}

/* Asks squeue for the remaining time; only inside a Slurm job. */
static double left_of_queue(const char *job)
{
    char command[128], line[64] = "";
    double seconds = 0;
    FILE *pipe;

    if (!*job || strspn(job, "0123456789_") != strlen(job))
        return 0;
    snprintf(command, sizeof command, "squeue -h -j %.40s -o %%L 2>/dev/null", job);
    pipe = popen(command, "re");
    if (!pipe)
        return 0;
    if (!fgets(line, sizeof line, pipe) || !launch_batch_time_read(line, &seconds))
        seconds = 0;
    pclose(pipe);
    return seconds;
}

/* Returns the remaining seconds; 0: not in a Slurm job, or no limit. */
static double left_find(void)
{
    const char *end = getenv("SLURM_JOB_END_TIME"), *job = getenv("SLURM_JOB_ID");
    double left;

    if (!job)
        return 0;
    left = end ? strtod(end, NULL) - (double)time(NULL) : 0;
    return left > 0 ? left : left_of_queue(job);
}

double launch_batch_budget(void)
{
    double left = left_find(), margin = left / 10;

    return left > 0 ? left - (margin < LAUNCH_BATCH_MARGIN_S ? margin : LAUNCH_BATCH_MARGIN_S) : 0;
}

static bool is_number(const char *text)
{
    return text && *text && strlen(text) < 20 && strspn(text, "0123456789") == strlen(text);
}

const char *launch_batch_output(void)
{
    static char name[64];
    const char *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");

    if (!is_number(array) || !is_number(task))
        return "crosswait.db";
    snprintf(name, sizeof name, "crosswait-%s_%s.db", array, task);
    return name;
}
