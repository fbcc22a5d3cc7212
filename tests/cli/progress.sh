# timeout: 180
# A check that takes seconds says on a terminal how far it is, takes that away, and says nothing of
# it in a pipe.
crosswait record -o T.db -- mpirun -n 4 "$BUILD/tests/bench/jobs/families" flood_any 30000 \
    >/dev/null 2>&1
/usr/bin/python3 - <<'END'
import os, pty, re, subprocess


def on_terminal(command):
    pid, fd = pty.fork()
    if not pid:
        os.execvp(command[0], command)
    text = b""
    try:
        while more := os.read(fd, 4096):
            text += more
    except OSError:
        pass
    os.waitpid(pid, 0)
    return text.decode()


said = on_terminal(["crosswait", "check", "-q", "--budget=100000", "T.db"])
print(
    "on a terminal:",
    (
        "told"
        if re.search(r"checking: orders of messages: \d+ %, about \d+ s left", said)
        else repr(said)
    ),
)
print("left standing:", repr(said.split("\r")[-1].strip()))
piped = subprocess.run(["crosswait", "check", "-q", "T.db"], capture_output=True, text=True)
print("in a pipe:", repr(piped.stdout + piped.stderr))
END

# The same of storing, which can be interrupted: the record is still there.
crosswait record --keep-spool -o K.db -- mpirun -n 2 "$BUILD/tests/bench/jobs/families" \
    local 1200000 >/dev/null 2>&1
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
import os, pty, re, select, signal, sqlite3


def recover(interrupted):
    """What `recover` says when it is held for longer than a second while it writes."""
    pid, fd = pty.fork()
    if not pid:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
        os.environ["LD_PRELOAD"] = os.getcwd() + "/hold.so"
        os.execvp("crosswait", ["crosswait", "recover", "K.db.spool", "-o", "R.db"])
    assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
    select.select([], [], [], 1.2)
    if interrupted:
        os.write(fd, b"\x03")
        while (
            not int(re.search(r"ShdPnd:\s*(\w+)", open(f"/proc/{pid}/status").read()).group(1), 16)
            & 2
        ):
            pass  # the terminal hands it on by itself, in its own time
    os.kill(pid, signal.SIGCONT)
    text = b""
    try:
        while more := os.read(fd, 4096):
            text += more
    except OSError:
        pass
    return text.decode(), os.waitpid(pid, 0)[1]


said, status = recover(True)
print("interrupted: signal", os.WTERMSIG(status), "trace", os.path.exists("R.db"))
said, status = recover(False)
told = re.search(r"writing the trace: \d+ %, about \d+ s left", said)
print("on a terminal:", "told" if told else repr(said))
print("left standing:", repr(re.sub(r"[\d,]+ events", "N events", said.split("\r")[-2].strip())))
count = [
    sqlite3.connect(trace).execute("SELECT count(*) FROM event_row").fetchone()
    for trace in ("K.db", "R.db")
]
print("whole:", count[0] == count[1])
END

# And of rendering, whatever it is written to.
/usr/bin/python3 - <<'END'
import os, pty, re, select, signal

pid, fd = pty.fork()
if not pid:
    os.environ["LD_PRELOAD"] = os.getcwd() + "/hold.so"
    os.execvp("crosswait", "crosswait report --no-check --format=perfetto -o P K.db".split())
assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
select.select([], [], [], 1.2)
os.kill(pid, signal.SIGCONT)
text = b""
try:
    while more := os.read(fd, 4096):
        text += more
except OSError:
    pass
said, status = text.decode(), os.waitpid(pid, 0)[1]
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
import os, pty, re

pid, fd = pty.fork()
if not pid:
    os.execvp("crosswait", "crosswait fuzz my_barrier.c -seed=1 --time=3".split())
text = b""
try:
    while more := os.read(fd, 4096):
        text += more
except OSError:
    pass
os.waitpid(pid, 0)
said = text.decode()
told = re.search(
    r"crosswait: \d+/3 s, [\d,]+ worlds?, [\d,]+/s, \d+ patterns and branches", said
)
print("fuzzing on a terminal:", "told" if told else repr(said))
END
