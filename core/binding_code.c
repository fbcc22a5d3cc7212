/* See binding_code.h. */
#include "core/binding_code.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/binding.h"
#include "core/check.h"

struct span {
    uintptr_t start, end;
    enum binding binding; /* of a function */
};

enum { OBJECTS_MAX = 512 };
static struct object {
    struct span whole;
    uintptr_t bias;
    struct span *function; /* by their starts */
    size_t count;
} objects[OBJECTS_MAX];
static unsigned object_count;

/* --- symbols of a file ------------------------------------------------------------------------ */

struct symbols {
    const ElfW(Sym) * symbol;
    size_t count;
    const char *names;
    size_t names_bytes;
};

static const void *section_at(const char *file, size_t bytes, const ElfW(Shdr) * section)
{
    bool inside = section->sh_offset <= bytes && section->sh_size <= bytes - section->sh_offset,
         aligned = section->sh_type == SHT_STRTAB || section->sh_offset % _Alignof(ElfW(Sym)) == 0;

    return inside && aligned ? file + section->sh_offset : NULL;
}

/* Of all functions; else of those that other objects may call. */
static bool symbols_find(const char *file, size_t bytes, struct symbols *out)
{
    const ElfW(Ehdr) *head = (const void *)file;
    const ElfW(Shdr) * section, *table = NULL;

    if (bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof *section || head->e_shoff > bytes ||
        head->e_shoff % _Alignof(ElfW(Shdr)) ||
        head->e_shnum > (bytes - head->e_shoff) / sizeof *section)
        return false;
    section = (const void *)(file + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++)
        if (section[i].sh_type == SHT_SYMTAB || (section[i].sh_type == SHT_DYNSYM && !table))
            table = &section[i];
    if (!table || table->sh_link >= head->e_shnum)
        return false;
    *out = (struct symbols){section_at(file, bytes, table), table->sh_size / sizeof(ElfW(Sym)),
                            section_at(file, bytes, &section[table->sh_link]),
                            section[table->sh_link].sh_size};
    return out->symbol && out->names && out->names_bytes && !out->names[out->names_bytes - 1];
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

static void functions_keep(struct object *object, const struct symbols *symbols)
{
    size_t room = 0;

    for (const ElfW(Sym) *s = symbols->symbol; s < symbols->symbol + symbols->count; s++) {
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF || !s->st_size ||
            s->st_name >= symbols->names_bytes)
            continue;
        enum binding binding = binding_symbol(symbols->names + s->st_name);
        if (binding == BINDING_NONE)
            continue;
        if (object->count == room) {
            room = room ? 2 * room : 64;
            void *larger = realloc(object->function, room * sizeof *object->function);
            if (!larger)
                break;
            object->function = larger;
        }
        uintptr_t start = object->bias + s->st_value;
        object->function[object->count++] = (struct span){start, start + s->st_size, binding};
    }
    CORE_CHECK(object->count <= room);
    if (object->count)
        qsort(object->function, object->count, sizeof *object->function, by_start);
}

static void functions_read(struct object *object, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    struct symbols symbols;

    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        size_t bytes = (size_t)about.st_size;
        void *file = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            if (symbols_find(file, bytes, &symbols))
                functions_keep(object, &symbols);
            munmap(file, bytes);
        }
    }
    if (fd >= 0)
        close(fd);
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
    struct span whole = {UINTPTR_MAX, 0, BINDING_NONE};
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
    uintptr_t call = (uintptr_t)address - 1; /* what is behind the last call may be another's */
    const struct object *object = object_of(call);
    size_t low = 0, high = object ? object->count : 0;

    while (low < high) { /* the first that starts behind it */
        size_t middle = low + (high - low) / 2;
        CORE_CHECK(middle < object->count);
        if (object->function[middle].start > call)
            high = middle;
        else
            low = middle + 1;
    }
    return low && call < object->function[low - 1].end ? object->function[low - 1].binding
                                                       : BINDING_NONE;
}
