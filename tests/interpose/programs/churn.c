/* Makes and frees a datatype, an operation and a group over and over, a few at a time; then posts
 * many receives before their messages. Prints by how many kB each rank's own memory (not what it
 * shares, as its spool) has grown between an early and the last round. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void first_of(void *in, void *out, int *count, MPI_Datatype *type)
{
    (void)in, (void)out, (void)count, (void)type;
}

static long own_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %ld", &kb) == 1)
            break;
    if (file)
        fclose(file);
    return kb;
}

int main(int argc, char **argv)
{
    int rank, rounds = argc > 1 ? atoi(argv[1]) : 1000, messages = argc > 2 ? atoi(argv[2]) : 0,
              first = 0;
    long early = 0;
    MPI_Group world, group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < rounds; i++) {
        MPI_Datatype type[5];
        MPI_Op op;
        int count = 1 + i % 5;
        for (int j = 0; j < count; j++)
            MPI_Type_contiguous(4, MPI_INT, &type[j]);
        MPI_Op_create(first_of, 1, &op);
        MPI_Group_incl(world, 1, &first, &group);
        MPI_Group_free(&group);
        MPI_Op_free(&op);
        for (int j = 0; j < count; j++)
            MPI_Type_free(&type[j]);
        if (i == rounds / 50)
            early = own_kb();
    }
    if (rounds)
        printf("rank %d grew by %ld kB\n", rank, own_kb() - early);
    MPI_Group_free(&world);
    int *value = calloc((size_t)messages + 1, sizeof *value);
    MPI_Request *request = malloc(((size_t)messages + 1) * sizeof *request);
    for (int i = 0; i < messages; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < messages; i++)
        MPI_Send(&i, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Waitall(messages, request, MPI_STATUSES_IGNORE);
    free(value);
    free(request);
    MPI_Finalize();
    return 0;
}
