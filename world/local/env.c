/* Other calls: start and end, time, errors, info, memory. */
#include "world/state.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/trace/event.h"
#include "world_newer.h"

struct ompi_predefined_request_t ompi_request_null = {{.handle = {.magic = HANDLE_DEAD}}};
struct ompi_predefined_message_t ompi_message_null = {{.handle = {.magic = HANDLE_DEAD}}};
struct ompi_predefined_message_t ompi_message_no_proc = {
    {.handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_MESSAGE, .made_by = "MPI_Init"}}};
struct ompi_predefined_info_t ompi_mpi_info_null = {{.handle = {.magic = HANDLE_DEAD}}};
struct ompi_predefined_info_t ompi_mpi_info_env = {
    {.handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_INFO, .made_by = "MPI_Init"}}};

#define NAME(name) [MPI_##name] = "MPI_" #name
static const char *const error_name[] = {
    NAME(SUCCESS),
    NAME(ERR_BUFFER),
    NAME(ERR_COUNT),
    NAME(ERR_TYPE),
    NAME(ERR_TAG),
    NAME(ERR_COMM),
    NAME(ERR_RANK),
    NAME(ERR_REQUEST),
    NAME(ERR_ROOT),
    NAME(ERR_GROUP),
    NAME(ERR_OP),
    NAME(ERR_TOPOLOGY),
    NAME(ERR_DIMS),
    NAME(ERR_ARG),
    NAME(ERR_UNKNOWN),
    NAME(ERR_TRUNCATE),
    NAME(ERR_OTHER),
    NAME(ERR_INTERN),
    NAME(ERR_IN_STATUS),
    NAME(ERR_PENDING),
    NAME(ERR_ACCESS),
    NAME(ERR_AMODE),
    NAME(ERR_ASSERT),
    NAME(ERR_BAD_FILE),
    NAME(ERR_BASE),
    NAME(ERR_CONVERSION),
    NAME(ERR_DISP),
    NAME(ERR_DUP_DATAREP),
    NAME(ERR_FILE_EXISTS),
    NAME(ERR_FILE_IN_USE),
    NAME(ERR_FILE),
    NAME(ERR_INFO_KEY),
    NAME(ERR_INFO_NOKEY),
    NAME(ERR_INFO_VALUE),
    NAME(ERR_INFO),
    NAME(ERR_IO),
    NAME(ERR_KEYVAL),
    NAME(ERR_LOCKTYPE),
    NAME(ERR_NAME),
    NAME(ERR_NO_MEM),
    NAME(ERR_NOT_SAME),
    NAME(ERR_NO_SPACE),
    NAME(ERR_NO_SUCH_FILE),
    NAME(ERR_PORT),
    NAME(ERR_QUOTA),
    NAME(ERR_READ_ONLY),
    NAME(ERR_RMA_CONFLICT),
    NAME(ERR_RMA_SYNC),
    NAME(ERR_SERVICE),
    NAME(ERR_SIZE),
    NAME(ERR_SPAWN),
    NAME(ERR_UNSUPPORTED_DATAREP),
    NAME(ERR_UNSUPPORTED_OPERATION),
    NAME(ERR_WIN),
    NAME(ERR_RMA_RANGE),
    NAME(ERR_RMA_ATTACH),
    NAME(ERR_RMA_FLAVOR),
    NAME(ERR_RMA_SHARED),
};

#ifndef WORLD_SHIM
_Static_assert(sizeof error_name / sizeof *error_name == MPI_ERR_RMA_SHARED + 1,
               "a name for each class, up to the last that Open MPI has");
#endif

const char *world_error_name(int code)
{
    if (code == MPI_ERR_SESSION)
        return "MPI_ERR_SESSION";
    bool known = code >= 0 && code < (int)(sizeof error_name / sizeof *error_name);
    return known && error_name[code] ? error_name[code] : "an MPI error";
}

/* --- start and end ---------------------------------------------------------------------------- */

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc, (void)argv;
    WORLD->fiber->call = "MPI_Init";
    if (ME->initialized) {
        world_found(WORLD_RULE_ERROR, ME->rank, "MPI_Init is called a second time");
        world_stop();
    }
    ME->finalized = false; /* a rank may have had sessions before */
    int most = MPI_THREAD_FUNNELED;
    if (WORLD_PROCESSES)
        most = world_rank_began(ME) ? world_process_threads() : world_process_init(required);
    ME->initialized = true;
    if (provided)
        *provided = required < most ? required : most;
    return MPI_SUCCESS;
}

int MPI_Init(int *argc, char ***argv)
{
    return MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, NULL);
}

int MPI_Finalize(void)
{
    ENTER("MPI_Finalize");
    if (UNLIKELY(WORLD->stops)) {
        WORLD->fiber->stopped = true;
        world_fiber_block();
    }
    world_attributes_drop(&ME->self.attribute, MPI_COMM_SELF);
    ME->finalized = true;
    return MPI_SUCCESS;
}

int MPI_Initialized(int *flag)
{
    *flag = ME->initialized;
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
    *flag = ME->initialized && ME->finalized;
    return MPI_SUCCESS;
}

int MPI_Query_thread(int *provided)
{
    if (!WORLD_PROCESSES || !ME->initialized) {
        ENTER_LOCAL("MPI_Query_thread"); /* any thread may ask at any time */
    }
    *provided = WORLD_PROCESSES ? world_process_threads() : MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

int MPI_Is_thread_main(int *flag)
{
    if (!WORLD_PROCESSES || !ME->initialized) {
        ENTER_LOCAL("MPI_Is_thread_main"); /* as MPI_Query_thread */
    }
    *flag = !WORLD_PROCESSES || world_process_is_main();
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int errorcode)
{
    (void)comm;
    ENTER("MPI_Abort");
    if (WORLD_PROCESSES)
        world_process_aborts(errorcode);
    world_found(WORLD_RULE_ABORT, ME->rank, "rank %d calls MPI_Abort with code %d", ME->rank,
                errorcode);
    world_end_job();
}

/* Returns virtual time: each call takes a microsecond. A loop that only waits for time to pass
 * calls again and again; time then passes faster and faster, up to a second a call. */
double MPI_Wtime(void)
{
    static const char name[] = "MPI_Wtime";
    if (world_process_stray())
        return (double)(WORLD->now_ns += 1000) * 1e-9;
    bool again = WORLD->fiber->call == name;
    ENTER_FREE(name);
    WORLD->time_streak = again ? WORLD->time_streak + 1 : 0;
    uint32_t doubled = WORLD->time_streak / 8;
    WORLD->now_ns += world_look_ns() << (doubled < 20 ? doubled : 20);
    world_fiber_yield();
    return (double)WORLD->now_ns * 1e-9;
}

double MPI_Wtick(void)
{
    return 1e-9;
}

int MPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}

int MPI_Get_version(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int MPI_Get_library_version(char *version, int *resultlen)
{
    *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "crosswait in-process MPI");
    return MPI_SUCCESS;
}

int MPI_Get_processor_name(char *name, int *resultlen)
{
    ENTER_LOCAL("MPI_Get_processor_name");
    *resultlen = snprintf(name, MPI_MAX_PROCESSOR_NAME, "world");
    return MPI_SUCCESS;
}

/* --- errors ----------------------------------------------------------------------------------- */

struct world_error_code { /* codes and classes that the program added */
    struct world_error_code *next;
    int code, class;
    const char *text;
};

static struct world_error_code *own_code(int code)
{
    struct world_error_code *own = ME && ME->extra ? ME->extra->error_code : NULL;
    while (own && own->code != code)
        own = own->next;
    return own;
}

static int own_code_new(int class)
{
    struct world_extra *extra = world_extra();
    struct world_error_code *made = world_alloc(sizeof *made);
    if (!extra->error_code_last)
        extra->error_code_last = MPI_ERR_LASTCODE;
    int code = ++extra->error_code_last;
    CORE_CHECK(code > MPI_ERR_LASTCODE && !own_code(code)); /* each is given once */
    *made = (struct world_error_code){extra->error_code, code, class < 0 ? code : class, ""};
    extra->error_code = made;
    return code;
}

int MPI_Error_class(int errorcode, int *errorclass)
{
    const struct world_error_code *own = own_code(errorcode);
    *errorclass = own ? own->class : errorcode;
    return MPI_SUCCESS;
}

int MPI_Error_string(int errorcode, char *string, int *resultlen)
{
    const struct world_error_code *own = own_code(errorcode);
    *resultlen =
        snprintf(string, MPI_MAX_ERROR_STRING, "%s", own ? own->text : world_error_name(errorcode));
    CORE_CHECK(*resultlen < MPI_MAX_ERROR_STRING); /* MPI_Add_error_string refuses longer texts */
    return MPI_SUCCESS;
}

int MPI_Add_error_class(int *errorclass)
{
    ENTER_ANY_TIME("MPI_Add_error_class");
    *errorclass = own_code_new(-1);
    return MPI_SUCCESS;
}

int MPI_Add_error_code(int errorclass, int *errorcode)
{
    ENTER_ANY_TIME("MPI_Add_error_code");
    if (errorclass < 0 || (errorclass > MPI_ERR_LASTCODE && !own_code(errorclass)))
        return world_error(NULL, MPI_ERR_ARG, "no error class %d", errorclass);
    *errorcode = own_code_new(errorclass);
    return MPI_SUCCESS;
}

/* Tells whether a code that the program added is one, or is a class. */
static bool own_is(int code, bool class)
{
    const struct world_error_code *own = own_code(code);
    return own && (own->class == code) == class;
}

static void own_remove(int code)
{
    struct world_error_code **link = &world_extra()->error_code;
    while ((*link)->code != code) {
        link = &(*link)->next;
        CORE_CHECK(*link); /* the caller found it */
    }
    *link = (*link)->next;
}

int MPI_Remove_error_class(int errorclass)
{
    ENTER_ANY_TIME("MPI_Remove_error_class");
    if (!own_is(errorclass, true))
        return world_error(NULL, MPI_ERR_ARG, "%d is no class of the program", errorclass);
    for (const struct world_error_code *own = ME->extra->error_code; own; own = own->next)
        if (own->class == errorclass && own->code != errorclass)
            return world_error(NULL, MPI_ERR_OTHER, "class %d has the code %d", errorclass,
                               own->code);
    own_remove(errorclass);
    return MPI_SUCCESS;
}

int MPI_Remove_error_code(int errorcode)
{
    ENTER_ANY_TIME("MPI_Remove_error_code");
    if (!own_is(errorcode, false))
        return world_error(NULL, MPI_ERR_ARG, "%d is no code of the program", errorcode);
    own_remove(errorcode);
    return MPI_SUCCESS;
}

int MPI_Remove_error_string(int errorcode)
{
    ENTER_ANY_TIME("MPI_Remove_error_string");
    struct world_error_code *own = own_code(errorcode);
    if (!own || !*own->text)
        return world_error(NULL, MPI_ERR_ARG, "%d has no text of the program", errorcode);
    own->text = "";
    return MPI_SUCCESS;
}

int MPI_Add_error_string(int errorcode, const char *string)
{
    ENTER_ANY_TIME("MPI_Add_error_string");
    struct world_error_code *own = own_code(errorcode);
    if (!own || strlen(string) >= MPI_MAX_ERROR_STRING)
        return world_error(NULL, MPI_ERR_ARG,
                           "%d is not the program's own code, or the text is long", errorcode);
    own->text = world_strdup(string);
    return MPI_SUCCESS;
}

/* --- memory ----------------------------------------------------------------------------------- */

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    ENTER_LOCAL("MPI_Alloc_mem");
    (void)info;
    if (size < 0)
        return world_error(NULL, MPI_ERR_ARG, "size %td", size);
    void *made = malloc((size_t)size + !size);
    if (!made)
        return world_error(NULL, MPI_ERR_NO_MEM, "%td bytes", size);
    *(void **)baseptr = made;
    return MPI_SUCCESS;
}

int MPI_Free_mem(void *base)
{
    ENTER_LOCAL("MPI_Free_mem");
    free(base);
    return MPI_SUCCESS;
}

/* --- info ------------------------------------------------------------------------------------- */

static int info_check(MPI_Info info)
{
    return handle_good(info, HANDLE_INFO)
               ? MPI_SUCCESS
               : world_error(NULL, MPI_ERR_INFO, "the info is null or freed");
}

static struct world_info_entry **info_find(MPI_Info info, const char *key)
{
    struct world_info_entry **link = &info->first;
    while (*link && strcmp((*link)->key, key))
        link = &(*link)->next;
    return link;
}

static struct world_info_entry *entries_copy(const struct world_info_entry *entry)
{
    struct world_info_entry *first = NULL, **link = &first;
    for (; entry; entry = entry->next, link = &(*link)->next) {
        *link = world_alloc(sizeof **link);
        **link =
            (struct world_info_entry){NULL, world_strdup(entry->key), world_strdup(entry->value)};
    }
    return first;
}

struct world_info_entry *world_info_keep(MPI_Info info)
{
    return handle_good(info, HANDLE_INFO) ? entries_copy(info->first) : NULL;
}

void world_comm_info(MPI_Comm comm, MPI_Info info)
{
    comm->info = world_info_keep(info);
    for (const struct world_info_entry *e = comm->info; e; e = e->next)
        if (matching_hint_reorders(matching_hint_find(e->key)))
            comm->overtaking = !strcmp(e->value, "true");
}

MPI_Info world_info_new(const struct world_info_entry *entry)
{
    MPI_Info made = world_handle_new(HANDLE_INFO, sizeof *made);
    made->first = entries_copy(entry);
    return made;
}

int MPI_Info_create(MPI_Info *info)
{
    ENTER_ANY_TIME("MPI_Info_create");
    *info = world_handle_new(HANDLE_INFO, sizeof **info);
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    ENTER_ANY_TIME("MPI_Info_set");
    int code = info_check(info);
    if (code)
        return code;
    if (!key || !*key || strlen(key) > MPI_MAX_INFO_KEY)
        return world_error(NULL, MPI_ERR_INFO_KEY, "a bad key");
    struct world_info_entry **link = info_find(info, key);
    if (!*link) {
        *link = world_alloc(sizeof **link);
        **link = (struct world_info_entry){.key = world_strdup(key)};
    }
    (*link)->value = world_strdup(value);
    return MPI_SUCCESS;
}

int MPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    ENTER_ANY_TIME("MPI_Info_get");
    int code = info_check(info);
    if (code)
        return code;
    const struct world_info_entry *found = *info_find(info, key);
    *flag = found != NULL;
    if (found)
        snprintf(value, (size_t)valuelen + 1, "%s", found->value);
    return MPI_SUCCESS;
}

/* bytes: the room for the value, then its size; both include the null. */
int MPI_Info_get_string(MPI_Info info, const char *key, int *bytes, char *value, int *flag)
{
    ENTER_ANY_TIME("MPI_Info_get_string");
    int code = info_check(info);
    if (code)
        return code;
    const struct world_info_entry *found = *info_find(info, key);
    *flag = found != NULL;
    if (!found)
        return MPI_SUCCESS;
    CORE_CHECK(found->value);
    if (*bytes > 0)
        snprintf(value, (size_t)*bytes, "%s", found->value);
    *bytes = (int)strlen(found->value) + 1;
    return MPI_SUCCESS;
}

int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    ENTER_ANY_TIME("MPI_Info_get_valuelen");
    int code = info_check(info);
    if (code)
        return code;
    const struct world_info_entry *found = *info_find(info, key);
    *flag = found != NULL;
    if (found)
        *valuelen = (int)strlen(found->value);
    return MPI_SUCCESS;
}

int MPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
    ENTER_ANY_TIME("MPI_Info_get_nkeys");
    int code = info_check(info);
    *nkeys = 0;
    for (const struct world_info_entry *e = code ? NULL : info->first; e; e = e->next)
        ++*nkeys;
    return code;
}

int MPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
    ENTER_ANY_TIME("MPI_Info_get_nthkey");
    int code = info_check(info);
    if (code)
        return code;
    const struct world_info_entry *entry = info->first;
    while (entry && n-- > 0)
        entry = entry->next;
    if (!entry)
        return world_error(NULL, MPI_ERR_INFO_KEY, "no such key");
    strcpy(key, entry->key);
    return MPI_SUCCESS;
}

int MPI_Info_delete(MPI_Info info, const char *key)
{
    ENTER_ANY_TIME("MPI_Info_delete");
    int code = info_check(info);
    if (code)
        return code;
    struct world_info_entry **link = info_find(info, key);
    if (!*link)
        return world_error(NULL, MPI_ERR_INFO_NOKEY, "no key '%s'", key);
    *link = (*link)->next;
    return MPI_SUCCESS;
}

int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
    ENTER_ANY_TIME("MPI_Info_dup");
    int code = info_check(info);
    if (code)
        return code;
    *newinfo = world_info_new(info->first);
    return MPI_SUCCESS;
}

int MPI_Info_free(MPI_Info *info)
{
    ENTER_ANY_TIME("MPI_Info_free");
    int code = *info == MPI_INFO_ENV
                   ? world_error(NULL, MPI_ERR_INFO, "a predefined info cannot be freed")
                   : info_check(*info);
    if (code)
        return code;
    world_handle_kill(&(*info)->handle);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}
