/* A wildcard gather that finds out whether its messages came in falling order: one order of 720.
 * What it knows of that so far it keeps in the place that its argument names, and nowhere else;
 * with a second argument it prints no more than that it is done. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 1 << 17, LOW = 64, TEXT = 64 };

static int rank, size, got, pending, ends[2], file;
static unsigned char *page;
static char *block;
static MPI_Status status;
static MPI_Request request;
static MPI_Info info;
static MPI_Datatype type;

static int file_get(void)
{
    char text = 0;
    int from = open("/dev/shm/crosswait-places", O_RDONLY);
    if (from < 0 || read(from, &text, 1) != 1)
        return -1;
    close(from);
    return text;
}
static void file_put(int value)
{
    char text = (char)value;
    int to = open("/dev/shm/crosswait-places", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (write(to, &text, 1) != 1)
        abort();
    close(to);
}

static int closed_get(void)
{
    mprotect(page, PAGE, PROT_READ);
    int value = page[0];
    mprotect(page, PAGE, PROT_NONE);
    return value;
}
static void closed_put(int value)
{
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    page[0] = (unsigned char)value;
    mprotect(page, PAGE, PROT_NONE);
}

static int page_get(void)
{
    return page[0];
}
static void page_put(int value)
{
    page[0] = (unsigned char)value;
}

static int errno_get(void)
{
    return errno;
}
static void errno_put(int value)
{
    errno = value;
}

static int raised_get(void)
{
    fenv_t is;
    __asm__ volatile("fnstenv %0" : "=m"(is));
    return is.__status_word & 0x3f;
}
static void raised_put(int value)
{
    fenv_t is;
    __asm__ volatile("fnstenv %0" : "=m"(is));
    is.__status_word = (unsigned short)((is.__status_word & ~0x3f) | value);
    __asm__ volatile("fldenv %0" : : "m"(is));
}

/* As a pointer that no handler has: none is called. */
static int action_get(void)
{
    struct sigaction is;
    sigaction(SIGUSR1, NULL, &is);
    return (int)((uintptr_t)is.sa_handler - (uintptr_t)&got);
}
static void action_put(int value)
{
    struct sigaction is = {.sa_handler = (void (*)(int))((uintptr_t)&got + (uintptr_t)value)};
    sigaction(SIGUSR1, &is, NULL);
}

static int blocked_get(void)
{
    sigset_t is;
    int value = 0;
    sigprocmask(SIG_SETMASK, NULL, &is);
    for (int bit = 0; bit < 3; bit++)
        value |= sigismember(&is, SIGRTMIN + 3 + bit) << bit;
    return value;
}
static void blocked_put(int value)
{
    sigset_t is;
    sigemptyset(&is);
    for (int bit = 0; bit < 3; bit++)
        if (value >> bit & 1)
            sigaddset(&is, SIGRTMIN + 3 + bit);
    sigprocmask(SIG_SETMASK, &is, NULL);
}

static int folder_get(void)
{
    char name[PAGE];
    return getcwd(name, sizeof name) ? strrchr(name, '/')[1] - '0' : -1;
}
static void folder_put(int value)
{
    char name[TEXT];
    snprintf(name, sizeof name, "../%d", value);
    if (chdir(name) != 0)
        abort();
}

static int mode_get(void)
{
    int value = (int)umask(0);
    umask((mode_t)value);
    return value;
}
static void mode_put(int value)
{
    umask((mode_t)value);
}

static int pipe_get(void)
{
    char text;
    if (read(ends[0], &text, 1) != 1 || write(ends[1], &text, 1) != 1)
        abort();
    return text;
}
static void pipe_put(int value)
{
    char text = (char)value, before;
    while (read(ends[0], &before, 1) == 1)
        ;
    if (write(ends[1], &text, 1) != 1)
        abort();
}

static int position_get(void)
{
    return (int)lseek(file, 0, SEEK_CUR);
}
static void position_put(int value)
{
    lseek(file, value, SEEK_SET);
}

static int pending_get(void)
{
    return pending;
}
static void pending_put(int value)
{
    pending = value;
}

static int info_get(void)
{
    char text[TEXT];
    int found;
    MPI_Info_get(info, "place", TEXT - 1, text, &found);
    return atoi(text);
}
static void info_put(int value)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%d", value);
    MPI_Info_set(info, "place", text);
}

static int named_get(void)
{
    char text[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_get_name(type, text, &length);
    return atoi(text);
}
static void named_put(int value)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%d", value);
    MPI_Type_set_name(type, text);
}

static int below_get(void)
{
    return block[0];
}
static void below_put(int value)
{
    block[0] = (char)value;
}

static const struct place {
    const char *name;
    int (*get)(void);
    void (*put)(int value);
} places[] = {{"file", file_get, file_put},
              {"closed", closed_get, closed_put},
              {"written", page_get, page_put},
              {"errno", errno_get, errno_put},
              {"raised", raised_get, raised_put},
              {"action", action_get, action_put},
              {"blocked", blocked_get, blocked_put},
              {"folder", folder_get, folder_put},
              {"mode", mode_get, mode_put},
              {"pipe", pipe_get, pipe_put},
              {"position", position_get, position_put},
              {"pending", pending_get, pending_put},
              {"info", info_get, info_put},
              {"named", named_get, named_put},
              {"below", below_get, below_put},
              {NULL, NULL, NULL}};
static const struct place *place;

/* Before there are ranks: what is open here, all have. */
static void place_find(const char *name)
{
    for (place = places; place->name && strcmp(place->name, name) != 0; place++)
        ;
    if (!place->name || pipe2(ends, O_NONBLOCK) != 0)
        exit(2);
    file = open("numbers", O_RDWR);
}

static void place_begin(void)
{
    page = mmap(NULL, PAGE, strcmp(place->name, "written") ? PROT_NONE : PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    block = malloc(STACK);
    if (page == MAP_FAILED || !block)
        exit(2);
    if (!strcmp(place->name, "pending"))
        MPI_Irecv(&pending, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
    if (!strcmp(place->name, "info"))
        MPI_Info_create(&info);
    if (!strcmp(place->name, "named"))
        MPI_Type_contiguous(2, MPI_INT, &type);
}

/* Nothing is left on the stack. */
static __attribute__((noinline)) void wipe(void)
{
    volatile char room[PAGE];
    memset((char *)room, 0, sizeof room);
}

static __attribute__((noinline)) int receive(void)
{
    int error = errno;
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    int source = status.MPI_SOURCE;
    memset(&status, 0, sizeof status);
    if (strcmp(place->name, "errno") != 0)
        errno = error;
    return source;
}

static __attribute__((noinline)) void see(int source)
{
    place->put(source == place->get() - 1 ? source : 0);
}

static void gather(void)
{
    place->put(size);
    for (int i = 1; i < size; i++) {
        see(receive());
        wipe();
    }
}

static ucontext_t before, inside;

static void gather_elsewhere(void)
{
    getcontext(&inside);
    inside.uc_stack.ss_sp = block + LOW;
    inside.uc_stack.ss_size = STACK - LOW;
    inside.uc_link = &before;
    makecontext(&inside, gather, 0);
    swapcontext(&before, &inside);
}

int main(int argc, char **argv)
{
    int value = 0;
    place_find(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    place_begin();
    if (!strcmp(place->name, "below"))
        gather_elsewhere();
    else
        gather();
    puts(argc > 2 ? "done" : place->get() ? "falling" : "mixed");
    if (!strcmp(place->name, "file"))
        unlink("/dev/shm/crosswait-places");
    if (request) {
        MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
