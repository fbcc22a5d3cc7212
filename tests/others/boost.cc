/* Boost.MPI: serialised messages, collectives of C++ objects, a graph communicator. */
#include <boost/mpi.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main(int argc, char **argv)
{
    boost::mpi::environment environment(argc, argv);
    boost::mpi::communicator world;
    int rank = world.rank(), next = (rank + 1) % world.size(),
        last = (rank + world.size() - 1) % world.size();
    std::map<std::string, std::vector<int>> sent = {{"rank", {rank, rank * rank}}}, got;
    std::vector<boost::mpi::request> requests;

    requests.push_back(world.isend(next, 1, sent));
    requests.push_back(world.irecv(last, 1, got));
    boost::mpi::wait_all(requests.begin(), requests.end());

    std::string text = boost::mpi::all_reduce(world, std::string(1, char('a' + rank)),
                                              std::plus<std::string>());
    std::vector<int> all;
    boost::mpi::gather(world, rank * 10, all, 0);
    boost::mpi::broadcast(world, all, 0);
    boost::mpi::communicator half = world.split(rank % 2);
    int sum = boost::mpi::all_reduce(half, rank, std::plus<int>());
    std::printf("rank %d: %d %s %zu %d\n", rank, got["rank"][0], text.c_str(), all.size(), sum);
    return 0;
}
