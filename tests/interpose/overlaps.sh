# A finding on overlapping buffers says where both lie and how many bytes they share, as the program
# itself prints it; so does dump --args. Interleaved or adjacent buffers do not overlap. Holds
# misuse/inflight.c invariant 4.
# timeout: 200
fail() { echo "$*"; exit 1; }
cat >overlaps.c <<'P'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
static int block[64];
static void say(const char *what, void *at, int bytes, const char *other, void *at_other,
                int bytes_other, int both)
{
    printf("want '%s' is 0x%lx to 0x%lx, %s 0x%lx to 0x%lx: %d byte%s in both\n", what, (long)at,
           (long)at + bytes, other, (long)at_other, (long)at_other + bytes_other, both,
           both == 1 ? " is" : "s are");
}
int main(int argc, char **argv)
{
    MPI_Request request[2];
    MPI_Datatype columns;
    int bad = !strcmp(argv[1], "bad"), rank, shift = bad ? 24 : 32, counts[2] = {4, 4},
        displs[2] = {0, bad ? 3 : 4};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(4, 2, 4, MPI_INT, &columns); /* ints 0 1, 4 5, 8 9, 12 13 */
    MPI_Type_commit(&columns);
    if (rank == 0) { /* of one call; of a call that has not completed, both written; with gaps */
        MPI_Sendrecv(block, 32, MPI_BYTE, 0, 1, (char *)block + shift, 32, MPI_BYTE, 0, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (bad)
            say("recvbuf", (char *)block + 24, 32, "'sendbuf'", block, 32, 8);
        MPI_Irecv(block, 8, MPI_INT, 0, 2, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv((char *)block + (bad ? 31 : 32), 8, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request[1]);
        if (bad)
            say("buf", (char *)block + 31, 8, "that of the other call", block, 32, 1);
        MPI_Send(block + 40, 8, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(block + 40, 8, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Irecv(block, 1, columns, 0, 4, MPI_COMM_WORLD, &request[0]);
        MPI_Send(block + (bad ? 1 : 2), 1, columns, 0, 4, MPI_COMM_WORLD);
        if (bad)
            say("buf", block + 1, 56, "that of the other call", block, 56, 16);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    MPI_Gatherv(block, 4, MPI_INT, block + 32, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    if (bad && rank == 0)
        printf("want bytes 12 to 16 of 'recvbuf' are in both: 4 bytes\n");
    MPI_Type_free(&columns);
    MPI_Finalize();
    return 0;
}
P
mpicc -g -w -o overlaps overlaps.c || exit 1
crosswait run -o good.db -- mpirun -n 2 ./overlaps good >good 2>&1 ||
    fail "the twin is blamed: $(cat good)"
crosswait run -o bad.db -- mpirun -n 2 ./overlaps bad >said 2>&1
[ $? = 1 ] || fail "$(cat said)"
sed -n 's/^want //p' said >want
[ $(wc -l <want) = 4 ] || fail "$(cat said)"
crosswait dump --args bad.db >dump || fail "dump"
crosswait report bad.db >report
while read -r line; do
    grep -qF "on rank 0 $line" report || fail "not in the report: $line; $(cat report)"
    grep -qF "$line" dump || fail "not in the dump: $line; $(cat dump)"
done <want
[ $(grep -c '^# .* in both' dump) = 4 ] || fail "$(cat dump)"
crosswait dump --args good.db | grep -q 'in both' && fail "dump of the twin"
exit 0
