/* Sessions: MPI without MPI_Init. A session is an object of its rank; process sets name the ranks
 * of the world, which then make communicators. */
#include <strings.h>

#include "world/state.h"
#include "world_newer.h"

struct __attribute__((aligned(512))) ompi_predefined_instance_t {
    struct ompi_instance_t session;
};
struct ompi_predefined_instance_t ompi_mpi_instance_null = {{.handle = {.magic = HANDLE_DEAD}}};
_Static_assert(sizeof(struct ompi_predefined_instance_t) == 512, "as large as Open MPI's");

static const char LEVEL_KEY[] = "thread_level", SIZE_KEY[] = "mpi_size";
static const char *const level_name[] = {
    [MPI_THREAD_SINGLE] = "MPI_THREAD_SINGLE",
    [MPI_THREAD_FUNNELED] = "MPI_THREAD_FUNNELED",
    [MPI_THREAD_SERIALIZED] = "MPI_THREAD_SERIALIZED",
    [MPI_THREAD_MULTIPLE] = "MPI_THREAD_MULTIPLE",
};
enum { LEVELS = sizeof level_name / sizeof *level_name, SETS = 2 };
static const char *const set_name[SETS] = {"mpi://WORLD", "mpi://SELF"};

static const char *info_value(MPI_Info info, const char *key)
{
    const struct world_info_entry *entry = handle_good(info, HANDLE_INFO) ? info->first : NULL;
    while (entry && strcmp(entry->key, key))
        entry = entry->next;
    return entry ? entry->value : NULL;
}

/* Returns the level that the program asks for; without a wish MPI may give any. */
static int level_wanted(MPI_Info info)
{
    const char *value = info_value(info, LEVEL_KEY);
    for (int level = 0; value && level < LEVELS; level++)
        if (level_name[level] && !strcmp(level_name[level], value))
            return level;
    return MPI_THREAD_MULTIPLE;
}

static int session_check(MPI_Session session)
{
    return handle_good(session, HANDLE_SESSION)
               ? MPI_SUCCESS
               : world_error(NULL, MPI_ERR_SESSION, "the session is null or finalized");
}

static int session_error(MPI_Session session, int code, const char *what, const char *name)
{
    CORE_CHECK(handle_good(session, HANDLE_SESSION) && code);
    return world_error_on(session->errhandler, &session, code, "%s '%s'", what, name);
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    ENTER_ANY_TIME("MPI_Session_init");
    if (!handle_good(errhandler, HANDLE_ERRHANDLER))
        return world_error(NULL, MPI_ERR_ARG, "the error handler is null or freed");
    int wanted = level_wanted(info);
    struct world_extra *extra = world_extra();
    if (WORLD_PROCESSES && !world_rank_began(ME))
        world_process_init(wanted);
    MPI_Session made = world_handle_new(HANDLE_SESSION, sizeof *made);
    made->errhandler = errhandler;
    made->level = WORLD_PROCESSES ? world_process_threads() : MPI_THREAD_FUNNELED;
    made->level = wanted < made->level ? wanted : made->level;
    CORE_CHECK(made->level >= MPI_THREAD_SINGLE && made->level < LEVELS);
    extra->sessions++;
    extra->sessions_made = true;
    ME->finalized &= ME->initialized;
    *session = made;
    return MPI_SUCCESS;
}

int MPI_Session_finalize(MPI_Session *session)
{
    ENTER("MPI_Session_finalize");
    int code = session_check(*session);
    if (code)
        return code;
    CORE_CHECK(world_extra()->sessions > 0);
    if (--world_extra()->sessions == 0 && !ME->initialized)
        ME->finalized = true;
    world_handle_kill(&(*session)->handle);
    *session = MPI_SESSION_NULL;
    return MPI_SUCCESS;
}

static MPI_Info info_of(const char *key, const char *value)
{
    CORE_CHECK(key && value);
    struct world_info_entry entry = {.key = (char *)(uintptr_t)key,
                                     .value = (char *)(uintptr_t)value};
    return world_info_new(&entry);
}

int MPI_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
    ENTER_LOCAL("MPI_Session_get_info");
    int code = session_check(session);
    if (code == MPI_SUCCESS)
        *info_used = info_of(LEVEL_KEY, level_name[session->level]);
    return code;
}

int MPI_Session_set_info(MPI_Session session, MPI_Info info)
{
    ENTER_LOCAL("MPI_Session_set_info");
    (void)info; /* it has no hints that change anything */
    return session_check(session);
}

int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names)
{
    ENTER_LOCAL("MPI_Session_get_num_psets");
    (void)info;
    int code = session_check(session);
    if (code == MPI_SUCCESS)
        *npset_names = SETS;
    return code;
}

int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len,
                             char *pset_name)
{
    ENTER_LOCAL("MPI_Session_get_nth_pset");
    (void)info;
    int code = session_check(session);
    if (code)
        return code;
    if (n < 0 || n >= SETS)
        return world_error_on(session->errhandler, &session, MPI_ERR_ARG, "process set %d of %d", n,
                              SETS);
    const int room = *pset_len, length = (int)strlen(set_name[n]) + 1;
    if (room > 0) {
        const int copied = length < room ? length : room;
        memcpy(pset_name, set_name[n], (size_t)copied);
        pset_name[copied - 1] = 0;
    }
    CORE_CHECK(length > 1);
    *pset_len = length;
    return MPI_SUCCESS;
}

/* Finds the number of a session's process set. */
static int set_find(MPI_Session session, const char *name, int *out_set)
{
    int code = session_check(session);
    if (code)
        return code;
    for (int i = 0; i < SETS; i++)
        if (name && !strcasecmp(name, set_name[i])) {
            *out_set = i;
            return MPI_SUCCESS;
        }
    return session_error(session, MPI_ERR_ARG, "no process set", name);
}

int MPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info)
{
    ENTER_LOCAL("MPI_Session_get_pset_info");
    int set = -1;
    int code = set_find(session, pset_name, &set);
    if (code)
        return code;
    CORE_CHECK(set >= 0 && set < SETS);
    const char *size = world_text("%d", set == 0 ? ME->world.size : 1);
    *info = info_of(SIZE_KEY, size);
    return MPI_SUCCESS;
}

int MPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup)
{
    ENTER("MPI_Group_from_session_pset");
    int set = -1;
    int code = set_find(session, pset_name, &set);
    if (code)
        return code;
    const MPI_Comm whole = set == 0 ? &ME->world : &ME->self;
    CORE_CHECK(whole->size > 0 && whole->member[whole->rank] == ME->rank);
    *newgroup = world_group_new(whole->member, whole->size);
    return MPI_SUCCESS;
}

/* --- communicators of groups ------------------------------------------------------------------ */

static uint64_t tag_key(const char *stringtag)
{
    uint64_t key = 0x5e55;
    for (const char *c = stringtag; c && *c; c++)
        key = core_random_mix(key ^ (uint8_t)*c);
    return key;
}

static int comm_from(MPI_Group group, const char *stringtag, uint64_t use, MPI_Info info,
                     MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    *newcomm = MPI_COMM_NULL;
    if (!handle_good(group, HANDLE_GROUP))
        return world_error(NULL, MPI_ERR_GROUP, "the group is null or freed");
    if (!handle_good(errhandler, HANDLE_ERRHANDLER))
        return world_error(NULL, MPI_ERR_ARG, "the error handler is null or freed");
    struct ompi_communicator_t like = {.errhandler = errhandler};
    CORE_CHECK(group->size > 0 || group == MPI_GROUP_EMPTY);
    *newcomm = world_comm_of_group(group, tag_key(stringtag) ^ use, &like);
    if (*newcomm != MPI_COMM_NULL)
        world_comm_info(*newcomm, info);
    return MPI_SUCCESS;
}

int MPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                               MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    ENTER("MPI_Comm_create_from_group");
    return comm_from(group, stringtag, 0, info, errhandler, newcomm);
}

/* Makes a communicator of the two leaders, in the order of their world ranks. */
static int leaders_meet(int mine, int theirs, const char *stringtag, MPI_Comm *out_comm)
{
    CORE_CHECK(mine != theirs);
    int *both = world_alloc(2 * sizeof *both);
    both[0] = mine < theirs ? mine : theirs;
    both[1] = mine < theirs ? theirs : mine;
    MPI_Group leaders = world_group_new(both, 2);
    int code = comm_from(leaders, stringtag, 2, MPI_INFO_NULL, MPI_ERRORS_RETURN, out_comm);
    world_handle_kill(&leaders->handle);
    return code;
}

int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                     MPI_Group remote_group, int remote_leader,
                                     const char *stringtag, MPI_Info info,
                                     MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
    static const char name[] = "MPI_Intercomm_create_from_groups";
    ENTER(name);
    MPI_Comm local, peer = MPI_COMM_NULL;
    int code = comm_from(local_group, stringtag, 1, info, errhandler, &local);
    if (code)
        return code;
    *newintercomm = MPI_COMM_NULL;
    if (local == MPI_COMM_NULL)
        return MPI_SUCCESS;
    const bool leads = local->rank == local_leader;
    if (leads &&
        (!handle_good(remote_group, HANDLE_GROUP) || remote_leader < 0 ||
         remote_leader >= remote_group->size || remote_group->member[remote_leader] == ME->rank))
        return world_error(local, MPI_ERR_GROUP, "remote leader %d of its group", remote_leader);
    if (leads)
        code = leaders_meet(ME->rank, remote_group->member[remote_leader], stringtag, &peer);
    CORE_CHECK(!leads || code || peer->size == 2);
    const int other = leads ? 1 - peer->rank : 0;
    if (!code)
        code = MPI_Intercomm_create(local, local_leader, peer, other, 0, newintercomm);
    WORLD->fiber->call = name;
    if (leads)
        world_handle_kill(&peer->handle);
    world_handle_kill(&local->handle);
    return code;
}
