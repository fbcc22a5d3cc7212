/* Loads and stores of the program itself in the memory of its windows. While the program runs
 * between two MPI calls, the pages of its windows are protected. The first load or store there
 * since the last call faults and becomes a turn at the window, as a call would (explore_access.h):
 * accesses of others come before or after it. No other rank runs until the program's next call, so
 * that turn covers all loads, or stores, of the program until then, and the pages stay open for
 * that long.
 *
 * A system call that gets a protected address would fail. So each system call of the program is
 * first dispatched to this file (syscall user dispatch) and made with all pages open; a call that
 * may access a window's memory gets a turn first.
 *
 * Only memory from MPI_Win_allocate and MPI_Win_allocate_shared has pages of its own. That of the
 * latter is one part, which every member guards. Accesses to other windows are not seen,
 * nor any if a rank has several threads or the system lacks a feature: the world reports that.
 *
 * Invariants: 1. Pages are protected only while `depth` is 0: all are open in calls of MPI, and in
 * what is run for other ranks there. 2. A part whose pages are open between two calls had a turn
 * since the last call, and no rank accessed it since that turn. */
#include "world/ranks/ranks.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "world/exchange/explore_access.h"
#include "world/exchange/explore_store.h"

int world_process_depth;
bool world_process_guards;

#if defined(__x86_64__)
enum { PAGE = 4096, GUARDED_MAX = 32 }; /* each is opened and protected at each call */
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
enum { DISPATCH_ON = 1, ALLOW = 0, BLOCK = 1 };

struct guarded {
    struct world_part *part;
    uint8_t *low, *high; /* whole pages */
    int access;          /* PROT_ until the next call */
    uint32_t turns;      /* turns of the part at that time */
};

static struct guarded guarded[GUARDED_MAX];
static int guarded_count;
static bool ready, refused, closed;
static volatile char dispatch = ALLOW;
static bool unmasked; /* the program may have blocked our signals since */
static struct sigaction before_fault, before_dispatch;

/* Returns from a signal handler by a system call that is not dispatched. The unwinder recognises
 * exactly these instructions. */
void rank_guard_return(void) __attribute__((visibility("hidden")));
extern const char rank_guard_return_end[] __attribute__((visibility("hidden")));
__asm__(".text\n"
        "nop\n"
        ".globl rank_guard_return\n"
        ".hidden rank_guard_return\n"
        ".type rank_guard_return, @function\n"
        "rank_guard_return:\n"
        "movq $15, %rax\n"
        "syscall\n" /* the system compares the address after it */
        ".globl rank_guard_return_end\n"
        ".hidden rank_guard_return_end\n"
        "nop\n"
        "rank_guard_return_end:\n");

struct kernel_action {
    void (*handler)(int number, siginfo_t *info, void *context);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
enum { KERNEL_RESTORER = 0x04000000 };

/* --- closed and open -------------------------------------------------------------------------- */

static void pages_set(const struct guarded *g, int access)
{
    int error = mprotect(g->low, (size_t)(g->high - g->low), access);
    CORE_CHECK(error == 0); /* they are mapped, and were set before */
}

static void all_open(void)
{
    dispatch = ALLOW;
    if (!closed)
        return;
    closed = false;
    for (int i = 0; i < guarded_count; i++)
        if (guarded[i].access != (PROT_READ | PROT_WRITE))
            pages_set(&guarded[i], PROT_READ | PROT_WRITE);
}

void world_process_guard_open(void)
{
    CORE_CHECK(world_process_depth == 1); /* the program is in a call */
    all_open();
    world_store_end();
    for (int i = 0; i < guarded_count; i++)
        guarded[i].access = PROT_NONE;
}

static void guards_end(void)
{
    all_open();
    world_store_drop();
    for (int i = 0; i < guarded_count; i++) {
        guarded[i].part->seen = false;
        if (guarded[i].part->turn_count || guarded[i].part->asking)
            world_explore_blind();
    }
    CORE_CHECK(!closed && dispatch == ALLOW); /* invariant 1: from now on */
    guarded_count = 0;
    world_process_guards = false;
    refused = true;
}

/* Our signals must never be blocked while pages are protected: the system would end the process. */
static uint64_t our_signals(void)
{
    return 1ull << (SIGSEGV - 1) | 1ull << (SIGSYS - 1);
}

static void signals_let_in(void)
{
    uint64_t ours = our_signals();
    CORE_CHECK(dispatch == ALLOW); /* otherwise this call is dispatched as well */
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &ours, NULL, sizeof ours);
    unmasked = true;
}

void world_process_guard_close(void)
{
    CORE_CHECK(world_process_depth == 0 && !closed); /* invariant 1 */
    if (world_process_several) {
        guards_end();
        return;
    }
    if (!unmasked)
        signals_let_in();
    for (int i = 0; i < guarded_count; i++) {
        struct guarded *g = &guarded[i];
        if (g->turns != g->part->turn_count)
            g->access = PROT_NONE; /* invariant 2 */
        if (g->access != (PROT_READ | PROT_WRITE))
            pages_set(g, g->access);
    }
    closed = true;
    dispatch = BLOCK;
}

void world_process_guard_end(void)
{
    if (rank_own >= 0)
        guards_end();
}

/* --- turns ------------------------------------------------------------------------------------ */

static bool is_rank(void)
{
    return syscall(SYS_getpid) == rank_region->rank[rank_own].pid;
}

static void access_give(struct guarded *g, int access)
{
    CORE_CHECK((g->part->rank->rank == rank_own || g->part->common) && access != PROT_NONE);
    g->access = g->turns == g->part->turn_count ? g->access | access : access; /* invariant 2 */
    g->turns = g->part->turn_count;
}

/* Takes a turn for an access. The caller has opened all pages, and protects them again afterwards.
 */
static void guard_touch(struct guarded *g, const void *at, const void *site, bool writes)
{
    struct world_fiber *fiber = WORLD->fiber;
    const char *call = fiber->call;
    const void *from = fiber->site;
    CORE_CHECK(!closed && world_process_depth == 0);
    world_process_depth++;
    world_store_end();
    fiber->call = writes ? WORLD_STORE : WORLD_LOAD;
    fiber->site = site;
    world_access_touch(g->part, at, writes);
    if (writes && !g->part->common)
        world_store_begin(g->part, at);
    fiber->call = call;
    fiber->site = from;
    world_process_depth--;
    access_give(g, writes ? PROT_READ | PROT_WRITE : PROT_READ);
}

void world_process_guard_looked(struct world_part *part)
{
    for (int i = 0; i < guarded_count; i++)
        if (guarded[i].part == part)
            access_give(&guarded[i], PROT_READ);
}

static struct guarded *guarded_at(const void *address)
{
    CORE_CHECK_HOT(guarded_count >= 0 && guarded_count <= GUARDED_MAX);
    for (int i = 0; i < guarded_count; i++)
        if ((const uint8_t *)address >= guarded[i].low &&
            (const uint8_t *)address < guarded[i].high)
            return &guarded[i];
    return NULL;
}

/* --- faults ----------------------------------------------------------------------------------- */

enum { FAULT_WRITES = 2 }; /* of x86-64's page fault error code */

static bool guard_takes(const struct sigaction *before)
{
    return before->sa_flags & SA_SIGINFO ||
           (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN);
}

static void pass_on(const struct sigaction *before, int number, siginfo_t *info, void *context)
{
    CORE_CHECK(dispatch == ALLOW); /* our own system calls are not dispatched */
    if (!guard_takes(before))
        sigaction(number, before, NULL); /* the fault repeats and ends the process */
    else if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else
        before->sa_handler(number);
}

static void guard_fault(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    int error = errno;
    CORE_CHECK(number == SIGSEGV);
    struct guarded *g = closed ? guarded_at(info->si_addr) : NULL;
    all_open();
    if (!g) {
        if (guard_takes(&before_fault) && world_process_guards && is_rank())
            guards_end(); /* accesses from then on are not seen */
        pass_on(&before_fault, number, info, context);
    } else if (is_rank()) {
        const char *site = (const char *)at->uc_mcontext.gregs[REG_RIP] + 1;
        guard_touch(g, info->si_addr, site, at->uc_mcontext.gregs[REG_ERR] & FAULT_WRITES);
        world_process_guard_close();
    }
    errno = error;
}

/* --- system calls ----------------------------------------------------------------------------- */

static bool is_among(long call, const int *those, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (those[i] == call)
            return true;
    return false;
}
#define IS_AMONG(call, those) is_among(call, those, sizeof those / sizeof *those)

/* Tells whether the call may access memory that its arguments do not name. */
static bool reaches_anywhere(long call)
{
    static const int those[] = {
        SYS_readv,    SYS_writev,   SYS_preadv,           SYS_pwritev,           SYS_sendmsg,
        SYS_recvmsg,  SYS_sendmmsg, SYS_recvmmsg,         SYS_vmsplice,          SYS_io_submit,
        SYS_preadv2,  SYS_pwritev2, SYS_process_vm_readv, SYS_process_vm_writev, SYS_io_uring_enter,
        SYS_io_setup,
    };
    return IS_AMONG(call, those);
}

/* Tells whether the call only reads the memory that its arguments name. */
static bool only_reads(long call)
{
    static const int those[] = {SYS_write, SYS_pwrite64, SYS_sendto};
    return IS_AMONG(call, those);
}

/* Returns how many arguments may be addresses; the registers of the others hold leftovers. */
static int addresses_of(long call)
{
    static const int many[] = {
        SYS_sendto,
        SYS_recvfrom,
        SYS_getsockopt,
        SYS_setsockopt,
        SYS_select,
        SYS_pselect6,
        SYS_ppoll,
        SYS_futex,
        SYS_epoll_pwait,
        SYS_statx,
        SYS_prlimit64,
        SYS_waitid,
        SYS_wait4,
        SYS_splice,
        SYS_getxattr,
        SYS_lgetxattr,
        SYS_fgetxattr,
        SYS_setxattr,
        SYS_fsetxattr,
        SYS_mount,
        SYS_clock_nanosleep,
        SYS_rt_sigtimedwait,
        SYS_rt_sigaction,
        SYS_rt_sigprocmask,
        SYS_move_pages,
        SYS_get_mempolicy,
        SYS_copy_file_range,
        SYS_sendfile,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_accept4,
        SYS_readlinkat,
    };
    static const int two[] = {SYS_read, SYS_write, SYS_pread64, SYS_pwrite64};
    return IS_AMONG(call, many) ? 6 : IS_AMONG(call, two) ? 2 : 3;
}

/* Tells whether the program must make the call itself, because the call does not return here, or
 * the return from this handler would undo its effect. All pages then stay open until the next MPI
 * call. */
static bool is_programs(long call)
{
    return call == SYS_clone || call == SYS_clone3 || call == SYS_vfork || call == SYS_fork ||
           call == SYS_execve || call == SYS_execveat || call == SYS_rt_sigreturn ||
           call == SYS_sigaltstack || call == SYS_rt_sigsuspend;
}

static bool takes_our_signals(long call, const greg_t *argument)
{
    int number = (int)argument[REG_RDI];
    return call == SYS_rt_sigaction && argument[REG_RSI] && (number == SIGSEGV || number == SIGSYS);
}

static const int argument_register[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

static long call_raw(long call, const greg_t *r)
{
    register long result __asm__("rax") = call;
    register long r10 __asm__("r10") = r[REG_R10];
    register long r8 __asm__("r8") = r[REG_R8];
    register long r9 __asm__("r9") = r[REG_R9];
    __asm__ volatile("syscall"
                     : "+r"(result)
                     : "D"(r[REG_RDI]), "S"(r[REG_RSI]), "d"(r[REG_RDX]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void turns_for(long call, const greg_t *r)
{
    const void *site = (const void *)r[REG_RIP];
    CORE_CHECK(!closed); /* the system accesses the memory */
    bool all = reaches_anywhere(call) || is_programs(call);
    for (int i = 0; i < guarded_count; i++) {
        bool named = all;
        for (int k = 0; k < addresses_of(call); k++)
            named |= guarded_at((const void *)r[argument_register[k]]) == &guarded[i];
        int needs = all || !only_reads(call) ? PROT_READ | PROT_WRITE : PROT_READ;
        bool has =
            (guarded[i].access & needs) == needs && guarded[i].turns == guarded[i].part->turn_count;
        if (named && !has)
            guard_touch(&guarded[i], NULL, site, needs & PROT_WRITE);
    }
}

static void guard_dispatched(int number, siginfo_t *info, void *context)
{
    enum { INSTRUCTION_BYTES = 2, BY_DISPATCH = 2 }; /* SYS_USER_DISPATCH of siginfo.h */
    ucontext_t *at = context;
    greg_t *r = at->uc_mcontext.gregs;
    int error = errno;
    CORE_CHECK(number == SIGSYS && rank_region);
    long call = info->si_syscall;
    all_open();
    if (info->si_code != BY_DISPATCH) {
        pass_on(&before_dispatch, number, info, context);
        return;
    }
    bool rank = is_rank();
    if (rank && takes_our_signals(call, r)) {
        sigaction(SIGSEGV, &before_fault, NULL);
        sigaction(SIGSYS, &before_dispatch, NULL);
        guards_end();
    } else if (rank) {
        turns_for(call, r);
    }
    if (!rank || refused || is_programs(call)) {
        r[REG_RAX] = call;
        r[REG_RIP] -= INSTRUCTION_BYTES;
        unmasked = false;
        errno = error;
        return;
    }
    r[REG_RAX] = call_raw(call, r);
    if (call == SYS_rt_sigprocmask) { /* the return from the handler restores the mask from there */
        uint64_t mask = 0;
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, sizeof mask);
        mask &= ~our_signals();
        memcpy(&at->uc_sigmask, &mask, sizeof mask);
    }
    errno = error;
    if (is_rank())
        world_process_guard_close();
}

/* --- the start -------------------------------------------------------------------------------- */

static bool guard_handle(int number, void (*handler)(int number, siginfo_t *info, void *context))
{
    struct kernel_action action = {.handler = handler,
                                   .flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | KERNEL_RESTORER,
                                   .restorer = rank_guard_return};
    return syscall(SYS_rt_sigaction, number, &action, NULL, sizeof action.mask) == 0;
}

static bool guard_start_one(void)
{
    const char *from = (const char *)rank_guard_return;
    if (ready || refused)
        return ready && !refused;
    refused = true;
    if (sigaction(SIGSYS, NULL, &before_dispatch) != 0 ||
        sigaction(SIGSEGV, NULL, &before_fault) != 0)
        return false;
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, from, rank_guard_return_end - from,
              &dispatch) != 0)
        return false;
    ready = guard_handle(SIGSYS, guard_dispatched) && guard_handle(SIGSEGV, guard_fault);
    refused = !ready;
    return ready;
}

void world_process_guard(struct world_part *part)
{
    CORE_CHECK((part->rank->rank == rank_own || part->common) && world_process_depth > 0);
    CORE_CHECK(!closed);
    bool whole = (uintptr_t)part->base % PAGE == 0 && part->bytes > 0;
    if (!WORLD->explore || WORLD->options->policy.loads != REPLAY_LOADS_TURNS ||
        world_process_several || !whole || guarded_count == GUARDED_MAX || !guard_start_one())
        return;
    uint8_t *high = part->base + (part->bytes + PAGE - 1) / PAGE * PAGE;
    CORE_CHECK(high > part->base && (!part->seen || part->common));
    guarded[guarded_count++] =
        (struct guarded){part, part->base, high, PROT_NONE, part->turn_count};
    part->seen = true;
    world_process_guards = true;
}

void world_process_unguard(const struct world_part *part)
{
    CORE_CHECK(!closed);
    for (int i = 0; i < guarded_count; i++)
        if (guarded[i].part == part) {
            guarded[i] = guarded[--guarded_count];
            world_process_guards = guarded_count > 0;
            return;
        }
}

#else /* accesses are not seen, and the world reports that where others reach a window */
void world_process_guard(struct world_part *part)
{
    CORE_CHECK(!part->seen || part->common);
}

void world_process_unguard(const struct world_part *part)
{
    (void)part;
}

void world_process_guard_open(void)
{
}

void world_process_guard_close(void)
{
}

void world_process_guard_end(void)
{
}

void world_process_guard_looked(struct world_part *part)
{
    (void)part;
}
#endif
