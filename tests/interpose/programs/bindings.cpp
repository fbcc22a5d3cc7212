/* Calls through templates of a binding, through the program's own, and through none: behind each
 * call stands which one it is, behind "own" which one it is for whoever lists own.hpp as a binding
 * (tests/interpose/bindings.sh). */
#include <boost/mpi/few.hpp>

#include "own.hpp"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); // MPI_Init
    int rank, got = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); // MPI_Comm_rank
    boost::mpi::communicator<int> world;
    if (rank == 0)
        world.send(1, 5); // MPI_Ssend
    else
        world.receive(0, got); // MPI_Alloc_mem MPI_Recv MPI_Free_mem
    world.apart([&] { // MPI_Barrier
        MPI_Comm_size(MPI_COMM_WORLD, &got); // MPI_Comm_size
    });
    own::box<int>::post(got, [&](int value) { // own MPI_Bcast
        MPI_Initialized(&value); // MPI_Initialized
    });
    got += total(rank); // own MPI_Allreduce
    MPI_Finalize(); // MPI_Finalize
}
