# timeout: 200
# --library-of fuzzes the collectives that a library exports under MPI's names, without its source:
# a library that forgets a rank is found, in process and on real ranks, and so is one that forgets
# intercommunicators; the right one has no finding, and is not verified, because the calls of its
# code are unknown; one without collectives is refused.
set -u
cat >lib_threads.c <<'C'
#include <mpi.h>
/* A vendor's library with a broadcast of its own: a binomial tree. */
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, mask = 1;
#ifdef BETWEEN_GROUPS
    int inter;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        return PMPI_Bcast(buffer, count, type, root, comm);
#endif
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    int me = (rank - root + size) % size, last = size - FORGOTTEN;
    for (; mask < size; mask *= 2)
        if (me & mask) {
            PMPI_Recv(buffer, count, type, (me - mask + root) % size, 77, comm, MPI_STATUS_IGNORE);
            break;
        }
    while ((mask /= 2) > 0)
        if (me + mask < last)
            PMPI_Send(buffer, count, type, (me + mask + root) % size, 77, comm);
    return MPI_SUCCESS;
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return PMPI_Ibarrier(comm, request);
}
int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}
C
mpicc -w -shared -fPIC -o right.so -DBETWEEN_GROUPS '-DFORGOTTEN=0' lib_threads.c
mpicc -w -shared -fPIC -o wrong.so -DBETWEEN_GROUPS '-DFORGOTTEN=(size==6)' lib_threads.c
mpicc -w -shared -fPIC -o one_group.so '-DFORGOTTEN=0' lib_threads.c
echo 'int nothing;' >nothing.c
gcc -shared -fPIC -o nothing.so nothing.c
crosswait fuzz --library-of=wrong.so -seed=1 -runs=2000 >out.txt 2>err.txt
echo "wrong: exit $?"
sed -nE 's/^  cause      /  /p' out.txt
crosswait $(sed -n 's/^  real ranks crosswait //p' out.txt) >out.txt 2>&1 </dev/null
echo "on real ranks: exit $?"
sed -nE 's/^(finding: [a-z]+):.*/  \1/p' out.txt | sort -u
crosswait fuzz --library-of=one_group.so -seed=1 -runs=2000 >out.txt 2>err.txt
echo "for one group: exit $?"
sed -n 's/^  cause .*groups.*/  between two groups/p' out.txt
crosswait fuzz --library-of=one_group.so --without=first-group -seed=1 -runs=2000 >out.txt 2>&1
echo "for one group, on one group: exit $?"
crosswait fuzz --library-of=right.so -seed=1 -runs=2000 >out.txt 2>err.txt
echo "right: exit $?"
crosswait fuzz right.so --exhaustive=3 | grep verified
crosswait fuzz --library-of=nothing.so -runs=1
echo "nothing: exit $?"
crosswait fuzz --library-of=absent.so -runs=1
echo "absent: exit $?"
