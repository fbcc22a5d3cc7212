/* See library.h. */
#include "cli/libraries/library.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array.h"

#define A_LIBRARY "the MPI libraries"
enum { ASKED_SECONDS = 20 }; /* time for a library to load and report its version */

void libraries_done(struct library_list *list)
{
    CORE_ARRAY_DONE(list->library, list->count, list->room);
}

/* --- what it is ------------------------------------------------------------------------------- */

/* Tells whether the word of a version's text names neither the library nor its version. */
static bool is_filler(const char *word)
{
    static const char *const filler[] = {
        "Version", "version", "Version:", "version:", "VERSION", "Library", "library", ":"};

    for (size_t i = 0; i < sizeof filler / sizeof *filler; i++)
        if (!strcmp(word, filler[i]))
            return true;
    return false;
}

static const char *number_of(const char *word)
{
    return *word == 'v' && isdigit((unsigned char)word[1]) ? word + 1 : word;
}

void library_title(const char *version, char title[LIBRARY_WORDS])
{
    char copy[LIBRARY_WORDS], *rest = NULL;
    size_t used = 0;

    snprintf(copy, sizeof copy, "%s", version);
    title[0] = '\0';
    for (char *word = strtok_r(copy, " \t\n,", &rest); word;
         word = strtok_r(NULL, " \t\n,", &rest)) {
        char *mark = strstr(word, "(R)"); /* Intel(R) */
        if (mark)
            memmove(mark, mark + 3, strlen(mark + 3) + 1);
        if (is_filler(word))
            continue;
        used += (size_t)snprintf(title + used, LIBRARY_WORDS - used, "%s%s", used ? " " : "",
                                 number_of(word));
        if (isdigit((unsigned char)*number_of(word)) || used >= LIBRARY_WORDS)
            return;
    }
}

/* Makes the name "openmpi-5.0.11". */
static void name_make(struct library *library)
{
    const char *version = strrchr(library->title, ' ');
    size_t used = 0;

    for (const char *at = library->title; *at && at != version; at++)
        if (isalnum((unsigned char)*at))
            library->name[used++] = (char)tolower((unsigned char)*at);
    for (const char *at = version ? version : ""; *at && used + 1 < LIBRARY_WORDS; at++)
        library->name[used++] = *at == ' ' ? '-' : *at == '/' ? '_' : *at;
    library->name[used] = '\0';
}

/* Writes the library's version, in a child process. Output from loading it is discarded. */
static void version_say(const char *file, int out)
{
    typedef int (*version_fn)(char *, int *);
    char text[8192] = "";
    int length = 0, null = open("/dev/null", O_RDWR);

    alarm(ASKED_SECONDS);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    void *library = dlopen(file, RTLD_LAZY | RTLD_GLOBAL);
    void *function = library ? dlsym(library, "MPI_Get_library_version") : NULL;
    version_fn version = NULL;
    memcpy(&version, &function, sizeof version);
    if (version && version(text, &length) == 0)
        (void)!write(out, text, strcspn(text, "\n"));
    _exit(0);
}

/* Asks a library for its version. Returns false if it cannot be loaded, or is no MPI library. */
static bool version_ask(const char *file, char text[LIBRARY_WORDS])
{
    int ends[2];
    size_t used = 0;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        version_say(file, ends[1]);
    close(ends[1]);
    for (ssize_t bytes = 1; bytes > 0 && child > 0; used += bytes > 0 ? (size_t)bytes : 0)
        bytes = read(ends[0], text + used, LIBRARY_WORDS - 1 - used);
    close(ends[0]);
    text[used] = '\0';
    if (child > 0)
        waitpid(child, NULL, 0);
    return used > 0;
}

/* --- finding files ---------------------------------------------------------------------------- */

/* Finds the library's file in one of the usual folders of an installation. */
static bool file_find(const char *prefix, enum library_family family, struct library *out_library)
{
    static const char *const folder[] = {"lib", "lib64", "lib/*-linux-gnu", "lib/release"};
    static const char *const name[][3] = {
        [LIBRARY_OPENMPI] = {"libmpi.so.40"},
        [LIBRARY_MPICH] = {"libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.1"}};
    char pattern[PATH_MAX];
    bool found = false;

    for (size_t i = 0; i < 3 && name[family][i]; i++)
        for (size_t j = 0; j < sizeof folder / sizeof *folder && !found; j++) {
            glob_t files;
            snprintf(pattern, sizeof pattern, "%s/%s/%s", prefix, folder[j], name[family][i]);
            if (glob(pattern, 0, NULL, &files) != 0)
                continue;
            snprintf(out_library->file, PATH_MAX, "%s", files.gl_pathv[0]);
            snprintf(out_library->lib, PATH_MAX, "%.*s",
                     (int)(strrchr(files.gl_pathv[0], '/') - files.gl_pathv[0]), files.gl_pathv[0]);
            globfree(&files);
            found = true;
        }
    return found;
}

/* Tells whether the launcher, by its real name, belongs to this family, if two libraries are
 * installed side by side. */
static bool leads_to(const char *launcher, enum library_family family)
{
    static const char *const mark[][3] = {[LIBRARY_OPENMPI] = {"openmpi", "orterun", "prterun"},
                                          [LIBRARY_MPICH] = {"mpich", "hydra", "gforker"}};
    char *real = realpath(launcher, NULL);
    const char *name = real ? strrchr(real, '/') : NULL;
    bool is = false;

    for (size_t i = 0; i < 3 && name; i++)
        is |= strstr(name, mark[family][i]) != NULL;
    free(real);
    return is;
}

/* Finds the launcher in bin. alone: no library of another family there could own it. */
static bool launcher_find(const char *bin, bool alone, struct library *library)
{
    static const char *const name[][4] = {
        [LIBRARY_OPENMPI] = {"mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.openmpi"},
        [LIBRARY_MPICH] = {"mpirun", "mpiexec", "mpirun.mpich", "mpiexec.hydra"}};

    for (size_t i = 0; i < 4; i++) {
        snprintf(library->launcher, PATH_MAX, "%s/%s", bin, name[library->family][i]);
        if (access(library->launcher, X_OK) == 0 &&
            (alone || leads_to(library->launcher, library->family))) {
            snprintf(library->bin, PATH_MAX, "%s", bin);
            return true;
        }
    }
    return false;
}

static bool same_files(const char *a, const char *b)
{
    char *x = realpath(a, NULL), *y = realpath(b, NULL);
    bool same = x && y && !strcmp(x, y);

    free(x);
    free(y);
    return same;
}

/* Adds a library, unless another name of it was added already. */
static enum core_status library_add(struct library *library, struct library_list *list)
{
    uint32_t alike = 1;

    for (uint32_t i = 0; i < list->count; i++) {
        if (same_files(list->library[i].file, library->file))
            return CORE_OK;
        alike += !strcmp(list->library[i].title, library->title);
    }
    name_make(library);
    if (alike > 1)
        snprintf(library->name + strlen(library->name), LIBRARY_WORDS - strlen(library->name),
                 "-%u", alike);
    return CORE_ARRAY_PUSH(list->library, list->count, list->room, A_LIBRARY, *library);
}

/* Adds the libraries installed under the prefix, with their launchers in bin. */
static enum core_status folder_add(const char *prefix, const char *bin, struct library_list *list,
                                   bool *out_any)
{
    struct library found[2] = {{.family = LIBRARY_OPENMPI}, {.family = LIBRARY_MPICH}};
    char version[LIBRARY_WORDS];
    enum core_status status = CORE_OK;
    bool there[2];

    *out_any = false;
    for (int i = 0; i < 2; i++)
        there[i] = file_find(prefix, found[i].family, &found[i]);
    for (int i = 0; i < 2 && status == CORE_OK; i++) {
        if (!there[i] || !launcher_find(bin, !there[1 - i], &found[i]) ||
            !version_ask(found[i].file, version))
            continue;
        library_title(version, found[i].title);
        *out_any = true;
        status = library_add(&found[i], list);
    }
    return status;
}

/* Adds a folder that the user names: an installation, or its bin/. */
static enum core_status named_add(const char *word, struct library_list *list)
{
    char bin[PATH_MAX + 8];
    char *folder = realpath(word, NULL);
    bool any;

    if (!folder)
        return core_report(CORE_BAD_INPUT, "'%s' is neither 'all' nor the folder of an MPI library",
                           word);
    char *name = strrchr(folder, '/');
    if (name > folder && !strcmp(name, "/bin"))
        *name = '\0';
    snprintf(bin, sizeof bin, "%s/bin", folder);
    enum core_status status = folder_add(folder, bin, list, &any);
    free(folder);
    return status == CORE_OK && !any
               ? core_report(CORE_BAD_INPUT,
                             "'%s' holds no MPI library with its launcher (lib/libmpi.so.N and "
                             "bin/mpirun)",
                             word)
               : status;
}

/* Adds the libraries whose launchers are in the PATH. */
static enum core_status path_add(struct library_list *list)
{
    const char *folders = getenv("PATH");
    enum core_status status = CORE_OK;
    bool any;

    for (const char *at = folders ? folders : ""; *at && status == CORE_OK;
         at += strcspn(at, ":"), at += *at == ':') {
        char bin[PATH_MAX], prefix[PATH_MAX];
        int bytes = snprintf(bin, sizeof bin, "%.*s", (int)strcspn(at, ":"), at);
        while (bytes > 1 && bytes < (int)sizeof bin && bin[bytes - 1] == '/')
            bin[--bytes] = '\0';
        char *slash = strrchr(bin, '/');
        if (*bin != '/' || slash == bin)
            continue; /* "/bin": its files are in /usr/bin, too */
        snprintf(prefix, sizeof prefix, "%.*s", (int)(slash - bin), bin);
        status = folder_add(prefix, bin, list, &any);
    }
    return status;
}

static enum core_status words_add(const char *words, bool all, struct library_list *list)
{
    enum core_status status = CORE_OK;

    for (const char *at = words; *at && status == CORE_OK;
         at += strcspn(at, ","), at += *at == ',') {
        char word[PATH_MAX];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (!all || strcmp(word, "all") != 0)
            status = *word ? named_add(word, list) : CORE_OK;
        else {
            const char *named = getenv("CROSSWAIT_MPI");
            status = path_add(list);
            if (status == CORE_OK)
                status = words_add(named ? named : "", false, list);
        }
    }
    return status;
}

enum core_status libraries_find(const char *words, struct library_list *out_list)
{
    struct library_list list = {0};
    enum core_status status = words_add(words, true, &list);

    if (status == CORE_OK && !list.count)
        status = core_report(CORE_NOT_FOUND,
                             "no MPI library with its launcher is in the PATH or in CROSSWAIT_MPI; "
                             "name folders: --mpi=DIR,DIR");
    if (status == CORE_OK)
        *out_list = list;
    else
        libraries_done(&list);
    return status;
}
