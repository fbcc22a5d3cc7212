#!/usr/bin/env python3
"""usage: kill_runner.py RUN_WORLDS PROGRAM  Kills the runner at 100 random moments; afterwards no
process of the program and no file may be left."""
import os, random, signal, subprocess, sys, time

runner, program = sys.argv[1:3]


def left():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe").split(" ")[0] == program:
                found.append(int(pid))
        except OSError:
            pass
    return found


chance = random.Random(1)
before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
for kill in range(100):
    ran = subprocess.Popen(
        [runner, "-n", "4", "-w", "1000000", "-s", "1", program, "gather"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(chance.random() ** 2 * 0.3)
    ran.send_signal(signal.SIGKILL)
    ran.wait()
    for _ in range(2000):
        if not left():
            break
        time.sleep(0.01)
    else:
        print(f"kill {kill}: processes are left: {left()}")
        for pid in left():
            os.kill(pid, signal.SIGKILL)
        sys.exit(1)
new = (
    [name for name in os.listdir("/dev/shm") if name not in before and "crosswait" in name]
    if before
    else []
)
print("100 kills: nothing is left" if not new else f"left: {new}")
