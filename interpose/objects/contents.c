/* Finds the parts of a datatype. */
#include "interpose/objects/contents.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool contents_basic(int combiner)
{
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER ||
           combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX;
}

static void free_types(struct contents *contents)
{
    for (int i = 0; i < contents->types; i++)
        if (!contents_basic(contents_combiner(contents->type[i])))
            OWN(Type_free)(&contents->type[i]);
}

static void free_arrays(struct contents *contents)
{
    free(contents->integer);
    free(contents->address);
    free(contents->type);
}

void contents_free(struct contents *contents)
{
    free_types(contents);
    free_arrays(contents);
}

/* Types with large counts are queried only by the _c form: MPI_Type_get_envelope refuses an unknown
 * type with an error that ends the job. */
#if MPI_VERSION >= 4

static bool shape_of(MPI_Datatype type, struct contents_shape *shape, int *combiner)
{
    MPI_Count integers, addresses, larges, types;
    if (OWN(Type_get_envelope_c)(type, &integers, &addresses, &larges, &types, combiner) !=
        MPI_SUCCESS)
        return false;
    *shape = (struct contents_shape){integers, addresses, larges, types};
    return true;
}

#else

static bool shape_of(MPI_Datatype type, struct contents_shape *shape, int *combiner)
{
    int integers, addresses, types;
    if (OWN(Type_get_envelope)(type, &integers, &addresses, &types, combiner) != MPI_SUCCESS)
        return false;
    *shape = (struct contents_shape){integers, addresses, 0, types};
    return true;
}

#endif

int contents_combiner(MPI_Datatype type)
{
    struct contents_shape shape;
    return contents_shape(type, &shape);
}

int contents_shape(MPI_Datatype type, struct contents_shape *out)
{
    int combiner;
    return shape_of(type, out, &combiner) ? combiner : -1;
}

int contents_types(MPI_Datatype type)
{
    struct contents_shape shape;
    return contents_shape(type, &shape) >= 0 && shape.types <= INT_MAX ? (int)shape.types : 0;
}

#if MPI_VERSION >= 4

/* Splits a definition with large counts: how many integers precede the large counts in the small
 * form, and how many of the large counts are integers there; the others are addresses. */
static void contents_split(int combiner, const struct contents_shape *shape, const MPI_Count *large,
                           MPI_Count *out_front, MPI_Count *out_integers)
{
    enum { DARRAY_FRONT = 3 };

    *out_front = combiner == MPI_COMBINER_SUBARRAY ? 1
                 : combiner == MPI_COMBINER_DARRAY ? DARRAY_FRONT
                                                   : 0;
    *out_integers =
        combiner == MPI_COMBINER_HINDEXED || combiner == MPI_COMBINER_STRUCT          ? 1 + large[0]
        : combiner == MPI_COMBINER_HVECTOR || combiner == MPI_COMBINER_HINDEXED_BLOCK ? 2
        : combiner == MPI_COMBINER_RESIZED                                            ? 0
                                           : shape->larges;
}

/* Merges a definition into ints. in: the integers of the type. Returns false if a value does not
 * fit. */
static bool contents_merge(struct contents *contents, const struct contents_shape *shape,
                           const int *in, const MPI_Count *large)
{
    MPI_Count front, integers;

    contents_split(contents->combiner, shape, large, &front, &integers);
    if (front > shape->integers || integers > shape->larges)
        return false;
    for (MPI_Count i = 0; i < front; i++)
        contents->integer[i] = in[i];
    for (MPI_Count i = 0; i < integers; i++) {
        if (large[i] != (int)large[i])
            return false;
        contents->integer[front + i] = (int)large[i];
    }
    for (MPI_Count i = front; i < shape->integers; i++)
        contents->integer[integers + i] = in[i];
    for (MPI_Count i = integers; i < shape->larges; i++)
        contents->address[i - integers] = (MPI_Aint)large[i];
    return true;
}

bool contents_get(MPI_Datatype type, struct contents *out)
{
    struct contents_shape shape;
    struct contents contents = {.types = 0};
    bool got = shape_of(type, &shape, &contents.combiner) && shape.types <= INT_MAX;
    MPI_Count room = got ? shape.integers + shape.addresses + shape.larges + 1 : 1;
    int *in = calloc((size_t)room, sizeof *in);
    MPI_Count *large = calloc((size_t)room, sizeof *large);

    contents.integer = calloc((size_t)room, sizeof *contents.integer);
    contents.address = calloc((size_t)room, sizeof *contents.address);
    contents.type = calloc(got ? (size_t)shape.types + 1 : 1, sizeof *contents.type);
    got = got && in && large && contents.integer && contents.address && contents.type &&
          OWN(Type_get_contents_c)(type, shape.integers, shape.addresses, shape.larges, shape.types,
                                   in, contents.address, large, contents.type) == MPI_SUCCESS;
    if (got)
        contents.types = (int)shape.types;
    if (got && !shape.larges)
        memcpy(contents.integer, in, (size_t)shape.integers * sizeof *in);
    else if (got && !contents_merge(&contents, &shape, in, large)) {
        free_types(&contents);
        got = false;
    }
    free(in);
    free(large);
    if (got)
        *out = contents;
    else
        free_arrays(&contents);
    return got;
}

#else

bool contents_get(MPI_Datatype type, struct contents *out)
{
    struct contents_shape shape = {0, 0, 0, 0};
    struct contents contents = {.types = 0};
    bool got = shape_of(type, &shape, &contents.combiner);

    contents.integer = calloc((size_t)shape.integers + 1, sizeof *contents.integer);
    contents.address = calloc((size_t)shape.addresses + 1, sizeof *contents.address);
    contents.type = calloc((size_t)shape.types + 1, sizeof *contents.type);
    got = got && contents.integer && contents.address && contents.type &&
          OWN(Type_get_contents)(type, (int)shape.integers, (int)shape.addresses, (int)shape.types,
                                 contents.integer, contents.address, contents.type) == MPI_SUCCESS;
    contents.types = (int)shape.types;
    if (got)
        *out = contents;
    else
        free_arrays(&contents);
    return got;
}

#endif
