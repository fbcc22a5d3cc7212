/* Calls that MPI must refuse: of each function, each argument in turn is a value that makes no
 * sense, beside arguments that do, beside pointers that are null, and beside pointers to nowhere.
 *
 * illegal try        in processes that may crash or hang: prints the numbers and functions of
 *                    those that come back
 * illegal run FILE   those, one after another: prints the class of the error, and how often the
 *                    error handler was called
 * illegal end FILE   the same, but errors are fatal
 * illegal list       the numbers and functions of all
 * illegal each STEP MILLISECONDS [FILE]
 *                    every STEP-th of all, and of calls with wrong handles of more kinds, or those
 *                    of the file, each in a child that the recorder takes for the process itself:
 *                    prints the class of the error, how often the handler was called and which
 *                    variables were written, or the status of a child that crashed or took longer
 *
 * The functions come from illegal.py. One rank. */
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind {
    BUFFER,
    COUNT,
    TYPE,
    PEER,
    TARGET,
    TAG,
    COMM,
    OP,
    GROUP,
    WIN,
    FILE_,
    INFO,
    REQUEST,
    REQUESTS,
    MESSAGE,
    STATUS,
    COMM_IO,
    GROUP_IO,
    TYPE_IO,
    OP_IO,
    WIN_IO,
    FILE_IO,
    INFO_IO,
    ERRHANDLER_IO,
    KEYVAL_IO,
    INT,
    WIDE,
    TEXT,
    INTS,
    AINTS,
    TYPES,
    FUNCTION,
    ERRHANDLER,
    KEYVAL,
    OUT
};
enum { PARAMETERS_MAX = 12, CASE_MICROSECONDS = 300000, ARRAY = 64 };
struct call {
    const char *name;
    int (*make)(const intptr_t *v);
    bool neighbors; /* wants a topology */
    int count;
    struct {
        const char *name;
        enum kind kind;
    } parameter[PARAMETERS_MAX];
};
#include "illegal_calls.h" /* illegal.py */

static char buffer[4][65536];
static int ones[ARRAY], keyval, gone_keyval, handled;
static MPI_Aint wide[ARRAY];
static MPI_Datatype types[ARRAY], bad_types[ARRAY], uncommitted, empty_type;
static MPI_Request requests[ARRAY];
static MPI_Status statuses[ARRAY];
static MPI_Comm grid;
static MPI_Group group;
static MPI_Op own_op;
static MPI_Win win;
static MPI_File file;
static MPI_Info info;
static MPI_Errhandler handler[3];
static FILE *out;
static const intptr_t nowhere = 0x7e0000000000;
static bool each; /* trials with wrong handles of every kind are among them */

static void count_comm(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
    handled++;
}
static void count_win(MPI_Win *of, int *error, ...)
{
    (void)of;
    (void)error;
    handled++;
}
static void count_file(MPI_File *of, int *error, ...)
{
    (void)of;
    (void)error;
    handled++;
}
static void add(void *in, void *to, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)to;
    (void)count;
    (void)type;
}
/* For any callback. */
static int agree(void)
{
    return MPI_SUCCESS;
}

static void prepare(bool fatal)
{
    const int dims[1] = {1}, periods[1] = {1};
    MPI_Comm_create_errhandler(count_comm, &handler[0]);
    MPI_Win_create_errhandler(count_win, &handler[1]);
    MPI_File_create_errhandler(count_file, &handler[2]);
    for (int i = 0; fatal && i < 3; i++)
        handler[i] = MPI_ERRORS_ARE_FATAL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler[0]);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler[0]);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler[2]);
    for (int i = 0; i < ARRAY; i++) {
        ones[i] = 1;
        wide[i] = 4;
        types[i] = MPI_INT;
        bad_types[i] = MPI_DATATYPE_NULL;
        requests[i] = MPI_REQUEST_NULL;
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Type_contiguous(3, MPI_INT, &uncommitted);
    MPI_Op_create(add, 1, &own_op);
    MPI_Win_create(buffer[3], sizeof buffer[3], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, handler[1]);
    MPI_Info_create(&info);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    gone_keyval = keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &gone_keyval, NULL);
    int freed = gone_keyval;
    MPI_Comm_free_keyval(&freed);
    MPI_Type_contiguous(0, MPI_INT, &empty_type);
    MPI_Type_commit(&empty_type);
}

/* A function's own: what another has left of one may make the next wait for ever. */
static void open_file(void)
{
    static int number;
    char name[64];
    snprintf(name, sizeof name, "illegal.%d.%d", (int)getpid(), number++);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, handler[2]);
    unlink(name);
}

/* What makes sense. */
static intptr_t sound(const struct call *c, int i)
{
    switch (c->parameter[i].kind) {
    case BUFFER:
        return (intptr_t)buffer[i % 3];
    case COUNT:
    case INT:
        return 1;
    case TYPE:
        return (intptr_t)MPI_INT;
    case PEER:
        return MPI_PROC_NULL;
    case TAG:
        return 5;
    case COMM:
        return (intptr_t)(c->neighbors ? grid : MPI_COMM_WORLD);
    case OP:
        return (intptr_t)MPI_SUM;
    case GROUP:
        return (intptr_t)group;
    case WIN:
        return (intptr_t)win;
    case FILE_:
        return (intptr_t)file;
    case INFO:
        return (intptr_t)info;
    case REQUEST:
        return (intptr_t)MPI_REQUEST_NULL;
    case REQUESTS:
        requests[0] = MPI_REQUEST_NULL;
        return (intptr_t)requests;
    case STATUS:
        return (intptr_t)statuses;
    case WIDE:
        return 4;
    case TEXT:
        return (intptr_t) "text";
    case INTS:
        return (intptr_t)ones;
    case AINTS:
        return (intptr_t)wide;
    case TYPES:
        return (intptr_t)types;
    case FUNCTION:
        return (intptr_t)agree;
    case ERRHANDLER:
        return (intptr_t)handler[c->name[0] == 'W' ? 1 : c->name[0] == 'F' ? 2 : 0];
    case KEYVAL:
        return keyval;
    case TARGET:
        return 0;
    default:
        return (intptr_t)(buffer[i % 3] + 1024 * i); /* a variable to write to, which holds null */
    }
}

/* What makes none. How many there are; which: the one that is wanted. */
static int illegal(enum kind kind, int which, intptr_t *value)
{
    static MPI_Comm comms[3];
    static MPI_Group groups[2];
    static MPI_Datatype some[3];
    static MPI_Op ops[3];
    static MPI_Win wins[2];
    static MPI_File files[2];
    static MPI_Info infos[2];
    static MPI_Errhandler handlers[2];
    comms[0] = MPI_COMM_NULL;
    comms[1] = 0;
    comms[2] = MPI_COMM_WORLD;
    groups[0] = MPI_GROUP_NULL;
    groups[1] = 0;
    some[0] = MPI_DATATYPE_NULL;
    some[1] = 0;
    some[2] = MPI_INT;
    ops[0] = MPI_OP_NULL;
    ops[1] = 0;
    ops[2] = MPI_SUM;
    wins[0] = MPI_WIN_NULL;
    wins[1] = 0;
    files[0] = MPI_FILE_NULL;
    files[1] = 0;
    infos[0] = MPI_INFO_NULL;
    infos[1] = 0;
    handlers[0] = MPI_ERRHANDLER_NULL;
    handlers[1] = 0;
#define IS(x) (intptr_t)(x)
#define VALUES(...)                                             \
    do {                                                        \
        const intptr_t values[] = {__VA_ARGS__};                \
        const int many = (int)(sizeof values / sizeof *values); \
        *value = values[which < many ? which : 0];              \
        return many;                                            \
    } while (0)
    switch (kind) {
    case BUFFER:
    case OUT:
    case MESSAGE:
    case FUNCTION:
    case TEXT:
    case REQUEST:
    case KEYVAL_IO:
        VALUES(0);
    case STATUS:
        VALUES(0, nowhere);
    case COUNT:
        VALUES(-1, 0, INT_MIN, 1 << 30);
    case INT:
        VALUES(-1, 0, INT_MIN, INT_MAX);
    case WIDE:
        VALUES(-1, INT64_MIN, 0);
    case TYPE:
        VALUES(IS(MPI_DATATYPE_NULL), 0, IS(uncommitted), IS(MPI_SHORT_INT), IS(empty_type));
    case PEER:
    case TARGET:
        VALUES(99, -99, INT_MAX);
    case TAG:
        VALUES(-5, INT_MIN, INT_MAX);
    case COMM:
        VALUES(IS(MPI_COMM_NULL), 0);
    case OP:
        VALUES(IS(MPI_OP_NULL), 0, IS(MPI_NO_OP), IS(MPI_MAXLOC), IS(own_op));
    case GROUP:
        VALUES(IS(MPI_GROUP_NULL), 0, IS(MPI_GROUP_EMPTY));
    case WIN:
        VALUES(IS(MPI_WIN_NULL), 0);
    case FILE_:
        VALUES(IS(MPI_FILE_NULL), 0);
    case INFO:
        VALUES(IS(MPI_INFO_NULL), 0);
    case ERRHANDLER:
        VALUES(IS(MPI_ERRHANDLER_NULL), 0);
    case REQUESTS:
        requests[0] = which == 1 ? (MPI_Request)0 : MPI_REQUEST_NULL;
        VALUES(0, IS(requests), nowhere);
    case COMM_IO:
        VALUES(0, IS(&comms[0]), IS(&comms[1]), IS(&comms[2]));
    case GROUP_IO:
        VALUES(0, IS(&groups[0]), IS(&groups[1]));
    case TYPE_IO:
        VALUES(0, IS(&some[0]), IS(&some[1]), IS(&some[2]));
    case OP_IO:
        VALUES(0, IS(&ops[0]), IS(&ops[1]), IS(&ops[2]));
    case WIN_IO:
        VALUES(0, IS(&wins[0]), IS(&wins[1]));
    case FILE_IO:
        VALUES(0, IS(&files[0]), IS(&files[1]));
    case INFO_IO:
        VALUES(0, IS(&infos[0]), IS(&infos[1]));
    case ERRHANDLER_IO:
        VALUES(0, IS(&handlers[0]), IS(&handlers[1]));
    case KEYVAL:
        VALUES(MPI_KEYVAL_INVALID, gone_keyval, -7, INT_MAX);
    case INTS:
    case AINTS:
        VALUES(0, nowhere);
    case TYPES:
        VALUES(0, IS(bad_types), nowhere);
    }
    return 0;
}

/* Made and freed a moment ago; of kinds with which the library then does not write into memory that
 * is no longer its own. */
static intptr_t gone(enum kind kind)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Info hints = MPI_INFO_NULL;
    intptr_t was = 0;
    switch (kind) {
    case COMM:
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        was = (intptr_t)comm;
        MPI_Comm_free(&comm);
        break;
    case TYPE:
        MPI_Type_vector(2, 1, 3, MPI_INT, &type);
        MPI_Type_commit(&type);
        was = (intptr_t)type;
        MPI_Type_free(&type);
        break;
    case INFO:
        MPI_Info_create(&hints);
        was = (intptr_t)hints;
        MPI_Info_free(&hints);
        break;
    default:
        break;
    }
    return was;
}

/* Handles that are wrong in other ways. */
enum wrong { FREED, OTHER_KIND, ZEROES, WILD, WRONGS };

static intptr_t freed_handle(enum kind kind)
{
    intptr_t was;
#define GONE(type, make, free) \
    do {                       \
        type made;             \
        make;                  \
        was = (intptr_t)made;  \
        free(&made);           \
        return was;            \
    } while (0)
    switch (kind) {
    case GROUP:
        GONE(MPI_Group, MPI_Group_incl(group, 1, (int[]){0}, &made), MPI_Group_free);
    case OP:
        GONE(MPI_Op, MPI_Op_create(add, 1, &made), MPI_Op_free);
    case WIN:
        GONE(MPI_Win, MPI_Win_create(buffer[3], 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &made),
             MPI_Win_free);
    case FILE_:
        GONE(MPI_File,
             MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &made),
             MPI_File_close);
    case REQUEST:
        GONE(MPI_Request,
             MPI_Send_init(buffer, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &made),
             MPI_Request_free);
    case ERRHANDLER:
        GONE(MPI_Errhandler, MPI_Comm_create_errhandler(count_comm, &made), MPI_Errhandler_free);
    default:
        return gone(kind);
    }
}

/* Where handles are numbers, numbers that are none; what the library finds at these addresses is
 * the same with and without the recorder. */
static intptr_t wrong_handle(enum kind kind, enum wrong wrong)
{
    static intptr_t zeroes[512];
    bool number = kind != FILE_ && sizeof(MPI_Comm) == sizeof(int);
    switch (wrong) {
    case FREED:
        return freed_handle(kind);
    case OTHER_KIND:
        return kind == TYPE ? (intptr_t)MPI_SUM : (intptr_t)MPI_INT;
    case ZEROES:
        return number ? (int)0x8c345671 : (intptr_t)zeroes;
    default:
        return number ? 0x12345678 : nowhere;
    }
}

/* The kind of handle that a kind of parameter is; OUT: it is none. */
static enum kind handle_of(enum kind kind)
{
    switch (kind) {
    case COMM:
    case COMM_IO:
        return COMM;
    case GROUP:
    case GROUP_IO:
        return GROUP;
    case TYPE:
    case TYPE_IO:
    case TYPES:
        return TYPE;
    case OP:
    case OP_IO:
        return OP;
    case WIN:
    case WIN_IO:
        return WIN;
    case FILE_:
    case FILE_IO:
        return FILE_;
    case INFO:
    case INFO_IO:
        return INFO;
    case REQUEST:
    case REQUESTS:
    case MESSAGE:
        return REQUEST;
    case ERRHANDLER:
    case ERRHANDLER_IO:
        return ERRHANDLER;
    default:
        return OUT;
    }
}

/* An argument of that kind with a wrong handle: it, or a variable that holds it. */
static intptr_t wrong_argument(enum kind kind, enum wrong wrong)
{
    static union {
        MPI_Comm handle; /* as wide as all of them */
        MPI_File file;
    } variable[ARRAY];
    enum kind handle = handle_of(kind);
    intptr_t value = wrong_handle(handle, wrong);
    if (kind == handle)
        return value;
    if (kind == FILE_IO)
        variable[0].file = (MPI_File)value;
    else
        variable[0].handle = (MPI_Comm)value;
    return (intptr_t)variable;
}

static bool pointer(enum kind kind)
{
    return kind == BUFFER || kind == INTS || kind == AINTS || kind == TYPES || kind == TEXT ||
           kind == REQUESTS;
}

/* The others: as they should be; pointers null and counts 0; pointers to nowhere. */
enum beside { SOUND, NOTHING, NOWHERE, BESIDES };

struct trial {
    int call, parameter, which;
    enum beside beside;
};

static bool trial_next(struct trial *t)
{
    intptr_t value;
    const struct call *c = &calls[t->call];
    if (++t->beside < BESIDES)
        return true;
    t->beside = SOUND;
    enum kind kind = c->parameter[t->parameter].kind;
    bool objects = kind == COMM || kind == TYPE || kind == INFO;
    if (++t->which <
        illegal(kind, 0, &value) + objects + (each && handle_of(kind) != OUT ? (int)WRONGS : 0))
        return true;
    t->which = 0;
    if (++t->parameter < c->count)
        return true;
    t->parameter = 0;
    return ++t->call < (int)(sizeof calls / sizeof *calls);
}

/* The argument that the trial is about. */
static intptr_t tried(const struct trial *t)
{
    intptr_t value;
    enum kind kind = calls[t->call].parameter[t->parameter].kind;
    int more = t->which - illegal(kind, t->which, &value);
    bool objects = kind == COMM || kind == TYPE || kind == INFO;
    return more < 0               ? value
           : objects && more == 0 ? gone(kind)
                                  : wrong_argument(kind, (enum wrong)(more - objects));
}

/* The arguments. */
static void prepare_call(const struct trial *t, intptr_t *v)
{
    static int last = -1;
    const struct call *c = &calls[t->call];
    if (last != t->call && !strncmp(c->name, "File", 4))
        open_file();
    last = t->call;
    memset(buffer, 0,
           sizeof buffer); /* of what the calls before have left nothing is asked again */
    for (int i = 0; i < c->count; i++) {
        enum kind kind = c->parameter[i].kind;
        v[i] = t->beside == NOTHING && (pointer(kind) || kind == COUNT) ? 0
               : t->beside == NOWHERE && pointer(kind)                  ? nowhere
                                                                        : sound(c, i);
    }
    v[t->parameter] = tried(t);
}

static int make(const struct trial *t)
{
    intptr_t v[PARAMETERS_MAX];
    prepare_call(t, v);
    handled = 0;
    return calls[t->call].make(v);
}

/* A child goes on until one of them ends it; the next begins behind that one. */
static void try_all(void)
{
    volatile int *made =
        mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct trial first = {0};
    int number = 0;
    for (bool more = made != MAP_FAILED; more; fflush(out)) {
        struct trial t = first;
        *made = number;
        pid_t child = fork();
        if (child == 0) {
            for (int s = 1; s < NSIG; s++)
                signal(s, SIG_DFL);
            setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
            do {
                setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, CASE_MICROSECONDS}}, NULL);
                make(&t);
                ++*made;
            } while (trial_next(&t));
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child)
            exit(1);
        for (int end = *made; more && number < end; number++) {
            fprintf(out, "%d MPI_%s\n", number, calls[first.call].name);
            more = trial_next(&first);
        }
        number++;
        more = more && trial_next(&first);
    }
    fprintf(out, "that is all\n");
}

/* The recorder in a child that was forked without it being told goes on. */
static pid_t pid;
pid_t getpid(void)
{
    if (!pid)
        pid = (pid_t)syscall(SYS_getpid);
    return pid;
}

/* Pages of hardware watchpoints, which a child has not: it gets empty ones. */
static struct {
    uintptr_t from, to;
} page[ARRAY];
static int pages;

static void find_watchpoints(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    while (maps && pages < ARRAY && fgets(line, sizeof line, maps))
        pages += strstr(line, "[perf_event]") &&
                 sscanf(line, "%zx-%zx", &page[pages].from, &page[pages].to) == 2;
    if (maps)
        fclose(maps);
}

static void replace_watchpoints(void)
{
    for (int i = 0; i < pages; i++)
        mmap((void *)page[i].from, page[i].to - page[i].from, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

struct outcome {
    int class, handled;
    unsigned written; /* a bit a variable */
};

/* Variables that a refused call does not write hold handles of nothing. */
static void make_alone(const struct trial *t, long milliseconds, struct outcome *outcome)
{
    const struct call *c = &calls[t->call];
    intptr_t v[PARAMETERS_MAX], *variable[PARAMETERS_MAX];
    setitimer(ITIMER_REAL,
              &(struct itimerval){{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}}, NULL);
    prepare_call(t, v);
    for (int i = 0; i < c->count; i++) {
        variable[i] =
            c->parameter[i].kind == OUT || c->parameter[i].kind == STATUS ? (intptr_t *)v[i] : NULL;
        if ((intptr_t)variable[i] == nowhere)
            variable[i] = NULL;
        for (int k = 0; variable[i] && k < 3; k++)
            variable[i][k] = nowhere;
    }
    handled = 0;
    int code = c->make(v), times = handled;
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    for (int i = 0; i < c->count; i++)
        for (int k = 0; variable[i] && k < 3; k++)
            if (variable[i][k] != nowhere)
                outcome->written |= 1u << i;
    outcome->handled = times;
    MPI_Error_class(code, &outcome->class);
}

static void make_each(int step, long milliseconds, FILE *wanted)
{
    find_watchpoints();
    struct outcome *outcome =
        mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct trial t = {0};
    int number = 0, status, next = 0;
    if (wanted && fscanf(wanted, "%d%*[^\n]", &next) != 1)
        return;
    for (bool more = outcome != MAP_FAILED; more; more = trial_next(&t), number++) {
        if (wanted ? number != next : number % step)
            continue;
        if (wanted && fscanf(wanted, "%d%*[^\n]", &next) != 1)
            next = -1;
        *outcome = (struct outcome){0};
        fflush(out);
        pid_t child = (pid_t)syscall(SYS_fork);
        if (child == 0) {
            replace_watchpoints();
            make_alone(&t, milliseconds, outcome);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            exit(1);
        const struct call *c = &calls[t.call];
        fprintf(out, "%d MPI_%s %s %d %d: ", number, c->name, c->parameter[t.parameter].name,
                t.which, (int)t.beside);
        if (status)
            fprintf(out, "ended %d\n", status);
        else
            fprintf(out, "%d %d %x\n", outcome->class, outcome->handled, outcome->written);
    }
}

static void list_all(void)
{
    struct trial t = {0};
    int number = 0;
    do
        fprintf(out, "%d MPI_%s\n", number++, calls[t.call].name);
    while (trial_next(&t));
}

static void run_some(void)
{
    struct trial t = {0};
    int number = 0, wanted, class;
    while (scanf("%d %*s", &wanted) == 1) {
        while (number < wanted && trial_next(&t))
            number++;
        const struct call *c = &calls[t.call];
        fprintf(out, "%d MPI_%s %s %d %d: ", number, c->name, c->parameter[t.parameter].name,
                t.which, (int)t.beside);
        fflush(out); /* the last line says which it was */
        alarm(100);
        int code = make(&t), times = handled;
        MPI_Error_class(code, &class);
        fprintf(out, "%d %d\n", class, times);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    each = !strcmp(argv[1], "each");
    if (!each && argc == 3 && !freopen(argv[2], "r", stdin))
        return 2;
    const char *says = getenv("ILLEGAL_SAYS"); /* a file; none: standard output */
    out = says ? fopen(says, "w") : fdopen(dup(STDOUT_FILENO), "w");
    if (!out ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0) /* where the library writes what it thinks */
        return 2;
    if (!strcmp(argv[1], "list")) {
        list_all();
        fflush(out);
        return 0;
    }
    MPI_Init(NULL, NULL);
    prepare(!strcmp(argv[1], "end"));
    if (each)
        make_each(atoi(argv[2]), atol(argv[3]), argc > 4 ? fopen(argv[4], "r") : NULL);
    else if (!strcmp(argv[1], "try"))
        try_all();
    else
        run_some();
    fflush(out);
    _exit(0); /* what these calls have left is nothing to finalize with */
}
