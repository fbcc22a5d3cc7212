/* A program's own templates around MPI. */
#include <mpi.h>

namespace own {
template <typename T> struct box {
    template <typename F> __attribute__((noinline)) static void post(T value, const F &then)
    {
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); // own
        then(value);
    }
};
} // namespace own

static inline int total(int value)
{
    int sum;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // own
    return sum;
}
