/* MPI_T: it has no variables and no categories, and every query returns that. */
#include "world/state.h"

int MPI_T_init_thread(int required, int *provided)
{
    *provided = required < MPI_THREAD_FUNNELED ? required : MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

int MPI_T_finalize(void)
{
    return MPI_SUCCESS;
}

#define COUNT(Name)                        \
    int MPI_T_##Name##_get_num(int *count) \
    {                                      \
        *count = 0;                        \
        return MPI_SUCCESS;                \
    }
COUNT(cvar)
COUNT(pvar)
COUNT(category)

int MPI_T_category_changed(int *stamp)
{
    *stamp = 0;
    return MPI_SUCCESS;
}

int MPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
    static char one;
    *session = (MPI_T_pvar_session)&one;
    return MPI_SUCCESS;
}

int MPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
    *session = NULL;
    return MPI_SUCCESS;
}

/* Defines calls that need a variable, a handle or an item that does not exist. clang-format does
 * not recognise such a line as a function. */
// clang-format off
#define NONE(code, ...)                                                                        \
    {                                                                                          \
        const void *unused[] = {__VA_ARGS__};                                                  \
        (void)unused;                                                                          \
        return code;                                                                           \
    }
int MPI_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
                        MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                        int *bind, int *scope)
    NONE(MPI_T_ERR_INVALID_INDEX, &cvar_index, name, name_len, verbosity, datatype, enumtype, desc,
         desc_len, bind, scope)
int MPI_T_cvar_get_index(const char *name, int *cvar_index)
    NONE(MPI_T_ERR_INVALID_NAME, name, cvar_index)
int MPI_T_cvar_handle_alloc(int cvar_index, void *object, MPI_T_cvar_handle *handle, int *count)
    NONE(MPI_T_ERR_INVALID_INDEX, &cvar_index, object, handle, count)
int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle) NONE(MPI_T_ERR_INVALID_HANDLE, handle)
int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf) NONE(MPI_T_ERR_INVALID_HANDLE, handle, buf)
int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
    NONE(MPI_T_ERR_INVALID_HANDLE, handle, buf)
int MPI_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                        MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                        int *bind, int *readonly, int *continuous, int *atomic)
    NONE(MPI_T_ERR_INVALID_INDEX, &pvar_index, name, name_len, verbosity, var_class, datatype,
         enumtype, desc, desc_len, bind, readonly, continuous, atomic)
int MPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index)
    NONE(MPI_T_ERR_INVALID_NAME, name, &var_class, pvar_index)
int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *object,
                            MPI_T_pvar_handle *handle, int *count)
    NONE(MPI_T_ERR_INVALID_INDEX, session, &pvar_index, object, handle, count)
int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
    NONE(MPI_T_ERR_INVALID_HANDLE, session, handle)
#define PVAR(Name)                                                                             \
    int MPI_T_pvar_##Name(MPI_T_pvar_session session, MPI_T_pvar_handle handle)                \
        NONE(MPI_T_ERR_INVALID_HANDLE, session, handle)
PVAR(start)
PVAR(stop)
PVAR(reset)
int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
    NONE(MPI_T_ERR_INVALID_HANDLE, session, handle, buf)
int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
    NONE(MPI_T_ERR_INVALID_HANDLE, session, handle, buf)
int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
    NONE(MPI_T_ERR_INVALID_HANDLE, session, handle, buf)
int MPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
    NONE(MPI_T_ERR_INVALID_HANDLE, enumtype, num, name, name_len)
int MPI_T_enum_get_item(MPI_T_enum enumtype, int item, int *value, char *name, int *name_len)
    NONE(MPI_T_ERR_INVALID_ITEM, enumtype, &item, value, name, name_len)
int MPI_T_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len,
                            int *num_cvars, int *num_pvars, int *num_categories)
    NONE(MPI_T_ERR_INVALID_INDEX, &cat_index, name, name_len, desc, desc_len, num_cvars, num_pvars,
         num_categories)
int MPI_T_category_get_index(const char *name, int *cat_index)
    NONE(MPI_T_ERR_INVALID_NAME, name, cat_index)
#define INSIDE(Name)                                                                           \
    int MPI_T_category_get_##Name(int cat_index, int len, int indices[])                       \
        NONE(MPI_T_ERR_INVALID_INDEX, &cat_index, &len, indices)
INSIDE(cvars)
INSIDE(pvars)
INSIDE(categories)
    // clang-format on
