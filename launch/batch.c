/* How long a batch system lets the job run: see launch.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "launch/launch.h"

bool launch_batch_time_read(const char *text, double *out_seconds)
{
    unsigned field[4] = {0};
    int count = 0, end = 0;
    const char *dash = strchr(text, '-');
    unsigned days = 0;

    if (dash && (sscanf(text, "%u-%n", &days, &end) != 1 || !end))
        return false;
    for (text += end; count < 3; count++, text++) {
        char *behind;

        if (*text < '0' || *text > '9')
            return false;
        field[count] = (unsigned)strtoul(text, &behind, 10);
        text = behind;
        if (*text != ':') {
            count++;
            break;
        }
    }
    if (*text && *text != '\n')
        return false;
    /* Slurm's forms are minutes:seconds, hours:minutes:seconds, and the latter behind days- */
    *out_seconds = count == 3   ? field[0] * 3600.0 + field[1] * 60.0 + field[2]
                   : count == 2 ? field[0] * 60.0 + field[1]
                                : field[0];
    *out_seconds += days * 86400.0;
    return true;
}

/* What squeue says is left; asked only inside a job of Slurm. */
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

double launch_batch_left(void)
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
    double left = launch_batch_left(), margin = left / 10;

    return left > 0 ? left - (margin < LAUNCH_BATCH_MARGIN_S ? margin : LAUNCH_BATCH_MARGIN_S) : 0;
}
