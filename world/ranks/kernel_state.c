/* A search by states must know what the kernel keeps for a rank besides its memory. Part of that
 * can be read, and is hashed with the memory: signal actions, blocked and pending signals, the
 * stack for handlers, the folder, the mode of new files, the mappings. The rest must not change:
 * from its first state on, a rank may only make system calls that change none of it. A filter in
 * the kernel stops the rank at any other call, and the search by states ends.
 *
 * A rank may open a file, read it and close it again, as its position is gone then. It may not read
 * a file that was open at the first state if that moves a position that the search does not
 * compare. */
#include "world/ranks/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#if defined(__x86_64__)

enum { STEPS_MAX = 4000, RANGES_MAX = 64, SIGNALS = 64 };

static struct filter {
    struct sock_filter step[STEPS_MAX];
    int count;
} filter RANK_SCRATCH;
static struct sock_fprog program; /* of the filter */

/* Ranges, from - to, of file numbers that are open at the first state. */
struct range {
    uint32_t from, to;
};
static struct range kept[RANGES_MAX], moved[RANGES_MAX]; /* moved: reading moves a position */
static int kept_count, moved_count;

static void step_add(uint16_t code, uint8_t yes, uint8_t no, uint32_t value)
{
    CORE_CHECK(filter.count < STEPS_MAX);
    filter.step[filter.count++] = (struct sock_filter){code, yes, no, value};
}

static void is_allowed(void)
{
    step_add(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

static void is_stopped(void)
{
    step_add(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRAP);
}

static void word_load(size_t at)
{
    CORE_CHECK(at % sizeof(uint32_t) == 0 && at < sizeof(struct seccomp_data));
    step_add(BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)at);
}

static void load_argument(int number)
{
    CORE_CHECK(number >= 0 && number < 6);
    word_load(offsetof(struct seccomp_data, args) + (size_t)number * sizeof(uint64_t));
}

/* Begins the steps for that call, which return and end at body_end. */
static int body_begin(int call)
{
    word_load(offsetof(struct seccomp_data, nr));
    step_add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (uint32_t)call);
    return filter.count - 1;
}

static void body_end(int begun)
{
    const int length = filter.count - begun - 1;
    CORE_CHECK(length > 0 && length <= UINT8_MAX);
    filter.step[begun].jf = (uint8_t)length;
}

/* Stops the call if the loaded argument is in a range. */
static void stop_ranges(const struct range range[], int count)
{
    CORE_CHECK(count >= 0 && count <= RANGES_MAX);
    for (int i = 0; i < count; i++) {
        step_add(BPF_JMP | BPF_JGE | BPF_K, 0, 2, range[i].from);
        step_add(BPF_JMP | BPF_JGT | BPF_K, 1, 0, range[i].to);
        is_stopped();
    }
}

static void allow_equal(uint32_t value)
{
    step_add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    is_allowed();
}

/* Allows the call if the argument has one of these values. */
static void allow_values(int call, int argument, const uint32_t value[], size_t count)
{
    const int begun = body_begin(call);
    load_argument(argument);
    for (size_t i = 0; i < count; i++)
        allow_equal(value[i]);
    is_stopped();
    body_end(begun);
}
#define ALLOW_VALUES(call, argument, ...)                         \
    allow_values(call, argument, (const uint32_t[]){__VA_ARGS__}, \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Allows the call if the argument has none of these bits. */
static void allow_without(int call, int argument, uint32_t bits)
{
    const int begun = body_begin(call);
    load_argument(argument);
    step_add(BPF_JMP | BPF_JSET | BPF_K, 1, 0, bits);
    is_allowed();
    is_stopped();
    body_end(begun);
}

/* Allows the call for all files except those. */
static void allow_files(int call, const struct range range[], int count)
{
    const int begun = body_begin(call);
    load_argument(0);
    stop_ranges(range, count);
    is_allowed();
    body_end(begun);
}

/* Allows the harmless commands of fcntl, including our own use of high numbers (fork_server.c,
 * pages.c). */
static void fcntl_add(void)
{
    const int begun = body_begin(SYS_fcntl);
    load_argument(1);
    allow_equal(F_GETFD);
    allow_equal(F_GETFL);
    step_add(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, F_DUPFD_CLOEXEC);
    is_stopped();
    load_argument(2);
    allow_equal(RANK_FILES_ASKED);
    is_stopped();
    body_end(begun);
}

static void files_add(void)
{
    static const int reads[] = {SYS_read,  SYS_readv,    SYS_preadv,    SYS_pread64,
                                SYS_lseek, SYS_getdents, SYS_getdents64};
    const uint32_t writes = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        allow_files(reads[i], moved, moved_count);
    allow_files(SYS_close, kept, kept_count);
    allow_without(SYS_openat, 2, writes);
    allow_without(SYS_open, 1, writes);
    ALLOW_VALUES(SYS_write, 0, STDOUT_FILENO, STDERR_FILENO);
    ALLOW_VALUES(SYS_writev, 0, STDOUT_FILENO, STDERR_FILENO);
    ALLOW_VALUES(SYS_ioctl, 1, TCGETS, TIOCGWINSZ, FIONREAD, RANK_PAGES_CALLS);
    ALLOW_VALUES(SYS_userfaultfd, 0, RANK_PAGES_FLAGS);
}

/* Allows mappings that can be read, so that they are hashed, if they can be written. */
static void memory_calls_add(void)
{
    ALLOW_VALUES(SYS_mprotect, 2, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE | PROT_EXEC);
    const int begun = body_begin(SYS_mmap);
    load_argument(3);
    step_add(BPF_ALU | BPF_AND | BPF_K, 0, 0, MAP_TYPE);
    step_add(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, MAP_PRIVATE);
    is_stopped();
    load_argument(2);
    step_add(BPF_ALU | BPF_AND | BPF_K, 0, 0, PROT_READ | PROT_WRITE);
    step_add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, PROT_WRITE);
    is_stopped();
    is_allowed();
    body_end(begun);
    ALLOW_VALUES(SYS_madvise, 2, MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED,
                 MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP,
                 MADV_DODUMP);
}

/* Allows threads, which are counted, and our own versions of a rank, but no other process. */
static void processes_add(void)
{
    int begun = body_begin(SYS_clone);
    load_argument(0);
    allow_equal(SIGCHLD);
    step_add(BPF_JMP | BPF_JSET | BPF_K, 0, 1, CLONE_THREAD);
    is_allowed();
    is_stopped();
    body_end(begun);
    begun = body_begin(SYS_clone3); /* unseen flags: the C library uses clone */
    step_add(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS);
    body_end(begun);
    begun = body_begin(SYS_rt_sigaction);
    load_argument(0);
    step_add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SIGSYS);
    is_stopped();
    is_allowed();
    body_end(begun);
    ALLOW_VALUES(SYS_prctl, 0, PR_SET_PDEATHSIG, PR_GET_NAME, PR_GET_DUMPABLE, PR_CAPBSET_READ,
                 0x53564d41 /* PR_SET_VMA: names memory */);
    begun = body_begin(SYS_prlimit64);
    for (int half = 0; half < 2; half++) {
        word_load(offsetof(struct seccomp_data, args) + 2 * sizeof(uint64_t) +
                  half * sizeof(uint32_t));
        step_add(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
        is_stopped();
    }
    is_allowed();
    body_end(begun);
    begun = body_begin(SYS_seccomp); /* our own further filter: rank_kernel_freeze */
    for (int half = 0; half < 2; half++) {
        word_load(offsetof(struct seccomp_data, args) + 2 * sizeof(uint64_t) +
                  half * sizeof(uint32_t));
        step_add(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, (uint32_t)((uintptr_t)&program >> 32 * half));
        is_stopped();
    }
    is_allowed();
    body_end(begun);
}

/* Calls that change nothing, or only what is hashed. */
static const int harmless[] = {
    SYS_futex,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_time,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_restart_syscall,
    SYS_sched_yield,
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_mincore,
    SYS_stat,
    SYS_fstat,
    SYS_lstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_access,
    SYS_faccessat,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
    SYS_readlink,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_chdir,
    SYS_umask,
    SYS_poll,
    SYS_ppoll,
    SYS_select,
    SYS_pselect6,
    SYS_rt_sigprocmask,
    SYS_rt_sigpending,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_pause,
    SYS_tkill,
    SYS_tgkill,
    SYS_wait4,
    SYS_exit,
    SYS_exit_group,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getpgrp,
    SYS_getpgid,
    SYS_getsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_getrlimit,
    SYS_getrusage,
    SYS_getpriority,
    SYS_getrandom,
    SYS_getcpu,
    SYS_sched_getaffinity,
    SYS_times,
    SYS_sysinfo,
    SYS_uname,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_set_tid_address,
#ifdef SYS_rseq
    SYS_rseq,
#endif
};

/* Calls that change what rank_kernel_hash and the maps show. */
static const int shown[] = {SYS_brk,         SYS_mmap,           SYS_munmap,        SYS_mremap,
                            SYS_mprotect,    SYS_madvise,        SYS_rt_sigaction,  SYS_chdir,
                            SYS_umask,       SYS_rt_sigprocmask, SYS_rt_sigpending, SYS_tkill,
                            SYS_sigaltstack, SYS_tgkill};
static bool frozen;

static bool is_shown(int call)
{
    CORE_CHECK(frozen);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (shown[i] == call)
            return true;
    return false;
}

/* Stops the rank at the call; the searcher ends it. */
static void call_stopped(int signal, siginfo_t *info, void *context)
{
    CORE_CHECK(signal == SIGSYS && rank_own >= 0);
    (void)context;
    if (frozen && is_shown(info->si_syscall)) {
        rank_region->states.no_snapshots = true;
        if (rank_region->rank[rank_own].left) /* the searcher waits for its end */
            syscall(SYS_exit_group, 1);
        rank_sched_return();
        for (;;)
            syscall(SYS_pause);
    }
    rank_region->states.system_call = (uint32_t)info->si_syscall + 1;
    rank_region->states.stop = 1;
    for (;;)
        syscall(SYS_pause);
}

static void filter_begin(void)
{
    filter.count = 0;
    word_load(offsetof(struct seccomp_data, arch));
    step_add(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
    is_stopped();
    word_load(offsetof(struct seccomp_data, nr));
}

static bool filter_end(void)
{
    program = (struct sock_fprog){(unsigned short)filter.count, filter.step};
    CORE_CHECK(filter.count < STEPS_MAX && filter.count < BPF_MAXINSNS);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

static const char *filter_install(void)
{
    struct sigaction action = {.sa_sigaction = call_stopped, .sa_flags = SA_SIGINFO};
    sigset_t own;

    filter_begin();
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        allow_equal((uint32_t)harmless[i]);
    files_add();
    fcntl_add();
    memory_calls_add();
    processes_add();
    is_stopped();
    sigemptyset(&own);
    sigaddset(&own, SIGSYS);
    if (sigaction(SIGSYS, &action, NULL) != 0 || sigprocmask(SIG_UNBLOCK, &own, NULL) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !filter_end())
        return "the kernel does not allow crosswait to watch system calls";
    return NULL;
}

/* --- what is open ----------------------------------------------------------------------------- */

/* Tells whether reading the file moves nothing: null, zero, random and the like. */
static bool is_without_position(const struct stat *is)
{
    return S_ISCHR(is->st_mode) && major(is->st_rdev) == 1;
}

static bool range_put(struct range range[], int *count, uint32_t number)
{
    CORE_CHECK(*count >= 0 && *count <= RANGES_MAX);
    if (*count && range[*count - 1].to + 1 == number) {
        range[*count - 1].to = number;
        return true;
    }
    if (*count == RANGES_MAX)
        return false;
    range[(*count)++] = (struct range){number, number};
    return true;
}

static const char *files_look(void)
{
    struct stat is;
    bool good = true;
    CORE_CHECK(rank_own >= 0); /* the searcher has all streams open */
    kept_count = moved_count = 0;
    for (int file = 0; good && file < RANK_FILES_ASKED; file++) {
        if (fstat(file, &is) != 0)
            continue;
        good = range_put(kept, &kept_count, (uint32_t)file);
        if (good && !rank_file_is_compared(file) && !is_without_position(&is))
            good = range_put(moved, &moved_count, (uint32_t)file);
    }
    return good ? NULL : "a rank has too many files open";
}

const char *rank_kernel_watch(void)
{
    static bool watched;
    CORE_CHECK(WORLD->searcher);
    if (watched)
        return NULL;
    const char *why = files_look();
    if (!why)
        why = filter_install();
    watched = !why;
    return why;
}

/* A call that is shown stops the rank, too: then it has no snapshots, and ranks fork. */
bool rank_kernel_freeze(void)
{
    CORE_CHECK(rank_own >= 0 && !frozen); /* rank_kernel_watch has the signal's handler in place */
    filter_begin();
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        step_add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)shown[i]);
        is_stopped();
    }
    is_allowed();
    frozen = filter_end();
    return frozen;
}

bool rank_kernel_is_frozen(void)
{
    return frozen;
}

/* --- what can be read ------------------------------------------------------------------------- */

struct kernel_action { /* the kernel's layout: the C library's differs */
    uintptr_t handler;
    unsigned long flags;
    uintptr_t restorer;
    uint64_t mask;
};

void rank_kernel_hash(uint64_t out_hash[2])
{
    static XXH3_state_t state;
    struct kernel_action action;
    struct stat folder = {0};
    stack_t stack = {0};
    uint64_t mask = 0;
    CORE_CHECK(rank_own >= 0 && out_hash);
    XXH3_128bits_reset(&state);
    for (int signal = 1; signal <= SIGNALS; signal++) {
        action = (struct kernel_action){0};
        if (signal != SIGSYS) /* ours */
            syscall(SYS_rt_sigaction, signal, NULL, &action, sizeof mask);
        XXH3_128bits_update(&state, &action, sizeof action);
    }
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
    XXH3_128bits_update(&state, &mask, sizeof mask);
    mask = 0;
    syscall(SYS_rt_sigpending, &mask, sizeof mask);
    XXH3_128bits_update(&state, &mask, sizeof mask);
    syscall(SYS_sigaltstack, NULL, &stack);
    const uint64_t place[3] = {(uintptr_t)stack.ss_sp, (uint64_t)(uint32_t)stack.ss_flags,
                               stack.ss_size};
    XXH3_128bits_update(&state, place, sizeof place);
    const mode_t mode = umask(0);
    umask(mode);
    stat(".", &folder);
    const uint64_t files[3] = {mode, folder.st_dev, folder.st_ino};
    XXH3_128bits_update(&state, files, sizeof files);
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    out_hash[0] = hash.low64;
    out_hash[1] = hash.high64;
}

#else

bool rank_kernel_freeze(void)
{
    return false;
}

bool rank_kernel_is_frozen(void)
{
    return false;
}

const char *rank_kernel_watch(void)
{
    return "crosswait cannot watch system calls on this kind of machine";
}

void rank_kernel_hash(uint64_t out_hash[2])
{
    out_hash[0] = out_hash[1] = 0;
}

#endif
