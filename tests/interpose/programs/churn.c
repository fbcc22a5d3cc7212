/* churn ROUNDS MESSAGES REQUESTS TYPES: makes and frees a datatype, an operation, keyvals, a group
 * and communicators over and over, a few at a time; posts many receives before their messages;
 * waits for many requests at once, by copies of their handles, too, and starts many persistent
 * ones; makes and frees so many long datatypes, no two of which are alike. Prints by how many kB
 * each rank's own memory (not what it shares, as its spool) has grown between an early and the last
 * round, how many times as long copies take, and each persistent request where there are more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static void own_variables(int count, MPI_Request *request, int *value)
{
    for (int i = 0; i < count; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &request[i]);
    for (int i = 0; i < count; i++)
        MPI_Isend(&value[count + i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &request[count + i]);
    MPI_Waitall(2 * count, request, MPI_STATUSES_IGNORE);
}

static void copies(int count, MPI_Request *request, int *value)
{
    MPI_Request one;

    for (int i = 0; i < count; i++) {
        MPI_Irecv(&value[i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &one);
        request[i] = one;
    }
    for (int i = 0; i < count; i++) {
        MPI_Isend(&value[count + i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &one);
        request[count + i] = one;
    }
    MPI_Waitall(2 * count, request, MPI_STATUSES_IGNORE);
}

static void persistent(int count, MPI_Request *request, int *value)
{
    for (int i = 0; i < count; i++)
        MPI_Recv_init(&value[i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &request[i]);
    for (int i = 0; i < count; i++)
        MPI_Send_init(&value[count + i], 1, MPI_INT, 0, i % 100, MPI_COMM_SELF,
                      &request[count + i]);
    for (int round = 0; round < 2; round++) {
        MPI_Startall(2 * count, request);
        MPI_Waitall(2 * count, request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2 * count; i++)
        MPI_Request_free(&request[i]);
}

/* Of this thread, at the best of a few tries. */
static double seconds(void (*work)(int, MPI_Request *, int *), int count, MPI_Request *request,
                      int *value)
{
    double best = 1e9;

    for (int i = 0; i < 3; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        work(count, request, value);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        double took =
            (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        best = took < best ? took : best;
    }
    return best;
}

static void say_ratios(int count)
{
    MPI_Request *request = malloc(2 * (size_t)count * sizeof *request);
    int *value = calloc(2 * (size_t)count, sizeof *value);
    double own = seconds(own_variables, count, request, value);

    printf("copies take %.1f times as long\n", seconds(copies, count, request, value) / own);
    double quarter = seconds(persistent, count / 4, request, value);
    printf("each of four times as many persistent requests takes %.1f times as long\n",
           seconds(persistent, count, request, value) / quarter / 4);
    free(request);
    free(value);
}

static void keyvals(void)
{
    for (int i = 0; i < 4; i++) {
        int keyval;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
        MPI_Comm_free_keyval(&keyval);
    }
}

static void long_types(int count, int rank)
{
    enum { BLOCKS = 400 };
    int length[BLOCKS], at[BLOCKS];
    static int value[3 * BLOCKS];
    long early = own_kb();

    for (int i = 0; i < count; i++) {
        MPI_Datatype type;
        for (int k = 0; k < BLOCKS; k++) {
            length[k] = 1 + (k == i % BLOCKS);
            at[k] = 3 * k + (k == i / BLOCKS);
        }
        MPI_Type_indexed(BLOCKS, length, at, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Send(value, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Type_free(&type);
    }
    printf("rank %d grew by %ld kB\n", rank, own_kb() - early);
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
        MPI_Comm comm, made_of_it;
        int count = 1 + i % 5;
        for (int j = 0; j < count; j++)
            MPI_Type_contiguous(4, MPI_INT, &type[j]);
        MPI_Op_create(first_of, 1, &op);
        MPI_Group_incl(world, 1, &first, &group);
        MPI_Group_free(&group);
        MPI_Op_free(&op);
        keyvals();
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_dup(comm, &made_of_it);
        MPI_Comm_free(&made_of_it);
        MPI_Comm_free(&comm);
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
    if (argc > 3 && atoi(argv[3]))
        say_ratios(atoi(argv[3]));
    if (argc > 4)
        long_types(atoi(argv[4]), rank);
    MPI_Finalize();
    return 0;
}
