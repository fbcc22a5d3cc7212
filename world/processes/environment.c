/* See the header. */
#include "world/processes/environment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check.h"
#include "core/file.h"

/* Our library for programs of an ABI, and a second name under which to preload it, so that the
 * loader searches for no other library of these names. */
static const struct ours {
    const char *name, *also;
    const char *size, *local_size; /* variables by which a launcher tells the number of ranks */
} ours[REGION_OTHER] = {
    [REGION_OPENMPI] = {"libmpi.so.40", NULL, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    [REGION_MPICH] = {"libmpi.so.12", "libmpich.so.12", "PMI_SIZE", "MPI_LOCALNRANKS"},
    [REGION_STANDARD] = {"libmpi_abi.so.1", "libmpi_abi.so.0", "PMI_SIZE", "MPI_LOCALNRANKS"}};

const char *environment_library_name(enum region_abi abi)
{
    CORE_CHECK(abi < REGION_OTHER && ours[abi].name);
    return ours[abi].name;
}

bool environment_library(const char *wanted, enum region_abi abi, char *out, size_t room)
{
    char own[3072];
    if (wanted) {
        snprintf(out, room, "%s", wanted);
        return access(out, R_OK) == 0;
    }
    if (!core_program_folder(own, sizeof own))
        return false;
    static const char *const place[] = {"ranks", "../ranks", "../../ranks", "../lib/crosswait"};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        int bytes = snprintf(out, room, "%s/%s/%s", own, place[i], ours[abi].name);
        if (access(out, R_OK) != 0)
            continue;
        if (ours[abi].also)
            snprintf(out + bytes, room - (size_t)bytes, ":%s/%s/%s", own, place[i], ours[abi].also);
        return true;
    }
    return false;
}

static void variable_add(const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    char name[256];
    if (!equals || (size_t)(equals - assignment) >= sizeof name)
        return;
    memcpy(name, assignment, (size_t)(equals - assignment));
    name[equals - assignment] = 0;
    setenv(name, equals + 1, 1);
}

/* Sets options for a sanitizer; the user's own settings follow and override them. */
static void sanitizer_set(const char *name, const char *options)
{
    char text[4096];
    const char *given = getenv(name);
    snprintf(text, sizeof text, "%s:%s", options, given ? given : "");
    setenv(name, text, 1);
}

void environment_set(const struct world_program *program, enum region_abi abi, const char *library)
{
    char text[16384];
    /* UCX, which Open MPI's Fortran library loads, would start a thread. */
    static const char *const settings[] = {"PYTHONUNBUFFERED=1",
                                           "GFORTRAN_UNBUFFERED_PRECONNECTED=1",
                                           "OPENBLAS_NUM_THREADS=1", "UCX_VFS_ENABLE=n"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        variable_add(settings[i]);
    const char *hashes = getenv("PYTHONHASHSEED");
    snprintf(text, sizeof text, "PYTHONHASHSEED=%" PRIu32, program->look_ns);
    if (!hashes || !strcmp(hashes, "random"))
        variable_add(text);
    snprintf(text, sizeof text, "%d", program->rank_count);
    setenv(ours[abi].size, text, 1);
    setenv(ours[abi].local_size, text, 1);
    for (const char *const *v = program->environment; v && *v; v++)
        variable_add(*v);
    const char *others = getenv("LD_PRELOAD");
    snprintf(text, sizeof text, "%s%s%s", library, others && *others ? ":" : "",
             others ? others : "");
    if (others && *others)
        setenv(REGION_PRELOAD_VARIABLE, others, 1);
    setenv("LD_PRELOAD", text, 1);
    sanitizer_set("ASAN_OPTIONS",
                  "verify_asan_link_order=0"); /* its own library may come after our library */
    sanitizer_set("UBSAN_OPTIONS", "halt_on_error=1"); /* the world ends with the first report */
}
