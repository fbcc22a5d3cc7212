/* Every datatype constructor: sizes, extents, envelopes, packing, and what arrives. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int rank;

/* Rank 0 prints for rank 1: lines of several ranks may be cut into each other on their way. */
static void tell(const char *format, unsigned a, int b, int c)
{
    unsigned all[3] = {a, (unsigned)b, (unsigned)c};
    (void)format;
    MPI_Send(all, 3, MPI_UNSIGNED, 0, 77, MPI_COMM_WORLD);
}

static void hear(const char *format)
{
    unsigned all[3];
    MPI_Recv(all, 3, MPI_UNSIGNED, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf(format, all[0], (int)all[1], (int)all[2]);
}

static void show(const char *name, MPI_Datatype type)
{
    int size, integers, addresses, types, combiner, ints[64], position = 0;
    MPI_Aint lb, extent, true_lb, true_extent, addrs[64];
    MPI_Datatype parts[64];
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    MPI_Type_commit(&type);
    if (rank == 0)
        printf("%s: size %d lb %td extent %td true %td %td envelope %d %d %d combiner %d\n", name,
               size, lb, extent, true_lb, true_extent, integers, addresses, types, combiner);
    if (combiner != MPI_COMBINER_NAMED) {
        /* Open MPI 4.1 reads all the handles that the caller has room for: exact counts. */
        MPI_Type_get_contents(type, integers, addresses, types, ints, addrs, parts);
        if (rank == 0) {
            printf("  contents:");
            for (int i = 0; i < integers; i++)
                printf(" %d", ints[i]);
            for (int i = 0; i < addresses; i++)
                printf(" @%td", addrs[i]);
            printf("\n");
        }
        for (int i = 0; i < types; i++) {
            int a, b, c, kind;
            MPI_Type_get_envelope(parts[i], &a, &b, &c, &kind);
            if (kind != MPI_COMBINER_NAMED)
                MPI_Type_free(&parts[i]);
        }
    }
    /* What two elements pick out of numbered bytes, and where they put them. */
    static unsigned char from[8192], to[8192], packed[8192];
    for (int i = 0; i < 8192; i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    memset(to, 0xee, sizeof to);
    MPI_Pack(from + 2048, 2, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
    unsigned hash = 0;
    for (int i = 0; i < position; i++)
        hash = hash * 31 + packed[i];
    int at = 0;
    MPI_Unpack(packed, position, &at, to + 2048, 2, type, MPI_COMM_WORLD);
    unsigned where = 0;
    for (int i = 0; i < 8192; i++)
        where = where * 31 + to[i];
    if (rank == 0)
        printf("  packed %d hash %u unpacked %u\n", position, hash, where);
    if (position == 0)
        return;
    /* Over the wire: typed to typed, typed to a longer receive. */
    MPI_Status status;
    int count, elements;
    memset(to, 0xee, sizeof to);
    if (rank == 0)
        MPI_Send(from + 2048, 2, type, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(to + 2048, 3, type, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, type, &count);
        MPI_Get_elements(&status, type, &elements);
        for (int i = 0; i < 8192; i++)
            where = where * 31 + to[i];
        tell("  arrived %u count %d elements %d\n", where, count, elements);
    }
    if (rank == 0)
        hear("  arrived %u count %d elements %d\n");
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Datatype t, u, v, w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    show("int", MPI_INT);
    show("double_int", MPI_DOUBLE_INT);
    show("short_int", MPI_SHORT_INT);
    show("long_double_int", MPI_LONG_DOUBLE_INT);
    show("2int", MPI_2INT);
    MPI_Type_contiguous(5, MPI_SHORT, &t);
    show("contiguous", t);
    MPI_Type_vector(3, 2, 4, MPI_INT, &u);
    show("vector", u);
    MPI_Type_vector(3, 2, -4, MPI_INT, &v);
    show("vector backwards", v);
    MPI_Type_contiguous(2, u, &w);
    show("contiguous of vector", w);
    MPI_Type_free(&w);
    MPI_Type_create_hvector(3, 2, 13, MPI_SHORT, &w);
    show("hvector", w);
    MPI_Type_free(&w);
    int lengths[] = {2, 0, 3, 1}, disps[] = {4, 1, 9, 0};
    MPI_Aint bytes[] = {16, 3, 40, 0};
    MPI_Type_indexed(4, lengths, disps, MPI_INT, &w);
    show("indexed", w);
    MPI_Type_free(&w);
    MPI_Type_create_hindexed(4, lengths, bytes, MPI_FLOAT, &w);
    show("hindexed", w);
    MPI_Type_free(&w);
    MPI_Type_create_indexed_block(4, 2, disps, MPI_DOUBLE, &w);
    show("indexed_block", w);
    MPI_Type_free(&w);
    MPI_Type_create_hindexed_block(3, 1, bytes, MPI_CHAR, &w);
    show("hindexed_block", w);
    MPI_Type_free(&w);
    struct record {
        char c;
        double d[2];
        short s;
    };
    int block[] = {1, 2, 1};
    MPI_Aint place[] = {offsetof(struct record, c), offsetof(struct record, d),
                        offsetof(struct record, s)};
    MPI_Datatype parts[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Type_create_struct(3, block, place, parts, &w);
    show("struct", w);
    MPI_Datatype x;
    MPI_Type_create_resized(w, 0, 64, &x);
    show("resized", x);
    MPI_Type_free(&x);
    MPI_Type_create_resized(u, -4, 24, &x);
    show("resized vector", x);
    MPI_Datatype mixed[] = {x, MPI_INT}, y;
    int two[] = {1, 1};
    MPI_Aint apart[] = {8, 100};
    MPI_Type_create_struct(2, two, apart, mixed, &y);
    show("struct of resized", y);
    MPI_Type_free(&y);
    MPI_Type_dup(x, &y);
    show("dup", y);
    MPI_Type_free(&y);
    MPI_Type_free(&x);
    MPI_Type_free(&w);
    int sizes[] = {5, 6, 7}, sub[] = {2, 3, 4}, start[] = {1, 2, 3};
    MPI_Type_create_subarray(3, sizes, sub, start, MPI_ORDER_C, MPI_SHORT, &w);
    show("subarray c", w);
    MPI_Type_free(&w);
    MPI_Type_create_subarray(3, sizes, sub, start, MPI_ORDER_FORTRAN, MPI_SHORT, &w);
    show("subarray fortran", w);
    MPI_Type_free(&w);
    int global[] = {7, 9}, grid[] = {2, 3};
    int how[4][2] = {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK},
                     {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
                     {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC},
                     {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}};
    int arg[4][2] = {{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG},
                     {2, MPI_DISTRIBUTE_DFLT_DARG},
                     {MPI_DISTRIBUTE_DFLT_DARG, 2},
                     {4, MPI_DISTRIBUTE_DFLT_DARG}};
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 6; r++)
            for (int order = 0; order < 2; order++) {
                char name[64];
                int shape[] = {k == 3 ? 6 : 2, k == 3 ? 1 : 3};
                int darg[] = {k == 3 ? 2 : arg[k][0], arg[k][1]};
                (void)grid;
                sprintf(name, "darray %d rank %d order %d", k, r, order);
                if (k == 3 && r >= 4) /* owns nothing: Open MPI's answer for an empty one differs
                                         between versions */
                    continue;
                MPI_Type_create_darray(6, r, 2, global, how[k], darg, shape,
                                       order ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &w);
                show(name, w);
                MPI_Type_free(&w);
            }
    /* A receive shorter in basics than its type: elements, and a count that is undefined. */
    MPI_Type_commit(&t);
    short data[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    MPI_Status status;
    if (rank == 0)
        MPI_Send(data, 7, MPI_SHORT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        int count, elements;
        MPI_Recv(data, 2, t, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, t, &count);
        MPI_Get_elements(&status, t, &elements);
        tell("", count == MPI_UNDEFINED, elements, 0);
    }
    if (rank == 0)
        hear("partial: undefined %u elements %d\n");
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_get_name(MPI_DOUBLE, name, &length);
    if (rank == 0)
        printf("name %s %d\n", name, length);
    MPI_Type_set_name(MPI_INT, rank ? "number" : "an integer");
    MPI_Type_get_name(MPI_INT, name, &length);
    printf("name %s %d\n", name, length);
    MPI_Type_set_name(t, "five");
    MPI_Type_get_name(t, name, &length);
    if (rank == 0)
        printf("name %s %d\n", name, length);
    MPI_Type_free(&t);
    MPI_Type_free(&u);
    MPI_Type_free(&v);
    MPI_Finalize();
    return 0;
}
