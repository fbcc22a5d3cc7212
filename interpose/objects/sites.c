/* Call sites: the return address of the application's call, as an id with a definition.
 *
 * A Fortran call comes through a language binding (libmpi_mpifh, libmpi_usempif08) whose frame lies
 * between the wrapper and the application. Those frames have a fixed size at a given return
 * address, so the distance is found once by unwinding and remembered.
 *
 * Other bindings call C's functions from many places (mpi4py's module, OpenCoarrays, Boost.MPI,
 * which is mostly templates in the program itself). For these the recorder examines each call, by
 * the calling Python frames (python.h), or by unwinding; program/binding.h knows the bindings. Code
 * of the program may be inlined into a binding's function, and vice versa: the code that makes the
 * trace reads the debug information, and chooses one of the frames.
 *
 *  1. A site's id and its module's definition precede, in the rank's records, the first event that
 *     names it. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "interpose/library/library.h"
#include "program/binding.h"
#include "program/binding_code.h"
#include "core/file.h"
#include "program/python.h"
#include "interpose/objects/signal_site.h"

enum { MODULES_MAX = 512, SITES_FIRST = 1024, FACADES_MAX = 16 };
enum { CALLERS_MAX = 16, CHAINS = 4096 }; /* a power of two */
enum { SKIP_EACH = UINT32_MAX };          /* value of lane->site[].skip: each call is examined */

static struct {
    uintptr_t base[MODULES_MAX], start[MODULES_MAX], end[MODULES_MAX];
    uint32_t count;
    struct {
        const void *address;
        uint32_t id;
    } * site; /* open addressing */
    uint32_t site_count, site_capacity, last_id;
} table;

static struct facade { /* a binding whose calls are each examined */
    uintptr_t start, end;
    bool python;
} facade[FACADES_MAX];
static uint32_t facade_count;
static struct {
    void *code;
    const char *file;
    int64_t offset;
    uint32_t id;
} python_site[1024]; /* by hash */

struct search {
    uintptr_t address, base, start, end;
    char path[1024];
    unsigned char build_id[64];
    size_t build_id_bytes;
};

static int search_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct search *s = context;
    bool inside = false;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
        inside |= s->address >= start && s->address < end;
        low = start < low ? start : low;
        high = end > high ? end : high;
    }
    if (!inside)
        return 0;
    s->base = info->dlpi_addr;
    s->start = low;
    s->end = high;
    strncpy(s->path, info->dlpi_name, sizeof s->path - 1);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_NOTE)
            continue;
        const char *at = (const char *)(info->dlpi_addr + p->p_vaddr), *end = at + p->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const void *)at;
            const char *name = at + sizeof *note, *data = name + ((note->n_namesz + 3u) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
                note->n_descsz <= sizeof s->build_id) {
                memcpy(s->build_id, data, note->n_descsz);
                s->build_id_bytes = note->n_descsz;
            }
            at = data + ((note->n_descsz + 3u) & ~3u);
        }
    }
    return 1;
}

static bool is_binding(const char *path)
{
    const char *name = strrchr(path, '/');
    return library_is_binding(name ? name + 1 : path);
}

/* Tells whether the module makes keyvals or error handlers through the Fortran binding, which
 * passes the callbacks to the library without any C function. */
static bool makes_fortran_callbacks(const struct dl_phdr_info *info)
{
    const char *name = strrchr(info->dlpi_name, '/'), *text = NULL;
    size_t bytes = 0;

    if (strncmp(name ? name + 1 : info->dlpi_name, "libmpi", 6) == 0)
        return false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        for (const ElfW(Dyn) *d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
             d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_STRTAB) /* relocated, except in the kernel's own module */
                text =
                    (const char *)(d->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr + d->d_un.d_ptr
                                                                   : d->d_un.d_ptr);
            else if (d->d_tag == DT_STRSZ)
                bytes = d->d_un.d_val;
    }
    return text && (memmem(text, bytes, "_create_keyval_", 15) ||
                    memmem(text, bytes, "_create_errhandler_", 19) ||
                    memmem(text, bytes, "mpi_errhandler_create_", 22) ||
                    memmem(text, bytes, "mpi_keyval_create_", 18));
}

static struct recorder_range range_of(const struct dl_phdr_info *info)
{
    struct recorder_range all = {UINTPTR_MAX, 0};

    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                      end = start + info->dlpi_phdr[i].p_memsz;
            all.start = start < all.start ? start : all.start;
            all.end = end > all.end ? end : all.end;
        }
    return all;
}

static int add_binding(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    recorder.unseen |= makes_fortran_callbacks(info);
    if (!*info->dlpi_name && !recorder.program.end)
        recorder.program = range_of(info);
    if (is_binding(info->dlpi_name) &&
        recorder.binding_count < sizeof recorder.binding / sizeof *recorder.binding)
        recorder.binding[recorder.binding_count++] = range_of(info);
    return 0;
}

void recorder_find_bindings(void)
{
    recorder.binding_count = 0;
    dl_iterate_phdr(add_binding, NULL);
}

static unsigned find_bound_call(const void *address)
{
    static const char *const endings[] = {"", "_", "__", "_f", "_f08"};
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_sname)
        return CALL_COUNT;
    const char *symbol = info.dli_sname + (info.dli_sname[0] == 'P' || info.dli_sname[0] == 'p');
    for (unsigned call = 0; call < CALL_COUNT; call++) {
        size_t length = strlen(call_description[call].name);
        for (size_t i = 0; i < sizeof endings / sizeof *endings &&
                           strncasecmp(symbol, call_description[call].name, length) == 0;
             i++)
            if (!strcmp(symbol + length, endings[i]))
                return call;
    }
    return CALL_COUNT;
}

unsigned recorder_bound_call(const void *address)
{
    static struct {
        const void *address;
        unsigned call;
    } known[64]; /* an entry never changes once its address is set */
    size_t at = ((uintptr_t)address * 0x9E3779B97F4A7C15u) >> 58;
    if (!recorder.binding_count)
        recorder_find_bindings();
    if (!recorder_in_binding(address))
        return CALL_COUNT;
    if (__atomic_load_n(&known[at].address, __ATOMIC_ACQUIRE) == address)
        return known[at].call;
    unsigned call = find_bound_call(address);
    recorder_lock();
    if (!known[at].address) {
        known[at].call = call;
        __atomic_store_n(&known[at].address, address, __ATOMIC_RELEASE);
    }
    recorder_unlock();
    return call;
}

/* Returns the id of the module that holds the address, from 1; 0: unknown. */
static uint32_t module_known(uintptr_t address)
{
    for (uint32_t i = 0; i < table.count; i++)
        if (address >= table.start[i] && address < table.end[i])
            return i + 1;
    return 0;
}

/* path: of its file, without links. */
static uint32_t module_define(struct lane *lane, const struct search *s, const char *path)
{
    if (table.count == MODULES_MAX)
        return 0;
    uint32_t id = table.count + 1;
    table.base[id - 1] = s->base;
    table.start[id - 1] = s->start;
    table.end[id - 1] = s->end;
    table.count = id;
    size_t path_bytes = strlen(path),
           bytes = sizeof(struct spool_def_module) + path_bytes + s->build_id_bytes;
    struct spool_def_module *def =
        spool_reserve(recorder_definitions(lane), (uint32_t)((bytes + 7) / 8));
    if (def) {
        *def = (struct spool_def_module){{SPOOL_DEF_MODULE, (uint16_t)((bytes + 7) / 8),
                                          (uint16_t)path_bytes, (uint16_t)s->build_id_bytes},
                                         id,
                                         0,
                                         s->base};
        memcpy((char *)(def + 1), path, path_bytes);
        memcpy((char *)(def + 1) + path_bytes, s->build_id, s->build_id_bytes);
    }
    return id;
}

/* Returns the id of the module that holds the address, from 1; 0: none (generated code). Defines a
 * new one. Requires recorder_lock. */
static uint32_t module_of(struct lane *lane, uintptr_t address)
{
    uint32_t known = module_known(address);
    struct search s = {.address = address};
    static char real[4096]; /* a thread's stack may be short; the caller holds the lock */
    if (known || !dl_iterate_phdr(search_module, &s))
        return known;
    if (!s.path[0])
        core_program_file(real, sizeof real); /* empty: unknown */
    else if (!realpath(s.path, real))
        strcpy(real, s.path);
    return module_define(lane, &s, real);
}

uint32_t recorder_module_of(struct lane *lane, uintptr_t address, uint64_t *out_bias)
{
    recorder_lock();
    uint32_t id = module_of(lane, address);
    *out_bias = id ? table.base[id - 1] : 0;
    recorder_unlock();
    return id;
}

static uint32_t *site_slot(const void *address)
{
    if (table.site_count * 2 >= table.site_capacity) {
        uint32_t capacity = table.site_capacity ? table.site_capacity * 2 : SITES_FIRST,
                 old = table.site_capacity;
        void *fresh = calloc(capacity, sizeof *table.site);
        if (!fresh)
            return NULL;
        struct {
            const void *address;
            uint32_t id;
        } *from = (void *)table.site;
        void *before = table.site;
        table.site = fresh;
        table.site_capacity = capacity;
        table.site_count = 0;
        for (uint32_t i = 0; i < old; i++)
            if (from[i].address)
                *site_slot(from[i].address) = from[i].id;
        free(before);
    }
    uint32_t at =
        (uint32_t)(((uintptr_t)address * 0x9E3779B97F4A7C15u) >> 32) & (table.site_capacity - 1);
    while (table.site[at].address && table.site[at].address != address)
        at = (at + 1) & (table.site_capacity - 1);
    if (!table.site[at].address) {
        table.site[at].address = address;
        table.site[at].id = 0;
        table.site_count++;
    }
    return &table.site[at].id;
}

/* Tells whether the address is in the recorder. An application's callback that the recorder calls
 * may end with a tail call, which then seems to come from the recorder. */
static bool is_own(const void *address)
{
    extern const char __ehdr_start[] __attribute__((visibility("hidden"))),
        _end[] __attribute__((visibility("hidden")));

    return (const char *)address >= __ehdr_start && (const char *)address < _end;
}

/* Returns the id of an address, and defines a new one. Requires the lock. */
static uint32_t site_id(struct lane *lane, const void *address)
{
    uint32_t *id = site_slot(address);
    if (!id)
        return 0;
    if (*id)
        return *id;
    uint32_t module = is_own(address) ? 0 : module_of(lane, (uintptr_t)address);
    struct spool_def_site *def = spool_reserve(recorder_definitions(lane), sizeof *def / 8);
    if (def)
        *def = (struct spool_def_site){{SPOOL_DEF_SITE, sizeof *def / 8, 0, 0},
                                       ++table.last_id,
                                       module,
                                       (uintptr_t)address - (module ? table.base[module - 1] : 0)};
    id = site_slot(address);
    return *id = def ? table.last_id : 0;
}

uint32_t recorder_site_of(struct lane *lane, const void *address)
{
    recorder_lock();
    uint32_t id = site_id(lane, address);
    recorder_unlock();
    return id;
}

static const struct facade *facade_of(const void *address)
{
    for (uint32_t i = 0; i < facade_count; i++)
        if ((uintptr_t)address - facade[i].start < facade[i].end - facade[i].start)
            return &facade[i];
    return NULL;
}

uint32_t recorder_function_site(struct lane *lane, const void *function)
{
    bool binds = facade_of(function) || recorder_in_binding(function);
    return binds ? 0 : site_id(lane, (const char *)function + 1);
}

struct unwinding {
    void **cfa;
    void **found; /* where the return address of the first frame outside the bindings lies */
    const void *caller[CALLERS_MAX]; /* and earlier frames that may be the application's */
    unsigned caller_count;
    const struct facade *from; /* the binding's library that made the call; NULL: none */
};

static _Unwind_Reason_Code unwind_one(struct _Unwind_Context *context, void *argument)
{
    struct unwinding *u = argument;
    void **cfa = (void **)_Unwind_GetCFA(context);
    if (cfa <= u->cfa)
        return _URC_NO_REASON; /* frames of the recorder */
    if (recorder_in_binding(cfa[-1]))
        return _URC_NO_REASON;
    u->found = cfa;
    return _URC_END_OF_STACK;
}

/* Returns the words from the wrapper's frame up to that of the application's call, if the address
 * is in a language binding. */
static uint32_t binding_skip(void **cfa)
{
    if (!recorder_in_binding(cfa[-1]))
        return 0;
    struct unwinding u = {.cfa = cfa};
    _Unwind_Backtrace(unwind_one, &u);
    return u.found && u.found - cfa < 4096 ? (uint32_t)(u.found - cfa) : 0;
}

/* --- bindings whose calls are each examined --------------------------------------------------- */

/* Tells whether the file is a module of mpi4py: MPI.cpython-311-x86_64-linux-gnu.so, MPI.abi3.so,
 * MPI.so; in wheels MPI.openmpi.cpython-..., one for each MPI library. */
static bool is_mpi4py(const char *file)
{
    size_t length = strlen(file);

    return length >= 6 && !strncmp(file, "MPI.", 4) && !strcmp(file + length - 3, ".so");
}

/* Returns the facade of a new address; NULL: none. */
static const struct facade *facade_find(const void *address)
{
    struct search s = {.address = (uintptr_t)address};
    const struct facade *found = facade_of(address);

    if (found || facade_count == FACADES_MAX || !dl_iterate_phdr(search_module, &s) || !s.path[0])
        return found;
    const char *name = strrchr(s.path, '/') ? strrchr(s.path, '/') + 1 : s.path;
    bool python = is_mpi4py(name);
    if (!python && !binding_library(name))
        return NULL;
    facade[facade_count] =
        (struct facade){s.start, s.end, python || strstr(name, ".cpython-") != NULL};
    return &facade[facade_count++];
}

/* Returns the id of a source file among the modules; 0: no room. */
static uint32_t source_module(struct lane *lane, const char *file)
{
    static struct {
        char *file;
        uint32_t id;
    } known[MODULES_MAX];
    static uint32_t count;
    char real[4096];

    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(known[i].file, file))
            return known[i].id;
    if (table.count == MODULES_MAX || count == MODULES_MAX || !(known[count].file = strdup(file)))
        return 0;
    if (!realpath(file, real))
        snprintf(real, sizeof real, "%s", file);
    known[count].id = ++table.count; /* it has no addresses */
    size_t bytes = strlen(real);
    struct spool_def_module *def = spool_reserve(
        recorder_definitions(lane), (uint32_t)((sizeof(struct spool_def_module) + bytes + 7) / 8));
    if (def) {
        *def = (struct spool_def_module){
            {SPOOL_DEF_MODULE, (uint16_t)((sizeof *def + bytes + 7) / 8), (uint16_t)bytes, 0},
            known[count].id,
            0,
            0};
        memcpy(def + 1, real, bytes);
    }
    return known[count++].id;
}

static uint32_t python_id(struct lane *lane, const struct python_place *place)
{
    uint64_t key = ((uintptr_t)place->code ^ (uint64_t)place->offset * 31) * 0x9E3779B97F4A7C15u;
    unsigned at = (unsigned)(key >> 54);

    if (python_site[at].code == place->code && python_site[at].offset == place->offset &&
        python_site[at].file == place->file)
        return python_site[at].id;
    size_t bytes = strnlen(place->function, 1024);
    uint32_t module = source_module(lane, place->file),
             words = (uint32_t)((sizeof(struct spool_def_site) + bytes + 7) / 8);
    struct spool_def_site *def = spool_reserve(recorder_definitions(lane), words);
    if (!def)
        return 0;
    int line = place->code ? python_line(place) : 0;
    *def =
        (struct spool_def_site){{SPOOL_DEF_SITE, (uint16_t)words, (uint16_t)bytes, SPOOL_SITE_LINE},
                                ++table.last_id,
                                module,
                                line > 0 ? (uint64_t)line : 0};
    memcpy(def + 1, place->function, bytes);
    python_site[at].code = place->code;
    python_site[at].offset = place->offset;
    python_site[at].file = place->file;
    return python_site[at].id = table.last_id;
}

/* Tells whether a frame may belong to a binding, as far as the recorder can know: it knows nothing
 * of source files. */
static bool may_bind(const void *address)
{
    return binding_sources() || binding_code(address) != BINDING_NONE;
}

/* Collects frames. If there are too many, each further one replaces the last. */
static _Unwind_Reason_Code unwind_facades(struct _Unwind_Context *context, void *argument)
{
    struct unwinding *u = argument;
    void **cfa = (void **)_Unwind_GetCFA(context);

    if (cfa < u->cfa || facade_of(cfa[-1]) || recorder_in_binding(cfa[-1]))
        return _URC_NO_REASON;
    u->caller_count -= u->caller_count == CALLERS_MAX;
    u->caller[u->caller_count++] = cfa[-1];
    bool bound =
        u->caller_count < CALLERS_MAX ? may_bind(cfa[-1]) : binding_code(cfa[-1]) != BINDING_NONE;
    return bound ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Returns the id of the site that is one of several callers. */
static uint32_t callers_id(struct lane *lane, const struct unwinding *u)
{
    static struct {
        uint32_t id, frame[CALLERS_MAX + 1];
    } chain[CHAINS];
    uint32_t frame[CALLERS_MAX + 1] = {[CALLERS_MAX] = u->from != NULL}, words;
    uint64_t key = frame[CALLERS_MAX], at;

    for (unsigned i = 0; i < u->caller_count; i++) {
        frame[i] = site_id(lane, u->caller[i]);
        key = (key ^ frame[i]) * 0x9E3779B97F4A7C15u;
    }
    if (u->caller_count == 1 && !u->from)
        return frame[0];
    for (at = key >> 32; chain[at % CHAINS].id; at++) {
        if (!memcmp(chain[at % CHAINS].frame, frame, sizeof frame))
            return chain[at % CHAINS].id;
        if (at - (key >> 32) == CHAINS / 2)
            return frame[u->caller_count - 1]; /* too many chains */
    }
    words = (uint32_t)((sizeof(struct spool_def_site) + u->caller_count * sizeof *frame + 7) / 8);
    struct spool_def_site *def = spool_reserve(recorder_definitions(lane), words);
    if (!def)
        return 0;
    *def =
        (struct spool_def_site){{SPOOL_DEF_SITE, (uint16_t)words,
                                 (uint16_t)(u->caller_count * sizeof *frame), SPOOL_SITE_CALLERS},
                                ++table.last_id,
                                0,
                                u->from != NULL};
    memcpy(def + 1, frame, u->caller_count * sizeof *frame);
    memcpy(chain[at % CHAINS].frame, frame, sizeof frame);
    return chain[at % CHAINS].id = table.last_id;
}

/* Returns the place of a call that the interpreter makes when it shuts down, as for mpi4py's
 * MPI_Finalize; 0: it is another call. */
static uint32_t exit_id(struct lane *lane, const void *address)
{
    static const struct python_place place = {.file = "<exit of Python>", .function = ""};
    Dl_info caller, python;
    void *own = python_ending() ? dlsym(RTLD_DEFAULT, "Py_IsInitialized") : NULL;

    return own && dladdr(own, &python) && dladdr(address, &caller) &&
                   caller.dli_fbase == python.dli_fbase
               ? python_id(lane, &place)
               : 0;
}

/* Returns the first place outside of bindings. */
static uint32_t outer_site(struct lane *lane, void **cfa)
{
    struct unwinding u = {.cfa = cfa, .from = facade_of(cfa[-1])};
    struct python_place place;
    uintptr_t end;

    if (u.from && u.from->python)
        return python_places(&place, 1) ? python_id(lane, &place) : site_id(lane, cfa[-1]);
    if (memory_stack((uintptr_t)cfa, &end)) /* not on a stack that the program made */
        _Unwind_Backtrace(unwind_facades, &u);
    return u.caller_count ? callers_id(lane, &u) : site_id(lane, cfa[-1]);
}

uint32_t recorder_site_slow(struct lane *lane, void **cfa)
{
    const void *address = cfa[-1];
    unsigned slot = (unsigned)(((uintptr_t)address * 0x9E3779B97F4A7C15u) >> 56);
    recorder_lock();
    if (lane->site[slot].address != address) {
        lane->site[slot].skip =
            facade_find(address) || may_bind(address) ? SKIP_EACH : binding_skip(cfa);
        lane->site[slot].address = address;
        uint32_t at_exit = lane->site[slot].skip ? 0 : exit_id(lane, address);
        lane->site[slot].id = lane->site[slot].skip ? 0
                              : at_exit             ? at_exit
                                                    : site_id(lane, address);
    }
    uint32_t skip = lane->site[slot].skip, id = skip == SKIP_EACH ? outer_site(lane, cfa)
                                                : skip ? site_id(lane, cfa[(int64_t)skip - 1])
                                                       : lane->site[slot].id;
    recorder_unlock();
    return id;
}

struct frames {
    void **cfa;
    uint32_t id[SITE_FRAMES_MAX];
    unsigned count, limit;
    struct lane *lane;
};

static _Unwind_Reason_Code one_frame(struct _Unwind_Context *context, void *argument)
{
    struct frames *f = argument;
    void **cfa = (void **)_Unwind_GetCFA(context);
    if (cfa < f->cfa || recorder_in_binding(cfa[-1]))
        return _URC_NO_REASON;
    f->id[f->count++] = site_id(f->lane, cfa[-1]);
    return f->count < f->limit ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static unsigned python_frames(struct lane *lane, uint32_t *id, unsigned limit)
{
    struct python_place place[SITE_FRAMES_MAX];
    unsigned count = python_places(place, limit);

    for (unsigned i = 0; i < count; i++)
        id[i] = python_id(lane, &place[i]);
    return count;
}

unsigned recorder_python_sites(struct lane *lane, const struct python_place *place, unsigned count,
                               uint32_t *out_id)
{
    unsigned known = 0;

    recorder_lock();
    bool between = signal_site_start(lane);
    for (unsigned i = 0; between && i < count; i++) {
        uint32_t id = python_id(lane, &place[i]);
        if (id)
            out_id[known++] = id;
    }
    if (between)
        spool_commit_written(recorder_definitions(lane));
    recorder_unlock();
    return known;
}

static void frames_keep(const struct frames *f, uint64_t seq)
{
    uint32_t words = (uint32_t)((sizeof(struct spool_stack) + f->count * sizeof *f->id + 7) / 8);
    struct spool_stack *record = f->count ? spool_reserve(&f->lane->writer, words) : NULL;

    if (!record)
        return;
    *record = (struct spool_stack){{SPOOL_STACK, (uint16_t)words, (uint16_t)f->count, 0}, seq};
    memcpy(record + 1, f->id, f->count * sizeof *f->id);
}

/* Records a stack by unwinding, which needs no frame pointers and takes a microsecond or two: only
 * on request. On a stack that the program made, for a coroutine, records only the call's own frame:
 * the unwinder would read beyond its unknown end. */
void recorder_stack(struct lane *lane, uint64_t seq, void **cfa)
{
    struct frames f = {.cfa = cfa, .lane = lane};
    uintptr_t end;
    f.limit = recorder.stack < SITE_FRAMES_MAX ? (unsigned)recorder.stack : SITE_FRAMES_MAX;
    if (!memory_stack((uintptr_t)cfa, &end))
        f.limit = 1;
    recorder_lock();
    const struct facade *from = facade_of(cfa[-1]);
    if (from && from->python)
        f.count = python_frames(lane, f.id, f.limit);
    if (!f.count)
        _Unwind_Backtrace(one_frame, &f);
    recorder_unlock();
    frames_keep(&f, seq);
}

void recorder_stack_destructor(struct lane *lane, uint64_t seq, void **cfa)
{
    struct frames f = {.cfa = cfa, .lane = lane};
    struct python_place place[SITE_FRAMES_MAX];
    bool destructs = false;

    if (recorder.stack > 0)
        return; /* all calls have their stacks */
    recorder_lock();
    const struct facade *from = facade_of(cfa[-1]);
    unsigned count = from && from->python ? python_places(place, SITE_FRAMES_MAX) : 0;
    for (unsigned i = 0; i < count; i++)
        destructs |= !strcmp(place[i].function, "__del__");
    for (unsigned i = 0; destructs && i < count; i++)
        f.id[f.count++] = python_id(lane, &place[i]);
    recorder_unlock();
    frames_keep(&f, seq);
}

/* --- in a signal handler (signal_site.h) ------------------------------------------------------ */

#ifdef DLFO_STRUCT_HAS_EH_DBASE
static int (*find_object)(void *address, struct dl_find_object *result);

bool signal_site_prepare(void)
{
    *(void **)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
    return find_object != NULL;
}

bool signal_site_known(uintptr_t address)
{
    struct dl_find_object object;
    return find_object((void *)address, &object) == 0;
}

/* Defines a module. Its program headers follow its ELF header, which is mapped at its start. */
static uint32_t signal_module(struct lane *lane, uintptr_t address)
{
    uint32_t known = module_known(address);
    struct dl_find_object object;
    struct search s = {.address = address};
    char path[1024];
    if (known || find_object((void *)address, &object) != 0)
        return known;
    const ElfW(Ehdr) *elf = object.dlfo_map_start;
    struct dl_phdr_info info = {
        .dlpi_addr = object.dlfo_link_map->l_addr,
        .dlpi_name = object.dlfo_link_map->l_name,
        .dlpi_phdr = (const void *)((const char *)object.dlfo_map_start + elf->e_phoff),
        .dlpi_phnum = elf->e_phnum};
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || !search_module(&info, sizeof info, &s))
        return 0;
    if (!s.path[0])
        core_program_file(path, sizeof path);
    return module_define(lane, &s, s.path[0] ? s.path : path);
}

uint32_t signal_site(struct lane *lane, uintptr_t address)
{
    uint32_t module = signal_module(lane, address);
    struct spool_def_site *def =
        module ? spool_reserve(recorder_definitions(lane), sizeof *def / 8) : NULL;
    if (!def)
        return 0;
    *def = (struct spool_def_site){{SPOOL_DEF_SITE, sizeof *def / 8, 0, 0},
                                   ++table.last_id,
                                   module,
                                   address - table.base[module - 1]};
    spool_commit_written(recorder_definitions(lane));
    return table.last_id;
}
#else
bool signal_site_prepare(void)
{
    return false;
}

bool signal_site_known(uintptr_t address)
{
    (void)address;
    return false;
}

uint32_t signal_site(struct lane *lane, uintptr_t address)
{
    (void)lane;
    (void)address;
    return 0;
}
#endif

bool signal_site_start(struct lane *lane)
{
    const struct spool_writer *writer = lane ? recorder_definitions(lane) : NULL;
    return writer && writer->header && writer->position == atomic_load(&writer->header->committed);
}
