/* Stands for Boost.MPI: calls of MPI in templates, inlined or not, and in what the standard library
 * is handed. */
#include <mpi.h>

#include <cstddef>
#include <vector>

namespace boost {
namespace mpi {
namespace detail {
template <typename T> struct type_of;
template <> struct type_of<int> {
    static MPI_Datatype get() { return MPI_INT; }
};

template <typename T> static int send_some(int to, const T *from, int count)
{
    return MPI_Ssend(from, count, type_of<T>::get(), to, 0, MPI_COMM_WORLD);
}
} // namespace detail

template <typename T> struct allocator {
    typedef T value_type;
    T *allocate(std::size_t count)
    {
        void *memory;
        MPI_Alloc_mem((MPI_Aint)(count * sizeof(T)), MPI_INFO_NULL, &memory);
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, std::size_t) { MPI_Free_mem(memory); }
};

template <typename T> struct communicator {
    int send(int to, const T &value) const { return detail::send_some(to, &value, 1); }
    __attribute__((noinline)) void receive(int from, T &value) const
    {
        std::vector<T, allocator<T>> got(1);
        MPI_Recv(got.data(), 1, detail::type_of<T>::get(), from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        value = got[0];
    }
    template <typename F> __attribute__((noinline)) void apart(const F &function) const
    {
        function();
        MPI_Barrier(MPI_COMM_WORLD);
    }
};
} // namespace mpi
} // namespace boost
