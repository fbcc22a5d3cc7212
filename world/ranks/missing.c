/* What a program may need and this library does not have. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include "world/ranks/ranks.h"

void rank_needs_check(void)
{
}
