/* Runs the MPI library's own collectives on scenarios of the fuzzer, on real ranks, with the
 * library's algorithms forced one by one in a running job. library.py starts it.
 *
 * usage: mpirun -n N library_main PLAN LOG SEED. PLAN: lines of
 *     COLLECTIVE VARIABLE NUMBER NAME cases FIRST COUNT   scenarios FIRST to FIRST + COUNT - 1
 *     COLLECTIVE VARIABLE NUMBER NAME again FILE          the scenario in FILE
 *     COLLECTIVE VARIABLE NUMBER NAME shrink FILE RULE STEP  makes the scenario in FILE small, from
 *         step STEP on; with STEP -1 - S the one that step S made has failed: it is taken first
 * VARIABLE is a control variable that NUMBER forces the algorithm by, or "-". A communicator made
 * after it was written uses that algorithm, so every case has one of its own. LOG gets, flushed:
 * "start LINE CASE DESCRIPTION" or "step LINE STEP", "finding RULE TEXT", "passed", "small LINE
 * DESCRIPTION", and "fixed LINE" where the variable can only be set from outside, before the job
 * starts. The scenario of a case that is started is written to LOG.scenario, the smallest one to
 * FILE. The job ends with status 3 after a case with a finding, since its communicators may be
 * spoiled; with 9 when a case does not end.
 *
 *        library_main --collectives     prints the collectives that this library has
 *        mpirun -n 1 library_main --algorithms   prints its control variables for algorithms:
 *            VARIABLE, a tab, DESCRIPTION */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "fuzz/scenario/execute.h"

/* Writes of the library outside of a buffer go into its margin, and are reported. */
enum {
    SECONDS = 15,
    ENDLESS = 29,
    ROUNDS_MAX = 6,
    RULE_MAX = 64,
    DESCRIPTION_MAX = 512,
    MARGIN = 4096
};

static FILE *log_file;
static int world_rank, world_size, findings;
static char first_finding[256];
static const char *scenario_path; /* file for the current scenario */
static int calls;
static double came[SCENARIO_CALLS_MAX], left[SCENARIO_CALLS_MAX];
static unsigned long sums[SCENARIO_CALLS_MAX], have[SCENARIO_CALLS_MAX];

/* Persistent collectives came with MPI 4; Open MPI 4 has them under another name. */
#if MPI_VERSION >= 4
#define PERSISTENT(call, name) KNOWN(call##_init, MPI_##name##_init)
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PERSISTENT(call, name) KNOWN(call##_init, MPIX_##name##_init)
#else
#define PERSISTENT(call, name)
#endif
#define KNOWN(call, mpi)                   \
    {.name = #call,                        \
     .row = "",                            \
     .kind = collective_kind_##call,       \
     .form = collective_form_##call,       \
     .topology = COLLECTIVE_GRID_OR_GRAPH, \
     .function.call = mpi},
#define FORMS(call, name) KNOWN(call, MPI_##name) KNOWN(i##call, MPI_I##call) PERSISTENT(call, name)

static const struct collective known[] = {
    /* clang-format off */
    FORMS(bcast, Bcast)
    FORMS(reduce, Reduce)
    FORMS(scatter, Scatter)
    FORMS(scatterv, Scatterv)
    FORMS(gather, Gather)
    FORMS(gatherv, Gatherv)
    FORMS(allgather, Allgather)
    FORMS(allgatherv, Allgatherv)
    FORMS(reduce_scatter, Reduce_scatter)
    FORMS(reduce_scatter_block, Reduce_scatter_block)
    FORMS(allreduce, Allreduce)
    FORMS(barrier, Barrier)
    FORMS(scan, Scan)
    FORMS(exscan, Exscan)
    FORMS(alltoall, Alltoall)
    FORMS(alltoallv, Alltoallv)
    FORMS(alltoallw, Alltoallw)
    FORMS(neighbor_allgather, Neighbor_allgather)
    FORMS(neighbor_allgatherv, Neighbor_allgatherv)
    FORMS(neighbor_alltoall, Neighbor_alltoall)
    FORMS(neighbor_alltoallv, Neighbor_alltoallv)
    FORMS(neighbor_alltoallw, Neighbor_alltoallw)
    /* clang-format on */
};

static void library_main_report(enum world_rule rule, const char *format, ...)
{
    va_list arguments;
    char text[200];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (findings++ == 0)
        snprintf(first_finding, sizeof first_finding, "%s %s", world_rule_row(rule)->id, text);
}

static void pause_rank(unsigned turn)
{
    usleep(turn && turn < 64 ? turn * 2000 : 20000);
}

/* Returns a time that ranks can compare: all are on one machine, and MPI_Wtime may start anew in
 * each process. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void library_main_entered(int call, int group)
{
    (void)group;
    came[call] = seconds_now();
    calls = call + 1;
}

static int library_main_missing(int call, int group, int size)
{
    (void)call, (void)group, (void)size;
    return 0;
}

static void library_main_result(int call, int group, int rank, uint64_t sum)
{
    (void)group, (void)rank;
    sums[call] =
        sum >>
        2; /* below 2^62: Open MPI compares unsigned longs as signed ones where it uses AVX-512 */
    have[call] = 1;
}

static void library_main_calling(int inside)
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
    _exit(ENDLESS);
}

#ifdef MPICH
/* Replaces a function that MPICH calls again and again while it waits. The original does not yield
 * the processor, so that with more ranks than cores each message takes a time slice; this one
 * yields, which is ten times faster then. */
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned moved = progress(worker);
    if (!moved)
        sched_yield();
    return moved;
}
#endif

static void library_main_say(const char *format, ...)
{
    if (world_rank)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(log_file, format, arguments);
    va_end(arguments);
    fflush(log_file);
}

/* Sets the control variable and returns its value before. False: the library does not allow a
 * change in a running job, and the variable has another value. */
static bool library_main_force(const char *variable, int number, int *out_before)
{
    MPI_T_cvar_handle handle;
    int index, count, before = -1;
    if (!strcmp(variable, "-"))
        return true;
    if (MPI_T_cvar_get_index(variable, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return false;
    MPI_T_cvar_read(handle, &before);
    bool forced = before == number || MPI_T_cvar_write(handle, &number) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    if (forced)
        *out_before = before;
    return forced;
}

/* --- scenarios -------------------------------------------------------------------------------- */

/* Resets the fields that real ranks do not use, and fits the others to the world. */
static bool library_main_adapt(const struct collective *c, const char *algorithm,
                               struct scenario *s)
{
    struct scenario plain;
    scenario_default(&plain);
    s->choice_count = 0;
    s->other = 0;
    s->target = 0;
    s->buffering = plain.buffering;
    s->eager_bytes = plain.eager_bytes;
    s->credits = plain.credits;
    s->pool_bytes = plain.pool_bytes;
    s->delays = plain.delays;
    s->delays_seed = plain.delays_seed;
    s->shuffle = plain.shuffle;
    s->late = plain.late;
    s->explored = plain.explored;
    if (s->also == ALSO_HALVES) /* two concurrent barriers have no common time */
        s->also = ALSO_BACKWARDS;
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

static bool make_case(const struct collective *c, const char *algorithm, uint64_t seed,
                      struct scenario *s)
{
    scenario_decode(NULL, 0, s);
    for (int i = 0; i < 8; i++)
        scenario_mutate(s, seed = seed * 6364136223846793005u + 1442695040888963407u);
    s->slow = c->kind == collective_kind_barrier ? (int)(seed >> 33) % s->ranks
              : s->slow % 8 == 0                 ? 0
                                                 : -1;
    return library_main_adapt(c, algorithm, s);
}

static void read_scenario(const char *path, struct scenario *out)
{
    static char text[SCENARIO_TEXT_MAX + 1];
    char name[128], other[128], message[256] = "it cannot be read";
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, SCENARIO_TEXT_MAX, file) : 0;
    text[length] = 0;
    if (file)
        fclose(file);
    if (length && !scenario_parse(text, out, name, other, message))
        return;
    if (world_rank == 0)
        fprintf(stderr, "crosswait: '%s': %s\n", path, message);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void write_scenario(const struct collective *c, const struct scenario *s, const char *path)
{
    static char text[SCENARIO_TEXT_MAX];
    if (world_rank)
        return;
    scenario_print(s, c->name, NULL, text, sizeof text);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) {
        fprintf(stderr, "crosswait: cannot write '%s'\n", path);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void library_main_describe(const struct collective *c, const struct scenario *s,
                                  char text[DESCRIPTION_MAX])
{
    char named[DESCRIPTION_MAX];
    execute_describe_call(c, s, named, sizeof named);
    snprintf(text, DESCRIPTION_MAX, "%s", named + strlen(c->name) + 2); /* "NAME: " */
}

/* --- running one ------------------------------------------------------------------------------ */

/* Checks that all ranks that compared had the same bits; only called if nothing else was found. */
static void compare_sums(const struct scenario *s)
{
    for (int call = 0; call < s->calls; call++) {
        unsigned long low = have[call] ? sums[call] : ~0ul >> 1, high = have[call] ? sums[call] : 0,
                      lowest, highest;
        PMPI_Allreduce(&low, &lowest, 1, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD);
        PMPI_Allreduce(&high, &highest, 1, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
        if (highest && lowest != highest)
            library_main_report(WORLD_RULE_DISAGREEMENT, "the ranks' results differ in some bits");
    }
}

/* Checks that no rank of the barrier's communicator left before the last one entered. */
static void compare_times(const struct scenario *s)
{
    for (int call = 0; call < s->calls; call++) {
        double in = call < calls ? came[call] : 0, out = call < calls ? left[call] : 1e300, last,
               first;
        PMPI_Allreduce(&in, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        PMPI_Allreduce(&out, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        if (first < last)
            library_main_report(WORLD_RULE_EARLY_EXIT,
                                "a rank left the barrier before the last had come");
    }
}

/* Tells whether the job may continue: wrong results leave communicators intact, anything else may
 * have damaged them. */
static bool goes_on(void)
{
    return !strncmp(first_finding, "wrong-result ", 13) ||
           !strncmp(first_finding, "disagreement ", 13);
}

/* Tells whether nothing was found; otherwise first_finding is the same on all ranks. */
static bool library_main_passes(const struct collective *c, const struct scenario *s)
{
    struct execute_environment environment = {.report = library_main_report,
                                              .pause = pause_rank,
                                              .entered = library_main_entered,
                                              .missing = library_main_missing,
                                              .result = library_main_result,
                                              .calling = library_main_calling,
                                              .margin = MARGIN};
    int all, first, who;
    findings = 0;
    memset(have, 0, sizeof have);
    calls = 0;
    alarm(SECONDS);
    PMPI_Comm_split(MPI_COMM_WORLD, world_rank < execute_world_size(s) ? 0 : MPI_UNDEFINED,
                    world_rank, &environment.world);
    if (environment.world != MPI_COMM_NULL)
        execute_rank(&(struct execute_plan){{c, NULL}, {s, NULL}}, &environment);
    PMPI_Allreduce(&findings, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!all)
        compare_sums(s);
    if (!all && c->kind == collective_kind_barrier && c->form == COLLECTIVE_BLOCKING)
        compare_times(s);
    alarm(0);
    first = findings ? world_rank : world_size;
    PMPI_Allreduce(&first, &who, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (who < world_size)
        PMPI_Bcast(first_finding, sizeof first_finding, MPI_CHAR, who, MPI_COMM_WORLD);
    if (environment.world != MPI_COMM_NULL && (who == world_size || goes_on()))
        PMPI_Comm_free(&environment.world);
    if (who == world_size)
        library_main_say("passed\n");
    else
        library_main_say("finding %s\n", first_finding);
    return who == world_size;
}

static bool case_passes(const struct collective *c, const struct scenario *s, int line, int number)
{
    char text[DESCRIPTION_MAX];
    library_main_describe(c, s, text);
    write_scenario(c, s, scenario_path);
    library_main_say("start %d %d %s\n", line, number, text);
    return library_main_passes(c, s);
}

/* --- making one small ------------------------------------------------------------------------- */

static bool library_main_differs(const struct scenario *a, const struct scenario *b)
{
    static uint8_t bytes_a[SCENARIO_BYTES_MAX], bytes_b[SCENARIO_BYTES_MAX];
    size_t size = scenario_encode(a, bytes_a);
    return scenario_encode(b, bytes_b) != size || memcmp(bytes_a, bytes_b, size);
}

/* Shrinks a scenario. False: the job must end, and another job continue from the step after the
 * last one in the log. */
static bool library_main_shrink(const struct collective *c, const char *algorithm, int line,
                                const char *path, const char *rule, int from)
{
    static struct scenario best, candidate;
    char text[DESCRIPTION_MAX];
    read_scenario(path, &best);
    library_main_adapt(c, algorithm, &best);
    PMPI_Barrier(MPI_COMM_WORLD); /* all ranks have read it */
    if (from < 0 && scenario_simpler(&best, -1 - from, &candidate) &&
        library_main_adapt(c, algorithm, &candidate)) {
        best = candidate;
        write_scenario(c, &best, path);
    }
    bool changed = true;
    for (int round = 0, first = from < 0 ? -from : from; round < ROUNDS_MAX && changed; round++) {
        changed = first > 0;
        for (int step = first; scenario_simpler(&best, step, &candidate); step++) {
            if (!library_main_adapt(c, algorithm, &candidate) ||
                !library_main_differs(&best, &candidate))
                continue;
            library_main_say("step %d %d\n", line, step);
            if (library_main_passes(c, &candidate))
                continue;
            if (!goes_on())
                return false;
            if (strncmp(first_finding, rule, strlen(rule)))
                continue;
            best = candidate;
            changed = true;
            write_scenario(c, &best, path);
        }
        first = 0;
    }
    library_main_describe(c, &best, text);
    library_main_say("small %d %s\n", line, text);
    return true;
}

/* --- the plan --------------------------------------------------------------------------------- */

static const struct collective *library_main_find(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name))
            return &known[i];
    return NULL;
}

/* Runs a line of the plan. False: a case failed. */
static bool run_line(const char *line, int at, uint64_t seed)
{
    static struct scenario s;
    char kind[64], variable[128], algorithm[128], verb[16], path[4096], rule[RULE_MAX];
    int number, before = 0, rest = 0, first, count;
    bool good = true;
    if (sscanf(line, "%63s %127s %d %127s %15s %n", kind, variable, &number, algorithm, verb,
               &rest) != 5)
        return true;
    const struct collective *c = library_main_find(kind);
    if (!c)
        return true;
    if (!library_main_force(variable, number, &before)) {
        library_main_say("fixed %d\n", at);
        return true;
    }
    line += rest;
    if (!strcmp(verb, "cases") && sscanf(line, "%d %d", &first, &count) == 2) {
        for (int i = first; i < first + count && good; i++)
            if (make_case(c, algorithm, seed * 1000003u + (uint64_t)number * 7919u + (uint64_t)i,
                          &s))
                good = case_passes(c, &s, at, i);
    } else if (!strcmp(verb, "again") && sscanf(line, "%4095[^\n]", path) == 1) {
        read_scenario(path, &s);
        good = library_main_adapt(c, algorithm, &s) && case_passes(c, &s, at, 0);
    } else if (!strcmp(verb, "shrink") &&
               sscanf(line, "%63s %d %4095[^\n]", rule, &first, path) == 3) {
        good = library_main_shrink(c, algorithm, at, path, rule, first);
    }
    library_main_force(variable, before, &number);
    return good;
}

static int print_algorithms(void)
{
    char name[256], description[8192];
    int count = 0, provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        int name_size = sizeof name, size = sizeof description, verbosity, bind, scope;
        MPI_Datatype type;
        MPI_T_enum values;
        if (MPI_T_cvar_get_info(i, name, &name_size, &verbosity, &type, &values, description, &size,
                                &bind, &scope) != MPI_SUCCESS ||
            !strstr(name, "ALGORITHM"))
            continue;
        for (char *at = description; (at = strpbrk(at, "\n\t")) != NULL;)
            *at = ' ';
        printf("%s\t%s\n", name, description);
    }
    MPI_T_finalize();
    return 0;
}

int main(int argc, char **argv)
{
    static char line[8192], started[4096];
    int provided;
    bool good = true;
    if (argc == 2 && !strcmp(argv[1], "--collectives")) {
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            printf("%s\n", known[i].name);
        return 0;
    }
    MPI_Init(&argc, &argv);
    if (argc == 2 && !strcmp(argv[1], "--algorithms")) {
        print_algorithms();
        MPI_Finalize();
        return 0;
    }
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
    snprintf(started, sizeof started, "%.4000s.scenario", argv[2]);
    scenario_path = started;
    signal(SIGALRM, on_alarm);
    for (int at = 0; good && fgets(line, sizeof line, plan); at++)
        good = run_line(line, at, strtoull(argv[3], NULL, 0));
    if (!good) {
        fflush(NULL);
        PMPI_Barrier(MPI_COMM_WORLD);
        _exit(3);
    }
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
