# expected
# If the info of a communicator lets messages overtake each other, the order of sending is one of
# several: neither explore nor replay claims to have tried all orders, unless no message could be
# taken for another.
cat >p.c <<'P'
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, b[2] = {1, 2}, tag[2] = {1, 1}, any = 0;
    MPI_Comm c;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", strcmp(argv[1], "off") ? "true" : "false");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &c);
    MPI_Info_free(&info);
    if (!strcmp(argv[1], "tags") || !strcmp(argv[1], "any"))
        tag[1] = 2;
    any = !strcmp(argv[1], "any");
    for (int i = 0; i < 2; i++)
        if (rank == 0)
            MPI_Send(b + i, 1, MPI_INT, 1, tag[i], c);
        else
            MPI_Recv(b, 1, MPI_INT, 0, any ? MPI_ANY_TAG : tag[i], c, MPI_STATUS_IGNORE);
    MPI_Comm_free(&c);
    MPI_Finalize();
    return 0;
}
P
mpicc -g -O1 -o p p.c || exit 1
for how in same any tags off; do
    crosswait explore -n 2 -- ./p $how
    echo "$how: [$?]"
    crosswait record -o T.db -- mpirun -n 2 ./p $how || exit 1
    crosswait replay --explore T.db | grep -v '^again'
done
