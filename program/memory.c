/* See memory.h. Asks the kernel by a system call that reads eight bytes, always fails, and tells
 * whether it could read them.
 *
 *  1. A region's memory stays mapped as long as the process lives: the program's segments; the
 *     heap, up to its present end; the first thread's stack, for code that runs on it, from its
 *     frame up.
 *  2. Between the check and the read only another thread could unmap the memory, which a call in
 *     progress still owns. */
#include "program/memory.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    SEGMENTS_MAX = 8,
    STACK_BYTES = 8 << 20,
    STACK_SHORT = 32 << 10 /* looking for a buffer's memory takes a third of it */
};                         /* nothing else is mapped so close below the stack's end */

_Static_assert((PAGE & (PAGE - 1)) == 0, "pages are found by their bits");
_Static_assert(MEMORY_TEXT_MAX % PAGE == 0, "a text is looked through page by page");
_Static_assert(STACK_BYTES % PAGE == 0, "the stack's end is that of a page");
_Static_assert(sizeof(void *) == sizeof(uint64_t), "bytes of a range and addresses are added up");

extern void *__libc_stack_end __attribute__((weak));

static struct region {
    uintptr_t start, end;
} segment[SEGMENTS_MAX];
static uint32_t segment_count;
static struct region written;     /* the program's segment of static memory */
static uintptr_t heap, stack_end; /* 0: unknown */

static bool memory_inside(uintptr_t at, uint64_t bytes, uintptr_t start, uintptr_t end)
{
    return at >= start && at < end && bytes <= end - at;
}

static bool in_region(uintptr_t at, uint64_t bytes)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (stack_end - frame < STACK_BYTES && memory_inside(at, bytes, frame, stack_end))
        return true;
    if (heap && memory_inside(at, bytes, heap, (uintptr_t)sbrk(0)))
        return true;
    for (uint32_t i = 0; i < segment_count; i++)
        if (memory_inside(at, bytes, segment[i].start, segment[i].end))
            return true;
    return false;
}

static bool memory_probe(uintptr_t at)
{
    enum { NO_SUCH_WAY = ~0, SET_BYTES = 8 };
    int saved = errno;
    bool readable = syscall(SYS_rt_sigprocmask, NO_SUCH_WAY,
                            (void *)(at & ~(uintptr_t)(SET_BYTES - 1)), NULL, SET_BYTES) == -1 &&
                    errno == EINVAL;
    errno = saved;
    return readable;
}

bool memory_readable_now(const void *memory, uint64_t bytes)
{
    uintptr_t at = (uintptr_t)memory, end = at + bytes;
    if (end < at)
        return false;
    for (; at < end; at = (at & ~(uintptr_t)(PAGE - 1)) + PAGE)
        if (!memory_probe(at))
            return false;
    return true;
}

bool memory_readable(const void *at, uint64_t bytes)
{
    return !bytes || in_region((uintptr_t)at, bytes) || memory_readable_now(at, bytes);
}

bool memory_mapped(const void *at, uint64_t bytes)
{
    uintptr_t start = (uintptr_t)at & ~(uintptr_t)(PAGE - 1), end = (uintptr_t)at + bytes;
    int saved = errno;
    bool mapped = bytes && end > start &&
                  !syscall(SYS_msync, start, end - start, MS_ASYNC); /* has no other effect */
    errno = saved;
    return mapped && memory_probe((uintptr_t)at) && memory_probe(end - 1);
}

bool memory_copy(void *to, const void *from, uint64_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
    int saved = errno;
    bool whole = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
    errno = saved;
    return whole;
}

void memory_copy_each(void *to, const uintptr_t *from, uint32_t count, uint64_t bytes)
{
    struct iovec there[MEMORY_EACH_MAX];
    int saved = errno;

    memset(to, 0, count * bytes);
    for (uint32_t i = 0; i < count; i++)
        there[i] = (struct iovec){(void *)from[i], bytes};
    for (uint32_t done = 0; done < count; done++) {
        struct iovec here = {(char *)to + done * bytes, (count - done) * bytes};
        ssize_t copied =
            process_vm_readv(getpid(), &here, 1, there + done, count - done, 0); /* up to a gap */
        done += copied > 0 ? (uint32_t)((uint64_t)copied / bytes) : 0;
    }
    errno = saved;
}

const char *memory_text(const char *text)
{
    if (!text)
        return NULL;
    for (size_t seen = 0; seen < MEMORY_TEXT_MAX;) {
        size_t here = PAGE - (uintptr_t)(text + seen) % PAGE;
        if (!memory_readable(text + seen, 1))
            return NULL;
        if (memchr(text + seen, 0, here))
            break;
        seen += here;
    }
    return text;
}

uintptr_t memory_heap_start(void)
{
    return heap;
}

uintptr_t memory_heap_end(void)
{
    return heap ? (uintptr_t)sbrk(0) : 0;
}

uintptr_t memory_static(uintptr_t *out_end)
{
    *out_end = written.end;
    return written.start;
}

/* The stack of the calling thread, as it was made. */
static const struct region *stack_own(void)
{
    static __thread struct region own;
    static __thread bool asked;
    pthread_attr_t attributes;
    void *start;
    size_t bytes;
    if (asked)
        return &own;
    asked = true;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return &own;
    if (!pthread_attr_getstack(&attributes, &start, &bytes))
        own = (struct region){(uintptr_t)start, (uintptr_t)start + bytes};
    pthread_attr_destroy(&attributes);
    return &own;
}

bool memory_stack(uintptr_t frame, uintptr_t *out_end)
{
    if (stack_end - frame < STACK_BYTES) {
        *out_end = stack_end;
        return true;
    }
    const struct region *own = stack_own();
    *out_end = own->end;
    return frame >= own->start && frame < own->end && !memory_stack_is_short(frame);
}

bool memory_stack_is_short(uintptr_t frame)
{
    if (stack_end - frame < STACK_BYTES)
        return false;
    const struct region *own = stack_own();
    return frame >= own->start && frame < own->end && frame - own->start < STACK_SHORT;
}

static int add_segments(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum && segment_count < SEGMENTS_MAX; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_R))
            segment[segment_count++] = (struct region){start, start + p->p_memsz};
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W))
            written = (struct region){start, start + p->p_memsz};
    }
    return 1; /* the first object is the program */
}

static void find_heap(void)
{
    unsigned long long start, end;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "[heap]") && sscanf(line, "%llx-%llx", &start, &end) == 2) {
            heap = (uintptr_t)start;
            break;
        }
    if (maps)
        fclose(maps);
}

bool memory_start(void)
{
    char here = 0;
    if (memory_probe(sizeof(void *)) || !memory_probe((uintptr_t)&here))
        return false;
    if (&__libc_stack_end)
        stack_end = (uintptr_t)__libc_stack_end;
    segment_count = 0;
    written = (struct region){0, 0};
    dl_iterate_phdr(add_segments, NULL);
    find_heap();
    return true;
}
