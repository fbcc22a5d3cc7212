# expected
# timeout: 180
# Findings for the readers of GitHub and GitLab: annotations, code quality, a job's summary. The odd
# call comes first, each source line is one place, the job's words are escaped; a program without a
# finding gets none.
mkdir 'a, b%' && cat >'a, b%/odd.c' <<'END'
#include <mpi.h>
#define ALL MPI_COMM_WORLD
static void usual(double *x, double *s) { MPI_Allreduce(x, s, 1, MPI_DOUBLE, MPI_SUM, ALL); }
static void odd(void) { MPI_Barrier(MPI_COMM_WORLD); }
int main(int c, char **v)
{
    int r;
    double x = 1, s;
    MPI_Init(&c, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    for (int i = 0; i < 3; i++)
        if (r == 2 && i == 1 && c > 1)
            odd();
        else
            usual(&x, &s);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o odd "$PWD/a, b%/odd.c"
crosswait run -q -o odd.db --sarif=odd.sarif --github=odd.github --gitlab=odd.gitlab \
    --markdown=odd.md --junit=odd.xml -- mpirun -n 4 ./odd 1 2>/dev/null
echo "[$?]"
/usr/bin/python3 "$SOURCE/tests/reports/hosts.py" junit odd.xml gitlab odd.gitlab github odd.github
/usr/bin/python3 "$SOURCE/tests/reports/github.py" odd.sarif
sed -n '/"message": {/{n;s/^ *//p}; /Column/s/^ *//p' odd.sarif
# How far the stacks of its end are known is the machine's matter.
drop='/^When the ranks/,/^```$/d'
sed "$drop"'; s/ended the job [0-9.]* s/ended the job N s/; s/ < main$//' odd.md
/usr/bin/python3 "$SOURCE/tests/reports/hosts.py" markdown odd.md
# The same through report; more than one trace.
crosswait report --format=github odd.db | cmp - odd.github && echo "the same annotations"
crosswait report --format=gitlab odd.db odd.db >two.gitlab
/usr/bin/python3 "$SOURCE/tests/reports/hosts.py" gitlab two.gitlab
crosswait report --format=markdown odd.db odd.db | grep '^###'
# Code scanning refuses a file of more than 20 runs: the jobs share one then, which names each.
runs() { # NUMBER: of traces
    crosswait report --format=sarif -o many.sarif $(yes odd.db | head -n $1)
    /usr/bin/python3 "$SOURCE/tests/reports/github.py" many.sarif | sort | uniq -c | sed 's/^ *//'
    grep -o '"id": "crosswait/.*"' many.sarif | tail -1
}
runs 20
runs 21
grep -c '"text": "odd-4-*[0-9]*: rank 2 calls' many.sarif
# The commands of a step append to its summary; any other file is replaced.
for summary in step.md other.md; do
    for db in odd odd; do
        GITHUB_STEP_SUMMARY=step.md crosswait report --format=markdown -o $summary $db.db
    done
    grep -c '^###' $summary
done
# Readers that others wrote take the same files.
"$SOURCE/build/mpi/readers/bin/python" "$SOURCE/tests/reports/readers.py" \
    junit odd.xml sarif odd.sarif sarif many.sarif markdown odd.md mermaid odd.md \
    gitlab odd.gitlab gitlab two.gitlab
"$SOURCE/build/mpi/annotations/bin/python" "$SOURCE/tests/reports/readers.py" github odd.github
# A program whose places have no lines.
strip -g -o bare odd
crosswait run --confirm=0 -o bare.db -- mpirun -n 3 ./bare 1 2>/dev/null | grep '^places'
# Nothing to say.
crosswait run -q -o right.db --github=right.github --gitlab=right.gitlab --markdown=right.md -- \
    mpirun -n 4 ./odd
echo "[$?]"
sed "$drop" right.gitlab right.github right.md
crosswait report --format=gitlab right.db odd.db right.db odd.db >four.gitlab
/usr/bin/python3 "$SOURCE/tests/reports/hosts.py" gitlab four.gitlab
