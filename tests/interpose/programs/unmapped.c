/* Takes memory away from MPI before a request is waited for, and names memory that is none where
 * MPI does not touch it. The first is wrong, and works where the library has buffered the message
 * or does not look; the second is right. `unmapped [CASE]`: that one only. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 1000, MAPPED = 65536, ROWS = 8, STRIDE = 8192, COLUMN = 16 };
static int rank;
static char in[MAPPED], page[4096] __attribute__((aligned(4096)));
static char *const device =
    (char *)0x7e0000000000; /* as of an accelerator: a good address, but not for us */
static MPI_Request request;

static char *map(void)
{
    char *at = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(at, 1, MAPPED);
    return at;
}

static void receive(void)
{
    MPI_Recv(in, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void contiguous(void)
{
    char *out = map();
    if (rank) {
        receive();
    } else {
        MPI_Isend(out, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        munmap(out, MAPPED);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void strided(void)
{
    MPI_Datatype column;
    char *out = map();
    MPI_Type_vector(ROWS, COLUMN, STRIDE, MPI_CHAR, &column);
    MPI_Type_commit(&column);
    if (rank) {
        receive();
    } else {
        MPI_Isend(out, 1, column, 1, 0, MPI_COMM_WORLD, &request);
        munmap(out + 3 * STRIDE, STRIDE); /* a row of several */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
}

static void persistent(void)
{
    char *out = map();
    if (rank) {
        receive();
    } else {
        MPI_Send_init(out, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        munmap(out, MAPPED);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        MPI_Request_free(&request);
    }
}

static void protected(char *out)
{
    if (rank) {
        receive();
    } else {
        MPI_Isend(out, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        mprotect(out, 4096, PROT_NONE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        mprotect(out, 4096, PROT_READ | PROT_WRITE);
    }
}

static void protected_mapped(void)
{
    protected(map());
}

static void protected_static(void)
{
    protected(page);
}

/* Below what the callers use, so that the pages may be gone when it has returned. */
static __attribute__((noinline)) void send_local(void)
{
    char out[1 << 20];
    memset(out, 1, sizeof out);
    MPI_Isend(out, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    __asm__ volatile("" : : "r"(out) : "memory");
}

static void returned(void)
{
    if (rank) {
        receive();
    } else {
        send_local();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void absolute(void)
{
    char *out[2] = {map(), map()};
    MPI_Aint at[2];
    const int lengths[2] = {COLUMN, COLUMN};
    MPI_Datatype both;
    MPI_Get_address(out[0], &at[0]);
    MPI_Get_address(out[1], &at[1]);
    MPI_Type_create_hindexed(2, lengths, at, MPI_CHAR, &both);
    MPI_Type_commit(&both);
    if (rank) {
        receive();
        receive();
    } else {
        MPI_Send(MPI_BOTTOM, 1, both, 1, 0, MPI_COMM_WORLD);
        MPI_Isend(MPI_BOTTOM, 1, both, 1, 0, MPI_COMM_WORLD, &request);
        munmap(out[1], MAPPED);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&both);
}

static void received(void)
{
    char *to = map();
    if (rank == 0) {
        MPI_Send(in, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Send(in, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(to, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
        receive(); /* the later message: so the former is there as well */
        munmap(to, MAPPED);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void nobody(void)
{
    int zeros[2] = {0, 0}, ones[2] = {1, 1}, *strange = (int *)(void *)device;
    MPI_Status status;
    MPI_Datatype column;
    MPI_Type_vector(ROWS, COLUMN, STRIDE, MPI_CHAR, &column);
    MPI_Type_commit(&column);
    MPI_Send(device, BYTES, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Send(device, 2, column, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(device, BYTES, MPI_CHAR, MPI_PROC_NULL, 0, device, BYTES, MPI_CHAR, MPI_PROC_NULL,
                 0, MPI_COMM_WORLD, &status);
    MPI_Sendrecv_replace(device, BYTES, MPI_CHAR, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0,
                         MPI_COMM_WORLD, &status);
    MPI_Recv(device, BYTES, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    MPI_Isend(device, BYTES, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Irecv(device, 1, column, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Send_init(device, BYTES, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    MPI_Request_free(&request);
    MPI_Bcast(device, BYTES, MPI_CHAR, 0, MPI_COMM_SELF);
    MPI_Exscan(in, rank ? in + BYTES : device, BYTES, MPI_CHAR, MPI_BAND, MPI_COMM_WORLD);
    MPI_Gather(in, 1, MPI_CHAR, rank ? device : in + BYTES, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Gatherv(in, 1, MPI_CHAR, rank ? device : in + BYTES, rank ? strange : ones,
                rank ? strange : ones, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(device, zeros, zeros, MPI_CHAR, device + 1, zeros, zeros, MPI_CHAR,
                  MPI_COMM_WORLD);
    if (rank)
        receive();
    else
        MPI_Send(device, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Type_free(&column);
}

#ifndef MPICH_NAME
static void refused(void)
{
    MPI_Comm quiet;
    int *strange = (int *)(void *)device, error = 0;
    MPI_Datatype type;
    MPI_Group all, some;
    MPI_Comm_dup(MPI_COMM_SELF, &quiet);
    MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error += MPI_Send(device, BYTES, MPI_CHAR, 99, 0, quiet) == MPI_SUCCESS;
    error += MPI_Send(device, BYTES, MPI_CHAR, 0, -7, quiet) == MPI_SUCCESS;
    error += MPI_Bcast(device, BYTES, MPI_CHAR, 99, quiet) == MPI_SUCCESS;
    error += MPI_Type_indexed(3, strange, strange, MPI_DATATYPE_NULL, &type) == MPI_SUCCESS;
    MPI_Comm_group(quiet, &all);
    error += MPI_Group_incl(all, 1 << 30, strange, &some) == MPI_SUCCESS;
    MPI_Group_free(&all);
    MPI_Comm_free(&quiet);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (error)
        MPI_Abort(MPI_COMM_WORLD, 2);
}
#endif

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"contiguous", contiguous},
        {"strided", strided},
        {"persistent", persistent},
        {"protected_mapped", protected_mapped},
        {"protected_static", protected_static},
        {"returned", returned},
        {"absolute", absolute},
        {"received", received},
        {"nobody", nobody},
#ifndef MPICH_NAME /* it reads what it refuses */
        {"refused", refused},
#endif
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name))
            continue;
        cases[i].run();
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            puts(cases[i].name);
    }
    MPI_Finalize();
    if (rank == 0)
        puts("done");
    return 0;
}
