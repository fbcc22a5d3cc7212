# timeout: 120
# Tests the memory of a collective: scratch memory as large as the receive type's extent costs
# nothing, large blocks are watched at both ends; too much memory and memory that is never freed are
# findings. A claimed row covers operations that commute. A null pointer plus nothing is a note.
set -u
cat >scratch.c <<'C'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#define SIDES \
    const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm c
/* wrong 1: the scratch is one byte short; 2: it is never freed; 3: it grows for ever */
static int scratch(int wrong, SIDES)
{
    int rank, size;
    MPI_Aint lb, extent, low, reach;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    if (rank != root)
        return MPI_Send(s, n, t, root, 1, c);
    MPI_Type_get_extent(u, &lb, &extent);
    MPI_Type_get_true_extent(u, &low, &reach);
    size_t bytes = m ? (size_t)((size * (MPI_Aint)m - 1) * extent + reach) : 0;
    char *own = calloc(1, bytes + 16 - (wrong == 1 ? 16 : 0)), *place = own - low;
    for (char *more = own; wrong == 3 && more;)
        more = malloc(4 << 20);
    MPI_Request request;
    if (s == MPI_IN_PLACE)
        MPI_Sendrecv((char *)r + rank * m * extent, m, u, 0, 2, place + rank * m * extent, m, u, 0,
                     2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(s, n, t, 0, 2, place + rank * m * extent, m, u, 0, 2, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++)
        if (i != root)
            MPI_Recv(place + i * m * extent, m, u, i, 1, c, MPI_STATUS_IGNORE);
    if (wrong == 1 && bytes)
        own[bytes] = 1;
    MPI_Irecv(r, size * m, u, 0, 3, MPI_COMM_SELF, &request);
    MPI_Send(place, size * m, u, 0, 3, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (wrong != 2)
        free(own);
    return MPI_SUCCESS;
}
#define BY(name, wrong)                                   \
    static int name(SIDES)                                \
    {                                                     \
        return scratch(wrong, s, n, t, r, m, u, root, c); \
    }                                                     \
    COLLECTIVE(gather, "", name)
BY(correct, 0) BY(overrun, 1) BY(leaks, 2) BY(grows, 3)
C
for name in correct overrun leaks grows; do
    for type in far int; do
        [ $name,$type = leaks,int ] &&
            continue # the other sanitizer's, and told only where no stack keeps the address
        printf 'crosswait scenario 1\ncollective %s\nranks 3\ncount 2\ntype %s\n' $name $type \
            >one.txt
        crosswait fuzz scratch.c --explain=one.txt >out.txt 2>&1
        echo "$name, $type: $(grep -aoE '^finding: [a-z-]+|no finding|ERROR: .*(overflow|SEGV)' \
            out.txt | sed 's/ERROR: //' | head -1)"
    done
done
crosswait fuzz scratch.c --target=overrun -runs=1000 -seed=1 >out.txt 2>/dev/null
grep -E "place|Sanitizer|finding" out.txt
cat >null.c <<'C'
#include <mpi.h>
static int add(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    char *nothing = n ? r : NULL;
    return MPI_Allreduce(s, nothing + 0 * n, n, t, o, c);
}
static int wrong(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    char *nothing = n ? r : NULL;
    return MPI_Allreduce(s, nothing + 8 - n % 4, n, t, o, c);
}
COLLECTIVE(allreduce, "", add)
COLLECTIVE(allreduce, "", wrong)
C
printf 'crosswait scenario 1\ncollective add\nranks 1\ncount 0\n' >one.txt
crosswait fuzz null.c --explain=one.txt 2>&1 | grep -aE "^finding|^no finding|note"
crosswait fuzz null.c --notes --explain=one.txt 2>&1 | grep -aE "^finding|^no finding|note"
sed -i 's/add/wrong/' one.txt
crosswait fuzz null.c --target=wrong -runs=1000 -seed=1 2>/dev/null | grep -E "place|runtime"
cat >row.c <<'C'
#include <mpi.h>
static int ring_size(int ranks, int count, int commutative)
{
    return commutative && count >= ranks;
}
/* Claims two rounds; keeps it only where the operation commutes. */
static int sum(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    int commutes, rank, size;
    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    MPI_Op_commutative(o, &commutes);
    for (int i = 0; i < (commutes ? 0 : 3); i++)
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 9, &size, 1, MPI_INT,
                     (rank + size - 1) % size, 9, c, MPI_STATUS_IGNORE),
            MPI_Comm_size(c, &size);
    return MPI_Allreduce(s, r, n, t, o, c);
}
static long two(int ranks, int count)
{
    return ranks + count ? 2 : 0;
}
static int sum_always(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    return sum(s, r, n, t, o, c);
}
static int sum_large(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    return sum(s, r, n, t, o, c);
}
COLLECTIVE(allreduce, "", sum, .rounds_most = two)
COLLECTIVE(allreduce, "", sum_always, .rounds_most = two, .row_when = COLLECTIVE_ALWAYS)
COLLECTIVE(allreduce, "", sum_large, .rounds_most = two, .row_when = ring_size)
C
for name in sum sum_always sum_large; do
    printf 'crosswait scenario 1\ncollective %s\nranks 4\nop affine-int\n' $name >one.txt
    echo "$name: $(crosswait fuzz row.c --explain=one.txt 2>&1 | grep -aE '^finding|^no finding')"
done
