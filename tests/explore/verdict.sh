# timeout: 200
# The verdict says which orders it covers: only "clean" if all were run, or the record leaves no
# other. Each format has a field for that, and a report of the stored trace says the same.
for how in WRONG CORRECT POLLS ONE POSTED; do
    mpicc -g -D$how -o $how "$SOURCE/tests/explore/programs/needle.c" || exit 1
done
cat >written.c <<'END' # two ranks write to one place of a file
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, value;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_atomicity(file, 1);
    value = rank;
    MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    printf("%d\n", value);
    MPI_File_close(&file);
    return MPI_Finalize();
}
END
mpicc -g -o written written.c || exit 1
cat >windows.c <<'END' # a call about a window, and a window whose memory all ranks can load from
#include <mpi.h>
int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, *at;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    if (argc > 1)
        MPI_Win_allocate_shared(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &win);
    else
        MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &win);
    MPI_Win_get_name(win, name, &length);
    MPI_Win_free(&win);
    return MPI_Finalize();
}
END
mpicc -g -o windows windows.c || exit 1
cat >other.c <<'END' # calls in whose place others could have come first
#include <mpi.h>
#include <stdio.h>
#include <string.h>
/* Cancels a receive, and receives the message then if that came first. */
static void cancels(int rank, int *x)
{
    int cancelled = 1, ready = 0;
    MPI_Request request;
    MPI_Status status;
    if (rank) {
        MPI_Recv(&ready, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
        MPI_Send(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&ready, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled)
        MPI_Recv(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &status);
}
/* Reads the next number of a file that is shared. */
static void reads(int *x)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "numbers", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_read_shared(file, x, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}
static void overtakes(int rank, int *x)
{
    MPI_Comm comm;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    for (int i = 0; i < 2; i++)
        if (rank)
            MPI_Send(&i, 1, MPI_INT, 0, 0, comm);
        else
            MPI_Recv(x, 1, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}
int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(argv[1], "cancels"))
        cancels(rank, &x);
    else if (!strcmp(argv[1], "reads"))
        reads(&x);
    else
        overtakes(rank, &x);
    return MPI_Finalize();
}
END
mpicc -g -o other other.c && printf '\1\0\0\0\2\0\0\0' >numbers || exit 1
say() { # the number of orders tried depends on the time that there is
    grep '^verdict' | sed -E 's/the [0-9,]+ orders tried; more/the N orders tried; more/'
}
try() { # $1: ranks, $2: program, the rest: options of run
    echo "$2 on $1: [$(
        crosswait run -o job.db --json=job.json --sarif=job.sarif --junit=job.xml --html=job.html \
            "${@:3}" -- mpirun -n "$1" "./$2" >out.txt 2>&1
        echo $?
    )] $(say <out.txt)"
    python3 - <<'END'
import json, re
run = json.load(open("job.json"))["run"]
assert json.load(open("job.sarif"))["runs"][0]["properties"] == run
explored = run["explored"]
xml = open("job.xml").read()
assert f'"run.explored.behaviours" value="{explored["behaviours"]}"' in xml
assert f'"run.explored.complete" value="{str(explored["complete"]).lower()}"' in xml
tried = re.search(r"<dt>orders tried, (not all|all there are)</dt>", open("job.html").read())
some = "some" if explored["orders"] == "some" else explored["behaviours"]
print(f'  behaviours {some}, complete {explored["complete"]}, orders {explored["orders"]},',
      f'whole {run["recorded_whole"]}, page: {tried[1] if tried else "-"}')
END
    echo "  again: $(crosswait report job.db | say)"
}
try 8 POSTED
try 4 WRONG
try 4 CORRECT
try 3 POLLS
try 4 ONE
try 2 written
for how in '' shared; do
    crosswait run -o job.db -- mpirun -n 2 ./windows $how | grep '^[ve][ex][rp]'
done
for how in cancels reads overtakes; do
    echo "$how: $(crosswait run -o job.db -- mpirun -n 2 ./other $how | grep '^[ve][ex][rp]')"
done
try 4 CORRECT --confirm=0
try 4 ONE --calls=-MPI_Comm_rank
crosswait record -o job.db -- mpirun -n 4 ./CORRECT >/dev/null 2>&1
echo "check: $(crosswait check job.db | say)"
