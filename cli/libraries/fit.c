/* See fit.h. For a launcher with another name than mpirun, or in a folder with those of other
 * libraries, scripts with the usual names are put in a folder at the front of the PATH. */
#include "cli/libraries/fit.h"
#include "cli/libraries/symbols.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array.h"
#include "core/file.h"
#include "core/text.h"
#include "launch/launch.h"

#define A_COMMAND "the command of a job"
enum { FIT_PATH, FIT_LOADER, FIT_MPI4PY, PROBE_SECONDS = 30 };
static const char *const fit_variable[FIT_VARIABLES] = {
    [FIT_PATH] = "PATH", [FIT_LOADER] = "LD_LIBRARY_PATH", [FIT_MPI4PY] = "MPI4PY_LIBMPI"};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void fit_enter(struct fit *fit)
{
    for (int i = 0; i < FIT_VARIABLES; i++) {
        const char *now = getenv(fit_variable[i]);
        fit->before[i] = now ? strdup(now) : NULL;
        if (fit->value[i])
            setenv(fit_variable[i], fit->value[i], 1);
    }
}

void fit_leave(struct fit *fit)
{
    for (int i = 0; i < FIT_VARIABLES; i++) {
        if (fit->before[i])
            setenv(fit_variable[i], fit->before[i], 1);
        else if (fit->value[i])
            unsetenv(fit_variable[i]);
        free(fit->before[i]);
        fit->before[i] = NULL;
    }
}

void fit_done(struct fit *fit)
{
    for (int i = 0; fit->command && fit->command[i]; i++)
        free(fit->command[i]);
    free(fit->command);
    for (int i = 0; i < FIT_VARIABLES; i++)
        free(fit->value[i]);
    free(fit->reason);
    *fit = (struct fit){0};
}

static enum core_status no_memory(void)
{
    return core_report(CORE_NO_MEMORY, "out of memory for " A_COMMAND);
}

/* --- the command ------------------------------------------------------------------------------ */

bool fit_is_launcher(const char *word)
{
    static const char *const launcher[] = {"mpirun",          "mpiexec",       "mpirun.openmpi",
                                           "mpiexec.openmpi", "orterun",       "prterun",
                                           "mpirun.mpich",    "mpiexec.mpich", "mpiexec.hydra"};

    for (size_t i = 0; i < sizeof launcher / sizeof *launcher; i++)
        if (!strcmp(base_of(word), launcher[i]))
            return true;
    return false;
}

/* Returns the word with {} replaced by the library's name. NULL: out of memory. */
static char *word_named(const char *word, const char *name)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    for (const char *at = word; file && *at; at++)
        if (at[0] == '{' && at[1] == '}') {
            fputs(name, file);
            at++;
        } else {
            fputc(*at, file);
        }
    return core_text_close(file, &text);
}

static enum core_status command_make(const struct library *library, char *const *command,
                                     struct fit *fit)
{
    size_t count = 0;
    bool launched = false;

    while (command[count])
        count++;
    enum core_status status = CORE_ARRAY_NEW(fit->command, count + 1, A_COMMAND);
    for (size_t i = 0; i < count && status == CORE_OK; i++) {
        bool launcher = !launched && fit_is_launcher(command[i]);
        launched |= launcher;
        fit->command[i] =
            launcher ? strdup(library->launcher) : word_named(command[i], library->name);
        status = fit->command[i] ? CORE_OK : no_memory();
    }
    return status;
}

/* --- the program's libraries ------------------------------------------------------------------ */

/* Finds the other name of a library file: others call "libmpich.so.12" "libmpi.so.12", with the
 * same binary interface. */
static bool other_name(const char *name, char other[LAUNCH_LINKED_BYTES])
{
    static const char *const pair[][2] = {{"libmpich.so.12", "libmpi.so.12"},
                                          {"libmpichfort.so.12", "libmpifort.so.12"},
                                          {"libmpichcxx.so.12", "libmpicxx.so.12"}};

    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        for (int j = 0; j < 2; j++)
            if (!strcmp(name, pair[i][j])) {
                snprintf(other, LAUNCH_LINKED_BYTES, "%s", pair[i][1 - j]);
                return true;
            }
    return false;
}

static bool name_is_of(const char *name, enum library_family family)
{
    const char *version = strstr(name, ".so.");

    return version &&
           strcmp(version, family == LIBRARY_OPENMPI ? ".so.12" : ".so.40") != 0; /* an ABI file
                                                                                     fits both */
}

/* Makes the path of the library's file for that name; empty: none. */
static void file_of_name(const struct library *library, const char *name, char path[PATH_MAX + 80])
{
    char other[LAUNCH_LINKED_BYTES];

    snprintf(path, PATH_MAX + 80, "%s/%s", library->lib, name);
    if (access(path, R_OK) != 0 && other_name(name, other))
        snprintf(path, PATH_MAX + 80, "%s/%s", library->lib, other);
    if (!name_is_of(name, library->family) || access(path, R_OK) != 0)
        path[0] = '\0';
}

static enum core_status reason_set(int bytes)
{
    return bytes < 0 ? no_memory() : CORE_OK;
}

static bool is_of_system(const char *folder)
{
    return !strncmp(folder, "/usr/lib", 8) || !strncmp(folder, "/lib", 4);
}

/* Appends the folders that a file finds by $ORIGIN, which changes when the file gets another
 * name. */
static enum core_status origin_add(const struct library *library, const char *path, struct fit *fit)
{
    struct launch_linked linked;
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    launch_library_linked(path, &linked);
    if (file)
        fputs(fit->value[FIT_LOADER], file);
    for (const char *at = linked.runpath; file && *at; at += strcspn(at, ":"), at += *at == ':') {
        static const char origin[] = "$ORIGIN";
        bool own = !strncmp(at, origin, sizeof origin - 1);
        fprintf(file, ":%s%.*s", own ? library->lib : "",
                (int)(strcspn(at, ":") - (own ? sizeof origin - 1 : 0)),
                at + (own ? sizeof origin - 1 : 0));
    }
    text = core_text_close(file, &text);
    if (!text)
        return no_memory();
    free(fit->value[FIT_LOADER]);
    fit->value[FIT_LOADER] = text;
    return CORE_OK;
}

/* Links libraries of the program into the folder: those with another name, and those in a system
 * folder, whose other files would otherwise precede the program's own. */
static enum core_status linked_fit(const struct library *library, const char *word,
                                   const struct launch_linked *linked, const char *folder,
                                   struct fit *fit)
{
    char path[PATH_MAX + 80], link[PATH_MAX + 80];
    enum core_status status = CORE_OK;

    if (*linked->rpath && !strstr(linked->rpath, library->lib))
        return reason_set(asprintf(&fit->reason,
                                   "'%s' names its MPI library by DT_RPATH ('%s'): link it with "
                                   "-Wl,--enable-new-dtags",
                                   word, linked->rpath));
    for (uint32_t i = 0; i < linked->count && status == CORE_OK; i++) {
        file_of_name(library, linked->name[i], path);
        if (!*path)
            return reason_set(asprintf(&fit->reason, "'%s' links with %s, which it lacks", word,
                                       linked->name[i]));
        snprintf(link, sizeof link, "%s/%s", library->lib, linked->name[i]);
        if (!is_of_system(library->lib) && !strcmp(path, link))
            continue; /* LD_LIBRARY_PATH finds it */
        snprintf(link, sizeof link, "%s/%s", folder, linked->name[i]);
        if (symlink(path, link) != 0)
            return core_report(CORE_IO, "cannot make '%s'", link);
        if (!is_of_system(library->lib))
            status = origin_add(library, path, fit);
    }
    return status;
}

/* MPI functions that a program imports and that none of its other files exports. */
struct imports {
    char **name;
    uint32_t count, room;
    char last[LIBRARY_WORDS]; /* the name found last */
    enum core_status status;
};

static bool import_add(const char *name, void *context)
{
    struct imports *imports = context;
    bool mpi = !strncmp(name, "MPI_", 4) || !strncmp(name, "PMPI_", 5);
    char *copy = mpi ? strdup(name) : NULL;

    if (copy)
        imports->status =
            CORE_ARRAY_PUSH(imports->name, imports->count, imports->room, A_COMMAND, copy);
    return imports->status == CORE_OK;
}

static bool export_take(const char *name, void *context)
{
    struct imports *imports = context;

    for (uint32_t i = 0; i < imports->count; i++)
        if (!strcmp(imports->name[i], name)) {
            snprintf(imports->last, sizeof imports->last, "%s", name);
            free(imports->name[i]);
            imports->name[i] = imports->name[--imports->count];
            break;
        }
    return imports->count > 0;
}

static void imports_done(struct imports *imports)
{
    for (uint32_t i = 0; i < imports->count; i++)
        free(imports->name[i]);
    CORE_ARRAY_DONE(imports->name, imports->count, imports->room);
}

/* Finds a function that the program calls and the library lacks, but another library has: a name
 * that no library has is not MPI's. */
static enum core_status imports_check(const struct library *library,
                                      const struct library_list *libraries, const char *word,
                                      const struct launch_linked *linked, struct fit *fit)
{
    struct imports imports = {.status = CORE_OK};
    char path[PATH_MAX + 80], program[PATH_MAX];
    int bytes = 0;

    launch_program_find(word, program);
    symbols_each(program, false, import_add, &imports);
    for (uint32_t i = 0; i < linked->count && imports.count; i++) {
        file_of_name(library, linked->name[i], path);
        symbols_each(path, true, export_take, &imports);
    }
    imports.last[0] = '\0';
    for (uint32_t i = 0; i < libraries->count && imports.count; i++)
        symbols_each(libraries->library[i].file, true, export_take, &imports);
    if (*imports.last)
        bytes = asprintf(&fit->reason, "'%s' calls %s, which it lacks", word, imports.last);
    imports_done(&imports);
    return imports.status != CORE_OK ? imports.status : reason_set(bytes);
}

/* --- Python ----------------------------------------------------------------------------------- */

/* Finds the interpreter in a script's first line; empty if the file is no Python script. */
static void script_python(const char *word, char python[PATH_MAX])
{
    char path[PATH_MAX], line[PATH_MAX] = "";

    python[0] = '\0';
    launch_program_find(word, path);
    FILE *file = *path ? fopen(path, "re") : NULL;
    if (!file)
        return;
    if (fgets(line, sizeof line, file) && !strncmp(line, "#!", 2) && strstr(line, "python")) {
        char *rest = NULL, *name = strtok_r(line + 2, " \t\n", &rest);
        while (name && !strstr(base_of(name), "python"))
            name = strtok_r(NULL, " \t\n", &rest);
        snprintf(python, PATH_MAX, "%s", name ? name : "");
    }
    fclose(file);
}

/* Finds the Python interpreter of a command; empty: none. */
static void python_find(char *const *command, char python[PATH_MAX])
{
    python[0] = '\0';
    for (; *command && !*python; command++)
        if (!strncmp(base_of(*command), "python", 6))
            snprintf(python, PATH_MAX, "%s", *command);
        else if (!fit_is_launcher(*command))
            script_python(*command, python);
}

/* Reads the interpreter's output. Returns true if it exited with 0. */
static bool python_ask(const char *python, char text[LIBRARY_WORDS * 4])
{
    static const char *const program =
        "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; "
        "print(MPI.Get_library_version())";
    int ends[2], status = 1;
    size_t used = 0;

    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(PROBE_SECONDS);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execlp(python, python, "-c", program, (char *)NULL);
        dprintf(STDOUT_FILENO, "it is not there\n");
        _exit(127);
    }
    close(ends[1]);
    char more[4096];
    for (ssize_t bytes; child > 0 && (bytes = read(ends[0], more, sizeof more)) > 0;) {
        size_t room = LIBRARY_WORDS * 4 - 1 - used;
        size_t keep = (size_t)bytes < room ? (size_t)bytes : room;
        memcpy(text + used, more, keep);
        used += keep;
    }
    close(ends[0]);
    text[used] = '\0';
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static const char *last_line(char *text)
{
    char *end;

    while (*text && (end = strrchr(text, '\n')) && !end[1])
        *end = '\0';
    end = strrchr(text, '\n');
    return end ? end + 1 : text;
}

/* Checks that this Python's mpi4py loads the library in the fitted environment; otherwise sets the
 * reason. */
static enum core_status python_try(const struct library *library, const char *python,
                                   struct fit *fit)
{
    char text[LIBRARY_WORDS * 4], title[LIBRARY_WORDS];
    int bytes = 0;

    free(fit->reason);
    fit->reason = NULL;
    fit_enter(fit);
    bool asked = python_ask(python, text);
    fit_leave(fit);
    library_title(text, title);
    if (!asked)
        bytes = asprintf(&fit->reason, "mpi4py of '%s' cannot be loaded with it: %s", python,
                         last_line(text));
    else if (strcmp(title, library->title) != 0)
        bytes = asprintf(&fit->reason, "mpi4py of '%s' loads %s", python, title);
    return reason_set(bytes);
}

/* Chooses the Python of the user's PATH if its mpi4py loads the library, otherwise the one beside
 * the library. */
static enum core_status python_fit(const struct library *library, const char *python,
                                   struct fit *fit)
{
    char *as_it_is = fit->value[FIT_PATH];
    enum core_status status = CORE_OK;

    if (asprintf(&fit->value[FIT_MPI4PY], "%s", library->file) < 0)
        return no_memory();
    status = python_try(library, python, fit);
    if (status != CORE_OK || !fit->reason || strchr(python, '/'))
        return status;
    char *first = fit->reason;
    fit->reason = NULL;
    if (asprintf(&fit->value[FIT_PATH], "%s:%s", library->bin, as_it_is) < 0)
        fit->value[FIT_PATH] = NULL;
    status = fit->value[FIT_PATH] ? python_try(library, python, fit) : no_memory();
    if (fit->reason || status != CORE_OK) { /* then the user's own Python gives the reason */
        free(fit->reason);
        free(fit->value[FIT_PATH]);
        fit->reason = first;
        fit->value[FIT_PATH] = as_it_is;
    } else {
        free(first);
        free(as_it_is);
    }
    return status;
}

/* --- the whole -------------------------------------------------------------------------------- */

static enum core_status launcher_make(const char *folder, const char *name, const char *launcher)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = core_file_create(path, O_WRONLY | O_EXCL);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file) {
        fprintf(file, "#!/bin/sh\nexec ");
        core_text_shell(launcher, file);
        fprintf(file, " \"$@\"\n");
    }
    if (!file || fclose(file) != 0 || chmod(path, 0700) != 0)
        return core_report(CORE_IO, "cannot write '%s'", path);
    return CORE_OK;
}

/* Writes scripts named mpirun and mpiexec, for scripts that call these, and scripts for the
 * programs that the library's own launcher finds by PATH: Intel's mpirun would start another
 * library's mpiexec.hydra. The launcher's folder itself does not join PATH, since a virtual
 * environment has its python there. */
static enum core_status launchers_make(const struct library *library, const char *folder)
{
    static const char *const name[] = {"mpirun", "mpiexec"};
    static const char *const part[] = {"mpiexec.hydra", "hydra_bstrap_proxy", "hydra_pmi_proxy"};
    enum core_status status = CORE_OK;

    for (size_t i = 0; i < sizeof name / sizeof *name && status == CORE_OK; i++)
        status = launcher_make(folder, name[i], library->launcher);
    for (size_t i = 0; i < sizeof part / sizeof *part && status == CORE_OK; i++) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof path, "%s/%s", library->bin, part[i]);
        if (access(path, X_OK) == 0)
            status = launcher_make(folder, part[i], path);
    }
    return status;
}

static enum core_status environment_make(const struct library *library, const char *folder,
                                         struct fit *fit)
{
    const char *path = getenv("PATH"), *loader = getenv("LD_LIBRARY_PATH");
    bool own = !is_of_system(library->lib);

    if (asprintf(&fit->value[FIT_PATH], "%s:%s", folder, path ? path : "/usr/bin:/bin") < 0 ||
        asprintf(&fit->value[FIT_LOADER], "%s%s%s%s%s", folder, own ? ":" : "",
                 own ? library->lib : "", loader && *loader ? ":" : "", loader ? loader : "") < 0)
        return no_memory();
    return launchers_make(library, folder);
}

enum core_status fit_make(const struct library *library, const struct library_list *libraries,
                          char *const *command, const char *folder, struct fit *out_fit)
{
    struct fit fit = {0};
    struct launch_linked linked;
    char python[PATH_MAX];
    enum core_status status = command_make(library, command, &fit);

    if (status == CORE_OK)
        status = environment_make(library, folder, &fit);
    if (status == CORE_OK) {
        char *const *program = launch_library_program(fit.command);
        if (*program) {
            launch_library_linked(*program, &linked);
            status = linked_fit(library, *program, &linked, folder, &fit);
            if (status == CORE_OK && !fit.reason)
                status = imports_check(library, libraries, *program, &linked, &fit);
        } else {
            python_find(fit.command, python);
            status = *python ? python_fit(library, python, &fit) : CORE_OK;
        }
    }
    if (status == CORE_OK)
        *out_fit = fit;
    else
        fit_done(&fit);
    return status;
}
