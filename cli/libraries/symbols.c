/* See symbols.h. */
#include "cli/libraries/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns false when fn does. */
static bool section_each(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, bool exports,
                         symbols_fn fn, void *context)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 1; data && i < count && i < INT_MAX; i++) { /* the first entry is null */
        GElf_Sym symbol;
        const char *name = NULL;
        if (gelf_getsym(data, (int)i, &symbol) && (symbol.st_shndx != SHN_UNDEF) == exports)
            name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && !fn(name, context))
            return false;
    }
    return true;
}

static void elf_each(Elf *elf, bool exports, symbols_fn fn, void *context)
{
    GElf_Shdr header;

    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
            !section_each(elf, section, &header, exports, fn, context))
            return;
}

bool symbols_each(const char *path, bool exports, symbols_fn fn, void *context)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    bool is_elf = false;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && elf_version(EV_CURRENT)) {
        Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
        is_elf = elf && elf_kind(elf) == ELF_K_ELF;
        if (is_elf)
            elf_each(elf, exports, fn, context);
        elf_end(elf);
    }
    if (fd >= 0)
        close(fd);
    return is_elf;
}
