# expected
# Opens the page in a browser: its script has read what the trace holds; it shows findings without
# scripts; the job's words are never markup.
P=$BUILD/corpus/programs
page() { # trace
    crosswait report --format=html -o $1.html $1.db >/dev/null
    timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$TMPDIR/chromium" \
        --dump-dom "file://$PWD/$1.html" 2>/dev/null >$1.dom
    read -r events messages <<<"$(sed \
        -n 's/.*<body data-events="\([0-9]*\)" data-messages="\([0-9]*\)".*/\1 \2/p' $1.dom)"
    [ "$events" = "$(sqlite3 $1.db 'select count(*) from event')" ] &&
        echo "$1: all events are read" || echo "$1: '$events' events are read"
    [ "${messages:-0}" -gt 0 ] && echo "$1: messages are read"
    grep -o '<h1 class="[a-z]*">[^<]*' $1.html
    grep -c 'class="node' $1.html
}
crosswait run -o quiz.db -- mpirun -n 2 $P/quiz >/dev/null 2>&1; page quiz
crosswait run -o hung.db -- mpirun -n 2 $P/quiz 1048576 >/dev/null 2>&1; page hung
crosswait run -o stencil.db -- mpirun -n 4 $P/stencil >/dev/null 2>&1; page stencil
# A name that would be markup.
sqlite3 stencil.db "update comm
    set name = '</script><script>document.body.dataset.events = 0</script>';
    update meta set value = '<b>x' where key = 'command'"
page stencil
grep -c '<script>document\|<b>x' stencil.html
crosswait report --format=html stencil.db | cmp - stencil.html &&
    echo "the same trace, the same bytes"
# From a finding to its call on the timeline, and back; calls that did not return reach to the end;
# the critical path is there.
grep -o 'href="#call-[^"]*"' hung.html | head -1 >link.txt
cut -d'"' -f2 link.txt | tr -d '\n' >hash.txt
timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update \
    --disable-sync --user-data-dir="$TMPDIR/chromium" \
    --dump-dom "file://$PWD/hung.html$(cat hash.txt)" 2>/dev/null >clicked.dom
grep -o '<span id="tied">[^<]*<a href="#finding-[0-9]*">error [a-z-]*' clicked.dom
grep -o '<h2>Where the ranks were when the job ended' hung.html
grep -c '"segments":[1-9]' stencil.html
# Costs of a collective against its size, where there are several sizes.
cat >sizes.c <<'END'
#include <mpi.h>
static double a[100000], b[100000];
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int n = 1; n <= 100000; n *= 10)
        MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o sizes sizes.c && crosswait run -q -o sizes.db --html=sizes.html -- mpirun -n 4 ./sizes
echo "plots: $(grep -c 'class="plot"' sizes.html), points: $(grep \
    -c '<circle' sizes.html); of one size: $(grep -c 'class="plot"' stencil.html)"
