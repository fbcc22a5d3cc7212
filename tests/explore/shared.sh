# expected
# Ranks that share memory without MPI may race there unseen: the explorer never says "all there are"
# of a program with such memory, got before or after MPI_Init; it does if the memory belongs to one
# rank, or is only read.
cat >prog.c <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>
static const char *how;
static int is(const char *name)
{
    return !strcmp(how, name);
}
static volatile int *take(void)
{
    int file = is("anonymous") || is("own") ? -1 : open("cells", O_RDWR);
    int flags = (is("own") ? MAP_PRIVATE : MAP_SHARED) | (file < 0 ? MAP_ANONYMOUS : 0);
    void *at;
    if (is("segment")) {
        int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
        at = shmat(id, NULL, 0);
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
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cell = cell ? cell : take();
    if (!cell)
        return 1;
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
for how in file before anonymous segment own read; do
    head -c 4096 /dev/zero >cells
    echo "$how: $(crosswait explore -n 2 -- ./prog $how | tail -1) [${PIPESTATUS[0]}]"
done
