#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define W MPI_COMM_WORLD
#define ST MPI_STATUS_IGNORE
#define SS MPI_STATUSES_IGNORE
#define WIN MPI_Win_create(b, sizeof b, sizeof(int), MPI_INFO_NULL, W, &w)
#define OPEN MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f)
#define I MPI_INT
static int rank, size, o, k, b[4096], r[4096], cnt[4] = {4, 4, 4, 4}, dsp[4] = {0, 4, 8, 12}, one[1] = {0}, dims[2] = {2, 1}, per[2];
static char big[1 << 16], name[] = "exam.dat";
static void *p;
static MPI_Request q, q2, qq[4];
static MPI_Status s, ss[4];
static MPI_Message m;
static MPI_Comm c, c2;
static MPI_Group g, g2;
static MPI_Datatype t, t2, tt[4];
static MPI_Op op;
static MPI_Win w;
static MPI_File f;
static MPI_Info info;
static MPI_Errhandler eh;
static MPI_Aint aint[4];
static int neg[4] = {-1, -1, -1, -1};
static void ehf(MPI_Comm *c, int *e, ...) { (void)c; (void)e; }
static void fun(void *a, void *b, int *n, MPI_Datatype *t) { for (int i = 0; i < *n; i++) ((int *)b)[i] += ((int *)a)[i]; (void)t; }
/* True in n processes that this one and the others of its world start, with c between the two. */
static int spawned(char **argv, int n)
{
    MPI_Comm_get_parent(&c);
    if (c != MPI_COMM_NULL) return 1;
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, n, MPI_INFO_NULL, 0, W, &c, MPI_ERRCODES_IGNORE);
    return 0;
}
/* Two threads wait for each other. */
static void meet(void)
{
    static int met;
    int mine = __atomic_add_fetch(&met, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&met, __ATOMIC_SEQ_CST) < mine + mine % 2) usleep(100);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    o = rank ^ 1;
    for (int i = 0; i < 4; i++) tt[i] = MPI_INT;
    for (int i = 0; i < 64; i++) b[i] = rank * 100 + i;
    WIN; MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN); MPI_Comm_group(W, &g); MPI_Group_incl(g, 1, &o, &g2);
if (rank == 0) { MPI_Win_post(g2, 0, w); if (MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w) == MPI_SUCCESS) MPI_Win_unlock(0, w); MPI_Win_wait(w); } else { MPI_Win_start(g2, 0, w); MPI_Put(r, 1, I, 0, 0, 1, I, w); MPI_Win_complete(w); }
MPI_Group_free(&g2); MPI_Group_free(&g); MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
