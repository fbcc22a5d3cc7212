# MPI_Unpack in another order, or with other datatypes, than MPI_Pack: each side's place is named.
# Right are the same order, an array unpacked element by element, and a message unpacked in part; a
# rank that unpacks what it packed itself is not judged.
cat >packed.c <<'C'
#include <mpi.h>
static char out[100], in[100];
static int at;
static void pack(const void *data, int count, MPI_Datatype type)
{
    MPI_Pack(data, count, type, out, sizeof out, &at, MPI_COMM_WORLD);
}
static void unpack(char *from, void *data, int count, MPI_Datatype type)
{
    MPI_Unpack(from, sizeof in, &at, data, count, type, MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    int rank, size, list[3] = {1, 2, 3};
    double value = 2.5;
    float half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 3; round++) {
        at = 0;
        if (rank) {
            MPI_Recv(in, sizeof in, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef WRONG
            if (rank == 1) { /* another order */
                unpack(in, &value, 1, MPI_DOUBLE);
                unpack(in, list, 3, MPI_INT);
            } else { /* another datatype */
                unpack(in, list, 3, MPI_INT);
                unpack(in, &half, 1, MPI_FLOAT);
            }
#else
            if (rank == 1) { /* the list in parts, and not the value */
                for (int i = 0; i < 3; i++)
                    unpack(in, &list[i], 1, MPI_INT);
            } else if (rank == 2) {
                unpack(in, list, 3, MPI_INT);
                unpack(in, &value, 1, MPI_DOUBLE);
            } else { /* data of its own */
                pack(&half, 1, MPI_FLOAT);
                at = 0;
                unpack(out, &half, 1, MPI_FLOAT);
            }
#endif
            continue;
        }
        pack(list, 3, MPI_INT);
        pack(&value, 1, MPI_DOUBLE);
        for (int peer = 1; peer < size; peer++)
            MPI_Send(out, at, MPI_PACKED, peer, 0, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
C
for kind in WRONG RIGHT; do
    mpicc -g -w -D$kind -o packed packed.c
    crosswait record -o T.db -- mpirun -n 4 ./packed
    echo "$kind:"
    crosswait check --only=message,type T.db | grep -E '^(error|warning)|-->|help|^verdict'
done
exit 0
