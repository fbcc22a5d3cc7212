/* Allgather on a hypercube in its safe form: one exchange for each dimension, which posts its send
 * and its receive together.
 *
 * Arguments: [vector|pack|sort|prebuilt] [INTS]  how to move non-contiguous blocks, and the size of
 * a block (default 4). vector: builds a derived datatype at each stage. pack: packs, exchanges,
 * unpacks. sort: moves contiguous data and puts the blocks into order at the end. prebuilt: builds
 * the derived datatypes once, before the first stage. Ranks: a power of two.
 *
 * TEST: ranks=1 args=vector job=0 verdict=clean
 * TEST: ranks=8 args=vector job=0 verdict=clean
 * TEST: ranks=4 args=pack job=0 verdict=clean
 * TEST: ranks=4 args=sort job=0 verdict=clean
 * TEST: ranks=4 args=prebuilt job=0 verdict=clean
 * TEST: ranks=4 args=sort 100000 job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sends `count` elements of `type` to the partner and receives as many. */
static void exchange(const void *out, void *in, int count, MPI_Datatype type, MPI_Datatype in_type,
                     int partner)
{
    MPI_Sendrecv(out, count, type, partner, 2, in, count, in_type, partner, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Makes the datatype of the blocks that a rank holds before a stage: those of the ranks that differ
 * from it only in bits already exchanged. The highest bit comes first, so with distance = 2 * bit
 * the blocks are `distance` apart, and the first is block (rank mod distance). */
static MPI_Datatype held_blocks(int m, int size, int bit)
{
    MPI_Datatype type;
    int distance = 2 * bit;
    MPI_Type_vector(size / distance, m, distance * m, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void by_vector(int *all, int m, int rank, int size)
{
    for (int bit = size / 2; bit; bit /= 2) {
        MPI_Datatype type = held_blocks(m, size, bit);
        int partner = rank ^ bit, distance = 2 * bit;
        exchange(all + rank % distance * m, all + partner % distance * m, 1, type, type, partner);
        MPI_Type_free(&type);
    }
}

static void by_pack(int *all, int m, int rank, int size)
{
    int space;
    MPI_Pack_size(m * size, MPI_INT, MPI_COMM_WORLD, &space);
    char *out = malloc(space + 1), *in = malloc(space + 1);
    for (int bit = size / 2; bit; bit /= 2) {
        MPI_Datatype type = held_blocks(m, size, bit);
        int partner = rank ^ bit, distance = 2 * bit, position = 0;
        MPI_Pack(all + rank % distance * m, 1, type, out, space, &position, MPI_COMM_WORLD);
        exchange(out, in, position, MPI_PACKED, MPI_PACKED, partner);
        int size_in = position;
        position = 0;
        MPI_Unpack(in, size_in, &position, all + partner % distance * m, 1, type, MPI_COMM_WORLD);
        MPI_Type_free(&type);
    }
    free(out);
    free(in);
}

/* Appends each block that arrives, so slot k finally has the block of rank XOR (the bits of k in
 * reverse order). */
static void by_sort(int *all, int m, int rank, int size)
{
    int *slots = malloc(sizeof(int) * (m * size + 1));
    memcpy(slots, all + rank * m, sizeof(int) * m);
    int held = 1;
    for (int bit = size / 2; bit; bit /= 2, held *= 2)
        exchange(slots, slots + held * m, held * m, MPI_INT, MPI_INT, rank ^ bit);
    for (int slot = 0; slot < size; slot++) {
        int owner = rank;
        for (int low = 1, high = size / 2; high; low *= 2, high /= 2)
            if (slot & low)
                owner ^= high;
        memcpy(all + owner * m, slots + slot * m, sizeof(int) * m);
    }
    free(slots);
}

static void by_prebuilt(int *all, int m, int rank, int size)
{
    MPI_Datatype types[32];
    int stages = 0;
    for (int bit = size / 2; bit; bit /= 2)
        types[stages++] = held_blocks(m, size, bit);
    stages = 0;
    for (int bit = size / 2; bit; bit /= 2, stages++) {
        int partner = rank ^ bit, distance = 2 * bit;
        exchange(all + rank % distance * m, all + partner % distance * m, 1, types[stages],
                 types[stages], partner);
    }
    while (stages--)
        MPI_Type_free(&types[stages]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *way = argc > 1 ? argv[1] : "vector";
    int m = argc > 2 ? atoi(argv[2]) : 4;
    if (size & (size - 1)) {
        if (!rank)
            fprintf(stderr, "the hypercube needs a power of two of ranks, not %d\n", size);
        MPI_Finalize();
        return 2;
    }
    int *all = malloc(sizeof(int) * (m * size + 1));
    for (int i = 0; i < m; i++)
        all[rank * m + i] = rank * 1000 + i;

    if (!strcmp(way, "vector"))
        by_vector(all, m, rank, size);
    else if (!strcmp(way, "pack"))
        by_pack(all, m, rank, size);
    else if (!strcmp(way, "sort"))
        by_sort(all, m, rank, size);
    else
        by_prebuilt(all, m, rank, size);

    int wrong = 0;
    for (int r = 0; r < size; r++)
        for (int i = 0; i < m; i++)
            wrong += all[r * m + i] != r * 1000 + i;
    printf("rank %d by %s: %s\n", rank, way, wrong ? "wrong" : "all blocks in place");
    free(all);
    MPI_Finalize();
    return wrong != 0;
}
