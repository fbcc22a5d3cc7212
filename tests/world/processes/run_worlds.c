/* usage: run_worlds [-n RANKS] [-w WORLDS] [-p POLICY] [-s SEED] [-q] [-l LIBRARY] PROGRAM
 * ARGUMENTS... Runs a program in worlds of processes; prints what the ranks wrote and how the last
 * world ended. With more than one world: how many a second, to standard error, and how many if a
 * processor did nothing else. -q: questions and events as well. Exit: 0 clean, 1 findings, 3 no
 * world can be had. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "world/processes/processes.h"

static double now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Of this process and all that it started and that have ended. */
static double processor_seconds(void)
{
    struct rusage used[2];
    double seconds = 0;
    getrusage(RUSAGE_SELF, &used[0]);
    getrusage(RUSAGE_CHILDREN, &used[1]);
    for (int i = 0; i < 2; i++)
        seconds += (double)(used[i].ru_utime.tv_sec + used[i].ru_stime.tv_sec) +
                   (double)(used[i].ru_utime.tv_usec + used[i].ru_stime.tv_usec) * 1e-6;
    return seconds;
}

static void show_log(const struct world_processes *worlds, const struct world_process_outcome *o)
{
    for (size_t i = 0; i < o->question_count; i++) {
        const struct world_question *q = &o->question[i];
        const char *path = "?";
        uint64_t offset = 0;
        world_processes_site(worlds, q->site, &path, &offset);
        printf("question %d: %u of %u by rank %d in %s at %s+%#llx\n", q->reason, q->answer,
               q->options, q->rank, q->call, strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
               (unsigned long long)offset);
    }
    for (size_t i = 0; i < o->event_count; i++)
        printf("event %d: rank %d peer %d tag %d %s\n", o->event[i].kind, o->event[i].rank,
               o->event[i].peer, o->event[i].tag, o->event[i].call);
}

static int show(const struct world_process_outcome *o, int ranks)
{
    int status = o->world.finding_count > 0;
    for (int r = 0; r < ranks; r++)
        fwrite(o->rank[r].output, 1, o->rank[r].output_bytes, stdout);
    fflush(stdout);
    for (int r = 0; r < ranks; r++)
        fwrite(o->rank[r].errors, 1, o->rank[r].errors_bytes, stderr);
    for (int i = 0; i < o->world.finding_count; i++)
        fprintf(stderr, "%s: %s\n", world_rule_row(o->world.finding[i].rule)->id,
                o->world.finding[i].text);
    for (int r = 0; r < ranks; r++) {
        const struct world_rank_outcome *rank = &o->rank[r];
        if (rank->end == WORLD_RANK_EXITED && rank->exit_status == 0)
            continue;
        static const char *const how[] = {"exited", "killed", "aborted", "stopped"};
        fprintf(stderr, "rank %d: %s %d\n", r, how[rank->end],
                rank->end == WORLD_RANK_KILLED    ? rank->signal
                : rank->end == WORLD_RANK_ABORTED ? rank->abort_code
                                                  : rank->exit_status);
    }
    return status;
}

int main(int argc, char **argv)
{
    int worlds_wanted = 1, option;
    bool log = false, by_seed = false;
    uint64_t seed = 0;
    struct world_program program = {.rank_count = 2};
    struct world_options options = {0};
    replay_policy_init(&options.policy);
    options.policy.buffering = REPLAY_EAGER_BYTES; /* as a shared-memory library does it */
    options.policy.bytes = 4096;
    while ((option = getopt(argc, argv, "+n:w:p:s:l:t:q")) != -1)
        switch (option) {
        case 'n':
            program.rank_count = atoi(optarg);
            break;
        case 'w':
            worlds_wanted = atoi(optarg);
            break;
        case 'p':
            if (replay_policy_read(&options.policy, optarg) != CORE_OK)
                return 2;
            break;
        case 's':
            by_seed = true;
            options.policy.order = REPLAY_ORDER_RANDOM;
            seed = strtoull(optarg, NULL, 10);
            break;
        case 'l':
            program.library = optarg;
            break;
        case 't':
            program.world_ms_max = (uint32_t)atoi(optarg);
            break;
        default:
            log = true;
        }
    program.argv = (const char *const *)argv + optind;
    struct world_processes *worlds;
    enum core_status status = world_processes_start(&program, &worlds);
    if (status != CORE_OK)
        return status == CORE_UNSUPPORTED ? 3 : 2;
    struct world_process_outcome outcome;
    double begin = now();
    for (int i = 0; i < worlds_wanted; i++) {
        if (by_seed)
            replay_choice_seed(&options.choice, seed + (uint64_t)i);
        if (world_processes_run(worlds, &options, &outcome) != CORE_OK)
            return 2;
    }
    double took = now() - begin;
    int code = show(&outcome, program.rank_count);
    if (log)
        show_log(worlds, &outcome);
    world_processes_end(worlds);
    if (worlds_wanted > 1)
        fprintf(stderr, "%.0f worlds a second, %.0f in a second of a processor\n",
                worlds_wanted / took, worlds_wanted / processor_seconds());
    return code;
}
