/* Attributes of communicators, datatypes and windows: one table of keys, one list for each object.
 * The callbacks of all three take an object by value and have the same form, so all are stored and
 * called as those of communicators. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include "world/exchange/rma.h"
#include "world/state.h"

enum { KEYVAL_FIRST = 4096, KEYVALS_MAX = 1024 };
#define APART(key) ((int)(key) < KEYVAL_FIRST || (int)(key) >= KEYVAL_FIRST + KEYVALS_MAX)
_Static_assert(APART(MPI_TAG_UB) && APART(MPI_WIN_MODEL) && APART(MPI_KEYVAL_INVALID),
               "the program's keys are apart from the predefined ones");
_Static_assert(sizeof(MPI_Comm_copy_attr_function *) == sizeof(void *) &&
                   sizeof(MPI_Fint) <= sizeof(MPI_Aint),
               "functions and values of all languages are kept as addresses");
enum language { OF_C, OF_FORTRAN, OF_FORTRAN_WIDE, OF_PROXY }; /* of the callbacks */

struct keyval {
    MPI_Comm_copy_attr_function *copy;
    MPI_Comm_delete_attr_function *drop;
    void *extra;
    enum world_attribute_owner owner;
    enum language language;
    world_copy_proxy_fn *copy_proxy; /* functions that call the two above */
    world_delete_proxy_fn *drop_proxy;
    bool freed;
};

static struct keyval keyval[KEYVALS_MAX];

#define NULL_COPY(Name, Object)                                                   \
    int Name(Object object, int key, void *extra, void *in, void *out, int *flag) \
    {                                                                             \
        (void)object, (void)key, (void)extra, (void)in, (void)out;                \
        *flag = 0;                                                                \
        return MPI_SUCCESS;                                                       \
    }
#define DUP(Name, Object)                                                         \
    int Name(Object object, int key, void *extra, void *in, void *out, int *flag) \
    {                                                                             \
        (void)object, (void)key, (void)extra;                                     \
        *(void **)out = in;                                                       \
        *flag = 1;                                                                \
        return MPI_SUCCESS;                                                       \
    }
#define NULL_DELETE(Name, Object)                              \
    int Name(Object object, int key, void *value, void *extra) \
    {                                                          \
        (void)object, (void)key, (void)value, (void)extra;     \
        return MPI_SUCCESS;                                    \
    }
#define DEFAULTS(Prefix, Object)            \
    NULL_COPY(Prefix##NULL_COPY_FN, Object) \
    DUP(Prefix##DUP_FN, Object) NULL_DELETE(Prefix##NULL_DELETE_FN, Object)
DEFAULTS(OMPI_C_MPI_COMM_, MPI_Comm)
DEFAULTS(OMPI_C_MPI_TYPE_, MPI_Datatype)
DEFAULTS(OMPI_C_MPI_WIN_, MPI_Win)
DEFAULTS(OMPI_C_MPI_, MPI_Comm)

static struct keyval *keyval_of(int key);

static int keyval_new(enum world_attribute_owner owner, void *copy, void *drop, void *extra,
                      int *out_key)
{
    int keyval_count = WORLD->keyval_count;
    if (keyval_count >= KEYVALS_MAX)
        return world_error(NULL, MPI_ERR_NO_MEM, "more than %d keys", KEYVALS_MAX);
#ifdef SHIM_abi
    if (copy == (void *)1) /* MPI_COMM_DUP_FN and its like; others are NULL */
        copy = (void *)(uintptr_t)OMPI_C_MPI_COMM_DUP_FN;
#endif
    WORLD->keyval_count++;
    keyval[keyval_count] = (struct keyval){.extra = extra, .owner = owner};
    memcpy(&keyval[keyval_count].copy, &copy, sizeof copy);
    memcpy(&keyval[keyval_count].drop, &drop, sizeof drop);
    *out_key = KEYVAL_FIRST + keyval_count;
    CORE_CHECK(keyval_of(*out_key) == &keyval[keyval_count]);
    return MPI_SUCCESS;
}

int world_keyval_fortran(enum world_attribute_owner owner, void *copy, void *drop, MPI_Aint extra,
                         bool wide, int *out_key)
{
    int code = keyval_new(owner, copy, drop, (void *)extra, out_key);
    if (!code)
        keyval[*out_key - KEYVAL_FIRST].language = wide ? OF_FORTRAN_WIDE : OF_FORTRAN;
    return code;
}

void world_keyval_proxy(int key, world_copy_proxy_fn *copy, world_delete_proxy_fn *drop)
{
    struct keyval *made = keyval_of(key);
    CORE_CHECK(made && made->language == OF_C);
    made->language = OF_PROXY;
    made->copy_proxy = copy;
    made->drop_proxy = drop;
}

static struct keyval *keyval_of(int key)
{
    CORE_CHECK(WORLD->keyval_count >= 0 && WORLD->keyval_count <= KEYVALS_MAX);
    if (key < KEYVAL_FIRST)
        return NULL;
    int index = key - KEYVAL_FIRST;
    return index < WORLD->keyval_count ? &keyval[index] : NULL;
}

static int keyval_free(enum world_attribute_owner owner, int *key)
{
    struct keyval *freed = keyval_of(*key);
    if (!freed || freed->freed || freed->owner != owner)
        return world_error(NULL, MPI_ERR_KEYVAL, "key %d", *key);
    freed->freed = true;
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* --- callbacks -------------------------------------------------------------------------------- */

static MPI_Fint number_of(const struct keyval *key, void *handle)
{
    CORE_CHECK(key->language != OF_C); /* C gets the handle itself */
    CORE_CHECK(key->owner == OF_COMM || key->owner == OF_TYPE || key->owner == OF_WIN);
    return key->owner == OF_COMM   ? MPI_Comm_c2f(handle)
           : key->owner == OF_TYPE ? MPI_Type_c2f(handle)
                                   : MPI_Win_c2f(handle);
}

static int call_copy(const struct keyval *key, void *handle, int number, void *in, void **out,
                     int *flag)
{
    if (key->language == OF_C)
        return key->copy(world_program_handle(handle), number, key->extra, in, out, flag);
    MPI_Fint object = number_of(key, handle), code = MPI_SUCCESS;
    if (key->language == OF_PROXY)
        return key->copy_proxy(key->copy, object, number, key->extra, WORLD_ATTRIBUTE_AINT, in, out,
                               flag);
    if (key->language == OF_FORTRAN) {
        void (*copy)(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                     MPI_Fint *);
        memcpy(&copy, &key->copy, sizeof copy);
        MPI_Fint extra = (MPI_Fint)(MPI_Aint)key->extra, from = (MPI_Fint)(MPI_Aint)in, to = 0;
        copy(&object, &number, &extra, &from, &to, flag, &code);
        *out = (void *)(MPI_Aint)to;
        return code;
    }
    void (*copy)(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Aint *, MPI_Fint *,
                 MPI_Fint *);
    memcpy(&copy, &key->copy, sizeof copy);
    MPI_Aint extra = (MPI_Aint)key->extra, from = (MPI_Aint)in, to = 0;
    copy(&object, &number, &extra, &from, &to, flag, &code);
    *out = (void *)to;
    return code;
}

static int call_drop(const struct keyval *key, void *handle, int number, void *value)
{
    if (key->language == OF_C)
        return key->drop(world_program_handle(handle), number, value, key->extra);
    MPI_Fint object = number_of(key, handle), code = MPI_SUCCESS;
    if (key->language == OF_PROXY)
        return key->drop_proxy(key->drop, object, number, WORLD_ATTRIBUTE_AINT, value, key->extra);
    if (key->language == OF_FORTRAN) {
        void (*drop)(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
        memcpy(&drop, &key->drop, sizeof drop);
        MPI_Fint extra = (MPI_Fint)(MPI_Aint)key->extra, old = (MPI_Fint)(MPI_Aint)value;
        drop(&object, &number, &old, &extra, &code);
        return code;
    }
    void (*drop)(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Fint *);
    memcpy(&drop, &key->drop, sizeof drop);
    MPI_Aint extra = (MPI_Aint)key->extra, old = (MPI_Aint)value;
    drop(&object, &number, &old, &extra, &code);
    return code;
}

/* --- lists of attributes ---------------------------------------------------------------------- */

struct target { /* an object with attributes, and where to report errors */
    enum world_attribute_owner owner;
    struct world_attribute **list;
    void *handle;
    MPI_Errhandler errhandler;
};

static int attr_complain(const struct target *t, int key)
{
    void *object = t->handle;
    return world_error_on(t->errhandler, &object, MPI_ERR_KEYVAL, "key %d", key);
}

static struct world_attribute **attribute_find(struct world_attribute **link, int key)
{
    while (*link && (*link)->keyval != key)
        link = &(*link)->next;
    return link;
}

static bool key_fits(const struct target *t, int key)
{
    const struct keyval *known = keyval_of(key);
    return known && known->owner == t->owner;
}

static int drop(struct world_attribute **link, void *handle)
{
    struct world_attribute *attribute = *link;
    const struct keyval *key = keyval_of(attribute->keyval);
    CORE_CHECK(key); /* known when the attribute was set; keys stay */
    *link = attribute->next;
    return key->drop ? call_drop(key, handle, attribute->keyval, attribute->value) : MPI_SUCCESS;
}

static int set(struct target t, int key, void *value)
{
    if (!key_fits(&t, key))
        return attr_complain(&t, key);
    struct world_attribute **link = attribute_find(t.list, key);
    int code = *link ? drop(link, t.handle) : MPI_SUCCESS;
    if (code)
        return code;
    struct world_attribute *made = world_alloc(sizeof *made);
    *made = (struct world_attribute){*t.list, key, value};
    *t.list = made;
    return MPI_SUCCESS;
}

static int attr_get_value(struct target t, int key, void *value, int *flag)
{
    if (!key_fits(&t, key))
        return attr_complain(&t, key);
    struct world_attribute *found = *attribute_find(t.list, key);
    *flag = found != NULL;
    if (found)
        *(void **)value = found->value;
    return MPI_SUCCESS;
}

static int delete (struct target t, int key)
{
    struct world_attribute **link = attribute_find(t.list, key);
    return key_fits(&t, key) && *link ? drop(link, t.handle) : attr_complain(&t, key);
}

int world_attributes_copy(struct world_attribute *from, void *object, struct world_attribute **to)
{
    for (struct world_attribute *a = from; a; a = a->next) {
        const struct keyval *key = keyval_of(a->keyval);
        void *value = NULL;
        int flag = 0;
        CORE_CHECK(key);
        if (!key->copy)
            continue;
        int code = call_copy(key, object, a->keyval, a->value, &value, &flag);
        if (code)
            return code;
        if (flag) {
            struct world_attribute *made = world_alloc(sizeof *made);
            *made = (struct world_attribute){*to, a->keyval, value};
            *to = made;
        }
    }
    return MPI_SUCCESS;
}

int world_attributes_drop(struct world_attribute **from, void *object)
{
    int code = MPI_SUCCESS;
    while (*from && !code)
        code = drop(from, object);
    return code;
}

void world_attributes_each(const struct world_attribute *first, world_range_fn visit, void *context)
{
    for (const struct world_attribute *a = first; a; a = a->next) {
        CORE_CHECK(keyval_of(a->keyval)); /* known when the attribute was set */
        visit(context, &a->value, sizeof a->value);
    }
}

void world_keyvals_each(world_range_fn visit, void *context)
{
    CORE_CHECK(WORLD->keyval_count <= KEYVALS_MAX);
    for (int i = 0; i < WORLD->keyval_count; i++)
        visit(context, &keyval[i].extra, sizeof keyval[i].extra);
}

/* --- in Fortran ------------------------------------------------------------------------------- */

/* Returns the value of a predefined attribute: C gets its address, Fortran the number itself. */
MPI_Aint world_attribute_number(int key, void *value)
{
    if (key == MPI_WIN_SIZE)
        return *(MPI_Aint *)value;
    bool number = key == MPI_TAG_UB || key == MPI_HOST || key == MPI_IO ||
                  key == MPI_WTIME_IS_GLOBAL || key == MPI_UNIVERSE_SIZE || key == MPI_APPNUM ||
                  key == MPI_LASTUSEDCODE || key == MPI_WIN_DISP_UNIT ||
                  key == MPI_WIN_CREATE_FLAVOR || key == MPI_WIN_MODEL;
    return number ? *(int *)value : (MPI_Aint)value;
}

/* --- the calls -------------------------------------------------------------------------------- */

static int of_comm(MPI_Comm handle, struct target *out)
{
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code == MPI_SUCCESS)
        *out = (struct target){OF_COMM, &comm->attribute, comm_handle(comm), comm->errhandler};
    return code;
}

static int of_type(MPI_Datatype type, struct target *out)
{
    if (world_type_check(type, false))
        return world_error(NULL, MPI_ERR_TYPE, "the datatype is null or freed");
    *out = (struct target){OF_TYPE, &type->attribute, type, ME->world.errhandler};
    return MPI_SUCCESS;
}

static int of_win(MPI_Win win, struct target *out)
{
    int code = world_win_check(win);
    if (code == MPI_SUCCESS)
        *out = (struct target){OF_WIN, &win->attribute, win, win->errhandler};
    return code;
}

static bool known_of_comm(int key, void *value, int *flag)
{
    static int tag_ub, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global = 1, universe, app = 0,
                       last;
    universe = WORLD->rank_count;
    tag_ub = WORLD->options->tag_ub ? WORLD->options->tag_ub : 0x7fffffff;
    WORLD->tag_asked |= key == MPI_TAG_UB;
    last = MPI_ERR_LASTCODE;
    int *known = key == MPI_TAG_UB                         ? &tag_ub
                 : key == MPI_HOST                         ? &host
                 : key == MPI_IO                           ? &io
                 : key == MPI_WTIME_IS_GLOBAL              ? &global
                 : key == MPI_UNIVERSE_SIZE                ? &universe
                 : key == MPI_APPNUM                       ? &app
                 : key != MPI_LASTUSEDCODE                 ? NULL
                 : ME->extra && ME->extra->error_code_last ? &ME->extra->error_code_last
                                                           : &last;
    if (!known)
        return false;
    *(int **)value = known;
    *flag = 1;
    return true;
}

static bool known_of_win(MPI_Win win, int key, void *value, int *flag)
{
    void *known = key == MPI_WIN_BASE            ? win->base
                  : key == MPI_WIN_SIZE          ? (void *)&win->size
                  : key == MPI_WIN_DISP_UNIT     ? (void *)&win->unit
                  : key == MPI_WIN_CREATE_FLAVOR ? (void *)&win->flavor
                  : key == MPI_WIN_MODEL         ? (void *)&win->model
                                                 : (void *)win;
    if (known == win)
        return false;
    *(void **)value = known;
    *flag = 1;
    return true;
}

int MPI_Comm_get_attr(MPI_Comm handle, int key, void *value, int *flag)
{
    ENTER_LOCAL("MPI_Comm_get_attr");
    struct target t = {0};
    int code = of_comm(handle, &t);
    return code                              ? code
           : known_of_comm(key, value, flag) ? MPI_SUCCESS
                                             : attr_get_value(t, key, value, flag);
}

int MPI_Type_get_attr(MPI_Datatype type, int key, void *value, int *flag)
{
    ENTER_LOCAL("MPI_Type_get_attr");
    struct target t = {0};
    int code = of_type(type, &t);
    return code ? code : attr_get_value(t, key, value, flag);
}

int MPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag)
{
    ENTER_LOCAL("MPI_Win_get_attr");
    struct target t = {0};
    int code = of_win(win, &t);
    return code                                  ? code
           : known_of_win(win, key, value, flag) ? MPI_SUCCESS
                                                 : attr_get_value(t, key, value, flag);
}

#define CALLS(Name, KIND, Object, of_object)                                                     \
    int MPI_##Name##_create_keyval(MPI_##Name##_copy_attr_function *copy,                        \
                                   MPI_##Name##_delete_attr_function *remove, int *key,          \
                                   void *extra)                                                  \
    {                                                                                            \
        ENTER_LOCAL("MPI_" #Name "_create_keyval");                                              \
        return keyval_new(KIND, (void *)(uintptr_t)copy, (void *)(uintptr_t)remove, extra, key); \
    }                                                                                            \
    int MPI_##Name##_free_keyval(int *key)                                                       \
    {                                                                                            \
        ENTER_LOCAL("MPI_" #Name "_free_keyval");                                                \
        return keyval_free(KIND, key);                                                           \
    }                                                                                            \
    int MPI_##Name##_set_attr(Object object, int key, void *value)                               \
    {                                                                                            \
        ENTER_LOCAL("MPI_" #Name "_set_attr");                                                   \
        struct target t = {0};                                                                   \
        int code = of_object(object, &t);                                                        \
        return code ? code : set(t, key, value);                                                 \
    }                                                                                            \
    int MPI_##Name##_delete_attr(Object object, int key)                                         \
    {                                                                                            \
        ENTER_LOCAL("MPI_" #Name "_delete_attr");                                                \
        struct target t = {0};                                                                   \
        int code = of_object(object, &t);                                                        \
        return code ? code : delete (t, key);                                                    \
    }
CALLS(Comm, OF_COMM, MPI_Comm, of_comm)
CALLS(Type, OF_TYPE, MPI_Datatype, of_type)
CALLS(Win, OF_WIN, MPI_Win, of_win)

/* Functions that MPI 2 replaced. */
int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *remove, int *key, void *extra)
{
    return MPI_Comm_create_keyval(copy, remove, key, extra);
}

int MPI_Keyval_free(int *key)
{
    return MPI_Comm_free_keyval(key);
}

int MPI_Attr_put(MPI_Comm comm, int key, void *value)
{
    return MPI_Comm_set_attr(comm, key, value);
}

int MPI_Attr_get(MPI_Comm comm, int key, void *value, int *flag)
{
    return MPI_Comm_get_attr(comm, key, value, flag);
}

int MPI_Attr_delete(MPI_Comm comm, int key)
{
    return MPI_Comm_delete_attr(comm, key);
}
