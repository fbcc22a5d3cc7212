# expected
# timeout: 400
# The pytest plugin runs each test of an mpi4py program in a job of its own. A failing rank or a
# hang fails only its own test; a leak is a finding; a test that all ranks skip is skipped; one
# report covers all. Holds python invariants 1 and 2.
export PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1
cat >test_job.py <<'END'
import pytest
from mpi4py import MPI


@pytest.fixture
def comm():
    return MPI.COMM_WORLD


def test_right(comm):
    assert comm.allreduce(1) == comm.size == 2


@pytest.mark.parametrize("odd", [True])
def test_hang(comm, odd):
    if odd and comm.rank == 1:
        comm.Barrier()
    else:
        comm.allreduce(1)


def test_wrong(comm):
    assert comm.rank == 5


def test_leak(comm):
    assert comm.Dup().size == 2


@pytest.mark.skip(reason="not today")
def test_skipped():
    pass
END
echo 'def test_no_mpi(): pass' >test_plain.py
pytest=(/usr/bin/python3 -m pytest -p no:cacheprovider -p crosswait_pytest -v)
tests() { "${pytest[@]}" "$@" 2>&1; }
crosswait run -q --markdown=all.md -- "${pytest[@]}" --crosswait=2 \
    --crosswait-options=--stall=30 --crosswait-report=sarif:all.sarif \
    --crosswait-report=junit:all.xml >log 2>&1
echo "[$?]"
# Of the jobs inside of the command. Both ranks of test_wrong exit with 1: of the first one mpirun
# kills the other, which may still be in MPI_Finalize.
grep '^###' all.md | sed '/test..wrong/s/ as far as it was recorded$//'
grep -o '^test_[a-z_.]*py::[a-zA-Z_]*.* [A-Z]\{4,\}' log
# The first line of a failure, which newer versions of pytest also show in the summary.
sed -n '/^_* test_[a-z]*.* _*$/{s/^_* \([^ ]*\) _*$/\1: /
    N;s/\n\([a-z]*[[a-z]*]*:\|a rank failed: assert\).*/\1/p}' log
/usr/bin/python3 "$SOURCE/tests/reports/github.py" all.sarif
/usr/bin/python3 "$SOURCE/tests/reports/hosts.py" junit all.xml | sort | uniq -c
tests --crosswait=0 | grep -o 'takes a number.*'
tests test_plain.py | grep -c PASSED
PATH=/usr/bin:/bin tests --crosswait=2 | grep -o 'there is no command crosswait.*'
mkdir odd && touch odd/.crosswait odd/pytest.ini
tests --rootdir=odd --crosswait=2 odd | grep -o 'cannot replace .*/odd/.crosswait: .*' |
    sed 's|/[^ ]*/odd/||g'
/usr/bin/python3 - "$SOURCE"/python/*.py <<'END'
import ast, sys
for path in sys.argv[1:]:
    for node in ast.walk(ast.parse(open(path).read())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            if name.split(".")[0] not in sys.stdlib_module_names | {"pytest", "crosswait"}:
                print("imports", name)
END
