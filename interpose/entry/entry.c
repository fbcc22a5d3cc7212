/* libcrosswait.so: one small object without a libc, which the loader accepts in two ways.
 *
 *   LD_PRELOAD=libcrosswait.so  into the process itself, as the launcher does. Objects loaded at
 *                               the start are examined before any other code of the process
 *                               runs, and their bindings to the MPI library are replaced.
 *                               Objects loaded later are examined at the next call of dlsym or
 *                               dlopen, which a program needs to call them.
 *   LD_AUDIT=libcrosswait.so    as an audit module: the loader announces each object when it is
 *                               mapped, before anything is bound to it, so that functions are
 *                               seen that run inside dlopen. Programs with libraries that take
 *                               more than 1.6 KB of static thread-local storage (libtsan,
 *                               jemalloc) do not start with any audit module (glibc 2.36);
 *                               before glibc 2.35 each call of any library was slower.
 *
 * Neither way shows the process any MPI symbol (redirect.h).
 *
 *  1. A process without an MPI library is unchanged: its calls of dlsym and dlopen pass through
 *     libcrosswait.so with their original caller. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "interpose/entry/exception.h"
#include "interpose/entry/redirect.h"
#include "interpose/entry/system.h"
#include "interpose/entry/termination.h"

#define SHOWN __attribute__((visibility("default")))

/* --- as an audit module ----------------------------------------------------------------------- */

SHOWN unsigned la_version(unsigned version);
SHOWN unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
SHOWN unsigned la_objclose(uintptr_t *cookie);

unsigned la_version(unsigned version)
{
    return version;
}

/* Asks the loader not to trace bindings. Ignores other namespaces, which are not the program's
 * own. */
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    *cookie = 0;
    if (space != LM_ID_BASE)
        return 0;
    *cookie = (uintptr_t)map;
    redirect_opened(map->l_addr, map->l_ld, map->l_name);
    return 0;
}

unsigned la_objclose(uintptr_t *cookie)
{
    if (*cookie)
        redirect_closed(((struct link_map *)*cookie)->l_addr);
    return 0;
}

/* --- preloaded -------------------------------------------------------------------------------- */

/* NULL in an audit module, which has no libc. It may be a sanitizer's, which cannot be called
 * before the sanitizer has started: then libc's own is used. */
#pragma weak dl_iterate_phdr
#pragma weak _r_debug

static int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *);

/* Finds libc's dl_iterate_phdr. At the start no other thread changes the loader's list. */
static bool iterate_find(void)
{
    for (const struct link_map *map = _r_debug.r_map; map && !iterate; map = map->l_next) {
        struct object object;
        if (!object_read(map->l_addr, map->l_ld, &object) ||
            !text_equal(object.soname, "libc.so.6"))
            continue;
        Elf64_Sym *symbol = object_defines(&object, "dl_iterate_phdr");
        if (symbol)
            *(void **)&iterate = object_address(&object, symbol);
    }
    return iterate != NULL;
}

static const Elf64_Dyn *dynamic_of(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const Elf64_Dyn *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

/* Reads the loader's count of objects that were loaded and unloaded. */
static int take_changes(struct dl_phdr_info *info, size_t size, void *context)
{
    unsigned long long *changes = context;

    *changes = size > offsetof(struct dl_phdr_info, dlpi_subs) ? info->dlpi_adds + info->dlpi_subs
                                                               : *changes + 1;
    return 1;
}

static void look_again(void);

static void *loader_asked(const uint64_t *arguments, void *function)
{
    (void)arguments;
    look_again();
    return function;
}

static void *handler_set(const uint64_t *arguments, void *function)
{
    redirect_signal((int)arguments[0]);
    return function;
}

static void *signal_set(const uint64_t *arguments, void *function)
{
    redirect_signal((int)arguments[0]);
    return termination_signal(arguments, function);
}

/* Observes sigaction. A call without a new action only asks. */
static void *sigaction_set(const uint64_t *arguments, void *function)
{
    redirect_signal(arguments[1] ? (int)arguments[0] : 0);
    return termination_sigaction(arguments, function);
}

static void *sigvec_set(const uint64_t *arguments, void *function)
{
    redirect_signal(arguments[1] ? (int)arguments[0] : 0);
    return function;
}

static int take_object(struct dl_phdr_info *info, size_t size, void *context)
{
    static const struct {
        char name[16];
        before_fn called;
    } asked[] = {
        {"dlsym", loader_asked},        {"dlopen", loader_asked}, {"sigaction", sigaction_set},
        {"__sigaction", sigaction_set}, {"signal", signal_set},   {"bsd_signal", signal_set},
        {"ssignal", signal_set},        {"sigset", handler_set},  {"sysv_signal", handler_set},
        {"__sysv_signal", handler_set}, {"sigvec", sigvec_set},
    };
    struct object object;
    const Elf64_Dyn *dynamic = dynamic_of(info);

    (void)size, (void)context;
    if (!redirect_opened(info->dlpi_addr, dynamic, info->dlpi_name) ||
        !object_read(info->dlpi_addr, dynamic, &object))
        return 0;
    if ((text_equal(object.soname, "libc.so.6") || text_equal(object.soname, "libdl.so.2")))
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
            redirect_before(&object, asked[i].name, asked[i].called);
    if (text_equal(object.soname, "libstdc++.so.6"))
        redirect_before(&object, "__cxa_begin_catch", exception_caught);
    return 0;
}

static int rebind_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    redirect_rebind(info->dlpi_addr, dynamic_of(info));
    return 0;
}

/* Examines objects that were loaded meanwhile. */
static void look_again(void)
{
    static unsigned long long seen;
    static _Atomic int busy;
    unsigned long long changes = seen;
    int free = 0;

    if (!__atomic_compare_exchange_n(&busy, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    iterate(take_changes, &changes);
    if (changes != seen) {
        uint32_t before = redirect_count();
        seen = changes;
        redirect_look_begins();
        iterate(take_object, NULL);
        redirect_look_ends();
        if (redirect_count() != before)
            iterate(rebind_object, NULL);
    }
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* Switches off AddressSanitizer's check that its runtime is loaded first. If the runtime is a
 * shared library (gcc; clang with -shared-libasan), it refuses to run after a preloaded library,
 * unless a function that a program may define says otherwise. The check protects its malloc and
 * memcpy against libc's; this object has neither. Options of the program's libraries come first. If
 * the executable itself defines the function, that one is found first, and must say
 * verify_asan_link_order=0 itself, or ASAN_OPTIONS must. */
#pragma weak dlsym

enum { OPTIONS_BYTES = 4096 };

SHOWN const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    static char options[OPTIONS_BYTES];
    const char *(*next)(void);
    size_t at = 0;

    *(void **)&next = dlsym ? dlsym(RTLD_NEXT, "__asan_default_options") : NULL;
    const char *others = next ? next() : NULL;
    if (others)
        at = text_append(options, at, sizeof options, others);
    at = text_append(options, at, sizeof options, ":verify_asan_link_order=0");
    return at + 1 < sizeof options ? options : others;
}

/* --- at the start ----------------------------------------------------------------------------- */

/* CROSSWAIT_OUTPUT=FOLDER: redirects a rank's standard output and error to FOLDER/R.out and
 * FOLDER/R.err from the start of its program, so that the output can be attributed to the rank. The
 * job's launchers, which load this object as well, are no ranks, and keep theirs. If a file cannot
 * be opened, the stream stays. */
static void output_set(int stream, const char *folder, const char *rank, const char *end)
{
    char path[SYSTEM_PATH_BYTES];
    size_t at = text_append(path, 0, sizeof path, folder);

    at = text_append(path, at, sizeof path, "/");
    at = text_append(path, at, sizeof path, rank);
    at = text_append(path, at, sizeof path, end);
    if (at + 1 >= sizeof path)
        return;
    long file = system_call(SYS_openat, AT_FDCWD, (long)path,
                            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return;
    system_call(SYS_dup3, file, stream, 0, 0);
    system_call(SYS_close, file, 0, 0, 0);
}

static void outputs_set(char *const *environment)
{
    static const char ranks[][24] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                     "SLURM_PROCID"};
    const char *folder = environment_value(environment, "CROSSWAIT_OUTPUT"), *rank = NULL;

    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !rank; i++)
        rank = environment_value(environment, ranks[i]);
    if (!folder || !*folder || !rank)
        return;
    output_set(1, folder, rank, ".out");
    output_set(2, folder, rank, ".err");
}

/* Called by the loader in both ways, with main's arguments. */
__attribute__((constructor)) static void entry_start(int count, char **arguments,
                                                     char **environment)
{
    const char *audit = environment_value(environment, "LD_AUDIT");
    bool preloaded = dl_iterate_phdr != NULL;

    (void)count, (void)arguments;
    if (preloaded && audit && text_holds(audit, "libcrosswait"))
        return; /* the audit module has done the work */
    settings_keep(environment);
    outputs_set(environment);
    if (!preloaded || !iterate_find())
        return;
    look_again();
    redirect_signal(0);
}
