/* Runs a whole MPI program, with its main, on the in-process MPI: compile it with
 * -Dmain=crosswait_program_main (or rename main in its object) and link it with this file and
 * libworld.a. Functions that act on a process are replaced by ones that act on a rank: exit
 * handlers run when the rank's main returns, and a sleeping rank lets the others run while the
 * virtual clock advances. Usage: PROGRAM [-n RANKS] [-p POLICY] [-s SEED] [-v] [-- ARGUMENTS...]
 * POLICY is the part of replay/policy/policy.h that works in process, such as buffering=eager:4096;
 * a word without a key is a buffering. A seed implies order=random. Prints each finding as a line
 * on standard error; exit status 0 without findings, 1 with findings, 2 for bad usage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "world/world.h"

int crosswait_program_main(int argc, char **argv);

static int program_argc;
static char **program_argv;

/* --- what is the rank's own ------------------------------------------------------------------- */

static struct handler {
    struct handler *next;
    int rank;
    void (*function)(void);
} * handlers;

int __cxa_atexit(void (*function)(void *), void *argument, void *object);

int atexit(void (*function)(void))
{
    struct handler *made = world_rank() < 0 ? NULL : malloc(sizeof *made);
    if (!made) {
        void (*plain)(void *);
        memcpy(&plain, &function, sizeof plain);
        return __cxa_atexit(plain, NULL, NULL);
    }
    *made = (struct handler){handlers, world_rank(), function};
    handlers = made;
    return 0;
}

static void handlers_run(int rank)
{
    for (struct handler **link = &handlers; *link;) {
        struct handler *one = *link;
        if (one->rank != rank) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        one->function();
        free(one);
        link = &handlers; /* the handler may have added others */
    }
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (world_rank() < 0)
        return clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    world_sleep((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
    return 0;
}

int usleep(useconds_t microseconds)
{
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    return nanosleep(&time, NULL);
}

unsigned sleep(unsigned seconds)
{
    struct timespec time = {seconds, 0};
    return nanosleep(&time, NULL) ? seconds : 0;
}

static int program_main_run(int rank, void *context)
{
    (void)context;
    int status = crosswait_program_main(program_argc, program_argv);
    handlers_run(rank);
    return status;
}

static void program_main_show(void *context, const struct world_event *event)
{
    static const char *const kind[] = {"send", "recv", "match", "wait", "probe", "block", "call"};
    (void)context;
    fprintf(stderr, "rank %d %s %s peer %d tag %d bytes %llu request %d%s\n", event->rank,
            kind[event->kind], event->call ? event->call : "?", event->peer, event->tag,
            (unsigned long long)event->bytes, event->request,
            event->kind == WORLD_EVENT_SEND && event->flag ? " buffered" : "");
}

static int program_main_usage(const char *program)
{
    fprintf(stderr, "usage: %s [-n RANKS] [-p POLICY] [-s SEED] [-v] [-- ARGUMENTS...]\n", program);
    return 2;
}

/* Reads a policy; a word without a key is a buffering. */
static bool policy_read(struct replay_policy *policy, const char *text)
{
    enum core_status status = strchr(text, '=') ? replay_policy_read(policy, text)
                                                : replay_policy_set(policy, "buffering", text);
    return status == CORE_OK && replay_policy_check(policy, REPLAY_IN_PROCESS) == CORE_OK;
}

int main(int argc, char **argv)
{
    static struct world_outcome outcome;
    struct world_options options = {.rank_count = 4, .run = program_main_run};
    struct replay_policy *policy = &options.policy;
    int i = 1;
    replay_policy_init(policy);
    policy->buffering = REPLAY_EAGER_BYTES;
    policy->bytes = 4096;
    for (; i < argc && strcmp(argv[i], "--"); i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "-v")) {
            options.event = program_main_show;
        } else if (!strcmp(argv[i], "-n") && atoi(value) > 0) {
            options.rank_count = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "-s") && *value) {
            policy->seed = strtoull(argv[++i], NULL, 0);
            policy->order = REPLAY_ORDER_RANDOM;
        } else if (!strcmp(argv[i], "-p") && *value && policy_read(policy, value)) {
            i++;
        } else {
            return program_main_usage(argv[0]);
        }
    }
    replay_choice_seed(&options.choice, policy->seed);
    program_argv = argv + (i < argc ? i : argc - 1);
    program_argc = argc - (int)(program_argv - argv);
    program_argv[0] = argv[0];
    if (world_run(&options, &outcome) != CORE_OK)
        return 2;
    fflush(stdout);
    for (int f = 0; f < outcome.finding_count; f++)
        fprintf(stderr, "%s: %s\n", world_rule_row(outcome.finding[f].rule)->id,
                outcome.finding[f].text);
    return outcome.finding_count > 0;
}
