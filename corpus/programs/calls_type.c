/* Makes every call that constructs, queries or packs datatypes, and sends a message of each
 * datatype round a ring. Each rank prints how often it made each call.
 *
 * Arguments: none. Ranks: any number.
 *
 * TEST: ranks=1 args= job=0 verdict=clean
 * TEST: ranks=2 args= job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

static int rank, size;
static MPI_Comm world;
static char out[4096], in[4096];

static void inspect(MPI_Datatype type)
{
    int integers, addresses, types, combiner, bytes, values[64];
    MPI_Aint places[64], lower, extent;
    MPI_Datatype inner[64];
    MPI_Count many, more;
    CALL(MPI_Type_get_envelope, type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) {
        /* The room is exact, as Open MPI 4.1 reads each handle that the arrays have room for.
         */
        CALL(MPI_Type_get_contents, type, integers, addresses, types, values, places, inner);
        for (int i = 0; i < types; i++) { /* derived datatypes come back as new handles */
            int n, a, t, c;
            CALL(MPI_Type_get_envelope, inner[i], &n, &a, &t, &c);
            if (c != MPI_COMBINER_NAMED)
                CALL(MPI_Type_free, &inner[i]);
        }
    }
    CALL(MPI_Type_size, type, &bytes);
    CALL(MPI_Type_size_x, type, &many);
    EXPECT(many == bytes);
    CALL(MPI_Type_get_extent, type, &lower, &extent);
    CALL(MPI_Type_get_extent_x, type, &many, &more);
    EXPECT(many == lower && more == extent);
    CALL(MPI_Type_get_true_extent, type, &lower, &extent);
    CALL(MPI_Type_get_true_extent_x, type, &many, &more);
    EXPECT(many == lower && more == extent);
}

/* Queries the datatype, passes one element round the ring, and frees the datatype. */
static void use(MPI_Datatype type)
{
    MPI_Request both[2];
    CALL(MPI_Type_commit, &type);
    inspect(type);
    CALL(MPI_Irecv, in + 1024, 1, type, (rank + size - 1) % size, 1, world, &both[0]);
    CALL(MPI_Isend, out + 1024, 1, type, (rank + 1) % size, 1, world, &both[1]);
    CALL(MPI_Waitall, 2, both, MPI_STATUSES_IGNORE);
    CALL(MPI_Type_free, &type);
}

static void constructors(void)
{
    MPI_Datatype t, u;
    int lengths[2] = {2, 1}, places[2] = {3, 0}, sizes[2] = {4, 6}, part[2] = {2, 3},
        start[2] = {1, 2};
    int spread[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, processes[2] = {1, 1};
    MPI_Aint far[2] = {24, 0};
    MPI_Datatype mixed[2] = {MPI_INT, MPI_DOUBLE};
    CALL(MPI_Type_contiguous, 3, MPI_INT, &t), use(t);
    CALL(MPI_Type_vector, 3, 2, 4, MPI_INT, &t), use(t);
    CALL(MPI_Type_create_hvector, 3, 2, 20, MPI_INT, &t), use(t);
    CALL(MPI_Type_indexed, 2, lengths, places, MPI_INT, &t), use(t);
    CALL(MPI_Type_create_hindexed, 2, lengths, far, MPI_INT, &t), use(t);
    CALL(MPI_Type_create_indexed_block, 2, 2, places, MPI_INT, &t), use(t);
    CALL(MPI_Type_create_hindexed_block, 2, 2, far, MPI_INT, &t), use(t);
    CALL(MPI_Type_create_struct, 2, lengths, far, mixed, &t), use(t);
    CALL(MPI_Type_create_subarray, 2, sizes, part, start, MPI_ORDER_C, MPI_INT, &t), use(t);
    CALL(MPI_Type_create_darray, 1, 0, 2, sizes, spread, arguments, processes, MPI_ORDER_FORTRAN,
         MPI_INT, &t),
        use(t);
    CALL(MPI_Type_create_resized, MPI_INT, -4, 16, &t), use(t);
    CALL(MPI_Type_dup, MPI_DOUBLE, &t), use(t);
    CALL(MPI_Type_vector, 2, 1, 3, MPI_SHORT, &u); /* nested */
    CALL(MPI_Type_contiguous, 2, u, &t);
    CALL(MPI_Type_free, &u);
    use(t);
    CALL(MPI_Type_create_f90_integer, 9, &t), inspect(t);
    CALL(MPI_Type_create_f90_real, 6, 30, &t), inspect(t);
    CALL(MPI_Type_create_f90_complex, 6, 30, &t), inspect(t);
    CALL(MPI_Type_match_size, MPI_TYPECLASS_INTEGER, 4, &t), inspect(t);
}

static void packing(void)
{
    int numbers[4] = {1, 2, 3, 4}, back[4] = {0}, position = 0, bytes;
    MPI_Aint place = 0, external, first, second;
    char packed[256];
    CALL(MPI_Pack_size, 4, MPI_INT, world, &bytes);
    CALL(MPI_Pack, numbers, 4, MPI_INT, packed, (int)sizeof(packed), &position, world);
    bytes = position;
    position = 0;
    CALL(MPI_Unpack, packed, bytes, &position, back, 4, MPI_INT, world);
    EXPECT(back[3] == 4);
    CALL(MPI_Pack_external_size, "external32", 4, MPI_INT, &external);
    CALL(MPI_Pack_external, "external32", numbers, 4, MPI_INT, packed, sizeof(packed), &place);
    EXPECT(place == external);
    place = 0;
    memset(back, 0, sizeof(back));
    CALL(MPI_Unpack_external, "external32", packed, external, &place, back, 4, MPI_INT);
    EXPECT(back[0] == 1);
    CALL(MPI_Get_address, &numbers[0], &first);
    CALL(MPI_Get_address, &numbers[3], &second);
    /* Macros of mpi.h, not calls. */
    EXPECT(MPI_Aint_diff(second, first) == 3 * (MPI_Aint)sizeof(int));
    EXPECT(MPI_Aint_add(first, 12) == second);
}

static void attributes(void)
{
    MPI_Datatype t;
    int key, number = 9, *found, flag, length;
    char name[MPI_MAX_OBJECT_NAME];
    CALL(MPI_Type_contiguous, 2, MPI_INT, &t);
    CALL(MPI_Type_set_name, t, "two");
    CALL(MPI_Type_get_name, t, name, &length);
    EXPECT(!strcmp(name, "two"));
    CALL(MPI_Type_create_keyval, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    CALL(MPI_Type_set_attr, t, key, &number);
    CALL(MPI_Type_get_attr, t, key, &found, &flag);
    EXPECT(flag && *found == 9);
    CALL(MPI_Type_delete_attr, t, key);
    CALL(MPI_Type_free_keyval, &key);
    EXPECT(CALL(MPI_Type_f2c, CALL(MPI_Type_c2f, t)) == t);
    CALL(MPI_Type_free, &t);
}

int main(int argc, char **argv)
{
    CALL(MPI_Init, &argc, &argv);
    world = MPI_COMM_WORLD;
    CALL(MPI_Comm_rank, world, &rank);
    CALL(MPI_Comm_size, world, &size);
    constructors();
    packing();
    attributes();
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
