/* The rest: start and end, time, errors, info, memory. */
#include "replay/inproc/state.h"

#include <stdio.h>
#include <stdlib.h>

struct ompi_predefined_request_t ompi_request_null = {{.handle = {.magic = HANDLE_DEAD}}};
struct ompi_predefined_message_t ompi_message_null = {{.handle = {.magic = HANDLE_DEAD}}};
struct ompi_predefined_message_t ompi_message_no_proc = {
    {.handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_MESSAGE, .made_by = "MPI_Init"}}};
struct ompi_predefined_info_t ompi_mpi_info_null = {{.handle = {.magic = HANDLE_DEAD}}};
struct ompi_predefined_info_t ompi_mpi_info_env = {
    {.handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_INFO, .made_by = "MPI_Init"}}};

static const char *const error_name[] = {
    "MPI_SUCCESS",   "MPI_ERR_BUFFER", "MPI_ERR_COUNT",     "MPI_ERR_TYPE",
    "MPI_ERR_TAG",   "MPI_ERR_COMM",   "MPI_ERR_RANK",      "MPI_ERR_REQUEST",
    "MPI_ERR_ROOT",  "MPI_ERR_GROUP",  "MPI_ERR_OP",        "MPI_ERR_TOPOLOGY",
    "MPI_ERR_DIMS",  "MPI_ERR_ARG",    "MPI_ERR_UNKNOWN",   "MPI_ERR_TRUNCATE",
    "MPI_ERR_OTHER", "MPI_ERR_INTERN", "MPI_ERR_IN_STATUS", "MPI_ERR_PENDING"};

const char *inproc_error_name(int code)
{
    if (code >= 0 && code < (int)(sizeof error_name / sizeof *error_name))
        return error_name[code];
    return code == MPI_ERR_KEYVAL       ? "MPI_ERR_KEYVAL"
           : code == MPI_ERR_NO_MEM     ? "MPI_ERR_NO_MEM"
           : code == MPI_ERR_INFO_KEY   ? "MPI_ERR_INFO_KEY"
           : code == MPI_ERR_INFO       ? "MPI_ERR_INFO"
           : code == MPI_ERR_INFO_NOKEY ? "MPI_ERR_INFO_NOKEY"
                                        : "an MPI error";
}

/* --- start and end
 * ---------------------------------------------------------------------------------------------------------
 */

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc, (void)argv;
    WORLD->fiber->call = "MPI_Init";
    if (ME->initialized) {
        inproc_found("error", ME->rank, "MPI_Init is called a second time");
        inproc_world_stop();
    }
    ME->initialized = true;
    if (provided)
        *provided = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
    return MPI_SUCCESS;
}

int MPI_Init(int *argc, char ***argv)
{
    return MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, NULL);
}

int MPI_Finalize(void)
{
    ENTER("MPI_Finalize");
    inproc_attributes_drop(&ME->self);
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
    *flag = ME->finalized;
    return MPI_SUCCESS;
}

int MPI_Query_thread(int *provided)
{
    ENTER("MPI_Query_thread");
    *provided = MPI_THREAD_SERIALIZED;
    return MPI_SUCCESS;
}

int MPI_Is_thread_main(int *flag)
{
    ENTER("MPI_Is_thread_main");
    *flag = 1;
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int errorcode)
{
    (void)comm;
    ENTER("MPI_Abort");
    inproc_found("abort", ME->rank, "rank %d calls MPI_Abort with code %d", ME->rank, errorcode);
    inproc_world_stop();
}

double MPI_Wtime(void)
{
    ENTER("MPI_Wtime");
    WORLD->now_ns += 1000; /* a loop that waits for time to pass ends */
    if (WORLD->ready_count)
        inproc_fiber_yield();
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
    ENTER("MPI_Get_processor_name");
    *resultlen = snprintf(name, MPI_MAX_PROCESSOR_NAME, "inproc");
    return MPI_SUCCESS;
}

/* --- errors
 * -------------------------------------------------------------------------------------------------------------------
 */

int MPI_Error_class(int errorcode, int *errorclass)
{
    *errorclass = errorcode;
    return MPI_SUCCESS;
}

int MPI_Error_string(int errorcode, char *string, int *resultlen)
{
    *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s", inproc_error_name(errorcode));
    return MPI_SUCCESS;
}

/* --- memory
 * ---------------------------------------------------------------------------------------------------------------------
 */

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    ENTER("MPI_Alloc_mem");
    (void)info;
    if (size < 0)
        return inproc_error(NULL, MPI_ERR_ARG, "size %td", size);
    void *made = malloc((size_t)size + !size);
    if (!made)
        return inproc_error(NULL, MPI_ERR_NO_MEM, "%td bytes", size);
    *(void **)baseptr = made;
    return MPI_SUCCESS;
}

int MPI_Free_mem(void *base)
{
    ENTER("MPI_Free_mem");
    free(base);
    return MPI_SUCCESS;
}

/* --- info
 * -------------------------------------------------------------------------------------------------------------------------
 */

static int info_check(MPI_Info info)
{
    return handle_good(info, HANDLE_INFO)
               ? MPI_SUCCESS
               : inproc_error(NULL, MPI_ERR_INFO, "the info is null or freed");
}

static struct inproc_info_entry **info_find(MPI_Info info, const char *key)
{
    struct inproc_info_entry **link = &info->first;
    while (*link && strcmp((*link)->key, key))
        link = &(*link)->next;
    return link;
}

int MPI_Info_create(MPI_Info *info)
{
    ENTER("MPI_Info_create");
    *info = inproc_handle_new(HANDLE_INFO, sizeof **info);
    return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    ENTER("MPI_Info_set");
    int code = info_check(info);
    if (code)
        return code;
    if (!key || !*key || strlen(key) > MPI_MAX_INFO_KEY)
        return inproc_error(NULL, MPI_ERR_INFO_KEY, "a bad key");
    struct inproc_info_entry **link = info_find(info, key);
    if (!*link) {
        *link = inproc_alloc(sizeof **link);
        **link = (struct inproc_info_entry){.key = inproc_strdup(key)};
    }
    (*link)->value = inproc_strdup(value);
    return MPI_SUCCESS;
}

int MPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    ENTER("MPI_Info_get");
    int code = info_check(info);
    if (code)
        return code;
    const struct inproc_info_entry *found = *info_find(info, key);
    *flag = found != NULL;
    if (found)
        snprintf(value, (size_t)valuelen + 1, "%s", found->value);
    return MPI_SUCCESS;
}

int MPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
    ENTER("MPI_Info_get_nkeys");
    int code = info_check(info);
    *nkeys = 0;
    for (const struct inproc_info_entry *e = code ? NULL : info->first; e; e = e->next)
        ++*nkeys;
    return code;
}

int MPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
    ENTER("MPI_Info_get_nthkey");
    int code = info_check(info);
    if (code)
        return code;
    const struct inproc_info_entry *entry = info->first;
    while (entry && n-- > 0)
        entry = entry->next;
    if (!entry)
        return inproc_error(NULL, MPI_ERR_INFO_KEY, "no such key");
    strcpy(key, entry->key);
    return MPI_SUCCESS;
}

int MPI_Info_delete(MPI_Info info, const char *key)
{
    ENTER("MPI_Info_delete");
    int code = info_check(info);
    if (code)
        return code;
    struct inproc_info_entry **link = info_find(info, key);
    if (!*link)
        return inproc_error(NULL, MPI_ERR_INFO_NOKEY, "no key '%s'", key);
    *link = (*link)->next;
    return MPI_SUCCESS;
}

int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
    ENTER("MPI_Info_dup");
    int code = info_check(info);
    if (code)
        return code;
    *newinfo = inproc_handle_new(HANDLE_INFO, sizeof **newinfo);
    for (const struct inproc_info_entry *e = info->first; e; e = e->next) {
        struct inproc_info_entry **link = info_find(*newinfo, e->key);
        *link = inproc_alloc(sizeof **link);
        **link = (struct inproc_info_entry){NULL, inproc_strdup(e->key), inproc_strdup(e->value)};
    }
    return MPI_SUCCESS;
}

int MPI_Info_free(MPI_Info *info)
{
    ENTER("MPI_Info_free");
    int code = info_check(*info);
    if (code)
        return code;
    inproc_handle_kill(&(*info)->handle);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}
