# A test runner that gets a signal to end also ends the running tests and their processes, and
# removes their folders; it starts no further tests.
set -u
bad=0
fail() { echo "$*"; bad=1; }
mkdir -p own/tests/some && cp "$SOURCE"/tests/run.py "$SOURCE"/tests/mpirun.py own/tests/
cat >own/tests/some/first.sh <<'END'
setsid sleep 1000 &
echo $! $PWD >"$NOTE.new" && mv "$NOTE.new" "$NOTE"
sleep 1000
END
echo 'touch "$NOTE.second"' >own/tests/some/second.sh
NOTE=$PWD/note TMPDIR=$PWD /usr/bin/python3 own/tests/run.py --build . -j 1 >out.txt 2>&1 &
runner=$!
for _ in $(seq 600); do [ -f note ] && break; sleep 0.1; done
read -r sleeper folder <note || { cat out.txt; exit 1; }
kill -TERM "$runner"
wait "$runner"
status=$?
[ $status = 143 ] || fail "exit status $status: $(cat out.txt)"
! kill -0 "$sleeper" 2>/dev/null || [ "$(ps -o stat= -p "$sleeper" | cut -c1)" = Z ] ||
    fail "a process is left behind"
[ ! -e "$folder" ] || fail "its folder is left behind"
[ ! -e note.second ] || fail "another test began"
exit $bad
