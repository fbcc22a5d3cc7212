/* Datatypes by precision and range, for Fortran 90; functions that MPI 2 replaced. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include "world/state.h"

/* Returns one handle for the same arguments, which is never freed. */
static int by_range(int combiner, int p, int r, MPI_Datatype like, MPI_Datatype *out_type)
{
    struct world_extra *extra = world_extra();
    for (MPI_Datatype t = extra->by_range; t; t = (MPI_Datatype)t->handle.next) {
        CORE_CHECK(t->envelope->integer_count == 1 || t->envelope->integer_count == 2);
        if (t->envelope->combiner == combiner && t->envelope->integer[0] == p &&
            (t->envelope->integer_count < 2 || t->envelope->integer[1] == r)) {
            *out_type = t;
            return MPI_SUCCESS;
        }
    }
    if (!like)
        return world_error(NULL, MPI_ERR_ARG, "no such number exists: precision %d, range %d", p,
                           r);
    CORE_CHECK(like->predefined);
    MPI_Datatype made = world_alloc(sizeof *made);
    *made = *like;
    made->handle.next = (struct world_handle *)extra->by_range;
    extra->by_range = made;
    made->name = world_text("COMBINER %s", like->name);
    int numbers = combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2;
    struct world_envelope *envelope = world_type_envelope(made, combiner, numbers, 0, 0);
    envelope->integer[0] = p;
    envelope->integer[numbers - 1] = numbers == 1 ? p : r;
    *out_type = made;
    return MPI_SUCCESS;
}

/* Returns 0 for single, 1 for double, 2 for extended precision; 3 if none suffices. Like Open MPI,
 * excludes the largest exponents. */
static int datatype_more_precision(int p, int r)
{
    static const int digits[] = {6, 15, 18}, exponent[] = {37, 307, 4931};
    int kind = 0;
    while (kind < 3 &&
           ((p != MPI_UNDEFINED && p > digits[kind]) || (r != MPI_UNDEFINED && r > exponent[kind])))
        kind++;
    CORE_CHECK(kind >= 0 && kind <= 3);
    return kind;
}

int MPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_f90_integer");
    MPI_Datatype like = r <= 2    ? MPI_BYTE
                        : r <= 4  ? MPI_SHORT
                        : r <= 9  ? MPI_INT
                        : r <= 18 ? MPI_LONG
                                  : NULL;
    return by_range(MPI_COMBINER_F90_INTEGER, r, 0, like, newtype);
}

int MPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_f90_real");
    const MPI_Datatype like[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, NULL};
    return by_range(MPI_COMBINER_F90_REAL, p, r, like[datatype_more_precision(p, r)], newtype);
}

int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
    ENTER_LOCAL("MPI_Type_create_f90_complex");
    const MPI_Datatype like[] = {MPI_COMPLEX, MPI_DOUBLE_COMPLEX, (MPI_Datatype)&ompi_mpi_ldblcplex,
                                 NULL};
    return by_range(MPI_COMBINER_F90_COMPLEX, p, r, like[datatype_more_precision(p, r)], newtype);
}

int MPI_Address(void *location, MPI_Aint *address)
{
    return MPI_Get_address(location, address);
}

int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent)
{
    MPI_Aint lb;
    return MPI_Type_get_extent(type, &lb, extent);
}

int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lb)
{
    MPI_Aint extent;
    return MPI_Type_get_extent(type, lb, &extent);
}

int MPI_Type_ub(MPI_Datatype type, MPI_Aint *ub)
{
    MPI_Aint lb, extent;
    int code = MPI_Type_get_extent(type, &lb, &extent);
    if (!code)
        *ub = lb + extent;
    return code;
}

int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                     MPI_Datatype *newtype)
{
    return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

int MPI_Type_hindexed(int count, int length[], MPI_Aint disp[], MPI_Datatype oldtype,
                      MPI_Datatype *newtype)
{
    return MPI_Type_create_hindexed(count, length, disp, oldtype, newtype);
}

int MPI_Type_struct(int count, int length[], MPI_Aint disp[], MPI_Datatype types[],
                    MPI_Datatype *newtype)
{
    return MPI_Type_create_struct(count, length, disp, types, newtype);
}
