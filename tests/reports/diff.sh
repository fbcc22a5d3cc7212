# expected
# timeout: 180
# Compares two runs: a higher cost with the right result (words grew by lg P), in the program's own
# collective and in the library's; another order of messages, new findings, limits; a run with
# itself.
mpicc -g -O0 -o total "$SOURCE/docs/programs/total.c" &&
    mpicc -g -O0 -o order "$SOURCE/tests/reports/programs/order.c" || exit 1
run() { crosswait record -o "$1.db" -- mpirun -n "${@:2}" >/dev/null 2>&1 || echo "$1: $?"; }
limits='rounds>5%,words>0%,bytes>5%,new-findings'
run before 8 ./total halves
run same 8 ./total halves
run grown 8 ./total whole
run first 3 ./order first
run second 3 ./order second
run leak 3 ./order first leak
echo "== itself"
crosswait diff --fail-on=$limits before.db same.db | grep -v '^waiting\|-> .*s$\|: new$\|: gone$'
echo "[${PIPESTATUS[0]}]"
echo "== words grew by lg P"
crosswait diff --fail-on=$limits before.db grown.db | grep -v '^waiting\|-> .*s$\|: new$\|: gone$' |
    grep -v '^  rank [1-7]'
echo "[${PIPESTATUS[0]}]"
echo "== another order"
crosswait diff --fail-on=$limits first.db second.db | grep -A3 'other calls\|another order'
echo "[${PIPESTATUS[0]}]"
echo "== a new finding, and gone"
crosswait diff --fail-on=$limits first.db leak.db | grep 'finding\|leak\|^failed'
echo "[${PIPESTATUS[0]}]"
crosswait diff --fail-on=$limits leak.db first.db | grep 'finding\|leak\|^failed'
echo "[${PIPESTATUS[0]}]"
# The library chooses another algorithm.
cat >bcast.c <<'END'
#include <mpi.h>
static double data[8192];
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Bcast(data, 8192, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O0 -o bcast bcast.c
for algorithm in 8 6; do
    crosswait record -o bcast$algorithm.db -- mpirun -n 8 --mca coll_tuned_use_dynamic_rules 1 \
        --mca coll_tuned_bcast_algorithm $algorithm \
        --mca coll_tuned_bcast_algorithm_segmentsize 0 ./bcast >/dev/null 2>&1
done
echo "== the library's algorithm"
crosswait diff --fail-on='words>0%,algorithm' bcast8.db bcast6.db |
    grep -v '^waiting\|-> .*s$\|: new$\|: gone$'
echo "[${PIPESTATUS[0]}]"
crosswait diff --format=json --fail-on='words>0%' bcast8.db bcast6.db | grep '"failed"\|"algorithm'
echo "== ranks that part in the same way are one line"
sed 's/data, 8192/data, 4096/' bcast.c >half.c && mpicc -g -O0 -o half half.c
run half 8 ./half
run full 8 ./bcast
crosswait diff full.db half.db | grep -A2 'other calls' | sed 's/half.c/bcast.c/'
echo "== more communicators, and more ranks that part, than are shown"
cat >many.c <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Comm comm[70];
    int rank, in, out = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 70; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; argc > 1 && i < rank; i++) /* each rank makes as many more calls */
        MPI_Sendrecv(&out, 1, MPI_INT, rank, i, &in, 1, MPI_INT, rank, i, comm[i],
                     MPI_STATUS_IGNORE);
    for (int i = 0; i < 70; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O0 -o many many.c
run few 24 ./many
run more 24 ./many 1
crosswait diff few.db more.db | grep 'and [0-9]* more (\|more communicators'
crosswait diff --fail-on='words>1000%,calls>1000%' few.db more.db >/dev/null
echo "[$?]"
echo "== messages that need a library that buffers cost what they cost in the recorded run"
run quiz 2 "$BUILD/corpus/programs/quiz"
crosswait diff quiz.db quiz.db | grep '^rounds\|^words'
echo "== a run that was not recorded completely"
crosswait record --calls=coll -o part.db -- \
    mpirun -n 2 "$BUILD/corpus/programs/quiz" >/dev/null 2>&1
crosswait diff quiz.db part.db | grep 'as far as'
crosswait diff --format=json quiz.db part.db | tr -d ' \n' | grep -o '"recorded_whole":[^]]*]'
crosswait diff --format=html quiz.db part.db | grep -c '<p>after: compared as far as'
echo "== wrong"
crosswait diff --fail-on='speed>0%' before.db same.db
echo "[$?]"
crosswait diff before.db
echo "[$?]"
echo "== a page"
crosswait diff --format=html --fail-on='words>0%' before.db grown.db >diff.html
echo "[$?]"
grep -o '<h1 class="bad">[^<]*\|<h2>[^<]*\|<p class="failed">failed: words[^<]*' diff.html |
    grep -v Waiting | sort
grep -c '<script' diff.html
/usr/bin/python3 -c "
import html.parser
class Tags(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attributes): self.open += [tag] if tag not in ('meta',) else []
    def handle_endtag(self, tag): assert self.open.pop() == tag
tags = Tags(); tags.feed(open('diff.html').read()); assert not tags.open"
crosswait diff --html=leak.html --json=leak.json first.db leak.db >/dev/null
grep -o '<h2>Waiting[^<]*' leak.html
crosswait diff --format=json first.db leak.db | cmp - leak.json &&
    echo "JSON beside the text is the same"
crosswait diff --html=/dev/full first.db leak.db >/dev/null
echo "[$?]"
/usr/bin/python3 "$SOURCE/tests/reports/narrow.py" diff.html leak.html
