#!/usr/bin/python3
"""usage: stop.py INT|KILL COMMAND...  Runs the command again and again, and stops it each time
after a few more worlds, until it finishes; prints its last output. Its program must be built with
paced.h. INT goes to its whole process group, as from a terminal. Exit status 1: the command was
never stopped, or left no state when it was."""

import os
import signal
import subprocess
import sys
import time

MORE = 60  # ranks of worlds for each run
come = 0


def comes(*_):
    global come
    come += 1


signal.signal(signal.SIGUSR1, comes)
number = signal.SIGINT if sys.argv[1] == "INT" else signal.SIGKILL
state = next(word.split("=")[1] for word in sys.argv if word.startswith("--state="))
stops = kept = 0
while True:
    come = 0
    with open(state + ".out", "w+b") as out:
        child = subprocess.Popen(
            sys.argv[2:],
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=dict(os.environ, PACED=str(os.getpid())),
        )
        while child.poll() is None and come < MORE * (stops + 1):
            time.sleep(0.002)
        stopped = child.poll() is None
        if stopped:
            (os.killpg if number == signal.SIGINT else os.kill)(child.pid, number)
            child.wait()
            stops += 1
            kept += os.path.exists(state)
        out.seek(0)
        said = out.read()
    if not stopped or (number == signal.SIGINT and b"then the search was interrupted" not in said):
        break
sys.stdout.write(said.decode())
sys.exit(not kept)
