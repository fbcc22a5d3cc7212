# expected
# timeout: 300
# Uses the HTML page in a browser like a person: from a finding to its call and back, ranks that
# behave alike, keys, touch, narrow and on paper; also the page of a trace of a hundred thousand
# calls, which is as small and as fast as any other. Holds reports/html/timeline.h invariants 1 and
# 2.
cat > hang.c <<'END'
#include <mpi.h>
static void step(double *x, double *sum)
{
    MPI_Allreduce(x, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    double x = 1, sum;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        if (i == 3 && rank == 20)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            step(&x, &sum);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o hang hang.c &&
    crosswait run -q --confirm=0 -o hang.db --html=hang.html -- mpirun -n 26 ./hang >/dev/null 2>&1
echo "nodes of the graph: $(grep -c 'class="node' hang.html)"
crosswait record -o small.db -- mpirun -n 4 $BUILD/corpus/programs/stencil 50 >/dev/null
/usr/bin/python3 "$SOURCE/tests/reports/many.py" small.db large.db 16 5 >large.txt
crosswait report --no-check --format=html -o large.html large.db
/usr/bin/python3 "$SOURCE/tests/reports/page.py" hang.html large.html >seen.txt
# A bar a rank where ranks wait; the cause of a race, and its many outcomes folded.
grep -o '<i class="[a-z]*" style="width:[0-9]*' large.html | cut -d'"' -f2 | sort | uniq -c |
    sed 's/^ *//'
cat > race.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, ranks, x, all = 0, back = 0, scale = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        all = 10 * all + x;
        back += scale * x;
        scale *= 10;
    }
    if (rank == 0)
        printf("%d, backwards %d\n", all, back);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o race race.c && crosswait run -q --html=race.html -- mpirun -n 5 ./race >/dev/null
grep -o '<details><summary>[0-9]* more' race.html | sed 's/[0-9][0-9]*/some/'
sed -n '/<article/,$p' race.html | grep -n -m2 -o 'race.c:10\|rank 0 prints' | cut -d: -f2-
sed 's/^events that it tells of: \([0-9]*\)$/\1 events/' seen.txt | grep events | cmp - large.txt &&
    echo "all events are told of"
grep -v '^events' seen.txt
[ $(stat -c %s large.html) -lt 8000000 ] && echo "at most 8 MB"
crosswait report --no-check --format=html large.db | cmp - large.html &&
    echo "the same trace, the same bytes"
# And in Perfetto's form, where each rank has texts of its own: of a trace in which they repeat.
/usr/bin/python3 "$SOURCE/tests/reports/many.py" small.db lanes.db 16 12 >lanes.txt
crosswait report --no-check --format=perfetto -o lanes.pftrace lanes.db
[ $(stat -c %s lanes.pftrace) \
    -le $((48 * $(cut -d' ' -f1 lanes.txt))) ] && echo "at most 48 bytes a call"
