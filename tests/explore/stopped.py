#!/usr/bin/python3
"""usage: stopped.py INT|TERM|KILL COMMAND... PIDS  Runs the command until two processes have
written their ids to the file PIDS, then sends it the signal, and prints its output. Returns when
the command and the two have ended; if they do not, the runner's time limit ends the test."""

import os
import signal
import subprocess
import sys
import time


def read(path):
    try:
        with open(path) as file:
            return [int(line) for line in file.read().split("\n")[:-1]]
    except FileNotFoundError:
        return []


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True, start_new_session=True)
while len(read(sys.argv[-1])) < 2 and child.poll() is None:
    time.sleep(0.02)
os.kill(child.pid, getattr(signal, "SIG" + sys.argv[1]))
sys.stdout.write(child.communicate()[0])
while any(runs(pid) for pid in read(sys.argv[-1])):
    time.sleep(0.02)
sys.exit(child.returncode if child.returncode >= 0 else 128 - child.returncode)
