# expected
# Ranks that share memory without MPI may race there unseen: the explorer never says "all there are"
# of a program with such memory, got before or after MPI_Init; it does if the memory belongs to one
# rank, or is only read.
cat >prog.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/uio.h>
#include <unistd.h>
static const char *how;
static int is(const char *name)
{
    return !strcmp(how, name);
}
static int early;
static volatile int *take(void)
{
    const int writes = is("file") || is("before");
    const int private = is("own") || is("process"), no_file = private || is("anonymous");
    int file = no_file ? -1 : open("cells", writes ? O_RDWR : O_RDONLY);
    int flags = (private ? MAP_PRIVATE : MAP_SHARED) | (no_file ? MAP_ANONYMOUS : 0);
    void *at;
    if (is("segment") || is("own_segment") || is("early_segment")) {
        int id = is("early_segment") ? early : shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
        int other = id;
        if (is("segment"))
            MPI_Bcast(&other, 1, MPI_INT, 0, MPI_COMM_WORLD);
        at = shmat(other, NULL, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        shmctl(id, IPC_RMID, NULL);
    } else
        at = mmap(NULL, 4096, is("read") ? PROT_READ : PROT_READ | PROT_WRITE, flags, file, 0);
    return at == MAP_FAILED ? NULL : at;
}
int main(int argc, char **argv)
{
    int rank;
    volatile int *cell = NULL;
    how = argv[1];
    if (is("before"))
        cell = take();
    if (is("early_segment"))
        early = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cell = cell ? cell : take();
    if (!cell)
        return 1;
    if (is("process")) {
        int pid = getpid(), got = 0;
        MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
        if (!rank)
            process_vm_readv(pid, &(struct iovec){&got, 4}, 1, &(struct iovec){&got, 4}, 1, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank && !is("read"))
        *cell = 7;
    else if (!rank)
        printf("%d\n", *cell);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o prog prog.c || exit 1
head -c 4096 /dev/zero >cells
for how in file before anonymous segment own_segment early_segment process own read; do
    head -c 4096 /dev/zero >cells
    echo "$how: $(crosswait explore -n 2 -- ./prog $how | tail -1) [${PIPESTATUS[0]}]"
done
# Ranks that use a file without MPI: if one changes it and no order by MPI lies between the uses,
# the explorer says so, and run calls nothing clean without saying which orders it tried. A message
# between the uses, one common input and a file for each rank change nothing.
cat >files.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
static const char *how;
static int is(const char *name)
{
    return !strcmp(how, name);
}
/* Uses a name as a lock; returns whether this rank got it, or how they use names: -1. */
static int lock(const char *own)
{
    if (is("folder") || is("folders"))
        return mkdir(is("folder") ? "taken" : own, 0700) == 0;
    if (is("link") || is("symbolic"))
        return (is("link") ? link("input", "taken") : symlink("input", "taken")) == 0;
    if (is("flock"))
        return flock(open("input", O_RDONLY), LOCK_EX | LOCK_NB) == 0;
    return -1;
}
static void put(const char *name)
{
    FILE *file = fopen(name, "w");
    fputs("7", file);
    fclose(file);
}
static void get(const char *name)
{
    char read_it[8] = "nothing";
    int file = open(name, O_RDONLY);
    if (file >= 0 && read(file, read_it, 1) == 1)
        read_it[1] = 0;
    puts(read_it);
    close(file);
}
static void list(void)
{
    int found = 0;
    if (is("glob")) {
        glob_t names;
        found = glob("list/c*", 0, NULL, &names) == 0;
    } else {
        DIR *folder = opendir("list");
        for (struct dirent *entry; (entry = readdir(folder));)
            found += !strcmp(entry->d_name, "cell");
        closedir(folder);
    }
    puts(found ? "found" : "not found");
}
static void change(void)
{
    if (is("list") || is("glob") || is("listed")) {
        put("list/cell");
        return;
    }
    if (is("rename"))
        rename("input", "cell");
    else if (is("remove"))
        remove("cell");
    else
        put("cell");
}
int main(int argc, char **argv)
{
    int rank, x = 0, all = MPI_ANY_SOURCE;
    char name[16];
    how = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "own.%d", rank);
    if (lock(name) >= 0) {
        MPI_Finalize();
        return 0;
    }
    if (is("own"))
        put(name);
    if (is("own") || is("input"))
        get(is("own") ? name : "input");
    else if (rank == 0 && !is("lists") && !is("apart"))
        change();
    if (is("lists") || is("apart"))
        put(rank ? "list/a" : "list/b");
    if (is("barrier") || is("listed") || is("lists"))
        MPI_Barrier(MPI_COMM_WORLD);
    if (is("any") && rank != 1)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    for (int i = 0; is("any") && rank == 1 && i < 2; i++) {
        MPI_Recv(&x, 1, MPI_INT, all, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i == 0)
            get("cell");
    }
    if (rank == 1 && (is("stat") || is("faccess") || is("statx"))) {
        struct statx it;
        puts((is("stat")      ? access("cell", R_OK)
              : is("faccess") ? faccessat(AT_FDCWD, "cell", R_OK, 0)
                              : statx(AT_FDCWD, "cell", 0, STATX_SIZE, &it))
                 ? "no"
                 : "yes");
    }
    else if (is("lists") || (rank == 1 && (is("list") || is("glob") || is("listed"))))
        list();
    else if (rank == 1 && !is("any") && !is("own") && !is("input") && !is("apart"))
        get("cell");
    MPI_Finalize();
    return 0;
}
END
mpicc -o files files.c && mkdir list && echo 3 >input && echo 4 >cell || exit 1
for how in stat faccess statx input folder link symbolic flock folders list glob listed lists apart
do
    echo "$how: $(crosswait explore -n 2 -- ./files $how | tail -1) [${PIPESTATUS[0]}]"
done
crosswait run -o T.db -- mpirun -n 3 ./files any | grep -o '^verdict.*\|^explored.*'
# run judges a job that leaves no other order of MPI calls so, too, if it changed files.
for how in write rename remove folder barrier own; do
    echo 4 >cell
    echo 3 >input
    echo "$how: $(crosswait run -o T.db -- mpirun -n 2 ./files $how | grep '^[ve][ex][rp]')"
done
crosswait report T.db | grep '^verdict'
crosswait run --confirm=0 -o T.db -- mpirun -n 2 ./files own | grep '^verdict'
