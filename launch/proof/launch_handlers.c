/* Tells whether a signal handler may wake a thread of a rank that waits on a futex: handlers may
 * call sem_post. Handlers of errors and of termination signals do not count. Nor do those that the
 * MPI library has installed in MPI_Init, as long as no other was installed instead: the recorder
 * sees that, or nothing else in the process can install handlers. */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/table.h"
#include "launch/launch_inside.h"

/* --- modules ---------------------------------------------------------------------------------- */

struct module { /* a file that was examined */
    struct module_key {
        uint64_t device, file;
        int64_t seconds, nanoseconds; /* time of its last change */
    } key;
    bool harmless;
};

/* Tells whether an undefined symbol is a function that installs handlers. */
static bool is_setter(const char *name)
{
    static const char *const setter[] = {"signal",   "sigaction",   "bsd_signal",    "ssignal",
                                         "sigset",   "sysv_signal", "__sysv_signal", "sigvec",
                                         "__signal", "__sigaction"};

    for (size_t i = 0; i < sizeof setter / sizeof *setter; i++)
        if (!strcmp(name, setter[i]))
            return true;
    return false;
}

/* Tells whether the module cannot install handlers. */
static bool imports_no_setter(int fd)
{
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
    Elf_Scn *section = NULL;
    bool known = false, none = true;

    while (elf && (section = elf_nextscn(elf, section)) && none) {
        Elf_Data *data = NULL;
        GElf_Shdr header;
        GElf_Sym symbol;

        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        known = true;
        for (size_t i = 1; i < header.sh_size / header.sh_entsize && none; i++) {
            const char *name = gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx == SHN_UNDEF
                                   ? elf_strptr(elf, header.sh_link, symbol.st_name)
                                   : "";

            none = name && !is_setter(name);
        }
    }
    elf_end(elf);
    return known && none;
}

/* Tells whether the object belongs to the MPI library or the recorder, whose handlers are known, to
 * the C library, which installs none, or to libbsd, which installs some only while it reads a pass
 * phrase. */
static bool is_library(const char *path)
{
    static const char *const start[] = {"libmpi",  "libucs.", "libcrosswait",
                                        "libbsd.", "libc.so", "ld-linux"};
    const char *name = strrchr(path, '/');

    for (size_t i = 0; name && i < sizeof start / sizeof *start; i++)
        if (!strncmp(name + 1, start[i], strlen(start[i])))
            return true;
    return false;
}

static bool module_is_harmless(const char *path)
{
    static struct core_table modules = CORE_TABLE(struct module, key);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat file;
    struct module *module;
    bool harmless = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &file) == 0) {
        const struct module_key key = {.device = file.st_dev,
                                       .file = file.st_ino,
                                       .seconds = file.st_mtim.tv_sec,
                                       .nanoseconds = file.st_mtim.tv_nsec};

        module = core_table_find(&modules, &key);
        harmless = module ? module->harmless : imports_no_setter(fd);
        if (!module && core_table_put(&modules, &key, "modules of ranks", &module) == CORE_OK)
            module->harmless = harmless;
    }
    close(fd);
    return harmless;
}

/* Tells whether only the MPI library, the recorder and the C library can install handlers in the
 * process. Code outside of any file may do so too. */
static bool modules_are_harmless(pid_t pid)
{
    char path[64], line[8192], access[8];
    bool harmless;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    file = fopen(path, "re");
    harmless = file != NULL;
    while (file && harmless && fgets(line, sizeof line, file)) {
        int at = 0;

        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%*x-%*x %7s %*x %*s %*u %n", access, &at) != 1 || access[2] != 'x')
            continue;
        if (!strcmp(line + at, "[vdso]") || !strcmp(line + at, "[vsyscall]"))
            continue;
        harmless = line[at] == '/' && (is_library(line + at) || module_is_harmless(line + at));
    }
    if (file)
        fclose(file);
    return harmless;
}

/* --- handlers --------------------------------------------------------------------------------- */

bool launch_handlers_may_wake(const struct launch_rank *rank, uint64_t caught)
{
    static const int other[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT, SIGTRAP,
                                SIGSYS,  SIGINT, SIGTERM, SIGQUIT, SIGHUP,  SIGPIPE};
    enum { CANCEL = 32, SETXID = 33 }; /* used by the C library itself */
    uint64_t own = 0;
    bool followed = false;

    _Static_assert(SETXID == CANCEL + 1, "two bits");
    caught &= ~(3ull << (CANCEL - 1));
    for (uint32_t i = 0; i < sizeof other / sizeof *other; i++)
        caught &= ~(1ull << (other[i] - 1));
    for (uint32_t l = 0; l < rank->lane_count; l++)
        if (rank->lane[l].header.own_signals) {
            own |= rank->lane[l].header.own_signals;
            followed |= rank->lane[l].header.flags & SPOOL_FLAG_HANDLERS;
        }
    return caught & ~own || (caught && !followed && !modules_are_harmless(rank->pid));
}
