/* Two threads store to the same variables, with a call of MPI between the store of the one and that
 * of the other, and nothing that orders them: each is a race, unless the call orders the two
 * threads inside. One thread goes first, by an atomic variable that orders nothing.
 *
 * Runs on one rank. What ThreadSanitizer reports is the same with a tool and without. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int step, ended;
static int in[2][16], out[2][16];
static MPI_Comm comm[2];

static int load(const int *value)
{
    return __atomic_load_n(value, __ATOMIC_RELAXED);
}

static void await(int number)
{
    while (load(&step) < number)
        sched_yield();
}

static void tell(int number)
{
    __atomic_store_n(&step, number, __ATOMIC_RELAXED);
}

static void add(void *from, void *to, int *count, MPI_Datatype *type)
{
    (void)from, (void)to, (void)count, (void)type;
}

struct call {
    int number, flag, length, at;
    char text[MPI_MAX_ERROR_STRING];
    void *memory;
    MPI_Aint address;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Group group;
    MPI_Info info;
    MPI_Op op;
    MPI_Request request[2];
};

/* t: which of the two threads; c: what its calls need. */
#define CALLS(X)                                                                                 \
    X(wtime, MPI_Wtime())                                                                        \
    X(rank_world, MPI_Comm_rank(MPI_COMM_WORLD, &c->number))                                     \
    X(rank_own, MPI_Comm_rank(comm[t], &c->number))                                              \
    X(type_size, MPI_Type_size(MPI_INT, &c->number))                                             \
    X(initialized, MPI_Initialized(&c->flag))                                                    \
    X(iprobe, MPI_Iprobe(0, 9, comm[t], &c->flag, MPI_STATUS_IGNORE))                            \
    X(send_nowhere, MPI_Send(out[t], 4, MPI_INT, MPI_PROC_NULL, t, comm[t]))                     \
    X(isend_nowhere, MPI_Isend(out[t], 4, MPI_INT, MPI_PROC_NULL, t, comm[t], c->request);       \
      MPI_Wait(c->request, MPI_STATUS_IGNORE))                                                   \
    X(irecv_nowhere, MPI_Irecv(in[t], 4, MPI_INT, MPI_PROC_NULL, t, comm[t], c->request);        \
      MPI_Wait(c->request, MPI_STATUS_IGNORE))                                                   \
    X(messages, MPI_Irecv(in[t], 4, MPI_INT, 0, t, comm[t], &c->request[0]);                     \
      MPI_Isend(out[t], 4, MPI_INT, 0, t, comm[t], &c->request[1]);                              \
      MPI_Waitall(2, c->request, MPI_STATUSES_IGNORE))                                           \
    X(barrier, MPI_Barrier(comm[t]))                                                             \
    X(bcast, MPI_Bcast(out[t], 4, MPI_INT, 0, comm[t]))                                          \
    X(allreduce, MPI_Allreduce(out[t], in[t], 4, MPI_INT, MPI_SUM, comm[t]))                     \
    X(iallreduce, MPI_Iallreduce(out[t], in[t], 4, MPI_INT, MPI_SUM, comm[t], c->request);       \
      MPI_Wait(c->request, MPI_STATUS_IGNORE))                                                   \
    X(type, MPI_Type_contiguous(3, MPI_INT, &c->type); MPI_Type_commit(&c->type);                \
      MPI_Type_free(&c->type))                                                                   \
    X(dup, MPI_Comm_dup(comm[t], &c->comm); MPI_Comm_free(&c->comm))                             \
    X(group, MPI_Comm_group(comm[t], &c->group); MPI_Group_free(&c->group))                      \
    X(info, MPI_Info_create(&c->info); MPI_Info_set(c->info, "a", "b"); MPI_Info_free(&c->info)) \
    X(op, MPI_Op_create(add, 1, &c->op); MPI_Op_free(&c->op))                                    \
    X(pack, c->at = 0; MPI_Pack(out[t], 4, MPI_INT, c->text, 64, &c->at, comm[t]))               \
    X(memory, MPI_Alloc_mem(100, MPI_INFO_NULL, &c->memory); MPI_Free_mem(c->memory))            \
    X(address, MPI_Get_address(out, &c->address))                                                \
    X(error, MPI_Error_string(MPI_SUCCESS, c->text, &c->length))

#define FUNCTIONS(name, ...)                                                   \
    static volatile int shared_##name;                                         \
    static __attribute__((noinline)) void first_##name(int t, struct call *c)  \
    {                                                                          \
        (void)t, (void)c;                                                      \
        shared_##name = 1;                                                     \
        __VA_ARGS__;                                                           \
    }                                                                          \
    static __attribute__((noinline)) void second_##name(int t, struct call *c) \
    {                                                                          \
        (void)t, (void)c;                                                      \
        __VA_ARGS__;                                                           \
        shared_##name = 2;                                                     \
    }
CALLS(FUNCTIONS)

static void *first(void *argument)
{
    int number = 0;
    struct call call;
#define FIRST(name, ...)    \
    first_##name(0, &call); \
    tell(++number);         \
    await(++number);
    CALLS(FIRST)
    return argument;
}

static void *second(void *argument)
{
    int number = 0;
    struct call call;
#define SECOND(name, ...)    \
    await(++number);         \
    second_##name(1, &call); \
    tell(++number);
    CALLS(SECOND)
    return argument;
}

/* A thread that nobody waited for, and one that begins when it has ended. */
static volatile int shared_ended;

static void *before_end(void *argument)
{
    shared_ended = 1;
    MPI_Wtime();
    __atomic_store_n(&ended, (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
    return argument;
}

static void *after_end(void *argument)
{
    MPI_Wtime();
    shared_ended = 2;
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_dup(MPI_COMM_SELF, &comm[0]);
    MPI_Comm_dup(MPI_COMM_SELF, &comm[1]);
    pthread_create(&thread[0], NULL, first, NULL);
    pthread_create(&thread[1], NULL, second, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    pthread_create(&thread[0], NULL, before_end, NULL);
    pthread_detach(thread[0]);
    while (!load(&ended) || !syscall(SYS_tgkill, getpid(), load(&ended), 0))
        sched_yield();
    pthread_create(&thread[1], NULL, after_end, NULL);
    pthread_join(thread[1], NULL);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    return MPI_Finalize();
}
