/* Hardware watchpoints (watchpoint.h). Each point is an event of this thread. Its samples, the
 * addresses of instructions, arrive in a page that is read without a system call.
 *
 *  1. Switching to a thread with such events, even disabled ones, takes a quarter longer, and ranks
 *     that wait for each other on one core do little else. Opening the first event of a machine
 *     takes the kernel milliseconds. So points are opened when there is credit for a few, closed
 *     when none is left, and not opened again before their cost is earned. */
#include "interpose/misuse/watchpoint.h"

#include <dlfcn.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/recorder.h"

enum {
    HITS = 4,
    RING_BYTES = 4096,
    SET_TICKS = 15000,
    HIT_TICKS = 60000,
    ROUND_TICKS = 1 << 20, /* credit needed before points are opened */
    CREDIT_TICKS = 4 << 20
};

static struct point {
    int fd;
    uint64_t id;
    struct perf_event_mmap_page *page;
    uint64_t from; /* position in the ring: earlier samples are not the program's */
    int left;      /* hits until the point is disabled; 0: it is */
    unsigned bytes;
    bool open, used, running;
} points[WATCH_POINTS];
struct watch watch = {.credit = {.most = CREDIT_TICKS, .left = CREDIT_TICKS}};
static pid_t thread; /* owner of the points */
static bool refused;
static unsigned used_count;
static uint64_t round_from; /* points are not opened again before this time */

static struct perf_event_attr watchpoint_attributes(uintptr_t at, unsigned bytes,
                                                    enum watch_access access)
{
    struct perf_event_attr a = {.type = PERF_TYPE_BREAKPOINT,
                                .size = sizeof a,
                                .sample_period = 1,
                                .sample_type = PERF_SAMPLE_IP,
                                .disabled = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1,
                                .wakeup_events = 1 << 30,
                                .bp_type =
                                    access == WATCH_STORES ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW,
                                .bp_addr = at,
                                .bp_len = bytes};
    return a;
}

static bool open_point(struct point *p, struct perf_event_attr *a)
{
    long page = sysconf(_SC_PAGESIZE);
    int low = (int)syscall(SYS_perf_event_open, a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (low < 0)
        return false;
    p->fd = spool_fd_up(low);
    void *map = mmap(NULL, (size_t)page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
    if (map == MAP_FAILED || ioctl(p->fd, PERF_EVENT_IOC_ID, &p->id)) {
        close(p->fd);
        return false;
    }
    p->page = map;
    p->open = true;
    p->left = 0;
    watch.open++;
    return true;
}

/* Tells whether the descriptor is still ours: a program may close every descriptor, and reuse its
 * number. */
static bool is_ours(const struct point *p)
{
    uint64_t id;
    return !ioctl(p->fd, PERF_EVENT_IOC_ID, &id) && id == p->id;
}

static void close_points(void)
{
    for (struct point *p = points; p < points + WATCH_POINTS; p++) {
        if (!p->open)
            continue;
        munmap(p->page, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES);
        if (is_ours(p))
            close(p->fd);
        p->open = false;
    }
    watch.open = 0;
}

/* Tells whether a point may be set now (invariant 1). */
static bool may_set(void)
{
    enum { REST = 16 };
    if (watch.open) {
        if (recorder_may_spend(&watch.credit, SET_TICKS))
            return true;
        if (!used_count)
            close_points();
        return false;
    }
    if (!recorder_may_spend(&watch.credit, ROUND_TICKS))
        return false;
    watch.credit.left += ROUND_TICKS;
    if (recorder_clock() < round_from) {
        watch.credit.rest = REST;
        return false;
    }
    watch.credit.left -= SET_TICKS;
    return true;
}

static uint64_t watchpoint_head(const struct point *p)
{
    return __atomic_load_n(&p->page->data_head, __ATOMIC_ACQUIRE);
}

int watch_set_slow(uintptr_t at, uint64_t bytes, enum watch_access access)
{
    struct point *p = points;
    unsigned length = WATCH_BYTES;

    if (refused || recorder.crowd || !bytes || !may_set())
        return -1;
    while (at % length || length > bytes)
        length /= 2;
    while (p < points + WATCH_POINTS && p->used)
        p++;
    if (p == points + WATCH_POINTS)
        return -1;
    struct perf_event_attr a = watchpoint_attributes(at, length, access);
    uint64_t from = recorder_clock();
    if (!thread)
        thread = (pid_t)syscall(SYS_gettid);
    if (thread != (pid_t)syscall(SYS_gettid) ||
        (p->open ? !is_ours(p) || ioctl(p->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &a)
                 : !open_point(p, &a))) {
        refused = true;
        return -1;
    }
    uint64_t now = recorder_clock(), earned = now + (now - from) * RECORDER_CREDIT_TICKS;
    round_from = earned > round_from ? earned : round_from;
    p->bytes = length;
    p->used = true;
    used_count++;
    p->running = false;
    p->from = UINT64_MAX;
    return (int)(p - points);
}

void watch_clear(int point)
{
    struct point *p = &points[point];
    p->used = false;
    used_count--;
    if (is_ours(p))
        ioctl(p->fd, PERF_EVENT_IOC_DISABLE, 0);
}

unsigned watch_bytes(int point)
{
    return points[point].bytes;
}

/* Tells whether the instruction belongs to a library whose accesses are not the program's
 * (watchpoint.h, invariant 1). */
static bool find_foreign(const void *instruction)
{
    static const char *const names[] = {"libmpi",       "libopen-", "mca_",     "libpmix",
                                        "libcrosswait", "libc.",    "libc-",    "ld-",
                                        "libucx",       "libuc",    "libfabric"};
    Dl_info info;
    if (!dladdr(instruction, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* Caches the answer: the same few instructions hit all the time, and finding their library takes
 * longer than the trap. */
static bool is_foreign(const void *instruction)
{
    static struct {
        const void *instruction;
        bool foreign;
    } known[256];
    size_t at = (uintptr_t)instruction * 0x9E3779B97F4A7C15u >> 56;
    if (known[at].instruction != instruction) {
        known[at].foreign = find_foreign(instruction);
        known[at].instruction = instruction;
    }
    return known[at].foreign;
}

static void copy_out(const struct point *p, uint64_t at, void *to, size_t bytes)
{
    const char *ring = (const char *)p->page + p->page->data_offset;
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = ring[(at + i) % RING_BYTES];
}

/* Takes the samples in [from, head). Returns the first one that counts. */
static const void *watchpoint_take(struct point *p, uint64_t from)
{
    const void *found = NULL;
    uint64_t end = watchpoint_head(p);
    while (from + sizeof(struct perf_event_header) <= end) {
        struct perf_event_header record;
        uint64_t instruction;
        copy_out(p, from, &record, sizeof record);
        if (record.size < sizeof record)
            break;
        if (record.type == PERF_RECORD_SAMPLE) {
            p->left--;
            watch.credit.left -= HIT_TICKS;
            copy_out(p, from + sizeof record, &instruction, sizeof instruction);
            if (!found && !is_foreign((const void *)(uintptr_t)instruction))
                found = (const void *)(uintptr_t)instruction;
        }
        from += record.size;
    }
    __atomic_store_n(&p->page->data_tail, end, __ATOMIC_RELEASE);
    return found;
}

const void *watch_hit(int point)
{
    struct point *p = &points[point];
    if (p->from == UINT64_MAX || watchpoint_head(p) == p->from)
        return NULL;
    const void *found = watchpoint_take(p, p->from);
    p->from = UINT64_MAX;
    return found;
}

/* Enables a point. A disabled point would continue to trap without samples (Linux 6.18), unless its
 * period is set again while it runs. */
static bool watchpoint_start(struct point *p)
{
    uint64_t period = 1;

    if (p->left > 0)
        return !ioctl(p->fd, PERF_EVENT_IOC_ENABLE, 0);
    if (ioctl(p->fd, PERF_EVENT_IOC_REFRESH, HITS))
        return false;
    p->left = HITS;
    return !ioctl(p->fd, PERF_EVENT_IOC_PERIOD, &period);
}

void watch_leave(void)
{
    for (struct point *p = points; p < points + WATCH_POINTS; p++) {
        if (!p->used)
            continue;
        if (watchpoint_head(p) != p->page->data_tail)
            watchpoint_take(p, p->page->data_tail);
        p->from = watchpoint_head(p);
        if (p->running && p->left > 0)
            continue;
        p->running =
            recorder_may_spend(&watch.credit, SET_TICKS) && is_ours(p) && watchpoint_start(p);
        if (!p->running)
            p->from = UINT64_MAX;
    }
}
