/* See binding_code.h. At the first query for an object, its symbols' addresses are read twice, to
 * index the functions that begin in each stretch of its address range. Names are read only for
 * functions that hold a queried address. The file is not kept open, nor mapped: it may be cut
 * meanwhile.
 *
 * Invariants
 *  1. symbol[first[b], first[b + 1]) are those that begin in stretch b, for each b < stretches. */
#include "program/binding_code.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/binding.h"
#include "core/check.h"
#include "core/work.h"

struct span {
    uintptr_t start, end;
};
struct part { /* section of a file */
    uint64_t at, bytes;
};

enum { OBJECTS_MAX = 512, EACH = 4 /* intended functions per stretch */, AT_ONCE = 1024 };
static struct object {
    struct span whole;
    uintptr_t bias;
    char *path; /* NULL: no readable symbols */
    struct stat about;
    struct part symbols, names;
    uint32_t *first, *symbol; /* invariant 1 */
    uint32_t stretches;
    unsigned shift; /* right shift from an offset to its stretch */
} objects[OBJECTS_MAX];
static unsigned object_count;

/* --- symbols of a file ------------------------------------------------------------------------ */

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    return bytes <= SSIZE_MAX && at <= INT64_MAX &&
           pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* Finds the table of all functions, or else of those that other objects may call. */
static bool symbols_find(struct object *object, int fd)
{
    ElfW(Ehdr) head;
    ElfW(Shdr) table = {.sh_type = SHT_NULL}, section, names;

    if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_shentsize != sizeof section)
        return false;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        if (!read_at(fd, &section, sizeof section, head.e_shoff + i * sizeof section))
            return false;
        if (section.sh_type == SHT_SYMTAB ||
            (section.sh_type == SHT_DYNSYM && table.sh_type == SHT_NULL))
            table = section;
    }
    if (table.sh_type == SHT_NULL || table.sh_link >= head.e_shnum ||
        !read_at(fd, &names, sizeof names, head.e_shoff + table.sh_link * sizeof names))
        return false;
    object->symbols = (struct part){table.sh_offset, table.sh_size};
    object->names = (struct part){names.sh_offset, names.sh_size};
    return table.sh_size / sizeof(ElfW(Sym)) < UINT32_MAX;
}

static bool is_function(const struct object *object, const ElfW(Sym) * s)
{
    return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF && s->st_size &&
           s->st_value + object->bias >= object->whole.start &&
           s->st_value + object->bias < object->whole.end;
}

static uint32_t stretch_of(const struct object *object, uintptr_t address)
{
    return (uint32_t)((address - object->whole.start) >> object->shift);
}

/* Counts how many functions begin in each stretch (count), or adds each to its stretch. Returns
 * false if the file could not be read. */
static bool functions_place(struct object *object, int fd, bool count)
{
    ElfW(Sym) symbol[AT_ONCE];
    uint64_t total = object->symbols.bytes / sizeof *symbol;

    CORE_CHECK(object->first && (count || object->symbol));
    for (uint64_t from = 0; from < total; from += AT_ONCE) {
        size_t n = total - from < AT_ONCE ? (size_t)(total - from) : AT_ONCE;
        if (!read_at(fd, symbol, n * sizeof *symbol, object->symbols.at + from * sizeof *symbol))
            return false;
        for (size_t i = 0; i < n; i++) {
            if (!is_function(object, &symbol[i]))
                continue;
            uint32_t b = stretch_of(object, symbol[i].st_value + object->bias),
                     *slot = &object->first[b];
            CORE_CHECK(b < object->stretches); /* is_function accepts none outside of the object */
            if (!count && *slot == (b ? object->first[b - 1] : 0))
                return false; /* more than were counted: the file has changed */
            if (count)
                ++*slot;
            else
                object->symbol[--*slot] = (uint32_t)(from + i);
        }
    }
    return true;
}

static bool functions_sort(struct object *object, int fd)
{
    uint64_t wanted = object->symbols.bytes / sizeof(ElfW(Sym)) / EACH + 1,
             span = object->whole.end - object->whole.start;

    while (span >> object->shift >= wanted)
        object->shift++;
    object->stretches = (uint32_t)(span >> object->shift) + 1;
    object->first = calloc((size_t)object->stretches + 1, sizeof *object->first);
    if (!object->first || !functions_place(object, fd, true))
        return false;
    for (uint32_t b = 1; b <= object->stretches; b++)
        object->first[b] += object->first[b - 1];
    object->symbol = calloc((size_t)object->first[object->stretches] + 1, sizeof *object->symbol);
    return object->symbol && functions_place(object, fd, false);
}

static void functions_read(struct object *object, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &object->about) == 0 && S_ISREG(object->about.st_mode) &&
                symbols_find(object, fd) && functions_sort(object, fd) &&
                (object->path = strdup(path));

    if (fd >= 0)
        close(fd);
    if (good)
        return;
    free(object->first);
    free(object->symbol);
    object->first = object->symbol = NULL;
}

static enum binding binding_named(const struct object *object, int fd, uint32_t name)
{
    char text[4096] = "";
    uint64_t left = name < object->names.bytes ? object->names.bytes - name : 0;
    size_t bytes = left < sizeof text ? (size_t)left : sizeof text;

    if (!bytes || !read_at(fd, text, bytes, object->names.at + name))
        return BINDING_NONE;
    text[bytes - 1] = '\0';
    core_work(1);
    return binding_symbol(text);
}

/* Finds the last functions of a stretch that hold the address. */
static bool stretch_look(const struct object *object, int fd, uint32_t stretch, uintptr_t address,
                         enum binding *out_binding)
{
    uintptr_t best = 0;
    bool found = false;

    CORE_CHECK(object->first[stretch] <= object->first[stretch + 1]); /* invariant 1 */
    for (uint32_t i = object->first[stretch]; i < object->first[stretch + 1]; i++) {
        ElfW(Sym) s;
        if (!read_at(fd, &s, sizeof s, object->symbols.at + object->symbol[i] * sizeof s))
            continue;
        uintptr_t start = s.st_value + object->bias;
        if (start > address || address - start >= s.st_size || (found && start < best))
            continue;
        enum binding binding = binding_named(object, fd, s.st_name);
        *out_binding = found && start == best && *out_binding > binding ? *out_binding : binding;
        best = start;
        found = true;
    }
    return found;
}

/* Searches some earlier stretches as well if no function holds the address: a function may contain
 * another one. */
static enum binding function_look(const struct object *object, int fd, uintptr_t address)
{
    enum { MORE = 4 };
    enum binding binding = BINDING_NONE;
    int more = 0;

    CORE_CHECK(address >= object->whole.start && address < object->whole.end);
    for (uint32_t b = stretch_of(object, address) + 1; b-- > 0 && more < MORE;) {
        CORE_CHECK(b < object->stretches);
        if (stretch_look(object, fd, b, address, &binding))
            break;
        more += object->first[b] < object->first[b + 1];
    }
    return binding;
}

/* --- addresses -------------------------------------------------------------------------------- */

struct search {
    struct object object;
    uintptr_t address;
    char path[4096];
};

static int object_find(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    struct span whole = {UINTPTR_MAX, 0};
    bool inside = false;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                  end = start + info->dlpi_phdr[i].p_memsz;
        inside |= search->address >= start && search->address < end;
        whole.start = start < whole.start ? start : whole.start;
        whole.end = end > whole.end ? end : whole.end;
    }
    if (!inside)
        return 0;
    CORE_CHECK(search->address >= whole.start);
    CORE_CHECK(search->address < whole.end);
    search->object = (struct object){.whole = whole, .bias = info->dlpi_addr};
    strncpy(search->path, *info->dlpi_name ? info->dlpi_name : "/proc/self/exe",
            sizeof search->path - 1);
    return 1;
}

static struct object *object_of(uintptr_t address)
{
    struct search search = {.address = address};

    CORE_CHECK(object_count <= OBJECTS_MAX);
    for (unsigned i = 0; i < object_count; i++)
        if (address >= objects[i].whole.start && address < objects[i].whole.end)
            return &objects[i];
    if (object_count == OBJECTS_MAX || !dl_iterate_phdr(object_find, &search))
        return NULL;
    CORE_CHECK(search.object.whole.start < search.object.whole.end);
    functions_read(&search.object, search.path);
    objects[object_count] = search.object;
    return &objects[object_count++];
}

enum binding binding_code(const void *address)
{
    uintptr_t call = (uintptr_t)address - 1; /* the byte behind the call may belong to another
                                                function */
    const struct object *object = object_of(call);
    int fd = object && object->path ? open(object->path, O_RDONLY | O_CLOEXEC) : -1;
    enum binding binding = BINDING_NONE;
    struct stat now;

    if (fd >= 0 && fstat(fd, &now) == 0 && now.st_dev == object->about.st_dev &&
        now.st_ino == object->about.st_ino && now.st_size == object->about.st_size &&
        now.st_mtim.tv_sec == object->about.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == object->about.st_mtim.tv_nsec)
        binding = function_look(object, fd, call);
    if (fd >= 0)
        close(fd);
    return binding;
}
