#!/usr/bin/python3
"""usage: killed.py TIMES SEED LONGEST COMMAND...  Runs the command TIMES times and kills it each
time at a random moment within LONGEST seconds. Afterwards none of its descendants may be left, and
nothing in TMPDIR. Prints how often something was left, and what."""

import os
import random
import signal
import subprocess
import sys
import time

times, seed, longest = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
MARK = "CROSSWAIT_TEST_KILLED"


def processes(mark):
    """Returns the processes with the mark in their environment, as all descendants have it."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                marked = f"{MARK}={mark}\0".encode() in file.read()
            with open(f"/proc/{pid}/stat", errors="replace") as file:
                stat = file.read()
            if marked and stat.rpartition(")")[2].split()[0] != "Z":
                found[int(pid)] = stat.split(")")[0] + ")"
        except OSError:
            pass
    return list(found.values())


def left(mark):
    return processes(mark) + os.listdir(os.environ["TMPDIR"])


chance = random.Random(seed)
bad = 0
for number in range(times):
    mark = f"{os.getpid()}.{number}"
    command = subprocess.Popen(
        sys.argv[4:],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ, **{MARK: mark}),
    )
    time.sleep(chance.random() ** 2 * longest)
    command.send_signal(signal.SIGKILL)
    command.wait()
    end = time.monotonic() + 60
    while left(mark) and time.monotonic() < end:
        time.sleep(0.02)
    if left(mark):
        bad += 1
        print(f"kill {number}: left: {left(mark)}")
print(f"{times} kills: {bad} left something")
