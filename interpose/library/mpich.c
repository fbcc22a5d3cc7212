/* MPICH and what shares its binary interface (Intel MPI, Cray MPICH, MVAPICH): handles are numbers
 * in which the kind of object stands: two bits for how it is kept (builtin, direct, indirect), four
 * for what it is. The values of mpi.h are part of the interface. */
#include "interpose/library/library.h"
#include "interpose/objects/contents.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/entry/body.h"

enum { SHARED_MAX = 8 }; /* handles beside each other */
enum { KEPT_SHIFT = 30, KEPT_BUILTIN = 1, KIND_SHIFT = 26, KIND_MASK = 15 };

const enum library_family library_family = LIBRARY_MPICH;

bool library_is_binding(const char *file)
{
    return strncmp(file, "libmpichfort", 12) == 0 || strncmp(file, "libmpifort", 10) == 0 ||
           strncmp(file, "libmpichf90", 11) == 0;
}

bool library_handles(void)
{
    int *const *unweighted = recorder_symbol("MPI_UNWEIGHTED");
    int *const *weights_empty = recorder_symbol("MPI_WEIGHTS_EMPTY");

    if (!unweighted || !weights_empty) /* variables of MPICH's, constants of others */
        return false;
    recorder_handle = (struct recorder_handles){
        .comm_null = MPI_COMM_NULL,
        .comm_world = MPI_COMM_WORLD,
        .comm_self = MPI_COMM_SELF,
        .type_null = MPI_DATATYPE_NULL,
        .type_byte = MPI_BYTE,
        .type_long_long = MPI_LONG_LONG,
        .request_null = MPI_REQUEST_NULL,
        .request_empty = MPI_REQUEST_NULL, /* library_request_shared */
        .group_null = MPI_GROUP_NULL,
        .group_empty = MPI_GROUP_EMPTY,
        .op_null = MPI_OP_NULL,
        .op_sum = MPI_SUM,
        .op_no_op = MPI_NO_OP,
        .win_null = MPI_WIN_NULL,
        .file_null = MPI_FILE_NULL,
        .info_null = MPI_INFO_NULL,
        .errhandler_null = MPI_ERRHANDLER_NULL,
        .message_null = MPI_MESSAGE_NULL,
        .message_no_proc = MPI_MESSAGE_NO_PROC,
        .unweighted = *unweighted,
        .weights_empty = *weights_empty,
    };
    return true;
}

struct library_shared library_shared;

/* Messages of nobody are complete at once: where two that wait have one handle, it is shared. */
static void shared_learn(bool send)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Comm self = recorder_handle.comm_self;
    int none = 0;

    for (int i = 0; i < 2; i++)
        if (send ? OWN(Isend)(&none, 0, MPI_BYTE, MPI_PROC_NULL, 0, self, &request[i])
                 : OWN(Irecv)(&none, 0, MPI_BYTE, MPI_PROC_NULL, 0, self, &request[i]))
            return;
    unsigned handle = (unsigned)request[0];
    bool shared = request[0] == request[1] && request[0] != MPI_REQUEST_NULL;
    OWN(Waitall)(2, request, MPI_STATUSES_IGNORE);
    if (!shared || handle >> KEPT_SHIFT == KEPT_BUILTIN)
        return;
    struct library_shared *all = &library_shared;
    unsigned first = all->count && all->first < handle ? all->first : handle;
    unsigned behind =
        all->count && all->first + all->count > handle + 1 ? all->first + all->count : handle + 1;
    if (behind - first <= SHARED_MAX)
        *all = (struct library_shared){first, behind - first};
}

void library_learn(void)
{
    shared_learn(true);
    shared_learn(false);
}

const char *library_untested(const char *version)
{
    static const char *const tested[] = {"MPICH Version: 4.0", "MPICH Version: 5.0",
                                         "Intel(R) MPI Library 2021.18"};

    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++) {
        const char *at = version, *of = tested[i];
        while (*of && (*at == *of || (*of == ' ' && *at == '\t'))) {
            bool space = *of == ' ';
            at++, of++;
            while (space && (*at == ' ' || *at == '\t'))
                at++;
        }
        if (!*of)
            return NULL;
    }
    return "MPICH 4.0 and 5.0, and Intel MPI 2021.18";
}

/* The kind that stands in a handle: that of a predefined one. 0: not told. */
static unsigned kind_of(enum recorder_object kind)
{
    static const unsigned example[OBJECT_KINDS] = {
        [OBJECT_COMM] = (unsigned)MPI_COMM_WORLD,
        [OBJECT_GROUP] = (unsigned)MPI_GROUP_EMPTY,
        [OBJECT_TYPE] = (unsigned)MPI_BYTE,
        [OBJECT_OP] = (unsigned)MPI_SUM,
        [OBJECT_WIN] = (unsigned)MPI_WIN_NULL,
        [OBJECT_INFO] = (unsigned)MPI_INFO_NULL,
        [OBJECT_ERRHANDLER] = (unsigned)MPI_ERRORS_RETURN,
    };
    return example[kind] >> KIND_SHIFT & KIND_MASK;
}

bool library_predefined(enum recorder_object kind, const void *handle)
{
    unsigned value = (unsigned)(uintptr_t)handle;

    if (kind == OBJECT_FILE)
        return handle == HANDLE(recorder_handle.file_null);
    return kind_of(kind) && (value >> KIND_SHIFT & KIND_MASK) == kind_of(kind) &&
           value >> KEPT_SHIFT <= KEPT_BUILTIN;
}

bool library_may_be(enum recorder_object kind, const void *handle)
{
    unsigned value = (unsigned)(uintptr_t)handle;

    if (kind == OBJECT_FILE)
        return memory_readable(handle, sizeof handle);
    return !kind_of(kind) ||
           ((value >> KIND_SHIFT & KIND_MASK) == kind_of(kind) && value >> KEPT_SHIFT != 0);
}

const char *library_op_name(MPI_Op op)
{
    static const struct {
        MPI_Op op;
        const char *name;
    } names[] = {
        {MPI_MAX, "MPI_MAX"},         {MPI_MIN, "MPI_MIN"},       {MPI_SUM, "MPI_SUM"},
        {MPI_PROD, "MPI_PROD"},       {MPI_LAND, "MPI_LAND"},     {MPI_BAND, "MPI_BAND"},
        {MPI_LOR, "MPI_LOR"},         {MPI_BOR, "MPI_BOR"},       {MPI_LXOR, "MPI_LXOR"},
        {MPI_BXOR, "MPI_BXOR"},       {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"},
        {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].op == op)
            return names[i].name;
    return NULL;
}

void library_type_name(MPI_Datatype type, char *name)
{
    static const struct {
        int combiner, size;
        const char *name;
    } kinds[] = {
        {MPI_COMBINER_F90_REAL, 4, "MPI_REAL"},
        {MPI_COMBINER_F90_REAL, 8, "MPI_DOUBLE_PRECISION"},
        {MPI_COMBINER_F90_REAL, 16, "MPI_REAL16"},
        {MPI_COMBINER_F90_COMPLEX, 8, "MPI_COMPLEX"},
        {MPI_COMBINER_F90_COMPLEX, 16, "MPI_DOUBLE_COMPLEX"},
        {MPI_COMBINER_F90_COMPLEX, 32, "MPI_COMPLEX32"},
        {MPI_COMBINER_F90_INTEGER, 1, "MPI_INTEGER1"},
        {MPI_COMBINER_F90_INTEGER, 2, "MPI_INTEGER2"},
        {MPI_COMBINER_F90_INTEGER, 4, "MPI_INTEGER"},
        {MPI_COMBINER_F90_INTEGER, 8, "MPI_INTEGER8"},
    };
    int length = 0, size, combiner;

    OWN(Type_get_name)(type, name, &length);
    name[length] = 0;
    if (length || OWN(Type_size)(type, &size) != MPI_SUCCESS)
        return;
    combiner = contents_combiner(type);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].combiner == combiner && kinds[i].size == size)
            strcpy(name, kinds[i].name);
}

/* --- the place in the job --------------------------------------------------------------------- */

/* Hydra tells each rank the name of its world when MPI_Init asks: the same on all machines. Since
 * version 5 nothing else tells spawned worlds apart. What the library reads is looked at as it
 * passes. */
static struct {
    int fd;
    char name[256]; /* empty: not told yet */
} world = {.fd = -1};

static void world_look(const char *text, size_t length)
{
    static const char key[] = "kvsname=";
    const char *at = memmem(text, length, key, sizeof key - 1);
    size_t bytes = 0;

    if (!at)
        return;
    at += sizeof key - 1;
    while (at + bytes < text + length && at[bytes] > ' ' && at[bytes] != ';')
        bytes++;
    if (at + bytes < text + length && bytes < sizeof world.name)
        memcpy(world.name, at, bytes);
}

static ssize_t world_read(int fd, void *to, size_t bytes)
{
    ssize_t got = read(fd, to, bytes);

    if (UNLIKELY(fd == world.fd) && got > 0 && !*world.name)
        world_look(to, (size_t)got);
    return got;
}

void library_found(const struct body_entry *entry)
{
    const char *fd = getenv("PMI_FD");

    if (!fd || !getenv("PMI_SPAWNED"))
        return;
    world.fd = atoi(fd);
    entry->bind("read", (void *)world_read);
}

/* What starts a machine's ranks is told where mpirun listens, and which of its process groups they
 * are: the same words on all machines, and others for each job. */
static bool job_of_words(char *words, size_t length, char *job, size_t room)
{
    static const char *const telling[] = {"--control-port", "--upstream-host", "--upstream-port",
                                          "--pgid"};
    size_t used = 0;
    bool port = false;

    for (const char *word = words; word < words + length; word += strlen(word) + 1) {
        const char *value = word + strlen(word) + 1;
        for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
            if (value < words + length && !strcmp(word, telling[i])) {
                used += (size_t)snprintf(job + used, room - used, "%s%s", used ? "-" : "", value);
                port |= strstr(word, "port") != NULL;
                if (used >= room)
                    return false;
            }
    }
    return port;
}

static size_t read_proc(pid_t pid, const char *name, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, room - 1) : -1;

    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

/* Hydra tells a rank no name of its job, and there may be scripts between it and the rank. */
static const char *hydra_job(void)
{
    enum { GENERATIONS = 16 };
    static char job[128];
    char text[4096];
    int parent = (int)getppid();

    for (int i = 0; !*job && i < GENERATIONS && parent > 1; i++) {
        size_t length = read_proc(parent, "cmdline", text, sizeof text);
        if (strstr(text, "hydra_") && !job_of_words(text, length, job, sizeof job))
            *job = '\0';
        read_proc(parent, "stat", text, sizeof text);
        const char *behind = strrchr(text, ')');
        if (!behind || sscanf(behind, ") %*c %d", &parent) != 1)
            break;
    }
    return *job ? job : NULL;
}

/* Hydra tells a rank its place; where a batch system started it, Slurm does. */
struct library_place library_place(void)
{
    static const char *const jobs[] = {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_STEPID"};
    struct library_place place = {.rank = getenv("PMI_RANK"),
                                  .size = getenv("PMI_SIZE"),
                                  .local_rank = getenv("MPI_LOCALRANKID"),
                                  .local_size = getenv("MPI_LOCALNRANKS")};
    static const char *hydra;

    if (world.fd >= 0 && !*world.name) /* where it is is not known before MPI_Init */
        return (struct library_place){0};
    if (*world.name)
        hydra = world.name;
    if (place.local_size && !hydra)
        hydra = getenv("I_MPI_HYDRA_UUID") ? getenv("I_MPI_HYDRA_UUID") : hydra_job();
    place.job = hydra;
    for (size_t i = 0; !place.job && i < sizeof jobs / sizeof *jobs; i++)
        place.job = getenv(jobs[i]);
    library_place_slurm(&place);
    return place;
}
