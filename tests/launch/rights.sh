# Runs as another user, in a temporary folder that all users share: others cannot read any file that
# crosswait makes, crosswait does not follow links of others, and removes only what it made.
. "$SOURCE/tests/launch/rights.bash"
umask 77
others() { find "$@" \( -perm /077 -o ! -user $ALICE \) -print; }
# What a job records is its owner's alone, whatever the umask says; a trace is as the umask says.
(umask 0 && as $ALICE "$CROSSWAIT" record --keep-spool -o "$SHARED/a.db" -- mpirun -n 2 "$RING") \
    >out 2>&1 || fail "$(cat out)"
[ "$(find "$SHARED/a.db.spool" -name '*.ring' | wc -l)" = 2 ] && [ -s "$SHARED/a.db" ] ||
    fail "nothing recorded: $(cat out)"
[ -z "$(others "$SHARED"/a.db.spool)" ] ||
    fail "others can read: $(others "$SHARED"/a.db.spool | xargs ls -ld)"
as $ALICE "$CROSSWAIT" recover -o "$SHARED/b.db" "$SHARED/a.db.spool" >out 2>&1 || fail "$(cat out)"
[ -z "$(others "$SHARED"/b.db)" ] || fail "others can read: $(ls -l "$SHARED/b.db")"
as $ALICE env LD_PRELOAD="$SHARED/bin/libcrosswait.so" CROSSWAIT_SPOOL="$SHARED/spool.alice" \
    mpirun -n 2 "$RING" >out 2>&1 || fail "$(cat out)"
[ "$(find "$SHARED/spool.alice" -type f | wc -l)" = 4 ] &&
    [ -z "$(others "$SHARED/spool.alice")" ] || fail "$(find "$SHARED/spool.alice" -ls)"
# Links to what is Alice's, which Mallory has put where a trace and its spool will go.
victim=$SHARED/home.$ALICE/thesis
mkdir -p "$SHARED/home.$ALICE/letters"
echo precious >"$victim"
echo dear >"$SHARED/home.$ALICE/letters/0.0.ring"
chown -R $ALICE "$SHARED/home.$ALICE"
untouched() { [ "$(cat "$victim")" = precious ] &&
    [ "$(cat "$SHARED/home.$ALICE/letters/0.0.ring")" = dear ] ||
    fail "$*: what was not crosswait's is changed"; }
as $MALLORY ln -s "$victim" "$SHARED/c.db.partial"
as $MALLORY ln -s "$SHARED/home.$ALICE/letters" "$SHARED/d.db.spool"
as $MALLORY mkdir -m 777 "$SHARED/e.db.spool"
for at in c d e; do
    as $ALICE "$CROSSWAIT" record -o "$SHARED/$at.db" -- mpirun -n 2 "$RING" >out 2>&1
    code=$?
    untouched $at
    [ $code != 0 ] && grep -q '^crosswait: cannot ' out || fail "$at: exit status $code: $(cat out)"
    [ ! -e "$SHARED/$at.db" ] || fail "$at: a trace was written"
done
# The job's folder of a run without the launcher, where its name can be foreseen: of one process
# under MPICH.
as $MALLORY mkdir -m 777 "$SHARED/open"
as $ALICE sh -c "umask 22; echo \$\$ >pid.alice; while [ ! -e go ]; do sleep 0.05; done
    LD_PRELOAD='$SHARED/bin/libcrosswait.so' CROSSWAIT_SPOOL='$SHARED/open' \
        exec '$SHARED/bin/calls_misc'" >out 2>&1 &
while [ ! -s "$SHARED/pid.alice" ]; do sleep 0.05; done
as $MALLORY ln -s "$SHARED/home.$ALICE/letters" "$SHARED/open/single-0-$(cat "$SHARED/pid.alice")"
touch "$SHARED/go"
wait
grep -q "is not recorded: cannot make the folder" out ||
    fail "a job's folder: $(cat out; ls -lR "$SHARED/open")"
untouched "a job's folder"
# Mallory can make Alice's recover neither write over nor remove anything.
as $MALLORY mkdir -m 777 "$SHARED/f.db.spool" "$SHARED/f.db.spool/1"
as $MALLORY ln -s "$victim" "$SHARED/f.db.spool/1/0.0.ring"
as $MALLORY ln -s "$victim" "$SHARED/f.db.spool/1/0.0.spool"
as $ALICE "$CROSSWAIT" recover -o "$SHARED/home.$ALICE/f.db" "$SHARED/f.db.spool" >out 2>&1
untouched recover
[ -h "$SHARED/f.db.spool/1/0.0.ring" ] || fail "recover removed what others made"
# What a killed launcher of Alice's left is removed by her next one only where it is empty.
as $ALICE mkdir -m 700 "$SHARED/g.db.spool"
as $ALICE touch "$SHARED/g.db.spool/notes"
as $ALICE "$CROSSWAIT" record -o "$SHARED/g.db" -- mpirun -n 2 "$RING" >out 2>&1 &&
    fail "recorded over notes"
[ -e "$SHARED/g.db.spool/notes" ] || fail "notes were removed"
# And a hang of hers is found, and ended.
as $ALICE "$CROSSWAIT" run -o "$SHARED/h.db" -- mpirun -n 2 "$QUIZ" 1000000 >out 2>&1
[ $? = 1 ] && grep -q "the job was ended" out || fail "$(cat out)"
# Reports, and whatever else the command line writes: its owner's alone; links and files that
# Mallory has put where they go are not written to, an own file is replaced, a device is written to
# as it is.
cat /dev/null >"$SHARED/i.html"
chown $ALICE "$SHARED/i.html"
chmod 644 "$SHARED/i.html"
as $ALICE "$CROSSWAIT" report --format=html -o "$SHARED/i.html" "$SHARED/h.db" >out 2>&1
as $ALICE "$CROSSWAIT" run -q -o "$SHARED/i.db" \
    --junit="$SHARED/i.xml" --sarif="$SHARED/i.sarif" -- \
    mpirun -n 2 "$QUIZ" 8 >>out 2>&1
as $ALICE "$CROSSWAIT" model --collective=allreduce --ranks=8 --plot="$SHARED/i.svg" >>out 2>&1
for made in html xml sarif svg; do
    [ -s "$SHARED/i.$made" ] || fail "i.$made is not written: $(cat out)"
done
[ -z "$(others "$SHARED"/i.*)" ] || fail "others can read: $(others "$SHARED"/i.* | xargs ls -ld)"
as $MALLORY ln -s "$victim" "$SHARED/j.html.partial"
as $MALLORY ln -s "$victim" "$SHARED/j.svg"
as $MALLORY sh -c "umask 0; echo mine >'$SHARED/k.svg'"
as $ALICE "$CROSSWAIT" report --format=html -o "$SHARED/j.html" "$SHARED/h.db" >out 2>&1 &&
    fail "a report was written through a link"
as $ALICE "$CROSSWAIT" model --collective=allreduce --ranks=8 --plot="$SHARED/j.svg" >out 2>&1 &&
    fail "a picture was written through a link"
as $ALICE "$CROSSWAIT" model --collective=allreduce --ranks=8 --plot="$SHARED/k.svg" >out 2>&1 &&
    fail "a picture was written into what others can read"
untouched reports
[ "$(cat "$SHARED/k.svg")" = mine ] || fail "Mallory's file was written to"
as $ALICE sh -c \
    "'$CROSSWAIT' report --format=json -o /dev/stdout '$SHARED/h.db' | grep -q findings" ||
    fail "nothing on /dev/stdout"
# As root, with standard output in a file: /dev/stdout stays what it is, and nothing before or after
# it is lost.
(echo first && "$CROSSWAIT" report --format=json -o /dev/stdout "$SHARED/h.db"; echo last) \
    >"$SHARED/plain" 2>out
[ -L /dev/stdout ] || fail "/dev/stdout was replaced"
[ "$(head -2 "$SHARED/plain" | xargs)" = "first {" ] && grep -q findings "$SHARED/plain" &&
    [ "$(tail -2 "$SHARED/plain" | xargs)" = "} last" ] || fail "not in the file: $(cat out)"
