/* Files with random views: every rank computes the same plan and does its part. Elementary types,
 * file types, types in memory, offsets and calls are drawn; ranks write cells of their own, sync,
 * and read anybody's. For 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4, TILE = 16, TILES = 6, ROUNDS = 24 };

static unsigned long long state = 1442695040888963407ull;
static int rank;
static char path[4096];
static MPI_Comm world;

static unsigned draw(unsigned bound)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 20) % bound;
}

static unsigned long digest(const void *data, int bytes)
{
    unsigned long sum = 5381;
    for (int i = 0; i < bytes; i++)
        sum = sum * 33 + ((const unsigned char *)data)[i];
    return sum;
}

/* Deals the cells of a tile out: owner[i] is a rank, each has at least one. */
static void deal(int owner[TILE])
{
    for (int i = 0; i < TILE; i++)
        owner[i] = i < RANKS ? i : (int)draw(RANKS);
    for (int i = TILE - 1; i > 0; i--) {
        int k = (int)draw((unsigned)i + 1), other = owner[i];
        owner[i] = owner[k];
        owner[k] = other;
    }
}

static MPI_Datatype view_of(const int owner[TILE], int whose, MPI_Datatype etype, int *cells)
{
    int places[TILE], n = 0;
    MPI_Datatype some, all;
    MPI_Aint lb, extent;
    for (int i = 0; i < TILE; i++)
        if (owner[i] == whose)
            places[n++] = i;
    *cells = n;
    MPI_Type_get_extent(etype, &lb, &extent);
    MPI_Type_create_indexed_block(n, 1, places, etype, &some);
    MPI_Type_create_resized(some, 0, TILE * extent, &all);
    MPI_Type_commit(&all);
    MPI_Type_free(&some);
    return all;
}

/* A type in memory of n elements with gaps. */
static MPI_Datatype memory_of(int n, int gap, MPI_Datatype etype)
{
    MPI_Datatype made;
    MPI_Type_vector(n, 1, 1 + gap, etype, &made);
    MPI_Type_commit(&made);
    return made;
}

static void transfer(MPI_File f, int write, int how, MPI_Offset at, void *data, MPI_Datatype type,
                     MPI_Status *s)
{
    MPI_Request r;
    memset(s, 0, sizeof *s);
    if (how == 1 || how == 3 || how == 5 || how == 7)
        MPI_File_seek(f, at, MPI_SEEK_SET);
    switch (how) {
    case 0:
        write ? MPI_File_write_at(f, at, data, 1, type, s)
              : MPI_File_read_at(f, at, data, 1, type, s);
        break;
    case 1:
        write ? MPI_File_write(f, data, 1, type, s) : MPI_File_read(f, data, 1, type, s);
        break;
    case 2:
        write ? MPI_File_write_at_all(f, at, data, 1, type, s)
              : MPI_File_read_at_all(f, at, data, 1, type, s);
        break;
    case 3:
        write ? MPI_File_write_all(f, data, 1, type, s) : MPI_File_read_all(f, data, 1, type, s);
        break;
    case 4:
        write ? MPI_File_iwrite_at(f, at, data, 1, type, &r)
              : MPI_File_iread_at(f, at, data, 1, type, &r);
        MPI_Wait(&r, s);
        break;
    case 5:
        write ? MPI_File_iwrite(f, data, 1, type, &r) : MPI_File_iread(f, data, 1, type, &r);
        MPI_Wait(&r, s);
        break;
    case 6:
        write ? MPI_File_write_at_all_begin(f, at, data, 1, type)
              : MPI_File_read_at_all_begin(f, at, data, 1, type);
        write ? MPI_File_write_at_all_end(f, data, s) : MPI_File_read_at_all_end(f, data, s);
        break;
    default:
        write ? MPI_File_iwrite_all(f, data, 1, type, &r)
              : MPI_File_iread_all(f, data, 1, type, &r);
        MPI_Wait(&r, s);
    }
}

static void pass_on(MPI_File f)
{
    MPI_File_sync(f);
    MPI_Barrier(world);
    MPI_File_sync(f);
}

/* One file for all rounds: opened and closed in quick succession, Open MPI's shared file pointers
 * trip over each other. */
static void round_of(MPI_File f, int number)
{
    static unsigned char memory[4096];
    const MPI_Datatype etypes[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_BYTE};
    MPI_Datatype etype = etypes[draw(4)];
    int owner[TILE], cells, size, atomic = draw(4) == 0, disp = (int)draw(40);
    MPI_Offset at, bytes;
    MPI_Status s;
    MPI_Type_size(etype, &size);
    deal(owner);
    MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_set_size(f, 0);
    MPI_File_set_atomicity(f, atomic);
    MPI_Datatype mine = view_of(owner, rank, etype, &cells);
    MPI_File_set_view(f, disp, etype, mine, "native", MPI_INFO_NULL);
    for (int i = 0; i < (int)sizeof memory; i++)
        memory[i] = (unsigned char)(rank * 50 + i + number);
    for (int turn = 0; turn < 4; turn++) { /* the ranks write different amounts */
        int how = (int)draw(8), gap = (int)draw(3), n[RANKS], from[RANKS], count, moved;
        for (int r = 0; r < RANKS; r++) {
            n[r] = 1 + (int)draw(8); /* none at all is more than OMPIO bears */
            from[r] = (int)draw(TILES * 2);
        }
        MPI_Datatype type = memory_of(n[rank], gap, etype);
        transfer(f, 1, how, from[rank], memory + 16 * turn, type, &s);
        MPI_Get_count(&s, etype, &count);
        MPI_Get_count(&s, type, &moved);
        MPI_Type_free(&type);
        MPI_File_get_position(f, &at);
        MPI_File_get_byte_offset(f, from[rank] + n[rank], &bytes);
        printf("round %02d rank %d write %d: %d of %d, position %lld, next byte %lld\n", number,
               rank, how, count, n[rank], (long long)at, (long long)bytes);
    }
    pass_on(f);
    MPI_File_get_size(f, &bytes);
    printf("round %02d rank %d: size %lld\n", number, rank, (long long)bytes);
    MPI_Type_free(&mine);
    MPI_Barrier(world);
    int beyond = number % 2; /* some read past the end: OMPIO's nonblocking reads never come back
                                from there, its collective ones say they got everything */
    if (!beyond)
        MPI_File_set_size(f, 10000);
    for (int turn = 0; turn < 4; turn++) { /* everybody reads somebody's, or everything */
        const int waits[] = {0, 1, 0, 1, 0, 1, 0, 1};
        int any = (int)draw(8), how = beyond ? waits[any] : any, gap = (int)draw(3),
            whose = (int)draw(RANKS + 1), n = 1 + (int)draw(20), count;
        MPI_Offset from = draw(TILES * 2);
        MPI_Datatype view = whose == RANKS ? etype : view_of(owner, whose, etype, &cells),
                     type = memory_of(n, gap, etype);
        MPI_File_set_view(f, disp, etype, view, "native", MPI_INFO_NULL);
        memset(memory, 7, sizeof memory);
        transfer(f, 0, how, from, memory, type, &s);
        MPI_Get_count(&s, etype, &count);
        printf("round %02d rank %d read %d of %d: %d of %d, %lx\n", number, rank, how, whose, count,
               n, digest(memory, sizeof memory));
        MPI_Type_free(&type);
        if (whose < RANKS)
            MPI_Type_free(&view);
    }
    pass_on(f);
}

/* The shared pointer, in order and not. */
static void shared(MPI_File f)
{
    MPI_Offset at;
    MPI_Status s;
    int data[8], in[40], count;
    for (int i = 0; i < 8; i++)
        data[i] = rank * 100 + i;
    MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_set_size(f, 0);
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_ordered(f, data, rank + 1, MPI_INT, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    MPI_Barrier(world);
    MPI_File_get_position_shared(f, &at);
    printf("ordered rank %d: %d, then %lld\n", rank, count, (long long)at);
    MPI_Barrier(world);
    MPI_File_write_ordered_begin(f, data, 2, MPI_INT);
    MPI_File_write_ordered_end(f, data, &s);
    pass_on(f);
    memset(in, 0, sizeof in);
    MPI_File_read_at(f, 0, in, 18, MPI_INT, &s);
    printf("ordered rank %d: %lx\n", rank, digest(in, sizeof in));
    MPI_File_seek_shared(f, 3, MPI_SEEK_SET);
    memset(in, 0, sizeof in);
    MPI_File_read_ordered(f, in, 3, MPI_INT, &s);
    printf("ordered rank %d: %d %d %d\n", rank, in[0], in[1], in[2]);
    /* Of views with a displacement or with holes OMPIO has another idea of where the end is than
     * the standard. */
    MPI_File_seek_shared(f, 0, MPI_SEEK_END);
    MPI_File_get_position_shared(f, &at);
    MPI_Barrier(world);
    printf("shared rank %d: end %lld\n", rank, (long long)at);
    MPI_File_write_shared(f, &rank, 1, MPI_INT, &s); /* who comes first is anybody's guess */
    pass_on(f);
    memset(in, 0, sizeof in);
    MPI_File_read_at(f, 18, in, 4, MPI_INT, &s);
    printf("shared rank %d: sum %d of %d\n", rank, in[0] + in[1] + in[2] + in[3],
           in[0] | in[1] | in[2] | in[3]);
    MPI_Barrier(world);
    MPI_File_set_size(f, 20);
    MPI_File_get_size(f, &at);
    MPI_Barrier(world);
    printf("shared rank %d: size %lld\n", rank, (long long)at);
    MPI_File_preallocate(f, 50);
    MPI_File_get_size(f, &at);
    MPI_Barrier(world);
    printf("shared rank %d: size %lld\n", rank, (long long)at);
}

static void say(const char *what, int code)
{
    int class;
    MPI_Error_class(code, &class);
    printf("error rank %d %s: %d\n", rank, what, class);
}

static void errors(void)
{
    MPI_File f;
    MPI_Offset at;
    int x = 0;
    MPI_Status s;
    say("no such file",
        MPI_File_open(world, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
    say("mode", MPI_File_open(world, path, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
    say("no mode", MPI_File_open(world, path, MPI_MODE_CREATE, MPI_INFO_NULL, &f));
    if (rank == 0)
        say("delete", MPI_File_delete("/nowhere/at/all", MPI_INFO_NULL));
    say("open", MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f));
    say("read of a file to be written", MPI_File_read_at(f, 0, &x, 1, MPI_INT, &s));
    say("write", MPI_File_write_at(f, rank * 4, &x, 1, MPI_INT, &s));
    say("close", MPI_File_close(&f));
    say("exists", MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                                MPI_INFO_NULL, &f));
    say("open",
        MPI_File_open(world, path, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f));
    say("write of a file to be read", MPI_File_write_at(f, 0, &x, 1, MPI_INT, &s));
    say("whence", MPI_File_seek(f, 0, 77));
    say("type", MPI_File_read_at(f, 0, &x, 1, MPI_DATATYPE_NULL, &s));
    say("count", MPI_File_read_at(f, 0, &x, -1, MPI_INT, &s));
    say("representation", MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "strange", MPI_INFO_NULL));
    say("past the end", MPI_File_read_at(f, 1000, &x, 1, MPI_INT, &s));
    MPI_Get_count(&s, MPI_INT, &x);
    printf("error rank %d: %d read\n", rank, x);
    MPI_File_get_size(f, &at);
    printf("error rank %d: size %lld\n", rank, (long long)at);
    say("close", MPI_File_close(&f));
    say("closed", MPI_File_get_size(f, &at));
}

int main(int argc, char **argv)
{
    int id = (int)getpid();
    setvbuf(stdout, NULL, _IOLBF, 0);
    setenv("OMPI_MCA_fcoll", "individual",
           0); /* vulcan, the default, writes other data than it was given */
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Bcast(&id, 1, MPI_INT, 0, world);
    snprintf(path, sizeof path, "%s/conform.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", id);
    MPI_File f;
    MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    for (int i = 0; i < ROUNDS; i++)
        round_of(f, i);
    shared(f);
    MPI_File_close(&f);
    errors();
    MPI_Finalize();
    return 0;
}
