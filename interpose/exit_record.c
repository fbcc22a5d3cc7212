/* Records how the rank ends: the facts that a signal handler can still see, and what the recorder
 * sees of exit, MPI_Abort and fatal errors. They go into the header of the lane (struct spool_end).
 *
 * The handler runs before the signal's previous handler: none, the MPI library's own, or the
 * Fortran runtime's. It records the facts, restores the previous handler, and lets the signal come
 * again: a faulting instruction runs again, a sent signal is sent again. So exit status, core dump
 * and messages stay the same. Handlers of anybody else (the program, a sanitizer, Python) stay in
 * place; a handler that is installed later replaces ours. A SIGBUS from the recorder's own ring is
 * no end: the rank leaves the ring.
 *
 * Invariants
 *  1. The handler neither allocates nor waits for a lock: it only tries the recorder's lock, and
 *     writes definitions only while no record of the lane is unfinished. It walks frames only if
 *     the C library finds objects without a lock (_dl_find_object).
 *  2. A fault in the handler itself ends its work, and the signal takes its course.
 *  3. One thread writes the end, once. */
#include "interpose/exit_record.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "interpose/life.h"
#include "program/python.h"
#include "interpose/objects/signal_site.h"

enum { STACK_BYTES = 256 * 1024, FRAMES_WALKED_MAX = 128, OTHERS_WAIT_MS = 500 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct {
    struct sigaction before[SIGNALS];
    bool walks;         /* invariant 1 */
    _Atomic int teller; /* thread that writes the end; 0: none */
    _Atomic bool reported;
    sigjmp_buf escape;           /* of that thread */
    struct spool_end *exception; /* record of an uncaught Python exception */
    uint64_t exception_seq;      /* number of calls at that time */
} exit_record;

/* --- writing it down -------------------------------------------------------------------------- */

static uint64_t realtime_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the lane of this thread; if it has none, that of the first thread (*out_own is false). */
static struct lane *lane_of_end(bool *out_own)
{
    struct lane *lane = recorder_thread.current;

    if (!lane || lane == recorder_nobody)
        lane = recorder_thread.ready;
    *out_own = lane && lane != recorder_nobody;
    for (lane = *out_own ? lane : recorder.lanes; lane && !*out_own && lane->next;)
        lane = lane->next; /* the first one is the last of the list */
    return lane;
}

/* Notes the application's call that the lane is in, or its last one. */
static void fill_call(struct spool_end *end, const struct lane *lane)
{
    const struct spool_header *header = lane->writer.header;

    end->inside = lane->depth && lane->depth <= SPOOL_DEPTH_MAX && spool_is_inside(header);
    end->seq = header->open[lane->depth ? spool_innermost(header) : 0].seq;
    end->buffer_seq = lane->buffer_seq;
    for (int i = 0; i < EXIT_CAUSE_BUFFERS; i++) {
        const void *at = lane->buffer[i];
        bool none = !lane->buffer_seq || at == MPI_IN_PLACE || at == recorder_handle.in_place;
        end->buffer[i] = none ? 0 : (uint64_t)(uintptr_t)at;
    }
}

/* Fills in all but the time, which marks the record as complete. */
static struct spool_end *end_begin(enum exit_cause_kind kind, int code)
{
    bool own;
    struct lane *lane = lane_of_end(&own);
    struct spool_end *end;

    if (!lane || !lane->writer.header)
        return NULL;
    end = &lane->writer.header->end;
    atomic_store(&end->realtime_ns, 0);
    end->frame_count = 0;
    memset(end->text, 0, sizeof end->text);
    end->kind = kind;
    end->code = code;
    end->has_detail = 0;
    end->ticks = recorder_clock();
    end->elsewhere = !own;
    if (own)
        fill_call(end, lane);
    return end;
}

/* Notes the signal that asked a process to end, for an exit or an exception. */
static void end_is_told(struct spool_end *end)
{
    end->detail = recorder_termination_signal();
    end->has_detail = end->detail != 0;
}

static void end_commit(struct spool_end *end)
{
    atomic_store_explicit(&end->realtime_ns, realtime_ns(), memory_order_release);
}

static void state_set(enum spool_state state, int code)
{
    for (struct lane *lane = recorder.lanes; lane; lane = lane->next) {
        struct spool_header *header = lane->writer.header;

        if (atomic_load(&header->state) != SPOOL_STATE_RUNNING)
            continue;
        atomic_store(&header->code, code);
        atomic_store(&header->state, state);
    }
}

/* The process dies of the signal after MPI_Finalize. The launcher may look too late to see that. */
static void late_signal_set(int signal)
{
    for (struct lane *lane = recorder.lanes; lane; lane = lane->next) {
        struct spool_header *header = lane->writer.header;

        if (atomic_load(&header->state) == SPOOL_STATE_FINALIZED)
            atomic_store(&header->code, signal);
    }
}

static bool told_before(void) /* invariant 3 */
{
    return atomic_exchange(&exit_record.reported, true);
}

static void text_set(struct spool_end *end, const char *text)
{
    for (size_t i = 0; text && text[i] && i + 1 < sizeof end->text; i++)
        end->text[i] = text[i];
}

/* --- exceptions ------------------------------------------------------------------------------- */

static uint64_t calls_made(void)
{
    return recorder.seq_shared ? atomic_load(recorder.seq_shared) : 0;
}

/* Tells whether a Python exception ends the rank: there was one, and the program made no further
 * calls, except `calls` that belong to its end. */
static bool exception_ends(unsigned calls)
{
    struct spool_end *end = exit_record.exception;

    if (!end)
        return false;
    if (calls_made() > exit_record.exception_seq + calls && !python_ending()) {
        atomic_store(&end->realtime_ns, 0);
        exit_record.exception = NULL;
        return false;
    }
    end->code = 1;
    return true;
}

static void on_exception(const char *name, int mpi_error, const struct python_place *place,
                         unsigned count)
{
    char text[sizeof((struct spool_end *)0)->text], said[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    uint32_t frame[EXIT_CAUSE_FRAMES_MAX];
    struct spool_end *end;
    bool own;

    if (!recorder.on || atomic_load(&exit_record.reported) || (int)getpid() != life_pid())
        return;
    count = recorder_python_sites(lane_of_end(&own), place, count, frame);
    end = end_begin(EXIT_CAUSE_EXCEPTION, 0);
    if (!end)
        return;
    if (mpi_error)
        OWN(Error_string)(mpi_error, said, &length);
    snprintf(text, sizeof text, "%s%s%.*s", name, *said ? ": " : "", (int)strcspn(said, "\n"),
             said);
    text_set(end, text);
    memcpy(end->frame, frame, count * sizeof *frame);
    end->frame_count = count;
    exit_record.exception_seq = calls_made();
    exit_record.exception = end;
    end_is_told(end);
    end_commit(end);
}

void exit_record_watch_python(void)
{
    python_watch(on_exception);
}

void exit_record_finalizing(void)
{
    (void)exception_ends(1);
}

/* --- ends without a signal -------------------------------------------------------------------- */

void exit_record_say(enum exit_cause_kind kind, int code, const char *text)
{
    struct spool_end *end =
        told_before() || exception_ends(kind == EXIT_CAUSE_ABORT) ? NULL : end_begin(kind, code);

    if (!end)
        return;
    text_set(end, text);
    if (kind == EXIT_CAUSE_EXIT)
        end_is_told(end);
    end_commit(end);
}

void exit_record_say_error(int code)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    struct spool_end *end;

    if (!recorder.on || told_before())
        return;
    end = end_begin(EXIT_CAUSE_ERROR, code);
    if (!end)
        return;
    OWN(Error_string)(code, text, &length);
    end->detail = recorder_error(code);
    end->has_detail = 1;
    text_set(end, text);
    end_commit(end);
    state_set(SPOOL_STATE_EXITED, -1); /* the launcher may kill the rank before it exits */
}

/* --- frames ----------------------------------------------------------------------------------- */

struct walk {
    struct spool_end *end;
    struct lane *lane;
    unsigned walked;
    bool found; /* the interrupted frame was found; outer frames follow */
};

/* Adds a frame. behind: an address behind its instruction, like a return address. */
static void frame_add(struct walk *walk, uintptr_t behind)
{
    uint32_t id = signal_site(walk->lane, behind);

    if (walk->end->frame_count < EXIT_CAUSE_FRAMES_MAX && id)
        walk->end->frame[walk->end->frame_count++] = id;
}

static _Unwind_Reason_Code walk_one(struct _Unwind_Context *context, void *argument)
{
    struct walk *walk = argument;
    int interrupted = 0;
    uintptr_t at = _Unwind_GetIPInfo(context, &interrupted);

    walk->found |= interrupted != 0;
    if (walk->found && at)
        frame_add(walk, at + (interrupted != 0));
    return ++walk->walked < FRAMES_WALKED_MAX && walk->end->frame_count < EXIT_CAUSE_FRAMES_MAX
               ? _URC_NO_REASON
               : _URC_END_OF_STACK;
}

#if defined __x86_64__
/* Adds the caller of a jump to an address that is no code: nothing else is known. */
static void walk_lost(struct walk *walk, const ucontext_t *context)
{
    uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

    if (signal_site_known(at))
        frame_add(walk, at + 1);
    else
        frame_add(walk, *(const uintptr_t *)context->uc_mcontext.gregs[REG_RSP]);
}
#else
static void walk_lost(struct walk *walk, const ucontext_t *context)
{
    (void)walk;
    (void)context;
}
#endif

static void fill_frames(struct spool_end *end, const ucontext_t *context)
{
    bool own;
    struct walk walk = {.end = end, .lane = lane_of_end(&own)};

    if (!exit_record.walks || !recorder_lock_try())
        return;
    if (signal_site_start(walk.lane)) {
        _Unwind_Backtrace(walk_one, &walk);
        if (!end->frame_count && context)
            walk_lost(&walk, context);
    }
    recorder_unlock();
}

/* --- the handler ------------------------------------------------------------------------------ */

static bool is_fault(const siginfo_t *info)
{
    return info && info->si_code > 0;
}

static void exit_record_tell(int number, const siginfo_t *info, const ucontext_t *context)
{
    struct spool_end *end = told_before() ? NULL : end_begin(EXIT_CAUSE_SIGNAL, number);

    state_set(SPOOL_STATE_SIGNALLED, number);
    if (!end)
        return;
    if (info) {
        end->detail = info->si_code;
        end->has_detail = 1;
    }
    if (is_fault(info) && info->si_code != SI_KERNEL && (number == SIGSEGV || number == SIGBUS)) {
        end->address = (uint64_t)(uintptr_t)info->si_addr;
        end->has_address = 1;
    }
    end_commit(end);
    if (info) /* else another handler called this one, and can recover */
        late_signal_set(number);
    fill_frames(end, context);
}

/* Waits while another thread writes the end: the process must not end before. */
static void wait_for_teller(void)
{
    const struct timespec millisecond = {0, 1000000};

    for (int i = 0; i < OTHERS_WAIT_MS && atomic_load(&exit_record.teller) > 0; i++)
        nanosleep(&millisecond, NULL);
}

static void tell_once(int number, const siginfo_t *info, const ucontext_t *context)
{
    int me = (int)syscall(SYS_gettid), nobody = 0;

    if (!atomic_compare_exchange_strong(&exit_record.teller, &nobody, me)) {
        if (nobody == me)
            siglongjmp(exit_record.escape, 1); /* invariant 2 */
        wait_for_teller();
        return;
    }
    if (sigsetjmp(exit_record.escape, 1) == 0)
        exit_record_tell(number, info, context);
    atomic_store(&exit_record.teller, -1);
}

static int index_of(int number)
{
    int i = 0;

    while (i < SIGNALS - 1 && signals[i] != number)
        i++;
    return i;
}

/* Restores the previous handler, which gets the signal after this handler returns. */
static void put_back(int number, const struct sigaction *before, siginfo_t *info)
{
    sigset_t set;

    sigaction(number, before, NULL);
    if (is_fault(info)) /* the faulting instruction runs again */
        return;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* until this handler has returned */
    if (info)
        syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info);
    else
        raise(number);
}

/* Leaves a ring whose file has no space left: the rank continues without it. */
static bool ring_left(int number, const siginfo_t *info)
{
    bool left = false;

    for (struct lane *lane = recorder.lanes; lane && number == SIGBUS && is_fault(info) && !left;
         lane = lane->next)
        left = spool_writer_leave(&lane->writer, info->si_addr);
    return left;
}

/* Handles a signal. A handler that the program installed later may call this one as its
 * predecessor: then info and context need not be valid. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &exit_record.before[index_of(number)];
    struct sigaction now;
    int saved = errno;
    bool ours = sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
                now.sa_sigaction == on_signal;

    if (ours && (int)getpid() == life_pid() && ring_left(number, info)) {
        errno = saved;
        return;
    }
    if ((int)getpid() == life_pid())
        tell_once(number, ours ? info : NULL, ours ? context : NULL);
    if (ours || before->sa_handler == SIG_DFL)
        put_back(number, before, ours ? info : NULL);
    errno = saved;
    if (ours || before->sa_handler == SIG_DFL)
        return;
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else
        before->sa_handler(number);
}

/* --- start ------------------------------------------------------------------------------------ */

/* Tells whether the handler only prints a trace and lets the process die. */
static bool only_prints(void *handler)
{
    static const char *const libraries[] = {"libopen-pal.so", "libgfortran.so", "libucs.so"};
    Dl_info info;

    if (!dladdr(handler, &info) || !info.dli_fname)
        return false;
    const char *name = strrchr(info.dli_fname, '/');
    name = name ? name + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return false;
}

void exit_record_start(void)
{
    const struct sigaction action = {.sa_sigaction = on_signal,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    exit_record.walks = signal_site_prepare();
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction *before = &exit_record.before[i];

        if (sigaction(signals[i], NULL, before) < 0 || before->sa_handler == SIG_IGN)
            continue;
        if (before->sa_handler == SIG_DFL || only_prints((void *)before->sa_sigaction))
            sigaction(signals[i], &action, NULL);
    }
}

void exit_record_thread_start(struct lane *lane)
{
    stack_t now, own = {.ss_size = STACK_BYTES};

    if (sigaltstack(NULL, &now) < 0 || !(now.ss_flags & SS_DISABLE))
        return;
    if (!lane->signal_stack) {
        void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

        if (stack == MAP_FAILED)
            return;
        lane->signal_stack = stack;
    }
    own.ss_sp = lane->signal_stack;
    sigaltstack(&own, NULL);
}

/* Takes the alternate stack away; the next thread of the lane gets it. */
void exit_record_thread_end(struct lane *lane)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};

    if (lane->signal_stack && sigaltstack(NULL, &now) == 0 && now.ss_sp == lane->signal_stack)
        sigaltstack(&none, NULL);
}
