/* usage: interface PROGRAM  What world/processes/processes.h promises, with modes.c as the program.
 * Prints what is wrong. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/processes/processes.h"

static const char *path;
static int wrong;

#define WANT(what)                                       \
    do {                                                 \
        if (!(what)) {                                   \
            printf("%s: not so: %s\n", __func__, #what); \
            wrong++;                                     \
        }                                                \
    } while (0)

static void silent(enum core_status status, const char *message, void *context)
{
    (void)status;
    snprintf(context, 1000, "%s", message);
}

static enum core_status start(const char *mode, int ranks, struct world_processes **out)
{
    const char *arguments[] = {path, mode, NULL};
    const struct world_program program = {
        .argv = arguments, .rank_count = ranks, .world_ms_max = 1500, .start_ms_max = 20000};
    return world_processes_start(&program, out);
}

static struct world_options options_of(uint64_t seed)
{
    struct world_options options = {0};
    replay_policy_init(&options.policy);
    options.policy.buffering = REPLAY_EAGER;
    if (seed) {
        options.policy.order = REPLAY_ORDER_RANDOM;
        replay_choice_seed(&options.choice, seed);
    }
    return options;
}

static bool found(const struct world_process_outcome *o, const char *rule)
{
    for (int i = 0; i < o->world.finding_count; i++)
        if (!strcmp(world_rule_row(o->world.finding[i].rule)->id, rule))
            return true;
    return false;
}

/* The program's end in that mode, twice from one start. */
static void ends(const char *mode, const char *rule, enum world_rank_end how, int number)
{
    struct world_processes *worlds;
    struct world_process_outcome o;
    const struct world_options options = options_of(0);
    if (start(mode, 3, &worlds) != CORE_OK) {
        WANT(!"started");
        return;
    }
    for (int again = 0; again < 2; again++) {
        WANT(world_processes_run(worlds, &options, &o) == CORE_OK);
        const struct world_rank_outcome *rank = &o.rank[1];
        WANT(rule ? found(&o, rule) : o.world.finding_count == 0);
        WANT(rank->end == how);
        WANT((how == WORLD_RANK_EXITED    ? rank->exit_status
              : how == WORLD_RANK_KILLED  ? rank->signal
              : how == WORLD_RANK_ABORTED ? rank->abort_code
                                          : 0) == number);
        WANT(!strcmp(rank->output, "before\n"));
    }
    world_processes_end(worlds);
}

static void refused(const char *mode, enum core_status wanted, const char *word)
{
    char message[1000] = "";
    struct world_processes *worlds;
    core_report_hook(silent, message);
    WANT(start(mode, 2, &worlds) == wanted);
    core_report_hook(NULL, NULL);
    WANT(strstr(message, word));
}

static void prints(const char *mode, const char *rank_0, const char *rank_1)
{
    struct world_processes *worlds;
    struct world_process_outcome o;
    const struct world_options options = options_of(0);
    WANT(start(mode, 2, &worlds) == CORE_OK);
    WANT(world_processes_run(worlds, &options, &o) == CORE_OK);
    WANT(!strcmp(o.rank[0].output, rank_0));
    WANT(!strcmp(o.rank[1].output, rank_1));
    WANT(!strcmp(o.rank[1].errors, "after\n"));
    WANT(o.world.finding_count == 0 && o.world.finished);
    world_processes_end(worlds);
}

/* Equal choices give equal worlds, by seed and by the list of what was answered. */
static void repeats(void)
{
    struct world_processes *worlds;
    struct world_process_outcome o;
    char first[40][200];
    int different = 0;
    WANT(start("gather", 4, &worlds) == CORE_OK);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct world_options options = options_of(seed);
        uint32_t answer[10000];
        WANT(world_processes_run(worlds, &options, &o) == CORE_OK && !o.lost);
        snprintf(first[seed - 1], sizeof first[0], "%s", o.rank[0].output);
        different += strcmp(first[0], first[seed - 1]) != 0;
        size_t count = o.question_count;
        WANT(count > 0 && count < 10000 && o.event_count > 0);
        for (size_t i = 0; i < count && i < 10000; i++)
            answer[i] = o.question[i].answer;
        replay_choice_list(&options.choice, answer, count);
        WANT(world_processes_run(worlds, &options, &o) == CORE_OK);
        WANT(!strcmp(o.rank[0].output, first[seed - 1]));
        WANT(o.question_count == count);
        for (size_t i = 0; i < o.question_count; i++) {
            const char *file = NULL;
            uint64_t offset;
            WANT(!strncmp(o.question[i].call, "MPI_", 4));
            WANT(world_processes_site(worlds, o.question[i].site, &file, &offset) &&
                 !strcmp(file, path));
        }
    }
    WANT(different > 5);
    world_processes_end(worlds);
}

int main(int argc, char **argv)
{
    path = argc > 1 ? argv[1] : "";
    ends("", NULL, WORLD_RANK_EXITED, 0);
    ends("crash", "crash", WORLD_RANK_KILLED, SIGSEGV);
    ends("reach", "crash", WORLD_RANK_KILLED, SIGSEGV);
    ends("abort", "abort", WORLD_RANK_ABORTED, 42);
    ends("status", "exit-status", WORLD_RANK_EXITED, 7);
    ends("at-once", "exit-status", WORLD_RANK_EXITED, 9);
    ends("loop", "time", WORLD_RANK_STOPPED, 0);
    ends("deadlock", "deadlock", WORLD_RANK_STOPPED, 0);
    ends("no-finalize", "not-finalized", WORLD_RANK_EXITED, 0);
    ends("multiple", NULL, WORLD_RANK_EXITED, 0);
    ends("turns", NULL, WORLD_RANK_EXITED, 0);
    refused("thread", CORE_UNSUPPORTED, "2 threads");
    refused("none", CORE_BAD_INPUT, "status 5 before its ranks can begin");
    prints("windows", "before\n1 1 100\n", "before\n0 0 100\n");
    prints("clocks", "before\n7 7\n", "before\n");
    repeats();
    if (!wrong)
        printf("all as promised\n");
    return wrong != 0;
}
