/* Messages in partitions, and sends and receives with one request for both (MPI 4), right and
 * wrong; with an older MPI nothing. Ranks: 2. The argument names what is done. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#if MPI_VERSION < 4
int main(void)
{
    return 77;
}
#else
enum { PARTS = 4, EACH = 50, ALL = PARTS * EACH, TAG = 5 };
static int me, data[ALL], other[ALL];
static MPI_Request request;

static void init(int *buffer, int parts, int tag, MPI_Request *made)
{
    if (me == 0)
        MPI_Psend_init(buffer, parts, ALL / parts, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                       made);
    else
        MPI_Precv_init(buffer, parts, ALL / parts, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                       made);
}

static void fill(int *buffer, int from)
{
    for (int i = 0; i < ALL; i++)
        buffer[i] = me == 0 ? from + i : -1;
}

static void finish(void)
{
    MPI_Status status;
    int count;

    MPI_Wait(&request, &status);
    if (me == 1) {
        MPI_Get_count(&status, MPI_INT, &count);
        printf("%d ints, the last is %d\n", count, data[ALL - 1]);
    }
}

static void await_partition(MPI_Request of, int partition)
{
    for (int arrived = 0; !arrived;)
        MPI_Parrived(of, partition, &arrived);
}

/* Marked by all three calls; the sides have other numbers of partitions. */
static void right(void)
{
    int list[] = {3};

    init(data, me == 0 ? PARTS : 2, TAG, &request);
    for (int round = 0; round < 3; round++) {
        fill(data, round * 1000);
        MPI_Start(&request);
        if (me == 0) {
            MPI_Pready(2, request);
            MPI_Pready_range(0, 1, request);
            MPI_Pready_list(1, list, request);
        } else {
            await_partition(request, 1);
            printf("arrived %d\n", data[ALL - 1]);
        }
        finish();
    }
    MPI_Request_free(&request);
}

/* Two that are alike in all: they meet in the order in which they were made, however they are
 * started; a message without partitions and with their tag meets neither. */
static void alike(void)
{
    MPI_Request two[2];

    init(data, PARTS, TAG, &two[0]);
    init(other, PARTS, TAG, &two[1]);
    fill(data, 0);
    fill(other, 5000);
    MPI_Start(&two[1 - me]);
    MPI_Start(&two[me]);
    if (me == 0) {
        int value = 77;
        MPI_Pready_range(0, PARTS - 1, two[1]);
        MPI_Send(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
        MPI_Pready_range(0, PARTS - 1, two[0]);
    } else {
        int value;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        printf("value %d\n", value);
    }
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    if (me == 1)
        printf("%d and %d\n", data[0], other[0]);
    MPI_Request_free(&two[0]);
    MPI_Request_free(&two[1]);
}

/* What rank 0 needs to mark the last partitions comes before rank 1 waits for them. (Not once the
 * first have arrived: MPICH 4.0 sends none before all are marked.) What is not marked is written
 * to, what has arrived is sent on. */
static void answered(void)
{
    int answer = 0;

    init(data, PARTS, TAG, &request);
    fill(data, 0);
    MPI_Start(&request);
    if (me == 0) {
        MPI_Pready(0, request);
        data[EACH] = 4444; /* partition 1 is not marked yet */
        MPI_Recv(&answer, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Pready_range(1, PARTS - 1, request);
    } else {
        MPI_Send(&answer, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
        await_partition(request, 0);
        MPI_Send(data, EACH, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
        MPI_Sendrecv(data, EACH, MPI_INT, 1, 7, other, EACH, MPI_INT, 1, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    finish();
    MPI_Request_free(&request);
}

/* The same, but rank 1 waits for the whole message first. */
static void deadlock(void)
{
    int answer = 0;

    init(data, PARTS, TAG, &request);
    fill(data, 0);
    MPI_Start(&request);
    if (me == 0) {
        MPI_Pready(0, request);
        MPI_Recv(&answer, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Pready_range(1, PARTS - 1, request);
        finish();
    } else {
        finish();
        MPI_Send(data, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    }
    MPI_Request_free(&request);
}

/* Partition 2 is never marked. */
static void never(void)
{
    init(data, PARTS, TAG, &request);
    fill(data, 0);
    MPI_Start(&request);
    if (me == 0) {
        MPI_Pready_range(0, 1, request);
        MPI_Pready(3, request);
    }
    finish();
    MPI_Request_free(&request);
}

/* What MPI forbids to do with partitions; rank 1 takes no part, as libraries end such jobs. */
static void mistaken(const char *what)
{
    if (me == 1)
        return;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    init(data, PARTS, TAG, &request);
    if (strcmp(what, "unstarted"))
        MPI_Start(&request);
    MPI_Pready(strcmp(what, "range") ? 1 : PARTS, request);
    if (!strcmp(what, "twice"))
        MPI_Pready(1, request);
}

/* Partition 1 is written to after it was marked, and before the send is complete. */
static void touched(void)
{
    int answer = 0;

    init(data, PARTS, TAG, &request);
    fill(data, 0);
    MPI_Start(&request);
    if (me == 0) {
        MPI_Pready_range(0, 1, request);
        data[EACH] = 4444;
        MPI_Recv(&answer, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Pready_range(2, PARTS - 1, request);
    } else {
        MPI_Send(&answer, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    }
    finish();
    MPI_Request_free(&request);
}

/* Rank 1 gives a partition that has not arrived to another receive. */
static void early(void)
{
    init(data, PARTS, TAG, &request);
    fill(data, 0);
    MPI_Start(&request);
    if (me == 0) {
        int value = 1;
        MPI_Send(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
        MPI_Pready_range(0, PARTS - 1, request);
    } else {
        MPI_Recv(data + EACH, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    finish();
    MPI_Request_free(&request);
}

/* Each sends to the other with MPI_Isendrecv: by a wait, a test, among others. */
static void both(void)
{
    int mine[4] = {me, me + 10, me + 20, me + 30}, its[4] = {-1, -1, -1, -1};
    MPI_Request four[4];
    MPI_Status status, statuses[4];

    for (int i = 0; i < 4; i++)
        MPI_Isendrecv(&mine[i], 1, MPI_INT, 1 - me, i, &its[i], 1, MPI_INT, MPI_ANY_SOURCE, i,
                      MPI_COMM_WORLD, &four[i]);
    MPI_Wait(&four[2], &status);
    printf("from %d: %d\n", status.MPI_SOURCE, its[2]);
    for (int done = 0; !done;)
        MPI_Test(&four[3], &done, &status);
    MPI_Waitall(4, four, statuses);
    MPI_Isendrecv_replace(mine, 4, MPI_INT, 1 - me, 9, 1 - me, 9, MPI_COMM_WORLD, &four[0]);
    MPI_Isendrecv(&me, 1, MPI_INT, 1 - me, 8, its, 1, MPI_INT, 1 - me, 8, MPI_COMM_WORLD, &four[1]);
    for (int left = 2, index; left; left--)
        MPI_Waitany(2, four, &index, &status);
    printf("%d %d\n", mine[3], its[0]);
}

/* Rank 1 does not take the message of rank 0's MPI_Isendrecv before it has got its answer to
 * another. */
static void both_deadlock(void)
{
    int mine = me, its = -1;

    if (me == 0) {
        MPI_Isendrecv(&mine, 1, MPI_INT, 1, 1, &its, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&mine, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&its, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Isendrecv(&mine, 1, MPI_INT, 0, 1, &its, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Completes as the library buffers what rank 1 sends, and rank 0 takes only after its own is
 * complete. */
static void both_unbuffered(void)
{
    int mine = me, its = -1;

    if (me == 0) {
        MPI_Isendrecv(&mine, 1, MPI_INT, 1, 1, &its, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&its, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&mine, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Isendrecv(&mine, 1, MPI_INT, 0, 1, &its, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Rank 1 receives without partitions what rank 0 sends in partitions: neither meets the other. */
static void mixed(void)
{
    if (me == 0) {
        init(data, PARTS, TAG, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, PARTS - 1, request);
        finish();
        MPI_Request_free(&request);
    } else {
        MPI_Recv(data, ALL, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void collectives(int crossed, int idle)
{
    MPI_Request one, two;
    int sum;

    if (crossed && me == 1)
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &two);
    MPI_Allreduce_init(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &one);
    if (!crossed || me == 0)
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &two);
    for (int round = 0; round < 2; round++) {
        if (!idle || me == 0 || round == 0)
            MPI_Start(&one);
        MPI_Start(&two);
        if (!idle || me == 0 || round == 0)
            MPI_Wait(&one, MPI_STATUS_IGNORE);
        MPI_Wait(&two, MPI_STATUS_IGNORE);
    }
    printf("sum %d\n", sum);
    MPI_Request_free(&two);
    MPI_Request_free(&one);
}

/* Persistent collectives: as they should be, made in another order by each, one that rank 1 starts
 * once less. */
static void collective(void)
{
    collectives(0, 0);
}
static void crossed(void)
{
    collectives(1, 0);
}
static void less(void)
{
    collectives(0, 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } runs[] = {
        {"right", right},
        {"alike", alike},
        {"answered", answered},
        {"deadlock", deadlock},
        {"never", never},
        {"touched", touched},
        {"early", early},
        {"mixed", mixed},
        {"collective", collective},
        {"crossed", crossed},
        {"less", less},
        {"both", both},
        {"both_deadlock", both_deadlock},
        {"both_unbuffered", both_unbuffered},
    };
    const char *what = argc > 1 ? argv[1] : "right";
    int known = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (!strcmp(runs[i].name, what)) {
            known = 1;
            runs[i].run();
        }
    if (!known)
        mistaken(what);
    MPI_Finalize();
    return 0;
}
#endif
