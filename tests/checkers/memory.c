/* Buffers as the variables that they are: `finds:` says what is found at a line, wherever it is
 * built; with a condition behind it, only there: -g (debug information), stack (what the compiler
 * keeps in memory without optimisation). Nothing is found at the other lines. One rank, all
 * messages to itself. */
#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SELF 0, 0, MPI_COMM_SELF
#define ST MPI_STATUS_IGNORE

struct point {
    char tag;
    double x, y;
    int id;
};
struct pair {
    double value;
    int index;
};
union any {
    int i[4];
    double d[2];
};
enum color { RED, GREEN };
typedef double real;

static int before[64], table[10], one, square[4][6], after[64];
static struct point points[8];
static char bytes[4096];
int exported[10];
static MPI_Request request;

/* A message of so many bytes is on its way. */
static void ship(int count)
{
    MPI_Isend(bytes, count, MPI_BYTE, SELF, &request);
}
static void arrived(void)
{
    MPI_Wait(&request, ST);
}

__attribute__((noinline)) static void keep(void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

/* A wrapper, whose caller has the buffer. */
__attribute__((noinline)) static void get(void *buffer, int count, MPI_Datatype type, int sent)
{
    ship(sent);
    MPI_Recv(buffer, count, type, SELF, ST); /* finds: buffer warning -g; buffer-type -g */
    arrived();
}

static inline __attribute__((always_inline)) void inlined(void)
{
    int mine[4] = {0};
    keep(mine);
    MPI_Send_init(mine, 5, MPI_INT, SELF, &request); /* finds: buffer -g */
    MPI_Request_free(&request);
}

#define RECV(at, count, type, sent) (ship(sent), MPI_Recv(at, count, type, SELF, ST), arrived())
#define EXCHANGE(at, count, type) \
    MPI_Sendrecv(at, count, type, 0, 0, bytes, sizeof bytes, MPI_PACKED, SELF, ST)
#define EACH(at, type) MPI_Alltoallv(at, n, zero, type, bytes, n, zero, type, MPI_COMM_SELF)
#define INIT(at, count, type) \
    (MPI_Send_init(at, count, type, SELF, &request), MPI_Request_free(&request))

static void overruns(void)
{
    int x = 0, list[10] = {0};
    char c = 0;
    struct point p = {0};
    keep(&x), keep(list), keep(&c), keep(&p);
    INIT(&x, 1, MPI_DOUBLE);    /* finds: buffer -g */
    INIT(&c, 1, MPI_DOUBLE);    /* finds: buffer -g */
    INIT(list, 20, MPI_INT);    /* finds: buffer -g */
    INIT(list + 5, 6, MPI_INT); /* finds: buffer -g */
    INIT(list + 5, 5, MPI_INT);
    INIT(&p, (int)sizeof p + 1, MPI_BYTE); /* finds: buffer -g */
    INIT(&p, (int)sizeof p, MPI_BYTE);
    RECV(list, 11, MPI_INT, 40); /* finds: buffer warning -g */
    RECV(list, 10, MPI_INT, 40);
    INIT(list, 100000, MPI_INT);    /* finds: buffer */
    INIT(table, 11, MPI_INT);       /* finds: buffer */
    INIT(exported, 11, MPI_INT);    /* finds: buffer */
    INIT(exported + 9, 2, MPI_INT); /* finds: buffer */
    INIT(exported + 9, 1, MPI_INT);
    INIT(square, 24, MPI_INT);
    INIT(square[0], 24, MPI_INT);
    INIT(&square[3][2], 5, MPI_INT); /* finds: buffer */
    INIT(&square[3][2], 4, MPI_INT);
    RECV(&one, 1, MPI_DOUBLE, 8);                    /* finds: buffer */
    MPI_Bcast(table, 12, MPI_INT, 0, MPI_COMM_SELF); /* finds: buffer */
}

static void heap(void)
{
    /* In code that is not moved, this is an address in the program itself. */
    void *(*volatile allocate)(size_t) = malloc;
    int *p = calloc(10, sizeof *p), *q, *large = malloc(1 << 20);
    double *d = malloc(8 * sizeof *d);
    struct point *list = calloc(4, sizeof *list);
    void *raw = allocate(64);
    keep(p), keep(d), keep(list), keep(raw), keep(large);
    memset(large, 0, 1 << 20);
    INIT(p, 100, MPI_INT);                        /* finds: buffer */
    INIT(p + 4, 11, MPI_INT); /* finds: buffer */ /* malloc gives up to 16 bytes more */
    INIT(p + 4, 6, MPI_INT);
    RECV(p, 100, MPI_INT, 40); /* finds: buffer warning */
    INIT(p, 5, MPI_DOUBLE);    /* finds: buffer-type stack */
    INIT(d, 8, MPI_DOUBLE);
    INIT(d, 8, MPI_FLOAT); /* finds: buffer-type stack */
    INIT(raw, 8, MPI_DOUBLE);
    INIT(raw, 16, MPI_INT);
    INIT(large, 1 << 18, MPI_INT);
    INIT(large, 1 << 19, MPI_INT); /* finds: buffer */
    INIT(list, 4 * (int)sizeof *list, MPI_BYTE);
    q = malloc(8000);
    keep(malloc(9000));
    free(q);
    __asm__ volatile("" : "+r"(q));
    INIT(q, 8, MPI_INT); /* finds: buffer */
    free(p), free(d), free(list), free(raw), free(large);
}

static void types(void)
{
    float f[4] = {0};
    double d[4] = {0};
    long l = 0;
    long long ll = 0;
    unsigned u[2] = {0};
    enum color e = RED;
    bool b = false;
    union any a = {{0}};
    double complex z[2] = {0};
    struct {
        double re, im;
    } s[2] = {{0}};
    struct pair pair[2] = {{0}};
    real r = 0;
    const volatile int cv = 0;
    int8_t small[8] = {0};
    int *p = table, *rows[4] = {square[0], square[1], square[2], square[3]};
    MPI_Aint address = 0;
    char text[16] = "";
    int vla[keep == NULL ? 2 : 3];
    keep(f), keep(d), keep(&l), keep(&ll), keep(u), keep(&e), keep(&b), keep(&a), keep(z), keep(s);
    keep(pair), keep(&r), keep((void *)&cv), keep(small), keep(&p), keep(rows), keep(&address);
    keep(text), keep(vla);
    INIT(f, 4, MPI_INT); /* finds: buffer-type -g */
    INIT(f, 4, MPI_FLOAT);
    INIT(d, 4, MPI_LONG);  /* finds: buffer-type -g */
    INIT(d, 4, MPI_INT);   /* finds: buffer-type -g */
    INIT(d, 32, MPI_CHAR); /* finds: buffer-type note -g */
    INIT(d, 32, MPI_BYTE);
    INIT(d, 2, MPI_C_DOUBLE_COMPLEX);
    INIT(&l, 1, MPI_LONG_LONG);
    INIT(&ll, 1, MPI_LONG);
    INIT(&ll, 1, MPI_UNSIGNED_LONG); /* finds: buffer-type -g */
    INIT(u, 2, MPI_INT);
    INIT(u, 2, MPI_UNSIGNED);
    INIT(&e, 1, MPI_INT);
    INIT(&b, 1, MPI_C_BOOL);
    INIT(&b, 1, MPI_CHAR);
    INIT(&a, 4, MPI_INT);
    INIT(&a, 2, MPI_DOUBLE);
    INIT(&a, 4, MPI_FLOAT); /* finds: buffer-type -g */
    INIT(z, 2, MPI_C_DOUBLE_COMPLEX);
    INIT(z, 4, MPI_DOUBLE);
    INIT(s, 2, MPI_C_DOUBLE_COMPLEX);
    INIT(pair, 2, MPI_DOUBLE_INT);
    INIT(pair, 2, MPI_2INT); /* finds: buffer-type -g */
    INIT(&r, 1, MPI_DOUBLE);
    INIT((void *)&cv, 1, MPI_INT);
    INIT(small, 2, MPI_INT);
    INIT(text, 2, MPI_DOUBLE);
    INIT(&address, 1, MPI_AINT);
    INIT(vla, 2, MPI_INT);
    INIT(p, 10, MPI_INT);
    INIT(&p, 2, MPI_INT); /* finds: buffer-type -g */
    INIT(&p, 1, MPI_AINT);
    INIT(&p, 10, MPI_INT);  /* finds: buffer -g */
    INIT(rows, 8, MPI_INT); /* finds: buffer-type -g */
    INIT(rows[0], 24, MPI_INT);
    get(f, 4, MPI_FLOAT, 16);
    get(f, 5, MPI_FLOAT, 16);
    get(d, 4, MPI_LONG, 16);
}

static void structures(void)
{
    struct point p[3] = {{0}};
    MPI_Datatype good, exact, packed, column, tail;
    int lengths[] = {1, 2, 1}, ones[] = {1, 1};
    MPI_Datatype members[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Aint right[] = {offsetof(struct point, tag), offsetof(struct point, x),
                        offsetof(struct point, id)},
             wrong[] = {0, 1, 17};
    keep(p);
    MPI_Type_create_struct(3, lengths, right, members, &good);
    MPI_Type_create_resized(good, 0, sizeof(struct point), &exact);
    MPI_Type_create_struct(3, lengths, wrong, members, &packed);
    MPI_Type_vector(4, 1, 6, MPI_INT, &column);
    MPI_Type_commit(&exact), MPI_Type_commit(&packed), MPI_Type_commit(&column);
    INIT(p, 3, exact);
    INIT(p, 4, exact); /* finds: buffer -g */
    INIT(points, 8, exact);
    INIT(points, 9, exact); /* finds: buffer */
    INIT(p, 1, packed);     /* finds: buffer-type -g */
    INIT(&p[1].x, 2, MPI_DOUBLE);
    INIT(&square[0][0], 1, column);
    INIT(&square[0][5], 1, column);
    INIT(&square[1][0], 1, column); /* finds: buffer */
    /* the members of what two variables make together, and what has no base */
    int n = 0;
    double x = 0;
    keep(&n), keep(&x);
    MPI_Aint at[2], from;
    MPI_Datatype two[] = {MPI_INT, MPI_DOUBLE};
    MPI_Get_address(&n, &at[0]), MPI_Get_address(&x, &at[1]);
    MPI_Type_create_struct(2, ones, at, two, &tail);
    MPI_Type_commit(&tail);
    INIT(MPI_BOTTOM, 1, tail);
    MPI_Type_free(&tail);
    from = at[0];
    at[0] -= from, at[1] -= from;
    MPI_Type_create_struct(2, ones, at, two, &tail);
    MPI_Type_commit(&tail);
    INIT(&n, 1, tail);
    MPI_Type_free(&tail);
    MPI_Type_free(&good), MPI_Type_free(&exact), MPI_Type_free(&packed), MPI_Type_free(&column);
}

/* Arguments that are pushed on the stack. */
__attribute__((noinline)) static void pushed(void)
{
    int list[10] = {0}, zero[1] = {0}, n[1] = {3};
    double d[6] = {0};
    struct point p[3] = {{0}};
    keep(list), keep(d), keep(p);
    EXCHANGE(list, 10, MPI_INT);
    EXCHANGE(list, 11, MPI_INT); /* finds: buffer -g */
    EXCHANGE(list + 4, 6, MPI_INT);
    EXCHANGE(list + 4, 7, MPI_INT); /* finds: buffer -g */
    EXCHANGE(d, 6, MPI_DOUBLE);
    EXCHANGE(d, 6, MPI_LONG); /* finds: buffer-type -g */
    EACH(d, MPI_DOUBLE);
    EACH(d, MPI_LONG);         /* finds: buffer-type -g */
    EACH(&p[0].x, MPI_DOUBLE); /* finds: buffer-type -g */
}

/* What has no name, in a place of the stack that a variable has at another time. */
static void temporary(int n)
{
    double late[2];
    EXCHANGE(((int[]){1, 2, n, 4}), 4, MPI_INT);
    {
        EXCHANGE(((float[]){1, 2, n, 4, 5, 6, 7, 8}), 8, MPI_FLOAT);
    }
    for (int i = 0; i < 2; i++) {
        long inner[4];
        {
            EXCHANGE(((float[]){1, 2, n + i, 4, 5, 6, 7, 8, 9}), 9, MPI_FLOAT);
        }
        inner[0] = i;
        keep(inner);
    }
    late[0] = n, late[1] = n;
    keep(late);
    EXCHANGE(late, 2, MPI_DOUBLE);
    EXCHANGE(late, 2, MPI_LONG); /* finds: buffer-type -g */
}

/* Calls that a compiler makes one of. */
static void merged(int n, int root)
{
    if (n > 3) {
        int x[4] = {n};
        keep(x);
        MPI_Bcast(x, 2, MPI_INT, root, MPI_COMM_SELF);
    } else {
        double y[2] = {n};
        keep(y);
        MPI_Bcast(y, 2, MPI_DOUBLE, root, MPI_COMM_SELF);
    }
    keep(NULL);
}

struct head {
    int kind, count;
};
struct body {
    struct head head;
    double value[3];
};
struct list {
    int count;
    double value[];
};
static struct {
    double value[20];
    int id[4];
} large;

static void pointed(void)
{
    struct list *list = calloc(1, sizeof *list + 80);
    struct body *body = calloc(2, sizeof *body);
    struct head *head = &body->head;
    int lengths[] = {1, 10}, two[] = {2, 3};
    MPI_Aint at[] = {0, offsetof(struct list, value)}, in[] = {0, offsetof(struct body, value)};
    MPI_Datatype members[] = {MPI_INT, MPI_DOUBLE}, type, bodies;
    __int128 wide = 1;
    keep(list), keep(&head), keep(&wide);
    MPI_Type_create_struct(2, lengths, at, members, &type), MPI_Type_commit(&type);
    MPI_Type_create_struct(2, two, in, members, &bodies), MPI_Type_commit(&bodies);
    INIT(list, 1, type);
    INIT(list, 20, type); /* finds: buffer */
    INIT(head, 2, bodies);
    INIT(&wide, 2, MPI_UINT64_T);
    INIT(&wide, 16, MPI_BYTE);
    INIT(&wide, 17, MPI_BYTE); /* finds: buffer -g */
    INIT(large.id, 4, MPI_INT);
    INIT(large.id, 4, MPI_FLOAT); /* finds: buffer-type -g */
    MPI_Type_free(&type), MPI_Type_free(&bodies);
    free(list), free(body);
}

/* The address in a structure is told where it is sent as bytes. */
struct named {
    int length;
    struct {
        double *data;
    } of;
};
static void addresses(void)
{
    struct named a = {0}, *b = calloc(3, sizeof *b);
    keep(&a), keep(b);
    INIT(&a, sizeof a, MPI_BYTE);     /* finds: buffer-type note -g */
    INIT(b, 3 * sizeof *b, MPI_BYTE); /* finds: buffer-type note stack */
    INIT(&a.length, 1, MPI_INT);
    INIT(&a, sizeof a.length, MPI_BYTE);
    RECV(&a, sizeof a, MPI_BYTE, sizeof a);
    free(b);
}

/* A signed comparison is wrong only for the upper half of the unsigned numbers of 8 bytes. */
static void compared(void)
{
    uint64_t in[2] = {1, 2}, out[2];
    keep(in), keep(out);
    MPI_Allreduce(in, out, 2, MPI_LONG, MPI_MAX, MPI_COMM_SELF);
    in[1] = UINT64_MAX;
    keep(in);
    MPI_Allreduce(in, out, 2, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_SELF);
    MPI_Allreduce(in, out, 2, MPI_LONG, MPI_SUM, MPI_COMM_SELF);
    MPI_Allreduce(in, out, 2, MPI_LONG, MPI_MIN, MPI_COMM_SELF); /* finds: buffer-type -g */
}

/* A block that the program uses by pointers of two types, one of which may have no place. */
static double *numbers;
static void used_as_int(void)
{
    int *whole = (int *)numbers;
    INIT(whole, 4, MPI_INT);
    INIT(&whole[0], 16, MPI_INT);
}
static void used_as_double(void)
{
    INIT(numbers, 8, MPI_DOUBLE);
    INIT(numbers, 4, MPI_INT); /* finds: buffer-type -g */
}
static void used(void)
{
    numbers = calloc(8, sizeof *numbers);
    used_as_int();
    used_as_double();
    free(numbers);
}

/* Elements of a datatype that are closer to each other than the structures that they are. */
static void extents(void)
{
    struct point *list = calloc(4, sizeof *list), row[4] = {{0}};
    struct {
        char tag;
        double x;
    } *tight = calloc(4, sizeof *tight);
    int ones[] = {1, 1};
    MPI_Aint at[] = {offsetof(struct point, tag), offsetof(struct point, x)};
    MPI_Datatype members[] = {MPI_CHAR, MPI_DOUBLE}, brief, whole, other;
    keep(list), keep(row), keep(tight);
    MPI_Type_create_struct(2, ones, at, members, &brief);
    MPI_Type_create_resized(brief, 0, sizeof *list, &whole);
    MPI_Type_create_resized(brief, 0, 2 * sizeof *list, &other);
    MPI_Type_commit(&brief), MPI_Type_commit(&whole), MPI_Type_commit(&other);
    INIT(list, 4, brief); /* finds: buffer-type stack */
    INIT(row, 4, brief);  /* finds: buffer-type -g */
    INIT(list, 4, whole);
    INIT(row, 4, whole);
    INIT(list, 2, other);
    INIT(list, 1, brief);
    INIT(tight, 4, brief);
    MPI_Type_free(&brief), MPI_Type_free(&whole), MPI_Type_free(&other);
    free(list), free(tight);
}

/* Members of one byte: in a row, they may hold anything. */
static void single_bytes(void)
{
    struct {
        char tag;
        bool known;
        double x;
    } one = {0};
    struct {
        unsigned char red, green, blue, alpha;
    } color = {0};
    struct {
        int kind;
        char data[12];
    } packet = {0};
    struct {
        char one, other;
        short level;
        int n;
    } options = {0};
    keep(&one), keep(&color), keep(&packet), keep(&options);
    INIT(&one.tag, 1, MPI_CHAR);
    INIT(&one.known, 1, MPI_C_BOOL);
    INIT(&one.known, 1, MPI_INT); /* finds: buffer-type -g */
    INIT(&color, 1, MPI_INT);
    INIT(packet.data, 3, MPI_INT);
    INIT(&packet, 4, MPI_INT);
    INIT(&options, 1, MPI_INT); /* finds: buffer-type -g */
    INIT(&options, 1, MPI_SHORT);
}

/* What begins before its memory. */
static void displaced(void)
{
    int *block = calloc(40, sizeof *block), *from_one = block - 1, n[] = {4}, back[] = {-2},
        zero[] = {0}, on[] = {1}, ones[] = {1, 1}, negative[] = {-1, 0};
    MPI_Datatype behind;
    keep(block);
    MPI_Type_indexed(2, ones, negative, MPI_INT, &behind);
    MPI_Type_commit(&behind);
    INIT(block, 1, behind); /* finds: buffer */
    INIT(block + 1, 1, behind);
    INIT(table, 1, behind); /* finds: buffer */
    INIT(table + 1, 1, behind);
#define FROM(at, displs) \
    MPI_Alltoallv(at, n, displs, MPI_INT, bytes, n, zero, MPI_INT, MPI_COMM_SELF)
    FROM(block, zero);
    FROM(block + 2, back);
    FROM(from_one, on);
    FROM(block, back); /* finds: buffer */
    MPI_Type_free(&behind);
    free(block);
}

/* Memory whose pointers lie in a caller's frame, in objects, and in static memory. */
struct mesh {
    int n;
    double *cell;
    float *spare;
};
double *field;
static __attribute__((noinline)) void raw(const void *data, MPI_Datatype type)
{
    INIT(data, 8, type); /* finds: buffer-type stack */
}
static __attribute__((noinline)) void raw_right(const void *data, MPI_Datatype type)
{
    INIT(data, 8, type);
}
static __attribute__((noinline)) void of_object(struct mesh *mesh, double **row)
{
    INIT(mesh->cell, 8, MPI_DOUBLE);
    INIT(mesh->cell, 8, MPI_FLOAT); /* finds: buffer-type stack */
    INIT(row[1], 8, MPI_DOUBLE);
    INIT(row[1], 8, MPI_FLOAT); /* finds: buffer-type stack */
}
static void elsewhere(void)
{
    struct mesh mesh = {8, calloc(16, sizeof(double)), calloc(9, sizeof(float))};
    double *row[2] = {mesh.cell, mesh.cell + 8};
    field = calloc(8, sizeof *field);
    keep(&mesh), keep(row), keep(&field);
    of_object(&mesh, row);
    INIT(field, 8, MPI_DOUBLE);
    INIT(field, 8, MPI_FLOAT); /* finds: buffer-type -g */
    raw(mesh.cell, MPI_FLOAT);
    raw_right(mesh.cell, MPI_DOUBLE);
    free(mesh.spare); /* and its pointer is left */
    int *fresh = calloc(9, sizeof *fresh);
    keep(fresh);
    raw_right(fresh, MPI_INT);
    free(fresh), free(field), free(mesh.cell);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    pushed();
    temporary(argc);
    merged(argc, 0);
    merged(argc + 5, 0);
    pointed();
    used();
    keep(before), keep(after);
    overruns();
    heap();
    types();
    structures();
    extents();
    single_bytes();
    displaced();
    inlined();
    elsewhere();
    addresses();
    compared();
    INIT(table, 0, MPI_INT);
    MPI_Allreduce(MPI_IN_PLACE, table, 10, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
