/* Functions that a collective's object files call instead of the usual ones: program/globals.sh
 * puts crosswait_ in front of the names. Memory goes through memory.c; a rank's end does not run
 * what a process runs at its end; large copies cost only the written bytes; a harmless report of
 * the undefined-behaviour sanitizer is a note. Holds no state. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/memory.h"
#include "world/world.h"

/* Declares a function under its new name; only those objects call it. */
#define REPLACED(type, name, ...)       \
    type crosswait_##name(__VA_ARGS__); \
    type crosswait_##name(__VA_ARGS__)
#define SITE __builtin_return_address(0)

/* --- C's -------------------------------------------------------------------------------------- */

REPLACED(void *, malloc, size_t bytes)
{
    return memory_allocate(bytes, false, SITE);
}

REPLACED(void *, calloc, size_t count, size_t bytes)
{
    size_t all;
    return __builtin_mul_overflow(count, bytes, &all) ? NULL : memory_allocate(all, true, SITE);
}

REPLACED(void *, realloc, void *block, size_t bytes)
{
    return memory_reallocate(block, bytes, SITE);
}

REPLACED(void, free, void *block)
{
    memory_free(block);
}

REPLACED(void *, aligned_alloc, size_t alignment, size_t bytes)
{
    return memory_note(aligned_alloc(alignment, bytes), bytes, free, SITE);
}

REPLACED(int, posix_memalign, void **out, size_t alignment, size_t bytes)
{
    int code = posix_memalign(out, alignment, bytes);
    if (code == 0)
        memory_note(*out, bytes, free, SITE);
    return code;
}

REPLACED(char *, strdup, const char *text)
{
    return memory_note(strdup(text), strlen(text) + 1, free, SITE);
}

REPLACED(char *, strndup, const char *text, size_t most)
{
    return memory_note(strndup(text, most), strnlen(text, most) + 1, free, SITE);
}

/* --- C++'s: new, new[], delete, delete[] ------------------------------------------------------ */

/* Weak, as a C program does not have it. */
#define REPLACED_WEAK(type, name, ...)            \
    type name(__VA_ARGS__) __attribute__((weak)); \
    REPLACED(type, name, __VA_ARGS__)

REPLACED_WEAK(void, _ZdlPv, void *block)
{
    memory_forget(block);
    _ZdlPv(block);
}

REPLACED_WEAK(void, _ZdaPv, void *block)
{
    memory_forget(block);
    _ZdaPv(block);
}

REPLACED_WEAK(void, _ZdlPvm, void *block, size_t bytes)
{
    memory_forget(block);
    _ZdlPvm(block, bytes);
}

REPLACED_WEAK(void, _ZdaPvm, void *block, size_t bytes)
{
    memory_forget(block);
    _ZdaPvm(block, bytes);
}

REPLACED_WEAK(void *, _Znwm, size_t bytes)
{
    return memory_note(_Znwm(bytes), bytes, _ZdlPv, SITE);
}

REPLACED_WEAK(void *, _Znam, size_t bytes)
{
    return memory_note(_Znam(bytes), bytes, _ZdaPv, SITE);
}

REPLACED_WEAK(void *, _ZnwmRKSt9nothrow_t, size_t bytes, const void *nothrow)
{
    return memory_note(_ZnwmRKSt9nothrow_t(bytes, nothrow), bytes, _ZdlPv, SITE);
}

REPLACED_WEAK(void *, _ZnamRKSt9nothrow_t, size_t bytes, const void *nothrow)
{
    return memory_note(_ZnamRKSt9nothrow_t(bytes, nothrow), bytes, _ZdaPv, SITE);
}

/* --- the process's end ------------------------------------------------------------------------ */

static bool in_child(void)
{
    return world_rank() >= 0 && getpid() != memory_process;
}

/* A rank that ends its process ends no other rank's, and nobody would hear of it. */
static void rank_ends(const char *call, int status)
{
    if (in_child())
        return;
    if (world_rank() >= 0)
        world_give_up(WORLD_RULE_CRASH, "rank %d calls %s(%d) in the collective", world_rank(),
                      call, status);
    fflush(NULL);
}

REPLACED(void, _exit, int status)
{
    rank_ends("_exit", status);
    _exit(status);
}

REPLACED(void, _Exit, int status)
{
    rank_ends("_Exit", status);
    _exit(status);
}

/* A rank's child ends without what the fuzzer does at its end. */
REPLACED(void, exit, int status)
{
    if (!in_child())
        exit(status);
    fflush(NULL);
    _exit(status);
}

/* In a rank's child the fuzzer does not handle signals. */
REPLACED(pid_t, fork, void)
{
    static const int handled[] = {SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGSEGV, SIGTRAP,
                                  SIGINT,  SIGTERM, SIGXFSZ, SIGUSR1, SIGUSR2};
    pid_t child = fork();
    for (size_t i = 0; child == 0 && i < sizeof handled / sizeof *handled; i++)
        signal(handled[i], SIG_DFL);
    return child;
}

/* --- MPI's ------------------------------------------------------------------------------------ */

REPLACED(int, MPI_Alloc_mem, MPI_Aint bytes, MPI_Info info, void *out)
{
    int code = MPI_Alloc_mem(bytes, info, out);
    if (code == MPI_SUCCESS)
        memory_note(*(void **)out, (size_t)bytes, free, SITE);
    return code;
}

REPLACED(int, MPI_Free_mem, void *block)
{
    memory_forget(block);
    return MPI_Free_mem(block);
}

/* --- variables of a thread, destructors ------------------------------------------------------- */

/* The compiler's record of a thread-local variable (-femulated-tls): global data, so each rank has
 * its own. */
struct thread_variable {
    size_t bytes, alignment;
    void *value;
    const void *first; /* NULL: zeroes */
};

REPLACED(void *, __emutls_get_address, struct thread_variable *variable)
{
    if (variable->value)
        return variable->value;
    size_t room = variable->bytes + variable->alignment;
    char *block = memory_allocate(room, true, SITE);
    if (!block)
        abort();
    uintptr_t past = (uintptr_t)block % variable->alignment;
    variable->value = block + (past ? variable->alignment - past : 0);
    if (variable->first)
        memcpy(variable->value, variable->first, variable->bytes);
    return variable->value;
}

/* Ignores destructors in a rank: what it keeps is freed with its world. */
typedef void (*destructor_fn)(void *);
REPLACED_WEAK(int, __cxa_atexit, destructor_fn destructor, void *object, void *library)
{
    return world_rank() < 0 ? __cxa_atexit(destructor, object, library) : 0;
}

REPLACED_WEAK(int, __cxa_thread_atexit, destructor_fn destructor, void *object, void *library)
{
    return world_rank() < 0 ? __cxa_thread_atexit(destructor, object, library) : 0;
}

/* --- sanitizers ------------------------------------------------------------------------------- */

REPLACED_WEAK(void *, __asan_memset, void *at, int value, uintptr_t bytes)
{
    if (value == 0 && memory_zero_sparse(at, bytes))
        return at;
    return __asan_memset ? __asan_memset(at, value, bytes) : memset(at, value, bytes);
}

/* Copies a large block at the cost of its written bytes. */
REPLACED_WEAK(void *, __asan_memcpy, void *to, const void *from, uintptr_t bytes)
{
    if (bytes < WORLD_LARGE)
        return __asan_memcpy ? __asan_memcpy(to, from, bytes) : memcpy(to, from, bytes);
    world_move(to, from, bytes);
    return to;
}

REPLACED_WEAK(void *, __asan_memmove, void *to, const void *from, uintptr_t bytes)
{
    if (bytes < WORLD_LARGE)
        return __asan_memmove ? __asan_memmove(to, from, bytes) : memmove(to, from, bytes);
    world_move(to, from, bytes);
    return to;
}

bool memory_notes;

struct source_place { /* the beginning of the sanitizer's data */
    const char *file;
    uint32_t line, column;
};

REPLACED_WEAK(void, __ubsan_handle_pointer_overflow, const struct source_place *place,
              uintptr_t base, uintptr_t result)
{
    if (base || result) {
        if (__ubsan_handle_pointer_overflow)
            __ubsan_handle_pointer_overflow(place, base, result);
        return;
    }
    if (memory_notes)
        fprintf(stderr, "note: %s:%u: an offset of zero from a null pointer\n", place->file,
                place->line);
}

/* The sanitizer skips a type check of a C++ object if the previous check in the same place of a
 * small table was of the same class; the place depends on addresses. This keeps the table empty, so
 * that coverage does not depend on addresses (invariant 1). */
enum { TYPES_REMEMBERED = 128 };
extern uintptr_t __ubsan_vptr_type_cache[TYPES_REMEMBERED] __attribute__((weak));
REPLACED_WEAK(void, __ubsan_handle_dynamic_type_cache_miss, void *check, uintptr_t object,
              uintptr_t hash)
{
    if (!__ubsan_handle_dynamic_type_cache_miss)
        return;
    __ubsan_handle_dynamic_type_cache_miss(check, object, hash);
    memset(__ubsan_vptr_type_cache, 0, sizeof __ubsan_vptr_type_cache);
}
