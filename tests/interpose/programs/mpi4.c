/* What MPI 4 has beyond MPI 3, each call counted: `mpi4 FILE` writes how often which was made into
 * FILE.RANK. Of types, each is made by the constructor for large counts and by the small one. Two
 * ranks. Nothing where the library has no MPI 4. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#if MPI_VERSION < 4

int main(void)
{
    return 0;
}

#else

enum { NAMES = 200, N = 6 };
static struct {
    const char *name;
    int count;
} made[NAMES];

static void count(const char *name)
{
    int i = 0;
    while (made[i].name && strcmp(made[i].name, name))
        i++;
    made[i].name = name;
    made[i].count++;
}
#define C(name, ...) (count("MPI_" #name), MPI_##name(__VA_ARGS__))
#define W MPI_COMM_WORLD
static int me, peer, a[64], b[64];

/* A message of the type from rank 0 to rank 1, as ints. */
static void use(MPI_Datatype *type)
{
    static int tag;
    MPI_Count size;
    C(Type_commit, type);
    C(Type_size_c, *type, &size);
    if (me == 0)
        C(Send_c, a, 1, *type, 1, tag, W);
    else
        C(Recv_c, b, size / 4, MPI_INT, 0, tag, W, MPI_STATUS_IGNORE);
    tag++;
    C(Type_free, type);
}

/* Pairs of calls that make the same. */
static void types(void)
{
    MPI_Datatype t;
    C(Type_contiguous_c, 3, MPI_INT, &t), use(&t);
    C(Type_contiguous, 3, MPI_INT, &t), use(&t);
    C(Type_vector_c, 3, 2, 4, MPI_INT, &t), use(&t);
    C(Type_vector, 3, 2, 4, MPI_INT, &t), use(&t);
    C(Type_create_hvector_c, 3, 2, 16, MPI_INT, &t), use(&t);
    C(Type_create_hvector, 3, 2, 16, MPI_INT, &t), use(&t);
    C(Type_indexed_c, 2, (MPI_Count[]){1, 2}, (MPI_Count[]){5, 1}, MPI_INT, &t), use(&t);
    C(Type_indexed, 2, (int[]){1, 2}, (int[]){5, 1}, MPI_INT, &t), use(&t);
    C(Type_create_hindexed_c, 2, (MPI_Count[]){1, 2}, (MPI_Count[]){20, 4}, MPI_INT, &t), use(&t);
    C(Type_create_hindexed, 2, (int[]){1, 2}, (MPI_Aint[]){20, 4}, MPI_INT, &t), use(&t);
    C(Type_create_indexed_block_c, 2, 2, (MPI_Count[]){5, 1}, MPI_INT, &t), use(&t);
    C(Type_create_indexed_block, 2, 2, (int[]){5, 1}, MPI_INT, &t), use(&t);
    C(Type_create_hindexed_block_c, 2, 2, (MPI_Count[]){20, 4}, MPI_INT, &t), use(&t);
    C(Type_create_hindexed_block, 2, 2, (MPI_Aint[]){20, 4}, MPI_INT, &t), use(&t);
    C(Type_create_struct_c, 2, (MPI_Count[]){1, 2}, (MPI_Count[]){0, 8},
      (MPI_Datatype[]){MPI_INT, MPI_INT}, &t),
        use(&t);
    C(Type_create_struct, 2, (int[]){1, 2}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_INT},
      &t),
        use(&t);
    C(Type_create_resized_c, MPI_INT, 0, 8, &t), use(&t);
    C(Type_create_resized, MPI_INT, 0, 8, &t), use(&t);
    C(Type_create_subarray_c, 2, (MPI_Count[]){4, 5}, (MPI_Count[]){2, 3}, (MPI_Count[]){1, 2},
      MPI_ORDER_C, MPI_INT, &t),
        use(&t);
    C(Type_create_subarray, 2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT,
      &t),
        use(&t);
    const int kinds[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
              dflt[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 1};
    C(Type_create_darray_c, 2, 1, 2, (MPI_Count[]){5, 4}, kinds, dflt, grid, MPI_ORDER_C, MPI_INT,
      &t),
        use(&t);
    C(Type_create_darray, 2, 1, 2, (int[]){5, 4}, kinds, dflt, grid, MPI_ORDER_C, MPI_INT, &t),
        use(&t);
}

static void collectives(void)
{
    const MPI_Count one[2] = {1, 1}, several[2] = {1, 2};
    const MPI_Aint places[2] = {0, 1};
    MPI_Request r;
    C(Bcast_c, a, N, MPI_INT, 0, W);
    C(Allreduce_c, a, b, N, MPI_INT, MPI_SUM, W);
    C(Gatherv_c, a, me + 1, MPI_INT, b, me ? NULL : several, me ? NULL : places, MPI_INT, 0, W);
    C(Scatterv_c, me ? NULL : a, me ? NULL : several, me ? NULL : places, MPI_INT, b, me + 1,
      MPI_INT, 0, W);
    C(Allgatherv_c, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, several, places, MPI_INT, W);
    C(Alltoallv_c, a, one, places, MPI_INT, b, one, places, MPI_INT, W);
    C(Reduce_scatter_c, a, b, several, MPI_INT, MPI_SUM, W);
    C(Ialltoallv_c, a, one, places, MPI_INT, b, one, places, MPI_INT, W, &r);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Bcast_init_c, a, N, MPI_INT, 0, W, MPI_INFO_NULL, &r);
    C(Start, &r);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Request_free, &r);
    C(Allreduce_init, a, b, N, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &r);
    C(Start, &r);
    C(Wait, &r, MPI_STATUS_IGNORE);
    C(Request_free, &r);
}

static void messages(void)
{
    MPI_Request r[2];
    MPI_Status s;
    MPI_Count elements;
    MPI_Comm other;
    MPI_Info info;
    int length = 10, flag;
    char value[10];
    C(Irecv_c, b, N, MPI_INT, peer, 50, W, &r[0]);
    C(Isend_c, a, N, MPI_INT, peer, 50, W, &r[1]);
    C(Waitall, 2, r, MPI_STATUSES_IGNORE);
    C(Sendrecv_c, a, N, MPI_INT, peer, 51, b, N, MPI_INT, peer, 51, W, &s);
    C(Get_count_c, &s, MPI_INT, &elements);
    C(Get_elements_c, &s, MPI_INT, &elements);
    C(Info_create, &info);
    C(Info_set, info, "key", "value");
    C(Info_get_string, info, "key", &length, value, &flag);
    C(Comm_idup_with_info, W, info, &other, &r[0]);
    C(Wait, &r[0], MPI_STATUS_IGNORE);
    C(Barrier, other);
    C(Comm_free, &other);
    C(Info_free, &info);
}

static void windows(void)
{
    MPI_Win w;
    C(Win_create_c, b, sizeof b, 4, MPI_INFO_NULL, W, &w);
    C(Win_fence, 0, w);
    C(Put_c, a, 2, MPI_INT, peer, 0, 2, MPI_INT, w);
    C(Win_fence, 0, w);
    C(Win_free, &w);
}

/* From nobody to nobody: of these MPI moves nothing. */
static void huge(void)
{
    MPI_Send_c(a, (MPI_Count)1 << 33, MPI_BYTE, MPI_PROC_NULL, 0, W);
    MPI_Recv_c(a, (MPI_Count)1 << 33, MPI_BYTE, MPI_PROC_NULL, 0, W, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 2)
        return 2;
    MPI_Init(&argc, &argv);
    C(Comm_rank, W, &me);
    peer = 1 - me;
    messages();
    types();
    collectives();
    windows();
    if (argc > 2)
        huge();
    MPI_Finalize();
    snprintf(path, sizeof path, "%s.%d", argv[1], me);
    FILE *f = fopen(path, "w");
    for (int i = 0; f && made[i].name; i++)
        fprintf(f, "%s %d\n", made[i].name, made[i].count);
    return !f || fclose(f);
}

#endif
