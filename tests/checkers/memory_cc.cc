// As memory.c, for what C++ has.
#include <array>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

static MPI_Request request;

template <class T> __attribute__((noinline)) static void keep(T *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}
#define INIT(at, count, type)                              \
    (MPI_Send_init(at, count, type, 0, 0, MPI_COMM_SELF, &request), MPI_Request_free(&request))

// Counts that an int cannot hold.
static char bytes[16];
static const long large = 1l << 32;
__attribute__((noinline)) static void counts(std::size_t n, long m)
{
    int part = (int)(n & 0xff);
    keep(&n), keep(&m);
    MPI_Comm self = MPI_COMM_SELF;
    auto r = &request;
    MPI_Send_init(bytes, n, MPI_CHAR, 0, 0, self, r); // finds: argument error -g stack
    MPI_Request_free(r);
    MPI_Send_init(bytes, (int)m, MPI_CHAR, 0, 0, self, r); // finds: argument error -g stack
    MPI_Request_free(r);
    MPI_Send_init(bytes, n & 0xff, MPI_CHAR, 0, 0, MPI_COMM_SELF, r);
    MPI_Request_free(r);
    MPI_Send_init(bytes, part, MPI_CHAR, 0, 0, MPI_COMM_SELF, r);
    MPI_Request_free(r);
}

// Elements that a vector has reserved memory for, and does not have.
struct filled {
    std::vector<int> own;
};
static std::vector<double> kept;
template <class T> struct bump { // takes memory that the program also sends whole
    using value_type = T;
    T *allocate(std::size_t) { return (T *)place; }
    void deallocate(T *, std::size_t) {}
    static inline char *place = (char *)calloc(1, 256);
};
template <class A, class B> bool operator==(const bump<A> &, const bump<B> &) { return true; }
template <class A, class B> bool operator!=(const bump<A> &, const bump<B> &) { return false; }
__attribute__((noinline)) static void fill(std::vector<double> &more, filled *f)
{
    std::vector<double> none, some(3), grown;
    none.reserve(10), some.reserve(10);
    for (int i = 0; i < 5; i++) grown.push_back(i); // has memory for eight
    keep(&none), keep(&some), keep(&grown);
    INIT(none.data(), 10, MPI_DOUBLE); // finds: buffer-type stack
    INIT(some.data(), 3, MPI_DOUBLE);
    INIT(some.data(), 4, MPI_DOUBLE); // finds: buffer-type stack
    INIT(some.data() + 2, 1, MPI_DOUBLE);
    INIT(&grown[1], 4, MPI_DOUBLE);
    INIT(grown.data(), 5, MPI_DOUBLE);
    INIT(more.data(), 4, MPI_DOUBLE);
    INIT(more.data(), 5, MPI_DOUBLE); // finds: buffer-type stack
    INIT(f->own.data(), 2, MPI_INT);
    INIT(f->own.data(), 3, MPI_INT); // finds: buffer-type stack
    std::vector<double, bump<double>> part(3);
    INIT(part.data(), 32, MPI_DOUBLE);
    INIT(kept.data(), 4, MPI_DOUBLE);
    INIT(kept.data(), 5, MPI_DOUBLE); // finds: buffer-type stack
}

namespace app {
int table[10];
struct base {
    int kind;
};
struct derived : base {
    float weight[3];
    static int shared[4];
    void send() { INIT(weight, 4, MPI_FLOAT); }
    void send_right() { INIT(weight, 3, MPI_FLOAT); }
};
int derived::shared[4];
enum class color : int { red, green };
} // namespace app

template <class T> struct grid {
    T cell[8];
    void send(MPI_Datatype type, int count) { INIT(cell, count, type); }
};

template <class T> struct datatype;
template <> struct datatype<int> {
    static MPI_Datatype get()
    {
        return MPI_INT;
    }
};
template <> struct datatype<float> {
    static MPI_Datatype get()
    {
        return MPI_FLOAT;
    }
};
template <class T> void send_value(const T &value)
{
    INIT(&value, 1, datatype<T>::get());
}

namespace app
{
// Values without a name, in places of the stack that variables have at other times.
__attribute__((noinline)) static void temporaries(int n)
{
    double late[2];
    int status[6];
    send_value(5);
    send_value(n * 2.5f);
    INIT((std::array<int, 4>{1, n, 3, 4}.data()), 4, MPI_INT);
    INIT((std::array<float, 8>{1, (float)n, 3}.data()), 8, MPI_FLOAT);
    for (int i = 0; i < n; i++) {
        double inner[4];
        INIT((std::array<int, 8>{1, i, 3}.data()), 8, MPI_INT);
        inner[0] = i;
        keep(inner);
    }
    late[0] = late[1] = n;
    status[0] = n;
    keep(late), keep(status);
    INIT(late, 2, MPI_DOUBLE);
    INIT(late, 3, MPI_DOUBLE); // finds: buffer -g
    INIT(status, 6, MPI_INT);
    INIT(status, 6, MPI_FLOAT); // finds: buffer-type -g
}
} // namespace app

// What containers and members of structures point to.
struct particle {
    double x, y;
    int cell;
    double t;
};
struct holder {
    int n;
    double *value;
};
static void owned_elsewhere()
{
    std::vector<particle> list(4);
    std::vector<double> values(8), none;
    std::vector<char> raw(64);
    std::vector<std::complex<double>> z(4);
    std::unique_ptr<particle[]> owner(new particle[4]());
    holder held{4, new double[4]()};
    int ones[] = {1, 1};
    MPI_Aint at[] = {offsetof(particle, x), offsetof(particle, cell)};
    MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT}, brief, whole;
    keep(&list), keep(&values), keep(&raw), keep(&z), keep(&owner), keep(&held), keep(&none);
    MPI_Type_create_struct(2, ones, at, members, &brief);
    MPI_Type_create_resized(brief, 0, sizeof(particle), &whole);
    MPI_Type_commit(&brief), MPI_Type_commit(&whole);
    INIT(list.data(), 4, brief);            // finds: buffer-type stack
    INIT(list.data(), 4, whole);
    INIT(list.data(), 1, brief);
    INIT(owner.get(), 4, brief);            // finds: buffer-type stack
    INIT(owner.get(), 4, whole);
    INIT(values.data(), 8, MPI_DOUBLE);
    INIT(values.data(), 8, MPI_LONG);       // finds: buffer-type stack
    INIT(values.data(), 64, MPI_BYTE);
    INIT(raw.data(), 8, MPI_DOUBLE);
    INIT(z.data(), 8, MPI_DOUBLE);
    INIT(held.value, 4, MPI_DOUBLE);
    INIT(held.value, 4, MPI_LONG);          // finds: buffer-type stack
    MPI_Type_free(&brief), MPI_Type_free(&whole);
    delete[] held.value;
}

// Objects whose bytes are not their data. Others named like containers may be.
namespace own
{
template <class T, int N> struct vector {
    T value[N];
};
} // namespace own
struct options {
    int n;
    std::string name;
};
struct plain {
    int n;
    own::vector<double, 3> x;
};
static void objects()
{
    options one{3, "a name that is longer than a short one"};
    plain all[2] = {};
    std::vector<options> several(2);
    keep(&one), keep(all), keep(&several);
    INIT(&one, (int)sizeof one, MPI_BYTE);  // finds: buffer-type stack
    INIT(&one, (int)sizeof one.n, MPI_BYTE);
    INIT(&one.n, 1, MPI_INT);
    INIT(all, (int)sizeof all, MPI_BYTE);
    INIT(several.data(), (int)(2 * sizeof one), MPI_BYTE); // finds: buffer-type stack
    INIT(one.name.data(), (int)one.name.size(), MPI_BYTE);
}

// Memory to which members of the object point, or a container that the caller has.
class halo
{
    std::vector<double> face = std::vector<double>(8);
    std::unique_ptr<float[]> edge{new float[8]()};

  public:
    __attribute__((noinline)) void send()
    {
        INIT(face.data(), 8, MPI_DOUBLE);
        INIT(face.data(), 4, MPI_LONG);     // finds: buffer-type stack
        INIT(edge.get(), 8, MPI_FLOAT);
        INIT(edge.get(), 4, MPI_DOUBLE);    // finds: buffer-type stack
    }
};
__attribute__((noinline)) static void send_all(const std::vector<double> &all)
{
    INIT(all.data(), 8, MPI_DOUBLE);
    INIT(all.data(), 8, MPI_FLOAT);         // finds: buffer-type stack
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::vector<double> four(4);
    filled two{std::vector<int>(2)};
    four.reserve(20), two.own.reserve(20);
    kept.resize(4), kept.reserve(20);
    fill(four, &two);
    app::temporaries(argc + 1);
    owned_elsewhere();
    objects();
    halo().send();
    send_all(std::vector<double>(8));
    std::vector<double> v(8);
    std::array<int, 8> a{};
    std::complex<double> z[2];
    std::byte raw[16];
    std::string text(100, 'x'), small("short");
    std::unique_ptr<int[]> owned(new int[16]());
    app::derived d{};
    app::derived list[2]{};
    app::color color = app::color::red;
    grid<long> longs{};
    const int &reference = a[0];
    double *where = v.data();
    keep(&a), keep(z), keep(raw), keep(&d), keep(list);
    keep(&color), keep(&longs), keep(&v), keep(&where);
    INIT(v.data(), 8, MPI_DOUBLE);
    INIT(v.data() + 2, 6, MPI_DOUBLE);
    INIT(v.data(), 200, MPI_DOUBLE);        // finds: buffer
    INIT(&v, 3, MPI_DOUBLE);                // finds: buffer-type -g
    INIT(&v, 8, MPI_DOUBLE);                // finds: buffer -g
    INIT(a.data(), 8, MPI_INT);
    INIT(a.data(), 9, MPI_INT);             // finds: buffer -g
    INIT(a.data(), 4, MPI_DOUBLE);          // finds: buffer-type -g
    INIT(&reference, 8, MPI_INT);
    INIT(z, 2, MPI_C_DOUBLE_COMPLEX);
    INIT(z, 2, MPI_CXX_DOUBLE_COMPLEX);
    INIT(z, 4, MPI_DOUBLE);
    INIT(z, 4, MPI_FLOAT);                  // finds: buffer-type -g
    INIT(raw, 2, MPI_DOUBLE);
    INIT(raw, 3, MPI_DOUBLE);               // finds: buffer -g
    INIT(&text[0], 100, MPI_CHAR);
    INIT(text.data(), 25, MPI_BYTE);
    INIT(text.data(), 25, MPI_INT);         // finds: buffer-type note -g
    INIT(small.data(), 8, MPI_CHAR);
    INIT(small.data(), 2, MPI_INT);         // finds: buffer-type note -g
    INIT(&text, 4, MPI_CHAR);               // finds: buffer-type note -g
    INIT(owned.get(), 16, MPI_INT);
    INIT(&color, 1, MPI_INT);
    INIT(app::table, 10, MPI_INT);
    INIT(app::table, 11, MPI_INT);          // finds: buffer
    INIT(app::derived::shared, 5, MPI_INT); // finds: buffer
    INIT(&d.kind, 1, MPI_INT);
    INIT(list, 2 * (int)sizeof *list, MPI_BYTE);
    INIT(&list[1].weight[2], 1, MPI_FLOAT);
    INIT(&list[1].weight[2], 2, MPI_FLOAT); // finds: buffer -g
    list[0].send_right();
    longs.send(MPI_LONG, 8);
    longs.send(MPI_LONG_LONG, 8);
    INIT(where, 8, MPI_DOUBLE);
    INIT(&where, 2, MPI_FLOAT);             // finds: buffer-type -g
    counts(large + 10, large + 10);
    MPI_Finalize();
    return 0;
}
