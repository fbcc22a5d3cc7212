# The help of a finding fits its mistake. Each mistake is of a kind that the general help of its
# rule does not fit, and is made by a call that returns its error.
# timeout: 120
cat >helps.c <<'P'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static int rank, size, value[8], other[8];
static MPI_Request request = MPI_REQUEST_NULL;
static MPI_Win window;
static void rank_of_none(void) { MPI_Send(value, 1, MPI_INT, size, 0, MPI_COMM_WORLD); }
static void rank_of_world(void)
{
    MPI_Comm own;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
    MPI_Send(value, 1, MPI_INT, rank, 0, rank ? own : MPI_COMM_SELF);
    MPI_Recv(other, 1, MPI_INT, 0, 0, rank ? own : MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Comm_free(&own);
}
static void negative_tag(void) { MPI_Send(value, 1, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD); }
/* Three columns of a matrix: each next one begins behind the end of the one before. */
static void columns_of(int count, int extent)
{
    MPI_Datatype column, resized;
    int *matrix = calloc(64, sizeof *matrix);
    MPI_Type_vector(8, 1, 8, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, extent, &resized);
    MPI_Type_commit(&resized);
    MPI_Bcast(matrix, count, resized, 0, MPI_COMM_SELF);
    MPI_Type_free(&column);
    MPI_Type_free(&resized);
    free(matrix);
}
static void columns(void) { columns_of(3, 57 * sizeof(int)); }
static void int_overflow(void)
{
    unsigned bytes = 300000000u * 8;
    MPI_Send(value, bytes, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}
static void undefined_count(void)
{
    MPI_Status status;
    int count;
    MPI_Sendrecv(value, 3, MPI_INT, 0, 0, other, 8, MPI_INT, 0, 0, MPI_COMM_SELF, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Send(value, count, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}
/* The handle that does not have room overwrites the size of the block behind, which is kept. */
static void requests_on_heap(void)
{
    MPI_Request *each = malloc(3 * sizeof *each);
    static void *behind;
    behind = malloc(3 * sizeof *each);
    for (int i = 0; i < 4; i++)
        MPI_Isend(value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &each[i]);
    MPI_Waitall(4, each, MPI_STATUSES_IGNORE);
}
static void total_on_heap(void)
{
    int *each = malloc(8 * sizeof *each);
    static void *behind;
    behind = malloc(8 * sizeof *each);
    MPI_Allgather(value, 4, MPI_INT, each, 8, MPI_INT, MPI_COMM_WORLD);
}
static void ring(void)
{
    MPI_Sendrecv(value, 1, MPI_INT, (rank - 1) % size, 0, other, 1, MPI_INT,
                 rank ? MPI_PROC_NULL : 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void offset(int of)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "helps.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at(file, rank * of, value, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}
static void elements(void) { offset(8); }
static void bytes(void) { offset(8 * sizeof(int)); }
static void halves(void) { offset(4 * sizeof(int)); } /* they overlap for another reason */
static void operation(void) { MPI_Allreduce(value, other, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD); }
static void dims(void)
{
    int three[2] = {3, 0};
    MPI_Dims_create(size, 2, three);
}
static void topology(void)
{
    int at[2];
    MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, at);
}
static void attached_twice(void)
{
    static char room[2][MPI_BSEND_OVERHEAD + 64];
    void *back;
    int bytes;
    MPI_Buffer_attach(room[0], sizeof room[0]);
    MPI_Buffer_attach(room[1], sizeof room[1]);
    MPI_Buffer_detach(&back, &bytes);
}
static void start_null(void) { MPI_Start(&request); }
static void not_persistent(void)
{
    MPI_Irecv(value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Request copy = request;
    MPI_Start(&copy);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void left(void) { MPI_Irecv(value, 1, MPI_INT, !rank, 9, MPI_COMM_WORLD, &request); }
/* A buffer in the frame of a function that returns before the operation is complete, a twin whose
 * frame lives, and one that a callee hands over. */
__attribute__((noinline)) static void begin(int *buffer)
{
    MPI_Isend(buffer, 8, MPI_INT, !rank, 4, MPI_COMM_WORLD, &request);
}
__attribute__((noinline)) static void begin_local(void)
{
    int local[8] = {rank};
    begin(local);
}
__attribute__((noinline)) static void begun_by(int mine)
{
    int local[8] = {rank};
    if (mine) begin(local);
    else begin_local();
    MPI_Recv(other, 8, MPI_INT, !rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void returned(void) { begun_by(0); }
static void freed_type(void)
{
    MPI_Datatype three;
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_Datatype copy = three;
    MPI_Type_free(&three);
    MPI_Send(value, 1, copy, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}
static void total(void)
{
    int all[16];
    MPI_Gather(value, 2, MPI_INT, all, 4, MPI_INT, 0, MPI_COMM_WORLD);
}
static void roots(void) { MPI_Bcast(value, 1, MPI_INT, rank, MPI_COMM_WORLD); }
/* The message has no data, so it does no harm. */
static void freed_early(void)
{
    int *block = malloc(4000);
    MPI_Irecv(block, 1000, MPI_INT, !rank, 4, MPI_COMM_WORLD, &request);
    free(block);
    MPI_Send(value, 0, MPI_INT, !rank, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void beyond(void)
{
    MPI_Win_fence(0, window);
    MPI_Put(value, 1, MPI_INT, !rank, 100, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
}
static void preceded(void)
{
    MPI_Win_fence(0, window);
    MPI_Put(value, 1, MPI_INT, !rank, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
}
/* Other bytes in each round: one finding for each call that comes before. */
static void no_store(void)
{
    int *mine, flag;
    MPI_Win_get_attr(window, MPI_WIN_BASE, &mine, &flag);
    MPI_Win_fence(0, window);
    for (int i = 1; i <= 3; i++) {
        mine[i] = rank + i;
        MPI_Win_fence(MPI_MODE_NOSTORE, window);
    }
}
/* A counter that ranks read and write without another one's being kept out. */
static void count_up(int how)
{
    for (int i = 0; i < 2; i++) {
        int now = 0;
        MPI_Win_lock(how, 0, 0, window);
        MPI_Get(&now, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        now++;
        MPI_Put(&now, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
}
static void counted_shared(void) { count_up(MPI_LOCK_SHARED); }
static void unlocked(void)
{
    MPI_Put(value, 1, MPI_INT, !rank, 0, 1, MPI_INT, window);
}
static void of_null(int color)
{
    MPI_Comm some, made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, 0, &some);
    MPI_Comm_dup(some, &made);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
}
static void no_member(void) { of_null(rank ? 0 : MPI_UNDEFINED); }
static void no_file(void)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, "none/such", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
}
static void no_comm(void) { MPI_Barrier(MPI_COMM_NULL); }
/* One mistake, one finding: what goes along the edges does not fit either. */
static void edges(void)
{
    int two[2] = {0, 1}, none[2] = {1, 1};
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank ? 1 : 2, two, none, 2, two, none,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoall(value, 1, MPI_INT, other, 1, MPI_INT, graph);
    MPI_Comm_free(&graph);
}
static void attach(void *at, int bytes) { MPI_Buffer_attach(at, bytes); }
static void detach(void)
{
    void *back;
    int bytes;
    MPI_Buffer_detach(&back, &bytes);
}
__attribute__((noinline)) static void attach_local(void)
{
    char room[1024];
    MPI_Buffer_attach(room, sizeof room);
}
/* A small block, a large one, which is a mapping of its own, a local variable, a block of which
 * malloc has given away a part again, and a block that MPI_Finalize detaches. */
static void attached_freed(void)
{
    char *small = malloc(800), *large = malloc(1 << 20), *last = malloc(5000);
    attach(small, 800);
    free(small);
    detach();
    MPI_Buffer_attach(large, 1 << 20);
    free(large);
    detach();
    attach_local();
    detach();
    large = malloc(60000);
    attach(large, 60000);
    free(large);
    small = malloc(2000);
    MPI_Buffer_detach(&large, &(int){0});
    MPI_Buffer_attach(last, 5000);
    free(last);
}
/* Memory that is valid until it is detached. */
static void nothing(void)
{
    columns_of(3, sizeof(int));
    count_up(MPI_LOCK_EXCLUSIVE);
    begun_by(1);
    static char fixed[1024];
    char local[1024], *one = malloc(800), *two;
    free(one);
    one = malloc(800); /* the same block */
    attach(one, 800);
    detach();
    two = realloc(one, 3000);
    attach(two + 100, 2900);
    detach();
    free(two);
    two = malloc(60000);
    attach(two + 16, 50000);
    one = malloc(40);
    detach();
    free(one);
    free(two);
    two = malloc(1 << 20);
    attach(two, 1 << 20);
    MPI_Bsend(value, 8, MPI_INT, !rank, 7, MPI_COMM_WORLD);
    MPI_Recv(other, 8, MPI_INT, !rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    detach();
    two = realloc(two, 3 << 20);
    free(two);
    attach(local, sizeof local);
    detach();
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    for (int i = 0; i < 2; i++) { /* the communicator gives its buffer back when it is freed */
        MPI_Comm with;
        int bytes;
        void *back;
        MPI_Comm_dup(MPI_COMM_WORLD, &with);
        one = malloc(2000);
        MPI_Comm_attach_buffer(with, one, 2000);
        if (i)
            MPI_Comm_detach_buffer(with, &back, &bytes);
        MPI_Comm_free(&with);
        free(one);
    }
#endif
    attach(fixed, sizeof fixed);
}
int main(int argc, char **argv)
{
    struct { const char *name; void (*make)(void); } all[] = {
#define ONE(name) {#name, name}
        ONE(rank_of_none), ONE(rank_of_world), ONE(negative_tag), ONE(columns),
        ONE(int_overflow), ONE(undefined_count), ONE(requests_on_heap), ONE(operation),
        ONE(dims), ONE(topology),
        ONE(attached_twice), ONE(start_null), ONE(not_persistent), ONE(freed_early), ONE(left),
        ONE(no_member), ONE(no_comm), ONE(no_file), ONE(edges), ONE(attached_freed), ONE(nothing),
        ONE(beyond), ONE(preceded), ONE(no_store), ONE(unlocked),
        ONE(counted_shared), ONE(returned), ONE(freed_type), ONE(roots), ONE(total),
        ONE(total_on_heap), ONE(ring), ONE(elements), ONE(bytes), ONE(halves)};
    int *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    memset(memory, 0, 64);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(argv[1], all[i].name))
            all[i].make();
    MPI_Win_free(&window);
    return MPI_Finalize();
}
P
mpicc -g -o helps helps.c 2>/dev/null || exit 1
for mistake in rank_of_none rank_of_world negative_tag columns int_overflow undefined_count \
    requests_on_heap operation dims topology attached_twice attached_freed start_null \
    not_persistent freed_early left no_member no_comm no_file edges beyond preceded no_store \
    unlocked counted_shared returned freed_type roots total total_on_heap ring elements bytes \
    halves nothing; do
    echo "# $mistake"
    crosswait record --buffers=on -o T.db -- mpirun -n 2 ./helps $mistake >out.txt 2>&1
    crosswait check T.db >report.txt
    facts='help|rank .* (wrote|is)|.* gave|.* had returned|an int|-327|the d|MPI_LO|.t'
    facts="$facts|for rank 0|their off"
    grep -E "^(error|warning)|^ +(=|\|) ($facts)|^[0-9 ]+\| +MPI_Type_free" report.txt
done
exit 0
