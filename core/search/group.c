/* See the header. */
#include "core/search/group.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/check.h"
#include "core/random.h"
#include "core/search/launcher.h"

static bool number_read(const char *name, int *out_value)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return false;
    *out_value = atoi(text);
    return true;
}

/* Tells whether an MPI launcher started this process as one of several. Slurm tells a batch script
 * the number of tasks of its job, too, but only a task of a step has a step's number of tasks. */
static bool job_read(int *out_rank, int *out_size)
{
    static const char *const pair[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (number_read(pair[i][0], out_rank) && number_read(pair[i][1], out_size))
            return true;
    return false;
}

static uint64_t text_hash(uint64_t hash, const char *text)
{
    CORE_CHECK(text);
    for (; *text; text++)
        hash = core_random_mix(hash ^ (unsigned char)*text);
    return hash;
}

static uint64_t job_number(void)
{
    static const char *const name[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", "PMI_ID"};
    const char *step = getenv("SLURM_STEP_ID");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (getenv(name[i]))
            return text_hash(text_hash(1, getenv(name[i])), step ? step : "");
    return (uint64_t)getppid();
}

static void job_leave(void)
{
    static const char *const before[] = {"OMPI_COMM_WORLD_",
                                         "OMPI_UNIVERSE_SIZE",
                                         "OMPI_MCA_ess",
                                         "OMPI_MCA_orte_",
                                         "OMPI_ARGV",
                                         "OMPI_COMMAND",
                                         "OMPI_APP_CTX_",
                                         "OMPI_FIRST_RANKS",
                                         "OMPI_FILE_",
                                         "OMPI_NUM_APP_CTX",
                                         "PMIX_",
                                         "PMI_",
                                         "ORTE_",
                                         "PRTE_"};
    for (char **at = environ; *at;) {
        bool its = false;
        for (size_t i = 0; i < sizeof before / sizeof *before; i++)
            its |= strncmp(*at, before[i], strlen(before[i])) == 0;
        char name[256];
        size_t bytes = strcspn(*at, "=");
        if (!its || bytes >= sizeof name) {
            at++;
            continue;
        }
        memcpy(name, *at, bytes);
        name[bytes] = 0;
        if (unsetenv(name) != 0) /* this moves later variables up */
            at++;
    }
}

bool search_group_started(struct search_group *out_group)
{
    const char *helps = getenv(SEARCH_LAUNCHER_NUMBER);
    if (!helps)
        return false;
    *out_group = (struct search_group){
        .number = strtoull(helps, NULL, 16), .helps = true, .others = SEARCH_ANY_NUMBER};
    unsetenv(SEARCH_LAUNCHER_NUMBER);
    return true;
}

void search_group_read(struct search_group *out_group)
{
    int rank = 0, size = 1;
    *out_group = (struct search_group){0};
    if (!search_group_started(out_group) && job_read(&rank, &size))
        *out_group = (struct search_group){
            .number = job_number() | 1, .helps = rank > 0, .others = size > 1 ? size - 1 : 0};
    job_leave();
    CORE_CHECK(out_group->number || (!out_group->helps && !out_group->others));
}

enum core_status search_group_new(const char *command, char *const argv[],
                                  struct search_group *group)
{
    CORE_CHECK(command && argv[0]);
    if (group->helps)
        return CORE_OK; /* it has the options of the first process */
    if (group->others)
        return core_report(CORE_BAD_INPUT, "--spread starts helpers, but a launcher started this "
                                           "process as one of several already: start it alone");
    *group = (struct search_group){.others = SEARCH_ANY_NUMBER, .command = command, .argv = argv};
    if (getrandom(&group->number, sizeof group->number, 0) != (ssize_t)sizeof group->number)
        return core_report(CORE_IO, "the system gives no random number");
    return CORE_OK;
}
