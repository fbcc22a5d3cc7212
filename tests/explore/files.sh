# What a world writes vanishes with it: each world begins with the existing files, including what
# the program wrote before its ranks began; at the end no file is new or missing. Under gdb files
# are real.
cat >files.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int lines(const char *name)
{
    FILE *file = fopen(name, "r");
    int count = 0, c;
    while (file && (c = getc(file)) != EOF)
        count += c == '\n';
    if (file)
        fclose(file);
    return file ? count : -1;
}
static void add(const char *name, int number)
{
    FILE *file = fopen(name, "a");
    fprintf(file, "%d\n", number);
    fclose(file);
}
int main(int argc, char **argv)
{
    int rank, got, first = 0;
    char there[64];
    add("early", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2 && !rank; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        first = first ? first : got;
        add("order", got);
        add("input", got);
        add("early", got);
    }
    if (!rank) {
        printf("order %d, input %d, early %d\n", lines("order"), lines("input"), lines("early"));
        remove("gone");
        rename("input", "moved");
        if (first == 2 && lines("input") == -1)
            abort();
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o files files.c || exit 1
echo 1 >input
echo 1 >gone
if unshare -m true 2>/dev/null || unshare -Um true 2>/dev/null; then
    crosswait explore --again=order=explore:0.1=1 -n 3 -- ./files
    crosswait explore -n 3 -- ./files | grep -v ' = '
    mkdir theirs && cp files input gone theirs/ && chmod 755 . # and from a user's hands
    if [ "$(id -u)" = 0 ]; then
        chown -R 12345 theirs
        (cd theirs && setpriv --reuid=12345 --clear-groups env HOME=/ "$(command -v crosswait)" \
            explore -n 3 -- ./files 2>&1 | tail -1)
    else
        (cd theirs && crosswait explore -n 3 -- ./files | tail -1)
    fi
    ls theirs
    ls
else
    echo "no namespaces here: $(crosswait explore -n 3 -- ./files 2>&1 | grep -c 'real files')"
fi
# Files, pipes and event counters that a program made before its ranks began are each rank's own.
cat >before.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, own = -1, ends[2];
    unsigned long long count = 2;
    char unread[3] = "", named[8] = "";
    for (int i = 3; i < 200; i++) /* as a daemon does */
        close(i);
    FILE *unnamed = tmpfile(), *log = fopen("log", "w+");
    const int event = eventfd(1, 0);
    if (pipe(ends) || write(ends[1], "ab", 2) != 2)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(unnamed, "%d\n", rank);
    fflush(unnamed);
    if (write(ends[1], &rank, sizeof rank) < 0 || write(event, &count, sizeof count) < 0)
        return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    rewind(unnamed);
    if (fscanf(unnamed, "%d", &own) != 1 || own != rank || read(ends[0], unread, 2) != 2 ||
        strcmp(unread, "ab") || read(ends[0], &own, sizeof own) != sizeof own || own != rank ||
        read(event, &count, sizeof count) != sizeof count || count != 3)
        abort();
    for (int i = 0; i < 2; i++, MPI_Barrier(MPI_COMM_WORLD))
        if (rank == i)
            fprintf(log, "%d", rank), fflush(log);
    rewind(log);
    if (!fgets(named, sizeof named, log) || strcmp(named, "1")) /* each wrote at its start */
        abort();
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o before before.c && crosswait explore -q -n 2 -- ./before || echo "files before MPI_Init"
# What ranks write is part of an outcome, but not the times in it, nor the order of a text's lines.
cat >result.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, got, first = 0, sum = 0;
    const char *what = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = MPI_Wtime();
    FILE *file = rank ? NULL : fopen("sums", "w");
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2 && !rank; i++, sum += got) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        first = first ? first : got;
        if (!strcmp(what, "lines"))
            fprintf(file, "from rank %d\n", got);
    }
    if (!rank) {
        fprintf(file, "sum %d\n", sum);
        if (!strcmp(what, "first"))
            fprintf(file, "first %d\n", first);
        if (!strcmp(what, "bytes"))
            fwrite(&first, sizeof first, 1, file);
        if (!strcmp(what, "log")) { /* named by the process, with the time */
            char name[32];
            snprintf(name, sizeof name, "log.%d", (int)getpid());
            FILE *log = fopen(name, "w");
            fprintf(log, "[%.3f] first %d\n", MPI_Wtime(), first);
            fclose(log);
        }
        if (!strcmp(what, "time"))
            usleep(1000 * first), fprintf(file, "after %.6f s\n", MPI_Wtime() - begin);
        fclose(file);
        if (!strcmp(what, "removed") && first == 1)
            remove("sums");
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o result result.c || exit 1
for what in sum lines time log first bytes removed; do
    echo "$what"
    crosswait explore -n 3 -- ./result $what | grep -E '^warning|^crosswait| (write|remove) '
    [ $what != time ] && [ $what != removed ] ||
        crosswait run -o T.db -- mpirun -n 3 ./result $what | grep -E '^warning|^explored'
done
exit 0
