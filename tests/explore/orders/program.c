/* Runs what its words say, one for each thread: RANK:CALLS, a rank's first thread first. A call is
 * a letter, a peer and a tag (or * for any): s send, S synchronous send, r receive, i nonblocking
 * receive, p probe, m probe that a receive of the message follows; w waits for the nonblocking
 * receive, as a thread does at its end. k ends the rank by a signal, a calls MPI_Abort with the tag
 * for its code; each where the thread's last message came from that peer (*: always). A rank prints
 * a line for each of its threads: what it received or found. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, TEXT = 400 };

struct thread {
    int number;
    const char *calls;
    char text[TEXT];
    int got;
    MPI_Request request;
};
static int rank;

static void saw(struct thread *t, const MPI_Status *status, int value)
{
    size_t used = strlen(t->text);
    snprintf(t->text + used, sizeof t->text - used, " %d.%d=%d", status->MPI_SOURCE,
             status->MPI_TAG, value);
}

static void finish(struct thread *t)
{
    MPI_Status status;
    if (t->request == MPI_REQUEST_NULL)
        return;
    MPI_Wait(&t->request, &status);
    saw(t, &status, t->got);
}

/* Whether the last message that the thread saw came from there. */
static int is_due(const struct thread *t, int peer)
{
    const char *last = strrchr(t->text, ' ');
    return peer == MPI_ANY_SOURCE || (last && last[1] - '0' == peer);
}

static void *run(void *argument)
{
    struct thread *t = argument;
    MPI_Status status;
    MPI_Message message;
    int value = 100 * rank + 10 * t->number, got;
    for (const char *at = t->calls; *at; value++) {
        char what = *at++;
        int peer = *at == '*' ? MPI_ANY_SOURCE : *at - '0',
            tag = *++at == '*' ? MPI_ANY_TAG : *at - '0';
        at++;
        switch (what) {
        case 's':
            MPI_Send(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
            break;
        case 'S':
            MPI_Ssend(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
            break;
        case 'r':
            MPI_Recv(&got, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &status);
            saw(t, &status, got);
            break;
        case 'i':
            finish(t);
            MPI_Irecv(&t->got, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &t->request);
            break;
        case 'p':
            MPI_Probe(peer, tag, MPI_COMM_WORLD, &status);
            saw(t, &status, 0);
            break;
        case 'm':
            MPI_Mprobe(peer, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
            saw(t, &status, got);
            break;
        case 'k':
            if (is_due(t, peer))
                raise(SIGSEGV);
            break;
        case 'a':
            if (is_due(t, peer))
                MPI_Abort(MPI_COMM_WORLD, tag);
            break;
        default:
            finish(t);
        }
    }
    finish(t);
    return NULL;
}

int main(int argc, char **argv)
{
    struct thread thread[THREADS] = {{0}};
    pthread_t id[THREADS];
    int level, count = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc && count < THREADS; i++)
        if (atoi(argv[i]) == rank) {
            thread[count] = (struct thread){
                .number = count, .calls = strchr(argv[i], ':') + 1, .request = MPI_REQUEST_NULL};
            count++;
        }
    for (int i = 1; i < count; i++)
        pthread_create(&id[i], NULL, run, &thread[i]);
    if (count)
        run(&thread[0]);
    for (int i = 1; i < count; i++)
        pthread_join(id[i], NULL);
    for (int i = 0; i < count; i++)
        printf("%d:%s\n", i, thread[i].text);
    MPI_Finalize();
    return 0;
}
