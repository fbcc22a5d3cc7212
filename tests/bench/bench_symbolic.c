/* Decides all orders and all buffering at once, beside the search that tries them one by one;
 * prints a line per program. Bars: 128 ranks with up to 500 wildcard receives in 60 s and 4 GB,
 * 20,000 receives with certain matches. Each program runs in a process of its own, so that its
 * memory is its own. An argument selects the programs whose names begin with it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/check.h"
#include "replay/search/explore.h"
#include "replay/symbolic/symbolic.h"

enum { SEARCH_SCHEDULES = 2000 };

static struct replay_program program;

static void add(uint32_t rank, enum replay_op_kind kind, int peer, int tag, int matched)
{
    struct replay_op op = {
        .kind = (uint8_t)kind, .peer = peer, .tag = tag, .bytes = 8, .matched = matched};
    CORE_CHECK(replay_program_add(&program, rank, &op) == CORE_OK);
}

/* Rank 0 receives from each other rank, round by round; planted: the last names its source. */
static void make_gather(uint32_t ranks, uint32_t rounds, bool planted)
{
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t rank = 1; rank < ranks; rank++) {
            bool last = planted && round + 1 == rounds && rank + 1 == ranks;
            add(rank, REPLAY_SEND, 0, 5, 0);
            add(0, REPLAY_RECV, last ? (int)rank : REPLAY_ANY, 5, (int)rank);
        }
}

/* Adds a barrier after each round. */
static void make_phases(uint32_t ranks, uint32_t rounds, bool planted)
{
    for (uint32_t round = 0; round < rounds; round++) {
        make_gather(ranks, 1, planted && round + 1 == rounds);
        for (uint32_t rank = 0; rank < ranks; rank++)
            add(rank, REPLAY_COLL, REPLAY_ANY, (int)round, 0);
    }
}

/* Groups of five; planted: they hang without buffering. */
static void make_groups(uint32_t ranks, uint32_t rounds, bool planted)
{
    (void)rounds;
    for (uint32_t g = 0; g + 5 <= ranks; g += 5) {
        add(g, REPLAY_RECV, REPLAY_ANY, 0, (int)g + 1);
        add(g, REPLAY_SEND, (int)g + 3, 0, 0);
        add(g, REPLAY_RECV, REPLAY_ANY, 0, (int)g + 2);
        add(g + 1, REPLAY_SEND, (int)g, 0, 0);
        add(g + 1, REPLAY_SEND, (int)g + 3, 0, 0);
        add(g + 2, REPLAY_RECV, REPLAY_ANY, 0, (int)g + 4);
        add(g + 2, REPLAY_SEND, (int)g, 0, 0);
        add(g + 4, REPLAY_SEND, (int)g + 2, 0, 0);
        if (planted) {
            add(g + 3, REPLAY_RECV, (int)g + 1, 0, (int)g + 1);
            add(g + 3, REPLAY_RECV, (int)g, 0, (int)g);
            continue;
        }
        int32_t pair[] = {0, 1};
        replay_add_irecv(&program, g + 3, (int)g + 1, 0, 8, 0);
        replay_add_irecv(&program, g + 3, (int)g, 0, 8, 1);
        replay_add_wait_all(&program, g + 3, pair, 2);
    }
}

/* Neighbours exchange blocks, odd and even pairs in turn; planted: the receive takes any tag, and
 * both send first. */
static void make_sorting(uint32_t ranks, uint32_t rounds, bool planted)
{
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t rank = 0; rank < ranks; rank++) {
            bool first = (rank + round) % 2 == 0;
            int partner = first ? (int)rank + 1 : (int)rank - 1;
            if (partner < 0 || partner >= (int)ranks)
                continue;
            if (first || planted)
                add(rank, REPLAY_SEND, partner, (int)round, 0);
            add(rank, REPLAY_RECV, REPLAY_ANY, planted ? REPLAY_ANY : (int)round, partner);
            if (!first && !planted)
                add(rank, REPLAY_SEND, partner, (int)round, 0);
        }
}

/* The same with one tag for all rounds: the neighbours' messages can come in any order. */
static void make_race(uint32_t ranks, uint32_t rounds, bool planted)
{
    (void)planted;
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t rank = 0; rank < ranks; rank++) {
            bool first = (rank + round) % 2 == 0;
            int partner = first ? (int)rank + 1 : (int)rank - 1;
            if (partner < 0 || partner >= (int)ranks)
                continue;
            if (first)
                add(rank, REPLAY_SEND, partner, 0, 0);
            add(rank, REPLAY_RECV, REPLAY_ANY, 0, partner);
            if (!first)
                add(rank, REPLAY_SEND, partner, 0, 0);
        }
}

/* A manager hands out tasks and receives results from any source; planted: at the end it waits for
 * one more of rank 1 with another tag. `rounds` results per worker. */
static void make_manager(uint32_t ranks, uint32_t rounds, bool planted)
{
    uint32_t workers = ranks - 1, tasks = workers * rounds;
    for (uint32_t task = 0; task < tasks; task++) {
        int worker = (int)(task % workers) + 1;
        if (task < workers)
            add(0, REPLAY_SEND, worker, 1, 0);
        add((uint32_t)worker, REPLAY_RECV, 0, REPLAY_ANY, 0);
        add((uint32_t)worker, REPLAY_SEND, 0, 2, 0);
    }
    for (uint32_t task = 0; task < tasks; task++) {
        int worker = (int)(task % workers) + 1;
        add(0, REPLAY_RECV, REPLAY_ANY, 2, worker);
        if (task + workers < tasks)
            add(0, REPLAY_SEND, worker, 1, 0);
    }
    for (uint32_t worker = 1; worker < ranks; worker++) {
        add(0, REPLAY_SEND, (int)worker, 0, 0);
        add(worker, REPLAY_RECV, 0, REPLAY_ANY, 0);
    }
    if (planted) {
        add(0, REPLAY_RECV, 1, 3, 1);
        add(1, REPLAY_SEND, 0, 3, 0);
        add(0, REPLAY_RECV, 1, 2, 1);
    }
}

struct line {
    const char *name;
    void (*make)(uint32_t ranks, uint32_t rounds, bool planted);
    uint32_t ranks, rounds;
    bool planted, recorded;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void measure(const struct line *line)
{
    struct symbolic_options options = {.explore = {.sends = true, .runs_max = SEARCH_SCHEDULES},
                                       .recorded = line->recorded};
    struct symbolic_decision decision;
    struct replay_exploration found;
    struct rusage usage;

    CORE_CHECK(replay_program_init(&program, line->ranks) == CORE_OK);
    line->make(line->ranks, line->rounds, line->planted);
    CORE_CHECK(replay_policy_parse("", REPLAY_OFFLINE, &options.explore.policy) == CORE_OK);
    CORE_CHECK(replay_program_check(&program) == CORE_OK);
    double start = seconds();
    CORE_CHECK(symbolic_decide(&program, &options, &decision) == CORE_OK);
    double decided = seconds();
    getrusage(RUSAGE_SELF, &usage);
    CORE_CHECK(replay_explore(&program, &options.explore, &found) == CORE_OK);
    double searched = seconds();
    printf("%-9s%-8s %4" PRIu32 " %6" PRIu32 " %6" PRIu32 " %-10s %-8s %8" PRIu64 " %9" PRIu64
           " %7" PRIu64 " %4" PRIu32 " %7.2f %5ld   %-10s %7.2f\n",
           line->name,
           line->planted    ? "planted"
           : line->recorded ? "kept"
                            : "",
           line->ranks, decision.wildcards, decision.open,
           decision.verdict == REPLAY_VERDICT_NONE       ? "none"
           : decision.verdict == REPLAY_VERDICT_DEADLOCK ? "deadlock"
                                                         : "open",
           decision.argument == SYMBOLIC_MATCHES ? "matches" : "formula", decision.variables,
           decision.clauses, decision.conflicts, decision.rounds, decided - start,
           usage.ru_maxrss / 1024,
           found.verdict == REPLAY_VERDICT_NONE       ? "none"
           : found.verdict == REPLAY_VERDICT_DEADLOCK ? "deadlock"
                                                      : "open",
           searched - decided);
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    static const struct line lines[] = {
        {"gather", make_gather, 6, 1, false, false},
        {"gather", make_gather, 128, 1, false, false},
        {"gather", make_gather, 128, 2, false, false},
        {"gather", make_gather, 6, 1, true, false},
        {"gather", make_gather, 128, 1, true, false},
        {"gather", make_gather, 128, 4, true, false},
        {"groups", make_groups, 125, 1, false, false},
        {"groups", make_groups, 125, 1, true, false},
        {"phases", make_phases, 128, 157, false, false},
        {"phases", make_phases, 128, 20, true, false},
        {"sorting", make_sorting, 128, 157, false, false},
        {"sorting", make_sorting, 128, 4, true, false},
        {"race", make_race, 16, 4, false, false},
        {"race", make_race, 128, 4, false, false},
        {"manager", make_manager, 6, 2, false, false},
        {"manager", make_manager, 128, 2, false, false},
        {"manager", make_manager, 128, 4, false, false},
        {"manager", make_manager, 6, 2, false, true},
        {"manager", make_manager, 128, 4, false, true},
        {"manager", make_manager, 128, 2, true, true},
    };
    printf("%-17s %4s %6s %6s %-10s %-8s %8s %9s %7s %4s %7s %5s   %-10s %7s\n", "program", "P",
           "wild", "open", "answer", "by", "vars", "clauses", "confl.", "rnds", "seconds", "MB",
           "search", "seconds");
    fflush(stdout);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (argc > 1 && strncmp(lines[i].name, argv[1], strlen(argv[1])) != 0)
            continue;
        pid_t child = fork();
        CORE_CHECK(child >= 0);
        if (child == 0)
            measure(&lines[i]);
        int status;
        CORE_CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    return 0;
}
