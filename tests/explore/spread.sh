# With helpers a search finds the same as alone, to the byte; killed at any moment, it leaves
# nothing.
# timeout: 300
for file in "$SOURCE"/tests/explore/programs/{accumulate,buffering,three,ticket,testany}.c; do
    name=$(basename "$file" .c)
    ranks=$(sed -n '1s/^.* \([0-9]*\) ranks.*/\1/p' "$file")
    mpicc -g -O1 -o $name "$file" || exit 1
    for jobs in 1 3; do
        crosswait explore -j $jobs --time=0 --json=$name.$jobs -n $ranks -- ./$name \
            >$name.text.$jobs
    done
    cmp $name.1 $name.3 && cmp $name.text.1 $name.text.3 && echo "$name: the same"
done
# The same where what is ahead is sampled.
for jobs in 1 3; do
    crosswait explore -j $jobs --time=0 --worlds=40 --json=sampled.$jobs -n 6 -- ./accumulate \
        >/dev/null
done
cmp sampled.1 sampled.3 && echo "sampled: the same"
# The same by the processes of a job, and by those that a command starts, elsewhere.
by() { # NAME KIND COMMAND...: its outputs are those of one process
    "${@:3}" --time=0 --json=$1.$2 -n 4 -- ./$1 >$1.text.$2 2>$1.errors.$2
    [ $? = 1 ] && cmp $1.1 $1.$2 && cmp $1.text.1 $1.text.$2 && echo "$1, $2: the same"
    grep '^crosswait: ' $1.errors.$2 | grep -v 'helpers\? of --spread' # by chance
}
by three job timeout 100 mpirun -n 3 crosswait explore
by three started crosswait explore --spread='cd / && timeout 100 mpirun -n 2'
# One that is killed gives back what it had.
cat >kill <<'END'
"$@" &
while [ ! -s /proc/$!/task/$!/children ]; do sleep 0.01; done
kill -9 $!
END
by accumulate killed crosswait explore --spread='bash ./kill'
by accumulate missing crosswait explore --spread='./missing'
mpirun -n 2 crosswait explore --spread=env -n 4 -- ./three 2>&1 | grep '^crosswait: '
mpicc -g -DCORRECT -o correct "$SOURCE/tests/explore/programs/three.c" || exit 1
crosswait record -o T.db -- mpirun -n 4 ./correct >/dev/null
for more in "" "--spread=timeout 100 mpirun -n 2"; do
    crosswait replay T.db --explore ${more:+"$more"} >"replay${more:+ with helpers}" \
        2>/dev/null
done
cmp replay 'replay with helpers' && echo "replay: the same"
ls -A | grep '^\.crosswait'
cp three spread-left
for hundredths in 2 5 9 14 20 27 35; do
    crosswait explore -j 3 --time=0 -n 4 -- ./spread-left >/dev/null 2>&1 &
    sleep 0.$(printf %02d $hundredths)
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
done
/usr/bin/python3 - <<'END2'
import os, time

def left():
    names = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as f:
                if b"spread-left" in f.read():
                    names.append(process)
        except OSError:
            pass
    return names

end = time.monotonic() + 60
while left() and time.monotonic() < end:
    time.sleep(0.05)
print("left:", len(left()))
END2
