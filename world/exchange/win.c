/* Windows: collective creation, where each member brings the part that it exposes; queries;
 * freeing. Locks, epochs and fences are in rma_sync.c. */
#include "world/exchange/explore.h"
#include "world/exchange/rma.h"

struct ompi_predefined_win_t ompi_mpi_win_null = {{.handle = {.magic = HANDLE_DEAD}}};

int world_win_check(MPI_Win win)
{
    return handle_good(win, HANDLE_WIN)
               ? MPI_SUCCESS
               : world_error(NULL, MPI_ERR_WIN, "the window is null, freed or not one");
}

static int win_start(const char *call, MPI_Comm handle, MPI_Aint size, int unit, MPI_Comm *out_comm)
{
    ENTER(call);
    int code = world_comm_check(handle, out_comm);
    if (code)
        return code;
    if ((*out_comm)->remote_size)
        return world_error(*out_comm, MPI_ERR_COMM, "an intercommunicator");
    if (unit < 1)
        return world_error(*out_comm, MPI_ERR_DISP, "displacement unit %d", unit);
    if (size < 0)
        return world_error(*out_comm, MPI_ERR_SIZE, "size %td", size);
    return MPI_SUCCESS;
}

/* Creates the window: all members meet with their parts. */
static MPI_Win win_new(MPI_Comm comm, int flavor, void *base, MPI_Aint size, int unit,
                       MPI_Info info)
{
    CORE_CHECK(size >= 0 && unit >= 1 && !comm->remote_size); /* start() checked it */
    MPI_Win win = world_handle_new(HANDLE_WIN, sizeof *win);
    struct world_part *mine = world_zalloc(sizeof *mine);
    if (flavor == MPI_WIN_FLAVOR_SHARED)
        world_explore_limited();
    mine->rank = ME;
    mine->object = decision_window(ME->win_count++);
    mine->base = base;
    mine->bytes = (size_t)size;
    mine->unit = unit;
    mine->posted = world_zalloc((size_t)comm->size);
    win->held = world_zalloc((size_t)comm->size);
    win->started = world_zalloc((size_t)comm->size);
    win->pending_end = &win->pending;
    win->flavor = flavor;
    win->model = MPI_WIN_UNIFIED;
    win->base = flavor == MPI_WIN_FLAVOR_DYNAMIC ? MPI_BOTTOM : base;
    win->size = size;
    win->unit = unit;
    win->errhandler = MPI_ERRORS_ARE_FATAL;
    win->name = "";
    win->info = world_info_keep(info);
    struct world_meeting *meeting = world_meet(comm, mine);
    win->part = (struct world_part **)meeting->slot;
    CORE_CHECK(win->part[comm->rank] == mine); /* rma.h invariant 1 */
    for (int i = 0; i < comm->size; i++)
        CORE_CHECK(win->part[i] && win->part[i]->rank->rank == comm->member[i]);
    win->comm = (struct ompi_communicator_t){.context = meeting->context,
                                             .object = mine->object,
                                             .rank = comm->rank,
                                             .size = comm->size,
                                             .member = comm->member,
                                             .errhandler = MPI_ERRORS_ARE_FATAL};
    return win;
}

int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm handle,
                   MPI_Win *win)
{
    ALONE("MPI_Win_create")
    MPI_Comm comm;
    int code = win_start("MPI_Win_create", handle, size, disp_unit, &comm);
    if (!code)
        *win = win_new(comm, MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, info);
    return code;
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm handle, void *baseptr,
                     MPI_Win *win)
{
    ALONE("MPI_Win_allocate")
    MPI_Comm comm;
    int code = win_start("MPI_Win_allocate", handle, size, disp_unit, &comm);
    if (code)
        return code;
    void *base = world_heap_alloc((size_t)size);
    *(void **)baseptr = base;
    *win = win_new(comm, MPI_WIN_FLAVOR_ALLOCATE, base, size, disp_unit, info);
    if (WORLD_PROCESSES)
        world_process_guard((*win)->part[comm->rank]);
    return MPI_SUCCESS;
}

/* The loads and stores of all members of a shared window have numbers behind those of this many
 * windows. */
enum { WINDOWS_NUMBERED = 400 };

/* Makes the part that stands for the loads and stores of all members in their memory. */
static struct world_part *whole_new(const struct world_part *first, size_t bytes)
{
    struct world_part *whole = world_zalloc(sizeof *whole);
    CORE_CHECK(first->base && !first->whole);
    whole->rank = first->rank;
    whole->object = first->object + decision_window(WINDOWS_NUMBERED) - 1;
    whole->base = first->base;
    whole->bytes = bytes;
    whole->unit = 1;
    whole->common = true;
    return whole;
}

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm handle,
                            void *baseptr, MPI_Win *out_win)
{
    ALONE("MPI_Win_allocate_shared")
    MPI_Comm comm;
    int code = win_start("MPI_Win_allocate_shared", handle, size, disp_unit, &comm);
    if (code)
        return code;
    MPI_Win win = win_new(comm, MPI_WIN_FLAVOR_SHARED, NULL, size, disp_unit, info);
    if (!win->part[0]->base) { /* the first to continue allocates all their memory, side by side */
        size_t bytes = 0;
        for (int i = 0; i < comm->size; i++)
            bytes += win->part[i]->bytes;
        uint8_t *block = world_heap_alloc(bytes);
        for (int i = 0; i < comm->size; block += win->part[i++]->bytes)
            win->part[i]->base = block;
        win->part[0]->whole = whole_new(win->part[0], bytes);
    }
    CORE_CHECK(win->part[comm->rank]->base); /* even for members that bring no memory */
    *(void **)baseptr = win->base = win->part[comm->rank]->base;
    if (WORLD_PROCESSES)
        world_process_guard(win->part[0]->whole);
    *out_win = win;
    return MPI_SUCCESS;
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm handle, MPI_Win *win)
{
    ALONE("MPI_Win_create_dynamic")
    MPI_Comm comm;
    int code = win_start("MPI_Win_create_dynamic", handle, 0, 1, &comm);
    if (!code)
        *win = win_new(comm, MPI_WIN_FLAVOR_DYNAMIC, NULL, 0, 1, info);
    return code;
}

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
    ENTER("MPI_Win_attach");
    int code = world_win_check(win);
    if (code)
        return code;
    if (win->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return WIN_ERROR(win, MPI_ERR_RMA_FLAVOR, "the window is not dynamic");
    if (size < 0)
        return WIN_ERROR(win, MPI_ERR_ARG, "size %td", size);
    struct world_attachment *made = world_alloc(sizeof *made);
    struct world_part *mine = win->part[win->comm.rank];
    *made = (struct world_attachment){mine->attached, base, (size_t)size};
    mine->attached = made;
    return MPI_SUCCESS;
}

int MPI_Win_detach(MPI_Win win, const void *base)
{
    ENTER("MPI_Win_detach");
    int code = world_win_check(win);
    if (code)
        return code;
    struct world_attachment **link = &win->part[win->comm.rank]->attached;
    while (*link && (*link)->base != base)
        link = &(*link)->next;
    if (!*link)
        return WIN_ERROR(win, MPI_ERR_BASE, "nothing is attached there");
    *link = (*link)->next;
    return MPI_SUCCESS;
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
    ENTER("MPI_Win_shared_query");
    int code = world_win_check(win);
    if (code)
        return code;
    if (win->flavor != MPI_WIN_FLAVOR_SHARED)
        return WIN_ERROR(win, MPI_ERR_RMA_FLAVOR, "the window is not shared");
    if (rank != MPI_PROC_NULL && (rank < 0 || rank >= win->comm.size))
        return WIN_ERROR(win, MPI_ERR_RANK, "rank %d of %d", rank, win->comm.size);
    if (rank == MPI_PROC_NULL)
        for (rank = 0; rank < win->comm.size - 1 && !win->part[rank]->bytes;)
            rank++;
    CORE_CHECK(rank >= 0 && rank < win->comm.size);
    const struct world_part *part = win->part[rank];
    *size = (MPI_Aint)part->bytes;
    *disp_unit = part->unit;
    *(void **)baseptr = part->base;
    return MPI_SUCCESS;
}

static int not_freed(MPI_Win win, int code, const char *why)
{
    CORE_CHECK(code != MPI_SUCCESS);
    win->comm.freed = NULL;
    win->comm.freed_by = NULL;
    return WIN_ERROR(win, code, "%s", why);
}

/* Checks for locks while the ranks free the window: a thread of any rank may hold one, or get one.
 */
static void locks_check(MPI_Win win)
{
    if (win->part[win->comm.rank]->holders == 0)
        return;
    world_found(WORLD_RULE_FREED, ME->rank,
                "rank %d calls %s while a thread has a lock of its window, or waits for one",
                ME->rank, WORLD->fiber->call);
    world_end_job();
}

int MPI_Win_free(MPI_Win *handle)
{
    ENTER("MPI_Win_free");
    int code = world_win_check(*handle);
    if (code)
        return code;
    MPI_Win win = *handle;
    world_turn_frees(&win->comm, "window");
    bool held = win->held_all || win->in_start || win->part[win->comm.rank]->exposed;
    for (int i = 0; i < win->comm.size; i++)
        held |= win->held[i] != 0;
    if (held)
        return not_freed(win, MPI_ERR_RMA_SYNC, "an epoch is still open");
    code = world_attributes_drop(&win->attribute, win);
    if (code)
        return not_freed(win, code, "a callback refuses");
    world_rma_complete(win, -1);
    CORE_CHECK(!win->pending);
    world_meet(&win->comm, NULL);
    locks_check(win);
    if (WORLD_PROCESSES)
        world_process_unguard(win->flavor == MPI_WIN_FLAVOR_SHARED ? win->part[0]->whole
                                                                   : win->part[win->comm.rank]);
    if (win->flavor == MPI_WIN_FLAVOR_ALLOCATE ||
        (win->flavor == MPI_WIN_FLAVOR_SHARED && win->comm.rank == 0))
        world_heap_free(win->base);
    world_handle_kill(&win->handle);
    *handle = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

/* --- what they tell --------------------------------------------------------------------------- */

int MPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    ENTER("MPI_Win_get_group");
    int code = world_win_check(win);
    if (!code)
        *group = world_group_new(win->comm.member, win->comm.size);
    return code;
}

int MPI_Win_set_name(MPI_Win win, const char *name)
{
    ENTER("MPI_Win_set_name");
    int code = world_win_check(win);
    if (code)
        return code;
    char *copy = world_strdup(name);
    if (strlen(copy) >= MPI_MAX_OBJECT_NAME)
        copy[MPI_MAX_OBJECT_NAME - 1] = 0;
    CORE_CHECK(strlen(copy) < MPI_MAX_OBJECT_NAME);
    win->name = copy;
    return MPI_SUCCESS;
}

int MPI_Win_get_name(MPI_Win win, char *name, int *resultlen)
{
    ENTER("MPI_Win_get_name");
    int code = world_win_check(win);
    if (code)
        return code;
    strcpy(name, win->name);
    *resultlen = (int)strlen(name);
    return MPI_SUCCESS;
}

int MPI_Win_set_info(MPI_Win win, MPI_Info info)
{
    ENTER("MPI_Win_set_info");
    int code = world_win_check(win);
    if (!code)
        win->info = world_info_keep(info);
    return code;
}

int MPI_Win_get_info(MPI_Win win, MPI_Info *info)
{
    ENTER("MPI_Win_get_info");
    int code = world_win_check(win);
    if (!code)
        *info = world_info_new(win->info);
    return code;
}
