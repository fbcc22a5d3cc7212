"""Compares both ways to run a program's behaviours: ways.py SECONDS PROGRAM.c... A complete search
must find the same in jobs as in worlds; an incomplete one must find nothing else, and say what it
cannot force in a job, or that its time was over."""

import json
import os
import re
import subprocess
import sys


def search(name, ranks, *options):
    ran = subprocess.run(
        ["crosswait", "explore", f"--json={name}.json", *options, "-n", ranks, "--", "./" + name],
        capture_output=True,
        text=True,
    )
    if ran.returncode not in (0, 1, 5):  # 5: its time was over
        return ran.stderr.strip(), None
    with open(name + ".json") as file:
        return ran.stdout.strip().splitlines()[-1], json.load(file)


def said(result):
    """Returns the output of the behaviours that do not fail, and the number of those that do."""
    facts = [fact for f in result["findings"] for fact in f.get("facts", [])]
    printed = {re.sub(r"^\d+ times?: ", "", f) for f in facts if re.match(r"\d+ times?: ", f)}
    failing = sum(int(n) for f in facts for n in re.findall(r"^in (\d+) of \d+ behaviour", f))
    return printed, failing


def compare(path, seconds):
    name = os.path.basename(path)[:-2]
    with open(path) as file:
        ranks = re.search(r"(\d+) ranks", file.readline())[1]
    subprocess.run(["mpicc", "-g", "-O1", "-fopenmp", "-o", name, path], check=True)
    worlds = search(name, ranks, "--time=0")[1]
    words, jobs = search(name, ranks, "--world=mpirun", f"--time={seconds}")
    if not jobs:
        return words
    printed, failing = said(worlds)
    found, failed = said(jobs)
    if jobs["complete"]:
        same = (printed, failing, worlds["behaviours"]) == (found, failed, jobs["behaviours"])
    else:
        more = re.search("there are more|there may be more|no more unless|within the time", words)
        same = more and found <= printed and (failing or not failed)
    return "agrees" if same else f"worlds: {worlds}\njobs: {words} {jobs}"


for program in sys.argv[2:]:
    print(f"{os.path.basename(program)[:-2]}: {compare(program, sys.argv[1])}", flush=True)
