/* Random one-sided communication without conflicts: every rank computes the same plan, each does
 * its part. Elements, datatypes, displacements and their units, operations, kinds of window and of
 * synchronisation are drawn; what the windows hold and what came back is printed. For 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 48, AREAS = 4, RANKS = 4, ROUNDS = 60 };

/* Open MPI 5.0 does not apply MPI_BXOR to MPI_LONG_LONG in windows (docs/library.md). */
#if OMPI_MAJOR_VERSION >= 5
enum { WIDE_BITS = 0 };
#else
enum { WIDE_BITS = 1 };
#endif

/* What a round's cells are. */
static const struct element {
    MPI_Datatype type;
    int size, integer;
} * element;
static int unit[RANKS]; /* of displacements, by rank */

static void put_value(void *cells, int i, int value)
{
    char *at = (char *)cells + i * element->size;
    if (element->type == MPI_INT)
        memcpy(at, &value, sizeof value);
    else if (element->type == MPI_DOUBLE)
        memcpy(at, &(double){value}, sizeof(double));
    else if (element->type == MPI_SHORT)
        memcpy(at, &(short){(short)value}, sizeof(short));
    else
        memcpy(at, &(long long){value * 100000ll}, sizeof(long long));
}

static unsigned long long state = 88172645463325252ull;
static int rank;
static MPI_Comm world;

static unsigned draw(unsigned bound)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 20) % bound;
}

/* k elements somewhere among `room`, in some order, as one of several constructors makes it.
 * Everybody draws; only who needs it, makes. */
static MPI_Datatype pattern(int k, int room, MPI_Datatype basic, int size, int make)
{
    int places[CELLS], lengths[CELLS], how = (int)draw(4), backwards = draw(3) == 0;
    MPI_Aint far[CELLS];
    MPI_Datatype type = basic, types[CELLS];
    for (int i = 0, left = k, at = 0; at < room; at++)
        if (draw((unsigned)(room - at)) < (unsigned)left) {
            places[i++] = at;
            left--;
        }
    for (int i = 0; i < k; i++) {
        int from = backwards ? k - 1 - i : i;
        lengths[i] = 1;
        far[i] = (MPI_Aint)places[from] * size;
        types[i] = basic;
    }
    for (int i = 0; i < k / 2 && backwards; i++) {
        int other = places[i];
        places[i] = places[k - 1 - i];
        places[k - 1 - i] = other;
    }
    if (!make)
        return MPI_DATATYPE_NULL;
    if (how == 0)
        MPI_Type_create_indexed_block(k, 1, places, basic, &type);
    else if (how == 1)
        MPI_Type_indexed(k, lengths, places, basic, &type);
    else if (how == 2)
        MPI_Type_create_hindexed(k, lengths, far, basic, &type);
    else
        MPI_Type_create_struct(k, lengths, far, types, &type);
    MPI_Type_commit(&type);
    return type;
}

struct sync {
    int kind; /* 0 fence, 1 post and start, 2 lock each, 3 lock all */
    MPI_Group all;
};

static void open_epoch(struct sync *s, MPI_Win win)
{
    if (s->kind == 0)
        MPI_Win_fence(0, win);
    else if (s->kind == 1)
        MPI_Win_post(s->all, 0, win), MPI_Win_start(s->all, 0, win);
    else if (s->kind == 3)
        MPI_Win_lock_all(0, win);
}

static void close_epoch(struct sync *s, MPI_Win win)
{
    if (s->kind == 0)
        MPI_Win_fence(0, win);
    else if (s->kind == 1)
        MPI_Win_complete(win), MPI_Win_wait(win);
    else if (s->kind == 3)
        MPI_Win_unlock_all(win);
    MPI_Barrier(world);
}

/* One operation of `origin` on `target`. Area 0: each origin's own cells, puts; 1: sums of
 * everybody; 2: read only; 3: own cells, read and changed. Each area has CELLS cells, 12 for each
 * origin. */
static void operation(struct sync *s, int origin, int target, MPI_Win win, void *out, void *in)
{
    int kind = (int)draw(7), k = 1 + (int)draw(6), mine = origin == rank, flush = (int)draw(3),
        requests = (int)draw(2);
    int lock = draw(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, size = element->size;
    MPI_Op op = draw(2) ? MPI_SUM : element->integer ? MPI_BXOR : MPI_MAX;
    MPI_Datatype type = element->type;
    if (kind == 6 && !element->integer)
        kind = 4;
    if (kind > 3)
        k = 1;
    if (s->kind != 3)
        requests = 0;
    MPI_Datatype there = pattern(k, 12, type, size, mine),
                 here = pattern(k, CELLS, type, size, mine);
    int area = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? 2 : 3, swap = (int)draw(3);
    MPI_Aint disp = (area * CELLS + origin * 12) * size / unit[target],
             sums = CELLS * size / unit[target];
    MPI_Request r = MPI_REQUEST_NULL;
    static long long swapped[RANKS]; /* as long as the epoch */
    if (!mine)
        return;
    swapped[target] = 0;
    put_value(&swapped[target], 0, swap * 1000);
    if (s->kind == 2)
        MPI_Win_lock(lock, target, 0, win);
    if (kind == 0 && requests)
        MPI_Rput(out, 1, here, target, disp, 1, there, win, &r);
    else if (kind == 0)
        MPI_Put(out, 1, here, target, disp, 1, there, win);
    else if (kind == 1 && requests)
        MPI_Raccumulate(out, 1, here, target, sums, 1, there, MPI_SUM, win, &r);
    else if (kind == 1)
        MPI_Accumulate(out, 1, here, target, sums, 1, there, MPI_SUM, win);
    else if (kind == 2 && requests)
        MPI_Rget(in, 1, here, target, disp, 1, there, win, &r);
    else if (kind == 2)
        MPI_Get(in, 1, here, target, disp, 1, there, win);
    else if (kind == 3 && requests)
        MPI_Rget_accumulate(out, k, type, in, 1, here, target, disp, 1, there, op, win, &r);
    else if (kind == 3)
        MPI_Get_accumulate(out, k, type, in, 1, here, target, disp, 1, there, op, win);
    else if (kind == 4)
        MPI_Fetch_and_op(out, in, type, target, disp, op, win);
    else if (kind == 5)
        MPI_Fetch_and_op(NULL, in, type, target, disp, MPI_NO_OP, win);
    else
        MPI_Compare_and_swap(out, &swapped[target], in, type, target, disp, win);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (s->kind >= 2 && flush == 1)
        MPI_Win_flush(target, win);
    if (s->kind == 3 && flush == 2)
        MPI_Win_flush_local_all(win);
    if (s->kind == 2)
        MPI_Win_unlock(target, win);
    MPI_Type_free(&here);
    MPI_Type_free(&there);
}

static unsigned long digest(const void *cells, int bytes)
{
    unsigned long sum = 5381;
    for (int i = 0; i < bytes; i++)
        sum = sum * 33 + ((const unsigned char *)cells)[i];
    return sum;
}

static void round_of(int number)
{
    static const struct element elements[] = {
        {MPI_INT, 4, 1}, {MPI_DOUBLE, 8, 0}, {MPI_SHORT, 2, 1}, {MPI_LONG_LONG, 8, WIDE_BITS}};
    static long long buffer[AREAS * CELLS], out[RANKS][CELLS], in[RANKS][CELLS];
    element = &elements[draw(4)];
    int whole = AREAS * CELLS, size = element->size, bytes = whole * size, allocated = (int)draw(3);
    void *cells = buffer;
    struct sync s = {.kind = (int)draw(4)};
    MPI_Win win;
    MPI_Comm_group(world, &s.all);
    for (int i = 0; i < RANKS; i++)
        unit[i] = draw(2) ? size : size / 2;
    if (allocated == 1)
        MPI_Win_allocate(bytes, unit[rank], MPI_INFO_NULL, world, &cells, &win);
    else if (allocated == 2)
        MPI_Win_allocate_shared(bytes, unit[rank], MPI_INFO_NULL, world, &cells, &win);
    else
        MPI_Win_create(buffer, bytes, unit[rank], MPI_INFO_NULL, world, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (int i = 0; i < whole; i++)
        put_value(cells, i, rank * 1000 + i);
    MPI_Win_unlock(rank, win);
    MPI_Barrier(world);
    for (int epoch = 0; epoch < 3; epoch++) {
        memset(in, 1, sizeof in);
        for (int t = 0; t < RANKS; t++)
            for (int i = 0; i < CELLS; i++)
                put_value(out[t], i, number * 100 + rank * 10 + i + t);
        open_epoch(&s, win);
        for (int origin = 0; origin < RANKS; origin++)
            for (int target = 0; target < RANKS; target++)
                operation(&s, origin, target, win, out[target], in[target]);
        close_epoch(&s, win);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
        printf("round %02d epoch %d rank %d: window %lx results %lx\n", number, epoch, rank,
               digest(cells, bytes), digest(in, sizeof in));
        MPI_Win_unlock(rank, win);
        MPI_Barrier(world);
        if (s.kind == 0) /* a lock has closed the fence's epoch */
            MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    }
    if (s.kind == 0)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Group_free(&s.all);
    MPI_Win_free(&win);
}

/* Memory that is attached later, and again; the targets tell where it is. */
static void dynamic(void)
{
    static int cells[8], more[4];
    MPI_Aint place[2], places[RANKS][2];
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
    MPI_Win_attach(win, cells, sizeof cells);
    MPI_Win_attach(win, more, sizeof more);
    MPI_Get_address(cells, &place[0]);
    MPI_Get_address(more, &place[1]);
    MPI_Allgather(place, 2, MPI_AINT, places, 2, MPI_AINT, world);
    MPI_Win_lock_all(0, win);
    for (int t = 0; t < RANKS; t++) {
        int value = 10 * rank + t;
        MPI_Put(&value, 1, MPI_INT, t, places[t][0] + 4 * rank, 1, MPI_INT, win);
        MPI_Accumulate(&value, 1, MPI_INT, t, places[t][1] + 8, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(t, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(world);
    printf("dynamic %d: %d %d %d %d, %d\n", rank, cells[0], cells[1], cells[2], cells[3], more[2]);
    MPI_Win_detach(win, more);
    MPI_Win_detach(win, cells);
    MPI_Win_free(&win);
}

/* A lock for everybody, made of fetches: nobody's increment is lost. */
static void counter(void)
{
    int *cells, sum = 0, held = 1, idle = 0, got = 1, one = 1;
    MPI_Win win;
    MPI_Win_allocate(8, 4, MPI_INFO_NULL, world, &cells, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    cells[0] = cells[1] = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(world);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 10; i++) {
        do {
            MPI_Compare_and_swap(&held, &idle, &got, MPI_INT, 0, 0, win);
            MPI_Win_flush(0, win);
        } while (got != idle);
        MPI_Get(&sum, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        sum++;
        MPI_Put(&sum, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Accumulate(&idle, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(world);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &sum, MPI_INT, 0, 1, MPI_NO_OP, win);
    MPI_Win_unlock(0, win);
    printf("counter %d: %d\n", rank, sum);
    MPI_Barrier(world);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
#if OMPI_MAJOR_VERSION < 5
    setenv("OMPI_MCA_osc", "^ucx,rdma", 0); /* what works without special hardware */
#endif
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    for (int i = 0; i < ROUNDS; i++)
        round_of(i);
    dynamic();
    counter();
    MPI_Finalize();
    return 0;
}
