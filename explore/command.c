/* The launchers' command lines: one table of their options. */
#include "explore/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

enum family { OPENMPI = 1, HYDRA = 2, SLURM = 4, MPIRUN = OPENMPI | HYDRA, ANY = 7 };

static const struct launcher {
    const char *name;
    enum family family;
} launchers[] = {
    {"mpirun", MPIRUN},       {"mpiexec", MPIRUN},         {"orterun", OPENMPI},
    {"prterun", OPENMPI},     {"mpirun.openmpi", OPENMPI}, {"mpiexec.openmpi", OPENMPI},
    {"mpiexec.hydra", HYDRA}, {"mpirun.mpich", HYDRA},     {"mpiexec.mpich", HYDRA},
    {"srun", SLURM},
};

enum meaning { PASSED_OVER, RANKS, VARIABLE, CANNOT };

/* Names without their dashes: Open MPI accepts one or two dashes for most options. */
static const struct option {
    const char *name;
    enum family family;
    enum meaning meaning;
    int values;
} options[] = {
    {"n", ANY, RANKS, 1},
    {"np", MPIRUN, RANKS, 1},
    {"c", OPENMPI, RANKS, 1},
    {"ntasks", SLURM, RANKS, 1},
    {"x", OPENMPI, VARIABLE, 1},
    {"oversubscribe", ANY, PASSED_OVER, 0},
    {"nooversubscribe", ANY, PASSED_OVER, 0},
    {"overcommit", SLURM, PASSED_OVER, 0},
    {"O", SLURM, PASSED_OVER, 0},
    {"allow-run-as-root", OPENMPI, PASSED_OVER, 0},
    {"use-hwthread-cpus", OPENMPI, PASSED_OVER, 0},
    {"report-bindings", OPENMPI, PASSED_OVER, 0},
    {"bind-to-core", OPENMPI, PASSED_OVER, 0},
    {"bind-to-socket", OPENMPI, PASSED_OVER, 0},
    {"bind-to-none", OPENMPI, PASSED_OVER, 0},
    {"tag-output", OPENMPI, PASSED_OVER, 0},
    {"display-map", OPENMPI, PASSED_OVER, 0},
    {"display-allocation", OPENMPI, PASSED_OVER, 0},
    {"q", ANY, PASSED_OVER, 0},
    {"quiet", ANY, PASSED_OVER, 0},
    {"v", ANY, PASSED_OVER, 0},
    {"verbose", ANY, PASSED_OVER, 0},
    {"l", ANY, PASSED_OVER, 0},
    {"label", SLURM, PASSED_OVER, 0},
    {"exclusive", SLURM, PASSED_OVER, 0},
    {"bind-to", MPIRUN, PASSED_OVER, 1},
    {"map-by", MPIRUN, PASSED_OVER, 1},
    {"rank-by", OPENMPI, PASSED_OVER, 1},
    {"H", ANY, PASSED_OVER, 1},
    {"host", ANY, PASSED_OVER, 1},
    {"hosts", HYDRA, PASSED_OVER, 1},
    {"f", HYDRA, PASSED_OVER, 1},
    {"ppn", HYDRA, PASSED_OVER, 1},
    {"hostfile", ANY, PASSED_OVER, 1},
    {"machinefile", ANY, PASSED_OVER, 1},
    {"npernode", OPENMPI, PASSED_OVER, 1},
    {"N", ANY, PASSED_OVER, 1},
    {"nodes", SLURM, PASSED_OVER, 1},
    {"ntasks-per-node", SLURM, PASSED_OVER, 1},
    {"cpus-per-task", SLURM, PASSED_OVER, 1},
    {"p", SLURM, PASSED_OVER, 1},
    {"partition", SLURM, PASSED_OVER, 1},
    {"t", SLURM, PASSED_OVER, 1},
    {"time", SLURM, PASSED_OVER, 1},
    {"mpi", SLURM, PASSED_OVER, 1},
    {"cpu-bind", SLURM, PASSED_OVER, 1},
    {"timeout", OPENMPI, PASSED_OVER, 1},
    {"prefix", OPENMPI, PASSED_OVER, 1},
    {"mca", OPENMPI, PASSED_OVER, 2},
    {"gmca", OPENMPI, PASSED_OVER, 2},
    {"wdir", ANY, CANNOT, 1},
    {"wd", ANY, CANNOT, 1},
    {"chdir", SLURM, CANNOT, 1},
    {"app", OPENMPI, CANNOT, 1},
    {"configfile", HYDRA, CANNOT, 1},
    {"multi-prog", SLURM, CANNOT, 0},
};
enum { OPTIONS = sizeof options / sizeof *options };

static const struct launcher *launcher_of(const char *word)
{
    const char *slash = strrchr(word, '/');
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (!strcmp(slash ? slash + 1 : word, launchers[i].name))
            return &launchers[i];
    return NULL;
}

static enum core_status ranks_read(const char *launcher, const char *text, int *out_ranks)
{
    char *end;
    long ranks = strtol(text, &end, 10);
    if (*end || end == text || ranks < 1 || ranks > 4096)
        return core_report(CORE_BAD_INPUT, "%s: '%.60s' is not a number of ranks from 1 to 4096",
                           launcher, text);
    *out_ranks = (int)ranks;
    return CORE_OK;
}

/* Adds VAR=VALUE, or VAR with its value in our environment. */
static enum core_status variable_add(struct explore_command *c, const char *text)
{
    char *made = NULL;
    const char *value = strchr(text, '=') ? NULL : getenv(text);
    if (!strchr(text, '=') && !value)
        return CORE_OK; /* mpirun only warns */
    if (asprintf(&made, value ? "%s=%s" : "%s", text, value) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for a command");
    enum core_status status =
        CORE_ARRAY_ROOM(c->environment, c->environment_room, c->environment_count + 2, "a command");
    if (status != CORE_OK) {
        free(made);
        return status;
    }
    c->environment[c->environment_count++] = made;
    c->environment[c->environment_count] = NULL;
    return CORE_OK;
}

static const struct option *option_of(const char *name, size_t length, enum family family)
{
    for (int i = 0; i < OPTIONS; i++)
        if (options[i].family & family && strlen(options[i].name) == length &&
            !strncmp(options[i].name, name, length))
            return &options[i];
    return NULL;
}

/* Reads the option at word[0]. *out_used: its number of words. */
static enum core_status option_read(const struct launcher *launcher, int count, char **word,
                                    bool job, struct explore_command *c, int *out_used)
{
    const char *name = word[0] + strspn(word[0], "-"), *value = strchr(name, '=');
    size_t length = value ? (size_t)(value - name) : strlen(name);
    const struct option *option = option_of(name, length, launcher->family);

    if (!option && *name == 'n' && name[1] >= '0' && name[1] <= '9') { /* srun -n4 */
        *out_used = 1;
        return ranks_read(launcher->name, name + 1, &c->rank_count);
    }
    if (!option)
        return core_report(CORE_BAD_INPUT,
                           "%s: crosswait explore does not know '%.60s'; leave it out, or give the "
                           "number of ranks: crosswait explore -n RANKS -- PROGRAM",
                           launcher->name, word[0]);
    if (option->meaning == CANNOT && !job)
        return core_report(CORE_UNSUPPORTED, "%s: crosswait explore does not support '%.60s'",
                           launcher->name, word[0]);
    *out_used = 1 + (value ? 0 : option->values);
    if (*out_used > count || (value && !option->values))
        return core_report(CORE_BAD_INPUT, "%s: '%.60s' takes %d value%s", launcher->name, word[0],
                           option->values, option->values == 1 ? "" : "s");
    const char *given = value ? value + 1 : word[1];
    if (option->meaning == RANKS)
        return ranks_read(launcher->name, given, &c->rank_count);
    return option->meaning == VARIABLE ? variable_add(c, given) : CORE_OK;
}

enum core_status explore_command_read(char **word, bool job, struct explore_command *out_command)
{
    int count = 0;
    while (word[count])
        count++;
    struct explore_command c = {0};
    const struct launcher *launcher = count ? launcher_of(word[0]) : NULL;
    enum core_status status = CORE_OK;
    int at = launcher ? 1 : 0;

    while (launcher && at < count && word[at][0] == '-' && status == CORE_OK) {
        int used = 1;
        if (!strcmp(word[at], "--")) {
            at++;
            break;
        }
        status = option_read(launcher, count - at, word + at, job, &c, &used);
        at += used;
    }
    for (int i = at; launcher && i < count && status == CORE_OK; i++)
        if (!strcmp(word[i], ":") && job)
            c.rank_count = 0;
        else if (!strcmp(word[i], ":"))
            status = core_report(CORE_UNSUPPORTED,
                                 "%s: crosswait explore does not support jobs of several programs",
                                 launcher->name);
    if (status == CORE_OK && at >= count)
        status =
            core_report(CORE_BAD_INPUT, "no program to run after '%s'", count ? word[0] : "--");
    if (status != CORE_OK) {
        explore_command_done(&c);
        return status;
    }
    c.argv = word + at;
    c.typed = launcher ? word : NULL;
    *out_command = c;
    return CORE_OK;
}

void explore_command_done(struct explore_command *command)
{
    for (unsigned int i = 0; i < command->environment_count; i++)
        free(command->environment[i]);
    free(command->environment);
    *command = (struct explore_command){0};
}
