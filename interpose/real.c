/* The MPI library of the process: its functions, which the wrappers call, and whether it is the one
 * that this build is for. A recorder is built with the header of one library, whose handles another
 * one has of another width. In a process of another library, and in one that has none, the wrappers
 * give each call on as it came, in words as wide as a register, and nothing is recorded; which
 * recorder is meant for it is said once.
 *
 *  1. recorder.foreign is decided before the first wrapper gives a call to a body that knows what
 *     its arguments mean: recorder_resolve is where every call's function is first looked up. */
#include "interpose/recorder.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/library/library.h"

void *recorder_real_table[2][CALL_COUNT];

static const struct family {
    const char *name;
    const char *own;      /* a name that only libraries of the family have */
    const char *recorder; /* of ours, for it */
    const char *word;     /* for --mpi */
} families[] = {
    [LIBRARY_OPENMPI] = {"Open MPI", "ompi_mpi_comm_world", "libcrosswait.so", "openmpi"},
    [LIBRARY_MPICH] = {"MPICH or of its family", "MPI_UNWEIGHTED", "libcrosswait-mpich.so",
                       "mpich"},
};
enum { FAMILIES = sizeof families / sizeof *families };

/* --- where it is ------------------------------------------------------------------------------ */

struct object {
    int index;
    char *name;
    ElfW(Addr) base;
};

static int take_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct object *object = context;

    (void)size;
    if (object->index-- > 0)
        return 0;
    object->name = strdup(info->dlpi_name);
    object->base = info->dlpi_addr;
    return 1;
}

static bool is_recorder(const char *path)
{
    static const char name[] = "libcrosswait";
    const char *file = strrchr(path, '/');

    return strncmp(file ? file + 1 : path, name, sizeof name - 1) == 0;
}

/* Whether the object itself, and not what it needs, has the name; and is no recorder. */
static void *library_of(const struct object *object, const char *name)
{
    void *handle = *object->name && !is_recorder(object->name)
                       ? dlopen(object->name, RTLD_LAZY | RTLD_NOLOAD)
                       : NULL;
    void *found = handle ? dlsym(handle, name) : NULL;
    Dl_info where;

    if (found && dladdr(found, &where) && where.dli_fbase == (void *)object->base)
        return handle;
    if (handle)
        dlclose(handle);
    return NULL;
}

/* Objects are opened outside of dl_iterate_phdr, whose lock another thread may wait for that loads
 * one. */
static void *find_library(const char *name)
{
    for (int i = 0;; i++) {
        struct object object = {.index = i};
        if (!dl_iterate_phdr(take_object, &object) || !object.name)
            return NULL;
        void *library = library_of(&object, name);
        free(object.name);
        if (library)
            return library;
    }
}

/* In a program whose MPI library was loaded by dlopen with RTLD_LOCAL (Python's), RTLD_NEXT does
 * not see it. Of several libraries it is the one that this build is for. */
static void *in_library(const char *name)
{
    static void *library;

    if (!library)
        library = find_library(families[library_family].own);
    if (!library)
        library = find_library("PMPI_Init");
    return library ? dlsym(library, name) : NULL;
}

/* An executable may hold the one copy of a variable of the library (copy relocation): the default
 * order finds it first. */
void *recorder_symbol(const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return symbol ? symbol : in_library(name);
}

void *recorder_symbol_next(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    return symbol ? symbol : in_library(name);
}

/* --- which it is ------------------------------------------------------------------------------ */

/* As far as the launcher of any library tells it. */
static bool is_first_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i])) == 0;
    return true;
}

static void say_foreign(const struct family *family)
{
    const struct family *mine = &families[library_family];
    char text[400], instead[128] = "crosswait has no recorder for it";

    if (family && getenv("CROSSWAIT_SPOOL"))
        snprintf(instead, sizeof instead, "give crosswait --mpi=%s", family->word);
    else if (family)
        snprintf(instead, sizeof instead, "preload %s instead", family->recorder);
    snprintf(text, sizeof text,
             "nothing is recorded, the program goes on: its MPI library is %s, and %s is for %s; "
             "%s",
             family ? family->name : "another one", mine->recorder, mine->name, instead);
    if (is_first_rank())
        recorder_warn(text);
}

/* Again at the next call where there is no library yet: one may be loaded later. */
static void decide_foreign(void)
{
    static bool decided;
    const struct family *family = NULL;

    if (decided)
        return;
    decided = recorder_symbol_next("PMPI_Init") != NULL;
    if (recorder_symbol(families[library_family].own))
        family = &families[library_family];
    for (int i = 0; i < FAMILIES && !family; i++)
        if (recorder_symbol(families[i].own))
            family = &families[i];
    recorder.foreign = family != &families[library_family];
    if (recorder.foreign && decided)
        say_foreign(family);
}

/* --- its functions ---------------------------------------------------------------------------- */

static int no_real_function(void)
{
    return MPI_ERR_OTHER;
}

/* Programs that work with MPI and without look whether its functions are there (weak symbols), find
 * ours, and ask this first. */
static int no_library(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

void *recorder_resolve(int which, unsigned call)
{
    char name[128];
    void *real;

    snprintf(name, sizeof name, "%s%s", which == REAL_PMPI ? "P" : "", call_description[call].name);
    decide_foreign();
    real = recorder_symbol_next(name);
    if (real)
        recorder_real_table[which][call] = real;
    else if (call == CALL_Initialized || call == CALL_Finalized)
        return (void *)no_library;
    return real ? real : (void *)no_real_function;
}
