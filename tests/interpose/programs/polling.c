/* Polls for messages to itself and counts, in a shared file, the calls that have returned: `polling
 * COUNTFILE HOW ROUNDS`. HOW: one of the words below: so many rounds that find nothing, then the
 * message, then a round that finds it; twice. steady: with calls in between that change nothing,
 * and a message that is left there: its size is another one after half of the rounds. ever: test,
 * without end. threads: four threads do `mixed`. slow: test, with a pause of 1 ms after each round.
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum call {
    TEST,
    TESTALL,
    TESTANY,
    TESTSOME,
    STATUS,
    IPROBE,
    IMPROBE,
    WTIME,
    IRECV,
    SEND,
    RANK,
    ATTRIBUTE,
    COUNT,
    SYNC,
    PROBE,
    OTHER,
    CALLS
};
enum { MANY = 3, TURNS = 11 };
static unsigned long *count;
#define COUNTED(kind, call) \
    ((void)(call), (void)__atomic_add_fetch(&count[kind], 1, __ATOMIC_SEQ_CST))

static const char *how;
static long rounds;

static void receive(int tag)
{
    long in;
    COUNTED(OTHER, MPI_Recv(&in, 1, MPI_LONG, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE));
}

/* One for each of the receives, and one for which none is posted. */
static void post(int base, int requests, bool another, MPI_Request *out_request)
{
    static const long out = 1;
    for (int i = 0; i < requests; i++)
        COUNTED(SEND, MPI_Send(&out, 1, MPI_LONG, 0, base + i, MPI_COMM_SELF));
    if (another)
        COUNTED(OTHER,
                MPI_Isend(&out, 1, MPI_LONG, 0, base + requests, MPI_COMM_SELF, out_request));
}

/* A message is there, then another one, and neither is received while it goes round. */
static void poll_steadily(int base)
{
    static const long out[2];
    int flag, me, provided, bytes;
    long in[2], *window;
    void *value;
    MPI_Status status;
    MPI_Request sent[2], none = MPI_REQUEST_NULL;
    MPI_Win win;
    COUNTED(OTHER, MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_SELF, &window, &win));
    COUNTED(OTHER, MPI_Win_lock_all(0, win));
    for (int half = 0; half < 2; half++) {
        COUNTED(OTHER, MPI_Isend(out, half + 1, MPI_LONG, 0, base, MPI_COMM_SELF, &sent[half]));
        for (long round = 0; round < rounds; round++) {
            COUNTED(PROBE, MPI_Probe(0, base, MPI_COMM_SELF, &status));
            COUNTED(IPROBE, MPI_Iprobe(0, base, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
            COUNTED(COUNT, MPI_Get_count(&status, MPI_LONG, &bytes));
            COUNTED(RANK, MPI_Comm_rank(MPI_COMM_SELF, &me));
            COUNTED(ATTRIBUTE, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
            COUNTED(TEST, MPI_Test(&none, &flag, MPI_STATUS_IGNORE));
            COUNTED(SYNC, MPI_Win_sync(win));
            COUNTED(WTIME, MPI_Wtime());
        }
        COUNTED(OTHER, MPI_Recv(in, 2, MPI_LONG, 0, base, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        COUNTED(OTHER, MPI_Query_thread(&provided));
    }
    COUNTED(OTHER, MPI_Waitall(2, sent, MPI_STATUSES_IGNORE));
    COUNTED(OTHER, MPI_Win_unlock_all(win));
    COUNTED(OTHER, MPI_Win_free(&win));
}

/* Goes round until it is found; after so many rounds it can be. */
static void poll_one(int base)
{
    long in[TURNS] = {0};
    MPI_Request request[TURNS], probed = MPI_REQUEST_NULL;
    int requests = !strcmp(how, "turns") ? TURNS : MANY, flag = 0, index, indices[TURNS], done = 0,
        probes = strstr("iprobe improbe mixed", how) != NULL;
    MPI_Message message;
    for (int i = 0; i < requests; i++)
        COUNTED(IRECV, MPI_Irecv(&in[i], 1, MPI_LONG, 0, base + i, MPI_COMM_SELF, &request[i]));
    for (long round = 0; !done; round++) {
        if (round == rounds)
            post(base, requests, probes, &probed);
        if (!strcmp(how, "testall")) {
            COUNTED(TESTALL, MPI_Testall(requests, request, &flag, MPI_STATUSES_IGNORE));
            done = flag;
        } else if (!strcmp(how, "testany")) {
            COUNTED(TESTANY, MPI_Testany(requests, request, &index, &flag, MPI_STATUS_IGNORE));
            done = flag && index == MPI_UNDEFINED;
        } else if (!strcmp(how, "testsome")) {
            COUNTED(TESTSOME,
                    MPI_Testsome(requests, request, &index, indices, MPI_STATUSES_IGNORE));
            done = index == MPI_UNDEFINED;
        } else if (!strcmp(how, "iprobe")) {
            COUNTED(IPROBE,
                    MPI_Iprobe(0, base + requests, MPI_COMM_SELF, &done, MPI_STATUS_IGNORE));
            if (done)
                receive(base + requests);
        } else if (!strcmp(how, "improbe")) {
            COUNTED(IMPROBE, MPI_Improbe(0, base + requests, MPI_COMM_SELF, &done, &message,
                                         MPI_STATUS_IGNORE));
            if (done)
                COUNTED(OTHER, MPI_Mrecv(&in[0], 1, MPI_LONG, &message, MPI_STATUS_IGNORE));
        } else if (!strcmp(how, "status")) {
            COUNTED(STATUS, MPI_Request_get_status(request[1], &done, MPI_STATUS_IGNORE));
        } else if (!strcmp(how, "turns")) { /* more in turn than are folded at a time */
            done = 1;
            for (int i = 0; i < requests; i++)
                if (request[i] != MPI_REQUEST_NULL) {
                    COUNTED(TEST, MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE));
                    done &= flag;
                }
        } else if (!strcmp(how, "mixed") || !strcmp(how, "threads")) {
            COUNTED(WTIME, MPI_Wtime());
            COUNTED(IPROBE,
                    MPI_Iprobe(0, base + requests, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
            if (flag)
                receive(base + requests);
            COUNTED(TEST, MPI_Test(&request[round % 2], &flag, MPI_STATUS_IGNORE));
            done = flag;
        } else {
            COUNTED(TEST, MPI_Test(&request[0], &done, MPI_STATUS_IGNORE));
            if (!strcmp(how, "slow"))
                usleep(1000);
        }
    }
    COUNTED(OTHER, MPI_Waitall(requests, request, MPI_STATUSES_IGNORE));
    COUNTED(OTHER, MPI_Wait(&probed, MPI_STATUS_IGNORE));
    if (!strcmp(how, "threads") || !strcmp(how, "mixed"))
        COUNTED(IPROBE, MPI_Iprobe(0, base + requests, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
}

static void *thread(void *argument)
{
    poll_one(100 * (int)(long)argument);
    return NULL;
}

int main(int argc, char **argv)
{
    char path[4096];
    int me, provided;
    if (argc < 4)
        return 2;
    how = argv[2];
    rounds = strcmp(how, "ever") ? atol(argv[3]) : -1;
    MPI_Init_thread(&argc, &argv, strcmp(how, "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    snprintf(path, sizeof path, "%s.%d", argv[1], me);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || ftruncate(fd, 4096))
        return 2;
    count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    count[RANK] = 1; /* above */
    for (int time = 0; time < 2; time++) {
        pthread_t threads[4];
        if (strcmp(how, "threads")) {
            (strcmp(how, "steady") ? poll_one : poll_steadily)(10000 * time);
            continue;
        }
        for (long i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, thread, (void *)(4 * time + i));
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
