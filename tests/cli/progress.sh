# timeout: 120
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

said = on_terminal(["crosswait", "check", "-q", "T.db"])
print("on a terminal:", "told" if re.search(r"checking: orders of messages: \d+ %, about \d+ s left", said) else repr(said))
print("left standing:", repr(said.split("\r")[-1].strip()))
piped = subprocess.run(["crosswait", "check", "-q", "T.db"], capture_output=True, text=True)
print("in a pipe:", repr(piped.stdout + piped.stderr))
END
