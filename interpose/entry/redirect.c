/* See redirect.h. */
#include "interpose/entry/redirect.h"

#include <dlfcn.h>
#include <stddef.h>
#include <sys/mman.h>

#include "interpose/entry/body.h"
#include "interpose/entry/exception.h"
#include "interpose/entry/system.h"
#include "interpose/entry/termination.h"

enum { LIBRARIES_MAX = 8, ASKED_MAX = 16, OBJECTS_MAX = 4096, WAITS_MAX = 1000000 };

/* One recorder per family: libcrosswait-NAME.so. The first whose mark the library mentions is used.
 * (In Open MPI 6 another library has the variable.) */
static const struct family {
    char name[8], mark[24];
} families[] = {
    {"openmpi", "ompi_mpi_comm_world"},
    {"mpich", "MPI_UNWEIGHTED"},
    {"abi", "MPI_Abi_get_version"},
};
enum { FAMILIES = sizeof families / sizeof *families };

struct entry {
    const char *name;
    void *function; /* the function that the entry replaces */
    int library;    /* index of its library; ALONE: none */
    before_fn before;
};
enum { ALONE = -1 };

struct library {
    struct object object;
    const char *file;
    const struct family *family; /* NULL: unknown */
    const struct body *body;     /* of its recorder, once loaded */
};

void *_Atomic redirect_slots[ENTRIES]; /* target of each entry's jump */
extern char redirect_entries[];
void *redirect_resolve(uint64_t number, const uint64_t *registers);

static struct {
    struct mapped {
        uintptr_t base;
        const Elf64_Dyn *dynamic;
        bool there; /* visited since redirect_look_begins */
    } object[OBJECTS_MAX];
    struct entry entry[ENTRIES];
    struct library library[LIBRARIES_MAX];
    uint32_t object_count, entry_count;
    struct library *starting; /* whose recorder is starting */
    int library_count;
    const char *asked[ASKED_MAX];
    uint32_t asked_count;
    uint64_t *signals; /* redirect_signal */
    bool signals_seen;
    _Atomic int lock;
    /* Functions of the program's namespace. */
    void *(*dlmopen)(Lmid_t space, const char *file, int mode);
    void *(*dlsym)(void *handle, const char *name);
    char *(*dlerror)(void);
    void *(*old_dlopen)(const char *file, int mode); /* for a libc without the above */
    void *(*old_dlsym)(void *handle, const char *name);
} all;

/* --- entries ---------------------------------------------------------------------------------- */

static char *entry_code(uint32_t number)
{
    return redirect_entries + (size_t)number * ENTRY_BYTES;
}

/* Tells whether functions of this name get entries: those of MPI, and those by which MPICH's family
 * raises errors. */
static bool name_is_led(const char *name)
{
    static const char begins[][16] = {"MPI_", "PMPI_", "MPIX_", "PMPIX_", "MPIR_Err_return"};

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (text_begins(name, begins[i]))
            return true;
    return false;
}

static bool entry_add(const struct object *object, Elf64_Sym *symbol, int library, before_fn before)
{
    uint32_t number = all.entry_count;

    if (number == ENTRIES)
        return false;
    all.entry[number] = (struct entry){object_name(object, symbol), object_address(object, symbol),
                                       library, before};
    redirect_slots[number] = entry_code(number) + ENTRY_RESOLVES;
    all.entry_count++;
    symbol->st_value = (uintptr_t)entry_code(number) - object->base;
    return true;
}

static uint32_t entry_find(const char *name, int library)
{
    uint32_t i = 0;

    while (i < all.entry_count &&
           (all.entry[i].library != library || !text_equal(all.entry[i].name, name)))
        i++;
    return i;
}

static bool entry_at(const void *address)
{
    return (uintptr_t)address - (uintptr_t)redirect_entries < (uintptr_t)ENTRIES * ENTRY_BYTES;
}

/* --- libraries -------------------------------------------------------------------------------- */

static bool symbols_open(const struct object *object, struct mapping *out)
{
    return mapping_open((uintptr_t)object->symbol,
                        (uintptr_t)(object->symbol + object_count(object)), out);
}

static void symbols_close(const struct object *object, const struct mapping *mapping)
{
    mapping_close(mapping, (uintptr_t)object->symbol,
                  (uintptr_t)(object->symbol + object_count(object)));
}

/* Tells whether the object is an MPI library. Few tools define PMPI functions, and none defines all
 * of these. */
static bool is_library(const struct object *object)
{
    static const char needed[][20] = {"PMPI_Init", "PMPI_Comm_rank", "PMPI_Finalize"};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const Elf64_Sym *symbol = object_defines(object, needed[i]);
        if (!symbol || !object_is_function(symbol))
            return false;
    }
    return !text_begins(object->soname, "libcrosswait");
}

/* Tells whether the object may be a tool between program and library: it calls PMPI functions, or
 * finds functions itself. */
static bool may_be_tool(const struct object *object)
{
    uint32_t count = object_count(object);

    if (is_library(object))
        return false;
    for (uint32_t i = 1; i < count; i++) {
        const char *name = object_name(object, &object->symbol[i]);
        if (object->symbol[i].st_shndx != SHN_UNDEF)
            continue;
        if (text_begins(name, "PMPI_") || text_equal(name, "dlsym"))
            return true;
    }
    return false;
}

static void lead_tool(const struct object *tool, const struct object *library, int index)
{
    uint32_t count = object_count(library);
    struct mapping mapping;
    bool open = false;

    for (uint32_t i = 1; i < count; i++) {
        const char *name = object_name(library, &library->symbol[i]);
        if (!object_is_function(&library->symbol[i]) || !name_is_led(name))
            continue;
        Elf64_Sym *own = object_defines(tool, name);
        if (!own || !object_is_function(own) || entry_find(name, index) < all.entry_count)
            continue;
        if (!open && !(open = symbols_open(tool, &mapping)))
            return;
        entry_add(tool, own, index, NULL);
    }
    if (open)
        symbols_close(tool, &mapping);
}

static void lead_library(const struct object *object, int index)
{
    uint32_t tools, count = object_count(object);
    struct mapping mapping;

    for (uint32_t i = 0; i < all.object_count; i++) {
        struct object tool;
        if (all.object[i].base != object->base &&
            object_read(all.object[i].base, all.object[i].dynamic, &tool) && may_be_tool(&tool))
            lead_tool(&tool, object, index);
    }
    if (!symbols_open(object, &mapping))
        return;
    tools = all.entry_count;
    for (uint32_t i = 1; i < count; i++) {
        Elf64_Sym *symbol = &object->symbol[i];
        const char *name = object_name(object, symbol);
        if (object_is_function(symbol) && name_is_led(name) &&
            (!tools || entry_find(name, index) >= tools))
            entry_add(object, symbol, index, NULL);
    }
    symbols_close(object, &mapping);
}

static const struct family *family_of(const struct object *object)
{
    for (int i = 0; i < FAMILIES; i++)
        if (object_mentions(object, families[i].mark))
            return &families[i];
    return NULL;
}

static void find_loader(const struct object *object)
{
    static const struct {
        const char name[20];
        size_t offset;
    } wanted[] = {
        {"dlmopen", offsetof(__typeof__(all), dlmopen)},
        {"dlsym", offsetof(__typeof__(all), dlsym)},
        {"dlerror", offsetof(__typeof__(all), dlerror)},
        {"__libc_dlopen_mode", offsetof(__typeof__(all), old_dlopen)},
        {"__libc_dlsym", offsetof(__typeof__(all), old_dlsym)},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void **at = (void **)((char *)&all + wanted[i].offset);
        Elf64_Sym *symbol = *at ? NULL : object_defines(object, wanted[i].name);
        if (symbol)
            *at = object_address(object, symbol);
    }
}

static bool is_led(const struct object *object)
{
    return entry_at(object_address(object, object_defines(object, "PMPI_Finalize")));
}

/* Returns the object if it is known; else NULL. A library that was closed and loaded again may lie
 * at the same place. */
static struct mapped *object_known(uintptr_t base, const Elf64_Dyn *dynamic,
                                   const struct object *object)
{
    for (uint32_t i = 0; i < all.object_count; i++)
        if (all.object[i].base == base && all.object[i].dynamic == dynamic)
            return object && is_library(object) && !is_led(object) ? NULL : &all.object[i];
    return NULL;
}

bool redirect_opened(uintptr_t base, const Elf64_Dyn *dynamic, const char *file)
{
    struct object object;
    bool readable = object_read(base, dynamic, &object);
    struct mapped *known = object_known(base, dynamic, readable ? &object : NULL);

    if (known) {
        known->there = true;
        return false;
    }
    if (all.object_count < OBJECTS_MAX)
        all.object[all.object_count++] = (struct mapped){base, dynamic, true};
    if (!readable)
        return true;
    if (text_equal(object.soname, "libc.so.6") || text_equal(object.soname, "libdl.so.2"))
        find_loader(&object);
    if (!is_library(&object) || all.library_count == LIBRARIES_MAX)
        return true;
    all.library[all.library_count] =
        (struct library){.object = object, .file = file, .family = family_of(&object)};
    lead_library(&object, all.library_count++);
    return true;
}

/* Removes an object. The objects behind it keep their order. */
static void object_forget(uint32_t i)
{
    for (all.object_count--; i < all.object_count; i++)
        all.object[i] = all.object[i + 1];
}

void redirect_closed(uintptr_t base)
{
    for (uint32_t i = all.object_count; i-- > 0;)
        if (all.object[i].base == base)
            object_forget(i);
}

void redirect_look_begins(void)
{
    for (uint32_t i = 0; i < all.object_count; i++)
        all.object[i].there = false;
}

void redirect_look_ends(void)
{
    for (uint32_t i = all.object_count; i-- > 0;)
        if (!all.object[i].there)
            object_forget(i);
}

uint32_t redirect_count(void)
{
    return all.entry_count;
}

/* Tells whether the function has an entry of its own, not as part of a library. */
static bool name_is_asked(const char *name)
{
    for (uint32_t i = 0; i < all.asked_count; i++)
        if (text_equal(name, all.asked[i]))
            return true;
    return false;
}

void redirect_before(const struct object *object, const char *name, before_fn called)
{
    uint32_t count = object_count(object);
    struct mapping mapping;
    bool open = all.asked_count < ASKED_MAX && object_defines(object, name) &&
                symbols_open(object, &mapping);

    if (open && !name_is_asked(name))
        all.asked[all.asked_count++] = name;
    for (uint32_t i = 1; open && i < count; i++)
        if (object_is_function(&object->symbol[i]) &&
            text_equal(object_name(object, &object->symbol[i]), name))
            entry_add(object, &object->symbol[i], ALONE, called);
    if (open)
        symbols_close(object, &mapping);
}

/* --- earlier bindings ------------------------------------------------------------------------- */

/* Makes the slot's mapping writable, one mapping at a time: an object's slots lie in one or two. */
static bool slot_open(uintptr_t at, struct mapping *mapping, bool *open)
{
    if (*open && at >= mapping->start && at < mapping->end)
        return true;
    if (*open)
        mapping_close(mapping, mapping->start, mapping->end);
    *open = mapping_find(at, mapping) && mapping_open(mapping->start, mapping->end, mapping);
    return *open;
}

/* Returns the new address for a slot bound to a function of that name; NULL: no change. */
typedef void *(*instead_fn)(const char *name, const void *bound, const void *context);

static void redirect_rebind_one(const struct object *object, const Elf64_Rela *rela, uint64_t count,
                                instead_fn instead, const void *context)
{
    struct mapping mapping;
    bool open = false;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t type = ELF64_R_TYPE(rela[i].r_info);
        void **at = (void **)(object->base + rela[i].r_offset);
        if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) ||
            rela[i].r_addend)
            continue;
        const char *name = object_name(object, &object->symbol[ELF64_R_SYM(rela[i].r_info)]);
        void *to = instead(name, *at, context);
        if (to && slot_open((uintptr_t)at, &mapping, &open))
            *at = to;
    }
    if (open)
        mapping_close(&mapping, mapping.start, mapping.end);
}

/* Returns the entry of a function. */
static void *entry_instead(const char *name, const void *bound, const void *context)
{
    (void)context;
    if (!name_is_led(name) && !name_is_asked(name))
        return NULL;
    for (uint32_t i = 0; i < all.entry_count; i++)
        if (all.entry[i].function == bound && text_equal(all.entry[i].name, name))
            return entry_code(i);
    return NULL;
}

void redirect_rebind(uintptr_t base, const Elf64_Dyn *dynamic)
{
    struct object object;

    if (!all.entry_count || !object_read(base, dynamic, &object) ||
        text_begins(object.soname, "libcrosswait"))
        return;
    redirect_rebind_one(&object, object.rela, object.rela_count, entry_instead, NULL);
    redirect_rebind_one(&object, object.plt, object.plt_count, entry_instead, NULL);
}

/* --- the recorder ----------------------------------------------------------------------------- */

/* Makes the path of a recorder, which lies beside this file. */
static bool recorder_path(const struct family *family, char *path, size_t room)
{
    struct mapping own;
    size_t at;

    if (!mapping_find((uintptr_t)redirect_entries, &own) || own.file[0] != '/')
        return false;
    at = text_append(path, 0, room, own.file);
    while (path[at - 1] != '/')
        at--;
    at = text_append(path, at, room, "libcrosswait-");
    at = text_append(path, at, room, family->name);
    at = text_append(path, at, room, ".so");
    return at + 1 < room;
}

struct binding {
    const char *name;
    void *to;
};

static void *binding_instead(const char *name, const void *bound, const void *context)
{
    const struct binding *binding = context;

    (void)bound;
    return text_equal(name, binding->name) ? binding->to : NULL;
}

static void library_bind(const char *name, void *to)
{
    const struct binding binding = {name, to};

    redirect_rebind_one(&all.starting->object, all.starting->object.rela,
                        all.starting->object.rela_count, binding_instead, &binding);
    redirect_rebind_one(&all.starting->object, all.starting->object.plt,
                        all.starting->object.plt_count, binding_instead, &binding);
}

static bool watch_signals(uint64_t *signals)
{
    if (all.signals_seen)
        __atomic_store_n(&all.signals, signals, __ATOMIC_SEQ_CST);
    return all.signals_seen;
}

static const struct body *recorder_open(const char *path)
{
    void *handle = NULL;
    const struct body *body = NULL;

    if (all.dlmopen && all.dlsym)
        handle = all.dlmopen(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL);
    else if (all.old_dlopen && all.old_dlsym)
        handle = all.old_dlopen(path, RTLD_NOW);
    if (handle)
        body = all.dlmopen && all.dlsym ? all.dlsym(handle, RECORDER_BODY_NAME)
                                        : all.old_dlsym(handle, RECORDER_BODY_NAME);
    return body && body->version == BODY_VERSION ? body : NULL;
}

static const struct body *recorder_load(const struct library *library)
{
    static char path[SYSTEM_PATH_BYTES];
    static const char nothing[] = "nothing is recorded, the program continues: ";
    const struct body *body;

    if (!library->family) {
        system_say(nothing, "crosswait has no recorder for its MPI library ", library->file);
        return NULL;
    }
    for (int i = 0; i < all.library_count; i++)
        if (all.library[i].body && all.library[i].family == library->family)
            return NULL; /* one recorder records one library */
    body = recorder_path(library->family, path, sizeof path) ? recorder_open(path) : NULL;
    if (!body) {
        const char *why = all.dlerror ? all.dlerror() : NULL;
        system_say(nothing,
                   "the recorder for its MPI library cannot be loaded: ", why ? why : path);
    }
    return body;
}

static const struct body_wrapper *wrapper_find(const struct body *body, const char *name)
{
    uint32_t first = 0, behind = body->count;

    while (first < behind) {
        uint32_t middle = first + (behind - first) / 2;
        int order = text_order(name, body->wrapper[middle].name);
        if (order == 0)
            return &body->wrapper[middle];
        if (order < 0)
            behind = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

/* Tells whether the name is an MPI function: these have lower-case letters; Fortran's functions,
 * and MPI_NULL_COPY_FN and the like, have none. */
static bool is_of_mpi(const char *name)
{
    size_t at = name[0] == 'P';

    if (!text_begins(name + at, "MPI_") && !text_begins(name + at, "MPIX_"))
        return false;
    while (name[at] && !(name[at] >= 'a' && name[at] <= 'z'))
        at++;
    return name[at] != '\0';
}

/* Returns the target for a function without a wrapper. */
static void *unknown_function(const struct body *body, const struct entry *entry, uint32_t *used)
{
    if (!body || *used == body->spare_count || !is_of_mpi(entry->name))
        return entry->function;
    const struct body_spare *spare = &body->spare[(*used)++];
    *spare->real = entry->function;
    *spare->name = entry->name + (entry->name[0] == 'P');
    return spare->wrapper;
}

static void library_start(int index)
{
    struct library *library = &all.library[index];
    const struct body *body = recorder_load(library);
    uint32_t used = 0;

    for (uint32_t i = 0; body && i < all.entry_count; i++) {
        const struct body_wrapper *wrapper =
            all.entry[i].library == index ? wrapper_find(body, all.entry[i].name) : NULL;
        if (wrapper)
            *wrapper->real = all.entry[i].function;
    }
    if (body) {
        const struct body_entry entry = {library->file,           library_bind,    watch_signals,
                                         termination_signal_seen, &exception_last, settings_kept()};
        all.starting = library;
        body->start(&entry);
    }
    library->body = body;
    for (uint32_t i = 0; i < all.entry_count; i++) {
        if (all.entry[i].library != index)
            continue;
        const struct body_wrapper *wrapper = body ? wrapper_find(body, all.entry[i].name) : NULL;
        redirect_slots[i] =
            wrapper ? wrapper->wrapper : unknown_function(body, &all.entry[i], &used);
    }
}

/* Returns false if another thread holds the lock, which may wait for the loader, which this thread
 * may hold. */
static bool lock_take(void)
{
    int waits = 0, free = 0;

    while (!__atomic_compare_exchange_n(&all.lock, &free, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        free = 0;
        if (waits++ == WAITS_MAX)
            return false;
        system_yield();
    }
    return true;
}

void redirect_signal(int signal)
{
    all.signals_seen = true;
    if (all.signals && signal > 0 && signal <= 64)
        __atomic_and_fetch(all.signals, ~(1ull << (signal - 1)), __ATOMIC_SEQ_CST);
}

/* Called by an entry whose target is not set yet. Returns where the call goes. */
void *redirect_resolve(uint64_t number, const uint64_t *registers)
{
    const struct entry *entry = &all.entry[number];
    void *unresolved = entry_code((uint32_t)number) + ENTRY_RESOLVES;

    if (entry->before)
        return entry->before(registers + FIRST_ARGUMENT, entry->function);
    if (!lock_take())
        return entry->function;
    if (redirect_slots[number] == unresolved)
        library_start(entry->library);
    __atomic_store_n(&all.lock, 0, __ATOMIC_RELEASE);
    return redirect_slots[number];
}
