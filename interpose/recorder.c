/* The recorder's life: starting after MPI_Init, lanes of threads, ending; and the small record
 * writers.
 *
 * Environment:
 *   CROSSWAIT_SPOOL=FOLDER  set by the launcher: spools go to FOLDER/JOB, and the launcher makes
 *                           the trace
 *   CROSSWAIT_OUT=T.db      without a launcher: spools go to T.db.spool/JOB, and MPI_Finalize
 *                           makes T.db (default crosswait.db)
 *
 *  1. recorder.on holds only between MPI_Init and MPI_Finalize of a process that could open its
 *     spool, and never in a forked child.
 *  2. A process that never calls MPI_Init does nothing but load this library. */
#include "core/random.h"
#include "interpose/recorder.h"
#include "core/trace/traits.h"

#include <cpuid.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "interpose/ancestors.h"
#include "interpose/dropped_records.h"
#include "interpose/exit_record.h"
#include "interpose/filter.h"
#include "interpose/objects/handles.h"
#include "interpose/layer/layer.h"
#include "interpose/library/library.h"
#include "interpose/life.h"
#include "interpose/lock.h"
#include "interpose/misuse/bounds.h"
#include "interpose/misuse/heap.h"
#include "interpose/overlap_delay.h"
#include "interpose/misuse/payload.h"
#include "interpose/lib_threads.h"
#include "interpose/perturb.h"
#include "interpose/misuse/usage.h"

/* Polls further apart than 100 microseconds are not folded: the program spends the time between
 * them itself, so the record should show it. */
enum { POLL_GAPS_PER_SECOND = 10000 };

__thread struct recorder_thread recorder_thread __attribute__((tls_model("initial-exec")));
struct recorder recorder;
struct recorder_handles recorder_handle;

static struct lane nobody;
struct lane *const recorder_nobody = &nobody;

static struct {
    uint64_t ticks, realtime_ns; /* at MPI_Init */
    uint32_t lane_count;
    int pid;
    struct lock lock;
    atomic_flag warned;
    uint64_t newest;   /* number of newest events to keep, roughly; 0: all */
    struct lane *free; /* lanes of threads that have ended */
    pthread_key_t key;
    bool key_made;
} life = {.warned = ATOMIC_FLAG_INIT};

/* --- small things ----------------------------------------------------------------------------- */

/* Defers cancellation: a cancelled thread must end in the program's own calls, not while the
 * recorder waits for the system or holds something that other threads need. */
int recorder_cancel_disable(void)
{
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void recorder_cancel_restore(int before)
{
    pthread_setcancelstate(before, NULL);
}

static __thread struct {
    unsigned depth; /* nesting depth of this thread's hold on the lock */
    int cancel;     /* cancellation state before */
} held __attribute__((tls_model("initial-exec")));

static void lock_held(int cancel)
{
    held.depth = 1;
    held.cancel = cancel;
    hidden_begin();
}

void recorder_lock(void)
{
    if (!recorder.threads)
        return;
    if (held.depth) {
        held.depth++;
        return;
    }
    int cancel = recorder_cancel_disable();
    lock_take(&life.lock);
    lock_held(cancel);
}

bool recorder_lock_try(void)
{
    if (!recorder.threads)
        return true;
    if (held.depth) {
        held.depth++;
        return true;
    }
    int cancel = recorder_cancel_disable();
    bool had = lock_try(&life.lock);
    if (had)
        lock_held(cancel);
    else
        recorder_cancel_restore(cancel);
    return had;
}

void recorder_unlock(void)
{
    if (recorder.definer)
        spool_commit_written(&recorder.definer->writer);
    if (!held.depth) /* the process had one thread when it took the lock */
        return;
    if (--held.depth)
        return;
    int cancel = held.cancel;
    hidden_end();
    lock_leave(&life.lock);
    recorder_cancel_restore(cancel);
}

void recorder_say(const char *text)
{
    const struct iovec line[] = {{(void *)"crosswait: ", sizeof "crosswait: " - 1},
                                 {(void *)text, strlen(text)},
                                 {(void *)"\n", 1}};
    int saved = errno, cancel = recorder_cancel_disable();
    if (writev(2, line, sizeof line / sizeof *line) < 0)
        errno = saved;
    recorder_cancel_restore(cancel);
    errno = saved;
}

void recorder_warn(const char *text)
{
    if (!atomic_flag_test_and_set(&life.warned))
        recorder_say(text);
}

void recorder_missed(struct lane *lane, uint64_t calls)
{
    struct spool_header *header = lane->writer.header;
    atomic_store_explicit(&header->lost,
                          atomic_load_explicit(&header->lost, memory_order_relaxed) + calls,
                          memory_order_relaxed);
}

void recorder_unread(struct lane *lane, uint64_t seq)
{
    if (lane->unread != seq)
        atomic_fetch_add_explicit(&lane->writer.header->unread, 1, memory_order_relaxed);
    lane->unread = seq;
}

void recorder_unknown(struct lane *lane)
{
    recorder_missed(lane, 1);
    recorder.partial = true;
    usage_doubt();
}

void recorder_lost(struct lane *lane, uint64_t calls)
{
    char text[400];
    recorder_missed(lane, calls);
    snprintf(text, sizeof text, "recording ended on rank %d, the program continues: %s",
             recorder.world_rank, lane->writer.header->note);
    recorder_warn(text);
}

static uint64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Reads the two clocks as close together as a few tries allow. */
static void read_clocks(uint64_t *ticks, uint64_t *realtime)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = recorder_clock(), ns = realtime_ns(), after = recorder_clock();
        if (after - before < best) {
            best = after - before;
            *ticks = before + best / 2;
            *realtime = ns;
        }
    }
}

uint64_t recorder_started_clock(void)
{
#if defined __x86_64__
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8))
        recorder.tsc = true;
#endif
    lib_threads_before();
    read_clocks(&life.ticks, &life.realtime_ns);
    return life.ticks;
}

/* Returns ticks a second, measured since MPI_Init began: the longer, the more accurate. */
static uint64_t tick_rate(void)
{
    uint64_t ticks, realtime;
    if (!recorder.tsc)
        return 1000000000u;
    do
        read_clocks(&ticks, &realtime);
    while (realtime - life.realtime_ns < 2000000 && realtime >= life.realtime_ns);
    return (uint64_t)((double)(ticks - life.ticks) * 1e9 / (double)(realtime - life.realtime_ns));
}

void recorder_note(struct lane *lane, const char *text)
{
    lane = recorder.definer ? recorder.definer : lane;
    recorder_text(lane, 0, 65535, text);
    spool_commit(&lane->writer);
}

static void write_clock(struct lane *lane, unsigned at_end, uint64_t ticks, uint64_t realtime)
{
    lane = recorder.definer ? recorder.definer : lane;
    struct spool_clock *record = spool_reserve(&lane->writer, sizeof *record / 8);
    if (record)
        *record = (struct spool_clock){
            {SPOOL_CLOCK, sizeof *record / 8, (uint16_t)at_end, 0}, ticks, realtime};
    spool_commit(&lane->writer);
}

/* --- lanes ------------------------------------------------------------------------------------ */

static uint32_t starter_number(void)
{
    enum { START = 5381, FACTOR = 33 };
    uint32_t number = START;
    const char *name = library_place().starter;
    for (const char *at = name; at && *at && *at != ';'; at++)
        number = number * FACTOR + (unsigned char)*at;
    return name ? number : 0;
}

static void fill_header(struct spool_header *header, int thread_level)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    header->world_size = recorder.world_size;
    header->pid = life.pid;
    header->tid = (int32_t)syscall(SYS_gettid);
    header->thread_level = thread_level;
    core_machine_here(&header->machine);
    const char *job = strrchr(recorder_folder(), '/');
    snprintf(header->job, sizeof header->job, "%.63s", job ? job + 1 : recorder_folder());
    OWN(Get_library_version)(version, &length);
    version[strcspn(version, "\n")] = 0;
    snprintf(header->library, sizeof header->library, "%.127s", version);
    recorder_command_line(header->program, sizeof header->program);
    header->tick_hz = tick_rate();
    header->start_ticks = life.ticks;
    header->start_realtime_ns = life.realtime_ns;
    header->layer = recorder.layer;
    header->bsend_overhead = library_bsend_overhead(version);
    header->starter = starter_number();
    lib_threads_tell(header);
    header->flags |= (recorder.filter ? SPOOL_FLAG_FILTERED : 0) |
                     (recorder.unseen ? SPOOL_FLAG_UNSEEN : 0) |
                     (recorder.several ? SPOOL_FLAG_SEVERAL : 0);
    memcpy(header->magic, SPOOL_MAGIC, sizeof SPOOL_MAGIC);
}

/* Returns the size of a ring. newest: CROSSWAIT_LAST; a quarter of the ring then holds so many
 * events with their records. */
static uint64_t ring_bytes(uint64_t newest)
{
    enum { EVENT_BYTES = 96 };
    uint64_t bytes = SPOOL_RING_BYTES;
    while (newest && bytes < newest * 4 * EVENT_BYTES && bytes < (uint64_t)1 << 31)
        bytes *= 2;
    return bytes;
}

static struct lane *lane_new(int thread_level, uint64_t newest)
{
    struct lane *lane = calloc(1, sizeof *lane);
    int error = 0;
    if (!lane)
        return NULL;
    uint32_t index = __atomic_fetch_add(&life.lane_count, 1, __ATOMIC_RELAXED);
    if (spool_writer_open_newest(&lane->writer, recorder_folder(), recorder.world_rank, index,
                                 ring_bytes(newest), newest != 0, &error) != CORE_OK) {
        char text[PATH_MAX + 200];
        snprintf(text, sizeof text,
                 "%srank %d is not recorded: cannot make a spool in '%.300s': %s",
                 recorder.lanes ? "a thread of " : "", recorder.world_rank, recorder_folder(),
                 strerror(error));
        recorder_warn(text);
        free(lane);
        return NULL;
    }
    const char *loops = recorder_setting("CROSSWAIT_LOOPS");
    if (loops && strcmp(loops, "off") == 0)
        spool_writer_plain(&lane->writer);
    lane->index = index;
    lane->open = lane->writer.header->open;
    fill_header(lane->writer.header, thread_level);
    recorder_lock();
    lane->next = recorder.lanes;
    recorder.lanes = lane;
    recorder_unlock();
    return lane;
}

static void leave_all(struct lane *lane);

/* Leaves the thread's lane to the next new thread, so that programs that start many threads do not
 * run out of files. The thread may end inside a call: in an error handler, or cancelled. */
static void thread_ends(void *argument)
{
    struct lane *lane = argument;
    if (recorder.on && lane->depth)
        leave_all(lane);
    recorder_thread.ready = recorder_thread.current = NULL;
    hidden_begin();
    exit_record_thread_end(lane);
    hidden_end();
    if (!recorder
             .on) /* or this is a forked child, where another thread may hold the lock forever */
        return;
    recorder_lock();
    lane->next_free = life.free;
    life.free = lane;
    recorder_unlock();
}

static struct lane *lane_free(void)
{
    recorder_lock();
    struct lane *lane = life.free;
    if (lane)
        life.free = lane->next_free;
    recorder_unlock();
    return lane;
}

/* Notes that the next call is another thread's, which did not have to wait for the call before. */
static void write_thread(struct lane *lane)
{
    if (lane->poll_count)
        recorder_polls_write(lane);
    struct spool_head *record = spool_reserve(&lane->writer, 1);
    if (record)
        *record = (struct spool_head){SPOOL_THREAD, 1, 0, 0};
    spool_commit(&lane->writer);
}

/* Tells whether the thread left its current call without returning: an error handler jumped, or
 * threw an exception. The frame of a call that continues is below all others, and holds its return
 * address. */
static bool was_left(const struct lane *lane, void **cfa)
{
    void **open = recorder_thread.cfa;
    stack_t signals;

    if (!lane || lane == &nobody || !lane->depth || !open)
        return false;
    if (cfa > open) /* unless a signal handler calls MPI on a stack of its own */
        return sigaltstack(NULL, &signals) == 0 && !(signals.ss_flags & SS_ONSTACK);
    return cfa == open ||
           (memory_readable(open - 1, sizeof *open) && open[-1] != recorder_thread.back);
}

static void leave_all(struct lane *lane)
{
    while (lane->depth) {
        struct spool_event *e = &lane->open[lane->depth - 1];

        recorder_back(e);
        if (recorder.buffers)
            usage_completed_call(lane, e->seq);
        recorder_close_as(lane, e, EVENT_ERROR_LEFT, STEP_ON);
    }
    atomic_store_explicit(&lane->writer.header->callback, 0, memory_order_release);
    recorder_thread.current = NULL;
    recorder_thread.ready = lane;
}

void recorder_unseen(void)
{
    recorder_lock();
    recorder.unseen = true;
    for (struct lane *lane = recorder.lanes; lane; lane = lane->next)
        lane->writer.header->flags |= SPOOL_FLAG_UNSEEN;
    recorder_unlock();
}

struct lane *recorder_lane_slow(void **cfa)
{
    if (recorder.on && was_left(recorder_thread.current, cfa)) {
        leave_all(recorder_thread.current);
        return recorder_thread.ready;
    }
    if (!recorder.on || recorder_thread.current)
        return NULL;
    int cancel = recorder_cancel_disable();
    hidden_begin();
    recorder_thread.current =
        &nobody;        /* calls of the library while the lane is made are not the application's */
    if (recorder.lanes) /* a second thread: at any level, all threads may call MPI_Wtime and the
                           like */
        recorder.threads = recorder.crowd = true;
    struct lane *lane = lane_free();
    if (lane)
        write_thread(lane);
    else
        lane =
            lane_new(recorder.lanes ? recorder.lanes->writer.header->thread_level : 0, life.newest);
    recorder_thread.current = NULL;
    if (!lane) {
        recorder_thread.current = &nobody; /* this thread does not try again */
        recorder_unseen();                 /* its calls are unknown, and so is what others wait
                                              for */
        recorder_missed(recorder.lanes, 1);
    } else {
        if (life.key_made)
            pthread_setspecific(life.key, lane);
        exit_record_thread_start(lane);
        recorder_thread.ready = lane;
    }
    hidden_end();
    recorder_cancel_restore(cancel);
    return lane;
}

static void in_forked_child(void)
{
    recorder.on = false;
    recorder_thread.ready = recorder_thread.current = NULL;
}

/* --- start ------------------------------------------------------------------------------------ */

/* Makes a lane for a process that has not called MPI_Init; only the launcher's environment tells
 * its place in the job. */
static struct lane *before_start(void)
{
    const struct library_place place = library_place();
    static bool tried;
    if (tried || !place.rank || !place.size || recorder.lanes || !recorder_folder_choose())
        return NULL;
    tried = true;
    recorder.world_rank = atoi(place.rank);
    recorder.world_size = atoi(place.size);
    recorder_started_clock();
    life.pid = (int)getpid();
    struct lane *lane = lane_new(0, 0);
    if (lane)
        recorder.seq_shared = &lane->writer.header->next_seq;
    return lane;
}

static bool in_program(const void *code)
{
    const struct recorder_range *program = &recorder.program;
    return (uintptr_t)code - program->start < program->end - program->start;
}

/* Tells whether the executable has functions of its own in the place of MPI's, from which the
 * library's are called: calls within these are parts of the recorded ones. */
static bool program_wraps(void)
{
    static int known; /* 0: not checked yet; 1: yes; -1: no */
    int wraps = -1;

    for (unsigned call = 0; call < CALL_COUNT && !known && wraps < 0; call++)
        wraps = in_program(recorder_real(REAL_MPI, call)) ? 1 : -1;
    known = known ? known : wraps;
    return known > 0;
}

/* Notes that the record lacks a call: a Fortran callback that the library runs inside a recorded
 * call makes a call, a handler or an operation makes one that concerns other ranks, or a handler of
 * a signal exchanges messages. */
static void callback_unseen(unsigned call, void **cfa)
{
    struct lane *lane = recorder_thread.current;

    if (!lane || lane == &nobody)
        return;
    bool runs = lane->depth && lane->depth == atomic_load_explicit(&lane->writer.header->callback,
                                                                   memory_order_relaxed);
    uint64_t traits = call_description[call].traits;
    bool moves = traits & (TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES)) && in_program(cfa[-1]) &&
                 !program_wraps();
    if (moves || (runs && !trait_in(traits, TRAIT_LOCAL) && !trait_in(traits, TRAIT_ANY_TIME)) ||
        (call_description[call].class != EVENT_CLASS_OTHER && recorder_in_binding(cfa[-1])))
        recorder_missed(lane, 1);
}

/* Returns a lane for a call outside of MPI's life, which is recorded only for its misuse; NULL: not
 * to be recorded. */
struct lane *usage_outside(unsigned call, void **cfa)
{
    callback_unseen(call, cfa);
    if (call_description[call].verb == VERB_FROM_FORTRAN &&
        (call = recorder_bound_call(cfa[-1])) == CALL_COUNT)
        return NULL;
    if (recorder_thread.current || (recorder.on && call != CALL_Init && call != CALL_Init_thread) ||
        trait_in(call_description[call].traits, TRAIT_ANY_TIME) ||
        (life.pid && life.pid != (int)getpid()))
        return NULL;
    if (special_started_unseen())
        return special_start_late(cfa);
    if (recorder_plain())
        return NULL;
    if (UNLIKELY(recorder.sessions_ended)) {
        recorder_missed(recorder.lanes, 1);
        return NULL;
    }
    enum misuse_kind kind = recorder.on      ? MISUSE_INIT_TWICE
                            : recorder.ended ? MISUSE_AFTER_FINALIZE
                                             : MISUSE_BEFORE_INIT;
    struct lane *lane = recorder.lanes;
    if (!lane && !(lane = before_start()))
        return NULL;
    struct spool_event *e = recorder_enter(lane, call, cfa);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, 0);
    usage_say(lane, e->seq, kind, NULL, 0);
    recorder_open(lane, e);
    recorder_back(e);
    recorder_leave(lane, e, MPI_SUCCESS, STEP_LOCAL);
    recorder_thread.ready = recorder.on ? lane : NULL;
    return NULL;
}

static void recorder_started_once(int thread_level, uint64_t t_enter, unsigned call, void **cfa,
                                  MPI_Group all);

static uint32_t lanes_made(void)
{
    return __atomic_load_n(&life.lane_count, __ATOMIC_ACQUIRE);
}

void recorder_started(int thread_level, uint64_t t_enter, unsigned call, void **cfa, int error)
{
    if (error == MPI_SUCCESS && library_handles() &&
        !OWN(Comm_rank)(recorder_handle.comm_world, &recorder.world_rank) &&
        !OWN(Comm_size)(recorder_handle.comm_world, &recorder.world_size))
        recorder_started_once(thread_level, t_enter, call, cfa, recorder_handle.group_null);
}

void recorder_start_session(uint64_t t_enter, unsigned call, void **cfa, MPI_Group all)
{
    recorder.by_session = library_handles() && !OWN(Group_rank)(all, &recorder.world_rank) &&
                          !OWN(Group_size)(all, &recorder.world_size);
    if (recorder.by_session)
        recorder_started_once(MPI_THREAD_SINGLE, t_enter, call, cfa, all);
}

void recorder_world_known(struct lane *lane)
{
    recorder_comm(lane, recorder_handle.comm_world);
    recorder_comm(lane, recorder_handle.comm_self);
}

static int exit_status; /* argument of exit, or return value of main */

static void exit_status_keep(int status, void *unused)
{
    (void)unused;
    exit_status = status;
}

/* Tells whether a thread of the library fills buffers while no rank calls MPI, as with MPICH and
 * Intel MPI on request. */
static bool library_progresses(void)
{
    static const char *const names[] = {"MPIR_CVAR_ASYNC_PROGRESS", "MPICH_ASYNC_PROGRESS",
                                        "I_MPI_ASYNC_PROGRESS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value && strcmp(value, "0"))
            return true;
    }
    return false;
}

/* all: the group of all processes; group_null: that of MPI_COMM_WORLD. */
static void recorder_started_once(int thread_level, uint64_t t_enter, unsigned call, void **cfa,
                                  MPI_Group all)
{
    enum { VERSION = 100 };
    int provided = 0, version = 0, subversion = 0;
    lib_threads_after();
    if (OWN(Get_version)(&version, &subversion) == MPI_SUCCESS)
        recorder.standard = version * VERSION + subversion;
    if (OWN(Query_thread)(&provided) != MPI_SUCCESS)
        provided = thread_level;
    if (!recorder_folder_choose()) {
        char text[400];
        snprintf(text, sizeof text, "rank %d is not recorded: cannot make the folder '%.300s': %s",
                 recorder.world_rank, recorder_folder(), strerror(errno));
        recorder_warn(text);
        return;
    }
    recorder_find_bindings();
    hidden_start();
    life.pid = (int)getpid();
    recorder.threads = provided == MPI_THREAD_MULTIPLE;
    recorder.crowd = library_progresses();
    recorder.generation = 1;
    recorder_thread.current = &nobody;
    const char *last = recorder_setting("CROSSWAIT_LAST");
    life.newest = last ? strtoull(last, NULL, 10) : 0;
    recorder.several = hosts_several();
    struct lane *lane = lane_new(provided, life.newest);
    if (lane && life.newest)
        recorder.definer = lane_new(provided, 0);
    if (lane)
        hosts_relay(recorder_folder());
    if (!lane || (life.newest && !recorder.definer)) {
        recorder_thread.current = NULL;
        return;
    }
    if (recorder.definer && !recorder_plain())
        base_start(&lane->writer, &recorder.definer->writer, lanes_made);
    recorder.seq_shared = &lane->writer.header->next_seq;
    recorder.poll_gap = lane->writer.header->tick_hz / POLL_GAPS_PER_SECOND;
    recorder_thread.current = lane;
    bool looks = memory_start();
    if (looks)
        payload_start();
    write_clock(lane, 0, life.ticks, life.realtime_ns);
    handles_init(lane, all);
    if (all == recorder_handle.group_null)
        recorder_requests_learn();
    pthread_atfork(NULL, NULL, in_forked_child);
    on_exit(exit_status_keep, NULL);
    life.key_made = pthread_key_create(&life.key, thread_ends) == 0;
    struct spool_event *e = recorder_enter(lane, call, cfa);
    recorder_fields(e, 0, EVENT_NONE, EVENT_NONE, 0, EVENT_NONE, 0);
    if (call == CALL_Init_thread) {
        const int64_t values[] = {recorder_constant_level(thread_level),
                                  recorder_constant_level(provided)};
        recorder_args(lane, e->seq, 0, 2, values);
    }
    if (all == recorder_handle.group_null && recorder.world_size == 1)
        ancestors_check_launcher(lane, e->seq);
    recorder_open(lane, e);
    e->t_enter = t_enter;
    recorder_back(e);
    char reason[300];
    bool inner;
    if (!filter_start(life.ticks, lane->writer.header->tick_hz, &inner, reason, sizeof reason)) {
        recorder_note(lane, reason);
        if (recorder.world_rank == 0)
            recorder_warn(reason);
    }
    if (filter_sums_times(provided))
        spool_writer_sums(&lane->writer);
    if (!looks)
        recorder_note(
            lane, "buffers are not checked: this system does not tell which memory is readable");
    const char *tested = library_untested(lane->writer.header->library);
    if (tested) {
        snprintf(reason, sizeof reason,
                 "crosswait was tested with %s, this is '%.128s': crosswait may miss or misread "
                 "what is new there",
                 tested, lane->writer.header->library);
        recorder_note(lane, reason);
        if (recorder.world_rank == 0)
            recorder_say(reason);
    }
    const char *stack = recorder_setting("CROSSWAIT_STACK");
    recorder.stack = stack ? atoi(stack) : 0;
    const char *buffers = recorder_setting("CROSSWAIT_BUFFERS");
    recorder.buffers = looks && buffers && strcmp(buffers, "on") == 0;
    if (recorder.buffers)
        bounds_start(), heap_start();
    overlap_delay_start(provided);
    const char *why =
        inner ? layer_start(lane->writer.header->library) : "library layer off: not asked for";
    lane->writer.header->layer = recorder.layer;
    if (recorder.filter)
        lane->writer.header->flags |= SPOOL_FLAG_FILTERED;
    if (why)
        recorder_note(lane, why);
    const char *policy = recorder_setting("CROSSWAIT_POLICY");
    if (policy && *policy) {
        recorder_note(lane, policy);
        if (!perturb_start(policy, reason, sizeof reason)) {
            recorder_note(lane, reason);
            if (recorder.world_rank == 0)
                recorder_warn(reason);
        }
    }
    exit_record_thread_start(lane);
    exit_record_start();
    layer_errors_start(lane->writer.header->library);
    exit_record_watch_python();
    recorder.on = true;
    recorder_leave(lane, e, MPI_SUCCESS, STEP_ON);
}

/* --- end -------------------------------------------------------------------------------------- */

static void end_state(enum spool_state state, int code)
{
    for (struct lane *lane = recorder.lanes; lane; lane = lane->next) {
        struct spool_header *header = lane->writer.header;
        if (atomic_load(&header->state) == SPOOL_STATE_ABORTED)
            continue;
        atomic_store(&header->code, code);
        atomic_store(&header->state, state);
    }
}

void recorder_finalizing(struct lane *lane)
{
    uint64_t ticks, realtime;
    exit_record_finalizing();
    layer_stop();
    handles_finalize();
    read_clocks(&ticks, &realtime);
    write_clock(lane, 1, ticks, realtime);
    uint64_t rate = tick_rate();
    for (struct lane *each = recorder.lanes; each; each = each->next)
        each->writer.header->tick_hz = rate;
}

void recorder_finalized(struct lane *lane)
{
    (void)lane;
    layer_errors_stop();
    end_state(SPOOL_STATE_FINALIZED, 0);
    recorder.on = false;
    recorder.ended = true;
    recorder_thread.ready = NULL;
}

void recorder_aborting(struct lane *lane, int code)
{
    (void)lane;
    exit_record_say(EXIT_CAUSE_ABORT, code, NULL);
    end_state(SPOOL_STATE_ABORTED, code);
}

int life_pid(void)
{
    return life.pid;
}

__attribute__((destructor)) static void at_exit(void)
{
    if (!recorder.on || (int)getpid() != life.pid)
        return;
    if (!recorder.late_ended) /* otherwise the process may never have called MPI_Init */
        exit_record_say(EXIT_CAUSE_EXIT, exit_status & 0xFF, NULL);
    end_state(recorder.late_ended ? SPOOL_STATE_FINALIZED : SPOOL_STATE_EXITED,
              recorder.late_ended ? 0 : exit_status & 0xFF);
}

/* --- records ---------------------------------------------------------------------------------- */

struct spool_event *recorder_enter_slow(struct lane *lane, unsigned call, void **cfa)
{
    if (UNLIKELY(lane->poll_count))
        recorder_polls_write(lane);
    struct spool_event *e = recorder_poll_enter(lane, call, cfa);
    if (UNLIKELY(recorder.stack))
        recorder_stack(lane, e->seq, cfa);
    return e;
}

void recorder_leave_looking(struct lane *lane, uint64_t now)
{
    usage_relook_slow(lane, now);
    recorder_thread.current = NULL;
    recorder_thread.ready = lane;
}

void recorder_leave_slow(struct lane *lane, struct spool_event *e, int error,
                         enum recorder_step step)
{
    recorder_close(lane, e, error, step);
    recorder_relook(lane, e->t_leave);
    recorder_thread.current = NULL;
    recorder_thread.ready = lane;
}

void recorder_define_call(struct lane *lane, unsigned call)
{
    const struct call_description *d =
        call < CALL_COUNT ? &call_description[call] : layer_description(call);
    recorder_lock();
    if (!recorder.defined[call]) {
        size_t name = strlen(d->name), names = strlen(d->names);
        uint32_t words = (uint32_t)((sizeof(struct spool_def_call) + name + names + 7) / 8);
        struct spool_def_call *def = spool_reserve(recorder_definitions(lane), words);
        if (def) {
            *def =
                (struct spool_def_call){{SPOOL_DEF_CALL, (uint16_t)words, (uint16_t)call, d->class},
                                        d->mode,
                                        (uint16_t)name,
                                        (uint16_t)names,
                                        d->verb,
                                        d->traits};
            memcpy(def + 1, d->name, name);
            memcpy((char *)(def + 1) + name, d->names, names);
        }
        recorder.defined[call] = 1;
    }
    recorder_unlock();
}

void recorder_args(struct lane *lane, uint64_t seq, unsigned first, unsigned count,
                   const int64_t *value)
{
    enum { AT_ONCE = 32 };
    struct {
        struct spool_args args;
        int64_t value[AT_ONCE];
    } record;
    for (unsigned here; count; first += here, value += here, count -= here) {
        here = count < AT_ONCE ? count : AT_ONCE;
        record.args = (struct spool_args){{SPOOL_ARGS, (uint16_t)(sizeof record.args / 8 + here),
                                           (uint16_t)here, (uint16_t)first},
                                          seq};
        memcpy(record.value, value, here * sizeof *value);
        if (!spool_put_part(&lane->writer, &record.args.head))
            return;
    }
}

void recorder_list(struct lane *lane, uint64_t seq, unsigned argument, enum spool_list_role role,
                   int bytes, int64_t count, const void *value)
{
    enum { BYTES_MAX = SPOOL_DELTA_SAME_MAX };
    if (count <= 0 || !value)
        return;
    for (int64_t first = 0; first < count;) {
        int64_t here = count - first < BYTES_MAX / bytes ? count - first : BYTES_MAX / bytes;
        const struct spool_list list = {.head = {.a = (uint16_t)role, .b = (uint16_t)bytes},
                                        .seq = seq,
                                        .argument = argument,
                                        .total = (uint32_t)count,
                                        .first = (uint32_t)first,
                                        .count = (uint32_t)here};
        if (!spool_put_list(&lane->writer, &list, (const char *)value + first * bytes))
            return;
        first += here;
    }
}

void recorder_list_types(struct lane *lane, uint64_t seq, unsigned argument,
                         enum spool_list_role role, int count, const MPI_Datatype *type)
{
    int32_t *id = count > 0 && type ? malloc((size_t)count * sizeof *id) : NULL;
    if (!id)
        return;
    for (int i = 0; i < count; i++)
        id[i] = (int32_t)recorder_type(lane, type[i]);
    recorder_list(lane, seq, argument, role, 4, count, id);
    free(id);
}

void recorder_text(struct lane *lane, uint64_t seq, unsigned argument, const char *text)
{
    if (!text)
        return;
    size_t bytes = strnlen(text, 16384);
    uint32_t words = (uint32_t)((sizeof(struct spool_text) + bytes + 7) / 8);
    struct spool_text *record = spool_reserve(&lane->writer, words);
    if (!record)
        return;
    *record = (struct spool_text){
        {SPOOL_TEXT, (uint16_t)words, (uint16_t)bytes, (uint16_t)argument}, seq};
    memcpy(record + 1, text, bytes);
}

bool recorder_may_spend_slow(struct recorder_credit *credit, uint64_t cost)
{
    enum { REST = 16 };
    if (credit->left >= (int64_t)cost) {
        credit->left -= (int64_t)cost;
        return true;
    }
    uint64_t now = recorder_clock(), /* misuse/inflight.c invariant 3 */
        earned = credit->since ? (now - credit->since) / RECORDER_CREDIT_TICKS : 0;
    if (credit->since && credit->left + (int64_t)earned < (int64_t)cost) {
        credit->rest = REST;
        return false;
    }
    credit->left += earned < (uint64_t)credit->most ? (int64_t)earned : credit->most;
    credit->since = now;
    if (credit->left < (int64_t)cost) {
        credit->rest = REST;
        return false;
    }
    credit->left -= (int64_t)cost;
    return true;
}

void recorder_recv_half(struct lane *lane, uint64_t seq, int32_t peer, int32_t tag, uint32_t type,
                        int32_t count)
{
    const struct spool_recv_half record = {
        {SPOOL_RECV_HALF, sizeof record / 8, 0, 0}, seq, peer, tag, type, count};
    spool_put_part(&lane->writer, &record.head);
}

int recorder_sum(int count, const int *value)
{
    int sum = 0;
    for (int i = 0; value && i < count; i++)
        sum += value[i];
    return sum;
}

bool recorder_narrow(struct lane *lane, unsigned which, int64_t count, const void *wide,
                     const int **out_small)
{
    const int64_t *from = wide;
    int *to = lane->small[which];

    if (count <= 0 || !wide || !memory_readable(wide, (uint64_t)count * sizeof *from))
        return true; /* unreadable: the library deals with it */
    if (count > lane->small_count[which]) {
        to = realloc(to, (size_t)count * sizeof *to);
        if (!to)
            return false;
        lane->small[which] = to;
        lane->small_count[which] = count;
    }
    for (int64_t i = 0; i < count; i++) {
        if (from[i] != (int)from[i])
            return false;
        to[i] = (int)from[i];
    }
    *out_small = to;
    return true;
}

int recorder_narrow_out(const void *wide)
{
    const int64_t *value = wide;

    return *value == (int)*value ? (int)*value : MPI_UNDEFINED;
}

MPI_Status *recorder_statuses(struct lane *lane, int count)
{
    if (count > lane->status_count) {
        MPI_Status *fresh = realloc(lane->status, (size_t)count * sizeof *fresh);
        if (!fresh)
            return MPI_STATUSES_IGNORE;
        lane->status = fresh;
        lane->status_count = count;
    }
    return lane->status ? lane->status : MPI_STATUSES_IGNORE;
}

void *recorder_scratch(struct lane *lane, size_t bytes)
{
    if (bytes > lane->scratch_bytes) {
        void *fresh = realloc(lane->scratch, bytes);
        if (!fresh)
            return NULL;
        lane->scratch = fresh;
        lane->scratch_bytes = bytes;
    }
    return lane->scratch;
}
