// A ring exchange and an allreduce in C++, through small classes; each rank prints how often it
// made each call.  Arguments: none. Ranks: 2 or more.  TEST: ranks=2 args= job=0 verdict=clean
// TEST: ranks=4 args= job=0 verdict=clean
#include <mpi.h>

#include <array>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

static std::map<std::string, long> calls;

struct session {
    session(int &argc, char **&argv)
    {
        calls["MPI_Init"]++;
        MPI_Init(&argc, &argv);
    }
    ~session()
    {
        MPI_Finalize();
    }
};

template <typename T> struct type_of;
template <> struct type_of<double> {
    static MPI_Datatype get()
    {
        return MPI_DOUBLE;
    }
};

template <typename T>
static std::vector<T> pass_right(const std::vector<T> &out, int rank, int size)
{
    std::vector<T> in(out.size());
    std::array<MPI_Request, 2> both;
    calls["MPI_Irecv"]++;
    MPI_Irecv(in.data(), (int)in.size(), type_of<T>::get(), (rank + size - 1) % size, 1,
              MPI_COMM_WORLD, &both[0]);
    calls["MPI_Isend"]++;
    MPI_Isend(out.data(), (int)out.size(), type_of<T>::get(), (rank + 1) % size, 1,
              MPI_COMM_WORLD, &both[1]);
    calls["MPI_Waitall"]++;
    MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
    return in;
}

int main(int argc, char **argv)
{
    int rank, size, wrong = 0;
    {
        session mpi(argc, argv);
        calls["MPI_Comm_rank"]++;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        calls["MPI_Comm_size"]++;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        std::vector<double> values(10, rank);
        double mine = rank, sum = 0, total = rank;
        for (int i = 1; i < size; i++) {
            values = pass_right(values, rank, size);
            total += values[9];
        }
        calls["MPI_Allreduce"]++;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        wrong = sum != total;
        calls["MPI_Finalize"]++;
    }
    std::ostringstream line;
    line << "calls rank=" << rank;
    for (const auto &c : calls)
        line << ' ' << c.first << '=' << c.second;
    std::cout << line.str() + "\n" << std::flush;
    return wrong;
}
