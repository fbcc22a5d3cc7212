/* See clock.h. A name with "time", "clock" or "chrono" in it is taken for one: better a clock too
 * many than a difference that is none. */
#include "cli/libraries/clock.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/libraries/fit.h"
#include "launch/launch.h"

enum { SCRIPT_BYTES_MAX = 1 << 20 };

static bool names_clock(const char *text)
{
    return strcasestr(text, "time") || strcasestr(text, "clock") || strcasestr(text, "chrono");
}

static bool section_imports(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 0; data && i < count; i++) {
        GElf_Sym symbol;
        const char *name = NULL;
        if (gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx == SHN_UNDEF)
            name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && names_clock(name))
            return true;
    }
    return false;
}

static bool elf_imports(Elf *elf)
{
    GElf_Shdr header;

    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
            section_imports(elf, section, &header))
            return true;
    return false;
}

static bool script_names(int fd)
{
    static char text[SCRIPT_BYTES_MAX + 1];
    ssize_t bytes = pread(fd, text, SCRIPT_BYTES_MAX, 0);

    text[bytes > 0 ? bytes : 0] = '\0';
    return names_clock(text);
}

/* Looks at programs that link with MPI only: launchers and interpreters read clocks themselves.
 */
static bool file_names(const char *word, const char *path)
{
    struct launch_linked linked;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    bool found = false;

    launch_library_linked(word, &linked);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && elf_version(EV_CURRENT)) {
        Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
        bool program = elf && elf_kind(elf) == ELF_K_ELF;
        found = program ? linked.count && elf_imports(elf) : script_names(fd);
        elf_end(elf);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

bool clock_is_read(char *const *command)
{
    char path[PATH_MAX];

    for (; *command; command++) {
        if (fit_is_launcher(*command)) /* it may be a script */
            continue;
        launch_program_find(*command, path);
        if (*path == '\0' && access(*command, R_OK) == 0)
            snprintf(path, sizeof path, "%s", *command); /* app.py: not executable */
        if (*path && access(path, R_OK) == 0 ? file_names(*command, path) : names_clock(*command))
            return true;
    }
    return false;
}
