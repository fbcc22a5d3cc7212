# timeout: 180
# A check that takes seconds shows its progress on a terminal, but not in a pipe.
export PYTHONPATH=$SOURCE/tests/cli
crosswait record -o T.db -- mpirun -n 4 "$BUILD/tests/bench/jobs/families" flood_any 8000 \
    >/dev/null 2>&1
/usr/bin/python3 - <<'END'
import os, re, subprocess
from terminal import end, start, until

# A budget that takes minutes on any machine: it is interrupted as soon as its line was seen.
told = r"checking: orders of messages: \d+ %, about \d+ s left"
pid, fd = start("crosswait check -q --budget=100000000 T.db")
said = until(fd, told)
os.write(fd, b"\x03")
print("on a terminal:", "told" if re.search(told, said) else repr(said))
print("interrupted: signal", os.WTERMSIG(end(pid, fd)[1]))
piped = subprocess.run(
    ["crosswait", "check", "-q", "--budget=5000", "T.db"], capture_output=True, text=True
)
print("in a pipe:", repr(piped.stdout + piped.stderr))
END

# The same of storing, which can be interrupted: the record is still there.
crosswait record --keep-spool -o K.db -- mpirun -n 2 "$BUILD/tests/bench/jobs/families" \
    local 300000 >/dev/null 2>&1
cat >hold.c <<'END'
/* Stops the process when it has read 4 MB: that is in the midst of the spools. */
#include <dlfcn.h>
#include <signal.h>
#include <sys/types.h>
static ssize_t (*real_read)(int, void *, size_t), (*real_pread)(int, void *, size_t, off_t);
static ssize_t held(ssize_t bytes)
{
    static ssize_t sum;
    if (bytes > 0 && sum < 4 << 20 && (sum += bytes) >= 4 << 20)
        raise(SIGSTOP);
    return bytes;
}
__attribute__((constructor)) static void find(void)
{
    real_read = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    real_pread = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
}
ssize_t read(int fd, void *to, size_t bytes)
{
    return held(real_read(fd, to, bytes));
}
ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
    return held(real_pread(fd, to, bytes, at));
}
ssize_t pread64(int fd, void *to, size_t bytes, off_t at)
{
    return pread(fd, to, bytes, at);
}
END
gcc -D_GNU_SOURCE -shared -fPIC -o hold.so hold.c || exit 1
/usr/bin/python3 - <<'END'
import os, re, signal, sqlite3
from terminal import end, hold, start


def recover(interrupted):
    """What `recover` says when it is held for longer than a second while it writes."""
    pid, fd = start("crosswait recover K.db.spool -o R.db", LD_PRELOAD=os.getcwd() + "/hold.so")
    hold(pid)
    if interrupted:
        os.write(fd, b"\x03")
        while (
            not int(re.search(r"ShdPnd:\s*(\w+)", open(f"/proc/{pid}/status").read()).group(1), 16)
            & 2
        ):
            pass  # the terminal hands it on by itself, in its own time
    os.kill(pid, signal.SIGCONT)
    return end(pid, fd)


said, status = recover(True)
print("interrupted: signal", os.WTERMSIG(status), "trace", os.path.exists("R.db"))
said, status = recover(False)
told = re.search(r"writing the trace: \d+ %, about \d+ s left", said)
print("on a terminal:", "told" if told else repr(said))
print("left standing:", repr(re.sub(r"[\d,]+ calls", "N calls", said.split("\r")[-2].strip())))
count = [
    sqlite3.connect(trace).execute("SELECT count(*) FROM event_each").fetchone()
    for trace in ("K.db", "R.db")
]
print("whole:", count[0] == count[1])
END

# And of rendering, whatever it is written to.
/usr/bin/python3 - <<'END'
import os, re, signal
from terminal import end, hold, start

pid, fd = start(
    "crosswait report --no-check --format=perfetto -o P K.db", LD_PRELOAD=os.getcwd() + "/hold.so"
)
hold(pid)
os.kill(pid, signal.SIGCONT)
said, status = end(pid, fd)
told = re.search(r"rendering: \d+ %, about \d+ s left", said)
print("rendering on a terminal:", "told" if told else repr(said), "status", status)
print("left standing:", repr(said.split("\r")[-1].strip()))
END
# And of fuzzing: seconds, worlds, worlds a second, what was seen.
cat >my_barrier.c <<'END'
#include "crosswait_fuzz.h"
static int my_barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
COLLECTIVE(barrier, "", my_barrier)
END
/usr/bin/python3 - <<'END'
import re
from terminal import end, start

said, _ = end(*start("crosswait fuzz my_barrier.c -seed=1 --time=3"))
told = re.search(
    r"crosswait: \d+/3 s, [\d,]+ worlds?, [\d,]+/s, \d+ branches seen", said
)
print("fuzzing on a terminal:", "told" if told else repr(said))
# libFuzzer has nothing to tell for seconds: what is shown goes on all the same.
shown = set(re.findall(r"s, ([\d,]+) worlds?,", said))
log = open("crosswait-fuzz/my_barrier/log").read()
own = {f"{int(n):,}" for n in re.findall(r"^#(\d+)\t", log, re.M)}
print("between its lines:", "told" if shown - own else repr((shown, own)))
END
