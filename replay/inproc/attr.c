/* Attributes of communicators and datatypes, error handlers. */
#include "replay/inproc/state.h"

enum { KEYVAL_FIRST = 100, KEYVALS_MAX = 1024 };

struct keyval {
    MPI_Comm_copy_attr_function *copy; /* the datatype forms have the same shape */
    MPI_Comm_delete_attr_function *drop;
    void *extra;
    bool freed;
};

static struct keyval keyval[KEYVALS_MAX];

int OMPI_C_MPI_COMM_NULL_COPY_FN(MPI_Comm comm, int key, void *extra, void *in, void *out,
                                 int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

int OMPI_C_MPI_COMM_DUP_FN(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

int OMPI_C_MPI_COMM_NULL_DELETE_FN(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_SUCCESS;
}

int OMPI_C_MPI_TYPE_NULL_COPY_FN(MPI_Datatype type, int key, void *extra, void *in, void *out,
                                 int *flag)
{
    (void)type, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

int OMPI_C_MPI_TYPE_DUP_FN(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

int OMPI_C_MPI_TYPE_NULL_DELETE_FN(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    return MPI_SUCCESS;
}

static int keyval_new(void *copy, void *drop, void *extra, int *out_key)
{
    int keyval_count = WORLD->keyval_count++;
    if (keyval_count >= KEYVALS_MAX)
        return inproc_error(NULL, MPI_ERR_NO_MEM, "more than %d keys", KEYVALS_MAX);
    keyval[keyval_count] = (struct keyval){.extra = extra};
    memcpy(&keyval[keyval_count].copy, &copy, sizeof copy);
    memcpy(&keyval[keyval_count].drop, &drop, sizeof drop);
    *out_key = KEYVAL_FIRST + keyval_count;
    return MPI_SUCCESS;
}

static struct keyval *keyval_of(int key)
{
    int index = key - KEYVAL_FIRST;
    return index >= 0 && index < WORLD->keyval_count ? &keyval[index] : NULL;
}

static struct inproc_attribute **attribute_find(struct inproc_attribute **link, int key)
{
    while (*link && (*link)->keyval != key)
        link = &(*link)->next;
    return link;
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *drop,
                           int *key, void *extra)
{
    ENTER("MPI_Comm_create_keyval");
    return keyval_new((void *)(uintptr_t)copy, (void *)(uintptr_t)drop, extra, key);
}

int MPI_Comm_free_keyval(int *key)
{
    ENTER("MPI_Comm_free_keyval");
    struct keyval *freed = keyval_of(*key);
    if (!freed || freed->freed)
        return inproc_error(NULL, MPI_ERR_KEYVAL, "key %d", *key);
    freed->freed = true;
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, struct inproc_attribute **link)
{
    struct inproc_attribute *attribute = *link;
    const struct keyval *key = keyval_of(attribute->keyval);
    *link = attribute->next;
    MPI_Comm handle = comm == &ME->world ? MPI_COMM_WORLD : comm;
    return key && key->drop ? key->drop(handle, attribute->keyval, attribute->value, key->extra)
                            : MPI_SUCCESS;
}

int MPI_Comm_set_attr(MPI_Comm handle, int key, void *value)
{
    ENTER("MPI_Comm_set_attr");
    MPI_Comm comm;
    int code = inproc_comm_check(handle, &comm);
    if (code)
        return code;
    if (!keyval_of(key))
        return inproc_error(comm, MPI_ERR_KEYVAL, "key %d", key);
    struct inproc_attribute **link = attribute_find(&comm->attribute, key);
    if (*link && (code = drop(comm, link)))
        return code;
    struct inproc_attribute *made = inproc_alloc(sizeof *made);
    *made = (struct inproc_attribute){comm->attribute, key, value};
    comm->attribute = made;
    return MPI_SUCCESS;
}

int MPI_Comm_get_attr(MPI_Comm handle, int key, void *value, int *flag)
{
    static int tag_ub = 0x7fffffff, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global = 1, universe,
               app = 0, last = MPI_ERR_LASTCODE;
    ENTER("MPI_Comm_get_attr");
    MPI_Comm comm;
    int code = inproc_comm_check(handle, &comm);
    if (code)
        return code;
    universe = WORLD->rank_count;
    int *known = key == MPI_TAG_UB            ? &tag_ub
                 : key == MPI_HOST            ? &host
                 : key == MPI_IO              ? &io
                 : key == MPI_WTIME_IS_GLOBAL ? &global
                 : key == MPI_UNIVERSE_SIZE   ? &universe
                 : key == MPI_APPNUM          ? &app
                 : key == MPI_LASTUSEDCODE    ? &last
                                              : NULL;
    if (known) {
        *(int **)value = known;
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (!keyval_of(key))
        return inproc_error(comm, MPI_ERR_KEYVAL, "key %d", key);
    struct inproc_attribute *found = *attribute_find(&comm->attribute, key);
    *flag = found != NULL;
    if (found)
        *(void **)value = found->value;
    return MPI_SUCCESS;
}

int MPI_Comm_delete_attr(MPI_Comm handle, int key)
{
    ENTER("MPI_Comm_delete_attr");
    MPI_Comm comm;
    int code = inproc_comm_check(handle, &comm);
    if (code)
        return code;
    struct inproc_attribute **link = attribute_find(&comm->attribute, key);
    if (!keyval_of(key) || !*link)
        return inproc_error(comm, MPI_ERR_KEYVAL, "key %d", key);
    return drop(comm, link);
}

int inproc_attributes_copy(MPI_Comm from, MPI_Comm to)
{
    MPI_Comm handle = from == &ME->world ? MPI_COMM_WORLD : from;
    for (struct inproc_attribute *a = from->attribute; a; a = a->next) {
        const struct keyval *key = keyval_of(a->keyval);
        void *value = NULL;
        int flag = 0;
        if (!key || !key->copy)
            continue;
        int code = key->copy(handle, a->keyval, key->extra, a->value, &value, &flag);
        if (code)
            return code;
        if (flag) {
            struct inproc_attribute *made = inproc_alloc(sizeof *made);
            *made = (struct inproc_attribute){to->attribute, a->keyval, value};
            to->attribute = made;
        }
    }
    return MPI_SUCCESS;
}

void inproc_attributes_drop(MPI_Comm comm)
{
    while (comm->attribute)
        drop(comm, &comm->attribute);
}

/* --- error handlers
 * ------------------------------------------------------------------------------------------------------
 */

#define PREDEFINED_HANDLER(symbol, number)                               \
    struct ompi_predefined_errhandler_t ompi_mpi_##symbol = {            \
        {.handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_ERRHANDLER, \
                    .references = 1,                                     \
                    .made_by = "MPI_Init"},                              \
         .kind = number}};
PREDEFINED_HANDLER(errors_are_fatal, 0)
PREDEFINED_HANDLER(errors_return, 1)
struct ompi_predefined_errhandler_t ompi_mpi_errhandler_null = {{.handle = {.magic = HANDLE_DEAD}}};

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler)
{
    ENTER("MPI_Comm_create_errhandler");
    if (!function)
        return inproc_error(NULL, MPI_ERR_ARG, "NULL function");
    MPI_Errhandler made = inproc_handle_new(HANDLE_ERRHANDLER, sizeof *made);
    made->kind = 2;
    made->function = function;
    *errhandler = made;
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm handle, MPI_Errhandler errhandler)
{
    ENTER("MPI_Comm_set_errhandler");
    MPI_Comm comm;
    int code = inproc_comm_check(handle, &comm);
    if (code)
        return code;
    if (!handle_good(errhandler, HANDLE_ERRHANDLER))
        return inproc_error(comm, MPI_ERR_ARG, "the error handler is null or freed");
    comm->errhandler = errhandler;
    return MPI_SUCCESS;
}

int MPI_Comm_get_errhandler(MPI_Comm handle, MPI_Errhandler *errhandler)
{
    ENTER("MPI_Comm_get_errhandler");
    MPI_Comm comm;
    int code = inproc_comm_check(handle, &comm);
    if (code == MPI_SUCCESS)
        *errhandler = comm->errhandler;
    return code;
}

int MPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    ENTER("MPI_Errhandler_free");
    if (!errhandler || !*errhandler || (*errhandler)->kind > 2 ||
        *errhandler == MPI_ERRHANDLER_NULL)
        return inproc_error(NULL, MPI_ERR_ARG, "the error handler is null");
    if ((*errhandler)->kind == 2 && handle_good(*errhandler, HANDLE_ERRHANDLER))
        inproc_handle_kill(&(*errhandler)->handle);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_call_errhandler(MPI_Comm handle, int errorcode)
{
    ENTER("MPI_Comm_call_errhandler");
    MPI_Comm comm;
    int code = inproc_comm_check(handle, &comm);
    if (code == MPI_SUCCESS)
        inproc_error(comm, errorcode, "the program's own call");
    return code;
}
