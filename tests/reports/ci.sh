# expected
# timeout: 120
# A job in CI: one command writes every report and prints none; SARIF as GitHub accepts it, with
# fingerprints that survive moved lines.
mkdir -p repository/src && cd repository
write() { # LINES: the program, with so many lines more at its head
    for ((i = 0; i < $1; i++)); do echo "/* $i */"; done >src/app.c
    cat >>src/app.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Datatype type;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Bcast(&value, 1, MPI_INT, rank == 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
    mpicc -g -o app "$PWD/src/app.c"
}
write 0
crosswait run -q --html=app.html --junit=app.xml --sarif=app.sarif --json=app.json -- mpirun \
    -n 3 ./app
echo "[$?]" *.html *.xml *.sarif *.json
/usr/bin/python3 "$SOURCE/tests/reports/github.py" app.sarif
write 7
crosswait run -q --sarif=moved.sarif -- mpirun -n 3 ./app
for file in app moved; do grep -o '"primaryLocationLineHash": "[^"]*"' $file.sarif >$file.marks
done
cmp app.marks moved.marks && echo "the same marks"
cmp -s app.sarif moved.sarif && echo "not moved"
# From elsewhere, paths below a folder that is named.
cd .. && crosswait report --format=sarif --source-root="$PWD/repository" repository/crosswait.db \
    >named.sarif
/usr/bin/python3 "$SOURCE/tests/reports/github.py" named.sarif
# Links into the documentation, where somebody has published it; nothing else has an address.
links() { # ADDRESS
    CROSSWAIT_DOCS_URL=$1 crosswait report --format=sarif repository/crosswait.db >linked.sarif
    /usr/bin/python3 "$SOURCE/tests/reports/github.py" linked.sarif
    grep -cE '"(informationUri|helpUri)": "https://example.org/docs(/rules.md#[a-z-]+)?"' \
        linked.sarif
}
links https://example.org/docs/
links docs
grep -o '"helpUri": ".*#[a-z-]*' repository/app.sarif
grep -c '^## ' "$SOURCE/docs/rules.md"
/usr/bin/python3 - repository/app.xml <<'END'
import sys, xml.etree.ElementTree as xml

suite = xml.parse(sys.argv[1]).getroot()[0]
cases = {case.get("name"): case for case in suite.findall("testcase")}
for name, case in sorted(cases.items()):
    if case.find("failure") is not None:
        place = case.find("failure").text.split("--> ")[1].split()[0]
        print(name, place, len(case.findall("failure")))
assert (
    all(float(case.get("time")) >= 0 for case in cases.values())
    and float(cases["crosswait.job"].get("time")) > 0
)
assert int(suite.get("tests")) == len(cases) and int(suite.get("failures")) == 2
END
# Two jobs of one command have a file each, and one where a file holds several.
crosswait run -q --json=both.json --sarif=both.sarif --junit=both.xml --gitlab=both.gitlab -o \
    both.db -- sh -c 'mpirun -n 3 repository/app; mpirun -n 3 repository/app; mpirun -n 1 \
    repository/app' >/dev/null 2>&1
ls both*.json both*.sarif both*.xml both*.gitlab
/usr/bin/python3 "$SOURCE/tests/reports/github.py" both.sarif
/usr/bin/python3 "$SOURCE/tests/reports/hosts.py" junit both.xml gitlab both.gitlab
crosswait report --format=sarif --category=mpich both.db both-2.db >again.sarif
grep -h '"id": "[a-z]*/' both.sarif again.sarif
crosswait report --format=html both.db both-2.db
echo "[$?]"
crosswait run -q --json=/nonesuch/a.json -o c.db -- mpirun -n 1 repository/app
echo "[$?]"
# A note on buffers stands at the send that needs one, not at MPI_Init.
mpicc -g -o quiz "$SOURCE/corpus/programs/quiz.c"
crosswait run -q --github=notes --sarif=notes.sarif -- mpirun -n 2 ./quiz >/dev/null
sed -E 's/^(::[a-z]*) file=[^,]*(,line=[0-9]*),.*title=([a-z-]*) .*/\1\2 \3/' notes
/usr/bin/python3 - notes.sarif <<'END'
import json, sys

for result in json.load(open(sys.argv[1]))["runs"][0]["results"]:
    place = result["locations"][0]["physicalLocation"]
    print(result["ruleId"], place["region"]["startLine"])
END
