/* Names of predefined operations and of Fortran's parametrised types, for libraries whose handles
 * are constants of mpi.h. */
#include "interpose/library/library.h"
#include "interpose/objects/contents.h"

#include <string.h>

const char *library_op_name(MPI_Op op)
{
    static const struct {
        MPI_Op op;
        const char *name;
    } names[] = {
        {MPI_MAX, "MPI_MAX"},         {MPI_MIN, "MPI_MIN"},       {MPI_SUM, "MPI_SUM"},
        {MPI_PROD, "MPI_PROD"},       {MPI_LAND, "MPI_LAND"},     {MPI_BAND, "MPI_BAND"},
        {MPI_LOR, "MPI_LOR"},         {MPI_BOR, "MPI_BOR"},       {MPI_LXOR, "MPI_LXOR"},
        {MPI_BXOR, "MPI_BXOR"},       {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"},
        {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].op == op)
            return names[i].name;
    return NULL;
}

void library_type_name(MPI_Datatype type, char *name)
{
    static const struct {
        int combiner, size;
        const char *name;
    } kinds[] = {
        {MPI_COMBINER_F90_REAL, 4, "MPI_REAL"},
        {MPI_COMBINER_F90_REAL, 8, "MPI_DOUBLE_PRECISION"},
        {MPI_COMBINER_F90_REAL, 16, "MPI_REAL16"},
        {MPI_COMBINER_F90_COMPLEX, 8, "MPI_COMPLEX"},
        {MPI_COMBINER_F90_COMPLEX, 16, "MPI_DOUBLE_COMPLEX"},
        {MPI_COMBINER_F90_COMPLEX, 32, "MPI_COMPLEX32"},
        {MPI_COMBINER_F90_INTEGER, 1, "MPI_INTEGER1"},
        {MPI_COMBINER_F90_INTEGER, 2, "MPI_INTEGER2"},
        {MPI_COMBINER_F90_INTEGER, 4, "MPI_INTEGER"},
        {MPI_COMBINER_F90_INTEGER, 8, "MPI_INTEGER8"},
    };
    int length = 0, size, combiner;

    OWN(Type_get_name)(type, name, &length);
    name[length] = 0;
    if (length || OWN(Type_size)(type, &size) != MPI_SUCCESS)
        return;
    combiner = contents_combiner(type);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].combiner == combiner && kinds[i].size == size)
            strcpy(name, kinds[i].name);
}
