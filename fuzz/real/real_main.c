/* Runs one scenario on real ranks: mpirun -n RANKS PROGRAM SCENARIO [DECISIONS]. It is built with
 * mpicc from the user's file and the fuzzer's scenario, elements and execute sources. Wrappers
 * around the calls force what the run in process left to the library, call by call: unbuffered
 * sends are synchronous, wildcard receives name the recorded source, tests and probes return the
 * recorded result (decisions.c). The scenario's delays are real ones. Exit status: 0 no finding, 1
 * findings, 2 a bad scenario, 9 no end. */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/decisions.h"
#include "fuzz/scenario/execute.h"

enum {
    MARGIN = 4096,
    SECONDS = 30, /* the launcher proves a deadlock long before, but cannot prove endless polling */
    TICK_US = 200,
    LATE_US = 1000,
    SLEEP_MAX_US = 3000000, /* of a rank, in all */
    LIBRARY_BUFFERS = 1024, /* bytes that any MPI library sends at once */
    BUFFER_BYTES = 32 << 20
};

/* Wrappers also replace profiling names if files are in Fortran, as Open MPI's Fortran functions
 * call those. The library's own function is then the next one. */
#ifdef CROSSWAIT_FORTRAN
#define IN_FRONT(name)                                                            \
    extern __typeof__(PMPI_##name) in_front_##name __asm__("PMPI_" #name)         \
        __attribute__((alias("MPI_" #name)));                                     \
    static __typeof__(PMPI_##name) *next_##name;                                  \
    __attribute__((constructor)) static void find_##name(void)                    \
    {                                                                             \
        next_##name = (__typeof__(PMPI_##name) *)dlsym(RTLD_NEXT, "PMPI_" #name); \
    }
IN_FRONT(Send)
IN_FRONT(Isend)
IN_FRONT(Send_init)
IN_FRONT(Recv)
IN_FRONT(Irecv)
IN_FRONT(Sendrecv)
IN_FRONT(Sendrecv_replace)
IN_FRONT(Wait)
IN_FRONT(Waitall)
IN_FRONT(Comm_free)
#define PMPI_Send next_Send
#define PMPI_Isend next_Isend
#define PMPI_Send_init next_Send_init
#define PMPI_Recv next_Recv
#define PMPI_Irecv next_Irecv
#define PMPI_Sendrecv next_Sendrecv
#define PMPI_Sendrecv_replace next_Sendrecv_replace
#define PMPI_Wait next_Wait
#define PMPI_Waitall next_Waitall
#define PMPI_Comm_free next_Comm_free
#endif

static struct scenario scenario;
static int world_rank, world_size, findings, calls;
static double slept_us;
static char *buffer;
static double came[SCENARIO_CALLS_MAX], left[SCENARIO_CALLS_MAX];
static unsigned long checksum[SCENARIO_CALLS_MAX], have[SCENARIO_CALLS_MAX];
static int inside, my_group = -1;

/* --- sanitizers, which the user's files are built with ---------------------------------------- */

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "abort_on_error=1:leak_check_at_exit=0:allocator_may_return_null=1:"
           "detect_stack_use_after_return=0:print_suppressions=0";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

/* Ignores allocations of the MPI library inside a call. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libmpi.so\nleak:libopen-pal.so\nleak:libopen-rte.so\nleak:libpmix\nleak:mca_\n"
           "leak:libevent\nleak:libcrosswait\n";
}

/* Enables leak detection only inside the collective. */
static void leaks_of(bool collective)
{
    if (!__lsan_enable)
        return;
    if (collective)
        __lsan_enable();
    else
        __lsan_disable();
}

/* --- delays: the scenario's ticks as real time, so that what is not forced meets them too ----- */

static void real_main_hold(double microseconds)
{
    if (microseconds <= 0 || slept_us > SLEEP_MAX_US)
        return;
    slept_us += microseconds;
    usleep((useconds_t)microseconds);
}

static void hold_ticks(int dest, uint32_t number)
{
    const struct replay_policy policy = scenario_policy(&scenario, world_size);
    real_main_hold(TICK_US * (double)replay_policy_delay(&policy, 1000, world_rank, dest, number));
}

/* Delays the rank before every call of the collective. */
static void hold_call(void)
{
    static uint32_t number;
    if (inside && scenario.delays != REPLAY_DELAY_NONE)
        hold_ticks(-1, number++);
}

/* Returns the group that ranks in a communicator's messages refer to. */
static void group_of_peers(MPI_Comm comm, MPI_Group *out)
{
    int inter;
    PMPI_Comm_test_inter(comm, &inter);
    (inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, out);
}

/* Translates a rank between communicators; keeps MPI_PROC_NULL and the like. */
static int real_main_translated(MPI_Comm from, int rank, MPI_Comm to)
{
    MPI_Group a, b;
    int result = rank;
    if (rank < 0 || from == to)
        return rank;
    group_of_peers(from, &a);
    group_of_peers(to, &b);
    PMPI_Group_translate_ranks(a, 1, &rank, b, &result);
    PMPI_Group_free(&a);
    PMPI_Group_free(&b);
    return result;
}

/* Applies the message's delay before a send. A receiver that reads its buffer before the receive
 * completes (`late`) gets time to do so. */
static void hold_message(int dest, MPI_Comm comm)
{
    static uint32_t number;
    hold_call();
    if (!inside || dest < 0)
        return;
    if (scenario.delays != REPLAY_DELAY_NONE)
        hold_ticks(real_main_translated(comm, dest, MPI_COMM_WORLD), number++);
    if (scenario.late)
        real_main_hold(LATE_US);
}

/* --- tags: the scenario's bound on them, for whoever asks ------------------------------------- */

static bool tag_asked;

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag)
{
    static int low = SCENARIO_TAG_LOW;
    int error = PMPI_Comm_get_attr(comm, key, value, flag);
    if (key == MPI_TAG_UB && scenario.low_tags && !error && *flag) {
        tag_asked = true;
        *(int **)value = &low;
    }
    return error;
}

static void real_main_report(enum world_rule rule, const char *format, ...);

static void tag_check(int tag)
{
    if (tag_asked && tag > SCENARIO_TAG_LOW)
        real_main_report(WORLD_RULE_ERROR,
                         "rank %d of MPI_COMM_WORLD sends with tag %d, and MPI_TAG_UB is %d",
                         world_rank, tag, SCENARIO_TAG_LOW);
}

/* --- sends, buffered or not, and receives from any source, as they were in process ------------ */

enum how { AS_IT_IS, SYNCHRONOUS, BUFFERED };

/* Chooses the mode of a send. decided: 1 buffered, 0 not, -1 unknown: then the scenario's rule
 * applies. */
static enum how how_to_send(int decided, int count, MPI_Datatype type)
{
    int bytes;
    PMPI_Type_size(type, &bytes);
    long size = (long)bytes * count;
    if (decided < 0 && inside)
        decided = scenario.buffering == REPLAY_EAGER ||
                  (scenario.buffering == REPLAY_EAGER_BYTES && size <= scenario.eager_bytes);
    else if (decided < 0)
        decided = 1;
    if (!decided)
        return SYNCHRONOUS;
    if (size <= LIBRARY_BUFFERS)
        return AS_IT_IS;
    if (!buffer && (buffer = malloc(BUFFER_BYTES)))
        PMPI_Buffer_attach(buffer, BUFFER_BYTES);
    return buffer && size < BUFFER_BYTES / 16 ? BUFFERED : AS_IT_IS;
}

static enum how next_send(int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    tag_check(tag);
    hold_message(dest, comm);
    return dest < 0 ? AS_IT_IS : how_to_send(decisions_next_send(), count, type);
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    enum how how = next_send(count, type, dest, tag, comm);
    return (how == SYNCHRONOUS ? PMPI_Ssend
            : how == BUFFERED  ? PMPI_Bsend
                               : PMPI_Send)(buf, count, type, dest, tag, comm);
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    enum how how = next_send(count, type, dest, tag, comm);
    return (how == SYNCHRONOUS ? PMPI_Issend
            : how == BUFFERED  ? PMPI_Ibsend
                               : PMPI_Isend)(buf, count, type, dest, tag, comm, request);
}

/* Chooses one mode for all starts of a request, and the same for all persistent sends of a rank. */
int MPI_Send_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    enum how how = how_to_send(decisions_persistent(), count, type);
    return (how == SYNCHRONOUS ? PMPI_Ssend_init
            : how == BUFFERED  ? PMPI_Bsend_init
                               : PMPI_Send_init)(buf, count, type, dest, tag, comm, request);
}

static int real_main_pinned(int source, MPI_Comm comm)
{
    hold_call();
    int decided = source == MPI_ANY_SOURCE ? decisions_next_source() : -1;
    return decided < 0 ? source : real_main_translated(MPI_COMM_WORLD, decided, comm);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    return PMPI_Recv(buf, count, type, real_main_pinned(source, comm), tag, comm, status);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return PMPI_Irecv(buf, count, type, real_main_pinned(source, comm), tag, comm, request);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    int code = PMPI_Irecv(recvbuf, recvcount, recvtype, real_main_pinned(source, comm), recvtag,
                          comm, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Send(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    int received = code == MPI_SUCCESS ? PMPI_Wait(&request, status) : code;
    return received;
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status *status)
{
    int bytes, at = 0;
    PMPI_Pack_size(count, type, comm, &bytes);
    char *packed = malloc((size_t)bytes + 1);
    PMPI_Pack(buf, count, type, packed, bytes, &at, comm);
    int code = MPI_Sendrecv(packed, at, MPI_PACKED, dest, sendtag, buf, count, type, source,
                            recvtag, comm, status);
    free(packed);
    return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    hold_call();
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request request[], MPI_Status status[])
{
    hold_call();
    return PMPI_Waitall(count, request, status);
}

/* --- the environment -------------------------------------------------------------------------- */

static void real_main_report(enum world_rule rule, const char *format, ...)
{
    va_list arguments;
    char text[512];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("finding: %s: %s\n", world_rule_row(rule)->id, text);
    findings++;
}

/* Reports unreceived messages. All ranks of the communicator call this, and their messages have
 * arrived by then. */
static void check_leftovers(MPI_Comm comm)
{
    MPI_Status status;
    int rank, here = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Barrier(comm);
    for (int i = 0; i < 1000 && !here; i++)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &here, &status);
    if (here)
        real_main_report(WORLD_RULE_LEFTOVER_MESSAGE,
                         "a message of rank %d to rank %d, tag %d, was never received",
                         status.MPI_SOURCE, rank, status.MPI_TAG);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    check_leftovers(*comm);
    return PMPI_Comm_free(comm);
}

/* Delays a pausing rank: by 200 ms, or by 20 ms for each turn. */
static void pause_rank(unsigned turn)
{
    usleep(turn && turn < 64 ? turn * 20000 : 200000);
}

/* Returns a time that ranks can compare: all are on one machine, and MPI_Wtime may start anew in
 * each process. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void real_main_entered(int call, int group)
{
    if (decisions_is_late(call))
        pause_rank(0);
    my_group = group;
    came[call] = seconds_now();
    calls = call + 1;
}

static int real_main_missing(int call, int group, int size)
{
    (void)call, (void)group, (void)size;
    return 0; /* compared by time stamps at the end */
}

static void real_main_result(int call, int group, int rank, uint64_t sum)
{
    (void)group, (void)rank;
    checksum[call] =
        sum >>
        2; /* below 2^62: Open MPI compares unsigned longs as signed ones where it uses AVX-512 */
    have[call] = 1;
}

static void real_main_calling(int now_inside)
{
    inside = now_inside;
    leaks_of(inside);
    if (!inside)
        left[calls - 1] = seconds_now();
}

/* Ends the rank at its limit of computing. It is no timer: a rank with a timer's handler may wake
 * by itself, so the launcher could not prove that it hangs. */
static void on_limit(int number)
{
    char text[96];
    int length = snprintf(
        text, sizeof text,
        "finding: timeout: rank %d of MPI_COMM_WORLD has not ended after %d s of computing\n",
        world_rank, SECONDS);
    (void)number;
    _exit(write(1, text, (size_t)length) < 0 ? 10 : 9);
}

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction before[sizeof deadly / sizeof *deadly];

static void on_deadly(int number)
{
    char text[96];
    int length =
        snprintf(text, sizeof text, "finding: crash: rank %d of MPI_COMM_WORLD, signal %d\n",
                 world_rank, number);
    static volatile sig_atomic_t told; /* a sanitizer's abort follows its report */
    if (!told++ && write(1, text, (size_t)length) < 0)
        _exit(10);
    usleep(100000); /* the text must be written before mpirun ends all ranks */
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (deadly[i] == number)
            sigaction(number, &before[i], NULL);
    raise(number);
}

static void watch_signals(void)
{
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        sigaction(deadly[i], &(struct sigaction){.sa_handler = on_deadly}, &before[i]);
    struct rlimit limit;
    signal(SIGXCPU, on_limit);
    if (getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur > SECONDS) {
        limit.rlim_cur = SECONDS;
        setrlimit(RLIMIT_CPU, &limit);
    }
}

/* Ends the job on an error of MPI and reports it here, as mpirun's own report is sometimes lost. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    PMPI_Error_string(*code, text, &length);
    real_main_report(WORLD_RULE_ERROR, "rank %d of MPI_COMM_WORLD: %s", world_rank, text);
    fflush(stdout);
    usleep(100000);
    PMPI_Abort(*comm, 1);
}

/* Compares results of one group's ranks, or of an intercommunicator's two groups; a barrier's ranks
 * leave after those of the other group have entered. */
static void real_main_compare(const struct collective *collective, int group)
{
    bool own = my_group == group, other = scenario.first_group ? !own && my_group >= 0 : own;
    for (int call = 0; call < scenario.calls; call++) {
        unsigned long low = have[call] && own ? checksum[call] : ~0ul >> 1,
                      high = have[call] && own ? checksum[call] : 0, lowest, highest;
        double in = other ? came[call] : 0, out = own && left[call] > 0 ? left[call] : 1e300, last,
               first;
        PMPI_Allreduce(&low, &lowest, 1, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD);
        PMPI_Allreduce(&high, &highest, 1, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
        PMPI_Allreduce(&in, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        PMPI_Allreduce(&out, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        if (world_rank == 0 && highest && lowest != highest)
            real_main_report(WORLD_RULE_DISAGREEMENT, "the ranks' results differ in some bits");
        if (world_rank == 0 && collective->kind == collective_kind_barrier &&
            collective->form == COLLECTIVE_BLOCKING && scenario.also != ALSO_HALVES && first < last)
            real_main_report(WORLD_RULE_EARLY_EXIT,
                             "a rank left the barrier %.3f s before the last had come",
                             last - first);
    }
}

static const struct collective *read_scenario(const char *path, const struct collective **out_other)
{
    static char text[SCENARIO_TEXT_MAX + 1];
    char name[128], other[128], message[256];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "crosswait: cannot open '%s'\n", path);
        return NULL;
    }
    text[fread(text, 1, SCENARIO_TEXT_MAX, file)] = 0;
    fclose(file);
    if (scenario_parse(text, &scenario, name, other, message)) {
        fprintf(stderr, "crosswait: '%s': %s\n", path, message);
        return NULL;
    }
    const struct collective *found = *name ? collective_find(name) : collective_first();
    *out_other = *other ? collective_find(other) : NULL;
    if (!found)
        fprintf(stderr, "crosswait: '%s': no collective '%s' is registered here\n", path, name);
    return found;
}

int main(int argc, char **argv)
{
    static struct execute_environment environment = {.report = real_main_report,
                                                     .pause = pause_rank,
                                                     .entered = real_main_entered,
                                                     .missing = real_main_missing,
                                                     .result = real_main_result,
                                                     .calling = real_main_calling};
    int all;
    leaks_of(false);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    /* A sanitizer checks every access, so no margin is needed. */
    environment.margin = __lsan_enable ? 0 : MARGIN;
    static struct scenario beside;
    const struct collective *other = NULL;
    const struct collective *collective =
        argc == 2 || argc == 3 ? read_scenario(argv[1], &other) : NULL;
    if (!collective || !execute_adapt(collective, &scenario)) {
        fprintf(stderr, "crosswait: usage: mpirun -n RANKS %s SCENARIO [DECISIONS]\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (world_size != execute_world_size(&scenario)) {
        if (world_rank == 0)
            fprintf(stderr, "crosswait: '%s' is for %d rank%s, not %d\n", argv[1],
                    execute_world_size(&scenario), execute_world_size(&scenario) == 1 ? "" : "s",
                    world_size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (argc == 3 && decisions_force(argv[2], world_size, world_rank))
        MPI_Abort(MPI_COMM_WORLD, 2);
    setvbuf(stdout, NULL, _IOLBF, 0);
    MPI_Errhandler handler;
    PMPI_Comm_create_errhandler(on_error, &handler);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    watch_signals();
    if (other && !execute_adapt_other(other, &scenario, &beside))
        other = NULL;
    execute_rank(&(struct execute_plan){{collective, other}, {&scenario, &beside}}, &environment);
    check_leftovers(MPI_COMM_WORLD);
    for (int group = 0; group < 1 + (scenario.first_group > 0); group++)
        real_main_compare(collective, group);
    if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
        real_main_report(
            WORLD_RULE_LEAKED_MEMORY,
            "rank %d of MPI_COMM_WORLD: the collective allocates memory that it never frees",
            world_rank);
    PMPI_Allreduce(&findings, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0 && !all)
        printf("no finding\n");
    PMPI_Errhandler_free(&handler);
    MPI_Finalize();
    return all > 0;
}
