#!/usr/bin/python3
"""usage: stop.py INT|KILL COMMAND...  Runs it again and again, each time stopped after a moment,
until it comes to its end; prints what it printed last. INT is for its whole process group, as from
a terminal. Exit status 1: it was never stopped, or left no state then."""

import os
import signal
import subprocess
import sys

number = signal.SIGINT if sys.argv[1] == "INT" else signal.SIGKILL
state = next(word.split("=")[1] for word in sys.argv if word.startswith("--state="))
stops = kept = 0
while True:
    child = subprocess.Popen(
        sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        out, _ = child.communicate(timeout=0.3 + 0.1 * stops)
    except subprocess.TimeoutExpired:
        (os.killpg if number == signal.SIGINT else os.kill)(child.pid, number)
        out, _ = child.communicate()
        stops += 1
        kept += os.path.exists(state)
        if number == signal.SIGKILL or b"then it was interrupted" in out:
            continue
    break
sys.stdout.write(out.decode())
sys.exit(not kept)
