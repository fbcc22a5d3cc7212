/* Checks, before the program begins, that everything that it imports of MPI exists here, and names
 * what is missing; also checks that all that it loads, then or later, is built for an MPI library
 * that ours can replace. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include "world/ranks/missing.h"
#include "world/ranks/ranks.h"

static const char *const prefix[] = {"MPI_", "PMPI_", "MPIX_", "PMPIX_", "ompi_", "mpi_", "pmpi_"};

static bool is_mpi(const char *name)
{
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (!strncmp(name, prefix[i], strlen(prefix[i])))
            return true;
    return false;
}

struct needs {
    char text[1024];
    size_t used;
};

struct object {
    const ElfW(Sym) * symbol;
    const char *names, *soname; /* soname: NULL if it has none */
    const ElfW(Rela) * list[2]; /* relocations of data, of functions */
    size_t bytes[2];
};

static struct object object_read(const struct dl_phdr_info *info)
{
    struct object o = {0};
    const ElfW(Dyn) *d = NULL;
    size_t soname = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB:
            o.symbol = (const void *)d->d_un.d_ptr;
            break;
        case DT_STRTAB:
            o.names = (const void *)d->d_un.d_ptr;
            break;
        case DT_SONAME:
            soname = d->d_un.d_val;
            break;
        case DT_RELA:
            o.list[0] = (const void *)d->d_un.d_ptr;
            break;
        case DT_RELASZ:
            o.bytes[0] = d->d_un.d_val;
            break;
        case DT_JMPREL:
            o.list[1] = (const void *)d->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            o.bytes[1] = d->d_un.d_val;
            break;
        default:
            break;
        }
    o.soname = soname && (uintptr_t)o.names >= info->dlpi_addr ? o.names + soname : NULL;
    return o;
}

/* --- other MPI libraries ---------------------------------------------------------------------- */

/* Libraries that MPI programs are linked with, by their names up to what follows ".so". For each
 * ABI we have a library that replaces them (shims/). */
static const struct library {
    const char *name, *series; /* NULL: any */
    enum region_abi abi;
} libraries[] = {
    {"libmpi", ".so.40", REGION_OPENMPI},
    {"libmpi_cxx", ".so.40", REGION_OPENMPI},
    {"libmpi_mpifh", ".so.40", REGION_OPENMPI},
    {"libmpi", ".so.12", REGION_MPICH},
    {"libmpich", ".so.12", REGION_MPICH},
    {"libmpichcxx", ".so.12", REGION_MPICH},
    {"libmpicxx", ".so.12", REGION_MPICH},
    {"libmpichfort", ".so.12", REGION_MPICH},
    {"libmpifort", ".so.12", REGION_MPICH},
    {"libmpi_abi", NULL, REGION_STANDARD},
    {"libmpi", NULL, REGION_OTHER},
    {"libmpi_cxx", NULL, REGION_OTHER},
    {"libmpi_mpifh", NULL, REGION_OTHER},
    {"libmpich", NULL, REGION_OTHER},
    {"libmpichcxx", NULL, REGION_OTHER},
    {"libmpicxx", NULL, REGION_OTHER},
    {"libmpichfort", NULL, REGION_OTHER},
    {"libmpifort", NULL, REGION_OTHER},
    {"libmpi_mt", NULL, REGION_OTHER},
    {"libmpi_cray", NULL, REGION_OTHER},
    {"libmpi_gnu", NULL, REGION_OTHER},
};
#if !defined WORLD_SHIM
static const enum region_abi own_abi = REGION_OPENMPI;
static const char own_name[] = "Open MPI's libmpi.so.40";
#elif defined SHIM_mpich
static const enum region_abi own_abi = REGION_MPICH;
static const char own_name[] = "MPICH's libmpi.so.12";
#else
static const enum region_abi own_abi = REGION_STANDARD;
static const char own_name[] = "the standard ABI's libmpi_abi.so";
#endif

/* Returns the ABI of the library of that name; ours if it is ours, or no MPI library. */
static enum region_abi abi_of(const char *file)
{
    const char *number = strstr(file, ".so");
    for (size_t i = 0; number && i < sizeof libraries / sizeof *libraries; i++) {
        const struct library *l = &libraries[i];
        if (strlen(l->name) == (size_t)(number - file) &&
            !strncmp(l->name, file, (size_t)(number - file)) &&
            (!l->series || !number[3] || !strncmp(number, l->series, strlen(l->series))))
            return number[3] || l->abi == REGION_STANDARD ? l->abi : own_abi;
    }
    return own_abi;
}

struct other {
    const char *file;
    enum region_abi abi;
};

static int other_find(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    (void)bytes;
    const char *slash = strrchr(info->dlpi_name, '/'), *soname = object_read(info).soname;
    const char *file = slash ? slash + 1 : info->dlpi_name;
    if (!soname || abi_of(soname) == own_abi)
        soname = file;
    struct other *other = argument;
    other->abi = abi_of(soname);
    if (other->abi != own_abi)
        other->file = soname;
    return other->file != NULL;
}

static int loads_count(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    (void)bytes;
    *(unsigned long long *)argument = info->dlpi_adds;
    return 1; /* all objects have the same count */
}

void world_process_loaded(void)
{
    static unsigned long long looked_at;
    unsigned long long loaded = 0;
    struct other other = {0};
    dl_iterate_phdr(loads_count, &loaded);
    if (loaded == looked_at)
        return;
    CORE_CHECK(loaded > looked_at); /* the loader only counts up */
    looked_at = loaded;
    dl_iterate_phdr(other_find, &other);
    if (!other.file)
        return;
    static const char says[] =
        "%s built for another MPI library (%s) than %s, which worlds replace";
    CORE_CHECK(other.abi != own_abi);
    if (rank_own < 0) {
        if (rank_region)
            rank_region->abi = other.abi;
        rank_refuse(says, "it is", other.file, own_name);
    }
    world_found(WORLD_RULE_UNSUPPORTED, ME->rank, says, "what a rank loads is", other.file,
                own_name);
    world_stop();
}

/* --- what it imports -------------------------------------------------------------------------- */

/* Functions that exist only to be linked with (missing.h). */
extern const char __start_world_missing[] __attribute__((weak));
extern const char __stop_world_missing[] __attribute__((weak));

static bool is_there(const char *name)
{
    const char *function = dlsym(RTLD_DEFAULT, name);
    CORE_CHECK(&__start_world_missing[0] <= &__stop_world_missing[0]);
    return function && !(function >= __start_world_missing && function < __stop_world_missing);
}

static void needs_add(struct needs *needs, const char *name)
{
    if (!is_mpi(name) || is_there(name) || strstr(needs->text, name) ||
        needs->used > sizeof needs->text - 100)
        return;
    needs->used += (size_t)snprintf(needs->text + needs->used, sizeof needs->text - needs->used,
                                    "%s%.60s", needs->used ? ", " : "", name);
    CORE_CHECK(needs->used < sizeof needs->text);
}

/* Libraries that define a function for each one of MPI. */
static const char *const fortran[] = {"/libmpichfort.so", "/libmpifort.so", "/libmpi_mpifh.so"};

static int object_check(struct dl_phdr_info *info, size_t bytes, void *argument)
{
    (void)bytes;
    struct object o = object_read(info);
    for (size_t i = 0; i < sizeof fortran / sizeof *fortran; i++)
        if (strstr(info->dlpi_name, fortran[i]))
            return 0;
    if (!info->dlpi_addr && !*info->dlpi_name && !o.symbol)
        return 0;
    if ((uintptr_t)o.symbol < info->dlpi_addr || (uintptr_t)o.names < info->dlpi_addr)
        return 0; /* the kernel's own object is not relocated */
    for (int k = 0; k < 2; k++)
        for (size_t r = 0; r < o.bytes[k] / sizeof *o.list[k]; r++) {
            const ElfW(Sym) *symbol = &o.symbol[ELF64_R_SYM(o.list[k][r].r_info)];
            if (symbol->st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL)
                needs_add(argument, o.names + symbol->st_name);
        }
    return 0;
}

void rank_needs_check(void)
{
    static struct needs needs;
    world_process_loaded();
    dl_iterate_phdr(object_check, &needs);
    if (needs.used)
        rank_refuse("the program uses %s, which crosswait's own MPI does not implement",
                    needs.text);
}

void rank_missing_called(const char *call)
{
    WORLD->fiber->call = call;
    world_found(WORLD_RULE_UNSUPPORTED, ME->rank, "worlds of processes do not support %s", call);
    world_stop();
}
