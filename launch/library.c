/* Finds libcrosswait.so, which is preloaded into every process of the job and finds the MPI library
 * there, and the word of a command that is the MPI program: the first that is linked with such a
 * library. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/check.h"
#include "core/file.h"
#include "launch/launch_inside.h"

static bool is_mpi(const char *soname)
{
    return !strncmp(soname, "libmpi", strlen("libmpi"));
}

static const char *entry_text(Elf *elf, const GElf_Shdr *header, const GElf_Dyn *entry)
{
    const char *text = elf_strptr(elf, header->sh_link, entry->d_un.d_val);

    return text ? text : "";
}

/* Adds the MPI libraries that the dynamic section names. */
static void section_read(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                         struct launch_linked *linked)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 0; data && i < count && i < INT_MAX; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry))
            continue;
        if (entry.d_tag == DT_NEEDED && is_mpi(entry_text(elf, header, &entry)) &&
            linked->count < LAUNCH_LINKED_MAX)
            snprintf(linked->name[linked->count++], LAUNCH_LINKED_BYTES, "%s",
                     entry_text(elf, header, &entry));
        char *folders = entry.d_tag == DT_RPATH     ? linked->rpath
                        : entry.d_tag == DT_RUNPATH ? linked->runpath
                                                    : NULL;
        if (folders)
            snprintf(folders, PATH_MAX, "%s", entry_text(elf, header, &entry));
    }
}

static void elf_read(Elf *elf, struct launch_linked *linked)
{
    GElf_Shdr header;

    if (!elf || elf_kind(elf) != ELF_K_ELF)
        return;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
            section_read(elf, section, &header, linked);
}

static void file_read(const char *path, struct launch_linked *linked)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && elf_version(EV_CURRENT)) {
        Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
        elf_read(elf, linked);
        elf_end(elf);
    }
    if (fd >= 0)
        close(fd);
}

void launch_program_find(const char *word, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");

    snprintf(path, PATH_MAX, "%s", word);
    if (strchr(word, '/') || !folders)
        return;
    for (const char *at = folders; *at; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(path, PATH_MAX, "%.*s/%s", (int)strcspn(at, ":"), at, word);
        if (access(path, X_OK) == 0)
            return;
    }
    path[0] = '\0';
}

void launch_library_linked(const char *word, struct launch_linked *out_linked)
{
    char path[PATH_MAX];

    *out_linked = (struct launch_linked){0};
    launch_program_find(word, path);
    if (*path)
        file_read(path, out_linked);
}

static bool word_needs_mpi(const char *word)
{
    struct launch_linked linked;

    launch_library_linked(word, &linked);
    return linked.count > 0;
}

char *const *launch_library_program(char *const *command)
{
    while (*command && !word_needs_mpi(*command))
        command++;
    return command;
}

/* Finds a library of ours, beside the executable or where it is installed; NULL: not there. */
static char *find_own(const char *name)
{
    static const char *const place[] = {"", "../lib/crosswait/"};
    char self[PATH_MAX], path[PATH_MAX + 64], *found = NULL;

    if (!core_program_folder(self, sizeof self))
        return NULL;
    for (size_t i = 0; i < sizeof place / sizeof *place && !found; i++) {
        snprintf(path, sizeof path, "%s/%s%s", self, place[i], name);
        found = realpath(path, NULL);
    }
    return found;
}

enum core_status launch_library_find(struct launch *launch)
{
    static const char *const names[] = {"libcrosswait.so", "libcrosswait-threads.so"};
    int count = launch->options->threads ? 2 : 1;
    char *path[2] = {NULL, NULL};
    enum core_status status = CORE_OK;

    for (int i = 0; i < count && status == CORE_OK; i++) {
        path[i] = find_own(names[i]);
        if (!path[i])
            status = core_report(CORE_NOT_FOUND,
                                 "cannot find %s beside the command 'crosswait' or in "
                                 "../lib/crosswait; build or install crosswait again",
                                 names[i]);
        else if (strpbrk(path[i], " :;\t"))
            status = core_report(
                CORE_UNSUPPORTED,
                "cannot preload '%s': the loader takes no path with spaces, colons or semicolons",
                path[i]);
    }
    if (status == CORE_OK && asprintf(&launch->library, count > 1 ? "%s:%s" : "%s", path[0],
                                      count > 1 ? path[1] : "") < 0)
        status = core_report(CORE_NO_MEMORY, "out of memory for the name of a library");
    free(path[0]);
    free(path[1]);
    return status;
}
