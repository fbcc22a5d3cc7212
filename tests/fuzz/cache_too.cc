/* What C++ keeps in objects of static storage, each beside one that loses it. */
#include <map>
#include <string>
#include <vector>

#include <mpi.h>

#define SIDES void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm

static int plain_bcast(SIDES)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Recv(buffer, n, type, root, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Send(buffer, n, type, i, 1, comm);
    return MPI_SUCCESS;
}

static int keeps_objects(SIDES)
{
    static std::map<int, std::vector<int>> of_root;
    static std::string text;
    static thread_local std::vector<char> own(100);
    of_root[root].push_back(n);
    text.assign(100 + n % 7, 'a');
    own[n % 100] = 1;
    return plain_bcast(buffer, n, type, root, comm);
}

static int loses_object(SIDES)
{
    static std::vector<int> *last;
    last = new std::vector<int>(4, n);
    return plain_bcast(buffer, n, type, root, comm);
}

static int loses_array(SIDES)
{
    static char *last;
    last = new char[16];
    last[n % 16] = 1;
    return plain_bcast(buffer, n, type, root, comm);
}

COLLECTIVE(bcast, "", keeps_objects)
COLLECTIVE(bcast, "", loses_object)
COLLECTIVE(bcast, "", loses_array)
