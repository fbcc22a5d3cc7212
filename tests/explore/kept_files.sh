# Worlds leave files alone that the program writes outside of the current folder, as the job's own
# results: each world has its own, and what it writes counts as part of its outcome.
cat >result.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, first, second;
    FILE *early = strcmp(argv[1], "early") ? NULL : fopen(argv[2], "w");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef CORRECT
        first += second;
#endif
        if (!strcmp(argv[1], "mpi")) {
            MPI_File file;
            char text[] = {(char)('0' + first), '\n'};
            MPI_File_open(MPI_COMM_SELF, argv[2], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                          &file);
            MPI_File_write(file, text, 2, MPI_CHAR, MPI_STATUS_IGNORE);
            MPI_File_close(&file);
        } else {
            const int moves = !strcmp(argv[1], "moves");
            FILE *file = early ? early : fopen(moves ? "part" : argv[2], "w");
            fprintf(file, "%d\n", first);
            fclose(file);
            if (moves && rename("part", argv[2]) != 0)
                MPI_Abort(MPI_COMM_WORLD, 3);
            if (!strcmp(argv[1], "new")) { /* and is read again, by another name */
                symlink(argv[2], argv[3]);
                file = fopen(argv[3], "a");
                fprintf(file, "more\n");
                fclose(file);
            }
        }
    }
    return MPI_Finalize();
}
END
mkdir here kept theirs && cd here || exit 1
result=$(realpath ../kept)/result
mpicc -g -o wrong ../result.c && mpicc -g -DCORRECT -o right ../result.c || exit 1
unshare -m true 2>/dev/null || unshare -Um true 2>/dev/null ||
    { echo "skipped: no namespaces here"; exit 0; }
export HOME=$PWD TMPDIR=$PWD
said() {
    sed -n "s|$(dirname "$PWD")|FOLDER|; s/^crosswait: //; /behaviours/p; /the ranks write/p"
}
try() { # how the file is written
    local program
    for program in right wrong; do
        echo 0 >../kept/result
        echo "$program, $1: $(crosswait explore -n 3 -- ./$program "$1" "$result" \
            "${result%result}link" | said)"
        echo "  $(ls ../kept) $(cat ../kept/result)"
    done
}
try plain
try mpi
try early
try new
# In a world the two folders are on different file systems: it cannot tell.
try moves
# A file of which there is no room for a copy
truncate -s 2G large
echo "large: $(crosswait explore -n 3 -- ./wrong mpi "$PWD/large" | said)"
rm large
# The job's result is that of the job, not of a world that ran after it.
crosswait run -o t.db -- mpirun -n 3 ./wrong plain "$result" | said
crosswait dump t.db | sed -n 's/^0 .* MPI_Recv(source=any.* from \([12]\),.*/\1/p' | head -1 |
    cmp - ../kept/result && echo "the job's result stays"
# A user has files of each world in folders of his own only; others are left alone.
if [ "$(id -u)" = 0 ]; then
    chmod 755 .. . && chown -R 12345 ../theirs . && echo 0 >"$result" && chmod 666 "$result"
    user() {
        setpriv --reuid=12345 --clear-groups "$(command -v crosswait)" explore -n 3 -- ./wrong \
            plain "$(dirname "$PWD")/$1/result" 2>&1 | said
    }
    user theirs | grep -q ' 2 outcomes$' || echo "theirs: $(user theirs)"
    user kept | grep -q '^0 behaviours' || echo "kept: $(user kept)"
    [ "$(ls ../theirs; cat "$result")" = 0 ] || ls ../theirs "$result"
fi
# Ranks that share such a file, which the command names, without an order by MPI: run looks at that.
cat >shared.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank;
    const char *name = strchr(argv[1], '=') + 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *file = rank == 0 ? fopen(name, "w") : NULL;
    if (file)
        fclose(file);
#ifdef CORRECT
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    file = rank == 1 ? fopen(name, "r") : NULL;
    if (file)
        fclose(file);
    return MPI_Finalize();
}
END
for how in WRONG CORRECT; do
    mpicc -g -D$how -o shared shared.c || exit 1
    echo "$how: $(crosswait run -o t.db -- mpirun -n 2 ./shared --out="$result" | grep '^verdict')"
done
exit 0
