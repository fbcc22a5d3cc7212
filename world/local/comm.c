/* Communicators. A creation is a meeting, so that every member gets the same context without a
 * message that counts.
 *
 * Invariants: 1. A context number belongs to one creation; groups made by the same split share it,
 * being disjoint.
 * 2. meeting_count and collective_count agree on all members between collective calls. */
#include "world/exchange/explore.h"
#include "world_newer.h"

#include <stdlib.h>

struct ompi_predefined_communicator_t ompi_mpi_comm_world = {{.handle = {.magic = HANDLE_DEAD}}};
struct ompi_predefined_communicator_t ompi_mpi_comm_self = {{.handle = {.magic = HANDLE_DEAD}}};
struct ompi_predefined_communicator_t ompi_mpi_comm_null = {{.handle = {.magic = HANDLE_DEAD}}};

enum { KEY_COLLECTIVE = 1 }; /* contexts are even: an odd key marks a record of collective calls */
_Static_assert(KEY_COLLECTIVE % 2 == 1, "no context is such a key");

static uint32_t context_new(void)
{
    uint32_t context = WORLD->context_next;
    WORLD->context_next += 2;
    CORE_CHECK(context % 2 == 0 &&
               WORLD->context_next > context); /* invariant 1: each is given once */
    return context;
}

int world_comm_check(MPI_Comm handle, MPI_Comm *out_comm)
{
    MPI_Comm comm = comm_of(handle);
    if (!comm)
        return world_error(NULL, MPI_ERR_COMM, "the communicator is null, freed or not one");
    *out_comm = comm;
    return MPI_SUCCESS;
}

static int comm_lowest(const int *member, int size)
{
    CORE_CHECK(size > 0);
    int low = member[0];
    for (int i = 1; i < size; i++)
        low = member[i] < low ? member[i] : low;
    return low;
}

static bool local_first(MPI_Comm comm)
{
    CORE_CHECK(!comm->remote_size == !comm->remote);
    return !comm->remote_size ||
           comm_lowest(comm->member, comm->size) < comm_lowest(comm->remote, comm->remote_size);
}

enum { NOBODY = -1 };

/* Finds a meeting. Groups that share a context are disjoint: `first`, the same member for all of a
 * group, distinguishes them. */
static struct world_meeting *meeting_find(uint32_t key, uint32_t number, int first, int size,
                                          int root, const char *op)
{
    for (struct world_meeting *m = WORLD->meeting; m; m = m->next)
        if (m->key == key && m->number == number && m->first == first)
            return m;
    CORE_CHECK(size > 0);
    struct world_meeting *made = world_alloc(sizeof *made);
    memset(made, 0, sizeof *made);
    made->key = key;
    made->number = number;
    made->first = first;
    made->size = size;
    made->call = WORLD->fiber->call;
    made->root = root;
    made->alone = NOBODY;
    made->op = op;
    made->next = WORLD->meeting;
    WORLD->meeting = made;
    return made;
}

static void meeting_arrive(struct world_meeting *meeting)
{
    CORE_CHECK(meeting->arrived < meeting->size); /* the last member removes it from the list */
    if (++meeting->arrived < meeting->size)
        return;
    struct world_meeting **link = &WORLD->meeting;
    while (*link != meeting) {
        link = &(*link)->next;
        CORE_CHECK(*link); /* it is in the list until the last member arrived */
    }
    *link = meeting->next;
}

/* Returns the root of a call on an intercommunicator, as a rank of the world; NOBODY: there is
 * none, or the caller does not name it. */
static int inter_root(MPI_Comm comm, int root)
{
    CORE_CHECK(comm->remote_size > 0 && root < comm->remote_size);
    return root == MPI_ROOT ? comm->member[comm->rank] : root >= 0 ? comm->remote[root] : NOBODY;
}

/* Tells whether the rank of the world is in the caller's own group. */
static bool inter_has(MPI_Comm comm, int rank)
{
    for (int i = 0; i < comm->size; i++)
        if (comm->member[i] == rank)
            return true;
    return false;
}

/* Compares the root with that of the members that came before: one rank of one group is the root,
 * and only others of its group pass MPI_PROC_NULL. */
static void inter_mismatch(struct world_meeting *meeting, MPI_Comm comm, int root)
{
    const int named = inter_root(comm, root), before = meeting->root;
    CORE_CHECK(meeting->size == comm->size + comm->remote_size);
    if (root == MPI_PROC_NULL)
        meeting->alone = comm->member[comm->rank];
    if (named != NOBODY)
        meeting->root = named;
    if (named != NOBODY && before != NOBODY && named != before)
        world_found(WORLD_RULE_COLLECTIVE_MISMATCH, ME->rank,
                    "rank %d calls %s with rank %d of the job as the root, another member with "
                    "rank %d",
                    ME->rank, WORLD->fiber->call, named, before);
    else if (meeting->root != NOBODY && meeting->alone != NOBODY &&
             inter_has(comm, meeting->root) != inter_has(comm, meeting->alone))
        world_found(
            WORLD_RULE_COLLECTIVE_MISMATCH, ME->rank,
            "rank %d calls %s with root MPI_PROC_NULL, and the root, rank %d of the job, is "
            "in the other group",
            meeting->alone, WORLD->fiber->call, meeting->root);
    else
        return;
    world_end_job();
}

static void comm_mismatch(const struct world_meeting *meeting, int size, int root, const char *op)
{
    if (meeting->size != size)
        world_found(WORLD_RULE_COLLECTIVE_MISMATCH, ME->rank,
                    "rank %d calls %s on a communicator that it made with %d ranks, and another "
                    "member with %d",
                    ME->rank, WORLD->fiber->call, size, meeting->size);
    else if (strcmp(meeting->call, WORLD->fiber->call))
        world_found(WORLD_RULE_COLLECTIVE_MISMATCH, ME->rank,
                    "rank %d calls %s where another member of the communicator calls %s", ME->rank,
                    WORLD->fiber->call, meeting->call);
    else if (meeting->root != root)
        world_found(WORLD_RULE_COLLECTIVE_MISMATCH, ME->rank,
                    "rank %d calls %s with root %d, another member with root %d", ME->rank,
                    meeting->call, root, meeting->root);
    else if (op && meeting->op && strcmp(op, meeting->op))
        world_found(WORLD_RULE_COLLECTIVE_MISMATCH, ME->rank,
                    "rank %d calls %s with the operation %s, another member with %s", ME->rank,
                    meeting->call, op, meeting->op);
    else
        return;
    world_end_job();
}

uint32_t world_collective_enter(MPI_Comm comm, const char *call, int root, const char *op)
{
    CORE_CHECK(comm->context % 2 == 0); /* invariant 1 */
    if (world_several())
        world_turn_thread(comm, TURN_COLLECTIVE, 0, 0);
    uint32_t number = comm->collective_count++;
    WORLD->fiber->call = call;
    if (UNLIKELY(WORLD->options->event != NULL))
        world_emit(WORLD_EVENT_CALL, root, 0, comm->context + 1, 0, -1, false);
    const bool inter = comm->remote_size > 0;
    const int *const low = !inter || local_first(comm) ? comm->member : comm->remote;
    const int first = inter ? comm_lowest(low, local_first(comm) ? comm->size : comm->remote_size)
                            : comm->member[0];
    const int size = comm->size + comm->remote_size;
    struct world_meeting *meeting = meeting_find(comm->context | KEY_COLLECTIVE, number, first,
                                                 size, inter ? inter_root(comm, root) : root, op);
    comm_mismatch(meeting, size, inter ? meeting->root : root, op);
    if (inter)
        inter_mismatch(meeting, comm, root);
    meeting_arrive(meeting);
    return number;
}

static bool comm_is_loose(void)
{
    return UNLIKELY(WORLD->options->waiting == WORLD_WAITS_FOR_DATA);
}

static const struct world_arrival *meeting_arrival(const struct world_meeting *meeting, int place)
{
    for (int i = 0; i < meeting->arrived; i++)
        if (meeting->arrival[i].place == place)
            return &meeting->arrival[i];
    return NULL;
}

/* Wakes those that wait for the latest arrival, or for the last one. */
static void meeting_wake(struct world_meeting *meeting)
{
    CORE_CHECK(meeting->arrived > 0);
    const int came = meeting->arrival[meeting->arrived - 1].place;
    for (int i = 0; i < meeting->arrived - 1; i++) {
        struct world_arrival *a = &meeting->arrival[i];
        if (a->waiting && (a->needs == came || meeting->arrived == meeting->size)) {
            world_fiber_ready(a->waiting);
            a->waiting = NULL;
        }
    }
}

/* Waits for those members that an arrival needs, and takes over what they know. */
static void meeting_await(MPI_Comm comm, struct world_meeting *meeting, struct world_arrival *mine)
{
    struct world_fiber *fiber = WORLD->fiber;
    if (mine->needs == MEET_NOBODY)
        return;
    if (meeting->arrived < meeting->size &&
        (mine->needs == MEET_ALL || !meeting_arrival(meeting, mine->needs))) {
        world_wait_noted(comm);
        mine->waiting = fiber;
        fiber->why = "waits for the other members of the communicator";
        world_fiber_block();
        fiber->why = NULL;
        CORE_CHECK(!mine->waiting);
    }
    if (mine->needs == MEET_ALL) {
        CORE_CHECK(meeting->arrived == meeting->size);
        fiber->causes = meeting->causes;
        world_gate_need(GATE_MEETING, meeting->key, meeting->first, (int)meeting->number);
    } else {
        const struct world_arrival *needed = meeting_arrival(meeting, mine->needs);
        CORE_CHECK(needed);
        if (UNLIKELY(WORLD->explore != NULL))
            fiber->causes = world_causes_join(fiber->causes, needed->causes);
        world_gate_need(GATE_MEETING, meeting->key, -1 - mine->needs, (int)meeting->number);
    }
}

/* Meets with a number that was taken from comm->meeting_count before. */
static struct world_meeting *meet_numbered(MPI_Comm comm, uint32_t number, void *mine, int needs)
{
    int size = comm->size + comm->remote_size;
    int place = comm->rank + (local_first(comm) ? 0 : comm->remote_size);
    int first = local_first(comm) ? comm->member[0] : comm->remote[0];
    struct world_fiber *fiber = WORLD->fiber;
    if (UNLIKELY(WORLD->options->event != NULL))
        world_emit(WORLD_EVENT_CALL, -1, 0, comm->context, 0, -1, false);
    struct world_meeting *meeting = meeting_find(comm->context, number, first, size, 0, NULL);
    comm_mismatch(meeting, size, 0, NULL);
    if (!meeting->slot) {
        meeting->slot = world_zalloc((size_t)size * sizeof(void *));
        meeting->arrival = world_alloc((size_t)size * sizeof *meeting->arrival);
        meeting->context = context_new();
    }
    CORE_CHECK(meeting->size == size && place >= 0 && place < size); /* invariant 2 */
    meeting->slot[place] = mine;
    for (int i = 0; WORLD_PROCESSES && UNLIKELY(WORLD->searcher != NULL) && i < comm->size; i++)
        world_process_met(ME->rank, comm->member[i]);
    for (int i = 0; WORLD_PROCESSES && UNLIKELY(WORLD->searcher != NULL) && i < comm->remote_size;
         i++)
        world_process_met(ME->rank, comm->remote[i]);
    if (UNLIKELY(WORLD->explore != NULL))
        meeting->causes = world_causes_join(meeting->causes, fiber->causes);
    ME->news += size > 1;
    struct world_arrival *arrival = &meeting->arrival[meeting->arrived];
    *arrival =
        (struct world_arrival){place, comm_is_loose() ? needs : MEET_ALL, NULL, fiber->causes};
    world_gate_give(GATE_MEETING, meeting->key, first, (int)number);
    if (comm_is_loose())
        world_gate_give(GATE_MEETING, meeting->key, -1 - place, (int)number);
    meeting_arrive(meeting);
    meeting_wake(meeting);
    meeting_await(comm, meeting, arrival);
    return meeting;
}

struct world_meeting *world_meet_for(MPI_Comm comm, void *mine, int needs)
{
    if (world_several())
        world_turn_thread(comm, TURN_COLLECTIVE, 0, 0);
    return meet_numbered(comm, comm->meeting_count++, mine, needs);
}

struct world_meeting *world_meet(MPI_Comm comm, void *mine)
{
    return world_meet_for(comm, mine, MEET_ALL);
}

MPI_Comm world_comm_new(uint32_t context, int rank, int size, const int *member, MPI_Comm parent)
{
    CORE_CHECK(context % 2 == 0 && rank >= 0 && rank < size && member);
    CORE_CHECK(member[rank] == ME->rank); /* the creating rank is a member */
    MPI_Comm comm = world_handle_new(HANDLE_COMM, sizeof *comm);
    comm->context = context;
    comm->object = decision_comm(++ME->comm_count);
    comm->rank = rank;
    comm->size = size;
    comm->member = member;
    comm->errhandler = parent->errhandler;
    comm->name = "";
    return comm;
}

/* --- local calls ------------------------------------------------------------------------------ */

int MPI_Comm_rank(MPI_Comm handle, int *rank)
{
    ENTER("MPI_Comm_rank");
    MPI_Comm comm = comm_of(handle);
    if (UNLIKELY(!comm))
        return world_error(NULL, MPI_ERR_COMM, "the communicator is null, freed or not one");
    *rank = comm->rank;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm handle, int *size)
{
    ENTER_LOCAL("MPI_Comm_size");
    MPI_Comm comm = comm_of(handle);
    if (UNLIKELY(!comm))
        return world_error(NULL, MPI_ERR_COMM, "the communicator is null, freed or not one");
    *size = comm->size;
    return MPI_SUCCESS;
}

int MPI_Comm_remote_size(MPI_Comm handle, int *size)
{
    ENTER("MPI_Comm_remote_size");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (!comm->remote_size)
        return world_error(comm, MPI_ERR_COMM, "not an intercommunicator");
    *size = comm->remote_size;
    return MPI_SUCCESS;
}

int MPI_Comm_test_inter(MPI_Comm handle, int *flag)
{
    ENTER_LOCAL("MPI_Comm_test_inter");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code == MPI_SUCCESS)
        *flag = comm->remote_size > 0;
    return code;
}

int MPI_Comm_compare(MPI_Comm handle1, MPI_Comm handle2, int *result)
{
    ENTER("MPI_Comm_compare");
    MPI_Comm a, b;
    int code = world_comm_check(handle1, &a);
    if (!code)
        code = world_comm_check(handle2, &b);
    if (code)
        return code;
    *result = a == b ? MPI_IDENT : MPI_CONGRUENT;
    if (a->size != b->size || a->remote_size != b->remote_size)
        *result = MPI_UNEQUAL;
    for (int i = 0; i<a->size && * result> MPI_IDENT && *result != MPI_UNEQUAL; i++) {
        if (a->member[i] == b->member[i])
            continue;
        bool there = false;
        for (int k = 0; k < b->size; k++)
            there |= b->member[k] == a->member[i];
        *result = there ? MPI_SIMILAR : MPI_UNEQUAL;
    }
    return MPI_SUCCESS;
}

int MPI_Comm_set_name(MPI_Comm handle, const char *name)
{
    ENTER_LOCAL("MPI_Comm_set_name");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code == MPI_SUCCESS) {
        char *copy = world_strdup(name);
        if (strlen(copy) >= MPI_MAX_OBJECT_NAME)
            copy[MPI_MAX_OBJECT_NAME - 1] = 0;
        CORE_CHECK(strlen(copy) < MPI_MAX_OBJECT_NAME);
        comm->name = copy;
    }
    return code;
}

int MPI_Comm_get_name(MPI_Comm handle, char *name, int *resultlen)
{
    ENTER_LOCAL("MPI_Comm_get_name");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code == MPI_SUCCESS) {
        strcpy(name, comm->name);
        *resultlen = (int)strlen(name);
    }
    return code;
}

int MPI_Comm_free(MPI_Comm *handle)
{
    ENTER("MPI_Comm_free");
    MPI_Comm comm;
    int code = world_comm_check(*handle, &comm);
    if (code)
        return code;
    if (comm == &ME->world || comm == &ME->self)
        return world_error(comm, MPI_ERR_COMM, "a predefined communicator cannot be freed");
    code = world_attributes_drop(&comm->attribute, comm);
    if (code)
        return world_error(comm, code, "a callback refuses");
    world_turn_frees(comm, "communicator");
    WORLD->fiber->call = "MPI_Comm_free"; /* callbacks may have made other calls */
    if (UNLIKELY(WORLD->options->waiting == WORLD_WAITS_FOR_ALL))
        world_meet(comm, NULL);
    world_handle_kill(&comm->handle);
    *handle = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_disconnect(MPI_Comm *handle)
{
    return MPI_Comm_free(handle);
}

int MPI_Comm_get_parent(MPI_Comm *parent)
{
    ENTER_LOCAL("MPI_Comm_get_parent");
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* --- creation --------------------------------------------------------------------------------- */

static MPI_Comm dup_of(MPI_Comm comm, uint32_t context)
{
    MPI_Comm made = world_comm_new(context, comm->rank, comm->size, comm->member, comm);
    if (comm == &ME->self) {
        int *member = world_alloc(sizeof *member);
        *member = ME->rank;
        made->member = member;
    }
    made->remote_size = comm->remote_size;
    made->remote = comm->remote;
    made->topology = comm->topology;
    return made;
}

static int comm_dup_one(const char *call, MPI_Comm handle, MPI_Comm *newcomm)
{
    ENTER(call);
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    MPI_Comm made = dup_of(comm, 0);
    *newcomm = made;
    code = world_attributes_copy(comm->attribute, comm_handle(comm), &made->attribute);
    WORLD->fiber->call = call; /* callbacks may have made other calls */
    made->context = world_meet_for(comm, NULL, MEET_NOBODY)->context;
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    return comm_dup_one("MPI_Comm_dup", comm, newcomm);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    ALONE("MPI_Comm_dup_with_info")
    int code = comm_dup_one("MPI_Comm_dup_with_info", comm, newcomm);
    if (!code)
        world_comm_info(*newcomm, info);
    return code;
}

/* A nonblocking duplication waits for its meeting on a fiber of its own. */
struct idup {
    MPI_Comm comm, made;
    struct ompi_request_t *request;
};

static void idup_body(struct world_fiber *fiber)
{
    struct idup *idup = fiber->argument;
    CORE_CHECK(idup->made->context == 0 && !fiber->is_rank); /* it has no context yet */
    fiber->call = idup->request->handle.made_by;
    world_gate_need(GATE_BEGUN, fiber->helper, ME->rank, 0);
    idup->made->context =
        meet_numbered(idup->comm, idup->made->meeting_count, NULL, MEET_NOBODY)->context;
    idup->made->meeting_count = 0;
    world_gate_give(GATE_ENDED, fiber->helper, ME->rank, 0);
    world_request_complete(idup->request);
}

static int comm_idup_one(const char *call, MPI_Comm handle, MPI_Comm *newcomm, MPI_Request *request)
{
    ENTER(call);
    struct idup *idup = world_alloc(sizeof *idup);
    int code = world_comm_check(handle, &idup->comm);
    if (code)
        return code;
    idup->made = *newcomm = dup_of(idup->comm, 0);
    idup->made->meeting_count = idup->comm->meeting_count++;
    idup->request = *request = world_request_helped(idup->comm);
    code = world_attributes_copy(idup->comm->attribute, comm_handle(idup->comm),
                                 &idup->made->attribute);
    WORLD->fiber->call = call; /* callbacks may have made other calls */
    world_helper_start(idup->request, idup_body, idup);
    return code;
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    return comm_idup_one("MPI_Comm_idup", comm, newcomm, request);
}

int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    ALONE("MPI_Comm_idup_with_info")
    int code = comm_idup_one("MPI_Comm_idup_with_info", comm, newcomm, request);
    if (!code)
        world_comm_info(*newcomm, info);
    return code;
}

int MPI_Comm_set_info(MPI_Comm handle, MPI_Info info)
{
    ENTER_LOCAL("MPI_Comm_set_info");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (!code)
        world_comm_info(comm, info);
    return code;
}

int MPI_Comm_get_info(MPI_Comm handle, MPI_Info *info)
{
    ENTER_LOCAL("MPI_Comm_get_info");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (!code)
        *info = world_info_new(comm->info);
    return code;
}

struct colour {
    int colour, key, rank, world;
    const struct coloured *group; /* NULL: not computed yet */
};

/* The world ranks of one colour, sorted by key. */
struct coloured {
    int size, *member;
};

static int by_key(const void *a, const void *b)
{
    const struct colour *const *x = a, *const *y = b;
    int by = ((*x)->key > (*y)->key) - ((*x)->key < (*y)->key);
    return by ? by : (*x)->rank - (*y)->rank;
}

/* Returns the group of a colour among the `count` members from slot `from` on; the first member
 * that asks computes it for all. */
static const struct coloured *comm_coloured(const struct world_meeting *meeting, int from,
                                            int count, int colour)
{
    int first = 0;
    while (first < count && ((struct colour *)meeting->slot[from + first])->colour != colour)
        first++;
    if (first < count && ((struct colour *)meeting->slot[from + first])->group)
        return ((struct colour *)meeting->slot[from + first])->group;
    struct coloured *made = world_alloc(sizeof *made);
    struct colour **kept = world_alloc(((size_t)count + 1) * sizeof *kept);
    made->size = 0;
    for (int i = first; i < count; i++)
        if (((struct colour *)meeting->slot[from + i])->colour == colour)
            kept[made->size++] = meeting->slot[from + i];
    CORE_CHECK(made->size <= count);
    qsort(kept, (size_t)made->size, sizeof *kept, by_key);
    made->member = world_alloc(((size_t)made->size + 1) * sizeof *made->member);
    for (int i = 0; i < made->size; i++) {
        CORE_CHECK(i == 0 || kept[i - 1]->key <= kept[i]->key); /* sorted */
        made->member[i] = kept[i]->world;
        kept[i]->group = made;
    }
    return made;
}

/* Returns the first slot of one of the two groups in a meeting. */
static int slots_of(MPI_Comm comm, bool remote)
{
    CORE_CHECK(!remote || comm->remote_size > 0);
    if (local_first(comm) != remote)
        return 0;
    return remote ? comm->size : comm->remote_size;
}

/* Returns the slot of the member of the other group that says what all members of it would. */
static int slot_asked(MPI_Comm comm)
{
    CORE_CHECK(comm->remote_size > 0);
    return slots_of(comm, true) + (comm_is_loose() ? comm->remote_size - 1 : 0);
}

int MPI_Comm_split(MPI_Comm handle, int color, int key, MPI_Comm *newcomm)
{
    ENTER("MPI_Comm_split");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (color < 0 && color != MPI_UNDEFINED)
        return world_error(comm, MPI_ERR_ARG, "color %d", color);
    struct colour *mine = world_alloc(sizeof *mine);
    *mine = (struct colour){color, key, comm->rank, ME->rank, NULL};
    const struct world_meeting *meeting =
        world_meet_for(comm, mine, color == MPI_UNDEFINED ? MEET_NOBODY : MEET_ALL);
    *newcomm = MPI_COMM_NULL;
    if (color == MPI_UNDEFINED)
        return MPI_SUCCESS;
    const struct coloured *own = comm_coloured(meeting, slots_of(comm, false), comm->size, color),
                          *remote = NULL;
    if (comm->remote_size) {
        remote = comm_coloured(meeting, slots_of(comm, true), comm->remote_size, color);
        if (!remote->size)
            return MPI_SUCCESS;
    }
    int rank = 0;
    while (own->member[rank] != ME->rank) /* this rank is a member */
        rank++;
    *newcomm = world_comm_new(meeting->context, rank, own->size, own->member, comm);
    (*newcomm)->remote = remote ? remote->member : NULL;
    (*newcomm)->remote_size = remote ? remote->size : 0;
    return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm handle, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    ALONE("MPI_Comm_split_type")
    /* All ranks share one machine; where collectives wait for data alone, every two of them. */
    const int machine = comm_is_loose() ? ME->rank / 2 : 0;
    if (WORLD->rank_count > 1)
        world_explore_layout();
    int code =
        MPI_Comm_split(handle, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : machine, key, newcomm);
    if (!code && *newcomm != MPI_COMM_NULL)
        world_comm_info(*newcomm, info);
    return code;
}

static int comm_position(MPI_Group group, int world)
{
    for (int i = 0; i < group->size; i++)
        if (group->member[i] == world)
            return i;
    return -1;
}

int MPI_Comm_create(MPI_Comm handle, MPI_Group group, MPI_Comm *newcomm)
{
    ENTER("MPI_Comm_create");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (!handle_good(group, HANDLE_GROUP))
        return world_error(comm, MPI_ERR_GROUP, "the group is null or freed");
    int rank = comm_position(group, ME->rank);
    const bool asks = comm->remote_size && rank >= 0;
    const struct world_meeting *meeting =
        world_meet_for(comm, group, asks ? slot_asked(comm) : MEET_NOBODY);
    MPI_Group remote = asks ? meeting->slot[slot_asked(comm)] : NULL;
    *newcomm = MPI_COMM_NULL;
    if (rank < 0 || (remote && !remote->size))
        return MPI_SUCCESS;
    *newcomm = world_comm_new(meeting->context, rank, group->size, group->member, comm);
    (*newcomm)->remote = remote ? remote->member : NULL;
    (*newcomm)->remote_size = remote ? remote->size : 0;
    return MPI_SUCCESS;
}

/* The rank's calls of MPI_Comm_create_group with one parent, tag and group. */
struct world_group_calls {
    struct world_group_calls *next;
    uint64_t key;
    uint32_t count;
};

static uint32_t group_calls_count(uint64_t key)
{
    struct world_group_calls *calls = ME->group_calls;
    while (calls && calls->key != key)
        calls = calls->next;
    if (!calls) {
        calls = world_alloc(sizeof *calls);
        *calls = (struct world_group_calls){ME->group_calls, key, 0};
        ME->group_calls = calls;
    }
    return calls->count++;
}

MPI_Comm world_comm_of_group(MPI_Group group, uint64_t key, MPI_Comm like)
{
    int rank = comm_position(group, ME->rank);
    CORE_CHECK(handle_good(group, HANDLE_GROUP) && like->errhandler);
    if (rank < 0)
        return MPI_COMM_NULL;
    /* Only the group meets: on a temporary communicator, which the key and the members identify. */
    struct ompi_communicator_t meeting_place = {
        .size = group->size, .rank = rank, .member = group->member};
    for (int i = 0; i < group->size; i++)
        key = core_random_mix(key ^ (uint64_t)group->member[i]);
    meeting_place.context = (uint32_t)(key << 1) | 0x80000000u;
    if (comm_is_loose()) /* a member may come again before others came */
        meeting_place.meeting_count = group_calls_count(key);
    return world_comm_new(world_meet_for(&meeting_place, NULL, MEET_NOBODY)->context, rank,
                          group->size, group->member, like);
}

int MPI_Comm_create_group(MPI_Comm handle, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    ENTER("MPI_Comm_create_group");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (!handle_good(group, HANDLE_GROUP))
        return world_error(comm, MPI_ERR_GROUP, "the group is null or freed");
    const uint64_t key = core_random_mix((uint64_t)comm->context << 32 ^ (uint64_t)(uint32_t)tag);
    *newcomm = world_comm_of_group(group, key, comm);
    return MPI_SUCCESS;
}

/* --- intercommunicators ----------------------------------------------------------------------- */

/* Tag of the messages between leaders. No other message has it, so each message that arrives with
 * it is a struct side. */
enum { LEADERS = 0x40000001 };

struct side {
    const int *member;
    int size;
    uint32_t context;
};

static struct side *leaders_exchange(MPI_Comm local, MPI_Comm peer, int remote_leader, int tag)
{
    struct side *mine = world_alloc(sizeof *mine), *theirs = world_alloc(sizeof *theirs);
    *mine = (struct side){local->member, local->size, context_new()};
    struct ompi_request_t *send = world_request_new(REQUEST_SEND),
                          *recv = world_request_new(REQUEST_RECV);
    world_irecv(theirs, sizeof *theirs, MPI_BYTE, remote_leader, tag, peer, peer->context + LEADERS,
                recv);
    world_isend(mine, sizeof *mine, MPI_BYTE, remote_leader, tag, peer, peer->context + LEADERS,
                MODE_STANDARD, send);
    MPI_Request both[2] = {send, recv};
    for (int i = 0; i < 2; i++) {
        if (!both[i]->complete)
            world_request_wait(both[i]);
        world_request_finish(both[i]);
        world_handle_kill(&both[i]->handle);
    }
    CORE_CHECK(theirs->size > 0 && theirs->context % 2 == 0);
    CORE_CHECK(theirs->context != mine->context); /* each created one */
    if (mine->context < theirs->context)
        theirs->context = mine->context;
    return theirs;
}

int MPI_Intercomm_create(MPI_Comm local_handle, int local_leader, MPI_Comm peer_handle,
                         int remote_leader, int tag, MPI_Comm *newintercomm)
{
    ENTER("MPI_Intercomm_create");
    MPI_Comm local, peer = NULL;
    int code = world_comm_check(local_handle, &local);
    if (!code && local->rank == local_leader)
        code = world_comm_check(peer_handle, &peer);
    if (code)
        return code;
    if (local_leader < 0 || local_leader >= local->size)
        return world_error(local, MPI_ERR_RANK, "local leader %d of %d", local_leader, local->size);
    if (peer) {
        int peers = peer->remote_size ? peer->remote_size : peer->size;
        if (remote_leader < 0 || remote_leader >= peers ||
            (!peer->remote_size && remote_leader == peer->rank))
            return world_error(local, MPI_ERR_RANK, "remote leader %d of %d", remote_leader, peers);
        if (tag < 0)
            return world_error(local, MPI_ERR_TAG, "tag %d", tag);
    }
    if (local->remote_size)
        return world_error(local, MPI_ERR_COMM, "an intercommunicator");
    struct side *theirs = peer ? leaders_exchange(local, peer, remote_leader, tag) : NULL;
    theirs = world_meet_for(local, theirs, local_leader)->slot[local_leader];
    if (!theirs)
        return world_error(local, MPI_ERR_ARG, "the members name different local leaders");
    CORE_CHECK(theirs->size > 0 && theirs->member);
    MPI_Comm made = world_comm_new(theirs->context, local->rank, local->size, local->member, local);
    made->remote = theirs->member;
    made->remote_size = theirs->size;
    *newintercomm = made;
    return MPI_SUCCESS;
}

int MPI_Intercomm_merge(MPI_Comm handle, int high, MPI_Comm *newcomm)
{
    ENTER("MPI_Intercomm_merge");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (!comm->remote_size)
        return world_error(comm, MPI_ERR_COMM, "not an intercommunicator");
    int *flag = world_alloc(sizeof *flag);
    *flag = high != 0;
    const struct world_meeting *meeting = world_meet_for(comm, flag, slot_asked(comm));
    int theirs = *(int *)meeting->slot[slot_asked(comm)];
    if (*flag == theirs)
        world_explore_layout();
    bool mine_low = *flag != theirs ? !*flag : local_first(comm) != comm_is_loose();
    int *member = world_alloc((size_t)(comm->size + comm->remote_size) * sizeof *member);
    memcpy(member + (mine_low ? 0 : comm->remote_size), comm->member,
           (size_t)comm->size * sizeof *member);
    memcpy(member + (mine_low ? comm->size : 0), comm->remote,
           (size_t)comm->remote_size * sizeof *member);
    *newcomm = world_comm_new(meeting->context, comm->rank + (mine_low ? 0 : comm->remote_size),
                              comm->size + comm->remote_size, member, comm);
    return MPI_SUCCESS;
}
