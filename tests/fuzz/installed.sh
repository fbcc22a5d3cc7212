# timeout: 120
# Runs each command of the recipe for CI in docs/ci.md and ci/, with an installed crosswait that has
# no access to the source tree.
set -u
make -s -C "$SOURCE" BUILD="$BUILD" install DESTDIR="$PWD/dest" PREFIX=/usr >install.txt 2>&1 ||
    { cat install.txt; exit 1; }
export PATH="$PWD/dest/usr/bin:$PATH"
unset CROSSWAIT_SHARE SOURCE BUILD
[ "$(command -v crosswait)" = "$PWD/dest/usr/bin/crosswait" ] || echo "another crosswait"
cat >my_allreduce.c <<'END'
#include <mpi.h>
#ifndef WRONG
#define WRONG 0
#endif
static int my_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm)
{
    int rank, error;
    MPI_Comm_rank(comm, &rank);
    if (sendbuf == MPI_IN_PLACE && rank)
        sendbuf = recvbuf;
    error = MPI_Reduce(sendbuf, recvbuf, count, type, op, 0, comm);
    return error ? error : MPI_Bcast(recvbuf, count > WRONG ? count - WRONG : 0, type, 0, comm);
}
COLLECTIVE(allreduce, "", my_allreduce)
END
crosswait fuzz my_allreduce.c --time=100 -runs=3000 --junit=fuzz.xml | sed 's/ in .*//'
grep -c "<failure" fuzz.xml
kept=$(ls crosswait-fuzz/my_allreduce/corpus | wc -l)
[ "$kept" -gt 10 ] && echo "a corpus is kept"
crosswait fuzz my_allreduce.c --time=100 -runs=1 >/dev/null
grep -q "INFO: *$kept files found" crosswait-fuzz/my_allreduce/log && echo "and used again"
crosswait fuzz my_allreduce.c --cflags=-DWRONG=1 --time=100 -seed=1 --junit=fuzz.xml \
    --sarif=fuzz.sarif >out.txt 2>/dev/null
echo "wrong: exit $?"
/usr/bin/python3 - <<'END'
import xml.dom.minidom

suite = xml.dom.minidom.parse("fuzz.xml").documentElement
failure = suite.getElementsByTagName("failure")[0]
print(
    suite.tagName,
    failure.parentNode.getAttribute("name"),
    failure.getAttribute("message").split(":")[0],
)
import json

run = json.load(open("fuzz.sarif"))["runs"][0]
result = run["results"][0]
rules = run["tool"]["driver"]["rules"]
print(
    rules[result["ruleIndex"]]["id"],
    result["ruleId"],
    result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
)
place = result["locations"][0]["physicalLocation"]
line = open(place["artifactLocation"]["uri"]).readlines()[place["region"]["startLine"] - 1]
print("its line:", line.split("(")[0])
print(result["properties"]["repeat"].split(" ")[:3])
END
for what in "again" "real ranks"; do
    eval "$(sed -n "s/^  $what *crosswait/crosswait/p" out.txt)" >again.txt 2>&1 </dev/null
    echo "$what: exit $?, $(grep -o 'finding: [a-z-]*' again.txt | head -1)"
done
crosswait run -o t.db -- mpirun -n 2 true >/dev/null 2>&1 </dev/null
echo "no MPI job: exit $?"
# Which algorithms there are, and for which communicators, each version decides.
crosswait fuzz --library -- --ranks=3 --cases=2 --only=scan --no-synchronous |
    sed -E 's/Open MPI v[0-9.]+ on/Open MPI on/; s/, [1-9][0-9]* cases$/, cases/; /^not offered/d
        s/^[1-9][0-9]* of ([0-9]+ algorithms)/some of \1/'
