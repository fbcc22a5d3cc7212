/* Which MPI library a command runs with, and which of our libraries is preloaded for it: what a
 * program links with decides. Where no word of the command is a program that does (a script), the
 * library of its mpirun is taken, or Open MPI. Nothing breaks where that is wrong: the recorder of
 * another library records nothing, changes nothing, and says what --mpi has to name. */
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

static const struct mpi {
    const char *name;       /* for --mpi */
    const char *library;    /* ours */
    const char *soname[4];  /* theirs and their bindings', how they begin */
    const char *interface;  /* or, of any vendor's, how libmpi... ends (libmpi_gnu_112.so.12) */
    const char *starter[2]; /* what the path of their mpirun holds */
} mpis[] = {
    {"openmpi",
     "libcrosswait.so",
     {"libmpi.so.40", "libmpi.so.20", "libmpi_mpifh.so.", "libmpi_usempi"},
     NULL,
     {"orterun", "openmpi"}},
    {"mpich", "libcrosswait-mpich.so", {"libmpich"}, ".so.12", {"hydra", "mpich"}},
};
enum { MPI_COUNT = sizeof mpis / sizeof *mpis, MPI_NONE = -1 };

static bool is_of_interface(const char *soname, const char *interface)
{
    static const char name[] = "libmpi";
    size_t length = strlen(soname), end = strlen(interface);

    return !strncmp(soname, name, sizeof name - 1) && length > end &&
           !strcmp(soname + length - end, interface);
}

static int mpi_of_soname(const char *soname)
{
    for (int i = 0; i < MPI_COUNT; i++) {
        for (size_t k = 0; k < sizeof mpis[i].soname / sizeof *mpis[i].soname; k++)
            if (mpis[i].soname[k] && !strncmp(soname, mpis[i].soname[k], strlen(mpis[i].soname[k])))
                return i;
        if (mpis[i].interface && is_of_interface(soname, mpis[i].interface))
            return i;
    }
    return MPI_NONE;
}

/* The first of the libraries that the dynamic section names which is an MPI library. */
static int mpi_of_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    int mpi = MPI_NONE;

    for (size_t i = 0; data && i < count && i < INT_MAX && mpi == MPI_NONE; i++) {
        GElf_Dyn entry;
        const char *name = NULL;
        if (gelf_getdyn(data, (int)i, &entry) && entry.d_tag == DT_NEEDED)
            name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        mpi = name ? mpi_of_soname(name) : MPI_NONE;
    }
    return mpi;
}

static int mpi_of_elf(Elf *elf)
{
    int mpi = MPI_NONE;
    GElf_Shdr header;

    if (!elf || elf_kind(elf) != ELF_K_ELF)
        return MPI_NONE;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section && mpi == MPI_NONE;
         section = elf_nextscn(elf, section))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
            mpi = mpi_of_section(elf, section, &header);
    return mpi;
}

static int mpi_of_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), mpi = MPI_NONE;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && elf_version(EV_CURRENT)) {
        Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
        mpi = mpi_of_elf(elf);
        elf_end(elf);
    }
    if (fd >= 0)
        close(fd);
    return mpi;
}

/* The file that a word of the command would start; empty: none. */
static void find_program(const char *word, char path[PATH_MAX])
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

static int mpi_of_starter(const char *word)
{
    char path[PATH_MAX], real[PATH_MAX];

    find_program(word, path);
    if (!*path || !realpath(path, real))
        return MPI_NONE;
    for (int i = 0; i < MPI_COUNT; i++)
        for (size_t k = 0; k < sizeof mpis[i].starter / sizeof *mpis[i].starter; k++)
            if (strstr(real, mpis[i].starter[k]))
                return i;
    return MPI_NONE;
}

static int mpi_of_word(const char *word)
{
    char path[PATH_MAX];

    find_program(word, path);
    return *path ? mpi_of_file(path) : MPI_NONE;
}

char *const *launch_library_program(char *const *command)
{
    while (*command && mpi_of_word(*command) == MPI_NONE)
        command++;
    return command;
}

bool launch_library_known(const char *mpi)
{
    for (int i = 0; i < MPI_COUNT; i++)
        if (!strcmp(mpi, mpis[i].name))
            return true;
    return false;
}

static const struct mpi *choose(const struct launch_options *options)
{
    char *const *program = launch_library_program(options->command);
    int mpi = MPI_NONE;

    for (int i = 0; options->mpi && i < MPI_COUNT; i++)
        if (!strcmp(options->mpi, mpis[i].name))
            mpi = i;
    CORE_CHECK(!options->mpi || mpi != MPI_NONE); /* launch_library_known was asked */
    if (mpi == MPI_NONE)
        mpi = *program ? mpi_of_word(*program) : mpi_of_starter(options->command[0]);
    return &mpis[mpi == MPI_NONE ? 0 : mpi];
}

/* What tells how threads begin lies beside our library, and is preloaded behind it. */
static enum core_status add_threads(struct launch *launch)
{
    char *one = launch->library, *both;
    int folder = (int)(strrchr(one, '/') + 1 - one);

    if (asprintf(&both, "%s:%.*slibcrosswait-threads.so", one, folder, one) < 0)
        return core_report(CORE_NO_MEMORY, "out of memory for the name of a library");
    launch->library = both;
    free(one);
    return CORE_OK;
}

enum core_status launch_library_find(struct launch *launch)
{
    static const char *const place[] = {"", "../lib/crosswait/"};
    const struct mpi *mpi = choose(launch->options);
    char self[PATH_MAX], path[PATH_MAX + 64];

    if (!core_program_folder(self, sizeof self))
        return core_report(CORE_IO, "cannot find out where crosswait is installed: %s",
                           strerror(errno));
    for (size_t i = 0; i < sizeof place / sizeof *place && !launch->library; i++) {
        snprintf(path, sizeof path, "%s/%s%s", self, place[i], mpi->library);
        launch->library = realpath(path, NULL);
    }
    if (!launch->library && mpi != mpis)
        return core_report(
            CORE_NOT_FOUND,
            "the command runs with %s, for which crosswait was not built (no %s "
            "beside '%s/crosswait' or in ../lib/crosswait): install its development files "
            "(libmpich-dev) and build again, or name another library with --mpi",
            mpi->name, mpi->library, self);
    if (!launch->library)
        return core_report(CORE_NOT_FOUND,
                           "cannot find %s beside '%s/crosswait' or in ../lib/crosswait; "
                           "build or install crosswait again",
                           mpi->library, self);
    if (strpbrk(launch->library, " :;\t"))
        return core_report(
            CORE_UNSUPPORTED,
            "cannot preload '%s': the loader takes no path with spaces, colons or semicolons",
            launch->library);
    return launch->options->threads ? add_threads(launch) : CORE_OK;
}
