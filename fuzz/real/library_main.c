/* The MPI library's own collectives under the fuzzer's scenarios, on real ranks, its algorithms
 * forced one by one in a running job.
 *
 * usage: mpirun -n N library_main PLAN LOG SEED    (started by library.py, with
 * coll_tuned_use_dynamic_rules on) PLAN: lines of "collective control-variable number name first
 * count": scenarios first to first + count - 1 of that algorithm. A communicator made after its
 * control variable was written uses that algorithm, so every case has one of its own. LOG gets,
 * flushed: "start LINE CASE DESCRIPTION", "finding RULE TEXT", "passed", and "fixed LINE" where the
 * variable can only be set from outside (OMPI_MCA_...), before the job starts. The job ends with
 * status 3 after a case with a finding, since its communicators may be spoiled; with 9 when a case
 * does not end. */
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/scenario/execute.h"

enum { SECONDS = 15 };

static FILE *log_file;
static int world_rank, world_size, findings;
static char first_finding[256];
static int calls;
static double came[SCENARIO_CALLS_MAX], left[SCENARIO_CALLS_MAX];
static unsigned long sums[SCENARIO_CALLS_MAX], have[SCENARIO_CALLS_MAX];

static const struct collective known[] = {
    {.name = "barrier",
     .row = "",
     .kind = collective_kind_barrier,
     .function.barrier = MPI_Barrier},
    {.name = "bcast", .row = "", .kind = collective_kind_bcast, .function.bcast = MPI_Bcast},
    {.name = "reduce", .row = "", .kind = collective_kind_reduce, .function.reduce = MPI_Reduce},
    {.name = "allreduce",
     .row = "",
     .kind = collective_kind_allreduce,
     .function.allreduce = MPI_Allreduce},
    {.name = "gather", .row = "", .kind = collective_kind_gather, .function.gather = MPI_Gather},
    {.name = "scatter",
     .row = "",
     .kind = collective_kind_scatter,
     .function.scatter = MPI_Scatter},
    {.name = "allgather",
     .row = "",
     .kind = collective_kind_allgather,
     .function.allgather = MPI_Allgather},
    {.name = "allgatherv",
     .row = "",
     .kind = collective_kind_allgatherv,
     .function.allgatherv = MPI_Allgatherv},
    {.name = "alltoall",
     .row = "",
     .kind = collective_kind_alltoall,
     .function.alltoall = MPI_Alltoall},
    {.name = "alltoallv",
     .row = "",
     .kind = collective_kind_alltoallv,
     .function.alltoallv = MPI_Alltoallv},
    {.name = "reduce_scatter",
     .row = "",
     .kind = collective_kind_reduce_scatter,
     .function.reduce_scatter = MPI_Reduce_scatter},
    {.name = "scan", .row = "", .kind = collective_kind_scan, .function.scan = MPI_Scan},
};

static void report(const char *rule, const char *format, ...)
{
    va_list arguments;
    char text[200];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (findings++ == 0)
        snprintf(first_finding, sizeof first_finding, "%s %s", rule, text);
}

static void pause_rank(unsigned turn)
{
    usleep(turn && turn < 64 ? turn * 2000 : 20000);
}

/* MPI_Wtime may begin anew in each process; all of them are on one machine. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void entered(int call, int group)
{
    (void)group;
    came[call] = seconds_now();
    calls = call + 1;
}

static int missing(int call, int group, int size)
{
    (void)call, (void)group, (void)size;
    return 0;
}

static void result(int call, int group, int rank, uint64_t sum)
{
    (void)group, (void)rank;
    sums[call] =
        sum >>
        2; /* below 2^62: Open MPI compares unsigned longs as signed ones where it uses AVX-512 */
    have[call] = 1;
}

static void calling(int inside)
{
    if (!inside)
        left[calls - 1] = seconds_now();
}

static void on_alarm(int number)
{
    static const char text[] = "finding hang no end within 15 s\n";
    (void)number;
    if (world_rank == 0 && write(fileno(log_file), text, sizeof text - 1) < 0)
        _exit(10);
    usleep(200000);
    _exit(9);
}

static void say(const char *format, ...)
{
    if (world_rank)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(log_file, format, arguments);
    va_end(arguments);
    fflush(log_file);
}

/* False: the library lets nobody change it in a running job, and it has another value. */
static bool force(const char *variable, int number)
{
    MPI_T_cvar_handle handle;
    int index, count, value = -1;
    if (MPI_T_cvar_get_index(variable, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return false;
    if (MPI_T_cvar_write(handle, &number) != MPI_SUCCESS &&
        MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value != number) {
        MPI_T_cvar_handle_free(&handle);
        return false;
    }
    MPI_T_cvar_handle_free(&handle);
    return true;
}

static bool make_case(const struct collective *c, const char *algorithm, uint64_t seed,
                      struct scenario *s)
{
    scenario_decode(NULL, 0, s);
    for (int i = 0; i < 8; i++)
        scenario_mutate(s, seed = seed * 6364136223846793005u + 1442695040888963407u);
    s->choice_count = 0;
    s->other = 0;
    if (s->also == ALSO_HALVES) /* two barriers at a time have no one time */
        s->also = ALSO_BACKWARDS;
    s->slow = c->kind == collective_kind_barrier ? (int)(seed >> 33) % s->ranks
              : s->slow % 8 == 0                 ? 0
                                                 : -1;
    s->comm = s->comm == COMM_WORLD ? COMM_DUP : s->comm;
    if (s->comm == COMM_PART && world_size < 3)
        s->comm = COMM_BACKWARDS;
    int most = s->comm == COMM_PART ? world_size - 2 : world_size;
    s->ranks = 1 + (s->ranks - 1) % most;
    if (scenario_type_large(s->type) || scenario_type_large(s->type_send))
        s->type = s->type_send = TYPE_INT;
    if (!strcmp(algorithm, "two_proc")) {
        s->ranks = 2;
        s->comm = COMM_BACKWARDS;
    }
    return execute_adapt(c, s);
}

/* Whether all ranks that compared had the same bits; only called when nothing else was found. */
static void compare_sums(const struct scenario *s)
{
    for (int call = 0; call < s->calls; call++) {
        unsigned long low = have[call] ? sums[call] : ~0ul >> 1, high = have[call] ? sums[call] : 0,
                      lowest, highest;
        PMPI_Allreduce(&low, &lowest, 1, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD);
        PMPI_Allreduce(&high, &highest, 1, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
        if (highest && lowest != highest)
            report("disagreement", "the ranks' results differ in some bits");
    }
}

/* Whether a rank of the barrier's communicator left it before the last had come. */
static void compare_times(const struct scenario *s)
{
    for (int call = 0; call < s->calls; call++) {
        double in = call < calls ? came[call] : 0, out = call < calls ? left[call] : 1e300, last,
               first;
        PMPI_Allreduce(&in, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        PMPI_Allreduce(&out, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        if (first < last)
            report("early-exit", "a rank left the barrier before the last had come");
    }
}

static int run_case(const struct collective *c, const char *algorithm, int line, int number,
                    uint64_t seed)
{
    static struct scenario s;
    static char text[512];
    struct execute_environment environment = {.report = report,
                                              .pause = pause_rank,
                                              .entered = entered,
                                              .missing = missing,
                                              .result = result,
                                              .calling = calling,
                                              .margins = 1};
    if (!make_case(c, algorithm, seed, &s))
        return 0;
    execute_describe_call(c, &s, text, sizeof text);
    say("start %d %d %s\n", line, number, text);
    findings = 0;
    memset(have, 0, sizeof have);
    calls = 0;
    alarm(SECONDS);
    PMPI_Comm_split(MPI_COMM_WORLD, world_rank < execute_world_size(&s) ? 0 : MPI_UNDEFINED,
                    world_rank, &environment.world);
    if (environment.world != MPI_COMM_NULL)
        execute_rank(&(struct execute_plan){{c, NULL}, {&s, NULL}}, &environment);
    int all, first = findings ? world_rank : world_size, who;
    PMPI_Allreduce(&findings, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!all)
        compare_sums(&s);
    if (!all && c->kind == collective_kind_barrier)
        compare_times(&s);
    alarm(0);
    if (!all && !findings) {
        say("passed\n");
        if (environment.world != MPI_COMM_NULL)
            PMPI_Comm_free(&environment.world);
        return 0;
    }
    first = findings ? world_rank : world_size;
    PMPI_Allreduce(&first, &who, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    PMPI_Bcast(first_finding, sizeof first_finding, MPI_CHAR, who, MPI_COMM_WORLD);
    say("finding %s\n", first_finding);
    return 1;
}

int main(int argc, char **argv)
{
    char line[512], kind[64], variable[128], algorithm[64];
    int provided, number, first, count, at = 0, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FILE *plan = argc == 4 ? fopen(argv[1], "r") : NULL;
    log_file = argc == 4 ? fopen(argv[2], "a") : NULL;
    if (!plan || !log_file) {
        fprintf(stderr, "crosswait: usage: library_main PLAN LOG SEED\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    signal(SIGALRM, on_alarm);
    for (; !failed && fgets(line, sizeof line, plan); at++) {
        const struct collective *c = NULL;
        if (sscanf(line, "%63s %127s %d %63s %d %d", kind, variable, &number, algorithm, &first,
                   &count) != 6)
            continue;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            c = strcmp(known[i].name, kind) ? c : &known[i];
        if (!c)
            continue;
        if (!force(variable, number)) {
            say("fixed %d\n", at);
            continue;
        }
        for (int i = first; i < first + count && !failed; i++)
            failed = run_case(c, algorithm, at, i,
                              strtoull(argv[3], NULL, 0) * 1000003u + (uint64_t)number * 7919u +
                                  (uint64_t)i);
        force(variable, 0);
    }
    if (failed) {
        fflush(NULL);
        PMPI_Barrier(MPI_COMM_WORLD);
        _exit(3);
    }
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
