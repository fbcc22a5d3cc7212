// Broadcasts in C++: a class for each step, an exception caught around messages, a namespace.
#include <memory>
#include <stdexcept>
#include <vector>

namespace steps
{
struct step {
    virtual ~step() = default;
    virtual void run(void *buffer, int n, MPI_Datatype type, MPI_Comm comm) const = 0;
};

struct send : step {
    int to;
    explicit send(int to) : to(to) {}
    void run(void *buffer, int n, MPI_Datatype type, MPI_Comm comm) const override
    {
        MPI_Send(buffer, n, type, to, 3, comm);
    }
};

struct receive : step {
    int from;
    explicit receive(int from) : from(from) {}
    void run(void *buffer, int n, MPI_Datatype type, MPI_Comm comm) const override
    {
        MPI_Recv(buffer, n, type, from, 3, comm, MPI_STATUS_IGNORE);
    }
};

// Wrong: a rank that has nobody to send to, and comes last, is forgotten.
static std::vector<std::unique_ptr<step>> plan(bool wrong, int root, MPI_Comm comm)
{
    std::vector<std::unique_ptr<step>> made;
    int rank, size, mask = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int me = (rank - root + size) % size, last = wrong && size > 4 ? size - 1 : size;
    while (mask < size && !(me & mask))
        mask *= 2;
    if (me && me < last)
        made.push_back(std::make_unique<receive>((me - mask + root) % size));
    while ((mask /= 2) > 0)
        if (me + mask < last)
            made.push_back(std::make_unique<send>((me + mask + root) % size));
    return made;
}

static int tree(bool wrong, void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    for (auto &one : plan(wrong, root, comm))
        one->run(buffer, n, type, comm);
    return MPI_SUCCESS;
}

int wrong_tree(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    return tree(true, buffer, n, type, root, comm);
}

int right_tree(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    return tree(false, buffer, n, type, root, comm);
}

// Each rank is in the middle of an exception of its own while the others run.
int right_exception(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    try {
        throw std::runtime_error(std::to_string(root));
    } catch (const std::exception &e) {
        int error = tree(false, buffer, n, type, root, comm);
        return std::stoi(e.what()) == root ? error : MPI_ERR_OTHER;
    }
}
} // namespace steps

COLLECTIVE(bcast, "", steps::wrong_tree)
COLLECTIVE(bcast, "bcast.binomial", steps::right_tree)
COLLECTIVE(bcast, "", steps::right_exception)
