# crosswait record: command lines that it refuses before the job starts, and commands that are no
# MPI programs. Holds cli invariant 2; launch invariant 1.
show() { echo "\$ crosswait $*"; crosswait "$@" 2>&1 | sed "s,$TMPDIR,TMPDIR,g"
    echo "[${PIPESTATUS[0]}]"; }
show record
show record --nonesuch
show record --outptu=x echo hi
show record -o
show record nonesuch-program
touch plain; chmod 644 plain
show record ./plain
show record echo hello
show record -- sh -c 'echo out; echo err >&2; exit 7'
show record sh -c 'kill -9 $$'
show record -o nonesuch/T.db echo hello
mkdir folder.db
show record -o folder.db echo hello
mkdir -p "old's db.spool/1-1"; touch "old's db.spool/1-1/0.0.ring"
show record -o "old's db" echo hello
ls "old's db.spool/1-1"
# Standard input reaches the command, and its output is the same byte for byte.
head -c 100000 /dev/urandom >in
crosswait record -o T.db cat <in >out 2>/dev/null
cmp in out && echo "the same bytes"
ls -d T.db* 2>/dev/null
exit 0
