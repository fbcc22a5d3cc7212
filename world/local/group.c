/* Groups: lists of world ranks. */
#include "world/state.h"

struct ompi_predefined_group_t ompi_mpi_group_empty = {
    {.handle = {.magic = (uint32_t)HANDLE_MAGIC + HANDLE_GROUP,
                .references = 1,
                .made_by = "MPI_Init"},
     .fortran = 1}};
struct ompi_predefined_group_t ompi_mpi_group_null = {{.handle = {.magic = HANDLE_DEAD}}};

static int group_check(MPI_Group group)
{
    return handle_good(group, HANDLE_GROUP)
               ? MPI_SUCCESS
               : world_error(NULL, MPI_ERR_GROUP, "the group is null or freed");
}

static int group_position(MPI_Group group, int world)
{
    CORE_CHECK_HOT(world >= 0 && world < WORLD->rank_count);
    for (int i = 0; i < group->size; i++)
        if (group->member[i] == world)
            return i;
    return MPI_UNDEFINED;
}

static int *group_room_for(int count)
{
    return world_alloc(((size_t)count + 1) * sizeof(int));
}

static int group_make(const int *member, int size, MPI_Group *out_group)
{
    CORE_CHECK(size >= 0 && size <= WORLD->rank_count);
    for (int i = 0; i < size; i++)
        CORE_CHECK_HOT(member[i] >= 0 && member[i] < WORLD->rank_count);
    if (size == 0) {
        *out_group = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    MPI_Group made = world_handle_new(HANDLE_GROUP, sizeof *made);
    made->size = size;
    made->member = member;
    made->fortran = world_group_number(made);
    *out_group = made;
    return MPI_SUCCESS;
}

MPI_Group world_group_new(const int *member, int size)
{
    MPI_Group made;
    group_make(member, size, &made);
    return made;
}

int MPI_Comm_group(MPI_Comm handle, MPI_Group *group)
{
    ENTER("MPI_Comm_group");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    return code ? code : group_make(comm->member, comm->size, group);
}

int MPI_Comm_remote_group(MPI_Comm handle, MPI_Group *group)
{
    ENTER("MPI_Comm_remote_group");
    MPI_Comm comm;
    int code = world_comm_check(handle, &comm);
    if (code)
        return code;
    if (!comm->remote_size)
        return world_error(comm, MPI_ERR_COMM, "not an intercommunicator");
    return group_make(comm->remote, comm->remote_size, group);
}

int MPI_Group_size(MPI_Group group, int *size)
{
    ENTER("MPI_Group_size");
    int code = group_check(group);
    if (code == MPI_SUCCESS)
        *size = group->size;
    return code;
}

int MPI_Group_rank(MPI_Group group, int *rank)
{
    ENTER("MPI_Group_rank");
    int code = group_check(group);
    if (code == MPI_SUCCESS)
        *rank = group_position(group, ME->rank);
    return code;
}

int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                              int ranks2[])
{
    ENTER("MPI_Group_translate_ranks");
    int code = group_check(group1);
    if (!code)
        code = group_check(group2);
    for (int i = 0; !code && i < n; i++) {
        if (ranks1[i] == MPI_PROC_NULL)
            ranks2[i] = MPI_PROC_NULL;
        else if (ranks1[i] < 0 || ranks1[i] >= group1->size)
            code = world_error(NULL, MPI_ERR_RANK, "rank %d of %d", ranks1[i], group1->size);
        else
            ranks2[i] = group_position(group2, group1->member[ranks1[i]]);
    }
    return code;
}

int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
    ENTER("MPI_Group_compare");
    int code = group_check(group1);
    if (!code)
        code = group_check(group2);
    if (code)
        return code;
    *result = group1->size == group2->size ? MPI_IDENT : MPI_UNEQUAL;
    for (int i = 0; i < group1->size && *result != MPI_UNEQUAL; i++) {
        if (group_position(group2, group1->member[i]) == MPI_UNDEFINED)
            *result = MPI_UNEQUAL;
        else if (group1->member[i] != group2->member[i])
            *result = MPI_SIMILAR;
    }
    return MPI_SUCCESS;
}

/* Combines two groups: keeps members of a, or of b, depending on whether the other group has them.
 */
static int group_combine(const char *call, MPI_Group a, MPI_Group b, bool keep_common,
                         bool keep_only_a, bool keep_only_b, MPI_Group *out_group)
{
    ENTER(call);
    int code = group_check(a);
    if (!code)
        code = group_check(b);
    if (code)
        return code;
    int *member = group_room_for(a->size + b->size), size = 0;
    for (int i = 0; i < a->size; i++)
        if (group_position(b, a->member[i]) == MPI_UNDEFINED ? keep_only_a : keep_common)
            member[size++] = a->member[i];
    for (int i = 0; keep_only_b && i < b->size; i++)
        if (group_position(a, b->member[i]) == MPI_UNDEFINED)
            member[size++] = b->member[i];
    CORE_CHECK(size <= a->size + b->size);
    return group_make(member, size, out_group);
}

int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return group_combine("MPI_Group_union", group1, group2, true, true, true, newgroup);
}

int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return group_combine("MPI_Group_intersection", group1, group2, true, false, false, newgroup);
}

int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return group_combine("MPI_Group_difference", group1, group2, false, true, false, newgroup);
}

static int select_ranks(MPI_Group group, int n, const int ranks[], bool include,
                        MPI_Group *out_group)
{
    bool *named = world_alloc((size_t)group->size + 1);
    memset(named, 0, (size_t)group->size + 1);
    int *member = group_room_for(group->size), size = 0;
    for (int i = 0; i < n; i++) {
        if (ranks[i] < 0 || ranks[i] >= group->size || named[ranks[i]])
            return world_error(NULL, MPI_ERR_RANK, "rank %d of %d, or twice", ranks[i],
                               group->size);
        named[ranks[i]] = true;
        if (include)
            member[size++] = group->member[ranks[i]];
    }
    for (int i = 0; !include && i < group->size; i++)
        if (!named[i])
            member[size++] = group->member[i];
    CORE_CHECK(include ? size == (n > 0 ? n : 0) : size == group->size - (n > 0 ? n : 0));
    return group_make(member, size, out_group);
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    ENTER("MPI_Group_incl");
    int code = group_check(group);
    return code ? code : select_ranks(group, n, ranks, true, newgroup);
}

int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    ENTER("MPI_Group_excl");
    int code = group_check(group);
    return code ? code : select_ranks(group, n, ranks, false, newgroup);
}

static int select_ranges(MPI_Group group, int n, int ranges[][3], bool include,
                         MPI_Group *out_group)
{
    int *ranks = group_room_for(group->size), count = 0;
    for (int i = 0; i < n; i++) {
        int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
        if (stride == 0)
            return world_error(NULL, MPI_ERR_ARG, "stride 0");
        for (long long r = first; stride > 0 ? r <= last : r >= last; r += stride) {
            if (r < 0 || r >= group->size || count == group->size)
                return world_error(NULL, MPI_ERR_RANK, "rank %lld of %d", r, group->size);
            ranks[count++] = (int)r;
        }
    }
    return select_ranks(group, count, ranks, include, out_group);
}

int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    ENTER("MPI_Group_range_incl");
    int code = group_check(group);
    return code ? code : select_ranges(group, n, ranges, true, newgroup);
}

int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    ENTER("MPI_Group_range_excl");
    int code = group_check(group);
    return code ? code : select_ranges(group, n, ranges, false, newgroup);
}

int MPI_Group_free(MPI_Group *group)
{
    ENTER("MPI_Group_free");
    if (!group || group_check(*group))
        return MPI_ERR_GROUP;
    if (*group != MPI_GROUP_EMPTY)
        world_handle_kill(&(*group)->handle);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
